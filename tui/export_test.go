package tui

import "flightdesk/tui/downloads"

// Downloads are the app's, for tests that wait for them.
func (a *App) Downloads() *downloads.Desk { return a.env.Downloads }

// CrashOf returns what went wrong in an app, nil where nothing did.
func CrashOf(a *App) *Crash { return a.crash }
