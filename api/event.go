package api

import "fmt"

// DecodeEvent reads the body of a callback. Only an object with an id and an
// event is one; everything else about it is read leniently. The error is an
// [ErrCallback].
func DecodeEvent(body []byte) (*Event, error) {
	e := &Event{}
	if err := decodeRecord(body, e); err != nil || e.ID == "" || e.Event == "" {
		return nil, fmt.Errorf("%w: its body is not an event", ErrCallback)
	}
	return e, nil
}

// EventOrderCompleted is the X-Service-Event of the notification that the
// v2 API sends where an order asked for it. No endpoint subscribes
// to it. Its body is an [OrderCompletion].
const EventOrderCompleted EventName = "order.completed"
