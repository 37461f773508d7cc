package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
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

const orderColumns = `id, account_id, uuid, code, status, name, company_name, order_type, sensors, deliverables,
	mission_objective, industry_asset_type, start_date, deadline, area_size, mission_count, rejection_reason,
	archive_reason, status_before, created, updated`

func (o *Order) scanPlaces() []any {
	return []any{
		&o.ID, &o.AccountID, &o.UUID, &o.Code, &o.Status, &o.Name, &o.CompanyName, &o.Type,
		wordsColumn[api.Sensor]{&o.Sensors},
		wordsColumn[api.Deliverable]{&o.Deliverables},
		&o.MissionObjective, &o.IndustryAssetType,
		datedColumn{&o.StartDate},
		datedColumn{&o.Deadline},
		&o.AreaSize, &o.MissionCount, &o.RejectionReason, &o.ArchiveReason, &o.StatusBefore,
		instantColumn{&o.Created},
		instantColumn{&o.Updated},
	}
}

func scanOrder(rows *sql.Rows) (o Order, err error) {
	err = rows.Scan(o.scanPlaces()...)
	return o, err
}

// Position returns the order's place in the list of its account.
func (o Order) Position() Position { return Position{Sort: o.Created.UnixMilli(), ID: o.ID} }

// The three ways into an account's list of orders, newest first, behind the
// columns to read. Each walks the index orders_of_account from its position on, so
// that any page costs the same. Orders without missions are left out: the v2 API
// alone has them. SQLite plans anew whenever a bare parameter of
// LIMIT is bound; a sum it takes as it comes.
const (
	newestOrders = ` FROM orders WHERE account_id = $1 AND status <> 'deleted' AND mission_count > 0
		ORDER BY created DESC, id DESC LIMIT $2 + 0`
	olderOrders = ` FROM orders WHERE account_id = $1 AND status <> 'deleted' AND mission_count > 0
		AND (created, id) < ($3, $4) ORDER BY created DESC, id DESC LIMIT $2 + 0`
	newerOrders = ` FROM orders WHERE account_id = $1 AND status <> 'deleted' AND mission_count > 0
		AND (created, id) > ($3, $4) ORDER BY created, id LIMIT $2 + 0`

	newestWhole = `SELECT ` + orderColumns + newestOrders
	olderWhole  = `SELECT ` + orderColumns + olderOrders
	newerWhole  = `SELECT ` + orderColumns + newerOrders
)

// Orders returns a window of the account's orders, newest first, without the
// deleted ones and those without missions.
func (r *storeReader) Orders(ctx context.Context, accountID int64, w ListWindow) ([]Order, error) {
	return readOrders(ctx, r, scanOrder, newestWhole, olderWhole, newerWhole, accountID, w)
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
	return singleRow(ctx, q, scanOrder, `SELECT `+orderColumns+` FROM orders WHERE code = $1`, code)
}

// OrderWithMissions returns an order of any account and all its missions, as
// they stood at one moment.
func (r *storeReader) OrderWithMissions(ctx context.Context, code string) (o Order, missions []Mission, err error) {
	err = r.viewSnapshot(ctx, func(q querier) (err error) {
		if o, err = orderByCode(ctx, q, code); err != nil {
			return err
		}
		missions, err = collectRows(ctx, q, scanMission, allMissions, o.ID)
		return err
	})
	return o, missions, err
}

const missionColumns = `id, order_id, position, uuid, code, status, name, mission_type, country, city,
	location_label, area_size, location_map, operator_name, flight_date, created, updated`

func scanMission(rows *sql.Rows) (m Mission, err error) {
	err = rows.Scan(&m.ID, &m.OrderID, &m.Position, &m.UUID, &m.Code, &m.Status, &m.Name, &m.Type, &m.Country,
		&m.City, &m.LocationLabel, &m.AreaSize, jsonColumn{&m.LocationMap}, &m.OperatorName,
		instantColumn{&m.FlightDate}, instantColumn{&m.Created}, instantColumn{&m.Updated})
	return m, err
}

// Place returns the mission's place in the list of its order.
func (m Mission) Place() Position { return Position{ID: int64(m.Position)} }

const (
	allMissions   = `SELECT ` + missionColumns + ` FROM missions WHERE order_id = $1 ORDER BY position`
	firstMissions = allMissions + ` LIMIT $2 + 0`
	laterMissions = `SELECT ` + missionColumns + ` FROM missions WHERE order_id = $1 AND position > $3
		ORDER BY position LIMIT $2 + 0`
	earlierMissions = `SELECT ` + missionColumns + ` FROM missions WHERE order_id = $1 AND position < $3
		ORDER BY position DESC LIMIT $2 + 0`
)

// Missions returns a window of an order's missions, in the order in which they
// were placed. The position's ID is the mission's position.
func (r *storeReader) Missions(ctx context.Context, orderID int64, w ListWindow) ([]Mission, error) {
	switch {
	case w.Limit == 0:
		return collectRows(ctx, r, scanMission, allMissions, orderID)
	case w.From == nil:
		return collectRows(ctx, r, scanMission, firstMissions, orderID, w.Limit)
	case !w.Before:
		return collectRows(ctx, r, scanMission, laterMissions, orderID, w.Limit, w.From.ID)
	}
	page, err := collectRows(ctx, r, scanMission, earlierMissions, orderID, w.Limit, w.From.ID)
	slices.Reverse(page)
	return page, err
}

const insertedColumns = 21

var orderInserts = newBatchQueries(func(n int) string {
	return `INSERT INTO orders (account_id, uuid, code, status, name, company_name, order_type, sensors,
		deliverables, mission_objective, industry_asset_type, start_date, deadline, area_size, mission_count,
		rejection_reason, archive_reason, status_before, created, updated, listed)
		VALUES ` + rowsOf(n, insertedColumns) + ` RETURNING id`
})

// InsertOrder adds orders and sets their IDs, which rise. MissionCount and
// AreaSize are the caller's to fill in.
func (tx *Tx) InsertOrder(orders ...*Order) error {
	for len(orders) > 0 {
		text, n := orderInserts.firstBatch(len(orders))
		args := make([]any, 0, insertedColumns*n)
		for _, o := range orders[:n] {
			listed, err := tx.listedText(o)
			if err != nil {
				return err
			}
			args = append(args, o.AccountID, o.UUID, o.Code, o.Status, o.Name, o.CompanyName, o.Type, joinWords(o.Sensors),
				joinWords(o.Deliverables), o.MissionObjective, o.IndustryAssetType, o.StartDate.Format(time.RFC3339Nano),
				o.Deadline.Format(time.RFC3339Nano), o.AreaSize, o.MissionCount, o.RejectionReason, o.ArchiveReason, o.StatusBefore,
				toMillis(o.Created), toMillis(o.Updated), listed)
		}
		ids, err := collectRows(tx.ctx, tx, scanID, text, args...)
		if err != nil {
			return err
		}
		slices.Sort(ids) // a database may return them in any order
		for i, id := range ids {
			orders[i].ID = id
		}
		orders = orders[n:]
	}
	return nil
}

var missionInserts = newBatchQueries(func(n int) string {
	return `INSERT INTO missions (order_id, position, uuid, code, status, name, mission_type, country, city, location_label,
		area_size, location_map, operator_name, flight_date, created, updated) VALUES ` + rowsOf(n, 16)
})

// InsertMissions adds missions. Their IDs are the store's.
func (tx *Tx) InsertMissions(missions ...Mission) error {
	for len(missions) > 0 {
		text, n := missionInserts.firstBatch(len(missions))
		args := make([]any, 0, 16*n)
		for _, m := range missions[:n] {
			location, err := json.Marshal(m.LocationMap)
			if err != nil {
				return err
			}
			args = append(args, m.OrderID, m.Position, m.UUID, m.Code, m.Status, m.Name, m.Type, m.Country, m.City,
				m.LocationLabel, m.AreaSize, string(location), m.OperatorName, toMillis(m.FlightDate),
				toMillis(m.Created), toMillis(m.Updated))
		}
		if err := tx.execute(text, args...); err != nil {
			return err
		}
		missions = missions[n:]
	}
	return nil
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
	var result string
	err = tx.queryRow(`SELECT account_id, name, body_hash, result, created FROM idempotency WHERE account_id = $1 AND name = $2`,
		[]any{accountID, name}, &r.AccountID, &r.Name, &r.BodyHash, &result, instantColumn{&r.Created})
	r.Result = []byte(result)
	return r, err
}

// Remember keeps the outcome of a request with an idempotency key.
func (tx *Tx) Remember(r RememberedOutcome) error {
	return tx.execute(`INSERT INTO idempotency (account_id, name, body_hash, result, created) VALUES ($1, $2, $3, $4, $5)`,
		r.AccountID, r.Name, r.BodyHash, string(r.Result), toMillis(r.Created))
}

// ForgetBefore drops idempotency keys that are older.
func (tx *Tx) ForgetBefore(t time.Time) error {
	return tx.execute(`DELETE FROM idempotency WHERE created < $1`, toMillis(t))
}
