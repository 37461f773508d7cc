package widget

import (
	"math"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// BestValue says which of the values is the best.
type BestValue int

// The kinds of better.
const (
	Neither BestValue = iota
	Lower
	Higher
)

// Bar is one value.
type Bar struct {
	Label string
	Text  string     // the value as it is read
	Value float64    // length of the bar; below 0 and not a number have none
	Role  theme.Role // of the bar; Text is the accent, and quieter for what is not the best
}

// Chart is a set of values that are compared.
type Chart struct {
	Bars []Bar
	Best BestValue
	Word string // what the best is: cheapest, fastest; "" is best
}

// longestValue returns the longest bar's value, 0 where there is none.
func (c *Chart) longestValue() float64 {
	top := 0.0
	for _, b := range c.Bars {
		if b.Value > top && !math.IsInf(b.Value, 0) {
			top = b.Value
		}
	}
	return top
}

// bestValue returns the best value and whether there is one: of a single value, or
// where all are the same, none is.
func (c *Chart) bestValue() (float64, bool) {
	low, high, n := math.Inf(1), math.Inf(-1), 0
	for _, b := range c.Bars {
		if b.Value >= 0 {
			low, high, n = min(low, b.Value), max(high, b.Value), n+1
		}
	}
	if c.Best == Neither || n < 2 || low == high {
		return 0, false
	}
	if c.Best == Lower {
		return low, true
	}
	return high, true
}

func (c *Chart) bestWord() string {
	if c.Word == "" {
		return "best"
	}
	return layout.Clean(c.Word)
}

// drawLine draws the i-th bar into exactly w cells.
func (c *Chart) drawLine(th *theme.Theme, i, w int) string {
	b := c.Bars[i]
	role := b.Role
	if role == theme.Text {
		role = theme.Accent
		if best, marked := c.bestValue(); marked && b.Value != best {
			role = theme.Pending // so that the best one stands out
		}
	}
	share := 0.0
	if top := c.longestValue(); top > 0 {
		share = b.Value / top
	}
	filled, _ := HeavyLine(share, w)
	return layout.FitLeft(th.PaintRole(role, filled), w)
}

const (
	barGap   = 2
	barLeast = 6  // cells below which a bar says nothing
	barMost  = 48 // and from which on it says no more
)

// rows is how the columns of View share a width; a bar of 0 cells is left out.
type barRows struct{ label, text, bar, word int }

func (c *Chart) layoutRows(w int) barRows {
	var r barRows
	for _, b := range c.Bars {
		r.label = max(r.label, layout.Width(layout.Clean(b.Label)))
		r.text = max(r.text, layout.Width(layout.Clean(b.Text)))
	}
	if _, ok := c.bestValue(); ok {
		r.word = barGap + layout.Width(c.bestWord())
	}
	room := w - 1 - r.text
	if r.text > 0 {
		room -= barGap
	}
	if room-r.label-barGap-barLeast < r.word {
		r.word = min(r.word, barGap+1) // a tick in place of the word
	}
	r.bar = min(barMost, room-r.label-barGap-r.word)
	if r.bar >= barLeast {
		return r
	}
	// The label gives way as far as it is still read, and then the bar.
	if short := max(min(r.label, 8), r.label-(barLeast-r.bar)); room-short-barGap-r.word >= barLeast {
		r.label, r.bar = short, room-short-barGap-r.word
		return r
	}
	r.bar, r.word, r.label = 0, 0, max(0, min(r.label, room))
	return r
}

// View draws the bars one below the other into exactly h lines of w cells.
func (c *Chart) View(th *theme.Theme, w, h int) string {
	if len(c.Bars) == 0 {
		return layout.FitBox([]string{th.PaintMuted(" –")}, w, h)
	}
	r := c.layoutRows(w)
	best, marked := c.bestValue()
	var lines []string
	for i, b := range c.Bars {
		if len(lines) == h-1 && i < len(c.Bars)-1 {
			lines = append(lines, th.PaintMuted(" ⋯ more"))
			break
		}
		line := " " + th.PaintText(layout.FitLeft(layout.Clean(b.Label), r.label))
		if r.text > 0 {
			if r.label > 0 {
				line += layout.BlankCells(barGap)
			}
			line += th.PaintText(layout.FitRight(layout.Clean(b.Text), r.text))
		}
		if r.bar > 0 {
			line += layout.BlankCells(barGap) + c.drawLine(th, i, r.bar)
		}
		if r.word > 0 && marked && b.Value == best {
			line += layout.BlankCells(barGap) + th.PaintRole(theme.Good, c.bestMark(r.word-barGap))
		}
		lines = append(lines, line)
	}
	return layout.FitBox(lines, w, h)
}

// bestMark returns the word of the best where it fits, else a tick.
func (c *Chart) bestMark(w int) string {
	if word := c.bestWord(); layout.Width(word) <= w {
		return word
	}
	return "✓"
}
