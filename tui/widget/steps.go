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
	Ahead   StepState = iota
	Current           // the last step that was reached
	Done              // an earlier step
	Ended             // the process was cancelled or rejected at this step
)

// The glyphs and the words of the states.
var (
	stateGlyphs = []string{"◌", "●", "●", "⊖"}
	stateWords  = []string{"ahead", "now", "done", "ended here"}
)

// Step is one step of a process.
type Step struct {
	Name  string
	When  string // its day; "" or [format.None] if it is unknown
	State StepState
	Role  theme.Role // colour of a current step; the zero role is drawn as [theme.Accent]
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
	stepGap     = 2
	maxEvenStep = 22 // columns are not widened beyond this for an even spacing
)

// StepLines draws the steps next to each other if they fit in w cells, otherwise below each
// other.
func StepLines(th *theme.Theme, steps []Step, w int) []string {
	if th.Linear {
		return describeSteps(steps)
	}
	if len(steps) == 0 {
		return []string{th.PaintMuted(" –")}
	}
	if widths, fit := stepWidths(steps, w); fit {
		return drawStepsAcross(th, steps, widths)
	}
	return drawStepsDown(th, steps, w)
}

// StepLine draws the steps with their days in one line, and reports whether they fit into w cells.
func StepLine(th *theme.Theme, steps []Step, w int) (line string, fit bool) {
	for i, s := range steps {
		if i > 0 {
			line += "  "
		} else {
			line += " "
		}
		glyph := format.CleanText(s.style(th), stateGlyphs[s.State])
		line += glyph + " " + format.CleanText(s.nameStyle(th), format.Clean(s.Name))
		if s.day() != "" {
			line += " " + th.PaintMuted(s.day())
		}
	}
	return line, format.Width(line) < w
}

func areDated(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return s.day() != "" })
}

// stepWidths returns the width of each step in a row of w cells. The last step is as wide as its text. If there is
// room, the other steps are all equally wide. fit is false if the steps do not fit into the row. There must be at
// least one step.
func stepWidths(steps []Step, w int) (widths []int, fit bool) {
	room := w - 2 // the row has a blank cell at both ends
	last := len(steps) - 1
	before := neededWidths(steps[:last])
	lastWidth := textWidth(steps[last])
	roomBefore := room - lastWidth
	if sumOf(before) > roomBefore {
		return nil, false
	}
	return append(spreadEvenly(before, roomBefore), lastWidth), true
}

// neededWidths returns the widths of steps that are followed by another step: the width of the text and a gap.
func neededWidths(steps []Step) []int {
	widths := make([]int, len(steps))
	for i, s := range steps {
		widths[i] = textWidth(s) + stepGap
	}
	return widths
}

// textWidth returns the width of the longer text of a step: its name or its day.
func textWidth(s Step) int {
	return max(1, format.Width(format.Clean(s.Name)), format.Width(s.day()))
}

// spreadEvenly returns equal widths that fit into room cells. They are at most maxEvenStep, unless a step needs
// more. If not all steps can be as wide as the widest step, it returns widths unchanged.
func spreadEvenly(widths []int, room int) []int {
	if len(widths) == 0 {
		return widths
	}
	widest := slices.Max(widths)
	if widest*len(widths) > room {
		return widths
	}
	evenWidth := min(room/len(widths), max(maxEvenStep, widest))
	return slices.Repeat([]int{evenWidth}, len(widths))
}

func sumOf(widths []int) int {
	sum := 0
	for _, width := range widths {
		sum += width
	}
	return sum
}

// describeSteps returns a line of words for each step, such as "Step 2 of 5, Flight: done", for screen readers.
func describeSteps(steps []Step) []string {
	lines := make([]string, len(steps))
	for i, s := range steps {
		lines[i] = fmt.Sprintf(" Step %d of %d, %s: %s", i+1, len(steps), format.Clean(s.Name), stateWords[s.State])
		if s.day() != "" {
			lines[i] += ", " + s.day()
		}
	}
	return lines
}

// drawStepsAcross draws the steps next to each other: a line with their glyphs, a line with their
// names, and a line with their days if any step has one.
func drawStepsAcross(th *theme.Theme, steps []Step, widths []int) []string {
	glyphs := " "
	names := " "
	days := " "
	for i, s := range steps {
		w := widths[i]
		glyphs += format.CleanText(s.style(th), stateGlyphs[s.State])
		if i < len(steps)-1 {
			glyphs += stepLink(th, steps[i+1], w-1)
		}
		names += format.CleanText(s.nameStyle(th), format.FitLeft(format.Clean(s.Name), w))
		days += th.PaintMuted(format.FitLeft(s.day(), w))
	}
	if !areDated(steps) {
		return []string{glyphs, names}
	}
	return []string{glyphs, names, days}
}

// stepLink draws the line to a step, dotted if the step is ahead.
func stepLink(th *theme.Theme, to Step, n int) string {
	if to.State == Ahead {
		return format.CleanText(th.Rule, strings.Repeat("┄", n))
	}
	return th.PaintRole(theme.Accent, strings.Repeat("─", n))
}

// day returns the day of the step, or "" if it is unknown.
func (s Step) day() string {
	if s.When == format.None {
		return ""
	}
	return format.Clean(s.When)
}

// drawStepsDown draws the steps below each other.
func drawStepsDown(th *theme.Theme, steps []Step, w int) []string {
	nameWidth := 0
	dayWidth := 0
	for _, s := range steps {
		nameWidth = max(nameWidth, format.Width(format.Clean(s.Name)))
		dayWidth = max(dayWidth, format.Width(s.day()))
	}
	nameWidth = min(nameWidth, max(0, w-3))
	showDays := areDated(steps) && w-3-nameWidth-stepGap >= dayWidth
	lines := make([]string, len(steps))
	for i, s := range steps {
		glyph := format.CleanText(s.style(th), stateGlyphs[s.State])
		name := format.CleanText(s.nameStyle(th), format.FitLeft(format.Clean(s.Name), nameWidth))
		lines[i] = " " + glyph + " " + name
		if showDays {
			lines[i] += format.BlankCells(stepGap) + th.PaintMuted(format.FitLeft(s.day(), dayWidth))
		}
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
	Tabs     []Tab
	selected int   // index; may be out of range
	first    int   // first visible title
	ends     []int // end cell of each title in the last view
}

// At returns the index of the selected title, or 0 if there is none.
func (t *Tabs) At() int { return max(0, min(t.selected, len(t.Tabs)-1)) }

// Set selects a title by its index. An index out of range selects the first or last title.
func (t *Tabs) Set(i int) { t.selected = i }

// Move moves the selection by n titles to the right, or to the left if n is negative. It wraps around
// at the ends.
func (t *Tabs) Move(n int) { t.selected = (t.At() + n + len(t.Tabs)) % max(1, len(t.Tabs)) }

// ClickTitle selects the title at column x of the last view and reports whether there is
// one.
func (t *Tabs) ClickTitle(x int) bool {
	for i, end := range t.ends {
		if x > 0 && x < end {
			t.selected = t.first + i
			return true
		}
	}
	return false
}

// View draws the line into exactly w cells. If not all titles fit, it draws the titles
// around the selected title with arrows at the ends.
func (t *Tabs) View(th *theme.Theme, w int) string {
	t.ends = t.ends[:0]
	if len(t.Tabs) == 0 || w <= 0 {
		return format.BlankCells(w)
	}
	last := t.scrollToSelected(w - 2)
	line := " "
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

// drawTitle draws a title, with brackets if it is selected.
func (t *Tabs) drawTitle(th *theme.Theme, i, room int) string {
	tab := t.Tabs[i]
	left := " "
	right := " "
	style := th.Style(theme.Muted)
	if i == t.At() {
		left = "["
		right = "]"
		style = th.Section
	}
	note := ""
	if tab.Note != "" {
		note = " " + th.PaintMuted(tab.Note)
	}
	title := format.CutLine(format.Clean(tab.Title), max(1, room-2-format.Width(note)))
	return format.CleanText(style, left+title) + note + format.CleanText(style, right)
}

// scrollToSelected scrolls as little as necessary to make the selected title visible and
// returns the last visible title.
func (t *Tabs) scrollToSelected(room int) (last int) {
	last = t.At()
	t.first = min(t.first, last)
	for t.first < last && !t.doFit(t.first, last, room) {
		t.first++
	}
	for last+1 < len(t.Tabs) && t.doFit(t.first, last+1, room) {
		last++
	}
	for last == len(t.Tabs)-1 && t.first > 0 && t.doFit(t.first-1, last, room) {
		t.first--
	}
	return last
}

// doFit reports whether the titles from first to last fit into a number of cells.
func (t *Tabs) doFit(first, last, room int) bool {
	width := 0
	for _, tab := range t.Tabs[first : last+1] {
		width += format.Width(format.Clean(tab.Title)) + 2
		if tab.Note != "" {
			width += 1 + format.Width(format.Clean(tab.Note))
		}
	}
	return width <= room
}
