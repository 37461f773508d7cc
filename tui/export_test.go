package tui

import (
	"flightdesk/tui/action"
	"flightdesk/tui/app/session"
)

// Wire returns the request log of the app.
func (a *App) Wire() *session.RequestLog { return a.ws.env.Profile.RequestLog }

// Off returns why an action is disabled, or "".
func (a *App) Off(act action.Action) string { return a.disabledReason(act) }
