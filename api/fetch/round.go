package fetch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"sync"
	"time"

	"flightdesk/api"
)

const (
	minChunk   = 4 << 20 // of a large file
	maxChunk   = 32 << 20
	helperRest = 10 * time.Second
)

// fetchMissing fetches all that is missing, or returns why that is not possible now.
func (t *fileTransfer) fetchMissing(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var helpers sync.WaitGroup
	// begin runs something beside fetchRanges; its error, or panic, ends the round.
	begin := func(do func() error) {
		helpers.Go(func() {
			if err := api.Guard(do); err != nil {
				cancel(err)
			}
		})
	}
	begin(func() error { t.saveRegularly(ctx); return nil })
	err := api.Guard(func() error {
		return t.fetchRanges(ctx, func() {
			begin(func() error {
				defer t.helpers.Add(-1)
				err := t.fetchBeside(ctx)
				var bug *api.PanicError
				if errors.Is(err, errChanged) || isSizeFault(err) || isLocal(err) || errors.As(err, &bug) {
					return err
				}
				return nil // the lead goes on
			})
		})
	})
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	cancel(nil)
	helpers.Wait()
	return err
}

func isSizeFault(err error) bool { var e *sizeFault; return errors.As(err, &e) }
func isLocal(err error) bool     { var e *diskError; return errors.As(err, &e) }

// fetchRanges fetches range after range, and tries again where that may help.
func (t *fileTransfer) fetchRanges(ctx context.Context, hire func()) error {
	failures, refusals := 0, 0
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w := t.planRange()
		if w == nil {
			if t.isComplete() {
				return nil
			}
			select {
			case <-ctx.Done():
			case <-t.freed:
			}
			continue
		}
		err := t.fetchChunk(ctx, w, hire)
		if t.hasGained() {
			failures, refusals = 0, 0
		}
		if err == nil {
			continue
		}
		if isRefused(err) {
			refusals++
		} else {
			failures++
		}
		pause, err := t.nextTry(ctx, err, failures, refusals)
		if err != nil {
			return err
		}
		if err := t.waitBeforeRetry(ctx, pause); err != nil {
			return err
		}
	}
}

func isRefused(err error) bool { var e *linkRefusedError; return errors.As(err, &e) }

// fetchBeside fetches ranges beside fetchRanges until something goes wrong: then the
// server may not want so many connections.
func (t *fileTransfer) fetchBeside(ctx context.Context) error {
	for {
		w := t.planRange()
		if w == nil {
			return nil
		}
		if err := t.fetchChunk(ctx, w, nil); err != nil {
			t.mu.Lock()
			t.alone = time.Now().Add(helperRest)
			t.mu.Unlock()
			return err
		}
	}
}

// hasGained reports whether there is more than ever before.
func (t *fileTransfer) hasGained() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.writtenRanges().totalBytes()
	gained := now > t.high
	t.high = max(t.high, now)
	return gained
}

func (t *fileTransfer) isComplete() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size >= 0 && len(t.working) == 0 && t.done.totalBytes() == t.size
}

// nextTry says how long to wait before the next try, or why there is none.
func (t *fileTransfer) nextTry(ctx context.Context, err error, failures, refusals int) (time.Duration, error) {
	p := t.q.o.pace
	backoff := min(p.lastBackoff, p.firstBackoff<<min(20, max(0, failures-1)))
	backoff = time.Duration(float64(backoff) * (0.5 + rand.Float64()/2))
	var later *serverBusyError
	var never *unexpectedAnswerError
	switch {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case isLocal(err),
		errors.Is(err, errChanged),
		isSizeFault(err),
		errors.As(err, &never),
		isPermanentFault(err):
		return 0, err
	case isRefused(err):
		return t.renewLink(ctx, err, backoff, refusals)
	case failures >= t.q.o.Tries:
		return 0, fmt.Errorf("gave up after %d attempts: %w", failures, err)
	case errors.As(err, &later):
		if later.after > p.longestWait {
			return 0, fmt.Errorf("%w; retry after %s", err, later.after.Round(time.Second))
		}
		backoff = max(backoff, later.after)
		t.q.hosts.backOff(t.linkHost(), backoff)
	}
	t.mu.Lock()
	stuck := t.whole || !t.tag.isKnown()
	t.mu.Unlock()
	if stuck { // a part cannot be gone on with
		return backoff, t.resetPart()
	}
	return backoff, nil
}

// renewLink gets a fresh link for one that is refused.
func (t *fileTransfer) renewLink(
	ctx context.Context,
	why error,
	backoff time.Duration,
	refusals int,
) (time.Duration, error) {
	if refusals > 3 {
		return 0, fmt.Errorf("%w: %w", ErrGone, why)
	}
	var e *linkRefusedError
	_ = errors.As(why, &e)
	if err := t.folder.renewLinks(ctx, e.listing); err != nil {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if errors.Is(err, ErrGone) {
			return 0, fmt.Errorf("%w: %w", ErrGone, why)
		}
		return 0, fmt.Errorf("the link has expired and could not be renewed: %w", err)
	}
	if refusals == 1 {
		backoff = 0
	}
	return backoff, nil
}

// waitBeforeRetry waits before another try.
func (t *fileTransfer) waitBeforeRetry(ctx context.Context, pause time.Duration) error {
	if pause <= 0 {
		return nil
	}
	note := "retrying at " + time.Now().Add(pause).Format(time.TimeOnly)
	t.it.note.Store(&note)
	defer t.it.note.Store(nil)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

func (t *fileTransfer) linkHost() string {
	file, _ := t.listedFile()
	if u, err := url.Parse(file.URL); err == nil {
		return u.Host
	}
	return ""
}

// planRange hands out a range that nobody fetches yet, nil where there is none.
func (t *fileTransfer) planRange() *fileChunk {
	t.mu.Lock()
	defer t.mu.Unlock()
	handled := t.done
	for _, w := range t.working {
		if w.end < 0 {
			return nil // somebody fetches all the rest
		}
		handled = handled.include(byteRange{w.from, w.end})
	}
	gap := handled.firstGap(t.size)
	if gap[1] >= 0 && gap.length() == 0 {
		return nil
	}
	if limit := t.chunkSize(handled.totalBytes()); limit > 0 && (gap[1] < 0 || gap.length() > limit) {
		gap[1] = gap[0] + limit
	}
	w := &fileChunk{from: gap[0], pos: gap[0], end: gap[1]}
	t.working = append(t.working, w)
	return w
}

// chunkSize returns how much of a large file is asked for at once: less towards the
// end, so that all connections end at about the same time. 0 is all of it.
func (t *fileTransfer) chunkSize(handled int64) int64 {
	size := t.size
	if size < 0 {
		size = t.it.size.Load()
	}
	if t.whole || t.q.o.Parts < 2 || size < t.q.o.PartsFrom {
		return 0
	}
	return max(minChunk, min(maxChunk, (size-handled)/int64(t.q.o.Parts)))
}

// giveBack takes a range back that is no longer fetched, as far as it has come, and
// works the digest out of what is there without a gap.
func (t *fileTransfer) giveBack(w *fileChunk) {
	t.mu.Lock()
	t.working = slices.DeleteFunc(t.working, func(other *fileChunk) bool { return other == w })
	t.done = t.done.include(byteRange{w.from, w.pos})
	sum, end := t.sum, t.writtenRanges().prefixLength()
	t.mu.Unlock()
	select {
	case t.freed <- struct{}{}:
	default:
	}
	if sum != nil && sum.mu.TryLock() { // else somebody is at it
		_ = sum.readUpTo(t.part, end) // the verification says it
		sum.mu.Unlock()
	}
}
