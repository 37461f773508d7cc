package widget

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// StepState is the progress of a step.
type StepState int

// The states of a step.
const (
	Ahead StepState = iota
	Current
	Done
	Ended // the process was cancelled or rejected at this step
)

// Glyphs and words by state.
var (
	stateGlyphs = []string{"◌", "◎", "●", "⊖"}
	stateWords  = []string{"ahead", "now", "done", "ended here"}
)

// Step is one step of a process.
type Step struct {
	Name  string
	When  string // its day, or ""
	State StepState
	Role  theme.Role // of a current step; Text is drawn as the accent
}

func (s Step) style(th *theme.Theme) theme.Style {
	roles := []theme.Role{
		Ahead:   theme.Muted,
		Current: cmp.Or(s.Role, theme.Accent),
		Done:    theme.Accent,
		Ended:   theme.Bad,
	}
	return th.Style(roles[s.State])
}

// nameStyle returns the style of a step's name, which is bold for the current step.
func (s Step) nameStyle(th *theme.Theme) theme.Style {
	switch s.State {
	case Done:
		return th.Style(theme.Text)
	case Ahead:
		return s.style(th)
	default:
		return s.style(th).Bold()
	}
}

const (
	stepGap  = 2
	stepMost = 22 // columns are not widened beyond this for an even spacing
)

// StepLines draws the steps next to each other if they fit in w cells, otherwise below
// each other.
func StepLines(th *theme.Theme, steps []Step, w int) []string {
	widths := stepWidths(steps, w)
	switch {
	case th.Linear:
		return stepsSaid(steps)
	case len(steps) == 0:
		return []string{th.PaintMuted(" –")}
	case widths != nil:
		return stepsAcross(th, steps, widths)
	default:
		return stepsDown(th, steps, w)
	}
}

func areDated(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return s.When != "" })
}

// stepWidths returns the width of each step next to each other, evenly spaced if possible,
// or nil if the steps do not fit in w cells.
func stepWidths(steps []Step, w int) []int {
	if len(steps) == 0 {
		return nil
	}
	widths := make([]int, len(steps))
	widest, sum := 0, 0
	for i, s := range steps {
		widths[i] = max(
			1,
			format.Width(format.Clean(s.Name)),
			format.Width(format.Clean(s.When)),
		)
		if i < len(steps)-1 {
			widths[i] += stepGap
			widest = max(widest, widths[i])
		}
		sum += widths[i]
	}
	last := widths[len(widths)-1]
	room := w - 2 // a cell at either side
	if sum > room {
		return nil
	}
	if stepBetween := len(steps) - 1; stepBetween > 0 && widest*stepBetween+last <= room {
		even := min((room-last)/stepBetween, max(stepMost, widest))
		for i := range stepBetween {
			widths[i] = even
		}
	}
	return widths
}

// stepsSaid describes the steps in words.
func stepsSaid(steps []Step) []string {
	lines := make([]string, len(steps))
	for i, s := range steps {
		lines[i] = fmt.Sprintf(
			" Step %d of %d, %s: %s",
			i+1,
			len(steps),
			format.Clean(s.Name),
			stateWords[s.State],
		)
		if s.When != "" {
			lines[i] += ", " + format.Clean(s.When)
		}
	}
	return lines
}

// stepsAcross draws the steps next to each other: a line of glyphs, of names and of days.
func stepsAcross(th *theme.Theme, steps []Step, widths []int) []string {
	way, names, days := " ", " ", " "
	for i, s := range steps {
		w := widths[i]
		way += format.CleanText(s.style(th), stateGlyphs[s.State])
		if i < len(steps)-1 {
			way += stepLink(th, steps[i+1], w-1)
		}
		names += format.CleanText(s.nameStyle(th), format.FitLeft(format.Clean(s.Name), w))
		days += th.PaintMuted(format.FitLeft(stepDay(s), w))
	}
	if !areDated(steps) {
		return []string{way, names}
	}
	return []string{way, names, days}
}

// stepLink draws the line to a step, dotted if the step is ahead.
func stepLink(th *theme.Theme, to Step, n int) string {
	if to.State == Ahead {
		return format.CleanText(th.Rule, strings.Repeat("┄", n))
	}
	return th.PaintRole(theme.Accent, strings.Repeat("─", n))
}

func stepDay(s Step) string {
	return format.Clean(cmp.Or(s.When, format.None))
}

// stepsDown draws the steps below each other.
func stepsDown(th *theme.Theme, steps []Step, w int) []string {
	name, when := 0, 0
	for _, s := range steps {
		name = max(name, format.Width(format.Clean(s.Name)))
		when = max(when, format.Width(stepDay(s)))
	}
	name = min(name, max(0, w-3))
	if w-3-name-stepGap < when || !areDated(steps) {
		when = 0
	}
	lines := make([]string, len(steps))
	for i, s := range steps {
		line := " " + format.CleanText(s.style(th), stateGlyphs[s.State]) + " " +
			format.CleanText(s.nameStyle(th), format.FitLeft(format.Clean(s.Name), name))
		if when > 0 {
			line += format.BlankCells(stepGap) + th.PaintMuted(format.FitLeft(stepDay(s), when))
		}
		lines[i] = line
	}
	return lines
}

// Tab is a title in a line of tabs.
type Tab struct {
	Title string
	Note  string // a count after the title
}

// Tabs is a line of titles. The zero value has none.
type Tabs struct {
	Tabs  []Tab
	at    int
	first int   // first visible title
	ends  []int // end cell of each title in the last view
}

// At returns the index of the selected title, or 0 if there is none.
func (t *Tabs) At() int { return max(0, min(t.at, len(t.Tabs)-1)) }

// Set selects a title by its index. An index out of range selects the first or last title.
func (t *Tabs) Set(i int) { t.at = i }

// Move selects the title n further on, wrapping around at the ends.
func (t *Tabs) Move(n int) { t.at = (t.At() + n + len(t.Tabs)) % max(1, len(t.Tabs)) }

// ClickTitle selects the title at column x of the last view and reports whether there is
// one.
func (t *Tabs) ClickTitle(x int) bool {
	for i, end := range t.ends {
		if x > 0 && x < end {
			t.at = t.first + i
			return true
		}
	}
	return false
}

// View draws the line into exactly w cells. If not all titles fit, it draws the titles
// around the selected one with arrows at the ends.
func (t *Tabs) View(th *theme.Theme, w int) string {
	t.ends = t.ends[:0]
	if len(t.Tabs) == 0 || w <= 0 {
		return format.BlankCells(w)
	}
	last, line := t.findView(w-2), " "
	if t.first > 0 {
		line = th.PaintMuted("‹")
	}
	for i := t.first; i <= last; i++ {
		line += t.drawTitle(th, i, w-2)
		t.ends = append(t.ends, min(format.Width(line), w))
	}
	if last < len(t.Tabs)-1 {
		line = format.FitLeft(line, w-1) + th.PaintMuted("›")
	}
	return format.FitLeft(line, w)
}

// drawTitle draws a title with brackets around the selected one.
func (t *Tabs) drawTitle(th *theme.Theme, i, room int) string {
	tab, open, end, title := t.Tabs[i], " ", " ", th.Style(theme.Muted)
	if i == t.At() {
		open, end, title = "[", "]", th.Section
	}
	note := ""
	if tab.Note != "" {
		note = " " + th.PaintMuted(tab.Note)
	}
	name := format.CutLine(format.Clean(tab.Title), max(1, room-2-format.Width(note)))
	return format.CleanText(title, open+name) + note + format.CleanText(title, end)
}

// findView scrolls as little as necessary to make the selected title visible and returns
// the last visible title.
func (t *Tabs) findView(room int) (last int) {
	fit := func(from, to int) bool {
		used := 0
		for _, tab := range t.Tabs[from : to+1] {
			used += format.Width(format.Clean(tab.Title)) + 2
			if tab.Note != "" {
				used += 1 + format.Width(format.Clean(tab.Note))
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
