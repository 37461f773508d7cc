package server

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// However many connections are opened, a few are kept, and the newest is answered.
func TestIdleConnectionsMakeRoomForNewOnes(t *testing.T) {
	t.Parallel()
	const most = 5
	waiting := newWaitingConns(most)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	s.Config.ConnState = waiting.update
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
		idle = append(idle, conn)
	}
	for i, conn := range idle[:len(idle)-most-1] { // the last one may not be idle yet
		if _, err := conn.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("connection %d is not closed: %v", i, err)
		}
	}
}
