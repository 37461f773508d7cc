package widget

import (
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// Tab is one title.
type Tab struct {
	Title string
	Note  string // behind the title: a count
}

// Tabs is a line of titles. Its zero value has none.
type Tabs struct {
	Tabs  []Tab
	at    int
	first int   // first title in view
	ends  []int // cells behind the titles in the last view
}

// At returns the chosen title's index, 0 where there is none.
func (t *Tabs) At() int { return max(0, min(t.at, len(t.Tabs)-1)) }

// Set chooses a title by its index; what is out of range becomes the first or
// the last.
func (t *Tabs) Set(i int) { t.at = i }

// Move chooses the title n further on, round at the ends.
func (t *Tabs) Move(n int) { t.at = (t.At() + n + len(t.Tabs)) % max(1, len(t.Tabs)) }

// ClickTitle chooses the title at column x of the last view and reports whether
// there is one.
func (t *Tabs) ClickTitle(x int) bool {
	for i, end := range t.ends {
		if x > 0 && x < end {
			t.at = t.first + i
			return true
		}
	}
	return false
}

// View draws the line into exactly w cells. Where not all titles fit, those
// around the chosen one are drawn, with marks at the ends.
func (t *Tabs) View(th *theme.Theme, w int) string {
	t.ends = t.ends[:0]
	if len(t.Tabs) == 0 || w <= 0 {
		return layout.BlankCells(w)
	}
	last, line := t.findView(w-2), " "
	if t.first > 0 {
		line = th.PaintMuted("‹")
	}
	for i := t.first; i <= last; i++ {
		line += t.drawTitle(th, i, w-2)
		t.ends = append(t.ends, min(layout.Width(line), w))
	}
	if last < len(t.Tabs)-1 {
		line = layout.FitLeft(line, w-1) + th.PaintMuted("›")
	}
	return layout.FitLeft(line, w)
}

// drawTitle draws a title with the brackets or blanks at its sides.
func (t *Tabs) drawTitle(th *theme.Theme, i, room int) string {
	tab, open, end, title := t.Tabs[i], " ", " ", th.Style(theme.Muted)
	if i == t.At() {
		open, end, title = "[", "]", th.Section
	}
	note := ""
	if tab.Note != "" {
		note = " " + th.PaintMuted(tab.Note)
	}
	name := layout.CutLine(layout.Clean(tab.Title), max(1, room-2-layout.Width(note)))
	return layout.CleanText(title, open+name) + note + layout.CleanText(title, end)
}

// findView finds the first title in view, which moves no further than it must, and
// returns the last one: those that fit, the chosen one among them.
func (t *Tabs) findView(room int) (last int) {
	fit := func(from, to int) bool {
		used := 0
		for _, tab := range t.Tabs[from : to+1] {
			used += layout.Width(layout.Clean(tab.Title)) + 2
			if tab.Note != "" {
				used += 1 + layout.Width(layout.Clean(tab.Note))
			}
		}
		return used <= room
	}
	last = t.At()
	for t.first = min(t.first, last); t.first < last && !fit(t.first, last); {
		t.first++
	}
	for last+1 < len(t.Tabs) && fit(t.first, last+1) {
		last++
	}
	for last == len(t.Tabs)-1 && t.first > 0 && fit(t.first-1, last) {
		t.first--
	}
	return last
}
