package api

import (
	"context"
	"time"
)

// ServiceClock is the clock that every expiry and date of the service follows.
type ServiceClock struct {
	Now        Time         `json:"now"`
	Ahead      Duration     `json:"ahead"`      // what it was advanced by in all
	Adjustable bool         `json:"adjustable"` // the service is one for trying things out
	Extra      ExtraMembers `json:",embed"`
}

// Clock returns the service's clock.
func (s *OpsWorldService) Clock(ctx context.Context) (*ServiceClock, error) {
	return opsCall[ServiceClock](ctx, s.c, newOperation("read clock", "GET clock"), nil)
}

// AdvanceClock moves the service's clock forward by a length of time over 0.
func (s *OpsWorldService) AdvanceClock(ctx context.Context, by time.Duration) (*ServiceClock, error) {
	return opsCall[ServiceClock](ctx, s.c, newOperation("advance clock", "POST clock"),
		map[string]Duration{"advance": {by}})
}

// SetClock moves the service's clock forward to a moment in its future.
func (s *OpsWorldService) SetClock(ctx context.Context, at time.Time) (*ServiceClock, error) {
	return opsCall[ServiceClock](ctx, s.c, newOperation("set clock", "POST clock"), map[string]Time{"at": TimeOf(at)})
}
