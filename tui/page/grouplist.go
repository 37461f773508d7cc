package page

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// GroupItem is a line of a group. The user can select it, and open the page that it is about.
type GroupItem struct {
	ID    string    // keeps the item selected when the groups are replaced
	At    time.Time // time by which the caller can sort items; not shown
	Glyph string
	Role  theme.Role // role of the glyph
	Code  string     // drawn in a separate column
	// Texts are drawn in the left columns of the group. If they do not fit, the widest columns are cut.
	Texts []string
	// Values are drawn at the right end of the line, each in a column that is aligned to the right. All items of a
	// group have the same number of values, some of which can be "". Only the last item of a cut group, "and 5
	// more", has none.
	Values []string
	// ValueRole is the role of the last value. Its zero value draws the value muted.
	ValueRole theme.Role
	Open      func() tea.Cmd
	// More draws details of the item in lines of w cells, next to the groups; may be nil.
	More func(w int) []string
	// Mission and Order are the UUIDs of the mission and the order that the item is about, or
	// "".
	Mission, Order string
}

// ItemGroup is a titled group of items.
type ItemGroup struct {
	Title string
	Note  string // text at the right end of the title's line, or ""
	Items []GroupItem
	All   func() tea.Cmd // opens the page with all items; nil if there is none
	None  string         // text of a group without items; "" leaves out the group
}

// Cut returns the group with its first n items, and a last item with the number of the items that were cut.
func (g ItemGroup) Cut(n int) ItemGroup {
	more := len(g.Items) - n
	if more <= 0 {
		return g
	}
	g.Items = append(slices.Clip(g.Items[:n]), GroupItem{
		ID:    "all of " + g.Title,
		Glyph: "…",
		Role:  theme.Muted,
		Texts: []string{"and " + format.GroupInt(more) + " more"},
		Open:  g.All,
	})
	return g
}

// FitGroups cuts groups so that they fill h lines. Group i keeps at least minItems[i] items.
func FitGroups(groups []ItemGroup, minItems []int, h int) []ItemGroup {
	counts := slices.Clone(minItems)
	for growCounts(groups, counts, h) {
	}
	cut := make([]ItemGroup, len(groups))
	for i := range groups {
		cut[i] = groups[i].Cut(counts[i])
	}
	return cut
}

// growCounts adds one item to each group, as long as the groups do not fill h lines. counts has the number of items
// that each group shows. growCounts returns false if it could not add any item.
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

	// chosen is the ID of the item that the user selected. The first item is selected if the user has selected
	// none, or if the selected item does not exist any more.
	chosen string
	scroll widget.Scroll
	above  int         // number of lines above the groups in the last view
	lines  []groupLine // all lines of the groups in the last view
}

// groupLine is a line of a group.
type groupLine struct {
	text       string
	itemID     string // ID of the item on the line, or ""
	isTitle    bool   // the line is the title of a group
	isSelected bool   // the item on the line is selected
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

// HalfPage returns the number of items by which the half-page keys move the selection.
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

// MoveChoice performs an action that moves the selection: to the next or previous group, or as in any list (see
// [MoveList]).
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
	return l.lines[line].itemID
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
	l.lines = l.drawGroups(th, w)
	texts := make([]string, len(l.lines))
	selectedLine := 0 // the first line if there are no items
	for i, line := range l.lines {
		texts[i] = line.text
		if line.isSelected {
			selectedLine = i
		}
	}
	l.scroll.FitLines(len(texts), h-l.above)
	l.scroll.KeepInView(max(0, selectedLine-1), selectedLine+2) // with the group's title if it is adjacent
	last := l.scroll.Offset() + l.scroll.Height() - 1
	if last >= 0 && last+1 < len(l.lines) && l.lines[last].isTitle {
		texts[last] = "" // the items of the group are below the view
	}
	shown := l.scroll.ShownLines(texts, th.Style(theme.Muted))
	return format.FitBox(slices.Concat(head[:l.above], shown), w, h)
}

// drawGroups draws all groups, with a blank line between two groups.
func (l *GroupList) drawGroups(th *theme.Theme, w int) []groupLine {
	lines := l.lines[:0]
	_, selected := l.items()
	earlierItems := 0 // number of items of the earlier groups
	for i := range l.Groups {
		g := &l.Groups[i]
		if len(g.Items) == 0 && g.None == "" {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, groupLine{})
		}
		lines = l.appendGroup(lines, g, selected-earlierItems, th, w)
		earlierItems += len(g.Items)
	}
	return lines
}

// appendGroup appends the lines of a group: its title, and its items, or a text if it has no items. selected is the
// index of the selected item in g.Items. If the selected item is in another group, selected is out of range.
func (l *GroupList) appendGroup(lines []groupLine, g *ItemGroup, selected int, th *theme.Theme, w int) []groupLine {
	title := format.FitEnds(" "+th.PaintTitle(g.Title), th.PaintMuted(g.Note)+" ", w)
	lines = append(lines, groupLine{text: title, isTitle: true})
	if len(g.Items) == 0 {
		return append(lines, groupLine{text: format.CutLine(th.PaintMuted("   "+g.None), w)})
	}
	columns := g.fitColumns(l.Code, w)
	for i := range g.Items {
		item := &g.Items[i]
		isSelected := i == selected
		lines = append(lines, groupLine{
			text:       item.renderItem(th, isSelected && !l.Blurred, columns, w),
			itemID:     item.ID,
			isSelected: isSelected,
		})
	}
	return lines
}

// minCodeWidth is the width that the column of codes may have even in the narrowest window.
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

// groupColumns has the widths of the columns of a group. A column with the width 0 is left out.
type groupColumns struct {
	code          int
	texts, values []int
}

const (
	columnGap    = 2
	glyphsWidth  = 5 // the mark of the selected item and the glyph, each between blank cells
	rightMargin  = 1
	minTextWidth = 12 // columns are not narrowed below this width
)

// fitColumns returns the widths of the columns of the group in lines of w cells. Columns are as wide as their
// longest text, or narrower if they do not all fit. The column of codes has codeWidth cells; if codeWidth is 0, it
// has the width that the codes need.
func (g *ItemGroup) fitColumns(codeWidth, w int) groupColumns {
	var columns groupColumns
	if g.codeWidth(w) > 0 {
		columns.code = cmp.Or(codeWidth, g.codeWidth(w))
	}
	for i := range g.Items {
		item := &g.Items[i]
		columns.values = widenColumns(columns.values, item.Values)
		if item.Code != "" || columns.code == 0 {
			columns.texts = widenColumns(columns.texts, item.Texts)
		}
	}
	room := columns.textRoom(w) + columnsWidth(columns.values) // for texts and values
	almostHalf := w/2 - 4                                      // even long texts leave these cells to the values
	valuesRoom := max(room-columnsWidth(columns.texts), almostHalf)
	narrowColumns(columns.values, valuesRoom)
	textsRoom := columns.textRoom(w) // next to the narrowed values
	narrowColumns(columns.texts, textsRoom)
	return columns
}

// textRoom returns how many of the w cells of a line are left for the columns of texts. The other cells are for the
// glyphs, the code, the columns of values and the right margin.
func (c *groupColumns) textRoom(w int) int {
	room := w - glyphsWidth - columnsWidth(c.values) - rightMargin
	if c.code > 0 {
		room -= c.code + columnGap
	}
	return room
}

// widenColumns makes columns wide enough for the given texts, and returns the new widths. Columns that are wide enough
// keep their width. If there are more texts than columns, columns are added.
func widenColumns(widths []int, texts []string) []int {
	for i, text := range texts {
		if i == len(widths) {
			widths = append(widths, 0)
		}
		widths[i] = max(widths[i], format.Width(format.Clean(text)))
	}
	return widths
}

// columnsWidth returns the number of cells that columns and their gaps need. Each column has one gap: columns of
// texts have it on the right, columns of values on the left.
func columnsWidth(widths []int) int {
	total := 0
	for _, width := range widths {
		if width > 0 {
			total += width + columnGap
		}
	}
	return total
}

// narrowColumns makes columns narrower until they fit into room cells: first the widest column, down to minTextWidth,
// then the next widest.
func narrowColumns(widths []int, room int) {
	widestFirst := make([]int, len(widths)) // indexes of the columns
	for i := range widestFirst {
		widestFirst[i] = i
	}
	slices.SortStableFunc(widestFirst, func(a, b int) int { return widths[b] - widths[a] })
	for _, column := range widestFirst {
		excess := columnsWidth(widths) - columnGap - room
		if excess <= 0 || widths[column] <= minTextWidth {
			return
		}
		widths[column] = max(minTextWidth, widths[column]-excess)
	}
}

// renderItem renders an item as a line of w cells: its glyph, its code, its texts, and its values at the right.
func (item *GroupItem) renderItem(th *theme.Theme, highlighted bool, columns groupColumns, w int) string {
	style := th.Style
	mark := " "
	if highlighted {
		style = th.SelectedStyle
		mark = th.SelectionMark()
	}
	line := format.CleanText(style(theme.Accent), " "+mark+" ") +
		format.CleanText(style(item.Role), item.Glyph+" ")
	room := columns.textRoom(w)
	text := item.alignTexts(columns.texts)
	if item.Code != "" {
		code := format.FitLeft(format.Clean(item.Code), columns.code)
		line += format.CleanText(style(theme.Text), code+"  ")
	} else if columns.code > 0 { // a text across all columns, such as the number of further items
		room += columns.code + columnGap
		text = format.Clean(strings.Join(item.Texts, "  "))
	}
	line += item.joinTextAndValues(text, columns.values, room, style)
	margin := format.CleanText(style(theme.Text), " ")
	return format.CutLine(line+margin, w)
}

// joinTextAndValues renders a text in room cells, followed by the item's values in columns of the given widths. If the
// first value is shorter than its column, a long text also uses the blank cells before the value, except for a gap of
// two cells.
func (item *GroupItem) joinTextAndValues(
	text string, widths []int, room int, style func(theme.Role) theme.Style,
) string {
	values := item.alignValues(widths)
	first := slices.IndexFunc(widths, func(width int) bool { return width > 0 })
	if first >= 0 {
		trimmed := "  " + strings.TrimLeft(values[first], " ")
		room += format.Width(values[first]) - format.Width(trimmed)
		values[first] = trimmed
	}
	line := format.CleanText(style(theme.Text), format.FitLeft(text, max(0, room)))
	for i, value := range values {
		line += format.CleanText(style(item.valueRole(i)), value)
	}
	return line
}

// alignTexts returns the texts of the item in columns. The text in the last column is not cut.
func (item *GroupItem) alignTexts(widths []int) string {
	last := len(widths) - 1
	for last > 0 && widths[last] == 0 {
		last--
	}
	line := ""
	for i, text := range item.Texts {
		text = format.Clean(text)
		if i < last && widths[i] > 0 {
			text = format.FitLeft(text, widths[i]) + "  "
		}
		line += text
	}
	return line
}

// alignValues returns the values of the item, each at the right end of its column. The width of a value includes
// the gap before it.
func (item *GroupItem) alignValues(widths []int) []string {
	values := make([]string, len(widths))
	for i, width := range widths {
		value := ""
		if i < len(item.Values) {
			value = format.CutLine(format.Clean(item.Values[i]), width)
		}
		if width > 0 {
			values[i] = format.FitRight(value, width+columnGap)
		}
	}
	return values
}

// valueRole returns the role of the value in a column.
func (item *GroupItem) valueRole(column int) theme.Role {
	isLast := column == len(item.Values)-1
	if isLast && item.ValueRole != theme.Text { // it is set
		return item.ValueRole
	}
	return theme.Muted
}
