package tui

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/page/neworder"
)

// orderAgain begins a new order from another one.
func (a *App) orderAgain(o *api.Order) tea.Cmd {
	return tea.Batch(neworder.KeepInBackground(a.drafts.OrderAgain(o)), a.newOrder())
}
