package listpage

import (
	"strings"

	"flightdesk/tui/layout"
	"flightdesk/tui/widget"
)

const (
	// Wide is the width from which on a list and its detail are side by side.
	Wide = 120
	// Wider is the width from which on there is room for one pane more.
	Wider = 160
)

// leastThird are the cells that a third pane needs.
const leastThird = 24

// drawSplit draws the list and what is said of its row beside it, in a wider window with
// a third pane. The list gets its share, or the cells that its columns need, half of them
// at least, as far as the other panes keep what they need.
func (p *Page[T]) drawSplit(w, h int) string {
	panes, rest := p.Detail.Panes[:2], w
	if p.HasThird() {
		third := widget.Pane{
			Cells: w/6 + 2, Least: leastThird, View: p.drawSelected(p.opt.Third), Of: p.Grid.Selected,
		}
		panes, rest = append(panes, third), w-w/6-3
	}
	panes[0].Cells = (w*p.opt.Share + 50) / 100
	if p.opt.Share == 0 {
		panes[0].Cells = max(rest/2, min(p.Grid.WantedWidth(), rest-1-panes[1].Least))
	}
	p.Detail.Panes = panes
	return p.Detail.DrawPanes(w, h)
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
