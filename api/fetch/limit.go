package fetch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// rateLimiter bounds what all transfers receive together. Its rate may change at
// any time, also for those that are waiting.
type rateLimiter struct {
	rate    atomic.Int64 // bytes per second; 0 is no bound
	mu      sync.Mutex
	next    time.Time     // when the bytes taken so far are paid for
	changed chan struct{} // closed when the rate changes
}

func newRateLimiter(rate int64) *rateLimiter {
	t := &rateLimiter{changed: make(chan struct{})}
	t.rate.Store(max(0, rate))
	return t
}

func (t *rateLimiter) setRate(rate int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rate.Store(max(0, rate))
	t.next = time.Time{}
	close(t.changed)
	t.changed = make(chan struct{})
}

// readSize returns how much may be read at once, of n: a twentieth of a second's.
func (t *rateLimiter) readSize(n int) int {
	rate := t.rate.Load()
	if rate == 0 {
		return n
	}
	return int(max(512, min(int64(n), rate/20)))
}

// waitForBudget waits until n bytes that were received are within the rate.
func (t *rateLimiter) waitForBudget(ctx context.Context, n int) error {
	if t.rate.Load() == 0 {
		return nil
	}
	t.mu.Lock()
	rate, now := t.rate.Load(), time.Now()
	if rate == 0 {
		t.mu.Unlock()
		return nil
	}
	if t.next.Before(now) {
		t.next = now
	}
	t.next = t.next.Add(time.Duration(float64(n) / float64(rate) * float64(time.Second)))
	until, changed := t.next, t.changed
	t.mu.Unlock()
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
	case <-changed:
	}
	return nil
}
