package listpage

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
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
	Map   *sitemap.SiteMap // nil for none
	list  *List
	panes widget.Split
	third *widget.Pane // nil for none
	lines func(w, h int) (lines []string, place bool)
	above int  // lines above the map in the last view, -1 for no map
	keep  int  // cells of the detail, whatever the list needs
	fixed bool // the list has a share, whatever is in it

	isThird func() bool // the service has something for the third pane
}

// NewSplitDetail puts the lines of a detail beside a list that rows draws. The
// map is below the lines where those say that it has a place to show and leave
// it room.
func NewSplitDetail(l *List, rows func(w, h int) string, lines func(w, h int) (lines []string, place bool)) *SplitDetail {
	b := NewSplitView(l, rows, nil)
	b.Map, b.lines = sitemap.New(), lines
	b.panes.Panes[1].View = b.Detail
	return b
}

// NewSplitView puts a detail that view draws beside a list that rows draws.
func NewSplitView(l *List, rows, view func(w, h int) string) *SplitDetail {
	b := &SplitDetail{list: l, above: -1, keep: 46}
	b.panes.Panes = []widget.Pane{
		{Size: widget.PercentSize(60), Least: 50, View: rows},
		{Size: widget.FillSize(1), Least: 38, View: view, Of: l.Grid.Selected},
	}
	b.panes.Passing = l.base.IsScrolling
	shares := map[int]int{}
	if l.base.UIState != nil && l.base.UIState.Get(b.key(), &shares) {
		b.panes.SetShares(shares)
	}
	return b
}

// Share gives the list a share of the width, whatever is in it, until the
// divider is moved.
func (b *SplitDetail) Share(percent int) {
	b.panes.Panes[0].Size, b.fixed = widget.PercentSize(percent), true
}

// Least gives both sides the cells that they need.
func (b *SplitDetail) Least(list, detail int) {
	b.panes.Panes[0].Least, b.panes.Panes[1].Least, b.keep = list, detail, detail
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

func (b *SplitDetail) key() string { return "panes of " + b.list.name }

// View draws the panes.
func (b *SplitDetail) View(th *theme.Theme, w, h int) string {
	b.fit(w)
	return b.panes.View(th, w, h)
}

// leastThird are the cells that a third pane needs.
const leastThird = 24

// fit gives the list the cells that its columns need, half of them at least, as
// far as the other panes keep what they need.
func (b *SplitDetail) fit(w int) {
	b.panes.Panes = b.panes.Panes[:2]
	detail := b.keep
	if b.hasThird(w) {
		third := w/6 + 2
		b.third.Size, b.third.Least = widget.FixedSize(third), leastThird
		b.panes.Panes = append(b.panes.Panes, *b.third)
		w -= third + 1
	}
	if want := b.list.Grid.WantedWidth(); want > 0 && !b.fixed {
		b.panes.Panes[0].Size = widget.FixedSize(max(w/2, min(want+1, w-1-detail)))
	}
}

// Detail draws the lines, and the map below them.
func (b *SplitDetail) Detail(w, h int) string {
	b.above = -1
	lines, place := b.lines(w, h)
	th := b.list.base.Theme
	if rest := h - len(lines) - 1; place && rest >= 4 && !th.Linear {
		lines = append(lines, th.Rule.Render(strings.Repeat("─", w)))
		b.above = len(lines)
		lines = append(lines, layout.SplitLines(b.Map.View(th, w, rest))...)
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

// Mouse reports whether the divider, the detail or its map took what the mouse
// did on a page of a width; else it is for the list.
func (b *SplitDetail) Mouse(m page.MouseInput, width int) bool {
	if b.Grab(m, width) {
		return true
	}
	i, x, y := b.At(m, width)
	if i == 1 && b.above >= 0 && y >= b.above {
		b.Map.HandleMouse(m, m.X-x, b.above)
	}
	return i != 0
}

// Grab reports whether a click takes hold of the divider.
func (b *SplitDetail) Grab(m page.MouseInput, width int) bool {
	return width >= Wide && m.Wheel == 0 && b.panes.GrabBorder(m.X, m.Y)
}

// At returns the side that the mouse is over, 0 for the list and 1 for the
// detail, and the cell of that side.
func (b *SplitDetail) At(m page.MouseInput, width int) (side, x, y int) {
	if width < Wide {
		return 0, m.X, m.Y
	}
	return b.panes.PaneAt(m.X, m.Y)
}

// Point shows where the mouse is on the map.
func (b *SplitDetail) Point(m page.MouseInput, width int) {
	if i, x, _ := b.panes.PaneAt(m.X, m.Y); width >= Wide && i == 1 && b.above >= 0 {
		b.Map.HandlePointer(m, m.X-x, b.above)
	}
}

// Points reports whether there is a map to point at.
func (b *SplitDetail) Points(width int) bool { return width >= Wide && b.Map != nil && b.above >= 0 }

// IsHeld reports whether the divider is being moved.
func (b *SplitDetail) IsHeld() bool { return b.panes.IsHeld() }

// HandleDrag moves the divider that is held, and keeps where it was let go, or else
// moves the map.
func (b *SplitDetail) HandleDrag(m page.MouseInput, over bool) tea.Cmd {
	if !b.panes.IsHeld() {
		if b.Map != nil {
			b.Map.HandleDrag(m, over)
		}
		return nil
	}
	b.panes.Drag(m.X, m.Y)
	if !over {
		return nil
	}
	b.panes.Release()
	if b.list.base.UIState == nil {
		return nil
	}
	b.list.base.UIState.Put(b.key(), b.panes.Shares())
	return page.KeepLook(&b.list.base.PageLook)
}
