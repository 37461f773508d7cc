package tui

import (
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/page"
)

// Crash is a panic that has ended the app. Run returns it as an error, after it has restored the
// terminal and saved typed text.
type Crash = page.CrashMsg

// Crashed returns the panic that ended the app, or nil.
func (a *App) Crashed() *Crash { return a.crash }

// guardUpdate ends the app after a panic in Update or View. It must be deferred. Otherwise Bubble Tea would
// print the panic, with all of its data, to the terminal. After a panic in Update it sets cmd to the command
// to quit. For View, cmd is nil.
func (a *App) guardUpdate(cmd *tea.Cmd) {
	r := recover()
	if r == nil {
		return
	}
	a.recordCrash(page.CrashMsg{Reason: r, Stack: debug.Stack()})
	if cmd != nil {
		*cmd = tea.Quit
	}
}

// guardCommand wraps a command. A panic in it, or in a command that it returns, becomes a CrashMsg,
// which ends the app and saves its state.
func guardCommand(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		var msg tea.Msg
		err := api.Guard(func() error {
			msg = cmd()
			return nil
		})
		if err != nil {
			return page.CrashMsg{Reason: err}
		}
		batch, ok := msg.(tea.BatchMsg)
		if !ok {
			return msg
		}
		guarded := make(tea.BatchMsg, len(batch))
		for i, cmd := range batch {
			guarded[i] = guardCommand(cmd)
		}
		return guarded
	}
}

// crashTimeout limits the time for cleaning up after a panic. The code that panicked may have left a lock
// locked, which would block the cleanup forever.
const crashTimeout = 2 * time.Second

// withinTime returns a function that calls f, but waits at most the duration d for it.
func withinTime(d time.Duration, f func()) func() {
	return func() {
		done := api.Go(func() error {
			f()
			return nil
		})
		select {
		case <-done:
		case <-time.After(d):
		}
	}
}

// recordCrash records the first panic, with the stack of the goroutine in which it happened.
func (a *App) recordCrash(msg page.CrashMsg) {
	if a.crash != nil {
		return
	}
	for {
		inner, ok := msg.Reason.(*api.PanicError)
		if !ok {
			break
		}
		msg = page.CrashMsg{Reason: inner.Value, Stack: inner.Stack}
	}
	a.crash = &msg
}
