package server

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// However many connections are opened, only a few are kept open, and the newest gets a response.
func TestOldestIdleConnectionsAreClosedForNewOnes(t *testing.T) {
	t.Parallel()
	const most = 5
	waiting := newWaitingConns(most)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	becameIdle := make(chan struct{}, 4*most)
	s.Config.ConnState = func(conn net.Conn, state http.ConnState) {
		waiting.update(conn, state)
		if state == http.StateIdle {
			becameIdle <- struct{}{}
		}
	}
	s.Start()
	defer s.Close()
	var idle []net.Conn
	for range 4 * most {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != http.StatusNoContent {
			t.Fatalf("a new connection is not answered: %v", err)
		}
		<-becameIdle // a response arrives before its connection counts as idle
		idle = append(idle, conn)
	}
	for i, conn := range idle[:len(idle)-most] {
		if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("connection %d is not closed: %v", i, err)
		}
	}
}

// Connections that never finish a TLS handshake also make room for others.
func TestOldestHandshakesAreClosedForNewConnections(t *testing.T) {
	t.Parallel()
	const most = 5
	waiting := newWaitingConns(most)
	tcp, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	of := &http.Server{TLSConfig: &tls.Config{}, ConnState: waiting.update, ReadHeaderTimeout: headerTimeout}
	l := listenTLS(tcp, of, time.Now, slog.New(slog.DiscardHandler))
	defer l.Close()
	first, err := net.Dial("tcp", tcp.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	for range 3 * most {
		conn, err := net.Dial("tcp", tcp.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	// A handshake that blocks others ends after headerTimeout.
	if err := first.SetReadDeadline(time.Now().Add(headerTimeout - time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
		t.Errorf("the first connection is still open: %v", err)
	}
}
