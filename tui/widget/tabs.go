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
	first int         // first title in view
	spans []titleSpan // of the titles in the last view
}

type titleSpan struct{ from, to, tab int }

// At returns the chosen title's index, 0 where there is none.
func (t *Tabs) At() int { return max(0, min(t.at, len(t.Tabs)-1)) }

// Set chooses a title by its index; what is out of range becomes the first or
// the last.
func (t *Tabs) Set(i int) { t.at = max(0, min(i, len(t.Tabs)-1)) }

// Move chooses the title n further on, round at the ends.
func (t *Tabs) Move(n int) {
	if len(t.Tabs) > 0 {
		t.at = ((t.At()+n)%len(t.Tabs) + len(t.Tabs)) % len(t.Tabs)
	}
}

// ClickTitle chooses the title at column x of the last view and reports whether
// there is one.
func (t *Tabs) ClickTitle(x int) bool {
	for _, s := range t.spans {
		if x >= s.from && x < s.to {
			t.at = s.tab
			return true
		}
	}
	return false
}

// titleWidth returns the width of a title with the brackets or blanks at its sides.
func (t *Tabs) titleWidth(i int) int {
	w := layout.Width(layout.Clean(t.Tabs[i].Title)) + 2
	if note := t.Tabs[i].Note; note != "" {
		w += 1 + layout.Width(layout.Clean(note))
	}
	return w
}

// View draws the line into exactly w cells. Where not all titles fit, those
// around the chosen one are drawn, with marks at the ends.
func (t *Tabs) View(th *theme.Theme, w int) string {
	t.spans = t.spans[:0]
	if len(t.Tabs) == 0 || w <= 0 {
		return layout.BlankCells(w)
	}
	first, last := t.inView(w - 2)
	line := " "
	if first > 0 {
		line = th.PaintMuted("‹")
	}
	for i := first; i <= last; i++ {
		from := layout.Width(line)
		line += t.drawTitle(th, i, w-2)
		t.spans = append(t.spans, titleSpan{from, min(layout.Width(line), w), i})
	}
	if last < len(t.Tabs)-1 {
		line = layout.FitLeft(line, w-1) + th.PaintMuted("›")
	}
	return layout.FitLeft(line, w)
}

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

// inView returns the first and the last title that fit, the chosen one among
// them. It moves no further than it must.
func (t *Tabs) inView(room int) (first, last int) {
	at := t.At()
	first = min(t.first, at, len(t.Tabs)-1)
	used := 0
	for i := first; i <= at; i++ {
		used += t.titleWidth(i)
	}
	for used > room && first < at {
		used -= t.titleWidth(first)
		first++
	}
	last = at
	for last+1 < len(t.Tabs) && used+t.titleWidth(last+1) <= room {
		last++
		used += t.titleWidth(last)
	}
	for last == len(t.Tabs)-1 && first > 0 && used+t.titleWidth(first-1) <= room {
		first--
		used += t.titleWidth(first)
	}
	t.first = first
	return first, last
}
