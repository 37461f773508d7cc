package store

import (
	"context"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// KeyRequest is a client's request for an API key.
type KeyRequest struct {
	ID          int64                `column:"id"`
	UUID        string               `column:"uuid"`
	AccountID   int64                `column:"account_id"`
	AccountUUID string               `column:"(SELECT uuid FROM accounts a WHERE a.id = account_id)"`
	IntendedUse string               `column:"intended_use"`
	Scopes      []api.Scope          `column:"scopes"`
	Status      ops.KeyRequestStatus `column:"status"`
	Reason      *string              `column:"reason"` // why it was declined
	KeyID       *int64               `column:"key_id"` // the key that was issued on approval
	Created     time.Time            `column:"created"`
	Decided     time.Time            `column:"decided"` // zero if not decided
}

// Lists without an owner select all IDs above 0.
var (
	_          = newRecordTable[*KeyRequest]("key_requests").listed(`WHERE id > $1`, "id", descending)
	ownedTable = newRecordTable[*OwnedOrder]("orders")
)

// OrderFilter selects orders. Its zero value selects all orders of all accounts.
type OrderFilter struct {
	AccountID int64           // 0 selects the orders of all accounts
	Status    api.OrderStatus // "" selects every status, including deleted
}

// OwnedOrder is an order together with the UUID of its account, for lists with the orders of
// several accounts.
type OwnedOrder struct {
	Order
	AccountUUID string `column:"(SELECT uuid FROM accounts a WHERE a.id = account_id)"`
	Undecided   UndecidedQuotes
}

// UndecidedQuotes counts the quotes of an order that the client has neither accepted nor rejected.
type UndecidedQuotes struct {
	Open    int // can be decided
	Expired int // can no longer be decided
}

// AllOrders returns the page w of the orders that f selects, newest first. For each order it counts
// the undecided quotes: those that can still be accepted at the time now, and those that have
// expired.
func (r *storeReader) AllOrders(
	ctx context.Context, f OrderFilter, w ListWindow, now time.Time,
) ([]OwnedOrder, error) {
	list, args := f.listQueries()
	page, err := readList(ctx, r, &list, ownedTable.scanRow, w, args...)
	if err != nil {
		return nil, err
	}
	var bidding []int64
	for _, o := range page {
		if o.Status == api.OrderBiddingWithQuote {
			bidding = append(bidding, o.ID)
		}
	}
	undecided, err := countUndecidedQuotes(ctx, r, bidding, now)
	if err != nil {
		return nil, err
	}
	for i := range page {
		page[i].Undecided = undecided[page[i].ID]
	}
	return page, nil
}

// listQueries returns the queries that list the selected orders, and the arguments of these
// queries. Each query can use one of the indexes orders_of_account, orders_of_status,
// orders_of_account_status and orders_newest.
func (f OrderFilter) listQueries() (l listQueries, args []any) {
	var where conditions
	if f.AccountID != 0 {
		where.add(`account_id = $N`, f.AccountID)
	}
	if f.Status != "" {
		where.add(`status = $N`, f.Status)
	}
	if len(where.texts) == 0 {
		where.texts = []string{`created >= 0`} // all orders; the query needs a condition
	}
	return newListQueries(ownedTable.all+where.clause(), len(where.args), descending, "created", "id"), where.args
}

// UUIDOf returns the UUID of the record with the given code, or ErrNotFound. T is the type of the
// record: Order or Mission.
func UUIDOf[T any](ctx context.Context, from querier, code string) (string, error) {
	return singleRow(ctx, from, scanText, `SELECT uuid FROM `+tableOf[*T]().name+` WHERE code = $1`, code)
}

// CodeOf returns the code of the record with the given UUID, or ErrNotFound. T is the type of the
// record: Order or Mission.
func CodeOf[T any](ctx context.Context, from querier, uuid string) (string, error) {
	return singleRow(ctx, from, scanText, `SELECT code FROM `+tableOf[*T]().name+` WHERE uuid = $1`, uuid)
}

// countUndecidedQuotes counts the undecided quotes of each given order, as of the time now. The
// keys of the map are order IDs. Orders without undecided quotes are not in the map.
func countUndecidedQuotes(
	ctx context.Context, q querier, orderIDs []int64, now time.Time,
) (map[int64]UndecidedQuotes, error) {
	if len(orderIDs) == 0 {
		return nil, nil
	}
	quotes, err := findRows(ctx, q, quoteTable, `WHERE status = 'open' AND order_id`+inList, listIDs(orderIDs))
	if err != nil {
		return nil, err
	}
	counts := map[int64]UndecidedQuotes{}
	for _, quote := range quotes {
		count := counts[quote.OrderID]
		if now.Before(quote.Expires) {
			count.Open++
		} else {
			count.Expired++
		}
		counts[quote.OrderID] = count
	}
	return counts, nil
}

// OrderDetail is an order with everything that belongs to it.
type OrderDetail struct {
	Order       Order
	Account     Account
	Missions    []Mission
	Planning    map[int64][]Planning // by mission ID, newest first
	Packages    map[int64][]Package  // by mission ID, newest first
	Permissions map[int64]Permission // by mission ID
	Permits     map[int64]File       // by file ID
	Extras      OrderExtras
}

// OrderDetail returns the order with the given UUID, and everything that belongs to the order. The
// order can belong to any account. All of it is read from one snapshot of the database.
func (r *storeReader) OrderDetail(ctx context.Context, uuid string) (OrderDetail, error) {
	var d OrderDetail
	err := r.viewSnapshot(ctx, func(q querier) error {
		var err error
		d.Order, err = findRow(ctx, q, orderTable, ofUUID, uuid)
		if err != nil {
			return err
		}
		d.Account, err = findRow(ctx, q, accountTable, ofID, d.Order.AccountID)
		if err != nil {
			return err
		}
		d.Missions, err = findRows(ctx, q, missionTable, allMissions, d.Order.ID)
		if err != nil {
			return err
		}
		if err := d.readHistory(ctx, q); err != nil {
			return err
		}
		if err := d.readPermissions(ctx, q); err != nil {
			return err
		}
		return fillExtras(ctx, q, []int64{d.Order.ID}, func(int64) *OrderExtras { return &d.Extras })
	})
	return d, err
}

// ofMissions is a condition for rows that belong to a mission of an order. $1 is the ID of the
// order.
const ofMissions = `WHERE mission_id IN (SELECT id FROM missions WHERE order_id = $1)`

// readHistory reads all versions of the flight dates and of the packages of each mission into d.
func (d *OrderDetail) readHistory(ctx context.Context, q querier) error {
	planning, err := findRows(ctx, q, planningTable, ofMissions+` ORDER BY version DESC`, d.Order.ID)
	if err != nil {
		return err
	}
	packages, err := findRows(ctx, q, packageTable, ofMissions+` ORDER BY version DESC`, d.Order.ID)
	if err != nil {
		return err
	}
	d.Planning = map[int64][]Planning{}
	for _, p := range planning {
		d.Planning[p.MissionID] = append(d.Planning[p.MissionID], p)
	}
	d.Packages = map[int64][]Package{}
	for _, p := range packages {
		d.Packages[p.MissionID] = append(d.Packages[p.MissionID], p)
	}
	return nil
}

// readPermissions reads the flight permission of each mission into d. If a permission has a
// document, the permit, it also reads the record of this file.
func (d *OrderDetail) readPermissions(ctx context.Context, q querier) error {
	permissions, err := findRows(ctx, q, permissionTable, ofMissions, d.Order.ID)
	if err != nil {
		return err
	}
	permits, err := findRows(ctx, q, fileTable,
		`WHERE id IN (SELECT permit_id FROM flight_permissions `+ofMissions+`)`, d.Order.ID)
	if err != nil {
		return err
	}
	d.Permissions = map[int64]Permission{}
	for _, p := range permissions {
		d.Permissions[p.MissionID] = p
	}
	d.Permits = map[int64]File{}
	for _, f := range permits {
		d.Permits[f.ID] = f
	}
	return nil
}
