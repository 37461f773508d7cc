package tui

import (
	"fmt"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/guard"
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

// guardUpdate turns a panic in Update or View into the app's end. Left to Bubble Tea
// it would be printed to the terminal as it is, with whatever it contains.
func (a *App) guardUpdate(end *tea.Cmd) {
	if r := recover(); r != nil {
		a.keepCrash(page.CrashMsg{Reason: r, Stack: debug.Stack()})
		if end != nil {
			*end = tea.Quit
		}
	}
}

// guardCommand turns a panic of a command, or of one that it returns, into the app's
// end.
func guardCommand(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		var msg tea.Msg
		if err := api.Guard(func() error { msg = cmd(); return nil }); err != nil {
			return page.CrashMsg{Reason: err}
		}
		if batch, ok := msg.(tea.BatchMsg); ok {
			all := make(tea.BatchMsg, len(batch))
			for i, each := range batch {
				all[i] = guardCommand(each)
			}
			return all
		}
		return msg
	}
}

// crashTime is how long what may have been interrupted by a panic, with its
// locks held, may take to end.
const crashTime = 2 * time.Second

// withinTime returns f, given up after a while.
func withinTime(d time.Duration, f func()) func() {
	return func() {
		select {
		case <-guard.Go(func() error { f(); return nil }):
		case <-time.After(d):
		}
	}
}

// keepCrash keeps the first thing that went wrong.
func (a *App) keepCrash(msg page.CrashMsg) {
	for p, ok := msg.Reason.(*api.PanicError); ok; p, ok = msg.Reason.(*api.PanicError) {
		msg = page.CrashMsg{Reason: p.Value, Stack: p.Stack} // of the goroutine that it began in
	}
	if a.crash == nil {
		a.crash = &Crash{msg.Reason, msg.Stack}
	}
}
