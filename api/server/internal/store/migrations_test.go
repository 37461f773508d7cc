package store_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"flightdesk/api/server/internal/store"
)

// A new schema that fails leaves no tables.
func TestAFailedMigrationIsRolledBack(t *testing.T) {
	dir := t.TempDir()
	db := raw(t, dir)
	if _, err := db.Exec(`CREATE TABLE processes (in_the_way TEXT)`); err != nil { // this table is created late in the migration
		t.Fatal(err)
	}
	_, err := store.Open(context.Background(), dir)
	if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "processes") {
		t.Errorf("opened: %v", err)
	}
	left := values(t, db, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	slices.Sort(left)
	if !slices.Equal(left, []string{"goose_db_version", "processes"}) {
		t.Errorf("there are %v", left)
	}
}

func TestASchemaFromBeforeTheFirstReleaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := raw(t, dir).Exec(`DELETE FROM goose_db_version WHERE version_id > 100;
		UPDATE goose_db_version SET version_id = 90 WHERE version_id = 100`); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(context.Background(), dir); err == nil || !strings.Contains(err.Error(), "90") || !strings.Contains(err.Error(), dir) {
		t.Errorf("opened: %v", err)
	}
}

// deadlineTexts inserts orders with texts from before the day of a deadline was shown in
// its own UTC offset. Only the first text is still correct.
const deadlineTexts = `UPDATE orders SET deadline = '2027-02-10T12:00:00+02:00' WHERE uuid LIKE '%-1';
	UPDATE orders SET deadline = '2027-02-10T00:00:00+02:00' WHERE uuid NOT LIKE '%-1';
	UPDATE orders SET recorded = '{"deliveryDeadline":"2027-02-10"}' WHERE uuid LIKE '%-1';
	UPDATE orders SET recorded = '{"deliveryDeadline":"2027-02-09"}' WHERE uuid NOT LIKE '%-1'`

// A text with another day than its deadline is formatted again; other texts are kept.
func TestAMigrationCorrectsTheDaysOfDeadlines(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	a := account("a")
	write(t, s, func(tx *store.Tx) error {
		return errors.Join(store.Insert(tx, a), store.Insert(tx, order(a, 1)), store.Insert(tx, order(a, 2)))
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := raw(t, dir).Exec(deadlineTexts + `; DROP TABLE requests; DROP INDEX files_name; DROP INDEX api_keys_hint; DROP INDEX orders_company; DROP INDEX audit_of_subject; DROP INDEX audit_of_parent; DROP TRIGGER notices_account; DROP INDEX notices_of_account; DROP INDEX notices_failed; ALTER TABLE notices DROP COLUMN account_id; DELETE FROM goose_db_version WHERE version_id >= 109`); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if kept := values(t, raw(t, dir), `SELECT uuid FROM orders WHERE recorded IS NOT NULL`); len(kept) != 1 || !strings.HasSuffix(kept[0], "-1") {
		t.Errorf("texts are kept of %q", kept)
	}
}

// values returns the rows of a query with one text column.
func values(t *testing.T, db *sql.DB, query string) []string {
	var all []string
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

// A start that changes the schema copies the database first and reports both schema
// versions, so that the previous version of the program can be used again. Other starts
// do neither.
func TestADatabaseIsCopiedBeforeItsSchemaChanges(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if change := s.Schema(); change.IsChange() || change.To == 0 || s.CopyBeforeChange() != "" {
		t.Errorf("a new database: %+v", change)
	}
	a := account("a")
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, a) })
	newest := s.Schema().To
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	undo := `DROP INDEX files_name; DROP INDEX api_keys_hint; DROP INDEX orders_company;
		DROP INDEX audit_of_subject; DROP INDEX audit_of_parent;
		DROP TRIGGER notices_account; DROP INDEX notices_of_account; DROP INDEX notices_failed; ALTER TABLE notices DROP COLUMN account_id;
		DELETE FROM goose_db_version WHERE version_id >= 111`
	if _, err := raw(t, dir).Exec(undo); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	change := s.Schema()
	if change.From != 110 || change.To != newest || !change.IsChange() {
		t.Errorf("%+v", change)
	}
	copied, err := sql.Open("sqlite", s.CopyBeforeChange())
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if got := values(t, copied, `SELECT uuid FROM accounts`); len(got) != 1 || got[0] != a.UUID {
		t.Errorf("the copy has the accounts %q", got)
	}
	if got := values(t, copied, `SELECT MAX(version_id) FROM goose_db_version`); got[0] != "110" {
		t.Errorf("the copy has the schema %s", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	if s.Schema().IsChange() || s.CopyBeforeChange() != "" {
		t.Errorf("another start: %+v", s.Schema())
	}
}

// A check and a backup report that this program would refuse the database.
func TestARefusedSchemaIsNamedByCheckAndBackup(t *testing.T) {
	for version, want := range map[string]string{"900": "its schema is 900", "90": "its schema is 90, from before the first release"} {
		dir := t.TempDir()
		if err := open(t, dir).Close(); err != nil {
			t.Fatal(err)
		}
		if faults, err := store.CheckFolder(t.Context(), dir); err != nil || len(faults) > 0 {
			t.Errorf("before: %q, %v", faults, err)
		}
		change := `DELETE FROM goose_db_version WHERE version_id > 0;
			INSERT INTO goose_db_version (version_id, is_applied) VALUES (` + version + `, 1)`
		if _, err := raw(t, dir).Exec(change); err != nil {
			t.Fatal(err)
		}
		if _, err := store.CheckFolder(t.Context(), dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("check: %v", err)
		}
		err := store.BackupFolder(t.Context(), dir, filepath.Join(t.TempDir(), "to"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("backup: %v", err)
		}
	}
}
