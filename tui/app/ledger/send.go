package ledger

import (
	"context"
	"net/http"
	"time"

	"flightdesk/api"
)

// Change is sent once and recognised on the service.
type Change struct {
	Entry
	Send func(context.Context) error // may set the outcome
	Look LookFunc
}

// LookFunc looks on the service for what became of a change. Once that is settled, the
// error says why it is not as it was confirmed; before, why looking failed.
type LookFunc func(context.Context) (settled bool, err error)

// UnconfirmedError is the error for a change that was sent and not seen on the
// service yet.
type UnconfirmedError struct{ Err error }

func (e *UnconfirmedError) Error() string {
	if api.IsStatus(e.Err, http.StatusAccepted) {
		return "the service is still working on it (HTTP 202); sent, not confirmed"
	}
	return e.Err.Error() + "; sent, not confirmed"
}

// Unwrap returns why there is no confirmation.
func (e *UnconfirmedError) Unwrap() error { return e.Err }

// SendOnce writes the change down, sends it once and notes what came of it. If the
// response does not say, it looks for the change on the service; the error is an
// [*UnconfirmedError] if that does not show it, and the entry stays open.
func (l *Ledger) SendOnce(ctx context.Context, c *Change) error {
	c.Outcome = Unanswered
	if err := l.AddEntry(c.Entry); err != nil {
		return err
	}
	err := c.Send(ctx)
	switch {
	case c.Outcome != Unanswered:
	case err == nil:
		c.Outcome = Confirmed
	case !api.MaybeApplied(err) && ctx.Err() == nil:
		c.Outcome = err.Error()
	default:
		if settled, fault := l.LookForChange(ctx, c, true); settled {
			return fault
		}
		return &UnconfirmedError{err}
	}
	_ = l.AddEntry(c.Entry) // without it the entry stays open, and is looked for later
	return err
}

// lookPauses are between the looks for a change: a list can lag behind it.
var lookPauses = []time.Duration{time.Second, 3 * time.Second, 10 * time.Second}

// LookForChange looks for an open change on the service, several times or once, and
// closes its entry once it is settled. The error is the last look's.
func (l *Ledger) LookForChange(ctx context.Context, c *Change, several bool) (settled bool, err error) {
	for i := 0; ; i++ {
		late, cancel := ReadBackContext(ctx)
		settled, err = c.Look(late)
		cancel()
		if settled || !several || i == len(lookPauses) || l.Wait(ctx, lookPauses[i]) != nil {
			break
		}
	}
	switch {
	case !settled:
		return false, err
	case err != nil:
		c.Outcome = err.Error()
	default:
		c.Outcome = Confirmed + "; the response was lost"
	}
	_ = l.AddEntry(c.Entry)
	return true, err
}

// Confirmed begins the outcome of a change that is on the service.
const Confirmed = "confirmed"

const readBackTimeout = 5 * time.Second

// ReadBackContext returns the context to read with what became of a change:
// ctx, or one that lasts a few seconds where ctx has ended.
func ReadBackContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), readBackTimeout)
}

func waitFor(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
