package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

// forwardedLine is the line of listen --output json about a forwarded callback.
type forwardedLine struct {
	Event  string        `json:"event"` // always "forwarded"
	ID     string        `json:"id"`    // of the callback
	Type   api.EventName `json:"type"`  // its event
	To     string        `json:"to"`
	Status int           `json:"status"` // HTTP status of the response; 0 without one
	Millis int64         `json:"ms"`
	Error  string        `json:"error,omitempty"`
}

// forwardError is returned if the receiver of --forward-to did not accept a callback. The error was
// already printed.
type forwardError struct{ error }

func (e *forwardError) Unwrap() error { return e.error }

// forward sends the callback that is being received to the address of --forward-to and returns the result.
func (l *listenRun) forward(ctx context.Context, e *api.Event) (*forwardedLine, error) {
	done, err := webhooks.ForwardCallback(ctx, l.flags.Forward)
	return newForwardedLine(e, l.flags.Forward, done, err), err
}

func newForwardedLine(e *api.Event, to string, done webhooks.Forwarded, err error) *forwardedLine {
	line := &forwardedLine{
		Event:  "forwarded",
		ID:     e.ID,
		Type:   e.Event,
		To:     to,
		Status: done.Status,
		Millis: done.Took.Milliseconds(),
	}
	if err != nil {
		line.Error = err.Error()
	}
	return line
}

// describe returns the response in words, such as "← 200 in 3 ms".
func (f *forwardedLine) describe() string {
	if f.Status == 0 {
		return "← " + f.Error
	}
	return fmt.Sprintf("← %d in %d ms", f.Status, f.Millis)
}

// printForwarded prints a callback and the result of forwarding it.
func (c *Call) printForwarded(e *api.Event, f *forwardedLine) error {
	return c.PrintResult(f, "→ "+c.eventLine(e)+"  "+f.describe())
}

func (c *Call) eventLine(e *api.Event) string {
	m := e.Data.Mission
	return strings.Join([]string{
		format.Moment(e.Timestamp.Local(), c.Service.Now()),
		format.FitLeft(format.Clean(string(e.Event)), 25),
		format.FitLeft(format.Clean(m.OrderCode), 10),
		format.FitLeft(format.Clean(m.MissionCode), 10),
		string(m.Status),
	}, "  ")
}

// replayCallback sends the newest attempt of a callback to --forward-to again, unchanged.
func (c *Call) replayCallback(id, to string) error {
	attempts, err := readAttempts(c, id)
	if err != nil {
		return err
	}
	sent := attempts[len(attempts)-1]
	e, err := api.DecodeEvent([]byte(sent.Body))
	if err != nil {
		return prefixError("callback "+id, err)
	}
	done, err := webhooks.PostCallback(c, to, webhooks.HeaderOf(sent.Headers), []byte(sent.Body))
	return errors.Join(c.printForwarded(e, newForwardedLine(e, to, done, err)), err)
}
