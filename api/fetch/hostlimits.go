package fetch

import (
	"context"
	"sync"
	"time"
)

// hostLimits limits the number of connections to each server. If a server is overloaded and asks to
// wait, it pauses the requests to this server.
type hostLimits struct {
	maximum int // connections to one server
	mu      sync.Mutex
	hosts   map[string]*hostLimit
}

type hostLimit struct {
	limit       int // current maximum of connections; halved when the server is busy
	connections int
	pausedUntil time.Time // no requests before this time
}

func newHostLimits(maximum int) *hostLimits {
	return &hostLimits{maximum: maximum, hosts: map[string]*hostLimit{}}
}

// hostFor returns the limit of a server; h.mu is held.
func (h *hostLimits) hostFor(name string) *hostLimit {
	host := h.hosts[name]
	if host == nil {
		host = &hostLimit{limit: h.maximum}
		h.hosts[name] = host
	}
	return host
}

// tryConnect reserves a connection if one is available now.
func (h *hostLimits) tryConnect(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	host := h.hostFor(name)
	if host.connections >= host.limit || time.Now().Before(host.pausedUntil) {
		return false
	}
	host.connections++
	return true
}

// acquireConnection waits until a connection is available and reserves it.
func (h *hostLimits) acquireConnection(ctx context.Context, name string) error {
	for !h.tryConnect(name) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(connectionInterval):
		}
	}
	return nil
}

// connectionInterval is the interval at which acquireConnection checks for an available connection.
const connectionInterval = 10 * time.Millisecond

// releaseConnection releases a connection. After a success, one more connection to the server is
// allowed, up to the maximum.
func (h *hostLimits) releaseConnection(name string, isSuccess bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	host := h.hostFor(name)
	host.connections--
	if isSuccess && host.limit < h.maximum {
		host.limit++
	}
}

// backOff pauses requests to a server and halves its limit.
func (h *hostLimits) backOff(name string, pause time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	host := h.hostFor(name)
	host.limit = max(1, host.limit/2)
	if until := time.Now().Add(pause); until.After(host.pausedUntil) {
		host.pausedUntil = until
	}
}
