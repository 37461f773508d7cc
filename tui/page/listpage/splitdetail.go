package listpage

import (
	"strings"

	"flightdesk/tui/layout"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/widget"
)

const (
	// Wide is the width from which on a list and its detail are side by side.
	Wide = 120
	// Wider is the width from which on there is room for one pane more.
	Wider = 160
)

// SplitDetail is a list with the detail of what is selected beside it, perhaps
// with a map at its foot, and in a wider window a third pane. The list has the
// cells that its columns need, as far as the others leave them. The mouse moves
// the dividers, whose places are kept under the list's name.
type SplitDetail struct {
	detail.Panes
	keep  int  // cells of the detail, whatever the list needs
	fixed bool // the list has a share, whatever is in it
}

// Share gives the list a share of the width, whatever is in it, until the
// divider is moved.
func (b *SplitDetail) Share(percent int) {
	b.Panes.Panes[0].Size, b.fixed = widget.PercentSize(percent), true
}

// Least gives both sides the cells that they need.
func (b *SplitDetail) Least(list, detail int) {
	b.Panes.Panes[0].Least, b.Panes.Panes[1].Least, b.keep = list, detail, detail
}

// leastThird are the cells that a third pane needs.
const leastThird = 24

// drawSplit draws the panes. The list gets the cells that its columns need, half of
// them at least, as far as the other panes keep what they need.
func (p *Page[T]) drawSplit(w, h int) string {
	b, rest := p.Detail, w
	b.Panes.Panes = b.Panes.Panes[:2]
	if p.HasThird() {
		third := widget.Pane{
			Size: widget.FixedSize(
				w/6 + 2,
			),
			Least: leastThird,
			View:  p.drawSelected(p.opt.Third),
			Of:    p.Grid.Selected,
		}
		b.Panes.Panes = append(b.Panes.Panes, third)
		rest -= w/6 + 3
	}
	if want := p.Grid.WantedWidth(); want > 0 && !b.fixed {
		b.Panes.Panes[0].Size = widget.FixedSize(max(rest/2, min(want, rest-1-b.keep)))
	}
	return b.DrawPanes(w, h)
}

// drawSelected draws the selected row as the page does, nothing without one.
func (p *Page[T]) drawSelected(draw func(t *T, w, h int) string) func(w, h int) string {
	return func(w, h int) string {
		if t := p.Current(); t != nil {
			return draw(t, w, h)
		}
		return layout.FitBox(nil, w, h)
	}
}

// drawDetail draws what is said of a row, and the map below it.
func (p *Page[T]) drawDetail(t *T, w, h int) string {
	if p.opt.SplitDetail != nil {
		return p.opt.SplitDetail(t, w, h)
	}
	var lines []string
	var place bool
	if p.opt.Lines != nil {
		lines, place = p.opt.Lines(t, w, h)
	} else {
		about := p.opt.About(t)
		lines, place = about.renderLines(p.Theme, w, h), about.Place
	}
	if rest := h - len(lines) - 1; place && rest >= 4 && !p.Theme.Linear {
		lines = append(lines, p.Theme.Rule.Render(strings.Repeat("─", w)))
		lines = append(lines, layout.SplitLines(p.Detail.DrawMap(1, len(lines), w, rest))...)
	}
	return layout.FitBox(lines, w, h)
}
