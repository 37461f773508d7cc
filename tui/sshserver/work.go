package sshserver

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// workShare limits how much of the processors the apps of one person use. The sessions of
// a person work one after another and for a part of the time only, so other people's keys
// never wait for more than one piece of that person's work. It is safe for concurrent use.
type workShare struct {
	turn chan struct{} // has an element while a session works
	time *rate.Limiter // of microseconds
}

// newWorkShare returns a share of so many times workRate.
func newWorkShare(times int) *workShare {
	return &workShare{
		turn: make(chan struct{}, 1),
		time: rate.NewLimiter(rate.Limit(times*workRate), times*workBurst),
	}
}

// do waits until the person may work, then runs work. If ctx ends it no longer waits.
func (s *workShare) do(ctx context.Context, work func()) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	_ = s.time.WaitN(ctx, 1)
	began := time.Now()
	defer func() {
		used := int(time.Since(began).Microseconds())
		s.time.ReserveN(time.Now(), min(used, s.time.Burst()))
	}()
	work()
}
