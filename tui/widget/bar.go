package widget

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

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
		c.label = max(c.label, layout.Width(layout.Clean(b.Label)))
		c.text = max(c.text, layout.Width(layout.Clean(b.Text)))
		c.note = max(c.note, layout.Width(layout.Clean(b.Note)))
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
		lines[i] = layout.FitLeft(" "+strings.Join(bars[i].drawParts(th, c), layout.BlankCells(barGap)), w)
	}
	return lines
}

func (b *Bar) drawParts(th *theme.Theme, c barColumns) (parts []string) {
	if label := layout.Clean(b.Label); c.label > 0 {
		if b.Middle {
			label = layout.CutMiddle(label, c.label)
		}
		parts = append(parts, th.PaintText(layout.FitLeft(label, c.label)))
	}
	if c.text > 0 {
		parts = append(parts, th.PaintText(layout.FitRight(layout.Clean(b.Text), c.text)))
	}
	if c.bar > 0 {
		filled, rest := HeavyLine(b.Share, c.bar)
		behind := layout.BlankCells(rest)
		if b.Track {
			behind = layout.CleanText(th.Rule, strings.Repeat("─", rest))
		}
		parts = append(parts, th.PaintRole(cmp.Or(b.Role, theme.Accent), filled)+behind)
	}
	if c.note > 0 {
		parts = append(parts, th.PaintMuted(layout.CutLine(layout.Clean(b.Note), c.note)))
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
