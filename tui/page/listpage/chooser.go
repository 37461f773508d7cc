package listpage

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/table"
)

// narrowest is the least width that a column can be made.
const narrowest = 3

// chooser is the dialog in which columns are chosen, ordered and sized. What it
// does is shown behind it at once.
type chooser struct {
	l      *List
	before []table.Place
	places []table.Place
	widths map[string]int // as the columns stood when it was opened
	at     int
	scroll widget.Scroll
}

func newChooser(l *List) *chooser {
	c := &chooser{l: l, before: l.Grid.Places(), places: l.Grid.Places(), widths: map[string]int{}}
	for _, p := range c.places {
		c.widths[p.Name] = l.Grid.WidthOf(p.Name)
	}
	return c
}

// Update takes keys: enter keeps, esc leaves all as it was.
func (c *chooser) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok || len(c.places) == 0 {
		return nil, false
	}
	switch key.String() {
	case "esc":
		c.l.show(c.before)
		return nil, true
	case "enter":
		return c.keep(), true
	case "J", "shift+down":
		c.move(1)
	case "K", "shift+up":
		c.move(-1)
	case "space":
		c.toggle()
	case "l", "right", "+", ">":
		c.size(1)
	case "h", "left", "-", "<":
		c.size(-1)
	case "0":
		c.places[c.at].Width = 0
	case "R":
		c.l.Grid.Arrange(nil)
		c.places = c.l.Grid.Places()
	default:
		c.goTo(key.String())
	}
	c.l.show(c.places)
	return nil, false
}

// goTo moves the cursor.
func (c *chooser) goTo(key string) {
	last := len(c.places) - 1
	switch key {
	case "j", "down":
		c.at = min(c.at+1, last)
	case "k", "up":
		c.at = max(c.at-1, 0)
	case "g", "home":
		c.at = 0
	case "G", "end":
		c.at = last
	}
}

// show puts the columns into places.
func (l *List) show(places []table.Place) {
	l.Grid.Arrange(places)
	l.Grid.Refresh()
}

// keep remembers the places.
func (c *chooser) keep() tea.Cmd {
	if kept := c.l.base.UIState; kept != nil {
		kept.Put(c.l.key(), c.places)
	}
	return page.Keep(&c.l.base.Look)
}

func (c *chooser) move(n int) {
	to := c.at + n
	if to < 0 || to >= len(c.places) {
		return
	}
	c.places[c.at], c.places[to] = c.places[to], c.places[c.at]
	c.at = to
}

// toggle takes a column off or on; the last one stays.
func (c *chooser) toggle() {
	on := 0
	for _, p := range c.places {
		if !p.Off {
			on++
		}
	}
	if p := &c.places[c.at]; p.Off || on > 1 {
		p.Off = !p.Off
	}
}

func (c *chooser) size(n int) {
	p := &c.places[c.at]
	width := p.Width
	if width == 0 {
		width = c.widths[p.Name]
	}
	p.Width = max(narrowest, min(width+n, 99))
}

// View draws the box.
func (c *chooser) View(w, h int) string {
	th := c.l.base.Theme
	w = th.Narrowed(w, 50)
	lines := c.scroll.Rows(len(c.places), c.at, max(1, h-2), th.Raised(theme.Muted), func(i int) string { return c.row(i, w-4) })
	return dialog.Frame(th, "Columns of "+c.l.name, "space on/off  J K move  h l width  enter save", lines, w)
}

func (c *chooser) row(i, w int) string {
	th, p := c.l.base.Theme, c.places[i]
	mark, role := "✓", theme.Text
	if p.Off {
		mark, role = " ", theme.Muted
	}
	width := "auto"
	switch {
	case !p.Off && !c.l.Grid.InView(p.Name):
		width = "no room"
	case p.Width > 0:
		width = fmt.Sprint(p.Width)
	}
	bar := " "
	if i == c.at {
		bar, role = th.Pointer(), theme.Accent
	}
	line := layout.Text(th.Raised(theme.Accent), bar) + layout.Text(th.Raised(theme.Good), " "+mark+" ") +
		layout.Text(th.Raised(role), c.l.Grid.Title(p.Name))
	blank := th.Raised(theme.Text).Render(layout.Blank(w - layout.Width(line) - layout.Width(width)))
	return line + blank + layout.Text(th.Raised(theme.Muted), width)
}

// Click marks a column, and takes it off or on where its tick is clicked.
func (c *chooser) Click(x, y int) (tea.Cmd, bool) {
	if i, ok := c.scroll.At(y - 1); ok {
		if c.at = i; x <= 5 {
			c.toggle()
			c.l.show(c.places)
		}
	}
	return nil, false
}

// Turns makes the wheel move in the columns.
func (c *chooser) Turns() {}

// Cursor is nowhere.
func (c *chooser) Cursor() *tea.Cursor { return nil }
