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
	minChunk   = 4 << 20          // minimum size of a range of a large file, in bytes
	maxChunk   = 32 << 20         // maximum size of such a range
	helperRest = 10 * time.Second // time without helpers after a helper has failed
)

// transferRound downloads the missing ranges of a file with several goroutines.
type transferRound struct {
	t          *fileTransfer
	ctx        context.Context // ends with the round
	cancel     context.CancelCauseFunc
	goroutines sync.WaitGroup
}

// fetchMissing downloads all missing ranges, or returns why that is not possible now.
func (t *fileTransfer) fetchMissing(ctx context.Context) error {
	r := &transferRound{t: t}
	round, cancel := context.WithCancelCause(ctx)
	r.ctx = round
	r.cancel = cancel
	r.start(func() error {
		t.saveRegularly(round)
		return nil
	})
	err := api.Guard(func() error { return t.fetchRanges(round, r.startHelper) })
	cause := context.Cause(round)
	if err != nil && cause != nil {
		err = cause // why the round was stopped, such as the error of a helper
	}
	cancel(nil)
	r.goroutines.Wait()
	return err
}

// start starts a goroutine whose error or panic ends the round.
func (r *transferRound) start(do func() error) {
	r.goroutines.Go(func() {
		if err := api.Guard(do); err != nil {
			r.cancel(err)
		}
	})
}

// startHelper starts a goroutine that downloads other ranges of the file, a helper. If an error of
// the helper concerns the whole file, such as a full disk, it ends the round. After any other
// error, fetchRanges continues without the helper.
func (r *transferRound) startHelper() {
	r.start(func() error {
		defer r.t.helpers.Add(-1)
		err := r.t.fetchAsHelper(r.ctx)
		_, isPanic := errors.AsType[*api.PanicError](err)
		endsRound := errors.Is(err, errChanged) || isSizeFault(err) || isLocal(err) || isPanic
		if endsRound {
			return err
		}
		return nil
	})
}

func isDigestFault(err error) bool {
	_, isFault := errors.AsType[*digestFault](err)
	return isFault
}

func isSizeFault(err error) bool {
	_, isFault := errors.AsType[*sizeFault](err)
	return isFault
}

func isLocal(err error) bool {
	_, isOfDisk := errors.AsType[*diskError](err)
	return isOfDisk
}

// fetchRanges downloads one range after another, and retries if that may help. For a large
// file it calls startHelper to download other ranges at the same time.
func (t *fileTransfer) fetchRanges(ctx context.Context, startHelper func()) error {
	var errorsInRow errorCounts
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w := t.planRange()
		if w == nil {
			if t.isComplete() {
				return nil
			}
			t.waitForHelper(ctx) // helpers download the other ranges
			continue
		}
		chunkErr := t.fetchChunk(ctx, w, startHelper)
		if t.hasProgressed() { // possibly before an error
			errorsInRow = errorCounts{}
		}
		if chunkErr == nil {
			continue
		}
		errorsInRow.add(chunkErr)
		if err := t.prepareRetry(ctx, chunkErr, errorsInRow); err != nil {
			return err
		}
	}
}

// errorCounts counts the errors in a row without progress.
type errorCounts struct {
	refusals int // of links
	failures int // other errors
}

func (c *errorCounts) add(err error) {
	if isRefused(err) {
		c.refusals++
	} else {
		c.failures++
	}
}

func isRefused(err error) bool {
	_, isOfLink := errors.AsType[*linkRefusedError](err)
	return isOfLink
}

// fetchAsHelper downloads ranges while fetchRanges downloads other ranges. It stops at the first
// error, because the server may have rejected the additional connection.
func (t *fileTransfer) fetchAsHelper(ctx context.Context) error {
	for {
		w := t.planRange()
		if w == nil {
			return nil
		}
		if err := t.fetchChunk(ctx, w, nil); err != nil {
			t.mu.Lock()
			t.aloneUntil = time.Now().Add(helperRest)
			t.mu.Unlock()
			return err
		}
	}
}

// hasProgressed reports whether more bytes of the part have been written than at any earlier call.
func (t *fileTransfer) hasProgressed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	written := t.writtenRanges().totalBytes()
	if written <= t.mostWritten {
		return false
	}
	t.mostWritten = written
	return true
}

func (t *fileTransfer) isComplete() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size >= 0 && len(t.working) == 0 && t.done.totalBytes() == t.size
}

// backoffAfter returns the pause after a number of failures in a row. It doubles with each
// failure, and is shortened at random by up to a half.
func (p *timeLimits) backoffAfter(failures int) time.Duration {
	const maxDoublings = 20 // the shift must not overflow
	doublings := min(maxDoublings, max(0, failures-1))
	backoff := min(p.lastBackoff, p.firstBackoff<<doublings)
	return time.Duration(float64(backoff) * (0.5 + rand.Float64()/2))
}

// isFinal reports whether another attempt to download a range is useless.
func isFinal(err error) bool {
	var unexpected *unexpectedResponseError
	isOfFile := errors.Is(err, errChanged) || isSizeFault(err)
	isOfServer := errors.As(err, &unexpected) || isPermanentFault(err)
	return isLocal(err) || isOfFile || isOfServer
}

// waitForHelper waits until a helper has ended its range, or until ctx ends.
func (t *fileTransfer) waitForHelper(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-t.freed:
	}
}

// prepareRetry prepares the next attempt after an error, and waits until it can begin. It returns an
// error if there is no next attempt.
func (t *fileTransfer) prepareRetry(ctx context.Context, err error, counts errorCounts) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if isFinal(err) {
		return err
	}
	var refusal *linkRefusedError
	if errors.As(err, &refusal) {
		return t.retryWithNewLink(ctx, refusal, counts)
	}
	if counts.failures >= t.q.o.Tries {
		return fmt.Errorf("gave up after %d attempts: %w", counts.failures, err)
	}
	pause := t.q.o.pace.backoffAfter(counts.failures)
	var busy *serverBusyError
	if errors.As(err, &busy) {
		if busy.after > t.q.o.pace.longestWait {
			return fmt.Errorf("%w; retry after %s", err, busy.after.Round(time.Second))
		}
		pause = max(pause, busy.after)
		t.q.hosts.backOff(t.linkHost(), pause) // for the other files from this server
	}
	if resetErr := t.dropUnusablePart(); resetErr != nil {
		return resetErr
	}
	return t.waitBeforeRetry(ctx, pause)
}

// retryWithNewLink is prepareRetry after the server has rejected the link. The number of new links is limited by
// maxRefusals and not by the number of attempts.
func (t *fileTransfer) retryWithNewLink(ctx context.Context, refusal *linkRefusedError, counts errorCounts) error {
	if err := t.renewLink(ctx, refusal, counts.refusals); err != nil {
		return err
	}
	if counts.refusals == 1 {
		return nil // the new link probably works, so there is no pause
	}
	return t.waitBeforeRetry(ctx, t.q.o.pace.backoffAfter(counts.failures))
}

// dropUnusablePart empties the part if the next attempt cannot resume it.
func (t *fileTransfer) dropUnusablePart() error {
	t.mu.Lock()
	canResume := !t.withoutRanges && t.tag.isKnown()
	t.mu.Unlock()
	if canResume {
		return nil
	}
	return t.resetPart()
}

// maxRefusals is the number of links in a row that the server may reject.
const maxRefusals = 3

// renewLink gets a new link for the file after the server has rejected the current link. refusals
// is the number of links that the server has rejected in a row.
func (t *fileTransfer) renewLink(ctx context.Context, refusal *linkRefusedError, refusals int) error {
	if refusals > maxRefusals {
		return fmt.Errorf("%w: %w", ErrGone, refusal)
	}
	err := t.folder.renewLinks(ctx, refusal.listing)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, ErrGone) {
		return fmt.Errorf("%w: %w", ErrGone, refusal)
	}
	return fmt.Errorf("the link has expired and could not be renewed: %w", err)
}

// waitBeforeRetry waits for the pause. Meanwhile the item shows the time of the next attempt.
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

// planRange returns the range that the caller must download next: the first one that is missing and
// not being downloaded. It returns nil if there is no such range.
func (t *fileTransfer) planRange() *fileChunk {
	t.mu.Lock()
	defer t.mu.Unlock()
	planned := t.done // and the ranges that are being downloaded
	for _, w := range t.working {
		if w.end < 0 {
			return nil // this chunk covers the rest of the file
		}
		planned = planned.include(byteRange{w.from, w.end})
	}
	gap := planned.firstGap(t.size)
	hasEnd := gap.end >= 0
	if hasEnd && gap.length() == 0 {
		return nil
	}
	limit := t.chunkSize(planned.totalBytes())
	isTooLong := !hasEnd || gap.length() > limit
	if limit > 0 && isTooLong {
		gap.end = gap.from + limit
	}
	w := &fileChunk{from: gap.from, pos: gap.from, end: gap.end}
	t.working = append(t.working, w)
	return w
}

// chunkSize returns the size of the next range of a large file, or 0 if the next range is the rest of the file.
// planned is the number of bytes in earlier ranges. Ranges become smaller towards the end of the file, so that all
// connections end at about the same time.
func (t *fileTransfer) chunkSize(planned int64) int64 {
	size := t.size
	if size < 0 {
		size = t.it.size.Load()
	}
	if t.withoutRanges || t.q.o.Parts < 2 || size < t.q.o.PartsFrom {
		return 0
	}
	share := (size - planned) / int64(t.q.o.Parts)
	return max(minChunk, min(maxChunk, share))
}

// releaseChunk ends the download of a range, counts its written bytes as done, and computes the
// digest of the bytes before the first gap.
func (t *fileTransfer) releaseChunk(w *fileChunk) {
	t.mu.Lock()
	t.working = slices.DeleteFunc(t.working, func(other *fileChunk) bool { return other == w })
	t.done = t.done.include(byteRange{w.from, w.pos})
	sum := t.sum
	end := t.writtenRanges().prefixLength()
	t.mu.Unlock()
	select {
	case t.freed <- struct{}{}:
	default: // fetchRanges is already woken
	}
	if sum != nil && sum.mu.TryLock() { // unless another goroutine is computing the digest
		_ = sum.readUpTo(t.part, end) // verifyDigest reports the error
		sum.mu.Unlock()
	}
}
