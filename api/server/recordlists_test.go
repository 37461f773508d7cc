package server_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
)

// A data folder with the previous schema has the same list, before and after the texts of its records
// are stored.
func TestRecordsOfTheSchemaBefore(t *testing.T) {
	dir := t.TempDir()
	now := func() time.Time { return time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC) }
	var want, keys []string
	serve := func(demo bool) *server.Server {
		s := &server.Server{Dir: dir, Demo: demo, DemoOrders: 250, Now: now, PublicURL: "https://desk.example"}
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s
	}
	lists := func(s *server.Server) (all []string) {
		for _, key := range keys {
			for _, body := range []string{`{}`, `{"limit":100}`, `{"limit":20,"page":3}`, `{"status":"completed","fileDataType":["_2dMap"]}`} {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://desk.example"+server.LegacyPath+"/getorderslist", strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("X-Api-Key", key)
				resp, err := server.Direct(s).RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(resp.Body)
				all = append(all, string(text))
				if err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("%s: %s, %v", body, text, err)
				}
			}
		}
		return all
	}
	s := serve(true)
	for _, a := range s.Accounts() {
		keys = append(keys, a.Key)
	}
	want = lists(s)
	for _, shown := range []string{`"deliveryFiles":["https://`, `"notifications"`, `"pointOfContact"`, `"orderRejectionReason"`, `"orderPrice":1`, `"locationMap":[]`} {
		if !strings.Contains(strings.Join(want, ""), shown) {
			t.Errorf("no order has %s", shown)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "flightdesk.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.ExecContext(t.Context(), `DROP TABLE invitations; ALTER TABLE missions DROP COLUMN flight_zone; DROP INDEX audit_of_subject; DROP INDEX audit_of_parent; DROP TRIGGER notices_account; DROP INDEX notices_of_account; DROP INDEX notices_failed; ALTER TABLE notices DROP COLUMN account_id; ALTER TABLE audit DROP COLUMN parent; DROP INDEX orders_unrecorded; DROP TRIGGER orders_recorded; ALTER TABLE orders DROP COLUMN recorded;
		DROP TABLE requests; DROP INDEX files_name; DROP INDEX api_keys_hint; DROP INDEX orders_company;
		DELETE FROM goose_db_version WHERE version_id > 102`)
	if err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"opened", "filled"} {
		s = serve(false)
		for i, got := range lists(s) {
			if got != want[i] {
				t.Errorf("%s: %s\nwant %s", when, got, want[i])
			}
		}
		server.WaitForSweep(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	unkept := -1
	if err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM orders WHERE recorded IS NULL`).Scan(&unkept); err != nil || unkept != 0 {
		t.Errorf("%d have no text: %v", unkept, err)
	}
}

// BenchmarkRecordLists compares getorderslist with the public list, 20 orders per page: the first page
// and page 49,000 of a million orders, over 4 connections. Deep is how long the first request for a
// distant page takes.
func BenchmarkRecordLists(b *testing.B) {
	addr, key := serveFolder(b, largeSize)
	records := func(page int) []byte {
		return request(http.MethodPost, server.LegacyPath+"/getorderslist", key, fmt.Appendf(nil, `{"limit":20,"page":%d}`, page))
	}
	for b.Loop() {
		began := time.Now()
		if _, err := hammer(addr, began.Add(time.Millisecond), func() []byte { return records(49_000) }, "200"); err != nil {
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
	addr, key := serveFolder(b, 100_000)
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

// BenchmarkCreateBesideLists measures how long another account waits for an order to be placed, while
// 16 clients repeatedly request all of 100,000 orders: some disconnect early, some read slowly.
func BenchmarkCreateBesideLists(b *testing.B) {
	grown := growFolder(b, 100_000)
	s := start(b, &server.Server{Dir: grown.dir})
	at, err := s.Listen(b.Context(), "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr := at.String()
	d := server.DomainOf(s)
	other, err := d.Accounts.NewAccount(b.Context(), store.Account{CompanyName: "Other", Currency: "EUR"})
	if err != nil {
		b.Fatal(err)
	}
	others, err := s.IssueKey(b.Context(), other.UUID, api.Scopes())
	if err != nil {
		b.Fatal(err)
	}
	ask := request(http.MethodPost, server.LegacyPath+"/getorderslist", grown.key, nil)
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

// askForAll requests a list repeatedly. Five times per second it disconnects early or reads another
// part of the list.
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
			_, err = io.ReadFull(c, part)
			if leave {
				break
			}
			time.Sleep(time.Second / 5)
		}
		stop()
		_ = c.Close()
		time.Sleep(time.Second / 5)
	}
}

// serveFolder serves a folder with n orders of one account on a loopback port.
func serveFolder(b *testing.B, n int) (addr, key string) {
	b.Helper()
	grown := growFolder(b, n)
	s := start(b, &server.Server{Dir: grown.dir})
	at, err := s.Listen(b.Context(), "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	return at.String(), grown.key
}
