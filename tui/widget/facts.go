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

// Fact is a label and a value.
type Fact struct {
	Label, Value string
	Role         theme.Role // of the value
}

// Text returns a fact whose value is plain text.
func Text(label, value string) Fact { return Fact{Label: label, Value: value} }

// Toned returns a fact whose value is in a role.
func Toned(label, value string, role theme.Role) Fact { return Fact{label, value, role} }

// Facts returns facts whose values are plain text, of labels and values.
func Facts(pairs [][2]string) []Fact {
	facts := make([]Fact, len(pairs))
	for i, p := range pairs {
		facts[i] = Text(p[0], p[1])
	}
	return facts
}

// Texts returns facts whose values are plain text, of labels that are each followed by
// their value.
func Texts(pairs ...string) (facts []Fact) {
	for p := range slices.Chunk(pairs, 2) {
		facts = append(facts, Text(p[0], p[1]))
	}
	return facts
}

// FactLines draws facts, each in a line of at most w cells, the label in the first cells
// of it. A value that has no room is cut; an empty one is shown as none.
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

// WrapFacts draws facts whose values continue below themselves where they have
// no room.
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

// DialogFacts wraps facts in a dialog, whose frame has a margin.
func DialogFacts(th *theme.Theme, label, w int, facts ...Fact) []string {
	lines := WrapFacts(th, label, w+2, facts...)
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], " ")
	}
	return lines
}

// Bar is a line with a bar: a value among others, or how far something has come.
type Bar struct {
	Label  string
	Middle bool       // the label is cut in the middle, as file names are
	Text   string     // the value as it is read
	Share  float64    // length of the bar, 0 to 1; what is not a number has none
	Role   theme.Role // of the bar; Text is the accent
	Track  bool       // what the bar lacks of 1 is drawn
	Note   string
}

const (
	barGap   = 2
	barLeast = 6  // cells below which a bar says nothing
	barMost  = 40 // and from which on it says no more

	keepLabel = 16 // cells to which a label is cut
	keepNote  = 13 // and a note
)

// barColumns is how the parts of the lines share a width; 0 is left out.
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
		if short := barLeast - room(); short > 0 {
			*part = max(min(*part, keep), *part-short)
		}
	}
	give(&c.label, keepLabel)
	if give(&c.note, keepNote); room() < barLeast {
		c.label, c.note = label, 0
		give(&c.label, keepLabel/2)
	}
	if c.bar = min(barMost, room()); c.bar < barLeast {
		c.bar, c.label = 0, max(0, min(label, w-1-barGap-c.text))
	}
	return c
}

// DrawBars draws bars one below the other in lines of w cells, their parts aligned.
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

// PercentDone returns a share as whole percents; it is 100 only when all is done.
func PercentDone(share float64) string {
	if math.IsNaN(share) {
		return "–%"
	}
	return fmt.Sprintf("%d%%", int(100*max(0, min(1, share))+1e-9))
}

// HeavyLine returns w cells of a heavy line by a share of 0 to 1, and how many are
// left behind it: unlike blocks, lines below each other stay apart. Something is
// never nothing, and what is not whole never looks so.
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
