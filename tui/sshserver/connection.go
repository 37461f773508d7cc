package sshserver

import (
	"context"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// connection is the TCP connection of a client. Reading from it is slowed down to a rate.
type connection struct {
	net.Conn
	address netip.Prefix // whose connections are counted together
	since   time.Time
	ctx     context.Context // ends when the connection is closed
	end     context.CancelFunc
	life    context.Context // of its sessions

	endSessions context.CancelFunc

	received atomic.Int64
	reading  atomic.Pointer[rate.Limiter]

	// The table of connections guards these.
	wrong    int     // codes that were wrong
	person   *person // nil before the login
	login    *Login  // likewise
	sessions int
	idle     *time.Timer // closes the connection unless a session is opened
}

func newConnection(conn net.Conn) *connection {
	c := &connection{Conn: conn, address: addressOf(conn.RemoteAddr()), since: time.Now()}
	c.ctx, c.end = context.WithCancel(context.Background())
	c.life, c.endSessions = context.WithCancel(c.ctx)
	c.reading.Store(rate.NewLimiter(strangerRate, strangerBurst))
	return c
}

// addressOf returns the IP address of a peer, or the /64 network of an IPv6 address, all
// of which usually belong to one host.
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
	network, _ := ip.Prefix(bits) // fails for more bits than an address has
	return network
}

// Read reads and waits until so many bytes may be received.
func (c *connection) Read(p []byte) (int, error) {
	limiter := c.reading.Load()
	n, err := c.Conn.Read(p[:min(len(p), limiter.Burst())])
	c.received.Add(int64(n))
	if waited := limiter.WaitN(c.ctx, n); err == nil {
		err = waited
	}
	return n, err
}

// Close closes the connection.
func (c *connection) Close() error {
	c.end()
	return c.Conn.Close()
}

// isSilent reports whether the client has not sent the first packets of a key exchange.
func (c *connection) isSilent() bool { return c.received.Load() < minHello }

// minHello is less than what every client sends at once: its version and the algorithms
// it knows.
const minHello = 200

// cutIfSilent closes a connection whose client does not begin a key exchange in time,
// and one that has not logged in when its time for that is over.
func (s *Server) cutIfSilent(c *connection) {
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
