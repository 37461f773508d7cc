package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"
	"unicode/utf8"
)

// Listing is an order as the list of its account shows it.
type Listing struct {
	Place Position // in that list
	Text  string   // as [Store.ListAs] makes it
}

// Position returns the order's place in the list of its account.
func (l Listing) Position() Position { return l.Place }

// ListAs has the store keep what form makes of an order beside it, so that
// listing it reads one column instead of all. It is called before the first
// use of the store.
//
// Each statement that writes an order writes its text; the database drops the
// text of an order that any other statement changes. One without a text, as of
// an earlier schema, is put into form when it is read. A form that changes
// comes with a migration that sets orders.listed to NULL.
func (s *Store) ListAs(form func(Order) (string, error)) { s.form = form }

// listedText returns the text to keep with an order, NULL where no form is set. It is
// made of the order as it will be read.
func (tx *Tx) listedText(o *Order) (any, error) {
	if tx.s.form == nil {
		return nil, nil
	}
	read := *o
	read.Created, read.Updated = asRead(o.Created), asRead(o.Updated)
	return tx.s.form(read)
}

// asRead returns what a column of milliseconds makes of a time.
func asRead(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

var listedOrders = newListQueries(
	`SELECT id, created, listed FROM orders `+publicOrders,
	1,
	true,
	"created",
	"id",
)

// missing is the text of an order that has none; no form makes it.
const missing = ""

func scanListing(rows *sql.Rows) (l Listing, err error) {
	var text sql.NullString
	err = rows.Scan(&l.Place.ID, &l.Place.Sort, &text)
	l.Text = text.String
	if err == nil && !utf8.ValidString(l.Text) {
		err = errors.New("a text is not in UTF-8")
	}
	return l, err
}

// Listings returns a window of the account's orders, newest first, without the
// deleted ones. It needs the form of [Store.ListAs].
func (s *Store) Listings(ctx context.Context, accountID int64, w ListWindow) ([]Listing, error) {
	page, err := readList(ctx, s, listedOrders, scanListing, w, accountID)
	if err != nil || !slices.ContainsFunc(page, func(l Listing) bool { return l.Text == missing }) {
		return page, err
	}
	orders, err := s.Orders(ctx, accountID, w)
	if err != nil {
		return nil, err
	}
	page = make([]Listing, len(orders))
	for i, o := range orders {
		page[i].Place = o.Position()
		if page[i].Text, err = s.form(o); err != nil {
			return nil, err
		}
	}
	return page, nil
}
