package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// A folder of each earlier program is brought up to date with all that is in
// it. The rows of a version are in testdata/rows, for what it added.
func TestMigrationsFromEveryVersion(t *testing.T) {
	versions := store.Versions(t)
	for i, version := range versions {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			dir := t.TempDir()
			db := raw(t, dir)
			for _, v := range versions[:i+1] {
				store.MigrateTo(t, db, v)
				fill(t, db, v)
			}
			before := dump(t, db, tables(t, db))
			if len(before) < 7 || len(before["orders"].rows) == 0 {
				t.Fatalf("the database of version %d is bare: %v", version, before)
			}
			s := open(t, dir)
			for name, was := range before {
				if now := dump(t, db, map[string]string{name: was.columns})[name]; !slices.Equal(now.rows, was.rows) {
					t.Errorf("%s had %q, has %q", name, was.rows, now.rows)
				}
			}
			checkSound(t, db)
			readEverything(t, s, version)
			write(t, s, func(tx *store.Tx) error {
				if n, err := tx.TakeNumbers("order", 1); err != nil || n != 100202 {
					t.Errorf("the next order is %d, %v", n, err)
				}
				o := order(&store.Account{ID: 1}, 7)
				return tx.InsertOrder(o)
			})
		})
	}
}

// fill adds the rows of a version, if it has any.
func fill(t *testing.T, db *sql.DB, version int64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "rows", fmt.Sprintf("%05d.sql", version)))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		_, err = db.Exec(string(text))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tables gives the columns of each table that has data of the service.
func tables(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	return tablesNamed(t, db, `name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%'`)
}

// tablesNamed gives the columns of each table whose name fits.
func tablesNamed(t *testing.T, db *sql.DB, condition string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, row := range values(t, db, `SELECT m.name || ' ' || group_concat(c.name, ', ')
		FROM (SELECT name FROM sqlite_master WHERE type = 'table' AND `+condition+`) m, pragma_table_info(m.name) c GROUP BY m.name`) {
		name, columns, _ := strings.Cut(row, " ")
		all[name] = columns
	}
	return all
}

type checkedTable struct {
	columns string
	rows    []string
}

// dump reads the columns of tables.
func dump(t *testing.T, db *sql.DB, tables map[string]string) map[string]checkedTable {
	t.Helper()
	all := map[string]checkedTable{}
	for name, columns := range tables {
		all[name] = checkedTable{columns, values(t, db, `SELECT json_array(`+columns+`) FROM `+name+` ORDER BY 1`)}
	}
	return all
}

// values runs a query of one column of texts.
func values(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			t.Fatal(err)
		}
		all = append(all, value)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func checkSound(t *testing.T, db *sql.DB) {
	t.Helper()
	if got := values(t, db, `PRAGMA integrity_check`); !slices.Equal(got, []string{"ok"}) {
		t.Errorf("integrity: %v", got)
	}
	if got := values(t, db, `SELECT "table" FROM pragma_foreign_key_check`); len(got) > 0 {
		t.Errorf("rows of %v lack what they belong to", got)
	}
}

// readEverything reads what the rows of a version hold, as the service does.
func readEverything(t *testing.T, s *store.Store, version int64) {
	t.Helper()
	ctx := context.Background()
	all := store.ListWindow{}
	holder, err := s.KeyByHash(ctx, "hash-1")
	if err != nil || holder.Account.CompanyName != "Äolus GmbH" || len(holder.Key.Scopes) != 2 || holder.Key.Expires.IsZero() {
		t.Errorf("key %+v, %v", holder, err)
	}
	if revoked, err := s.KeyByHash(ctx, "hash-2"); err != nil || revoked.Key.Revoked.IsZero() {
		t.Errorf("revoked key %+v, %v", revoked, err)
	}
	o, missions, err := s.OrderWithMissions(ctx, "ORD-100201")
	if err != nil || o.Status != api.OrderFlyingDateSet || len(o.Deliverables) != 2 || len(missions) != 1 ||
		len(missions[0].LocationMap) != 3 || *missions[0].OperatorName != "Jørgen" || missions[0].FlightDate.IsZero() {
		t.Errorf("order %+v %+v, %v", o, missions, err)
	}
	d, err := s.OrderDetail(ctx, "order-1")
	if err != nil {
		t.Fatal(err)
	}
	orders, err1 := s.Orders(ctx, 1, store.ListWindow{Limit: 10})
	webhooks, err2 := s.Webhooks(ctx, 1, store.ListWindow{Limit: 10})
	deliveries, err3 := s.Deliveries(ctx, 1, store.ListWindow{Limit: 10})
	files, err4 := s.Files(ctx, 1, all)
	requests, err5 := s.KeyRequests(ctx, all)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{
		"orders": len(orders), "webhooks": len(webhooks), "deliveries": len(deliveries), "files": len(files), "requests": len(requests),
		"planning": len(d.Planning[1]), "packages": len(d.Packages[1]), "permissions": len(d.Permissions), "permits": len(d.Permits),
	}
	since := func(first int64, n int) int {
		if version < first {
			return 0
		}
		return n
	}
	want := map[string]int{
		"orders": 1 + since(20, 1), "webhooks": since(10, 1), "deliveries": since(10, 2), "files": since(21, 1),
		"requests": since(22, 1), "planning": since(21, 1), "packages": since(21, 1), "permissions": since(21, 1), "permits": since(21, 1),
	}
	if !maps.Equal(got, want) {
		t.Errorf("of version %d there are %v, want %v", version, got, want)
	}
}

// A migration that fails half way leaves nothing of itself, and the data as it
// was.
func TestAMigrationThatFailsIsUndone(t *testing.T) {
	dir := t.TempDir()
	db := raw(t, dir)
	store.MigrateTo(t, db, 1)
	fill(t, db, 1)
	store.MigrateTo(t, db, 20)
	if _, err := db.Exec(`CREATE TABLE flight_permissions (in_the_way TEXT)`); err != nil { // 21 makes it last
		t.Fatal(err)
	}
	before := dump(t, db, tables(t, db))
	_, err := store.Open(context.Background(), dir)
	if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "flight_permissions") {
		t.Errorf("opened: %v", err)
	}
	if got := values(t, db, `SELECT CAST(MAX(version_id) AS TEXT) FROM goose_db_version`); !slices.Equal(got, []string{"20"}) {
		t.Errorf("the database says that it is %v", got)
	}
	if after := dump(t, db, tables(t, db)); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("there was %v, there is %v", before, after)
	}
}
