package listpage

import (
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// View draws the page.
func (p *Page[T]) View(w, h int) string {
	var head []string
	if p.opt.Bar != nil {
		head = p.opt.Bar(w, h)
	}
	if p.opt.Head != nil {
		own := p.opt.Head(w)
		head = append(head, own[:min(len(own), max(1, (h-len(head))/3))]...)
	}
	p.head = min(len(head), max(0, h-1))
	if p.head == 0 {
		return p.body(w, h)
	}
	return layout.FitBox(head, w, p.head) + "\n" + p.body(w, h-p.head)
}

// body returns the page below its head.
func (p *Page[T]) body(w, h int) string {
	p.Detail.Apart = false
	p.Detail.HideMap()
	switch s := p.Sync(); {
	case len(p.rows) == 0 && (s.Err != nil || !s.At.IsZero()):
		return layout.FitBox(p.blank(w), w, h)
	case len(p.rows) == 0:
		return p.viewLoading(w, h)
	case p.IsSplit():
		return p.drawSplit(w, h)
	case p.Detail.Map.Focused:
		return p.Detail.DrawMap(0, 0, w, h)
	case p.opt.Stacked && h >= leastStacked:
		return p.stacked(w, h)
	case p.InPlace && !p.typing: // a filter is typed below the list
		return p.Detail.Panes[1].View(w, h)
	}
	return p.RowsView(w, h)
}

// leastStacked is the height from which on the detail is below the rows.
const leastStacked = 10

// stacked draws the rows, and what they leave of the height, two fifths at
// least, for the detail.
func (p *Page[T]) stacked(w, h int) string {
	top := min(max(len(p.rows)+2, h/3), h-max(5, h*2/5))
	rows, t := p.RowsView(w, top), p.Current()
	if t == nil {
		return rows + "\n" + layout.FitBox(nil, w, h-top)
	}
	title := p.Theme.Rule.Render("─ ") + p.Theme.PaintTitle(format.CapitalizeFirst(p.opt.One))
	return rows + "\n" + layout.FitLeft(title, w) + "\n" + p.Detail.Panes[1].View(w, h-top-1)
}

// blank returns what stands in place of rows.
func (p *Page[T]) blank(w int) []string {
	err := p.state.Err
	if p.opt.Blank != nil {
		if lines := p.opt.Blank(err, w); lines != nil {
			return lines
		}
	}
	switch {
	case err != nil:
		return p.problem("", w)
	case p.failed:
		fine := p.Theme.PaintRole(theme.Good, " ✓ "+p.opt.Fine)
		return []string{"", fine, "", " " + p.Theme.PaintHint("b", "shows all")}
	}
	lines := []string{"", p.Theme.PaintText(" " + p.opt.Empty[0]), ""}
	if more := p.opt.Empty[1]; more != "" {
		lines = append(lines, p.Theme.PaintLines(theme.Muted, " ", more, w-2)...)
	}
	for _, k := range p.opt.Keys {
		lines = append(lines, " "+p.Theme.PaintHint(k.Key, k.Text))
	}
	return lines
}

// RowsView draws the list alone.
func (p *Page[T]) RowsView(w, h int) string {
	var foot []string
	if p.opt.Foot != nil {
		foot = p.opt.Foot(w)
	}
	if p.failed {
		foot = append(
			foot,
			p.Theme.PaintRole(theme.Attention, " problems only · ")+p.Theme.PaintHint("b", "shows all"),
		)
	}
	if s := p.Sync(); s.Err != nil {
		kept := "Showing " + format.Count(len(s.Rows), p.opt.One, p.opt.Many)
		if !s.At.IsZero() {
			kept += ", loaded " + format.Ago(s.At, p.Now())
		}
		foot = p.problem(kept, w)
	}
	return p.drawList(w, h, !p.Detail.Map.Focused, foot...)
}

// problem says why rows could not be read, and what was kept.
func (p *Page[T]) problem(kept string, w int) []string {
	if p.opt.Problem != nil {
		return p.opt.Problem(p.state.Err, kept, w)
	}
	again := ""
	if p.source.Refresh != nil || p.source.Needs != nil {
		again = "r"
	}
	return page.RenderProblem(p.Theme, p.state.Err, kept, again, w)
}
