package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"
	"unicode/utf8"
)

// Listing is an order in the list of its account.
type Listing struct {
	Place Position // position in that list
	Text  string   // JSON from [Store.ListAs]
}

// Position returns the order's position in the list of its account.
func (l Listing) Position() Position { return l.Place }

// ListAs sets the functions that format an order for the public list and for the list of
// the v2 API. The store saves both texts with the order, so that the lists read one
// column instead of the whole order. Call it before using the store.
//
// [Insert] saves both texts, and [Update] saves the first text again. The second text
// contains only values that normally never change. If a statement changes the values in a
// text without saving the text, a trigger removes the text. Orders without a text, for example
// from an earlier schema, are formatted when they are read. A change of a format needs a
// migration that sets orders.listed or orders.recorded to NULL.
func (s *Store) ListAs(listed, recorded func(Order) (string, error)) {
	s.formats = map[string]func(Order) (string, error){listedColumn: listed, recordedColumn: recorded}
}

// Columns of an order with its texts for lists.
const (
	listedColumn   = "listed"   // for the public list
	recordedColumn = "recorded" // for the list of the v2 API
)

// listedText returns the text to store in a column of an order, or nil if no format is set.
// In the text, the times of the order have the precision of the database.
func (tx *Tx) listedText(o *Order, column string) (any, error) {
	format := tx.s.formats[column]
	if format == nil {
		return nil, nil
	}
	stored := *o
	stored.Created = withStoredPrecision(o.Created)
	stored.Updated = withStoredPrecision(o.Updated)
	return format(stored)
}

// withStoredPrecision returns a time in whole milliseconds and UTC, as it is after it was stored.
func withStoredPrecision(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

var listedOrders = newListQueries(`SELECT id, created, listed FROM orders `+publicOrders, 1, descending,
	"created", "id")

// noText is the text of an order that has no stored text. No format returns it.
const noText = ""

func scanListing(rows *sql.Rows, l *Listing) error {
	var text sql.NullString
	err := rows.Scan(&l.Place.ID, &l.Place.Sort, &text)
	if err != nil {
		return err
	}
	if !utf8.ValidString(text.String) {
		return errNotUTF8
	}
	l.Text = text.String
	return nil
}

var errNotUTF8 = errors.New("a text is not in UTF-8")

// Listings returns a window of the account's orders, newest first, without deleted
// orders. It needs the format of [Store.ListAs].
func (s *Store) Listings(ctx context.Context, accountID int64, w ListWindow) ([]Listing, error) {
	page, err := readList(ctx, s, &listedOrders, scanListing, w, accountID)
	if err != nil {
		return nil, err
	}
	hasNoText := func(l Listing) bool { return l.Text == noText }
	if slices.ContainsFunc(page, hasNoText) {
		return s.formatListings(ctx, accountID, w)
	}
	return page, nil
}

// formatListings is [Store.Listings] for a window in which an order has no stored text. It reads the
// whole orders and formats their texts.
func (s *Store) formatListings(ctx context.Context, accountID int64, w ListWindow) ([]Listing, error) {
	orders, err := s.Orders(ctx, accountID, w)
	if err != nil {
		return nil, err
	}
	page := make([]Listing, len(orders))
	for i, o := range orders {
		page[i].Place = o.Position()
		page[i].Text, err = s.formats[listedColumn](o)
		if err != nil {
			return nil, err
		}
	}
	return page, nil
}
