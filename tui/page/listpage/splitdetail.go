package listpage

import (
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/split"
)

// Wide is the width from which on a listing and its detail stand side by side.
const Wide = 120

// Beside is what stands beside a listing: the detail of what is selected, with
// a map at its foot, and the border between, which the mouse moves.
type SplitDetail struct {
	Map   *sitemap.Map
	list  *List
	panes split.Split
	lines func(w, h int) (lines []string, place bool)
	above int // lines above the map in the last view, -1 for no map
}

// NewBeside puts the lines of a detail beside a listing that rows draws. The
// map is below the lines where those say that it has a place to show and leave
// it room.
func NewSplitDetail(l *List, rows func(w, h int) string, lines func(w, h int) (lines []string, place bool)) *SplitDetail {
	b := &SplitDetail{Map: sitemap.New(), list: l, lines: lines, above: -1}
	b.panes.Panes = []split.Pane{
		{Size: split.Percent(60), Least: 50, View: rows},
		{Size: split.Fill(1), Least: 38, View: b.Detail, Of: l.Grid.Selected},
	}
	b.panes.Passing = l.base.IsScrolling
	return b
}

// View draws both.
func (b *SplitDetail) View(th *theme.Theme, w, h int) string { return b.panes.View(th, w, h) }

// Detail draws the lines, and the map below them.
func (b *SplitDetail) Detail(w, h int) string {
	b.above = -1
	lines, place := b.lines(w, h)
	if rest := h - len(lines) - 1; place && rest >= 5 {
		b.above = len(lines) + 1
		lines = append(append(lines, ""), layout.Lines(b.Map.View(b.list.base.Theme, w, rest))...)
	}
	return layout.Box(lines, w, h)
}

// Rows draws the listing with what is to be left free before the border, on a
// page of a width.
func (b *SplitDetail) Rows(w, h, width int, foot ...string) string {
	b.list.Grid.Margin = 0
	if width >= Wide {
		b.list.Grid.Margin = 1
	}
	return b.list.View(w, h, !b.Map.Focused, foot...)
}

// Mouse reports whether the border, the detail or its map took what the mouse
// did on a page of a width; else it is for the listing.
func (b *SplitDetail) Mouse(m page.Mouse, width int) bool {
	if width < Wide {
		return false
	}
	if m.Wheel == 0 && b.panes.Grab(m.X, m.Y) {
		return true
	}
	i, x, y := b.panes.Pane(m.X, m.Y)
	if i == 1 && b.above >= 0 && y >= b.above {
		b.Map.Mouse(m, m.X-x, b.above)
	}
	return i != 0
}

// Point shows where the mouse is on the map.
func (b *SplitDetail) Point(m page.Mouse, width int) {
	if i, x, _ := b.panes.Pane(m.X, m.Y); width >= Wide && i == 1 && b.above >= 0 {
		b.Map.Point(m, m.X-x, b.above)
	}
}

// Drag moves the border that is held, or else the map.
func (b *SplitDetail) Drag(m page.Mouse, over bool) {
	if !b.panes.Held() {
		b.Map.Drag(m, over)
		return
	}
	b.panes.Drag(m.X, m.Y)
	if over {
		b.panes.Release()
	}
}
