package store

import (
	"context"
	"errors"
	"time"

	"flightdesk/api"
)

// Account is a client of the service.
type Account struct {
	ID          int64     `column:"id"`
	UUID        string    `column:"uuid"`
	CompanyName string    `column:"company_name"`
	ClientName  string    `column:"client_name"`
	ClientEmail string    `column:"client_email"`
	Currency    string    `column:"currency"` // ISO 4217
	Created     time.Time `column:"created"`
}

// Key is an API key. The key itself is not stored.
type Key struct {
	ID          int64       `column:"id"`
	UUID        string      `column:"uuid"`
	AccountID   int64       `column:"account_id"`
	Hash        string      `column:"hash"` // SHA-256 of the key, hexadecimal
	Hint        string      `column:"hint"` // the key's last four characters
	Scopes      []api.Scope `column:"scopes"`
	Description string      `column:"description"`
	Created     time.Time   `column:"created"`
	Expires     time.Time   `column:"expires"`      // zero if the key never expires
	ExpiresZone int         `column:"expires_zone"` // UTC offset as sent, in seconds
	Revoked     time.Time   `column:"revoked"`      // zero if the key is not revoked
}

// Order is an order without its missions. Created and Updated have whole milliseconds.
// StartDate and Deadline keep the UTC offset that the client sent.
type Order struct {
	ID                int64                 `column:"id"`
	AccountID         int64                 `column:"account_id"`
	UUID              string                `column:"uuid"`
	Code              string                `column:"code"`
	Status            api.OrderStatus       `column:"status"`
	Name              string                `column:"name"`
	CompanyName       string                `column:"company_name"`
	Type              api.OrderType         `column:"order_type"`
	Sensors           []api.Sensor          `column:"sensors"`
	Deliverables      []api.Deliverable     `column:"deliverables"`
	MissionObjective  api.MissionObjective  `column:"mission_objective"`
	IndustryAssetType api.IndustryAssetType `column:"industry_asset_type"`
	StartDate         time.Time             `column:"start_date,dated"`
	Deadline          time.Time             `column:"deadline,dated"`
	AreaSize          float64               `column:"area_size"`     // square metres, of all missions
	MissionCount      int                   `column:"mission_count"` // 0 if the order exists only in the v2 API
	RejectionReason   *string               `column:"rejection_reason"`
	ArchiveReason     *string               `column:"archive_reason"`
	StatusBefore      *api.OrderStatus      `column:"status_before"` // status that the v2 API shows of an archived order
	Created           time.Time             `column:"created"`
	Updated           time.Time             `column:"updated"`

	Location []api.Point `json:"-"` // of the first mission; only set for [Store.ListAs]
}

// Mission is a part of an order: the survey of one site.
type Mission struct {
	ID            int64             `column:"id"`
	OrderID       int64             `column:"order_id"`
	Position      int               `column:"position"` // from 0, as placed
	UUID          string            `column:"uuid"`
	Code          string            `column:"code"`
	Status        api.MissionStatus `column:"status"`
	Name          string            `column:"name"`
	Type          api.MissionType   `column:"mission_type"`
	Country       string            `column:"country"`
	City          *string           `column:"city"`
	LocationLabel string            `column:"location_label"`
	AreaSize      float64           `column:"area_size"` // square metres
	LocationMap   []api.Point       `column:"location_map"`
	OperatorName  *string           `column:"operator_name"`
	FlightDate    time.Time         `column:"flight_date"` // zero if there is none yet
	FlightZone    int               `column:"flight_zone"` // UTC offset as sent, in seconds
	Created       time.Time         `column:"created"`
	Updated       time.Time         `column:"updated"`
}

var (
	orderTable   = newOrderTable()
	missionTable = newRecordTable[*Mission]("missions").listed(ofOrder, "position", ascending)
)

// newOrderTable returns the table of orders. Two of its columns are not fields of Order: they
// contain the JSON of the order for lists, see [Store.ListAs].
func newOrderTable() *recordTable[*Order] {
	t := newRecordTable[*Order]("orders")
	t.computed = []string{listedColumn, recordedColumn}
	t.computeValue = (*Tx).listedText
	t.insertOnly = recordedColumn
	return t
}

// Position returns the position of the order in lists of orders, which are sorted by creation time.
func (o Order) Position() Position { return Position{Sort: o.Created.UnixMilli(), ID: o.ID} }

// publicOrders selects the orders of an account. Orders without missions are left out,
// because they exist only in the v2 API.
const publicOrders = `WHERE account_id = $1 AND status <> 'deleted' AND mission_count > 0`

var wholeOrders = newListQueries(orderTable.all+publicOrders, 1, descending, "created", "id")

// Orders returns one page of the account's orders, newest first. It leaves out deleted orders, and
// it leaves out orders without missions, which only the v2 API shows.
func (r *storeReader) Orders(ctx context.Context, accountID int64, w ListWindow) ([]Order, error) {
	return readList(ctx, r, &wholeOrders, orderTable.scanRow, w, accountID)
}

// OrderByCode returns the order with the given code, or ErrNotFound. The order can belong to any
// account.
func (r *storeReader) OrderByCode(ctx context.Context, code string) (Order, error) {
	return orderByCode(ctx, r, code)
}

func orderByCode(ctx context.Context, q querier, code string) (Order, error) {
	return findRow(ctx, q, orderTable, `WHERE code = $1`, code)
}

// OrderWithMissions returns the order with the given code and all its missions, or ErrNotFound. The
// order can belong to any account. Both are read from one snapshot.
func (r *storeReader) OrderWithMissions(ctx context.Context, code string) (o Order, missions []Mission, err error) {
	err = r.viewSnapshot(ctx, func(q querier) error {
		var err error
		o, err = orderByCode(ctx, q, code)
		if err != nil {
			return err
		}
		missions, err = findRows(ctx, q, missionTable, allMissions, o.ID)
		return err
	})
	return o, missions, err
}

const allMissions = `WHERE order_id = $1 ORDER BY position`

// WHERE clauses that select one record.
const (
	ofID   = `WHERE id = $1`
	ofUUID = `WHERE uuid = $1`
)

// OrderByUUID returns the order with the given UUID and its missions, or ErrNotFound. The order can
// belong to any account.
func (tx *Tx) OrderByUUID(uuid string) (o Order, missions []Mission, err error) {
	return tx.orderWithMissions(ofUUID, uuid)
}

func (tx *Tx) orderWithMissions(rest, uuid string) (o Order, missions []Mission, err error) {
	o, err = findRow(tx.ctx, tx, orderTable, rest, uuid)
	if err != nil {
		return o, nil, err
	}
	missions, err = findRows(tx.ctx, tx, missionTable, allMissions, o.ID)
	return o, missions, err
}

const orderOfMission = `WHERE id = (SELECT order_id FROM missions WHERE uuid = $1)`

// MissionByUUID returns the mission with the given UUID and its order, or ErrNotFound. The order
// can belong to any account.
func (r *storeReader) MissionByUUID(ctx context.Context, uuid string) (o Order, m Mission, err error) {
	err = r.viewSnapshot(ctx, func(q querier) error {
		var err error
		m, err = findRow(ctx, q, missionTable, ofUUID, uuid)
		if err != nil {
			return err
		}
		o, err = findRow(ctx, q, orderTable, orderOfMission, uuid)
		return err
	})
	return o, m, err
}

// OrderOfMission returns the order of the mission with the given UUID, and all missions of this
// order.
func (tx *Tx) OrderOfMission(uuid string) (o Order, missions []Mission, err error) {
	return tx.orderWithMissions(orderOfMission, uuid)
}

// MovedSince returns up to limit orders that are in progress or completed and were changed at or
// after since, the latest change first. first is the UUID of the oldest order that was placed at or
// after since, or "" if there is none.
func (r *storeReader) MovedSince(
	ctx context.Context, since time.Time, limit int,
) (orders []Order, first string, err error) {
	err = r.viewSnapshot(ctx, func(q querier) error {
		var err error
		orders, err = findRows(ctx, q, orderTable, `WHERE updated >= $1 AND status IN
			('biddingWithQuote', 'pendingOperator', 'operatorAssigned', 'flyingDateSet', 'completed')
			ORDER BY updated DESC, id DESC LIMIT $2 + 0`, since.UnixMilli(), limit)
		if err != nil {
			return err
		}
		first, err = singleRow(ctx, q, scanText,
			`SELECT uuid FROM orders WHERE created >= $1 ORDER BY created, id LIMIT 1`, since.UnixMilli())
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		return err
	})
	return orders, first, err
}
