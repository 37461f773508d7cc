package tui

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page/wire"
)

// showWire shows the run's requests over the page on the screen; from there it
// goes back to it.
func (a *App) showWire() tea.Cmd {
	if _, is := a.top().(*wire.Page); is {
		return nil
	}
	return a.open(wire.New(a.env))
}
