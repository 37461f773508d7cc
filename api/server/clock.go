package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/store"
)

// maxAhead is how far the service's clock may be ahead of the machine's: far
// enough for everything to expire, near enough for every date to be one.
const maxAhead = 100 * 365 * 24 * time.Hour

// clockSetting keeps how far the clock is ahead, in milliseconds, so that what
// a data folder holds never lies in the future.
const clockSetting = "clock.ahead"

// serviceClock is the clock that the server was given, moved forward by what
// the operations desk has asked for.
type serviceClock struct {
	base  func() time.Time
	ahead atomic.Int64 // nanoseconds; it only grows
	mu    sync.Mutex   // held while it does
}

func (c *serviceClock) now() time.Time { return c.base().Add(time.Duration(c.ahead.Load())) }

// startClock puts the clock where an earlier run left it.
func (s *Server) startClock(ctx context.Context) error {
	text, err := s.store.Setting(ctx, clockSetting)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms < 0 || ms > maxAhead.Milliseconds() {
		return fmt.Errorf("the database has no length of time in %s: %q", clockSetting, text)
	}
	s.clock.ahead.Store(int64(time.Duration(ms) * time.Millisecond))
	s.Log.Warn("the service's clock was advanced in an earlier run", "ahead", time.Duration(s.clock.ahead.Load()).String())
	return nil
}

// advance moves the clock forward by what choose says, given the time by it.
func (s *Server) advance(ctx context.Context, choose func(now time.Time) (time.Duration, error)) error {
	c := &s.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	by, err := choose(c.now())
	if err != nil {
		return err
	}
	ahead := time.Duration(c.ahead.Load()) + by
	if ahead > maxAhead {
		return invalid([]api.FieldError{{Field: "advance", Message: "would put the clock over 100 years ahead"}}, 1)
	}
	// Rounded up, so that after a restart the clock is not behind what it said.
	ms := (ahead + time.Millisecond - 1).Milliseconds()
	err = s.store.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting(clockSetting, strconv.FormatInt(ms, 10)) })
	if err != nil {
		return err
	}
	c.ahead.Store(int64(ahead))
	s.callbacks.sender.Advance(by)
	s.simulation.Wake()
	s.Log.Info("the service's clock was advanced", "by", by.String(), "ahead", ahead.String())
	return nil
}

// clockRoutes are the operations on the service's clock.
func (s *Server) clockRoutes() []route {
	return []route{
		{http.MethodGet, OpsPath + "/clock", operations, s.opsClock},
		{http.MethodPost, OpsPath + "/clock", operations, s.opsAdvance},
	}
}

func (s *Server) opsClock(*exchange) (answer, error) {
	return answer{message: "the service's clock", data: s.wireClock()}, nil
}

func (s *Server) wireClock() api.ServiceClock {
	return api.ServiceClock{
		Now: api.At(s.Now().UTC()), Ahead: api.Duration{Duration: time.Duration(s.clock.ahead.Load())},
		Adjustable: s.toTry() == nil,
	}
}

func (s *Server) opsAdvance(x *exchange) (answer, error) {
	body, err := x.readBody()
	if err != nil {
		return answer{}, err
	}
	var by *time.Duration
	var at api.Time
	err = readJSON(body, nil, func(r *reader) error {
		count := r.count
		err := r.objectWith(nil, []member{
			{"advance", func() error { return r.duration(time.Nanosecond, maxAhead, made(&by)) }},
			{"at", func() error { return r.date(&at) }},
		})
		if err == nil && r.count == count && (by == nil) == at.IsZero() {
			r.fault("needs either advance, a length of time, or at, a moment")
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	if err := s.toTry(); err != nil {
		return answer{}, err
	}
	err = s.advance(x.r.Context(), func(now time.Time) (time.Duration, error) {
		switch {
		case by != nil:
			return *by, nil
		case at.Before(now):
			return 0, fault(api.CodeConflict, "the clock goes forward only, and it is "+now.UTC().Format(time.RFC3339)+" by now")
		case at.Sub(now) > maxAhead:
			return 0, invalid([]api.FieldError{{Field: "at", Message: "is over 100 years ahead"}}, 1)
		default:
			return at.Sub(now), nil
		}
	})
	if err != nil {
		return answer{}, err
	}
	return answer{message: "the clock is at " + s.Now().UTC().Format(time.RFC3339), data: s.wireClock()}, nil
}

// duration reads a length of time from low to high.
func (r *reader) duration(low, high time.Duration, into *time.Duration) error {
	s, ok, err := r.quoted()
	if !ok {
		return err
	}
	d, err := api.ParseDuration(s)
	switch {
	case s == "":
		r.fault("is required")
	case err != nil:
		r.fault("%q is no length of time like 90s, 36h or 7d", cut(s, 40))
	case d < low && low <= time.Nanosecond:
		r.fault("must be more than nothing")
	case d < low || d > high:
		r.fault("must be from %s to %s", low, high)
	default:
		*into = d
	}
	return nil
}
