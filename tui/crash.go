package tui

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
)

// Crash is something that went wrong and never should. The app has ended, the
// terminal is as it was, and what was typed is kept.
type Crash struct {
	Reason any
	Stack  []byte
}

// Error says what went wrong, without the stack.
func (c *Crash) Error() string { return fmt.Sprintf("internal error: %v", c.Reason) }

// Crashed returns what went wrong, nil where nothing did.
func (a *App) Crashed() *Crash { return a.crash }

// guard turns a panic in Update or View into the app's end. Left to Bubble Tea
// it would be printed to the terminal as it is, with whatever it contains.
func (a *App) guard(end *tea.Cmd) {
	if r := recover(); r != nil {
		a.fail(page.CrashMsg{Reason: r, Stack: debug.Stack()})
		if end != nil {
			*end = tea.Quit
		}
	}
}

// fail keeps the first thing that went wrong.
func (a *App) fail(msg page.CrashMsg) {
	if a.crash == nil {
		a.crash = &Crash{msg.Reason, msg.Stack}
	}
}
