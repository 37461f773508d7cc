package changes

import (
	"context"
	"net/http"

	"flightdesk/api"
)

// Attempt is a change to send. Send and Look can add data to the Change, for example the ID of the placed order.
type Attempt struct {
	Change
	Send SendFunc // sends the change
	Look LookFunc // finds out whether a change was made whose response was lost
}

// SendFunc sends a change. If the returned outcome is not the zero value, it is recorded. If it is the
// zero value, err decides: with nil, the change was made; if [api.MaybeApplied] returns true for err, the
// outcome must be looked up; with any other error, the change has failed.
type SendFunc func(context.Context) (outcome Outcome, err error)

// LookFunc looks up on the service whether a change was made. settled is true if the answer is known: with
// a nil error the change was made, otherwise the error says what happened instead. If settled is false, a
// non-nil error says why the lookup failed.
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

// Unwrap returns why the change could not be confirmed.
func (e *UnconfirmedError) Unwrap() error { return e.Err }

// SendOnce records the change, sends it once and records the outcome. If the response is lost, SendOnce
// looks on the service for the change. If the change is not found, SendOnce returns an
// [*UnconfirmedError], and the change stays in the state [Sent].
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

// lookForLost looks on the service for a change whose request has failed with sendErr, because the service
// may have made the change nevertheless. It returns an [*UnconfirmedError] if the change is not found.
func (l *Log) lookForLost(ctx context.Context, a *Attempt, sendErr error) error {
	settled, err := l.LookForChange(ctx, a, true)
	if !settled {
		return &UnconfirmedError{sendErr}
	}
	return err
}

// LookForChange looks on the service for a change in the state [Sent], and records the outcome if it is
// known (settled). If repeat is true, it looks several times, with pauses. It returns the error of the
// last attempt.
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
