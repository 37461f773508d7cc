package fetch

import (
	"context"
	"sync"
	"time"
)

// hosts bound the connections to each server, and keep away from one that asks
// for time.
type hosts struct {
	most int // connections to one server
	mu   sync.Mutex
	all  map[string]*host
}

type host struct {
	limit  int // connections allowed now; a server that is too busy halves it
	active int
	until  time.Time     // no request before
	freed  chan struct{} // closed and replaced when a waiter may look again
}

func newHosts(most int) *hosts { return &hosts{most: most, all: map[string]*host{}} }

func (h *hosts) of(name string) *host {
	one := h.all[name]
	if one == nil {
		one = &host{limit: h.most, freed: make(chan struct{})}
		h.all[name] = one
	}
	return one
}

// try takes a connection if there is one at once.
func (h *hosts) try(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.of(name)
	if one.active >= one.limit || time.Now().Before(one.until) {
		return false
	}
	one.active++
	return true
}

// spare reports whether a connection could be had at once.
func (h *hosts) spare(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.of(name)
	return one.active < one.limit && !time.Now().Before(one.until)
}

// take waits for a connection.
func (h *hosts) take(ctx context.Context, name string) error {
	for !h.try(name) {
		h.mu.Lock()
		one := h.of(name)
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

// free gives a connection back. One that did well makes room for another.
func (h *hosts) free(name string, well bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.of(name)
	one.active--
	if well && one.limit < h.most {
		one.limit++
	}
	one.wake()
}

func (o *host) wake() {
	close(o.freed)
	o.freed = make(chan struct{})
}

// busy keeps away from a server for a while.
func (h *hosts) busy(name string, pause time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.of(name)
	one.limit = max(1, one.limit/2)
	if until := time.Now().Add(pause); until.After(one.until) {
		one.until = until
	}
}
