package page

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// chooseColumns opens the dialog in which the user hides and orders columns. The list shows each
// change immediately. Enter saves the columns, and esc restores the columns from before.
func (t tableActions) chooseColumns() {
	d := &columnDialog{
		grid:   t.grid,
		before: t.grid.ColumnPlaces(),
		places: t.grid.ColumnPlaces(),
	}
	save := func(int) (cmd tea.Cmd, isDone bool) {
		t.base.Env.Look.UIState.Put(columnsKey(t.name), d.places)
		return t.base.Env.Look.SaveUIState(), true
	}
	const (
		dialogWidth = 50
		tickWidth   = 6 // from the border of the dialog to the title of the column
	)
	d.list = &widget.ListDialog{
		Title: "Columns of " + t.name,
		Most:  dialogWidth,
		Ticks: tickWidth,
		Hint:  "space on/off  J K move  enter save   esc back",
		Rows:  d.rows,
		Take:  d.toggle, // for a click on the selected row; enter is in Keys
		Keys:  d.keys(save),
	}
	t.base.Env.Nav.Overlay(d.list)
}

// columnDialog is the dialog in which the user hides and orders the columns of a grid. A method for a key gets the
// index of the selected column, and returns true to close the dialog.
type columnDialog struct {
	grid   *widget.Grid
	list   *widget.ListDialog
	places []widget.ColumnPlace
	before []widget.ColumnPlace // places when the dialog was opened
}

// keys returns the function for each key of the dialog. The key enter calls save.
func (d *columnDialog) keys(save func(int) (tea.Cmd, bool)) map[string]func(at int) (tea.Cmd, bool) {
	return map[string]func(at int) (tea.Cmd, bool){
		"J":          d.moveDown,
		"shift+down": d.moveDown,
		"K":          d.moveUp,
		"shift+up":   d.moveUp,
		"space":      d.toggle,
		"R":          d.reset,
		"esc":        d.cancel,
		"enter":      save,
	}
}

// arrange shows and hides columns, and orders them. A nil places restores the default columns.
func (d *columnDialog) arrange(places []widget.ColumnPlace) {
	d.grid.ArrangeColumns(places)
	d.grid.RefreshRows()
}

// toggle hides or shows a column. The last visible column cannot be hidden.
func (d *columnDialog) toggle(at int) (tea.Cmd, bool) {
	d.places[at].Off = !d.places[at].Off
	isVisible := func(place widget.ColumnPlace) bool { return !place.Off }
	if !slices.ContainsFunc(d.places, isVisible) {
		d.places[at].Off = false
	}
	d.arrange(d.places)
	return nil, false
}

func (d *columnDialog) moveDown(at int) (tea.Cmd, bool) { return d.move(at, at+1) }

func (d *columnDialog) moveUp(at int) (tea.Cmd, bool) { return d.move(at, at-1) }

// move swaps the columns at two indexes, and keeps the moved column selected.
func (d *columnDialog) move(from, to int) (tea.Cmd, bool) {
	to = max(0, min(to, len(d.places)-1))
	d.places[from], d.places[to] = d.places[to], d.places[from]
	d.list.At = to
	d.arrange(d.places)
	return nil, false
}

// reset restores the default columns.
func (d *columnDialog) reset(int) (tea.Cmd, bool) {
	d.arrange(nil)
	d.places = d.grid.ColumnPlaces()
	return nil, false
}

// cancel restores the columns from before the dialog, and closes the dialog.
func (d *columnDialog) cancel(int) (tea.Cmd, bool) {
	d.arrange(d.before)
	return nil, true
}

// rows returns the rows of the dialog, one for each column. A column without room in the list has the note "no
// room". A column that the list leaves out because no row has a value in it has the note "no values".
func (d *columnDialog) rows() []widget.ListRow {
	rows := make([]widget.ListRow, len(d.places))
	for i, place := range d.places {
		title := d.grid.ColumnTitle(place.Name)
		if place.Off {
			rows[i] = widget.ListRow{Text: "  " + title, Role: theme.Muted}
			continue
		}
		rows[i] = widget.ListRow{Text: "✓ " + title}
		if d.grid.InView(place.Name) {
			continue
		}
		if d.grid.IsBlank(place.Name) {
			rows[i].Right = "no values"
		} else {
			rows[i].Right = "no room"
		}
	}
	return rows
}
