package server

import (
	"net"
	"net/http"
	"sync"
)

// spareConns notes the connections that clients opened in advance and have sent
// nothing on. Shutdown waits five seconds for each to send its first request.
type spareConns struct {
	mu       sync.Mutex
	unused   map[net.Conn]bool
	stopping bool
}

// noteState follows the state of a connection.
func (c *spareConns) noteState(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(c.unused, conn)
	case c.stopping:
		_ = conn.Close()
	default:
		if c.unused == nil {
			c.unused = map[net.Conn]bool{}
		}
		c.unused[conn] = true
	}
}

// closeUnused closes them, and those that are still accepted.
func (c *spareConns) closeUnused() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopping = true
	for conn := range c.unused {
		_ = conn.Close()
	}
}
