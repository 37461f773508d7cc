package widget

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// Fact is a label with a value.
type Fact struct {
	Label, Value string
	Role         theme.Role // of the value
}

// Text returns a fact with a plain value.
func Text(label, value string) Fact { return Fact{Label: label, Value: value} }

// Toned returns a fact whose value is drawn in a role.
func Toned(label, value string, role theme.Role) Fact { return Fact{label, value, role} }

// Facts returns plain facts from pairs of label and value.
func Facts(pairs [][2]string) []Fact {
	facts := make([]Fact, len(pairs))
	for i, p := range pairs {
		facts[i] = Text(p[0], p[1])
	}
	return facts
}

// Texts returns plain facts from alternating labels and values.
func Texts(pairs ...string) (facts []Fact) {
	for p := range slices.Chunk(pairs, 2) {
		facts = append(facts, Text(p[0], p[1]))
	}
	return facts
}

// FactLines draws one line of at most w cells per fact. The labels are padded to label
// cells. Values that do not fit are cut, and an empty value is drawn as a dash.
func FactLines(th *theme.Theme, label, w int, facts ...Fact) []string {
	lines := make([]string, len(facts))
	for i, f := range facts {
		name := format.Clean(f.Label)
		if th.Linear {
			lines[i] = " " + name + ": " + format.Clean(cmp.Or(f.Value, "none"))
			continue
		}
		cells := max(label, format.Width(name)+1) // of a name of the service's own
		value := format.CutLine(format.Clean(cmp.Or(f.Value, format.None)), max(1, w-cells-1))
		lines[i] = format.CutLine(" "+th.PaintMuted(format.FitLeft(name, cells))+th.PaintRole(f.Role, value), w)
	}
	return lines
}

// WrapFacts draws facts and wraps values that do not fit in a line.
func WrapFacts(th *theme.Theme, label, w int, facts ...Fact) []string {
	if th.Linear {
		return FactLines(th, label, w, facts...)
	}
	var lines []string
	for _, f := range facts {
		if f.Value == "" {
			f.Value, f.Role = format.None, theme.Muted
		}
		name := format.Clean(f.Label)
		if format.Width(name) >= label { // a name that the service made up fills a line
			lines = append(lines, format.CutLine(" "+th.PaintMuted(name), w))
			name = ""
		}
		for _, part := range format.Wrap(f.Value, max(12, w-label-2)) {
			lines = append(
				lines,
				format.CutLine(" "+th.PaintMuted(format.FitLeft(name, label))+th.PaintRole(f.Role, part), w),
			)
			name = ""
		}
	}
	return lines
}

// DialogFacts is WrapFacts without the left margin, which the frame of a dialog provides.
func DialogFacts(th *theme.Theme, label, w int, facts ...Fact) []string {
	lines := WrapFacts(th, label, w+2, facts...)
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], " ")
	}
	return lines
}

// Bar is a line with a bar that shows a value compared to others, or progress.
type Bar struct {
	Label  string
	Middle bool       // the label is cut in the middle, as for file names
	Text   string     // the formatted value
	Share  float64    // length of the bar, 0 to 1; NaN draws no bar
	Role   theme.Role // of the bar; Text is drawn as the accent
	Track  bool       // draws the rest of the line up to a share of 1
	Note   string
}

const (
	barGap      = 2
	minBarWidth = 6 // a shorter bar is left out
	maxBarWidth = 40

	minLabelWidth = 16 // labels are not cut below this width unless the note is left out
	minNoteWidth  = 13
)

// barColumns has the widths of the parts of a bar line. A part with width 0 is left out.
type barColumns struct{ label, text, bar, note int }

// layoutBars gives the parts their cells. Where there is little room the bar gives
// way first, then the label and the note as far as they can still be read, and
// then they go: the note, the bar.
func layoutBars(bars []Bar, w int) barColumns {
	var c barColumns
	for _, b := range bars {
		c.label = max(c.label, format.Width(format.Clean(b.Label)))
		c.text = max(c.text, format.Width(format.Clean(b.Text)))
		c.note = max(c.note, format.Width(format.Clean(b.Note)))
	}
	label := c.label
	room := func() int {
		rest := w - 1
		for _, part := range []int{c.label, c.text, c.note} {
			if part > 0 {
				rest -= part + barGap
			}
		}
		return rest
	}
	give := func(part *int, keep int) {
		if short := minBarWidth - room(); short > 0 {
			*part = max(min(*part, keep), *part-short)
		}
	}
	give(&c.label, minLabelWidth)
	if give(&c.note, minNoteWidth); room() < minBarWidth {
		c.label, c.note = label, 0
		give(&c.label, minLabelWidth/2)
	}
	if c.bar = min(maxBarWidth, room()); c.bar < minBarWidth {
		c.bar, c.label = 0, max(0, min(label, w-1-barGap-c.text))
	}
	return c
}

// DrawBars draws one line of w cells per bar, with aligned parts.
func DrawBars(th *theme.Theme, bars []Bar, w int) []string {
	c, lines := layoutBars(bars, w), make([]string, len(bars))
	for i := range bars {
		lines[i] = format.FitLeft(" "+strings.Join(bars[i].drawParts(th, c), format.BlankCells(barGap)), w)
	}
	return lines
}

func (b *Bar) drawParts(th *theme.Theme, c barColumns) (parts []string) {
	if label := format.Clean(b.Label); c.label > 0 {
		if b.Middle {
			label = format.CutMiddle(label, c.label)
		}
		parts = append(parts, th.PaintText(format.FitLeft(label, c.label)))
	}
	if c.text > 0 {
		parts = append(parts, th.PaintText(format.FitRight(format.Clean(b.Text), c.text)))
	}
	if c.bar > 0 {
		filled, rest := HeavyLine(b.Share, c.bar)
		behind := format.BlankCells(rest)
		if b.Track {
			behind = format.CleanText(th.Rule, strings.Repeat("─", rest))
		}
		parts = append(parts, th.PaintRole(cmp.Or(b.Role, theme.Accent), filled)+behind)
	}
	if c.note > 0 {
		parts = append(parts, th.PaintMuted(format.CutLine(format.Clean(b.Note), c.note)))
	}
	return parts
}

// PercentDone formats a share as a whole percentage, rounded down: it is 100% only if
// everything is done.
func PercentDone(share float64) string {
	if math.IsNaN(share) {
		return "–%"
	}
	return fmt.Sprintf("%d%%", int(100*max(0, min(1, share))+1e-9))
}

// HeavyLine returns a heavy line for a share of w cells, and the number of cells left.
// Lines below each other stay apart, unlike blocks. A positive share draws at least half a
// cell, and a share below 1 never fills all cells.
func HeavyLine(share float64, w int) (filled string, rest int) {
	w = max(0, w)
	halves := 0
	switch {
	case share >= 1:
		halves = 2 * w
	case share > 0 && w > 0:
		halves = min(2*w-1, max(1, int(math.Round(share*float64(2*w)))))
	}
	return strings.Repeat("━", halves/2) + strings.Repeat("╸", halves%2), w - (halves+1)/2
}
