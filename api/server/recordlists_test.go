package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
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
		list := load(b, addr, 4, request(http.MethodGet, publicHandlers+"/orders?limit=20", key, nil), "200")
		first := load(b, addr, 4, records(0), "200")
		deep := load(b, addr, 4, records(49_000), "200")
		list.report(b, "public")
		first.report(b, "first")
		deep.report(b, "deep")
		b.ReportMetric(float64(first.cpu)/float64(list.cpu), "x-of-public")
		b.ReportMetric(float64(deep.cpu)/float64(first.cpu), "x-of-first")
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

// BenchmarkCreateBesideLists tells how long another account waits for an order
// to be placed beside 16 clients that ask for all of 100,000 orders again and
// again: some leave after its beginning, some take the list slowly.
func BenchmarkCreateBesideLists(b *testing.B) {
	dir, key, _ := folder(b, million/10)
	s := start(b, &server.Server{Dir: dir})
	at, err := s.Listen(b.Context(), "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr, d := at.String(), server.DomainOf(s)
	other, err := d.Accounts.NewAccount(b.Context(), store.Account{CompanyName: "Other", Currency: "EUR"})
	if err != nil {
		b.Fatal(err)
	}
	others, err := s.IssueKey(b.Context(), other.UUID, api.Scopes())
	if err != nil {
		b.Fatal(err)
	}
	ask := request(http.MethodPost, server.LegacyPath+"/getorderslist", key, nil)
	create := func() result {
		return load(b, addr, 4, request(http.MethodPost, publicHandlers+"/orders", others, mustJSON(b, survey())), "201")
	}
	for b.Loop() {
		quiet := create()
		quiet.report(b, "quiet")
		for name, leave := range map[string]bool{"gone": true, "slow": false} {
			ctx, stop := context.WithCancel(b.Context())
			var lists sync.WaitGroup
			for range 16 {
				lists.Go(func() { askForAll(ctx, addr, ask, leave) })
			}
			r := create()
			stop()
			lists.Wait()
			r.report(b, name)
			b.ReportMetric(float64(r.p99)/float64(quiet.p99), "x-p99-"+name)
		}
	}
}

// askForAll asks for a list over and over, and five times a second leaves after
// its beginning or takes another part of it.
func askForAll(ctx context.Context, addr string, ask []byte, leave bool) {
	part := make([]byte, 64<<10)
	for ctx.Err() == nil {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err != nil {
			return
		}
		stop := context.AfterFunc(ctx, func() { _ = c.Close() })
		_, err = c.Write(ask)
		for err == nil {
			if _, err = io.ReadFull(c, part); leave {
				break
			}
			time.Sleep(time.Second / 5)
		}
		stop()
		_ = c.Close()
		time.Sleep(time.Second / 5)
	}
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
