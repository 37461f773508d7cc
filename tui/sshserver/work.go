package sshserver

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// workShare limits the processor time that the apps of one person use. The sessions of a person take turns,
// and work only for a part of the time. Other people therefore wait at most for a single piece of that
// person's work. A workShare is safe for concurrent use.
type workShare struct {
	turn chan struct{} // has an element while a session works
	time *rate.Limiter // for the processor time, in microseconds
}

// newWorkShare returns a limit for one person: factor times workRate, with a burst of factor times workBurst.
// factor is 2 for the user viewer, whom several people share, and otherwise 1.
func newWorkShare(factor int) *workShare {
	return &workShare{
		turn: make(chan struct{}, 1),
		time: rate.NewLimiter(rate.Limit(factor*workRate), factor*workBurst),
	}
}

// do waits until it is the session's turn and the person has processor time left, and then runs work.
// After ctx has ended it does not wait for processor time.
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
