package server

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// maxAhead is the maximum time by which the clock of the service can be ahead of real time. It is
// long enough for tests in which everything expires, and short enough for all dates to stay valid.
const maxAhead = 100 * 365 * 24 * time.Hour

// serviceClock is the clock of the server plus the time by which the operations API has
// advanced it.
type serviceClock struct {
	base  func() time.Time
	ahead atomic.Int64 // nanoseconds; never decreases
	mu    sync.Mutex   // held while ahead changes
}

func (c *serviceClock) currentTime() time.Time { return c.base().Add(time.Duration(c.ahead.Load())) }

// startClock restores the clock of the previous run. Processes that share a database
// always use real time.
func (s *service) startClock(ctx context.Context, settings *Server) error {
	if settings.storage().isShared() {
		return nil
	}
	ahead, err := s.domain.Upkeep.ClockAhead(ctx, maxAhead)
	if err != nil {
		return err
	}
	if ahead == 0 {
		return nil
	}
	s.clock.ahead.Store(int64(ahead))
	settings.Log.Warn("the service's clock was advanced in an earlier run", "ahead", ahead.String())
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

// clockBody is the request body that advances the clock.
type clockBody struct {
	Advance *api.Duration `json:"advance" check:"ahead"`
	At      *api.Time     `json:"at" check:"optional"`
}

func (b *clockBody) checkMembers(r *bodyReader) {
	if r.count == 0 && (b.Advance == nil) == (b.At == nil) {
		r.addFault("needs either advance (a duration) or at (a time)")
	}
}

// durationFrom returns by how much the clock must advance, given its current time.
func (b *clockBody) durationFrom(now time.Time) (time.Duration, error) {
	switch {
	case b.Advance != nil:
		return b.Advance.Duration, nil
	case b.At.Before(now):
		return 0, newFault(api.CodeConflict,
			"the clock only moves forward; it is now "+now.UTC().Format(time.RFC3339))
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
