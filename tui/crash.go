package tui

import (
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/page"
)

// Crash is an unexpected failure. The app has ended, the terminal is restored,
// and typed text is saved.
type Crash = page.CrashMsg

// Crashed returns the failure that ended the app, or nil.
func (a *App) Crashed() *Crash { return a.crash }

// guardUpdate turns a panic in Update or View into the app's end. Bubble Tea
// would print it to the terminal with whatever it contains.
func (a *App) guardUpdate(end *tea.Cmd) {
	if r := recover(); r != nil {
		a.recordCrash(page.CrashMsg{Reason: r, Stack: debug.Stack()})
		if end != nil {
			*end = tea.Quit
		}
	}
}

// guardCommand turns a panic in a command, or in commands that it returns, into
// the app's end.
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

// crashTimeout is how long cleaning up may take after a panic, which may have left
// locks held.
const crashTimeout = 2 * time.Second

// withinTime returns a function that calls f and gives up after d.
func withinTime(d time.Duration, f func()) func() {
	return func() {
		select {
		case <-api.Go(func() error { f(); return nil }):
		case <-time.After(d):
		}
	}
}

// recordCrash records the first failure.
func (a *App) recordCrash(msg page.CrashMsg) {
	for p, ok := msg.Reason.(*api.PanicError); ok; p, ok = msg.Reason.(*api.PanicError) {
		msg = page.CrashMsg{Reason: p.Value, Stack: p.Stack} // the stack of the goroutine that failed
	}
	if a.crash == nil {
		a.crash = &msg
	}
}
