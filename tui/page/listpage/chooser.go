package listpage

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/table"
)

// columnChooser is the dialog in which columns are chosen and ordered. What it
// does is shown behind it at once.
type columnChooser struct {
	grid   *table.Grid
	look   *page.PageLook
	name   string // of what is listed
	before []table.ColumnPlace
	places []table.ColumnPlace
	at     int
	scroll widget.Scroll
}

func newColumnChooser(grid *table.Grid, look *page.PageLook, name string) *columnChooser {
	return &columnChooser{
		grid: grid, look: look, name: name, before: grid.ColumnPlaces(), places: grid.ColumnPlaces(),
	}
}

// Update takes keys: enter keeps, esc leaves all as it was.
func (c *columnChooser) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok || len(c.places) == 0 {
		return nil, false
	}
	switch key.String() {
	case "esc":
		c.showColumns(c.before)
		return nil, true
	case "enter":
		return c.keepColumns(), true
	case "J", "shift+down":
		c.moveColumn(1)
	case "K", "shift+up":
		c.moveColumn(-1)
	case "space":
		c.toggleColumn()
	case "R":
		c.grid.ArrangeColumns(nil)
		c.places = c.grid.ColumnPlaces()
	default:
		c.goTo(key.String())
	}
	c.showColumns(c.places)
	return nil, false
}

// goTo moves the cursor.
func (c *columnChooser) goTo(key string) {
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

// showColumns puts the columns into places.
func (c *columnChooser) showColumns(places []table.ColumnPlace) {
	c.grid.ArrangeColumns(places)
	c.grid.RefreshRows()
}

// keepColumns remembers the places.
func (c *columnChooser) keepColumns() tea.Cmd {
	c.look.UIState.Put(columnsKey(c.name), c.places)
	return c.look.KeepLook()
}

func (c *columnChooser) moveColumn(n int) {
	to := c.at + n
	if to < 0 || to >= len(c.places) {
		return
	}
	c.places[c.at], c.places[to] = c.places[to], c.places[c.at]
	c.at = to
}

// toggleColumn takes a column off or on; the last one stays.
func (c *columnChooser) toggleColumn() {
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

// View draws the box.
func (c *columnChooser) View(w, h int) string {
	th := c.look.Theme
	w = th.NarrowWidth(w, 50)
	lines := c.scroll.DrawRows(
		len(c.places),
		c.at,
		max(1, h-2),
		th.RaisedStyle(theme.Muted),
		func(i int) string { return c.columnRow(i, w-4) },
	)
	return dialog.DrawFrame(th, "Columns of "+c.name, "space on/off  J K move  enter save", lines, w)
}

func (c *columnChooser) columnRow(i, w int) string {
	th, p := c.look.Theme, c.places[i]
	mark, role := "✓", theme.Text
	if p.Off {
		mark, role = " ", theme.Muted
	}
	remark := ""
	if !p.Off && !c.grid.InView(p.Name) {
		remark = "no room"
	}
	bar := " "
	if i == c.at {
		bar, role = th.SelectionMark(), theme.Accent
	}
	line := th.PaintRaised(theme.Accent, bar) + th.PaintRaised(theme.Good, " "+mark+" ") +
		th.PaintRaised(role, c.grid.ColumnTitle(p.Name))
	blank := th.RaisedStyle(theme.Text).Render(layout.BlankCells(w - layout.Width(line) - layout.Width(remark)))
	return line + blank + th.PaintRaised(theme.Muted, remark)
}

// HandleClick marks a column, and takes it off or on where its tick is clicked.
func (c *columnChooser) HandleClick(x, y int) (tea.Cmd, bool) {
	if i, ok := c.scroll.LineAt(y - 1); ok {
		if c.at = i; x <= 5 {
			c.toggleColumn()
			c.showColumns(c.places)
		}
	}
	return nil, false
}
