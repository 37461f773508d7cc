package server_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"flightdesk/api/server"
)

// BenchmarkRecordLists compares getorderslist with the public list, 20 orders a
// page: the first page and page 49,000 of a million orders, over 4 connections.
// Deep is what the first reader of a far page waits.
func BenchmarkRecordLists(b *testing.B) {
	addr, key := serveFolder(b, million)
	records := func(page int) []byte {
		return request(http.MethodPost, server.LegacyPath+"/getorderslist", key, fmt.Appendf(nil, `{"limit":20,"page":%d}`, page))
	}
	for b.Loop() {
		began := time.Now()
		if _, err := hammer(addr, began.Add(time.Millisecond), records(49_000), "200"); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(time.Since(began).Microseconds())/1000, "deep-once-ms")
		list := load(b, addr, 4, request(http.MethodGet, public+"/orders?limit=20", key, nil), "200")
		first := load(b, addr, 4, records(0), "200")
		deep := load(b, addr, 4, records(49_000), "200")
		list.report(b, "public")
		first.report(b, "first")
		deep.report(b, "deep")
		b.ReportMetric(list.rate/first.rate, "x-of-public")
		b.ReportMetric(first.rate/deep.rate, "x-of-first")
	}
}

// BenchmarkAllRecords reads all orders of an account of 100,000.
func BenchmarkAllRecords(b *testing.B) {
	addr, key := serveFolder(b, million/10)
	for b.Loop() {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://"+addr+server.LegacyPath+"/getorderslist", strings.NewReader("{}"))
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("X-Api-Key", key)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			b.Fatal(resp.StatusCode, err)
		}
		b.SetBytes(n)
		_ = resp.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
}

// serveFolder serves n orders of one account on a loopback port.
func serveFolder(b *testing.B, n int) (addr, key string) {
	b.Helper()
	dir, key, _ := folder(b, n)
	s := start(b, &server.Server{Dir: dir})
	at, err := s.Listen(b.Context(), "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	return at.String(), key
}
