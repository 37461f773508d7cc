package server_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
)

// The sizes that BenchmarkGrowth compares.
const (
	smallSize = 2_000
	largeSize = 1_000_000
)

// grownFolder is a data folder with many orders of one account.
type grownFolder struct {
	dir    string
	key    string // of the account
	cursor string // before the orders in the middle of the list
	order  string // code of an order in the middle of the list
}

// growFolder creates a data folder with n orders.
func growFolder(b *testing.B, n int) grownFolder {
	b.Helper()
	ctx := context.Background()
	dir := b.TempDir()
	s := &server.Server{Dir: dir}
	if err := s.Start(ctx); err != nil {
		b.Fatal(err)
	}
	if _, err := client(b, s).Orders.Create(ctx, survey(), ""); err != nil {
		b.Fatal(err)
	}
	accounts, err := server.DomainOf(s).Store.Accounts(ctx)
	if err != nil {
		b.Fatal(err)
	}
	key, err := s.IssueKey(ctx, accounts[0].UUID, api.Scopes())
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	multiply(b, dir, n)

	s = &server.Server{Dir: dir}
	if err := s.Start(ctx); err != nil {
		b.Fatal(err)
	}
	middle := fmt.Sprintf("ORD-%d", 100_201+n/3)
	cursor, err := server.CursorBefore(s, accounts[0].UUID, middle)
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return grownFolder{dir: dir, key: key, cursor: cursor, order: middle}
}

// multiply copies the only order n-1 times, with missions. Each copy is a second older than the one
// before it.
func multiply(b *testing.B, dir string, n int) {
	b.Helper()
	path := (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(filepath.Join(dir, "flightdesk.db"))}).String()
	db, err := sql.Open("sqlite", path+"?_pragma=synchronous(OFF)&_pragma=cache_size(-200000)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for _, text := range []string{
		fmt.Sprintf(`INSERT INTO orders (account_id, uuid, code, status, name, company_name, order_type, sensors, deliverables,
			mission_objective, industry_asset_type, start_date, deadline, area_size, mission_count, created, updated, listed, recorded)
			WITH RECURSIVE
			n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d - 1),
			o(uuid, code, status, created) AS (SELECT printf('%%08x', i) || substr(uuid, 9), 'ORD-' || (100201 + i),
				CASE i WHEN %[1]d / 2 THEN 'rejected' ELSE status END, created - 1000 * (%[1]d - i) FROM n JOIN orders ON id = 1)
			SELECT account_id, o.uuid, o.code, o.status, name, company_name, order_type, sensors, deliverables, mission_objective,
			industry_asset_type, start_date, deadline, area_size, mission_count, o.created, o.created,
			replace(replace(replace(replace(listed, one.uuid, o.uuid), one.code, o.code), one.status, o.status),
				strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', one.created / 1000.0, 'unixepoch'),
				strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', o.created / 1000.0, 'unixepoch')),
			replace(replace(recorded, one.uuid, o.uuid), one.code, o.code)
			FROM o JOIN orders one ON one.id = 1`, n),
		`INSERT INTO missions (order_id, position, uuid, code, status, name, mission_type, country, location_label, area_size,
			location_map, created, updated)
			SELECT o.id, m.position, o.uuid || m.position, 'MSN-' || (300499 + 2 * o.id + m.position), m.status, m.name,
			m.mission_type, m.country, m.location_label, m.area_size, m.location_map, o.created, o.updated
			FROM orders o JOIN missions m ON m.order_id = 1 WHERE o.id > 1`,
		fmt.Sprintf(`UPDATE sequences SET last = last + 2 * %d`, n),
	} {
		if _, err := db.Exec(text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGrowth runs the program with 2,000 orders and with a million, and sends both the same requests
// in turn. For each kind of request it reports the rate with a million orders and its ratio to the rate
// with 2,000. It also reports how long the large service takes to start, and its memory at rest and at
// most, where the system says it.
func BenchmarkGrowth(b *testing.B) {
	small, large := growFolder(b, smallSize), growFolder(b, largeSize)
	program := filepath.Join(b.TempDir(), "flightdesk")
	if out, err := exec.Command("go", "build", "-o", program, "flightdesk").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for b.Loop() {
		_, readySmall := run(b, program, small.dir)
		began := time.Now()
		cmd, readyLarge := run(b, program, large.dir)
		b.ReportMetric(float64(time.Since(began).Microseconds())/1000, "start-ms")
		b.ReportMetric(memory(cmd, "VmRSS"), "MB-at-rest")

		ofSmall, ofLarge := small.requests(b, readySmall), large.requests(b, readyLarge)
		for i, kind := range ofLarge {
			const rounds = 3 // in turn, so that other load affects both
			var smallRate, largeRate float64
			for range rounds {
				smallRate += ofSmall[i].measure(b, readySmall).rate
				largeRate += kind.measure(b, readyLarge).rate
			}
			b.ReportMetric(largeRate/rounds, kind.name+"/s")
			b.ReportMetric(largeRate/smallRate, kind.name+"-of-small")
		}
		b.ReportMetric(memory(cmd, "VmHWM"), "MB-at-most")
	}
}

// grownRequest is a kind of request that BenchmarkGrowth measures.
type grownRequest struct {
	name, status string
	sent         []byte
}

// requests returns the requests for a service that uses the folder.
func (f grownFolder) requests(b *testing.B, ready server.ReadyLine) []grownRequest {
	get := func(path string) []byte { return request(http.MethodGet, path, f.key, nil) }
	operations := func(path string) []byte {
		asOperator := "Authorization: Bearer " + ready.OpsKey
		return []byte(strings.Replace(string(get(server.OpsPath+path)), "X-Api-Key: "+f.key, asOperator, 1))
	}
	orders := publicHandlers + "/orders"
	return []grownRequest{
		{"first-page", "200", get(orders)},
		{"deep-page", "200", get(orders + "?cursor=" + f.cursor)},
		{"get", "200", get(orders + "/" + f.order)},
		{"search", "200", operations("/find?q=" + f.order)},
		{"rare-status", "200", operations("/orders?status=rejected")},
		{"create", "201", request(http.MethodPost, orders, f.key, mustJSON(b, survey()))},
	}
}

// measure sends the request over 16 connections.
func (r grownRequest) measure(b *testing.B, ready server.ReadyLine) result {
	origin, err := url.Parse(ready.BaseURL)
	if err != nil {
		b.Fatal(err)
	}
	return load(b, origin.Host, 16, r.sent, r.status)
}

// run starts the program, waits until it is ready, and stops it when the benchmark ends.
func run(b *testing.B, program, dir string) (cmd *exec.Cmd, ready server.ReadyLine) {
	b.Helper()
	cmd = exec.Command(program, "serve", "--data", dir, "--addr", "127.0.0.1:0", "--output", "json")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait()); err != nil {
			b.Error(err)
		}
	})
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&ready); err != nil {
		b.Fatal(err)
	}
	return cmd, ready
}

// memory reads a value of a process from /proc, in MB.
func memory(cmd *exec.Cmd, name string) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), name+":")
	kb, err := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	if err != nil {
		return 0
	}
	return kb / 1024
}
