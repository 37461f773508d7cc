package store

import (
	"context"
	"testing"
)

// PageQueries returns the queries behind the pages of lists.
func PageQueries() []string {
	queries := []string{wholeOrders.first, wholeOrders.onward, wholeOrders.back, listedOrders.first, listedOrders.onward, listedOrders.back}
	for _, l := range []listQueries{missionTable.list, webhookTable.list, deliveryTable.list, planningTable.list, packageTable.list, fileTable.list, keyTable.list} {
		queries = append(queries, l.whole, l.first, l.onward, l.back)
	}
	return queries
}

// ChosenOrders returns the queries behind the pages of the orders chosen.
func ChosenOrders(f OrderFilter) []string {
	l, _ := f.listQueries()
	return []string{l.first, l.onward, l.back}
}

// Pragma reads a pragma on a connection of the writer or of a reader.
func Pragma(t testing.TB, s *Store, side, name string) string {
	var value string
	t.Helper()
	ctx := context.Background()
	var err error
	if side == "writer" {
		err = s.Write(ctx, func(tx *Tx) error { return tx.queryRow("PRAGMA "+name, nil, &value) })
	} else {
		err = s.readers.QueryRowContext(ctx, "PRAGMA "+name).Scan(&value)
	}
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// Kept returns how many orders have the text kept that they are listed as.
func Kept(t testing.TB, s *Store) int {
	var n int
	t.Helper()
	if err := s.readers.QueryRow(`SELECT COUNT(*) FROM orders WHERE listed IS NOT NULL`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// KeptRecords returns how many orders have the text kept that the v2 API lists them as.
func KeptRecords(t testing.TB, s *Store) int {
	var n int
	t.Helper()
	if err := s.readers.QueryRow(`SELECT COUNT(*) FROM orders WHERE recorded IS NOT NULL`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Change runs a statement that the store does not know.
func Change(t testing.TB, s *Store, statement string) {
	t.Helper()
	if err := s.Write(context.Background(), func(tx *Tx) error { return tx.execute(statement) }); err != nil {
		t.Fatal(err)
	}
}

// Tables returns the names of all tables, and of those that a reset knows of.
func Tables(t testing.TB, s *Store) (all, known []string) {
	t.Helper()
	all, err := collectRows(context.Background(), s, scanText,
		`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'goose_db_version'`)
	if err != nil {
		t.Fatal(err)
	}
	return all, append(append(known, cleared...), retained...)
}

// RecordQueries returns the queries behind the pages of order records.
func RecordQueries() map[string]string {
	return map[string]string{"orders_of_account": numberedBriefs, "orders_record": numberedBriefsByStatus}
}

// BriefQueries returns the queries behind what a list of records shows.
func BriefQueries() []string {
	return []string{
		allLocations, quotesOfOrders, detailsOfOrders, notifyOfOrders, filesOfOrders, newestBriefs, olderBriefs,
		changesSince, numberedBriefs, numberedBriefsByStatus,
	}
}

// UnkeptOrders returns the query of the orders that lack a text.
func UnkeptOrders() string { return locatedOrders + unkeptOrders }

// MarkEvery is how far apart remembered places in a list are at least.
const MarkEvery = markEvery

// Marks is how many places are remembered of an account's list.
func Marks(s *Store, accountID int64) int { return len(s.marks.rankingOf(accountID).marks) }
