package server_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
)

// hangingPort returns the address of a listener that accepts connections and never answers.
func hangingPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var open []net.Conn
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, conn := range open {
			_ = conn.Close()
		}
	})
	return listener.Addr().String()
}

// A bucket that accepts connections and never answers does not delay requests without files, and
// readiness checks are answered at once.
func TestHangingBucketDoesNotBlockOtherRequests(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "desk")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush-hush")
	s := &server.Server{
		Dir:    t.TempDir(),
		Bucket: server.Bucket{Address: "s3://bucket/below?region=us-east-1&endpoint=http://" + hangingPort(t)},
	}
	server.SetBucketWait(s, 100*time.Millisecond)
	b := newBenchOn(t, s)
	fastest := time.Hour
	for try := 0; try < 200 && fastest > 50*time.Millisecond; try++ { // a busy machine may delay many of them
		began := time.Now()
		if r := b.call("GET", "/readyz", "", nil); r.status != http.StatusOK {
			t.Fatalf("%d %s", r.status, r.raw)
		}
		fastest = min(fastest, time.Since(began))
	}
	if fastest > 50*time.Millisecond {
		t.Errorf("/readyz took at least %v", fastest)
	}
	b.place(b.alice)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		r := b.call("GET", "/readyz", "", nil)
		if strings.Contains(string(r.raw), `"files":"away","filesAwaySince":"`) {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("the hanging bucket is not reported: %s", r.raw)
		}
	}
	p := b.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	began := time.Now()
	r := b.ops("POST", "/missions/"+p.mission[0]+"/deliver", `{"generate":true}`)
	if r.status != http.StatusServiceUnavailable || time.Since(began) > 20*time.Second {
		t.Errorf("a delivery after %v: %d %s", time.Since(began), r.status, r.raw)
	}
}
