package page

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// GroupItem is a line that can be gone to.
type GroupItem struct {
	ID    string    // names it, however often the groups are made
	At    time.Time // when it was or will be; for who makes the groups
	Glyph string
	Role  theme.Role // of the glyph
	Code  string     // stands in a column of its own
	Text  string
	Right string
	Loud  theme.Role // of Right; Text is muted
	Open  func() tea.Cmd
	// More are lines of w cells that tell more of it beside the groups; nil for
	// none.
	More func(w int) []string
	// Mission is what the item is about where that is a mission.
	Mission, Order string
}

// ItemGroup is a part of the page.
type ItemGroup struct {
	Title string
	Note  string
	Items []GroupItem
	All   func() tea.Cmd // goes to where all of them are; nil where no such place
	None  string         // said where there are no items; "" leaves the group out
}

// Cut keeps the first n items, and one that says how many more there are.
func (g ItemGroup) Cut(n int) ItemGroup {
	left := len(g.Items) - n
	if left <= 0 {
		return g
	}
	g.Items = append(slices.Clip(g.Items[:n]), GroupItem{
		ID:    "all of " + g.Title,
		Glyph: "…",
		Role:  theme.Muted,
		Text:  "and " + format.GroupInt(left) + " more",
		Open:  g.All,
	})
	return g
}

// FitGroups cuts groups so that they fill h lines, each at least to its share.
func FitGroups(groups []ItemGroup, shares []int, h int) []ItemGroup {
	height := func() int {
		lines := -1
		for i, g := range groups {
			if n := len(g.Cut(shares[i]).Items); n > 0 || g.None != "" {
				lines += max(1, n) + 2 // with title, and the line below
			}
		}
		return lines
	}
	for grown := true; grown; {
		grown = false
		for i, g := range groups {
			if shares[i] < len(g.Items) && height() < h {
				shares[i]++
				grown = true
			}
		}
	}
	for i := range groups {
		groups[i] = groups[i].Cut(shares[i])
	}
	return groups
}

// GroupList shows groups.
type GroupList struct {
	Groups  []ItemGroup
	Blurred bool // the keys go elsewhere: no line is marked
	Code    int  // width of the column of codes; 0 is as wide as each group needs

	// chosen is the id of the item that was chosen by hand. Without one, and where it is
	// gone, it is the first one, whatever comes to be known.
	chosen string
	scroll widget.Scroll
	above  int      // lines above the groups in the last view
	ids    []string // of the items on the groups' lines, "" on one without
}

// items returns those of all groups, in their order, and which is chosen.
func (l *GroupList) items() (all []GroupItem, at int) {
	for _, g := range l.Groups {
		all = append(all, g.Items...)
	}
	return all, max(0, slices.IndexFunc(all, func(x GroupItem) bool { return x.ID == l.chosen }))
}

// Current returns the chosen item, false for none.
func (l *GroupList) Current() (item GroupItem, ok bool) {
	all, at := l.items()
	if len(all) == 0 {
		return item, false
	}
	return all[at], true
}

// OpenChosen opens the chosen item.
func (l *GroupList) OpenChosen() tea.Cmd {
	if x, ok := l.Current(); ok && x.Open != nil {
		return x.Open()
	}
	return nil
}

// Len returns how many items there are.
func (l *GroupList) Len() int {
	all, _ := l.items()
	return len(all)
}

// HalfPage returns by how many items a page is turned.
func (l *GroupList) HalfPage() int { return 8 }

// Move chooses the item n further down, up where n is negative.
func (l *GroupList) Move(n int) {
	if all, at := l.items(); len(all) > 0 {
		l.chosen = all[max(0, min(at+n, len(all)-1))].ID
	}
}

// MoveChoice performs an action of the list scope, or goes to another group.
func (l *GroupList) MoveChoice(id action.ID) {
	if step := map[action.ID]int{action.NextGroup: 1, action.PrevGroup: -1}[id]; step != 0 {
		l.moveGroup(step)
	} else {
		MoveList(l, id)
	}
}

// moveGroup chooses the first item of the group that is so many further, from the
// last one to the first again.
func (l *GroupList) moveGroup(step int) {
	all, at := l.items()
	var firsts []int
	group, next := 0, 0
	for _, g := range l.Groups {
		if len(g.Items) == 0 {
			continue
		}
		if next <= at {
			group = len(firsts)
		}
		firsts = append(firsts, next)
		next += len(g.Items)
	}
	if n := len(firsts); n > 0 {
		l.chosen = all[firsts[(group+step+n)%n]].ID
	}
}

// itemAt returns the item on a line of the last view, "" for none.
func (l *GroupList) itemAt(y int) string {
	if line, ok := l.scroll.LineAt(y - l.above); ok {
		return l.ids[line]
	}
	return ""
}

// HandleMouse chooses an item, opens it with a second click, and goes through them
// with the wheel.
func (l *GroupList) HandleMouse(m MouseInput) tea.Cmd {
	l.Move(max(-1, min(m.Wheel, 1)))
	if id := l.itemAt(m.Y); id != "" && m.Wheel == 0 {
		if l.chosen = id; m.Double {
			return l.OpenChosen()
		}
	}
	return nil
}

// Jumps returns the items in view.
func (l *GroupList) Jumps() []JumpTarget {
	var jumps []JumpTarget
	for y := l.above; y < l.above+l.scroll.Height(); y++ {
		if l.itemAt(y) != "" {
			jumps = append(jumps, JumpTarget{Y: y, Do: func() tea.Cmd {
				return l.HandleMouse(MouseInput{Y: y, Double: true})
			}})
		}
	}
	return jumps
}

// View draws the groups, scrolled so that the chosen item is in view, below
// some lines of head, which stay.
func (l *GroupList) View(th *theme.Theme, w, h int, head ...string) string {
	l.above = min(len(head), max(0, h-3))
	l.ids = l.ids[:0]
	var lines []string
	add := func(id, line string) { l.ids, lines = append(l.ids, id), append(lines, line) }
	_, left := l.items()
	chosen := 0
	for _, g := range l.Groups {
		if len(g.Items) == 0 && g.None == "" {
			continue
		}
		if len(lines) > 0 {
			add("", "")
		}
		add("", format.FitEnds(" "+th.PaintTitle(g.Title), th.PaintMuted(g.Note)+" ", w))
		if len(g.Items) == 0 {
			add("", format.CutLine(th.PaintMuted("   "+g.None), w))
		}
		code := cmp.Or(l.Code, g.codeWidth(w))
		for _, x := range g.Items {
			if left == 0 {
				chosen = len(lines)
			}
			add(x.ID, x.renderItem(th, left == 0 && !l.Blurred, code, w))
			left--
		}
	}
	l.scroll.FitLines(len(lines), h-l.above)
	l.scroll.KeepInView(max(0, chosen-1), chosen+2) // with its title, where that is next to it
	shown := l.scroll.ShownLines(lines, th.Style(theme.Muted))
	return format.FitBox(slices.Concat(head[:l.above], shown), w, h)
}

// leastCode is the width that the column of codes may have in any window.
const leastCode = 16

// codeWidth returns the width of the column of codes in lines of w cells: that of the
// longest code, but at most a third of the line unless leastCode is more.
func (g *ItemGroup) codeWidth(w int) int {
	longest := 0
	for _, x := range g.Items {
		longest = max(longest, format.Width(format.Clean(x.Code)))
	}
	return min(longest, max(leastCode, w/3))
}

func (x *GroupItem) renderItem(th *theme.Theme, lit bool, code, w int) string {
	style, mark := th.Style, " "
	if lit {
		style, mark = th.SelectedStyle, th.SelectionMark()
	}
	left := format.CleanText(style(theme.Accent), " "+mark+" ") + format.CleanText(style(x.Role), x.Glyph+" ")
	if x.Code != "" {
		left += format.CleanText(style(theme.Text), format.FitLeft(format.Clean(x.Code), code)+"  ")
	}
	text, used := format.Clean(x.Text), format.Width(left)+3
	right := format.CutLine(format.Clean(x.Right), max(0, w/2-4, w-used-format.Width(text)))
	text = format.FitLeft(text, max(0, w-used-format.Width(right)))
	left += format.CleanText(style(theme.Text), text+"  ")
	return format.CutLine(left+format.CleanText(style(cmp.Or(x.Loud, theme.Muted)), right+" "), w)
}
