package webhooks

import (
	"context"
	"errors"
	"time"

	"flightdesk/api"
)

// Sent is what came of a test event that was sent from here.
type Sent struct {
	To     string // without what is secret of it
	Event  api.EventName
	ID     string
	Status string // "" where no answer came
	Took   time.Duration
	Answer string // the beginning of it
}

// SendTest sends a test event to a receiver once, signed with the secret, as the
// page does. The error says why it was not taken; what came of it is returned
// all the same.
func SendTest(ctx context.Context, to, secret string, event api.EventName, now time.Time) (Sent, error) {
	target, problem := receiver(to)
	if problem != "" {
		return Sent{}, errors.New(problem)
	}
	r := testResult{to: target.Redacted(), event: event}
	var body []byte
	if r.id, body, r.err = testEvent(event, now); r.err == nil {
		r.post(ctx, target.String(), secret, body)
	}
	if r.err == nil && !r.ok {
		r.err = errors.New("the receiver answers " + r.status)
	}
	return Sent{r.to, r.event, r.id, r.status, r.took, r.answer}, r.err
}

// Receiver says what is wrong with the address of a receiver, nil for nothing,
// and whether it is on this machine for certain.
func Receiver(text string) (here bool, err error) {
	target, problem := receiver(text)
	if problem != "" {
		return false, errors.New(problem)
	}
	return isLoopback(target.Hostname()), nil
}
