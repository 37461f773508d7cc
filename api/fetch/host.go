package fetch

import (
	"context"
	"sync"
	"time"
)

// hostLimits bound the connections to each server, and keep away from one that asks
// for time.
type hostLimits struct {
	most int // connections to one server
	mu   sync.Mutex
	all  map[string]*hostLimit
}

type hostLimit struct {
	limit  int // connections allowed now; a server that is too busy halves it
	active int
	until  time.Time     // no request before
	freed  chan struct{} // closed and replaced when a waiter may look again
}

func newHostLimits(most int) *hostLimits {
	return &hostLimits{most: most, all: map[string]*hostLimit{}}
}

func (h *hostLimits) limitOf(name string) *hostLimit {
	one := h.all[name]
	if one == nil {
		one = &hostLimit{limit: h.most, freed: make(chan struct{})}
		h.all[name] = one
	}
	return one
}

// tryConnect takes a connection if there is one at once.
func (h *hostLimits) tryConnect(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.limitOf(name)
	if one.active >= one.limit || time.Now().Before(one.until) {
		return false
	}
	one.active++
	return true
}

// takeConnection waits for a connection.
func (h *hostLimits) takeConnection(ctx context.Context, name string) error {
	for !h.tryConnect(name) {
		h.mu.Lock()
		one := h.limitOf(name)
		freed, pause := one.freed, time.Until(one.until)
		if one.active < one.limit && pause <= 0 { // since try looked
			h.mu.Unlock()
			continue
		}
		h.mu.Unlock()
		if pause <= 0 {
			pause = time.Hour // freed comes first
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-timer.C:
		case <-freed:
			timer.Stop()
		}
	}
	return nil
}

// releaseConnection gives a connection back. One that did well makes room for another.
func (h *hostLimits) releaseConnection(name string, well bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.limitOf(name)
	one.active--
	if well && one.limit < h.most {
		one.limit++
	}
	one.wakeWaiting()
}

func (o *hostLimit) wakeWaiting() {
	close(o.freed)
	o.freed = make(chan struct{})
}

// backOff keeps away from a server for a while.
func (h *hostLimits) backOff(name string, pause time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.limitOf(name)
	one.limit = max(1, one.limit/2)
	if until := time.Now().Add(pause); until.After(one.until) {
		one.until = until
	}
}
