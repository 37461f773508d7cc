package page

import (
	"cmp"
	"maps"
	"slices"
	"strings"
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
	rows := func(i int) int { // with title, and the line below
		n := min(len(groups[i].Items), shares[i])
		if n < len(groups[i].Items) {
			n++
		}
		if n == 0 && groups[i].None == "" {
			return 0
		}
		return max(1, n) + 2
	}
	used := -1
	for i := range groups {
		used += rows(i)
	}
	for grown := true; grown && used < h; {
		grown = false
		for i := range groups {
			if before := rows(i); shares[i] < len(groups[i].Items) && used < h {
				shares[i]++
				used += rows(i) - before
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

	at     string // id of the chosen item
	chosen bool   // by hand; else it is the first one, whatever comes to be known
	scroll widget.Scroll
	above  int // lines above the groups in the last view
	lines  map[int]string
}

// Set gives the list its groups. What was chosen stays so.
func (l *GroupList) Set(groups []ItemGroup) {
	l.Groups = groups
	if !l.chosen || l.findChosen() < 0 {
		if all := l.items(); len(all) > 0 {
			l.at = all[0].ID
		}
	}
}

// items returns those of all groups, in their order.
func (l *GroupList) items() []GroupItem {
	var all []GroupItem
	for _, g := range l.Groups {
		all = append(all, g.Items...)
	}
	return all
}

func (l *GroupList) findChosen() int {
	return slices.IndexFunc(l.items(), func(x GroupItem) bool { return x.ID == l.at })
}

// Current returns the chosen item, false for none.
func (l *GroupList) Current() (GroupItem, bool) {
	if i := l.findChosen(); i >= 0 {
		return l.items()[i], true
	}
	return GroupItem{}, false
}

// chooseItem chooses the item of an id.
func (l *GroupList) chooseItem(id string) { l.at, l.chosen = id, true }

// OpenChosen opens the chosen item.
func (l *GroupList) OpenChosen() tea.Cmd {
	if x, ok := l.Current(); ok && x.Open != nil {
		return x.Open()
	}
	return nil
}

// MoveChoice performs an action of the list scope, or goes to another group.
func (l *GroupList) MoveChoice(id action.ID) {
	all := l.items()
	step, is := listStep(id, 8, len(all))
	switch {
	case len(all) == 0:
	case is:
		l.chooseItem(all[max(0, min(l.findChosen()+step, len(all)-1))].ID)
	case id == action.NextGroup:
		l.moveGroup(1)
	case id == action.PrevGroup:
		l.moveGroup(-1)
	}
}

// moveGroup chooses the first item of the group that is so many further, from the
// last one to the first again.
func (l *GroupList) moveGroup(step int) {
	var firsts []string
	at := 0
	for _, g := range l.Groups {
		if slices.ContainsFunc(g.Items, func(x GroupItem) bool { return x.ID == l.at }) {
			at = len(firsts)
		}
		if len(g.Items) > 0 {
			firsts = append(firsts, g.Items[0].ID)
		}
	}
	l.chooseItem(firsts[(at+step+len(firsts))%len(firsts)])
}

// HandleMouse chooses an item, opens it with a second click, and goes through them
// with the wheel.
func (l *GroupList) HandleMouse(m MouseInput) tea.Cmd {
	id, is := l.lines[m.Y]
	switch {
	case m.Wheel > 0:
		l.MoveChoice(action.Down)
	case m.Wheel < 0:
		l.MoveChoice(action.Up)
	case is:
		if l.chooseItem(id); m.Double {
			return l.OpenChosen()
		}
	}
	return nil
}

// Jumps returns the items in view.
func (l *GroupList) Jumps() []JumpTarget {
	var jumps []JumpTarget
	for _, y := range slices.Sorted(maps.Keys(l.lines)) {
		jumps = append(jumps, JumpTarget{Y: y, Do: func() tea.Cmd {
			return l.HandleMouse(MouseInput{Y: y, Double: true})
		}})
	}
	return jumps
}

// View draws the groups, scrolled so that the chosen item is in view, below
// some lines of head, which stay.
func (l *GroupList) View(th *theme.Theme, w, h int, head ...string) string {
	l.above = min(len(head), max(0, h-3))
	h -= l.above
	var lines []string
	ids, chosen := map[int]string{}, 0
	for _, g := range l.Groups {
		if len(g.Items) == 0 && g.None == "" {
			continue
		}
		lines = append(lines, format.FitEnds(" "+th.PaintTitle(g.Title), th.PaintMuted(g.Note)+" ", w))
		if len(g.Items) == 0 {
			lines = append(lines, format.CutLine(th.PaintMuted("   "+format.Clean(g.None)), w))
		}
		code := cmp.Or(l.Code, g.codeWidth())
		for _, x := range g.Items {
			if x.ID == l.at {
				chosen = len(lines)
			}
			ids[len(lines)] = x.ID
			lines = append(lines, l.renderItem(th, x, code, w))
		}
		lines = append(lines, "")
	}
	lines = lines[:max(0, len(lines)-1)]
	l.scroll.FitLines(len(lines), h)
	l.scroll.KeepInView(max(0, chosen-1), chosen+2) // with its title, where that is next to it
	l.lines = map[int]string{}
	for at, id := range ids {
		if y := at - l.scroll.Offset(); y >= 0 && y < l.scroll.Height() {
			l.lines[y+l.above] = id
		}
	}
	return format.FitBox(
		append(slices.Clone(head[:l.above]), l.scroll.ShownLines(lines, th.Style(theme.Muted))...),
		w,
		h+l.above,
	)
}

const mostCode = 16

// codeWidth returns the width of the column of codes.
func (g *ItemGroup) codeWidth() int {
	w := 0
	for _, x := range g.Items {
		w = max(w, format.Width(format.Clean(x.Code)))
	}
	return min(w, mostCode)
}

func (l *GroupList) renderItem(th *theme.Theme, x GroupItem, code, w int) string {
	style, mark := th.Style, " "
	if x.ID == l.at && !l.Blurred {
		style, mark = th.SelectedStyle, th.SelectionMark()
	}
	left := format.CleanText(style(theme.Accent), " "+mark+" ") + format.CleanText(style(x.Role), x.Glyph+" ")
	if x.Code != "" {
		left += format.CleanText(
			style(theme.Text),
			format.FitLeft(format.CutLine(format.Clean(x.Code), code), code)+"  ",
		)
	}
	text := format.Clean(x.Text)
	right := format.CutLine(format.Clean(x.Right), max(0, w/2-4, w-format.Width(left)-format.Width(text)-3))
	room := max(0, w-format.Width(left)-format.Width(right)-3)
	text = format.CutLine(text, room)
	left += format.CleanText(style(theme.Text), text+strings.Repeat(" ", room-format.Width(text)+2))
	return format.CutLine(left+format.CleanText(style(cmp.Or(x.Loud, theme.Muted)), right+" "), w)
}
