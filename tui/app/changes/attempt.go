package changes

import (
	"context"
	"net/http"
	"time"

	"flightdesk/api"
)

// Attempt is a change with the functions that send it and that find it on the service.
type Attempt struct {
	Change
	Send func(context.Context) error // may set the outcome
	Look LookFunc
}

// LookFunc looks on the service for the outcome of a change and reports whether it is known (settled). A
// settled change was made if err is nil; otherwise err says what happened instead. For a change that is
// not settled, err is nil or says why looking failed.
type LookFunc func(context.Context) (settled bool, err error)

// UnconfirmedError is returned for a change that was sent but not found on the service
// yet.
type UnconfirmedError struct{ Err error }

func (e *UnconfirmedError) Error() string {
	if api.IsStatus(e.Err, http.StatusAccepted) {
		return "the service is still working on it (HTTP 202); sent, not confirmed"
	}
	return e.Err.Error() + "; sent, not confirmed"
}

// Unwrap returns why there is no confirmation.
func (e *UnconfirmedError) Unwrap() error { return e.Err }

// SendOnce records the change, sends it once and records the outcome. If the response does not
// give the outcome, SendOnce looks for the change on the service. If it is not there, the error is
// an [*UnconfirmedError] and the change stays open.
func (l *Log) SendOnce(ctx context.Context, a *Attempt) error {
	a.MarkSent()
	if err := l.AddEntry(a.Change); err != nil {
		return err
	}
	sendErr := a.Send(ctx)
	if a.IsOpen() { // Send has not set the outcome
		mayBeApplied := sendErr != nil && (api.MaybeApplied(sendErr) || ctx.Err() != nil)
		if mayBeApplied {
			return l.lookForLost(ctx, a, sendErr)
		}
		if sendErr != nil {
			a.Fail(sendErr.Error())
		} else {
			a.Confirm("")
		}
	}
	_ = l.AddEntry(a.Change) // if this fails, the change stays open and is resolved later
	return sendErr
}

// lookForLost looks on the service for a change whose request failed with sendErr, but may have been
// carried out. If it does not find the change, it returns an [*UnconfirmedError].
func (l *Log) lookForLost(ctx context.Context, a *Attempt, sendErr error) error {
	settled, err := l.LookForChange(ctx, a, true)
	if !settled {
		return &UnconfirmedError{sendErr}
	}
	return err
}

// LookPauses are the pauses between looking for a change, because lists of the service can
// lag behind. Tests shorten them.
var LookPauses = []time.Duration{time.Second, 3 * time.Second, 10 * time.Second}

// LookForChange looks for an open change on the service and records the outcome when it is settled.
// If repeat is true, it looks several times, with [LookPauses] between the attempts. It returns the error
// of the last attempt.
func (l *Log) LookForChange(ctx context.Context, a *Attempt, repeat bool) (settled bool, err error) {
	var pauses []time.Duration
	if repeat {
		pauses = LookPauses
	}
	settled, err = LookRepeatedly(ctx, a.Look, pauses, l.Wait)
	if !settled {
		return false, err
	}
	if err != nil {
		a.Fail(err.Error())
	} else {
		a.Confirm("found on the service")
	}
	_ = l.AddEntry(a.Change) // if this fails, the change stays open and is resolved later
	return true, err
}

// LookRepeatedly looks for a change until it is settled, with the given pauses, and returns the error
// of the last attempt. If ctx ends, it looks once more for a few seconds.
func LookRepeatedly(
	ctx context.Context, look LookFunc, pauses []time.Duration, wait func(context.Context, time.Duration) error,
) (settled bool, err error) {
	for i := 0; ; i++ {
		lookCtx, cancel := ReadBackContext(ctx)
		settled, err = look(lookCtx)
		cancel()
		isLast := i == len(pauses)
		if settled || isLast || wait(ctx, pauses[i]) != nil {
			return settled, err
		}
	}
}

const readBackTimeout = 5 * time.Second

// ReadBackContext returns the context for checking the outcome of a change: ctx, or a context
// that lasts a few seconds if ctx has ended.
func ReadBackContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), readBackTimeout)
}

// WaitFor waits for d, or returns the error of ctx if ctx ends first.
func WaitFor(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
