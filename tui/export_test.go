package tui

import (
	"flightdesk/tui/action"
	"flightdesk/tui/app/session"
)

// Wire is the log of the app's requests.
func (a *App) Wire() *session.RequestLog { return a.ws.env.Profile.RequestLog }

// Off says why an action is off.
func (a *App) Off(act action.Action) string { return a.disabledReason(act) }
