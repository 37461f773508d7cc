package session_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/session"
)

// mostHeap is the largest accepted size of 10,000 exchanges in the heap.
const mostHeap = 20 << 20

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// The log only counts the size of texts. This test measures the heap.
func TestTenThousandExchangesFitIntoTheirMemory(t *testing.T) {
	before := heap()
	var l session.RequestLog
	for n := range session.MaxExchanges + 100 {
		body := []byte(fmt.Sprintf(`{"success":true,"data":{"orderCode":"ORD-%d","x":"%s"}}`, n, strings.Repeat("y", 4_000+n%4_000)))
		l.Add(api.Exchange{
			Method: "GET", URL: fmt.Sprintf("https://desk.example/api/v1/public/orders/%d/missions?limit=100", n), Status: 200, Began: time.Unix(int64(n), 0),
			RequestHeader: http.Header{"Authorization": {"•••"}, "Accept": {"application/json"}, "User-Agent": {"flightdesk/1"}, "X-Request-Id": {fmt.Sprint(n)}},
			ResponseHeader: http.Header{
				"Content-Type": {"application/json"}, "X-Request-Id": {fmt.Sprint(n)}, "Date": {"Tue, 24 Nov 2026 08:42:00 GMT"}, "Content-Length": {"4096"},
			},
			ResponseBody: body, ResponseSize: int64(len(body)),
		})
	}
	kept, _ := l.Newest()
	took := heap() - before
	if len(kept) != session.MaxExchanges || took > mostHeap {
		t.Errorf("%d exchanges take %d bytes", len(kept), took)
	}
	runtime.KeepAlive(&l)
	t.Logf("%d exchanges in %.1f MB", len(kept), float64(took)/1e6)
}

// BenchmarkHook reads a page of 100 orders from this machine, alternately with and without the log,
// so that other load affects both. It reports the medians and how much longer a request takes with
// the log.
func BenchmarkHook(b *testing.B) {
	item := `{"uuid":"5f0c81d2-0000-4000-8000-000000000000","orderCode":"ORD-100241","orderName":"Levee","status":"flyingDateSet","deadline":"2026-12-01T00:00:00+01:00"}`
	body := `{"success":true,"message":"","data":{"data":[` + strings.Repeat(item+",", 99) + item + `],"nextCursor":null,"hasNextPage":false}}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}))
	defer srv.Close()
	var log session.RequestLog
	clients := make([]*api.Client, 2)
	for i := range clients {
		c, err := api.NewClient(srv.URL, api.WithKey("fd_test_0123456789abcdef"))
		if err != nil {
			b.Fatal(err)
		}
		clients[i] = c
	}
	log.Watch(clients[1])
	took := make([][]time.Duration, 2)
	for n := 0; b.Loop(); n++ {
		for i := range clients {
			k := (i + n) % 2 // neither is always the first
			began := time.Now()
			if _, err := clients[k].Orders.List(context.Background(), api.ListOptions{}); err != nil {
				b.Fatal(err)
			}
			took[k] = append(took[k], time.Since(began))
		}
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2].Nanoseconds())
	}
	without, with := median(took[0]), median(took[1])
	b.ReportMetric(without, "ns/without")
	b.ReportMetric(with, "ns/with")
	b.ReportMetric(100*(with-without)/without, "%ofrequest")
}
