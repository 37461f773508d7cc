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
	until  time.Time // no request before
}

func newHostLimits(most int) *hostLimits {
	return &hostLimits{most: most, all: map[string]*hostLimit{}}
}

func (h *hostLimits) limitOf(name string) *hostLimit {
	one := h.all[name]
	if one == nil {
		one = &hostLimit{limit: h.most}
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
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(lookAgain):
		}
	}
	return nil
}

// lookAgain is how long to wait before a server is looked at again that has no
// connection to spare.
const lookAgain = 10 * time.Millisecond

// releaseConnection gives a connection back. One that did well makes room for another.
func (h *hostLimits) releaseConnection(name string, well bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.limitOf(name)
	one.active--
	if well && one.limit < h.most {
		one.limit++
	}
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
