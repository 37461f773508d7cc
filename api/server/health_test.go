package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// switchedDependency is a dependency that a test can make fail or hang.
type switchedDependency struct {
	*dependency
	log bytes.Buffer

	mu    sync.Mutex
	err   error
	hangs bool
}

func newSwitchedDependency() *switchedDependency {
	s := &switchedDependency{}
	s.dependency = newDependency(slog.New(slog.NewTextHandler(&s.log, nil)), "file store", "s3://surveys/desk",
		func(ctx context.Context) error {
			s.mu.Lock()
			err := s.err
			hangs := s.hangs
			s.mu.Unlock()
			if !hangs {
				return err
			}
			<-ctx.Done()
			return ctx.Err()
		})
	return s
}

func (s *switchedDependency) set(err error, hangs bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	s.hangs = hangs
}

func (s *switchedDependency) lines() []string {
	return strings.Split(strings.TrimSpace(s.log.String()), "\n")
}

// An outage is logged in one line with the name of the dependency, and its end in another line with
// its duration, however many requests failed.
func TestAnOutageIsLoggedOnceWithItsDuration(t *testing.T) {
	for name, cause := range map[string]error{
		"refused": fmt.Errorf("%w: connection refused", files.ErrAway),
		"hangs":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newSwitchedDependency()
				ctx, stop := context.WithCancel(t.Context())
				var done sync.WaitGroup
				done.Go(func() { d.watch(ctx) })
				time.Sleep(time.Minute + time.Second)
				d.set(cause, cause == nil)
				for range 50 {
					d.reportFailure("req-1", fmt.Errorf("%w: connection refused", files.ErrAway))
				}
				time.Sleep(8 * time.Second)
				d.set(nil, false)
				time.Sleep(time.Minute)
				stop()
				done.Wait()
				lines := d.lines()
				if len(lines) != 2 {
					t.Fatalf("%q", lines)
				}
				for _, want := range []string{`the file store cannot be reached`, `error="connection refused"`, "place=s3://surveys/desk", "request=req-1"} {
					if !strings.Contains(lines[0], want) {
						t.Errorf("no %s in %s", want, lines[0])
					}
				}
				_, after, _ := strings.Cut(lines[1], "after=")
				lasted, err := time.ParseDuration(strings.Fields(after)[0])
				if err != nil || lasted < 8*time.Second || lasted > 12*time.Second || !strings.Contains(lines[1], "requests=50") {
					t.Errorf("%v: %s", err, lines[1])
				}
			})
		})
	}
}

// Requests that time out while the database answers checks are one outage.
func TestAFlickeringDependencyIsOneOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newSwitchedDependency()
		ctx, stop := context.WithCancel(t.Context())
		var done sync.WaitGroup
		done.Go(func() { d.watch(ctx) })
		for range 60 {
			d.reportFailure("req-1", store.ErrBusy)
			time.Sleep(time.Second)
		}
		if away, err := d.state(); err != nil || !away.IsZero() {
			t.Errorf("the last check succeeded: %v since %v", err, away)
		}
		time.Sleep(time.Minute)
		stop()
		done.Wait()
		if lines := d.lines(); len(lines) != 2 {
			t.Errorf("%q", lines)
		}
	})
}

// A check that ignores the end of its context delays nobody.
func TestACheckThatNeverEndsIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newSwitchedDependency()
		release := make(chan struct{})
		d.check = func(context.Context) error {
			<-release
			return nil
		}
		ctx, stop := context.WithCancel(t.Context())
		var done sync.WaitGroup
		done.Go(func() { d.watch(ctx) })
		time.Sleep(checkTimeout + time.Millisecond)
		if _, err := d.state(); !errors.Is(err, errNoResponse) {
			t.Errorf("while it hangs: %v", err)
		}
		close(release)
		time.Sleep(awayCheckInterval + time.Millisecond)
		if _, err := d.state(); err != nil {
			t.Errorf("afterwards: %v", err)
		}
		stop()
		done.Wait()
	})
}
