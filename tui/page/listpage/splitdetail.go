package listpage

import (
	"strings"

	"flightdesk/tui/layout"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/page/sitemap"
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
	list  *List
	third *widget.Pane // nil for none
	lines func(w, h int) (lines []string, place bool)
	keep  int  // cells of the detail, whatever the list needs
	fixed bool // the list has a share, whatever is in it

	isThird func() bool // the service has something for the third pane
}

// NewSplitDetail puts the lines of a detail beside a list that rows draws. The
// map is below the lines where those say that it has a place to show and leave
// it room.
func NewSplitDetail(
	l *List,
	rows func(w, h int) string,
	lines func(w, h int) (lines []string, place bool),
) *SplitDetail {
	b := NewSplitView(l, rows, nil)
	b.Map, b.lines = sitemap.New(), lines
	b.Panes.Panes[1].View = b.Detail
	return b
}

// NewSplitView puts a detail that view draws beside a list that rows draws.
func NewSplitView(l *List, rows, view func(w, h int) string) *SplitDetail {
	return &SplitDetail{list: l, keep: 46, Panes: detail.NewPanes(l.base, l.name,
		widget.Pane{Size: widget.PercentSize(60), Least: 50, View: rows},
		widget.Pane{Size: widget.FillSize(1), Least: 38, View: view, Of: l.Grid.Selected})}
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

// Third puts a pane beside the detail in a window that is [Wider], if there is
// something for it.
func (b *SplitDetail) Third(is func() bool, view func(w, h int) string) {
	b.third, b.isThird = &widget.Pane{View: view, Of: b.list.Grid.Selected}, is
}

// hasThird reports whether a page of a width has the third pane.
func (b *SplitDetail) hasThird(width int) bool {
	return b.third != nil && width >= Wider && b.isThird()
}

// View draws the panes.
func (b *SplitDetail) View(w, h int) string {
	b.fit(w)
	return b.DrawPanes(w, h)
}

// leastThird are the cells that a third pane needs.
const leastThird = 24

// fit gives the list the cells that its columns need, half of them at least, as
// far as the other panes keep what they need.
func (b *SplitDetail) fit(w int) {
	b.Panes.Panes = b.Panes.Panes[:2]
	detail := b.keep
	if b.hasThird(w) {
		third := w/6 + 2
		b.third.Size, b.third.Least = widget.FixedSize(third), leastThird
		b.Panes.Panes = append(b.Panes.Panes, *b.third)
		w -= third + 1
	}
	if want := b.list.Grid.WantedWidth(); want > 0 && !b.fixed {
		b.Panes.Panes[0].Size = widget.FixedSize(max(w/2, min(want+1, w-1-detail)))
	}
}

// Detail draws the lines, and the map below them.
func (b *SplitDetail) Detail(w, h int) string {
	b.HideMap()
	lines, place := b.lines(w, h)
	th := b.list.base.Theme
	if rest := h - len(lines) - 1; place && rest >= 4 && !th.Linear {
		lines = append(lines, th.Rule.Render(strings.Repeat("─", w)))
		lines = append(lines, layout.SplitLines(b.DrawMap(1, len(lines), w, rest))...)
	}
	return layout.FitBox(lines, w, h)
}

// Rows draws the list, with what is to be left free before what is beside it
// on a page of a width.
func (b *SplitDetail) Rows(w, h, width int, foot ...string) string {
	b.list.Grid.Margin = 0
	if w < width {
		b.list.Grid.Margin = 1
	}
	return b.list.View(w, h, b.Map == nil || !b.Map.Focused, foot...)
}
