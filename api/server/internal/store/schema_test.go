package store_test

import (
	"cmp"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"flightdesk/api/server/internal/store"
)

var update = flag.Bool("update", false, "write migrations/sqlite.sql")

// A new database has the schema, and the rows, that the migrations give it one by
// one.
func TestANewDatabaseIsWhatMigrationsMake(t *testing.T) {
	const file = "migrations/sqlite.sql"
	migrated := raw(t, t.TempDir())
	for _, version := range store.Versions(t) {
		store.MigrateTo(t, migrated, version)
	}
	want := schemaOf(t, migrated)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return // it is in the next build
	}
	dir := t.TempDir()
	open(t, dir)
	if got := schemaOf(t, raw(t, dir)); got != want {
		t.Errorf("a new database has\n%s\nwant\n%s\n(go test ./api/server/internal/store -run %s -update)", got, want, t.Name())
	}
}

// schemaOf returns the statements that make a copy of a database.
func schemaOf(t *testing.T, db *sql.DB) string {
	t.Helper()
	b := &strings.Builder{}
	b.WriteString("-- What the migrations make of a new database, written by the tests.\n")
	for _, statement := range values(t, db, `SELECT sql || ';' FROM sqlite_master
		WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type = 'trigger', type = 'index', name`) {
		fmt.Fprintf(b, "\n%s\n", statement)
	}
	var inserts []string
	for name, columns := range tablesNamed(t, db, `name NOT LIKE 'sqlite_%'`) {
		// When a version was applied is the database's to say.
		kept := slices.DeleteFunc(strings.Split(columns, ", "), func(c string) bool { return name == "goose_db_version" && (c == "tstamp" || c == "id") })
		quoted := make([]string, len(kept))
		for i, c := range kept {
			quoted[i] = "quote(" + c + ")"
		}
		for _, row := range values(t, db, `SELECT `+strings.Join(quoted, ` || ', ' || `)+` FROM `+name) {
			inserts = append(inserts, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s);\n", name, strings.Join(kept, ", "), row))
		}
	}
	slices.SortFunc(inserts, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return b.String() + "\n" + strings.Join(inserts, "")
}
