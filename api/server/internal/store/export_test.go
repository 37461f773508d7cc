package store

import (
	"context"
	"testing"
)

// PageQueries returns the queries of pages of lists.
func PageQueries() []string {
	queries := []string{wholeOrders.first, wholeOrders.onward, wholeOrders.back, listedOrders.first, listedOrders.onward, listedOrders.back}
	for _, l := range []listQueries{missionTable.list, webhookTable.list, deliveryTable.list, planningTable.list, packageTable.list, fileTable.list, keyTable.list} {
		queries = append(queries, l.whole, l.first, l.onward, l.back)
	}
	return queries
}

// FilteredOrders returns the queries of pages of filtered orders.
func FilteredOrders(f OrderFilter) []string {
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

// StoredListings returns how many orders have a stored text for the public list.
func StoredListings(t testing.TB, s *Store) int {
	var n int
	t.Helper()
	if err := s.readers.QueryRow(`SELECT COUNT(*) FROM orders WHERE listed IS NOT NULL`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// StoredRecordTexts returns how many orders have a stored text for the list of the v2
// API.
func StoredRecordTexts(t testing.TB, s *Store) int {
	var n int
	t.Helper()
	if err := s.readers.QueryRow(`SELECT COUNT(*) FROM orders WHERE recorded IS NOT NULL`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Change runs a statement that the store itself does not use.
func Change(t testing.TB, s *Store, statement string) {
	t.Helper()
	if err := s.Write(context.Background(), func(tx *Tx) error { return tx.execute(statement) }); err != nil {
		t.Fatal(err)
	}
}

// Tables returns the names of all tables, and of the tables that a reset handles.
func Tables(t testing.TB, s *Store) (all, known []string) {
	t.Helper()
	all, err := collectRows(context.Background(), s, scanText,
		`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'goose_db_version'`)
	if err != nil {
		t.Fatal(err)
	}
	return all, append(append(known, clearedTables...), retainedTables...)
}

// RecordQueries returns the queries of pages of the v2 API.
func RecordQueries() map[string]string {
	return map[string]string{"orders_of_account": numberedBriefs, "orders_record": numberedBriefsByStatus}
}

// BriefQueries returns the queries of what belongs to the orders of a page of the v2 API.
func BriefQueries() []string {
	return []string{
		allLocations, quotesOfOrders, detailsOfOrders, notifyOfOrders, filesOfOrders, newestBriefs, olderBriefs,
		changesSince, numberedBriefs, numberedBriefsByStatus,
	}
}

// OrdersWithoutText returns the query of the orders without a text.
func OrdersWithoutText() string { return locatedOrders + ordersWithoutText }

// MarkEvery is the minimum number of orders between two marks.
const MarkEvery = markEvery

// Marks returns the number of marks of an account's list.
func Marks(s *Store, accountID int64) int { return len(s.Records.rankings.rankingOf(accountID).marks) }
