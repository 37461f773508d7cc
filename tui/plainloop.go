package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
)

// messageLoop replaces Bubble Tea in plain mode: it passes messages to a model and runs the
// commands that the model returns. Unlike Bubble Tea it knows when all commands are done.
type messageLoop struct {
	// update passes a message to the model. It is called only in the goroutine of handle and
	// handleUntil.
	update  func(tea.Msg) tea.Cmd
	msgs    chan tea.Msg
	ctx     context.Context // ends with the loop
	end     func()          // ends the loop
	running int             // number of running commands
}

// newMessageLoop returns a loop without a model that ends with ctx.
func newMessageLoop(ctx context.Context) *messageLoop {
	ctx, end := context.WithCancel(ctx)
	return &messageLoop{
		msgs: make(chan tea.Msg, 64),
		ctx:  ctx,
		end:  end,
	}
}

// doneMsg contains the message that a finished command has returned.
type doneMsg struct{ msg tea.Msg }

// send sends a message to the loop from any goroutine, unless the loop has ended.
func (l *messageLoop) send(msg tea.Msg) {
	select {
	case l.msgs <- msg:
	case <-l.ctx.Done():
	}
}

// uncountedTimer wraps a timer so that a pending timer does not count as a running command.
func (l *messageLoop) uncountedTimer(
	timer func(time.Duration, tea.Msg) tea.Cmd,
) func(time.Duration, tea.Msg) tea.Cmd {
	return func(d time.Duration, msg tea.Msg) tea.Cmd {
		wait := timer(d, msg)
		api.Go(func() error {
			l.send(wait())
			return nil
		})
		return nil
	}
}

// start starts a command in the background.
func (l *messageLoop) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	l.running++
	api.Go(func() error {
		l.send(doneMsg{guardCommand(cmd)()})
		return nil
	})
}

// handle passes a message to the model and starts the command that the model returns.
func (l *messageLoop) handle(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case doneMsg:
		l.running--
		l.handle(msg.msg)
	case tea.QuitMsg:
		l.end()
	case tea.BatchMsg:
		for _, cmd := range msg {
			l.start(cmd)
		}
	default:
		l.start(l.update(msg))
	}
}

// loopEvent is why handleUntil has returned.
type loopEvent int

const (
	loopDone     loopEvent = iota // isDone has returned true, or the loop has ended
	loopTimeout                   // the timeout is over
	loopLine                      // an input line has arrived
	loopInputEnd                  // the input has ended
)

// handleUntil handles messages until isDone returns true, the loop ends, timeout fires, or an input line
// arrives. event says which of these has happened. line is the input line if event is loopLine. If lines or
// timeout is nil, handleUntil does not wait for it.
func (l *messageLoop) handleUntil(
	isDone func() bool, lines <-chan string, timeout <-chan time.Time,
) (line string, event loopEvent) {
	for l.ctx.Err() == nil && !isDone() {
		select {
		case msg := <-l.msgs:
			l.handle(msg)
		case line, ok := <-lines:
			if l.ctx.Err() != nil {
				return "", loopDone // the line arrived with the end of the loop
			}
			if !ok {
				return "", loopInputEnd
			}
			return line, loopLine
		case <-timeout:
			return "", loopTimeout
		case <-l.ctx.Done():
		}
	}
	return "", loopDone
}
