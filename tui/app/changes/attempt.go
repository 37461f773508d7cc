package changes

import (
	"context"
	"net/http"

	"flightdesk/api"
)

// Attempt is a change with a function that sends it and a function that looks for it on the service. The functions
// can complete the change, for example with the ID of the order that it placed.
type Attempt struct {
	Change
	Send SendFunc
	Look LookFunc
}

// SendFunc sends a change. If it returns the zero outcome, err alone decides: nil means that the change was made, and
// any other error that it failed or may have been lost ([api.MaybeApplied]).
type SendFunc func(context.Context) (outcome Outcome, err error)

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
	outcome, sendErr := a.Send(ctx)
	if outcome.State == "" && sendErr != nil {
		mayBeApplied := api.MaybeApplied(sendErr) || ctx.Err() != nil
		if mayBeApplied {
			return l.lookForLost(ctx, a, sendErr)
		}
		outcome = NewFailed(sendErr.Error())
	}
	if outcome.State == "" {
		outcome = NewConfirmed("")
	}
	a.Outcome = outcome
	_ = l.AddEntry(a.Change) // if this fails, the change stays open and is resolved later
	return sendErr
}

// lookForLost looks on the service for a change. The request of the change failed with sendErr, but the service may
// have carried it out. If it does not find the change, it returns an [*UnconfirmedError].
func (l *Log) lookForLost(ctx context.Context, a *Attempt, sendErr error) error {
	settled, err := l.LookForChange(ctx, a, true)
	if !settled {
		return &UnconfirmedError{sendErr}
	}
	return err
}

// LookForChange looks for an open change on the service and records the outcome when it is settled.
// If repeat is true, it looks several times, with pauses. It returns the error of the last attempt.
func (l *Log) LookForChange(ctx context.Context, a *Attempt, repeat bool) (settled bool, err error) {
	if repeat {
		settled, err = l.schedule.LookRepeatedly(ctx, a.Look)
	} else {
		settled, err = lookAtOnce(ctx, a.Look)
	}
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
