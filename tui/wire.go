package tui

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page/requests"
)

// showWire shows the run's requests over the page on the screen; from there it
// goes back to it.
func (a *App) showWire() tea.Cmd {
	if _, is := a.stacks.top().(*requests.Page); is {
		return nil
	}
	return a.stacks.open(requests.New(a.env))
}
