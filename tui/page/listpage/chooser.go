package listpage

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/table"
)

// chooseColumns opens the dialog in which columns are chosen and ordered. What it
// does is shown behind it at once.
func (p *Page[T]) chooseColumns() {
	type doing = func(at int) (tea.Cmd, bool)
	grid, before, places := p.Grid, p.Grid.ColumnPlaces(), p.Grid.ColumnPlaces()
	show := func(places []table.ColumnPlace) (tea.Cmd, bool) {
		grid.ArrangeColumns(places)
		grid.RefreshRows()
		return nil, false
	}
	l := &dialog.List{
		Title: "Columns of " + p.opt.Name, Most: 50, Ticks: 6,
		Hint: "space on/off  J K move  enter save",
		Rows: func() []dialog.ListRow { return columnRows(grid, places) },
	}
	move := func(n int) doing {
		return func(at int) (tea.Cmd, bool) {
			l.At = max(0, min(at+n, len(places)-1))
			places[at], places[l.At] = places[l.At], places[at]
			return show(places)
		}
	}
	l.Take = func(at int) (tea.Cmd, bool) { // the last one stays
		places[at].Off = !places[at].Off
		if !slices.ContainsFunc(places, func(c table.ColumnPlace) bool { return !c.Off }) {
			places[at].Off = false
		}
		return show(places)
	}
	l.Keys = map[string]doing{
		"J": move(1), "shift+down": move(1), "K": move(-1), "shift+up": move(-1), "space": l.Take,
		"R": func(int) (tea.Cmd, bool) {
			cmd, done := show(nil)
			places = grid.ColumnPlaces()
			return cmd, done
		},
		"esc": func(int) (tea.Cmd, bool) {
			cmd, _ := show(before)
			return cmd, true
		},
		"enter": func(int) (tea.Cmd, bool) {
			p.UIState.Put(columnsKey(p.opt.Name), places)
			return p.KeepLook(), true
		},
	}
	p.Overlay(l)
}

// columnRows returns the columns as rows of a dialog, with those that have no room.
func columnRows(grid *table.Grid, places []table.ColumnPlace) []dialog.ListRow {
	rows := make([]dialog.ListRow, len(places))
	for i, c := range places {
		title := grid.ColumnTitle(c.Name)
		rows[i] = dialog.ListRow{Text: "✓ " + title}
		if c.Off {
			rows[i] = dialog.ListRow{Text: "  " + title, Role: theme.Muted}
		} else if !grid.InView(c.Name) {
			rows[i].Right = "no room"
		}
	}
	return rows
}
