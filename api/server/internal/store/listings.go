package store

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"sync"
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

// ListAs has the store keep what two forms make of an order beside it, so that the
// public list and that of the v2 API read a column instead of all. It is called before
// the first use of the store.
//
// Each statement that writes an order writes the first text; the second one has what
// stays as it was placed, and is written with it. The database drops a text of an order
// that any other statement changes. One without a text, as of
// an earlier schema, is put into form when it is read. A form that changes
// comes with a migration that sets orders.listed or orders.recorded to NULL.
func (s *Store) ListAs(listed, recorded func(Order) (string, error)) {
	s.forms = map[string]func(Order) (string, error){"listed": listed, "recorded": recorded}
}

// listedText returns the text to keep with an order in a column, NULL where no form is
// set. It is made of the order as it will be read.
func (tx *Tx) listedText(o *Order, column string) (any, error) {
	form := tx.s.forms[column]
	if form == nil {
		return nil, nil
	}
	read := *o
	read.Created = asRead(o.Created)
	read.Updated = asRead(o.Updated)
	return form(read)
}

// asRead returns what a column of milliseconds makes of a time.
func asRead(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

var listedOrders = newListQueries(`SELECT id, created, listed FROM orders `+publicOrders, 1, true,
	"created", "id")

// missing is the text of an order that has none; no form makes it.
const missing = ""

func scanListing(rows *sql.Rows, l *Listing) error {
	var text sql.NullString
	err := rows.Scan(&l.Place.ID, &l.Place.Sort, &text)
	l.Text = text.String
	if err == nil && !utf8.ValidString(l.Text) {
		err = errNotUTF8
	}
	return err
}

var errNotUTF8 = errors.New("a text is not in UTF-8")

// Listings returns a window of the account's orders, newest first, without the
// deleted ones. It needs the form of [Store.ListAs].
func (s *Store) Listings(ctx context.Context, accountID int64, w ListWindow) ([]Listing, error) {
	page, err := readList(ctx, s, &listedOrders, scanListing, w, accountID)
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
		page[i].Text, err = s.forms["listed"](o)
		if err != nil {
			return nil, err
		}
	}
	return page, nil
}

// Pages of records are asked for by number, and whoever counts from the newest
// order walks over all that are before the page. So the places of pages that
// were read are remembered: the next walk begins at the nearest one.
const (
	markEvery   = 500   // orders between two marks at least
	maxMarks    = 2_000 // of an account
	maxAccounts = 100   // that have marks
)

// listMark is a place in the list of an account's orders, newest first.
type listMark struct {
	rank int64 // how many orders are before it
	at   Position
}

// listStart is before all orders of a list.
var listStart = Position{math.MaxInt64, math.MaxInt64}

// accountRanking has the marks of an account as they were at one moment. It is never
// changed. Orders that are placed later push all marks on. Deleted orders stay in the
// list; after a reset, which removes orders, the marks are useless.
type accountRanking struct {
	newest Position   // order at the time
	marks  []listMark // by rank
	end    int64      // after so many orders there was none; 0: not known
}

// changesSince finds what has happened to an account's list since a ranking: the
// newest order, how many orders are newer than the ranking's newest order, and whether
// that order still exists.
const changesSince = `SELECT created, id,
	(SELECT COUNT(*) FROM orders WHERE account_id = $1 AND (created, id) > ($2, $3)),
	(SELECT COUNT(*) FROM orders WHERE id = $3)
	FROM orders WHERE account_id = $1 ORDER BY created DESC, id DESC LIMIT 1`

// bringUpToDate brings a ranking up to the state that q reads, which is not older
// than the ranking.
func (r accountRanking) bringUpToDate(ctx context.Context, q querier, accountID int64) (accountRanking, error) {
	since := r.newest
	if r.marks == nil && r.end == 0 {
		since = listStart // nothing has to be counted
	}
	var placed, isThere int64
	found, err := collectRows(ctx, q, func(rows *sql.Rows, now *accountRanking) error {
		return rows.Scan(&now.newest.Sort, &now.newest.ID, &placed, &isThere)
	}, changesSince, accountID, since.Sort, since.ID)
	if err != nil || len(found) == 0 {
		return accountRanking{}, err
	}
	now := found[0]
	if isThere == 0 {
		return now, nil
	}
	now.marks = slices.Clone(r.marks)
	if r.end > 0 {
		now.end = r.end + placed
	}
	for i := range now.marks {
		now.marks[i].rank += placed
	}
	return now, nil
}

// readPage reads a page from the nearest place that is known, and returns what is
// known then.
func (r accountRanking) readPage(
	ctx context.Context, q querier, accountID, limit, offset int64,
) (page []OrderBrief, now accountRanking, err error) {
	from := listMark{at: listStart}
	if offset >= markEvery {
		r, err = r.bringUpToDate(ctx, q, accountID)
		if err != nil || r.end > 0 && offset >= r.end {
			return nil, r, err
		}
		from = r.markBefore(offset)
	}
	page, err = collectRows(ctx, q, scanBrief, numberedBriefs, accountID, limit, offset-from.rank,
		from.at.Sort, from.at.ID)
	switch {
	case err != nil || offset-from.rank < markEvery:
	case len(page) > 0:
		r = r.withMark(listMark{offset, page[0].Place})
	default:
		r.end = offset
	}
	return page, r, err
}

// markBefore returns the last mark that is not behind a rank, the list's beginning
// without one.
func (r accountRanking) markBefore(rank int64) listMark {
	i, found := slices.BinarySearchFunc(r.marks, rank, byRank)
	if found {
		return r.marks[i]
	}
	if i == 0 {
		return listMark{at: listStart}
	}
	return r.marks[i-1]
}

func byRank(m listMark, rank int64) int { return int(m.rank - rank) }

// withMark adds a mark. Of too many every other one is dropped.
func (r accountRanking) withMark(m listMark) accountRanking {
	i, _ := slices.BinarySearchFunc(r.marks, m.rank, byRank)
	r.marks = slices.Insert(slices.Clone(r.marks), i, m)
	if len(r.marks) > maxMarks {
		half := r.marks[:0]
		for i := 0; i < len(r.marks); i += 2 {
			half = append(half, r.marks[i])
		}
		r.marks = half
	}
	return r
}

// rankingCache has the rankings of accounts whose later pages were read.
type rankingCache struct {
	mu  sync.Mutex
	all map[int64]accountRanking // by account
}

// forgetAll drops all, where the lists are others now.
func (m *rankingCache) forgetAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = nil
}

func (m *rankingCache) rankingOf(accountID int64) accountRanking {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all[accountID]
}

// keepRanking keeps a ranking; of two that were made at once, the one that comes last.
func (m *rankingCache) keepRanking(accountID int64, r accountRanking) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, has := m.all[accountID]; m.all == nil || !has && len(m.all) >= maxAccounts {
		m.all = map[int64]accountRanking{}
	}
	m.all[accountID] = r
}
