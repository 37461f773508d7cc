package server

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
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

func (c *testControls) wireClock() ops.ServiceClock {
	return ops.ServiceClock{
		Now: api.TimeOf(c.now().UTC()), Ahead: api.Duration{Duration: time.Duration(c.clock.ahead.Load())},
		Adjustable: c.access.worldRefusal() == "",
	}
}

// clockBody is the body that moves the clock.
type clockBody struct {
	Advance *api.Duration `json:"advance" check:"ahead"`
	At      *api.Time     `json:"at" check:"optional"`
}

func (b *clockBody) checkMembers(r *bodyReader) {
	if r.count == 0 && (b.Advance == nil) == (b.At == nil) {
		r.noteFault("needs either advance (a duration) or at (a time)")
	}
}

// durationFrom returns by how much the clock is to move if it is now at a time.
func (b *clockBody) durationFrom(now time.Time) (time.Duration, error) {
	switch {
	case b.Advance != nil:
		return b.Advance.Duration, nil
	case b.At.Before(now):
		return 0, newFault(
			api.CodeConflict,
			"the clock only moves forward; it is now "+now.UTC().Format(time.RFC3339),
		)
	case b.At.Sub(now) > maxAhead:
		return 0, invalidMember("at", "is more than 100 years ahead")
	default:
		return b.At.Sub(now), nil
	}
}

func (c *testControls) advanceClock(x *exchange, in *clockBody) (handlerAnswer, error) {
	err := c.director.advanceClock(x.r.Context(), in.durationFrom)
	return answerWith("the clock is now at "+c.now().UTC().Format(time.RFC3339), c.wireClock(), err)
}
