package server_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// slowly opens connections that send a header without an end, and returns how many of them the service
// has closed after half a minute. Meanwhile others are served within patience.
func slowly(t *testing.T, b *bench, n int, patience time.Duration) int {
	t.Helper()
	var cut int
	addr := strings.TrimPrefix(b.origin, "http://")
	conns := make([]net.Conn, n)
	for i := range conns {
		conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: "); err != nil {
			t.Fatal(err)
		}
		conns[i] = conn
	}
	wantHealthy(t, b, patience)
	deadline := time.Now().Add(30 * time.Second)
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, conn := range conns {
		all.Go(func() {
			if err := conn.SetReadDeadline(deadline); err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, conn); !errors.Is(err, os.ErrDeadlineExceeded) {
				mu.Lock()
				cut++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return cut
}

// wantHealthy requests the service's health a few times.
func wantHealthy(t *testing.T, b *bench, patience time.Duration) {
	t.Helper()
	for range 20 {
		began := time.Now()
		if r := b.call("GET", "/healthz", "", nil); r.status != 200 || time.Since(began) > patience {
			t.Errorf("health: %d after %v", r.status, time.Since(began))
		}
	}
}

func TestSlowHeadersAreCutOff(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if cut := slowly(t, b, 50, 5*time.Second); cut != 50 {
		t.Errorf("%d of 50 slow connections were cut off", cut)
	}
}

func TestOversizedHeader(t *testing.T) {
	b := newBench(t)
	addr := strings.TrimPrefix(b.origin, "http://")
	for _, request := range []string{
		"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Much: " + strings.Repeat("x", 1<<20) + "\r\n\r\n",
		"GET /healthz HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("X-Many: x\r\n", 100_000) + "\r\n",
		"GET /" + strings.Repeat("x", 1<<20) + " HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.WriteString(conn, request) }() // the service closes the connection before the end
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
				t.Errorf("%.40q: %d", request, resp.StatusCode)
			}
		}
		conn.Close()
	}
	wantHealthy(t, b, 5*time.Second)
}
