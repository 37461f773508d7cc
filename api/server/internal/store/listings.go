package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"
	"unicode/utf8"
)

// Listing is an order as an item in the list of an account's orders.
type Listing struct {
	Place Position // position in the list
	Text  string   // JSON of the order for lists, see [Store.ListAs]
}

// Position returns the order's position in the list of its account.
func (l Listing) Position() Position { return l.Place }

// ListAs sets the functions that format an order: listed for the public list, and recorded for
// the list of the v2 API. Call it before using the store.
//
// The store saves both texts with the order, so that a list reads one column instead of the whole
// order. [Insert] saves both texts. [Update] saves only the text of listed again, because the
// values in the text of recorded normally never change. If a statement changes a value in a text
// without saving the text, a trigger removes the text.
//
// An order without a text, for example from an earlier schema, is formatted when it is read. A
// change of a format needs a migration that sets orders.listed or orders.recorded to NULL.
func (s *Store) ListAs(listed, recorded func(Order) (string, error)) {
	s.formats = map[string]func(Order) (string, error){listedColumn: listed, recordedColumn: recorded}
}

// Columns of an order with its texts for lists.
const (
	listedColumn   = "listed"   // for the public list
	recordedColumn = "recorded" // for the list of the v2 API
)

// listedText returns the text to store in a column of an order, or nil if no format is set. The
// times in the text are cut to milliseconds, as in the database.
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

// noText marks an order without a stored text. A format never returns an empty text.
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

// Listings returns one page of the account's orders, newest first, without deleted orders. w
// selects the page. [Store.ListAs] must have been called before.
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

// formatListings returns the same page as [Store.Listings], but reads the whole orders and formats
// them. It is used if an order of the page has no stored text.
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
