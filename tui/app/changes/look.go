package changes

import (
	"context"
	"time"
)

// LookSchedule says how often a change is looked for on the service, because lists of the service can lag
// behind. The zero value looks at once and then after each of the usual pauses.
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

// LookRepeatedly looks for a change until it is settled, with pauses, and returns the error of the last
// attempt. If ctx ends, LookRepeatedly looks once more for a few seconds and returns.
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

// lookAtOnce looks for a change once, even if ctx has ended. It returns the results of look.
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
