package page

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// GroupItem is a line of a group that opens a page.
type GroupItem struct {
	ID    string    // identifies the item when the groups are made again
	At    time.Time // time by which the caller can sort items; not shown
	Glyph string
	Role  theme.Role // of the glyph
	Code  string     // drawn in a separate column
	Text  string
	Right string
	Loud  theme.Role // of Right; Text is drawn muted
	Open  func() tea.Cmd
	// More draws details of the item in lines of w cells, next to the groups; may be nil.
	More func(w int) []string
	// Mission and Order are the UUIDs of the mission and the order that the item is about, or
	// "".
	Mission, Order string
}

// ItemGroup is a titled group of items.
type ItemGroup struct {
	Title string
	Note  string
	Items []GroupItem
	All   func() tea.Cmd // opens the page with all items; nil if there is none
	None  string         // text of a group without items; "" leaves out such a group
}

// Cut returns the group with its first n items, and an item that tells how many more there are.
func (g ItemGroup) Cut(n int) ItemGroup {
	more := len(g.Items) - n
	if more <= 0 {
		return g
	}
	g.Items = append(slices.Clip(g.Items[:n]), GroupItem{
		ID:    "all of " + g.Title,
		Glyph: "…",
		Role:  theme.Muted,
		Text:  "and " + format.GroupInt(more) + " more",
		Open:  g.All,
	})
	return g
}

// FitGroups cuts groups to fill h lines. A group keeps at least the number of items in shares,
// which has an entry per group.
func FitGroups(groups []ItemGroup, shares []int, h int) []ItemGroup {
	counts := slices.Clone(shares)
	for growCounts(groups, counts, h) {
	}
	cut := make([]ItemGroup, len(groups))
	for i := range groups {
		cut[i] = groups[i].Cut(counts[i])
	}
	return cut
}

// growCounts adds an item to each group that has more, while fewer than h lines are needed. It
// reports whether it added any.
func growCounts(groups []ItemGroup, counts []int, h int) bool {
	hasGrown := false
	for i := range groups {
		if counts[i] < len(groups[i].Items) && cutHeight(groups, counts) < h {
			counts[i]++
			hasGrown = true
		}
	}
	return hasGrown
}

// cutHeight returns the height of groups that are cut to counts.
func cutHeight(groups []ItemGroup, counts []int) int {
	lines := -1 // the last group has no blank line below it
	for i := range groups {
		items := len(groups[i].Cut(counts[i]).Items)
		if items > 0 || groups[i].None != "" {
			lines += max(1, items) + 2 // with the title and a blank line
		}
	}
	return lines
}

// GroupsHeight returns the number of lines of groups.
func GroupsHeight(groups []ItemGroup) int {
	counts := make([]int, len(groups))
	for i := range groups {
		counts[i] = len(groups[i].Items)
	}
	return cutHeight(groups, counts)
}

// GroupList shows groups of items, one item selected.
type GroupList struct {
	Groups  []ItemGroup
	Blurred bool // keys go to another part of the page: the selected item is not highlighted
	Code    int  // width of the column of codes; 0 fits each group

	// chosen is the ID of the item that the user selected. If the user selected none, or that
	// item does not exist any more, the first item is selected.
	chosen string
	scroll widget.Scroll
	above  int      // number of lines above the groups in the last view
	ids    []string // item ID of each line of the groups, "" for other lines
}

// items returns the items of all groups, and the index of the selected one.
func (l *GroupList) items() (all []GroupItem, selected int) {
	for _, g := range l.Groups {
		all = append(all, g.Items...)
	}
	i := slices.IndexFunc(all, func(item GroupItem) bool { return item.ID == l.chosen })
	return all, max(0, i)
}

// Current returns the selected item; ok is false if there are no items.
func (l *GroupList) Current() (item GroupItem, ok bool) {
	all, selected := l.items()
	if len(all) == 0 {
		return GroupItem{}, false
	}
	return all[selected], true
}

// OpenChosen opens the page of the selected item, if it has one.
func (l *GroupList) OpenChosen() tea.Cmd {
	item, ok := l.Current()
	if !ok || item.Open == nil {
		return nil
	}
	return item.Open()
}

// Len returns the number of items.
func (l *GroupList) Len() int {
	all, _ := l.items()
	return len(all)
}

// HalfPage returns the number of items that half a page moves by.
func (l *GroupList) HalfPage() int { return 8 }

// Move selects the item n places further down, or up if n is negative.
func (l *GroupList) Move(n int) {
	all, selected := l.items()
	if len(all) == 0 {
		return
	}
	i := max(0, min(selected+n, len(all)-1))
	l.chosen = all[i].ID
}

// MoveChoice performs an action that moves the selection: one of the list scope, or to another
// group.
func (l *GroupList) MoveChoice(id action.ID) {
	switch id {
	case action.NextGroup:
		l.moveGroup(1)
	case action.PrevGroup:
		l.moveGroup(-1)
	default:
		MoveList(l, id)
	}
}

// moveGroup selects the first item of the group step places further, wrapping around at the ends.
// Groups without items do not count.
func (l *GroupList) moveGroup(step int) {
	all, selected := l.items()
	if len(all) == 0 {
		return
	}
	var starts []int // index of the first item of each group
	next := 0
	for _, g := range l.Groups {
		if len(g.Items) > 0 {
			starts = append(starts, next)
			next += len(g.Items)
		}
	}
	group := len(starts) - 1
	for starts[group] > selected {
		group--
	}
	group = (group + step + len(starts)) % len(starts)
	l.chosen = all[starts[group]].ID
}

// itemAt returns the ID of the item at line y of the last view, or "".
func (l *GroupList) itemAt(y int) string {
	line, ok := l.scroll.LineAt(y - l.above)
	if !ok {
		return ""
	}
	return l.ids[line]
}

// HandleMouse selects the clicked item, and opens it with a second click. The wheel moves the
// selection.
func (l *GroupList) HandleMouse(m MouseInput) tea.Cmd {
	if m.Wheel != 0 {
		l.Move(max(-1, min(m.Wheel, 1)))
		return nil
	}
	id := l.itemAt(m.Y)
	if id == "" {
		return nil
	}
	l.chosen = id
	if m.Double {
		return l.OpenChosen()
	}
	return nil
}

// Jumps returns a jump target for each visible item.
func (l *GroupList) Jumps() []JumpTarget {
	var targets []JumpTarget
	for y := l.above; y < l.above+l.scroll.Height(); y++ {
		if l.itemAt(y) == "" {
			continue
		}
		open := func() tea.Cmd { return l.HandleMouse(MouseInput{Y: y, Double: true}) }
		targets = append(targets, JumpTarget{Y: y, Do: open})
	}
	return targets
}

// View draws the lines of head and the groups below them, into exactly h lines of w cells. The
// groups are scrolled to make the selected item visible.
func (l *GroupList) View(th *theme.Theme, w, h int, head ...string) string {
	l.above = min(len(head), max(0, h-3))
	lines, selectedLine := l.drawGroups(th, w)
	l.scroll.FitLines(len(lines), h-l.above)
	l.scroll.KeepInView(max(0, selectedLine-1), selectedLine+2) // with the group's title if it is adjacent
	shown := l.scroll.ShownLines(lines, th.Style(theme.Muted))
	return format.FitBox(slices.Concat(head[:l.above], shown), w, h)
}

// drawGroups draws all groups and records the item of each line. It returns the line of the
// selected item, or 0.
func (l *GroupList) drawGroups(th *theme.Theme, w int) (lines []string, selectedLine int) {
	l.ids = l.ids[:0]
	add := func(itemID, line string) {
		l.ids = append(l.ids, itemID)
		lines = append(lines, line)
	}
	_, selected := l.items()
	i := 0 // index of the next item
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
		codeWidth := l.Code
		if codeWidth == 0 {
			codeWidth = g.codeWidth(w)
		}
		for _, item := range g.Items {
			isSelected := i == selected
			if isSelected {
				selectedLine = len(lines)
			}
			add(item.ID, item.renderItem(th, isSelected && !l.Blurred, codeWidth, w))
			i++
		}
	}
	return lines, selectedLine
}

// minCodeWidth is the width that the column of codes can have in every window.
const minCodeWidth = 16

// codeWidth returns the width of the column of codes in lines of w cells: the width of the longest
// code, but at most a third of the line, or minCodeWidth if that is wider.
func (g *ItemGroup) codeWidth(w int) int {
	longest := 0
	for _, item := range g.Items {
		longest = max(longest, format.Width(format.Clean(item.Code)))
	}
	return min(longest, max(minCodeWidth, w/3))
}

// renderItem renders an item as a line of w cells.
func (item *GroupItem) renderItem(th *theme.Theme, highlighted bool, codeWidth, w int) string {
	style := th.Style
	mark := " "
	if highlighted {
		style = th.SelectedStyle
		mark = th.SelectionMark()
	}
	left := format.CleanText(style(theme.Accent), " "+mark+" ") +
		format.CleanText(style(item.Role), item.Glyph+" ")
	if item.Code != "" {
		code := format.FitLeft(format.Clean(item.Code), codeWidth)
		left += format.CleanText(style(theme.Text), code+"  ")
	}
	rightRole := item.Loud
	if rightRole == theme.Text {
		rightRole = theme.Muted
	}
	const gap = "  "
	const margin = " "
	room := w - format.Width(left) - len(gap) - len(margin)
	text := format.Clean(item.Text)
	rightRoom := max(w/2-4, room-format.Width(text), 0) // about half of the line, or what the text leaves
	right := format.CutLine(format.Clean(item.Right), rightRoom)
	text = format.FitLeft(text, max(0, room-format.Width(right)))
	line := left +
		format.CleanText(style(theme.Text), text+gap) +
		format.CleanText(style(rightRole), right+margin)
	return format.CutLine(line, w)
}
