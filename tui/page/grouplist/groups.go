package grouplist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// Item is a line that can be gone to.
type Item struct {
	ID    string // names it, however often the groups are made
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

// Group is a part of the page.
type Group struct {
	Title string
	Note  string
	Items []Item
	Left  int            // items that are left out
	All   func() tea.Cmd // goes to where all of them are; nil where no such place
	None  string         // said where there are no items; "" leaves the group out
}

// Cut keeps the first n items, and says how many more there are, where a place
// has them all as a way to it.
func (g Group) Cut(n int) Group {
	left := len(g.Items) - n
	if left <= 0 {
		return g
	}
	g.Items = slices.Clip(g.Items[:n])
	if g.All == nil {
		g.Left += left
		return g
	}
	g.Items = append(g.Items, Item{
		ID: "all of " + g.Title, Glyph: "…", Role: theme.Muted, Text: "and " + format.Group(float64(left), 0) + " more", Open: g.All,
	})
	return g
}

// Fit cuts groups so that they fill h lines, each at least to its share.
func Fit(groups []Group, shares []int, h int) []Group {
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

// List shows groups.
type List struct {
	Groups  []Group
	Blurred bool // the keys go elsewhere: no line is marked
	Code    int  // width of the column of codes; 0 is as wide as each group needs

	at     string // id of the chosen item
	chosen bool   // by hand; else it is the first one, whatever comes to be known
	scroll widget.Scroll
	above  int // lines above the groups in the last view
	lines  map[int]string
}

// Set gives the list its groups. What was chosen stays so.
func (l *List) Set(groups []Group) {
	l.Groups = groups
	if !l.chosen || l.find() < 0 {
		if all := l.items(); len(all) > 0 {
			l.at = all[0].ID
		}
	}
}

// items are those of all groups, in their order.
func (l *List) items() []Item {
	var all []Item
	for _, g := range l.Groups {
		all = append(all, g.Items...)
	}
	return all
}

func (l *List) find() int {
	return slices.IndexFunc(l.items(), func(x Item) bool { return x.ID == l.at })
}

// Current is the chosen item, false for none.
func (l *List) Current() (Item, bool) {
	if i := l.find(); i >= 0 {
		return l.items()[i], true
	}
	return Item{}, false
}

// Choose chooses an item and reports whether it is there.
func (l *List) Choose(id string) bool {
	if !slices.ContainsFunc(l.items(), func(x Item) bool { return x.ID == id }) {
		return false
	}
	l.at, l.chosen = id, true
	return true
}

// Open opens the chosen item.
func (l *List) Open() tea.Cmd {
	if x, ok := l.Current(); ok && x.Open != nil {
		return x.Open()
	}
	return nil
}

// Move performs an action of the list scope, or goes to another group, and reports
// whether it was one of these.
func (l *List) Move(id action.ID) bool {
	switch id {
	case action.NextGroup:
		return l.moveGroup(1)
	case action.PrevGroup:
		return l.moveGroup(-1)
	}
	all := l.items()
	step, is := map[action.ID]int{
		action.Down: 1, action.Up: -1, action.HalfDown: 8, action.HalfUp: -8, action.Top: -len(all), action.Bottom: len(all),
	}[id]
	if is && len(all) > 0 {
		l.Choose(all[max(0, min(l.find()+step, len(all)-1))].ID)
	}
	return is
}

// moveGroup chooses the first item of the group that is so many further, from the
// last one to the first again.
func (l *List) moveGroup(step int) bool {
	var firsts []string
	at := 0
	for _, g := range l.Groups {
		if len(g.Items) == 0 {
			continue
		}
		if slices.ContainsFunc(g.Items, func(x Item) bool { return x.ID == l.at }) {
			at = len(firsts)
		}
		firsts = append(firsts, g.Items[0].ID)
	}
	if n := len(firsts); n > 0 {
		l.Choose(firsts[(at+step+n)%n])
	}
	return true
}

// Mouse chooses an item, opens it with a second click, and goes through them
// with the wheel.
func (l *List) Mouse(m page.Mouse) tea.Cmd {
	switch {
	case m.Wheel > 0:
		l.Move(action.Down)
	case m.Wheel < 0:
		l.Move(action.Up)
	case l.Choose(l.lines[m.Y]) && m.Double:
		return l.Open()
	}
	return nil
}

// Jumps are the items in view.
func (l *List) Jumps() []page.Jump {
	var jumps []page.Jump
	for at, id := range l.lines {
		jumps = append(jumps, page.Jump{X: 0, Y: at, Do: func() tea.Cmd {
			l.Choose(id)
			return l.Open()
		}})
	}
	slices.SortFunc(jumps, func(x, y page.Jump) int { return x.Y - y.Y })
	return jumps
}

// View draws the groups, scrolled so that the chosen item is in view, below
// some lines of head, which stay.
func (l *List) View(th *theme.Theme, w, h int, head ...string) string {
	l.above = min(len(head), max(0, h-3))
	h -= l.above
	var lines []string
	ids, chosen := map[int]string{}, 0
	for _, g := range l.Groups {
		if len(g.Items) == 0 && g.None == "" {
			continue
		}
		lines = append(lines, layout.Ends(" "+layout.Text(th.Title, g.Title), layout.Text(th.Style(theme.Muted), g.Note)+" ", w))
		if len(g.Items) == 0 {
			lines = append(lines, layout.Cut(layout.Text(th.Style(theme.Muted), "   "+layout.Clean(g.None)), w))
		}
		code := cmp.Or(l.Code, g.codes())
		for _, x := range g.Items {
			if x.ID == l.at {
				chosen = len(lines)
			}
			ids[len(lines)] = x.ID
			lines = append(lines, l.line(th, x, code, w))
		}
		if g.Left > 0 {
			lines = append(lines, layout.Text(th.Style(theme.Muted), fmt.Sprintf("     and %s more", format.Group(float64(g.Left), 0))))
		}
		lines = append(lines, "")
	}
	lines = lines[:max(0, len(lines)-1)]
	l.scroll.Set(lines, h, true)
	l.scroll.Keep(max(0, chosen-1), chosen+2) // with its title, where that is next to it
	l.lines = map[int]string{}
	for at, id := range ids {
		if y := at - l.scroll.Offset(); y >= 0 && y < l.scroll.Height() {
			l.lines[y+l.above] = id
		}
	}
	return layout.Box(append(slices.Clone(head[:l.above]), l.scroll.Shown(th.Style(theme.Muted))...), w, h+l.above)
}

const mostCode = 16

// codes is the width of the column of codes.
func (g *Group) codes() int {
	w := 0
	for _, x := range g.Items {
		w = max(w, layout.Width(layout.Clean(x.Code)))
	}
	return min(w, mostCode)
}

func (l *List) line(th *theme.Theme, x Item, code, w int) string {
	style, mark := th.Style, " "
	if x.ID == l.at && !l.Blurred {
		style, mark = th.Selected, th.Pointer()
	}
	loud := x.Loud
	if loud == theme.Text {
		loud = theme.Muted
	}
	left := layout.Text(style(theme.Accent), " "+mark+" ") + layout.Text(style(x.Role), x.Glyph+" ")
	if x.Code != "" {
		left += layout.Text(style(theme.Text), layout.Left(layout.Cut(layout.Clean(x.Code), code), code)+"  ")
	}
	text := layout.Clean(x.Text)
	right := layout.Cut(layout.Clean(x.Right), max(0, w/2-4, w-layout.Width(left)-layout.Width(text)-3))
	room := max(0, w-layout.Width(left)-layout.Width(right)-3)
	text = layout.Cut(text, room)
	left += layout.Text(style(theme.Text), text+strings.Repeat(" ", room-layout.Width(text)+2))
	return layout.Cut(left+layout.Text(style(loud), right+" "), w)
}
