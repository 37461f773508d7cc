package tui

import (
	"flightdesk/tui/action"
	"flightdesk/tui/downloads"
	"flightdesk/tui/wire"
)

// Downloads are the app's, for tests that wait for them.
func (a *App) Downloads() *downloads.Desk { return a.env.Downloads }

// CrashOf returns what went wrong in an app, nil where nothing did.
func CrashOf(a *App) *Crash { return a.crash }

// Wire is the log of the app's requests.
func (a *App) Wire() *wire.Log { return a.env.Wire }

// Off says why an action is off.
func (a *App) Off(act action.Action) string { return a.off(act) }
