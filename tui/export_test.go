package tui

import (
	"flightdesk/tui/action"
	"flightdesk/tui/app/downloads"
	"flightdesk/tui/app/requestlog"
)

// Downloads are the app's, for tests that wait for them.
func (a *App) Downloads() *downloads.State { return a.env.Downloads }

// CrashOf returns what went wrong in an app, nil where nothing did.
func CrashOf(a *App) *Crash { return a.crash }

// Wire is the log of the app's requests.
func (a *App) Wire() *requestlog.Log { return a.env.RequestLog }

// Off says why an action is off.
func (a *App) Off(act action.Action) string { return a.off(act) }
