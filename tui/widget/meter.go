package widget

import (
	"fmt"
	"math"
	"strings"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// Meter is how far one thing has come.
type Meter struct {
	Label   string
	Middle  bool       // the label is cut in the middle, as file names are
	Share   float64    // done, 0 to 1
	Unknown bool       // how much there is to do is not known
	Beat    int        // moves the runner of an unknown one, a cell a beat
	Note    string     // behind the percentage: sizes, speed, time left
	Role    theme.Role // of the bar; Text is the accent
}

const (
	meterGap     = 2
	meterLeast   = 6  // cells below which a bar says nothing
	meterMost    = 40 // and from which on it says no more
	percentWidth = 5  // cells of 100 %
	runnerWidth  = 4  // cells of the runner

	keepLabel = 16 // cells to which a label is cut
	keepNote  = 13 // and a note
)

// columns is how the parts of the lines share a width; 0 is left out.
type meterColumns struct{ label, bar, note int }

// share gives the parts their cells. Where there is little room the bar gives
// way first, then the label and the note as far as they can still be read, and
// then they go: the note, the bar.
func shareWidth(meters []Meter, w int) meterColumns {
	var c meterColumns
	for _, m := range meters {
		c.label = max(c.label, layout.Width(layout.Clean(m.Label)))
		c.note = max(c.note, layout.Width(layout.Clean(m.Note)))
	}
	label := c.label
	room := func() int {
		rest := w - 1 - percentWidth - meterGap - c.label
		if c.label > 0 {
			rest -= meterGap
		}
		if c.note > 0 {
			rest -= meterGap + c.note
		}
		return rest
	}
	give := func(part *int, keep int) {
		if short := meterLeast - room(); short > 0 {
			*part = max(min(*part, keep), *part-short)
		}
	}
	give(&c.label, keepLabel)
	if give(&c.note, keepNote); room() < meterLeast {
		c.label, c.note = label, 0
		give(&c.label, keepLabel/2)
	}
	if c.bar = min(meterMost, room()); c.bar < meterLeast {
		c.bar, c.label = 0, max(0, min(label, w-1-meterGap-percentWidth))
	}
	return c
}

// View draws the meters one below the other, their parts aligned, into exactly
// h lines of w cells.
func ViewMeters(th *theme.Theme, meters []Meter, w, h int) string {
	if len(meters) == 0 {
		return layout.FitBox([]string{th.PaintMuted(" –")}, w, h)
	}
	c := shareWidth(meters, w)
	var lines []string
	for i, m := range meters {
		if len(lines) == h-1 && i < len(meters)-1 {
			lines = append(lines, th.PaintMuted(" ⋯ more"))
			break
		}
		lines = append(lines, m.drawLine(th, c))
	}
	return layout.FitBox(lines, w, h)
}

func (m *Meter) drawLine(th *theme.Theme, c meterColumns) string {
	line := " "
	if c.label > 0 {
		label := layout.Clean(m.Label)
		if m.Middle {
			label = layout.CutMiddle(label, c.label)
		}
		line += th.PaintText(layout.FitLeft(label, c.label)) + layout.BlankCells(meterGap)
	}
	if c.bar > 0 {
		line += m.drawBar(th, c.bar) + layout.BlankCells(meterGap)
	}
	line += th.PaintText(layout.FitRight(m.percentText(), percentWidth))
	if c.note > 0 {
		line += layout.BlankCells(meterGap) + th.PaintMuted(layout.CutLine(layout.Clean(m.Note), c.note))
	}
	return line
}

// percentText returns whole; it is 100 only when all is done.
func (m *Meter) percentText() string {
	if m.Unknown || math.IsNaN(m.Share) {
		return "–%"
	}
	return fmt.Sprintf("%d%%", int(100*max(0, min(1, m.Share))+1e-9))
}

func (m *Meter) drawBar(th *theme.Theme, w int) string {
	role := m.Role
	if role == theme.Text {
		role = theme.Accent
	}
	track := func(n int) string { return layout.CleanText(th.Rule, strings.Repeat("─", max(0, n))) }
	if m.Unknown {
		n := min(runnerWidth, w)
		at := (m.Beat%(w-n+1) + w - n + 1) % (w - n + 1)
		return track(at) + th.PaintRole(role, strings.Repeat("━", n)) + track(w-n-at)
	}
	filled, rest := HeavyLine(m.Share, w)
	return th.PaintRole(role, filled) + track(rest)
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
