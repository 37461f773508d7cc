package server_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
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

// million is how many orders the large data folder has.
const million = 1_000_000

// folder makes a data folder with n orders of one account, and returns it with
// a key of the account and the cursor before its page 40,000.
func folder(b *testing.B, n int) (dir, key, cursor string) {
	b.Helper()
	ctx := context.Background()
	dir = b.TempDir()
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
	key, err = s.IssueKey(ctx, accounts[0].UUID, api.Scopes())
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
	// The first order is the newest, the last that was made the second newest.
	last := max(1, n-39_999*api.DefaultPageLimit+1)
	cursor, err = server.CursorBefore(s, accounts[0].UUID, "ORD-"+strconv.Itoa(100_201+last))
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return dir, key, cursor
}

// multiply makes n orders of the one that there is, each a second older than
// the one after it, with missions.
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

// BenchmarkMillionOrders starts the program on a million orders and puts load
// on it: 16 connections that list the first page, and page 40,000, and a rare
// status on Operations. It tells how long the start takes, and the memory at rest
// and at most, where the system says it. The yardstick is the least that
// answers with as many bytes from a row of the same database.
func BenchmarkMillionOrders(b *testing.B) {
	dir, key, cursor := folder(b, million)
	program := filepath.Join(b.TempDir(), "flightdesk")
	if out, err := exec.Command("go", "build", "-o", program, "flightdesk").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for b.Loop() {
		began := time.Now()
		cmd, ready := run(b, program, dir)
		b.ReportMetric(float64(time.Since(began).Microseconds())/1000, "start-ms")
		b.ReportMetric(memory(cmd, "VmRSS"), "MB-at-rest")
		origin, err := url.Parse(ready.BaseURL)
		if err != nil {
			b.Fatal(err)
		}
		get := func(path, key string) result {
			return load(b, origin.Host, 16, request(http.MethodGet, path, key, nil), "200")
		}
		first := get(publicHandlers+"/orders", key)
		deep := get(publicHandlers+"/orders?cursor="+cursor, key)
		first.report(b, "first")
		deep.report(b, "deep")
		b.ReportMetric(deep.rate/first.rate, "deep-of-first")
		r := request(http.MethodGet, server.OpsPath+"/orders?status=rejected", "", nil)
		r = []byte(strings.Replace(string(r), "X-Api-Key: ", "Authorization: Bearer "+ready.OpsKey, 1))
		load(b, origin.Host, 16, r, "200").report(b, "rare-status")
		b.ReportMetric(memory(cmd, "VmHWM"), "MB-at-most")
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			b.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		yardstick(b, dir).report(b, "yardstick")
	}
}

// run starts the program and waits until it is ready.
func run(b *testing.B, program, dir string) (cmd *exec.Cmd, ready server.ReadyLine) {
	b.Helper()
	cmd = exec.CommandContext(b.Context(), program, "serve", "--data", dir, "--addr", "127.0.0.1:0", "--output", "json")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&ready); err != nil {
		b.Fatal(err)
	}
	return cmd, ready
}

// memory reads a figure of a process that Linux tells, in MB.
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

// yardstick is net/http with one query and no more: no keys, no log, no rules.
func yardstick(b *testing.B, dir string) result {
	b.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "flightdesk.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxIdleConns(4)
	db.SetMaxOpenConns(4)
	page, err := db.Prepare(`SELECT id, created, listed FROM orders WHERE account_id = 1 ORDER BY created DESC, id DESC LIMIT 21 + 0`)
	if err != nil {
		b.Fatal(err)
	}
	defer page.Close()
	addr := bareAnswer(b, func(w http.ResponseWriter, _ *http.Request) {
		rows, err := page.Query()
		if err != nil {
			b.Error(err)
			return
		}
		defer rows.Close()
		var body []byte
		for rows.Next() {
			var id, created int64
			var listed string
			if err := rows.Scan(&id, &created, &listed); err != nil {
				b.Error(err)
				return
			}
			body = append(append(body, listed...), ',')
		}
		if err := rows.Err(); err != nil {
			b.Error(err)
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	})
	return load(b, addr, 16, request(http.MethodGet, "/", "", nil), "200")
}
