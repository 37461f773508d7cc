package tui

import "flightdesk/tui/downloads"

// Downloads are the app's, for tests that wait for them.
func (a *App) Downloads() *downloads.Desk { return a.env.Downloads }
