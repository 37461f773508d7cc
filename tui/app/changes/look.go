package changes

import (
	"context"
	"time"
)

// LookSchedule says when to look on the service for a change, because lists of the service can lag behind.
// The zero value has the default pauses.
type LookSchedule struct {
	Pauses []time.Duration                            // between two attempts; nil for 1, 3 and 10 seconds
	Wait   func(context.Context, time.Duration) error // waits for a pause or until the context ends; nil for [WaitFor]
}

func (s LookSchedule) pauses() []time.Duration {
	if s.Pauses == nil {
		return []time.Duration{time.Second, 3 * time.Second, 10 * time.Second}
	}
	return s.Pauses
}

func (s LookSchedule) wait(ctx context.Context, pause time.Duration) error {
	if s.Wait == nil {
		return WaitFor(ctx, pause)
	}
	return s.Wait(ctx, pause)
}

// LookRepeatedly calls look after each pause of the schedule, until the outcome of the change is known
// (settled). It returns the results of the last call. If ctx ends before, LookRepeatedly calls look a last
// time, with a context that ends after a few seconds.
func (s LookSchedule) LookRepeatedly(ctx context.Context, look LookFunc) (settled bool, err error) {
	if ctx.Err() != nil {
		return lookAtOnce(ctx, look)
	}
	settled, err = look(ctx)
	for _, pause := range s.pauses() {
		if settled || s.wait(ctx, pause) != nil {
			break
		}
		settled, err = look(ctx)
	}
	if settled || ctx.Err() == nil {
		return settled, err
	}
	return lookAtOnce(ctx, look)
}

// lookAtOnce calls look once, even if ctx has ended, and returns its results.
func lookAtOnce(ctx context.Context, look LookFunc) (settled bool, err error) {
	lookCtx, cancel := ReadBackContext(ctx)
	defer cancel()
	return look(lookCtx)
}

const readBackTimeout = 5 * time.Second

// ReadBackContext returns the context for checking the outcome of a change: ctx, or a context
// that lasts a few seconds if ctx has ended.
func ReadBackContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), readBackTimeout)
}

// WaitFor waits for d, or returns the error of ctx if ctx ends first.
func WaitFor(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
