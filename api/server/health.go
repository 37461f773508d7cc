package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

const (
	checkInterval     = 5 * time.Second
	awayCheckInterval = time.Second           // while a dependency is away
	checkTimeout      = 3 * time.Second       // after which a check has failed
	readyWait         = 40 * time.Millisecond // how long /readyz waits for a check
	outageTimeout     = 5 * time.Second       // time without a failure after which an outage is over
)

// dependency is the database or the file store, which may be unreachable for some time. A
// goroutine checks it regularly, so that its state is known at any time. The log gets one line
// when an outage begins, and another when the outage is over.
type dependency struct {
	name  string // for the log
	place string // address or folder for the log, without secrets; if empty, it is not logged
	check func(context.Context) error
	log   *slog.Logger
	now   func() time.Time

	wake chan struct{} // starts a check now

	mu        sync.Mutex
	checked   chan struct{} // closed at the end of the next check
	failure   error         // result of the last check
	awaySince time.Time     // first of the failed checks; zero if the last check succeeded
	outage    time.Time     // start of the outage; zero if there is none
	lastFail  time.Time     // last failure of a check or a request
	returned  time.Time     // first successful check after lastFail; zero if there was none
	requests  int           // number of requests that failed during the outage
}

func newDependency(log *slog.Logger, name, place string, check func(context.Context) error) *dependency {
	return &dependency{
		name:    name,
		place:   place,
		check:   check,
		log:     log,
		now:     time.Now,
		wake:    make(chan struct{}, 1),
		checked: make(chan struct{}),
	}
}

// watch checks the dependency until ctx ends.
func (d *dependency) watch(ctx context.Context) {
	for ctx.Err() == nil {
		d.runCheck(ctx)
		pause := checkInterval
		if d.hasOutage() {
			pause = awayCheckInterval
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-d.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// runCheck checks once and returns when the check has ended. A check that takes longer than
// checkTimeout counts as failed even before it ends.
func (d *dependency) runCheck(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	result := make(chan error, 1)
	go func() { result <- d.check(limited) }()
	select {
	case err := <-result:
		if errors.Is(err, context.DeadlineExceeded) {
			err = errNoResponse
		}
		d.recordCheck(ctx, err)
		return
	case <-limited.Done():
		d.recordCheck(ctx, errNoResponse)
	}
	select { // wait for the end of the late check
	case <-result:
	case <-ctx.Done():
	}
}

var errNoResponse = fmt.Errorf("no response within %s", checkTimeout)

// recordCheck records the result of a check, unless the service stops.
func (d *dependency) recordCheck(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failure = err
	if err != nil {
		if d.awaySince.IsZero() {
			d.awaySince = d.now()
		}
		d.recordFailure("", err)
	} else {
		d.awaySince = time.Time{}
		d.recordSuccess()
	}
	close(d.checked)
	d.checked = make(chan struct{})
}

// recordFailure records a failed check or request and logs the beginning of an outage.
// requestID is "" for a check. The caller holds the lock.
func (d *dependency) recordFailure(requestID string, err error) {
	d.lastFail = d.now()
	d.returned = time.Time{}
	if !d.outage.IsZero() {
		return
	}
	d.outage = d.lastFail
	message := "the " + d.name + " cannot be reached"
	attrs := []any{"error", outageCause(err)}
	if d.place != "" {
		attrs = append(attrs, "place", d.place)
	}
	if requestID != "" {
		attrs = append(attrs, "request", requestID)
	}
	d.log.Warn(message, attrs...)
}

// recordSuccess records a successful check. The outage is over if the last failure was at least
// outageTimeout ago: recordSuccess then logs its end. The caller holds the lock.
func (d *dependency) recordSuccess() {
	if d.outage.IsZero() {
		return
	}
	now := d.now()
	if d.returned.IsZero() {
		d.returned = now
	}
	if now.Sub(d.lastFail) < outageTimeout {
		return
	}
	lasted := d.returned.Sub(d.outage).Round(100 * time.Millisecond)
	attrs := []any{"after", lasted.String(), "requests", d.requests}
	if d.place != "" {
		attrs = append(attrs, "place", d.place)
	}
	d.log.Info("the "+d.name+" can be reached again", attrs...)
	d.outage = time.Time{}
	d.requests = 0
}

// outageCause returns the message of err without the words that the log message already
// contains.
func outageCause(err error) string {
	text := err.Error()
	for _, away := range []error{store.ErrAway, files.ErrAway} {
		text = strings.ReplaceAll(text, away.Error()+": ", "")
	}
	return text
}

// reportFailure records that a request failed because d did not work.
func (d *dependency) reportFailure(requestID string, err error) {
	d.mu.Lock()
	d.requests++
	d.recordFailure(requestID, err)
	d.mu.Unlock()
	d.requestCheck()
}

// requestCheck starts a check now.
func (d *dependency) requestCheck() {
	select {
	case d.wake <- struct{}{}:
	default: // a check is already requested
	}
}

func (d *dependency) hasOutage() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.outage.IsZero()
}

// state returns the result of the last check. If it failed, awaySince is the time of the
// first of the failed checks; otherwise awaySince is zero and failure is nil.
func (d *dependency) state() (awaySince time.Time, failure error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.awaySince, d.failure
}

// upValue returns the value of the metric: 1 if the dependency can be used, otherwise 0.
func (d *dependency) upValue() float64 {
	if _, failure := d.state(); failure != nil {
		return 0
	}
	return 1
}

// nextCheck starts a check now and returns a channel that is closed when the check ends.
func (d *dependency) nextCheck() <-chan struct{} {
	d.mu.Lock()
	checked := d.checked
	d.mu.Unlock()
	d.requestCheck()
	return checked
}

// waitUntilReachable returns true once the last check succeeded, or false if ctx ends.
func (d *dependency) waitUntilReachable(ctx context.Context) bool {
	for {
		d.mu.Lock()
		checked := d.checked
		isReachable := d.awaySince.IsZero()
		d.mu.Unlock()
		if isReachable {
			return ctx.Err() == nil
		}
		select {
		case <-checked:
		case <-ctx.Done():
			return false
		}
	}
}

// dependencies are the database and the file store of a service, which are checked regularly.
type dependencies struct {
	database *dependency
	files    *dependency
	watching backgroundWork
}

// startWatching checks the database and the file store until stopWatching is called.
func (d *dependencies) startWatching(ctx context.Context) {
	d.watching.start(ctx, func(ctx context.Context) {
		var both sync.WaitGroup
		both.Go(func() { d.database.watch(ctx) })
		both.Go(func() { d.files.watch(ctx) })
		both.Wait()
	})
}

func (d *dependencies) stopWatching() { d.watching.stop() }

// reportFailure records that a request failed because the database or the file store is
// away.
func (d *dependencies) reportFailure(x *exchange, err error) {
	if errors.Is(err, files.ErrAway) {
		d.files.reportFailure(x.id, err)
		return
	}
	d.database.reportFailure(x.id, err)
}

// waitForChecks starts a check of the database and of the file store, and waits for the
// results for up to readyWait.
func (d *dependencies) waitForChecks() {
	timer := time.NewTimer(readyWait)
	defer timer.Stop()
	for _, checked := range []<-chan struct{}{d.database.nextCheck(), d.files.nextCheck()} {
		select {
		case <-checked:
		case <-timer.C:
			return
		}
	}
}
