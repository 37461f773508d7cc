package sshserver

import (
	"context"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// connection is the TCP connection of a client. It limits the rate at which it reads.
type connection struct {
	net.Conn
	address netip.Prefix // the client's address for the limits per address
	since   time.Time
	ctx     context.Context // ends when the connection is closed
	end     context.CancelFunc

	sessionsCtx context.Context // ends before ctx, so that sessions can still restore the user's terminal
	endSessions context.CancelFunc

	received atomic.Int64 // number of bytes
	reading  atomic.Pointer[rate.Limiter]

	// The connectionTable's lock guards the fields below.
	wrong    int     // number of wrong codes
	person   *person // nil before the login
	login    *Login  // nil before the login
	sessions int
	idle     *time.Timer // closes a connection without a session
}

func newConnection(conn net.Conn) *connection {
	c := &connection{
		Conn:    conn,
		address: addressOf(conn.RemoteAddr()),
		since:   time.Now(),
	}
	c.ctx, c.end = context.WithCancel(context.Background())
	c.sessionsCtx, c.endSessions = context.WithCancel(c.ctx)
	c.reading.Store(rate.NewLimiter(strangerRate, strangerBurst))
	return c
}

// addressOf returns the address under which a client is counted: its IPv4 address, or the /64 network of its
// IPv6 address. A host can usually use all addresses of its /64 network.
func addressOf(addr net.Addr) netip.Prefix {
	peer, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return netip.Prefix{}
	}
	ip := peer.Addr().Unmap().WithZone("")
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	network, _ := ip.Prefix(bits) // fails only if the address has fewer bits
	return network
}

// Read reads from the connection, and then waits as long as the rate limit requires.
func (c *connection) Read(p []byte) (int, error) {
	limiter := c.reading.Load()
	n, err := c.Conn.Read(p[:min(len(p), limiter.Burst())])
	c.received.Add(int64(n))
	waitErr := limiter.WaitN(c.ctx, n)
	if err != nil {
		return n, err
	}
	return n, waitErr
}

// Close closes the connection.
func (c *connection) Close() error {
	c.end()
	return c.Conn.Close()
}

// isSilent reports whether the client has not sent the first packets of a key exchange yet.
func (c *connection) isSilent() bool { return c.received.Load() < minHello }

// minHello is the number of bytes that a client must have sent to have begun a key exchange. The first
// packets of every client are longer, because they list its algorithms.
const minHello = 200

// closeIfSilent closes a connection whose client does not begin a key exchange within silentTime, or
// does not log in within loginTime.
func (s *Server) closeIfSilent(c *connection) {
	silent := time.AfterFunc(s.silentTime(), func() {
		if c.isSilent() {
			_ = c.Close()
		}
	})
	late := time.AfterFunc(s.loginTime(), func() {
		if !s.connections.isLoggedIn(c) {
			_ = c.Close()
		}
	})
	context.AfterFunc(c.ctx, func() {
		silent.Stop()
		late.Stop()
	})
}
