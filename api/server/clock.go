package server

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"flightdesk/api"
)

// maxAhead is how far the service's clock may be ahead of the machine's: far
// enough for everything to expire, near enough for every date to be one.
const maxAhead = 100 * 365 * 24 * time.Hour

// serviceClock is the clock that the server was given, moved forward by what
// the operations API has asked for.
type serviceClock struct {
	base  func() time.Time
	ahead atomic.Int64 // nanoseconds; it only grows
	mu    sync.Mutex   // held while it does
}

func (c *serviceClock) currentTime() time.Time { return c.base().Add(time.Duration(c.ahead.Load())) }

// startClock puts the clock where an earlier run left it. Processes that share a
// database all have the machine's.
func (s *Server) startClock(ctx context.Context) error {
	if s.isShared() {
		return nil
	}
	ahead, err := s.domain.Upkeep.ClockAhead(ctx, maxAhead)
	if err != nil || ahead == 0 {
		return err
	}
	s.clock.ahead.Store(int64(ahead))
	s.Log.Warn("the service's clock was advanced in an earlier run", "ahead", ahead.String())
	return nil
}

func (c *testControls) readClock(*exchange) (handlerAnswer, error) {
	return handlerAnswer{message: "the service's clock", data: c.wireClock()}, nil
}

func (c *testControls) wireClock() api.ServiceClock {
	return api.ServiceClock{
		Now: api.TimeOf(c.now().UTC()), Ahead: api.Duration{Duration: time.Duration(c.clock.ahead.Load())},
		Adjustable: c.checkOpen() == nil,
	}
}

func (c *testControls) advanceClock(x *exchange) (handlerAnswer, error) {
	body, err := x.readBody()
	if err != nil {
		return handlerAnswer{}, err
	}
	var by *time.Duration
	var at api.Time
	err = readJSON(body, nil, func(r *bodyReader) error {
		count := r.count
		err := r.objectWith(nil, []bodyMember{
			{"advance", func() error { return r.readDuration(time.Nanosecond, maxAhead, ensureValue(&by)) }},
			{"at", func() error { return r.readDate(&at) }},
		})
		if err == nil && r.count == count && (by == nil) == at.IsZero() {
			r.noteFault("needs either advance (a duration) or at (a time)")
		}
		return err
	})
	if err != nil {
		return handlerAnswer{}, err
	}
	if err := c.checkOpen(); err != nil {
		return handlerAnswer{}, err
	}
	err = c.director.advanceClock(x.r.Context(), func(now time.Time) (time.Duration, error) {
		switch {
		case by != nil:
			return *by, nil
		case at.Before(now):
			return 0, newFault(api.CodeConflict, "the clock only moves forward; it is now "+now.UTC().Format(time.RFC3339)+" by now")
		case at.Sub(now) > maxAhead:
			return 0, invalidRequest([]api.FieldError{{Field: "at", Message: "is more than 100 years ahead"}}, 1)
		default:
			return at.Sub(now), nil
		}
	})
	if err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{message: "the clock is now at " + c.now().UTC().Format(time.RFC3339), data: c.wireClock()}, nil
}

// readDuration reads a length of time from low to high.
func (r *bodyReader) readDuration(low, high time.Duration, into *time.Duration) error {
	s, ok, err := r.readQuoted()
	if !ok {
		return err
	}
	d, err := api.ParseDuration(s)
	switch {
	case s == "":
		r.noteFault("is required")
	case err != nil:
		r.noteFault("%q is not a valid duration; use 90s, 36h or 7d", cutText(s, 40))
	case d < low && low <= time.Nanosecond:
		r.noteFault("must be greater than zero")
	case d < low || d > high:
		r.noteFault("must be from %s to %s", low, high)
	default:
		*into = d
	}
	return nil
}
