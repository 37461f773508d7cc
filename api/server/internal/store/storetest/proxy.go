//go:build postgres

package storetest

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy forwards connections between a store and its database or bucket, and cuts or delays them
// on request.
type Proxy struct {
	to, port int
	cut      atomic.Int32
	away     atomic.Bool
	delay    atomic.Int64 // of each direction, in nanoseconds

	mu    sync.Mutex
	turns []int // number of round trips of each committed write transaction
}

// When a connection is cut.
const (
	cutNever int32 = iota
	cutRequest
	cutAnswer
)

// NewProxy starts a proxy for a loopback port and stops it after the test.
func NewProxy(t testing.TB, to int) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	p := &Proxy{to: to, port: listener.Addr().(*net.TCPAddr).Port}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.connect(client)
		}
	}()
	return p
}

// URL returns an address that goes through the proxy.
func (p *Proxy) URL(url string) string {
	return strings.Replace(url, fmt.Sprintf(":%d", p.to), fmt.Sprintf(":%d", p.port), 1)
}

// SetAway blocks all traffic, or forwards it again.
func (p *Proxy) SetAway(away bool) { p.away.Store(away) }

// SetRoundTrip delays all data, so that a round trip to the database takes d. It applies to
// connections that are opened afterwards.
func (p *Proxy) SetRoundTrip(d time.Duration) { p.delay.Store(int64(d / 2)) }

// CutRequest cuts the connection before the next request reaches the database.
func (p *Proxy) CutRequest() { p.cut.Store(cutRequest) }

// CutAnswer cuts the connection before the response to the next COMMIT reaches the store.
func (p *Proxy) CutAnswer() { p.cut.Store(cutAnswer) }

// Turns returns the number of round trips of each write transaction that was committed since the
// last call.
func (p *Proxy) Turns() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	turns := p.turns
	p.turns = nil
	return turns
}

// IsWhole reports whether no cut is pending: each cut that was requested has happened.
func (p *Proxy) IsWhole() bool { return p.cut.Load() == cutNever }

func (p *Proxy) connect(client net.Conn) {
	server, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.to))
	if err != nil {
		_ = client.Close()
		return
	}
	delay := time.Duration(p.delay.Load())
	counter := &tripCounter{p: p}
	go forward(client, server, delay, func(part []byte) bool {
		counter.addRequest(part)
		return !p.away.Load() && !p.cut.CompareAndSwap(cutRequest, cutNever)
	})
	forward(server, client, delay, func(part []byte) bool {
		isCommitted := bytes.Contains(part, []byte("COMMIT\x00"))
		counter.addAnswer(isCommitted)
		return !isCommitted || !p.cut.CompareAndSwap(cutAnswer, cutNever)
	})
}

// tripCounter counts the round trips of each write transaction on one connection.
type tripCounter struct {
	p          *Proxy
	hasTurn    bool // the current transaction writes
	isAnswered bool // the last data came from the database, so the next request begins another round trip
	trips      int
}

func (c *tripCounter) addRequest(part []byte) {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	if bytes.Contains(part, []byte("pg_advisory_xact_lock")) {
		c.hasTurn = true
		c.trips = 1
	} else if c.isAnswered {
		c.trips++
	}
	c.isAnswered = false
}

func (c *tripCounter) addAnswer(isCommitted bool) {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	c.isAnswered = true
	if isCommitted && c.hasTurn {
		c.p.turns = append(c.p.turns, c.trips)
		c.hasTurn = false
	}
}

// sentPart is data that the proxy forwards after a delay.
type sentPart struct {
	data    []byte
	arrives time.Time
}

// forward forwards data from one connection to the other, each part after the delay, until
// isAllowed returns false for a part of the data. It then closes both connections.
func forward(from, to net.Conn, delay time.Duration, isAllowed func(part []byte) bool) {
	parts := make(chan sentPart, 1024)
	go func() {
		defer func() { _ = to.Close() }()
		for part := range parts {
			if delay > 0 {
				time.Sleep(time.Until(part.arrives))
			}
			if _, err := to.Write(part.data); err != nil {
				_ = from.Close() // ends the loop below
			}
		}
	}()
	defer func() {
		_ = from.Close()
		close(parts)
	}()
	for {
		part := make([]byte, 64<<10)
		n, err := from.Read(part)
		if err != nil || !isAllowed(part[:n]) {
			return
		}
		parts <- sentPart{part[:n], time.Now().Add(delay)}
	}
}
