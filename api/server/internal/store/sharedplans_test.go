//go:build postgres

package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

// largeTables are the tables that grow with use.
const largeTables = `'orders', 'missions', 'quotes', 'planning', 'packages', 'files', 'webhook_deliveries', 'callback_attempts', 'notices', 'api_keys',
	'idempotency', 'order_details', 'order_notifications', 'flight_permissions'`

// readStats are the queries of lists and single records, each with the tables that grow.
func readStats(order *store.Order) map[string]func(context.Context, *store.Store) error {
	middle := order.Position()
	all := map[string]func(context.Context, *store.Store) error{}
	add := func(name string, read func(context.Context, *store.Store) error) { all[name] = read }
	for name, w := range map[string]store.ListWindow{
		"first page": {Limit: 20}, "later page": {Limit: 20, From: &middle}, "earlier page": {Limit: 20, From: &middle, Before: true},
	} {
		add("orders, "+name, func(ctx context.Context, s *store.Store) error { return fails(s.Orders(ctx, 1, w)) })
		add("records, "+name, func(ctx context.Context, s *store.Store) error {
			return fails(s.Records.After(ctx, 1, w.Limit, w.From))
		})
		add("missions, "+name, func(ctx context.Context, s *store.Store) error {
			return fails(store.List[store.Mission](ctx, s, order.ID, w))
		})
		add("planning, "+name, func(ctx context.Context, s *store.Store) error {
			return fails(store.List[store.Planning](ctx, s, 7, w))
		})
		add("packages, "+name, func(ctx context.Context, s *store.Store) error { return fails(store.List[store.Package](ctx, s, 7, w)) })
		add("files, "+name, func(ctx context.Context, s *store.Store) error { return fails(store.List[store.File](ctx, s, 7, w)) })
		add("keys, "+name, func(ctx context.Context, s *store.Store) error { return fails(store.List[store.Key](ctx, s, 1, w)) })
		add("deliveries, "+name, func(ctx context.Context, s *store.Store) error {
			return fails(store.List[store.Delivery](ctx, s, 1, w))
		})
		add("notices, "+name, func(ctx context.Context, s *store.Store) error {
			return fails(store.List[store.Notice](ctx, s, order.ID, w))
		})
		for _, onlyFailed := range []bool{false, true} {
			add(fmt.Sprintf("notices of an account, failed only %t, %s", onlyFailed, name), func(ctx context.Context, s *store.Store) error {
				return fails(s.NoticesOfAccount(ctx, 1, onlyFailed, w))
			})
		}
		for _, f := range []store.OrderFilter{{}, {AccountID: 1}, {Status: api.OrderCompleted}, {AccountID: 1, Status: api.OrderCompleted}} {
			add(fmt.Sprintf("the desk's orders %v, %s", f, name), func(ctx context.Context, s *store.Store) error {
				return fails(s.AllOrders(ctx, f, w, noon))
			})
		}
	}
	for _, status := range append(api.RecordStatuses(), "") {
		for _, offset := range []int64{0, 5000} {
			add(fmt.Sprintf("records %q after %d", status, offset), func(ctx context.Context, s *store.Store) error {
				return fails(s.Records.Page(ctx, 1, status, 20, offset))
			})
		}
	}
	add("attempts", func(ctx context.Context, s *store.Store) error { return fails(s.Attempts(ctx, store.Delivery{ID: 7})) })
	add("a record", func(ctx context.Context, s *store.Store) error { return fails(s.Records.Get(ctx, order.ID)) })
	add("an order", func(ctx context.Context, s *store.Store) error { return fails(s.OrderByCode(ctx, order.Code)) })
	add("a desk's order", func(ctx context.Context, s *store.Store) error { return fails(s.OrderDetail(ctx, order.UUID)) })
	add("a file", func(ctx context.Context, s *store.Store) error { return fails(store.ByID[store.File](ctx, s, 7)) })
	add("a key", func(ctx context.Context, s *store.Store) error { return fails(s.KeyByHash(ctx, "hash-7")) })
	add("what has moved", func(ctx context.Context, s *store.Store) error {
		_, _, err := s.MovedSince(ctx, time.UnixMilli(19_990_000), 20)
		return err
	})
	add("files that nothing names", func(ctx context.Context, s *store.Store) error {
		return fails(s.UnreferencedFiles(ctx, []string{"place-1", "another"}))
	})
	return all
}

func fails[T any](_ T, err error) error { return err }

// Neither the plans for specific arguments nor the generic plans scan a large table.
func TestNoQueryScansALargeTable(t *testing.T) {
	c := storetest.SharedCluster(t)
	url := c.Database(t)
	s := storetest.OpenShared(t, store.SharedDatabase{URL: url})
	db := c.Open(t, url)
	fillLarge(t, db)
	order, err := s.OrderByCode(t.Context(), "ORD-10000")
	if err != nil {
		t.Fatal(err)
	}
	const often = 8 // from the sixth execution on, PostgreSQL can use a plan for any arguments
	for name, read := range readStats(&order) {
		before := wholeReads(t, db)
		one, err := store.OpenShared(t.Context(), store.SharedDatabase{URL: url, Connections: 2})
		if err != nil {
			t.Fatal(err)
		}
		for range often {
			if err := read(t.Context(), one); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := one.Close(); err != nil { // closing flushes the statistics
			t.Fatal(err)
		}
		for table, n := range wholeReads(t, db) {
			if n >= before[table]+often {
				t.Errorf("%s reads all of %s", name, table)
			}
		}
	}
}

// wholeReads returns how often each large table was scanned.
func wholeReads(t *testing.T, db *sql.DB) map[string]int64 {
	t.Helper()
	rows, err := db.Query(`SELECT relname, seq_scan FROM pg_stat_user_tables WHERE relname IN (` + largeTables + `)`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]int64{}
	for rows.Next() {
		var table string
		var n int64
		if err := rows.Scan(&table, &n); err != nil {
			t.Fatal(err)
		}
		all[table] = n
	}
	if err := rows.Err(); err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	return all
}

// fillLarge fills a database with 20,000 orders of two accounts and what belongs to them.
func fillLarge(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, text := range []string{
		`INSERT INTO accounts (uuid, company_name, client_name, client_email, currency, created)
			SELECT 'account-' || i, 'A', '', '', 'EUR', 0 FROM generate_series(1, 2) i`,
		`INSERT INTO orders (account_id, uuid, code, status, name, company_name, order_type, sensors, deliverables, mission_objective,
			industry_asset_type, start_date, deadline, area_size, mission_count, created, updated)
			SELECT 1 + (i % 10 = 0)::int, 'order-' || i, 'ORD-' || i, CASE WHEN i % 49 = 0 THEN 'deleted' ELSE (ARRAY['completed', 'archived', 'biddingWithQuote', 'rejected'])[1 + i % 4] END, 'N', 'C',
			'multiLocation', '', '', '', '', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 1, 2, i * 1000, i * 1000 FROM generate_series(1, 20000) i`,
		`INSERT INTO missions (order_id, position, uuid, code, status, name, mission_type, country, location_label, area_size, location_map, created, updated)
			SELECT o.id, p, 'mission-' || o.id || '-' || p, 'MSN-' || o.id || '-' || p, 'completed', 'N', 'area', 'X', 'L', 1, '[]', 0, 0
			FROM orders o, generate_series(0, 1) p`,
		`INSERT INTO quotes (uuid, order_id, name, description, days, price, discount, final_price, currency, expires, status, created)
			SELECT 'quote-' || id, id, 'Q', '', 1, 1, 0, 1, 'EUR', '2030-01-01T00:00:00Z', 'open', 0 FROM orders`,
		`INSERT INTO planning (mission_id, version, scheduling_status, flight_date, created) SELECT id, 1, 'confirmed', 0, 0 FROM missions`,
		`INSERT INTO packages (uuid, mission_id, version, name, status, file_count, total_size, created)
			SELECT 'package-' || id, id, 1, 'P', 'available', 1, 1, 0 FROM missions`,
		`INSERT INTO files (uuid, package_id, position, name, media_type, kind, size, sha256, place, created)
			SELECT 'file-' || id, id, 0, 'f', '', 'jpg', 1, repeat('0', 64), 'place-' || id, 0 FROM packages`,
		`INSERT INTO flight_permissions (mission_id, status, updated) SELECT id, 'pending', 0 FROM missions`,
		`INSERT INTO order_details (order_id, details) SELECT id, '{}' FROM orders`,
		`INSERT INTO order_notifications (order_id, owner, webhook, email, secret) SELECT id, '', '', 0, '' FROM orders`,
		`INSERT INTO webhooks (account_id, uuid, url, events, description, secret, created, updated)
			SELECT 1 + i % 2, 'webhook-' || i, '', '', '', '', 0, 0 FROM generate_series(1, 200) i`,
		`INSERT INTO webhook_deliveries (webhook_id, uuid, event, mission_uuid, order_code, body, success, response_code, attempts, created)
			SELECT 1 + i % 200, 'delivery-' || i, '', '', '', '', 1, 200, 1, 0 FROM generate_series(1, 20000) i`,
		`INSERT INTO callback_attempts (delivery_id, number, sent, took, response_code, error, headers, answer)
			SELECT id, 1, 0, 1, 200, '', '{}', '' FROM webhook_deliveries`,
		`INSERT INTO notices (uuid, order_id, kind, address, body, success, response_code, attempts, created)
			SELECT 'notice-' || id, id, 'email', '', '{}', 1, 200, 1, 0 FROM orders`,
		`INSERT INTO api_keys (uuid, account_id, hash, hint, scopes, description, created)
			SELECT 'key-' || i, 1 + (i % 10 = 0)::int, 'hash-' || i, '', '', '', 0 FROM generate_series(1, 20000) i`,
		`VACUUM ANALYZE`,
	} {
		if _, err := db.Exec(text); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
}
