package store

import (
	"context"
	"database/sql"
	"slices"
	"time"
)

// Position is a place in a list: just at the item with these values.
type Position struct {
	Sort int64 // milliseconds of creation; 0 where the id alone sorts
	ID   int64
}

// ListWindow is a part of a list.
type ListWindow struct {
	Limit  int       // 0: no limit
	From   *Position // nil: from the list's first item
	Before bool      // the items before From instead of those after it
}

var (
	orderTable   = newOrderTable()
	missionTable = newRecordTable[Mission]("missions")
	repeatTable  = newRecordTable[RememberedOutcome]("idempotency")
)

// newOrderTable returns the table of orders, which has beside each the text that it is
// listed as.
func newOrderTable() *recordTable[Order] {
	t := newRecordTable[Order]("orders")
	t.beside, t.besideOf = "listed", (*Tx).listedText
	return t
}

// Position returns the order's place in the list of its account.
func (o Order) Position() Position { return Position{Sort: o.Created.UnixMilli(), ID: o.ID} }

// The three ways into an account's list of orders, newest first, behind the
// columns to read. Each walks the index orders_of_account from its position on, so
// that any page costs the same. Orders without missions are left out: the v2 API
// alone has them. SQLite plans anew whenever a bare parameter of
// LIMIT is bound; a sum it takes as it comes.
const (
	newestOrders = `WHERE account_id = $1 AND status <> 'deleted' AND mission_count > 0
		ORDER BY created DESC, id DESC LIMIT $2 + 0`
	olderOrders = `WHERE account_id = $1 AND status <> 'deleted' AND mission_count > 0
		AND (created, id) < ($3, $4) ORDER BY created DESC, id DESC LIMIT $2 + 0`
	newerOrders = `WHERE account_id = $1 AND status <> 'deleted' AND mission_count > 0
		AND (created, id) > ($3, $4) ORDER BY created, id LIMIT $2 + 0`
)

var (
	newestWhole = orderTable.selectFrom(newestOrders)
	olderWhole  = orderTable.selectFrom(olderOrders)
	newerWhole  = orderTable.selectFrom(newerOrders)
)

// Orders returns a window of the account's orders, newest first, without the
// deleted ones and those without missions.
func (r *storeReader) Orders(ctx context.Context, accountID int64, w ListWindow) ([]Order, error) {
	return readOrders(ctx, r, orderTable.scanRow, newestWhole, olderWhole, newerWhole, accountID, w)
}

// readOrders reads a window of an account's orders.
func readOrders[T any](
	ctx context.Context, q querier, scan func(*sql.Rows) (T, error), newest, older, newer string, accountID int64, w ListWindow,
) ([]T, error) {
	switch {
	case w.From == nil:
		return collectRows(ctx, q, scan, newest, accountID, w.Limit)
	case !w.Before:
		return collectRows(ctx, q, scan, older, accountID, w.Limit, w.From.Sort, w.From.ID)
	}
	page, err := collectRows(ctx, q, scan, newer, accountID, w.Limit, w.From.Sort, w.From.ID)
	slices.Reverse(page)
	return page, err
}

// OrderByCode returns an order of any account.
func (r *storeReader) OrderByCode(ctx context.Context, code string) (Order, error) {
	return orderByCode(ctx, r, code)
}

func orderByCode(ctx context.Context, q querier, code string) (Order, error) {
	return findRow(ctx, q, orderTable, `WHERE code = $1`, code)
}

// OrderWithMissions returns an order of any account and all its missions, as
// they stood at one moment.
func (r *storeReader) OrderWithMissions(ctx context.Context, code string) (o Order, missions []Mission, err error) {
	err = r.viewSnapshot(ctx, func(q querier) (err error) {
		if o, err = orderByCode(ctx, q, code); err != nil {
			return err
		}
		missions, err = findRows(ctx, q, missionTable, allMissions, o.ID)
		return err
	})
	return o, missions, err
}

// Place returns the mission's place in the list of its order.
func (m Mission) Place() Position { return Position{ID: int64(m.Position)} }

const allMissions = `WHERE order_id = $1 ORDER BY position`

var missionList = newListQueries(missionTable.selectFrom(ofOrder), "position", false)

// Missions returns a window of an order's missions, in the order in which they
// were placed. The position's ID is the mission's position.
func (r *storeReader) Missions(ctx context.Context, orderID int64, w ListWindow) ([]Mission, error) {
	return readList(ctx, r, missionList, missionTable.scanRow, orderID, w)
}

// InsertOrder adds orders and sets their IDs, which rise. MissionCount and
// AreaSize are the caller's to fill in.
func (tx *Tx) InsertOrder(orders ...*Order) error {
	return insertRows(tx, orderTable, orders...)
}

// InsertMissions adds missions and sets their IDs.
func (tx *Tx) InsertMissions(missions ...*Mission) error {
	return insertRows(tx, missionTable, missions...)
}

// TakeNumbers returns the first of the next n numbers of a sequence. The transaction keeps
// how far it took each, for all its jobs at once.
func (tx *Tx) TakeNumbers(sequence string, n int) (first int64, err error) {
	last, known := tx.taken[sequence]
	if !known {
		if err := tx.queryRow(`SELECT last FROM sequences WHERE name = $1`, []any{sequence}, &last); err != nil {
			return 0, err
		}
	}
	if tx.taken == nil {
		tx.taken = map[string]int64{}
	}
	tx.taken[sequence] = last + int64(n)
	return last + 1, nil
}

// keepTaken keeps how far sequences were taken.
func (tx *Tx) keepTaken() error {
	for sequence, last := range tx.taken {
		if err := tx.execute(`UPDATE sequences SET last = $1 WHERE name = $2`, last, sequence); err != nil {
			return err
		}
	}
	return nil
}

// IdempotentResult returns what the account's idempotency key stands for, ErrNotFound
// where it is new.
func (tx *Tx) IdempotentResult(accountID int64, name string) (r RememberedOutcome, err error) {
	return findRow(tx.ctx, tx, repeatTable, `WHERE account_id = $1 AND name = $2`, accountID, name)
}

// Remember keeps the outcome of a request with an idempotency key.
func (tx *Tx) Remember(r RememberedOutcome) error { return insertRows(tx, repeatTable, &r) }

// ForgetBefore drops idempotency keys that are older.
func (tx *Tx) ForgetBefore(t time.Time) error {
	return tx.execute(`DELETE FROM idempotency WHERE created < $1`, toMillis(t))
}
