//go:build postgres

package store_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

// The migrations of a next version: one needs the strongest locks, one creates an index of existing
// rows.
var nextMigrations = map[string]string{
	"00900_change.sql": `ALTER TABLE orders ADD COLUMN colour TEXT;
		CREATE INDEX orders_by_colour ON orders (colour) WHERE colour IS NOT NULL;
		DROP INDEX orders_moved;`,
	"00901_index.sql": `-- +goose NO TRANSACTION
		DROP INDEX CONCURRENTLY IF EXISTS orders_moved;
		CREATE INDEX CONCURRENTLY orders_moved ON orders (updated, id);`,
}

// migrationWaits reports whether a migration is waiting for a kind of lock.
func migrationWaits(t *testing.T, url, kind string) func() bool {
	t.Helper()
	db := storetest.SharedCluster(t).Open(t, url)
	return func() bool {
		waiting := 0
		err := db.QueryRow(`SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
			WHERE NOT granted AND locktype = $1 AND application_name = 'flightdesk migrations' AND datname = current_database()`,
			kind).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
		return waiting > 0
	}
}

// A migration waits for a writer that has read and is going to insert, instead of a
// deadlock.
func TestAMigrationWaitsForAWriter(t *testing.T) {
	url := storetest.SharedCluster(t).Database(t)
	s := storetest.OpenShared(t, store.SharedDatabase{URL: url})
	a := account("a")
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, a) })
	migrated := make(chan error, 1)
	runs := 0
	write(t, s, func(tx *store.Tx) error {
		runs++
		go func() { migrated <- store.Migrate(t.Context(), t, url, nextMigrations) }()
		storetest.Eventually(t, "the migration waits for its turn", migrationWaits(t, url, "advisory"))
		return store.Insert(tx, order(a, 1))
	})
	if err := <-migrated; err != nil || runs != 1 {
		t.Errorf("%d runs, migrated: %v", runs, err)
	}
}

// The migration is applied after the reader has finished.
func TestAMigrationBlockedByAReaderLetsWritersPass(t *testing.T) {
	url := storetest.SharedCluster(t).Database(t)
	s := storetest.OpenShared(t, store.SharedDatabase{URL: url})
	a := account("a")
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, a) })
	reader, err := storetest.SharedCluster(t).Open(t, url).Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Exec(`SELECT count(*) FROM orders`); err != nil {
		t.Fatal(err)
	}
	migrated := make(chan error, 1)
	go func() { migrated <- store.Migrate(t.Context(), t, url, nextMigrations) }()
	storetest.Eventually(t, "the migration waits for the reader", migrationWaits(t, url, "relation"))
	for i := range 3 {
		write(t, s, func(tx *store.Tx) error { return store.Insert(tx, order(a, i)) })
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Errorf("migrated: %v", err)
	}
}

// Texts with another day than their deadline are formatted again, in one transaction per
// thousand orders.
func TestAMigrationCorrectsDeadlinesInASharedDatabase(t *testing.T) {
	url := storetest.SharedCluster(t).Database(t)
	s := storetest.OpenShared(t, store.SharedDatabase{URL: url})
	a := account("a")
	err := s.WriteMuch(t.Context(), func(tx *store.Tx) error {
		err := store.Insert(tx, a)
		for n := 0; n < 2_100 && err == nil; n++ {
			err = store.Insert(tx, order(a, n))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	db := storetest.SharedCluster(t).Open(t, url)
	_, err = db.Exec(`INSERT INTO notices (uuid, order_id, kind, address, body, success, response_code, attempts, created)
		SELECT 'notice', MIN(id), 'email', '', '{}', 0, 0, 4, 0 FROM orders`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(deadlineTexts + `; DROP TABLE requests; DROP TRIGGER notices_account ON notices; DROP FUNCTION set_account_of_notice;
		ALTER TABLE notices DROP COLUMN account_id; DELETE FROM goose_db_version WHERE version_id >= 109`); err != nil {
		t.Fatal(err)
	}
	if err := store.Migrate(t.Context(), t, url, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := s.NoticesOfAccount(t.Context(), a.ID, true, store.ListWindow{Limit: 5}); err != nil || len(got) != 1 {
		t.Errorf("notices of the account: %+v, %v", got, err)
	}
	if kept := values(t, db, `SELECT uuid FROM orders WHERE recorded IS NOT NULL`); len(kept) != 1 || !strings.HasSuffix(kept[0], "-1") {
		t.Errorf("%d texts are kept, %.3q", len(kept), kept)
	}
}

// Two processes of the previous version write without errors while a new one migrates.
func TestAMigrationBesideWriters(t *testing.T) {
	migrateBesideWriters(t, storetest.SharedCluster(t), 5_000)
}

// migrateBesideWriters migrates a database with orders while two processes use it, and
// returns the longest time that a write took.
func migrateBesideWriters(t *testing.T, c *storetest.Cluster, orders int) time.Duration {
	t.Helper()
	url := c.Database(t)
	processes := []*store.Store{}
	for range 2 {
		processes = append(processes, storetest.OpenShared(t, store.SharedDatabase{URL: url}))
	}
	a := account("a")
	write(t, processes[0], func(tx *store.Tx) error { return store.Insert(tx, a) })
	write(t, processes[0], func(tx *store.Tx) error { return store.Insert(tx, order(a, -1)) })
	db := c.Open(t, url)
	fill := `INSERT INTO orders (account_id, uuid, code, status, name, company_name, order_type, sensors, deliverables,
		mission_objective, industry_asset_type, start_date, deadline, area_size, mission_count, created, updated)
		SELECT account_id, 'filled-' || n, 'FILLED-' || n, status, name, company_name, order_type, sensors, deliverables,
		mission_objective, industry_asset_type, start_date, deadline, area_size, mission_count, created, updated
		FROM orders, generate_series(1, $1::int) n`
	if _, err := db.Exec(fill, orders); err != nil {
		t.Fatal(err)
	}
	var slowest, written, read atomic.Int64
	stop := make(chan struct{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				began := time.Now()
				s := processes[i%2]
				o := order(a, 0)
				o.UUID = fmt.Sprintf("written-%d-%d", i, n)
				o.Code = fmt.Sprintf("W-%d-%d", i, n)
				write(t, s, func(tx *store.Tx) error { return store.Insert(tx, o) })
				written.Add(1)
				for took := int64(time.Since(began)); ; {
					before := slowest.Load()
					if took <= before || slowest.CompareAndSwap(before, took) {
						break
					}
				}
				if _, err := s.Orders(t.Context(), a.ID, store.ListWindow{Limit: 20}); err != nil {
					t.Error(err)
				}
				read.Add(1)
			}
		})
	}
	storetest.Eventually(t, "all write", func() bool { return written.Load() > 20 })
	var starting sync.WaitGroup
	for range 2 { // new processes, of which one finds the migrations applied
		starting.Go(func() {
			if err := store.Migrate(t.Context(), t, url, nextMigrations); err != nil {
				t.Errorf("migrated: %v", err)
			}
		})
	}
	starting.Wait()
	more := written.Load() + 20
	storetest.Eventually(t, "all write again", func() bool { return written.Load() > more || t.Failed() })
	close(stop)
	all.Wait()
	t.Logf("%d orders: %d writes and %d reads beside the migration, the longest write %v",
		orders, written.Load(), read.Load(), time.Duration(slowest.Load()))
	return time.Duration(slowest.Load())
}

// A connection pooler that refuses or drops session settings is named in the error.
func TestAPoolerIsRefused(t *testing.T) {
	c := storetest.SharedCluster(t)
	url := c.Database(t)
	for _, refusing := range []bool{false, true} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		go forwardChanged(t.Context(), listener, c.Port, refusing)
		port := listener.Addr().(*net.TCPAddr).Port
		by := strings.Replace(url, fmt.Sprint(":", c.Port), fmt.Sprint(":", port), 1) + "?sslmode=disable"
		_, err = store.OpenShared(t.Context(), store.SharedDatabase{URL: by})
		if err == nil || !strings.Contains(err.Error(), "use the address of PostgreSQL itself") {
			t.Errorf("refusing %v: %v", refusing, err)
		}
	}
}

// forwardChanged forwards connections and replaces the setting of the lock timeout, like
// a pooler that drops it, or that refuses it as PgBouncer does.
func forwardChanged(ctx context.Context, listener net.Listener, port int, refusing bool) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer client.Close()
			hello := make([]byte, 4096)
			n, err := client.Read(hello)
			if err != nil {
				return
			}
			if refusing {
				text := "SERROR\x00VERROR\x00C08P01\x00Munsupported startup parameter: lock_timeout\x00\x00"
				_, _ = client.Write(append([]byte{'E', 0, 0, 0, byte(4 + len(text))}, text...))
				return
			}
			server, err := new(net.Dialer).DialContext(ctx, "tcp", fmt.Sprint("127.0.0.1:", port))
			if err != nil {
				return
			}
			defer server.Close()
			_, _ = server.Write(bytes.Replace(hello[:n], []byte("lock_timeout"), []byte("commit_delay"), 1))
			go func() { _, _ = io.Copy(server, client) }()
			_, _ = io.Copy(client, server)
		}()
	}
}
