package store

import (
	"context"
	"strconv"
	"strings"
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
	Reason      *string              `column:"reason"` // of declining
	KeyID       *int64               `column:"key_id"` // what approving made
	Created     time.Time            `column:"created"`
	Decided     time.Time            `column:"decided"` // zero: not yet
}

// The lists of everything there is have all ids above 0 as their owner's.
var (
	_          = newRecordTable[*KeyRequest]("key_requests").listed(`WHERE id > $1`, "id", true)
	ownedTable = newRecordTable[*OwnedOrder]("orders")
)

// OrderFilter chooses orders of any account.
type OrderFilter struct {
	AccountID int64           // 0: of all
	Status    api.OrderStatus // "": any, deleted ones too
}

// OwnedOrder is an order among those of all accounts.
type OwnedOrder struct {
	Order
	AccountUUID string `column:"(SELECT uuid FROM accounts a WHERE a.id = account_id)"`
	OpenQuotes  int    // that can be decided
}

// AllOrders returns a window of the orders chosen, newest first, as they stand
// at the time now.
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
	open, err := r.openQuotes(ctx, bidding, now)
	for i := range page {
		page[i].OpenQuotes = open[page[i].ID]
	}
	return page, err
}

// listQueries walks the index of what is chosen: orders_of_account, orders_of_status,
// orders_of_account_status, or orders_newest for all orders.
func (f OrderFilter) listQueries() (l listQueries, args []any) {
	var where []string
	if f.AccountID != 0 {
		where = append(where, `account_id = $1`)
		args = append(args, f.AccountID)
	}
	if f.Status != "" {
		args = append(args, f.Status)
		where = append(where, `status = $`+strconv.Itoa(len(args)))
	}
	if where == nil {
		where = []string{`created >= 0`}
	}
	return newListQueries(ownedTable.all+`WHERE `+strings.Join(where, ` AND `), len(args), true,
		"created", "id"), args
}

// OrderUUID returns the uuid of the order with the code.
func (r *storeReader) OrderUUID(ctx context.Context, code string) (string, error) {
	return singleRow(ctx, r, scanText, `SELECT uuid FROM orders WHERE code = $1`, code)
}

// OrderCode returns the code of the order with the uuid.
func (r *storeReader) OrderCode(ctx context.Context, uuid string) (string, error) {
	return singleRow(ctx, r, scanText, `SELECT code FROM orders WHERE uuid = $1`, uuid)
}

// MissionCode returns the code of the mission with the uuid.
func (r *storeReader) MissionCode(ctx context.Context, uuid string) (string, error) {
	return singleRow(ctx, r, scanText, `SELECT code FROM missions WHERE uuid = $1`, uuid)
}

// MissionUUID returns the uuid of the mission with the code.
func (r *storeReader) MissionUUID(ctx context.Context, code string) (string, error) {
	return singleRow(ctx, r, scanText, `SELECT uuid FROM missions WHERE code = $1`, code)
}

// openQuotes counts those quotes of orders that can be decided at the time
// now, by order.
func (r *storeReader) openQuotes(ctx context.Context, orderIDs []int64, now time.Time) (map[int64]int, error) {
	count := map[int64]int{}
	if len(orderIDs) == 0 {
		return count, nil
	}
	open, err := findRows(ctx, r, quoteTable, `WHERE status = 'open' AND order_id`+inList, listIDs(orderIDs))
	for _, q := range open {
		if now.Before(q.Expires) {
			count[q.OrderID]++
		}
	}
	return count, err
}

// OrderDetail is all that is known of an order.
type OrderDetail struct {
	Order       Order
	Account     Account
	Missions    []Mission
	Planning    map[int64][]Planning // by mission, newest first
	Packages    map[int64][]Package  // by mission, newest first
	Permissions map[int64]Permission // by mission
	Permits     map[int64]File       // by file
	Extras      OrderExtras
}

// OrderDetail returns an order of any account with all that belongs to it, as it
// stood at one moment.
func (r *storeReader) OrderDetail(ctx context.Context, uuid string) (OrderDetail, error) {
	var d OrderDetail
	err := r.viewSnapshot(ctx, func(q querier) (err error) {
		d.Order, err = findRow(ctx, q, orderTable, ofUUID, uuid)
		if err != nil {
			return err
		}
		id := d.Order.ID
		d.Account, err = findRow(ctx, q, accountTable, ofID, d.Order.AccountID)
		if err != nil {
			return err
		}
		d.Missions, err = findRows(ctx, q, missionTable, allMissions, id)
		if err != nil {
			return err
		}
		const ofMissions = `WHERE mission_id IN (SELECT id FROM missions WHERE order_id = $1)`
		planning, err := findRows(ctx, q, planningTable, ofMissions+` ORDER BY version DESC`, id)
		if err != nil {
			return err
		}
		packages, err := findRows(ctx, q, packageTable, ofMissions+` ORDER BY version DESC`, id)
		if err != nil {
			return err
		}
		permissions, err := findRows(ctx, q, permissionTable, ofMissions, id)
		if err != nil {
			return err
		}
		permits, err := findRows(ctx, q, fileTable,
			`WHERE id IN (SELECT permit_id FROM flight_permissions `+ofMissions+`)`, id)
		d.sortParts(planning, packages, permissions, permits)
		if err != nil {
			return err
		}
		return fillExtras(ctx, q, []int64{id}, func(int64) *OrderExtras { return &d.Extras })
	})
	return d, err
}

func (d *OrderDetail) sortParts(planning []Planning, packages []Package, permissions []Permission, permits []File) {
	d.Planning = map[int64][]Planning{}
	d.Packages = map[int64][]Package{}
	d.Permissions = map[int64]Permission{}
	d.Permits = map[int64]File{}
	for _, p := range planning {
		d.Planning[p.MissionID] = append(d.Planning[p.MissionID], p)
	}
	for _, p := range packages {
		d.Packages[p.MissionID] = append(d.Packages[p.MissionID], p)
	}
	for _, p := range permissions {
		d.Permissions[p.MissionID] = p
	}
	for _, f := range permits {
		d.Permits[f.ID] = f
	}
}
