package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
)

// KeyRequest is a client's request for an API key.
type KeyRequest struct {
	ID          int64
	UUID        string
	AccountID   int64
	AccountUUID string
	IntendedUse string
	Scopes      []api.Scope
	Status      api.KeyRequestStatus
	Reason      *string // of declining
	KeyID       *int64  // what approving made
	Created     time.Time
	Decided     time.Time // zero: not yet
}

// Position returns the request's place in the list.
func (r KeyRequest) Position() Position { return Position{ID: r.ID} }

// Position returns the account's place in the list.
func (a Account) Position() Position { return Position{ID: a.ID} }

// Position returns the key's place in the list of its account.
func (k Key) Position() Position { return Position{ID: k.ID} }

const (
	keyColumns     = `id, uuid, account_id, hash, hint, scopes, description, created, expires, revoked`
	requestColumns = `r.id, r.uuid, r.account_id, a.uuid, r.intended_use, r.scopes, r.status, r.reason, r.key_id, r.created, r.decided`
	requestTables  = `key_requests r JOIN accounts a ON a.id = r.account_id`
)

// The lists of everything there is have all ids above 0 as their owner's.
var (
	accountList = newListQueries(`SELECT `+accountColumns+` FROM accounts a WHERE a.id > $1`, "a.id", true)
	keyList     = newListQueries(`SELECT `+keyColumns+` FROM api_keys WHERE account_id = $1`, "id", true)
	requestList = newListQueries(`SELECT `+requestColumns+` FROM `+requestTables+` WHERE r.id > $1`, "r.id", true)
)

func scanKey(rows *sql.Rows) (k Key, err error) {
	err = rows.Scan(&k.ID, &k.UUID, &k.AccountID, &k.Hash, &k.Hint, wordsColumn[api.Scope]{&k.Scopes}, &k.Description,
		instantColumn{&k.Created}, instantColumn{&k.Expires}, instantColumn{&k.Revoked})
	return k, err
}

func scanRequest(rows *sql.Rows) (r KeyRequest, err error) {
	err = rows.Scan(&r.ID, &r.UUID, &r.AccountID, &r.AccountUUID, &r.IntendedUse, wordsColumn[api.Scope]{&r.Scopes}, &r.Status,
		&r.Reason, &r.KeyID, instantColumn{&r.Created}, instantColumn{&r.Decided})
	return r, err
}

// AccountPage returns a window of all accounts, newest first.
func (r *storeReader) AccountPage(ctx context.Context, w ListWindow) ([]Account, error) {
	return readList(ctx, r, accountList, scanAccount, 0, w)
}

// Keys returns a window of an account's keys, newest first.
func (r *storeReader) Keys(ctx context.Context, accountID int64, w ListWindow) ([]Key, error) {
	return readList(ctx, r, keyList, scanKey, accountID, w)
}

// KeyRequests returns a window of all requests for keys, newest first.
func (r *storeReader) KeyRequests(ctx context.Context, w ListWindow) ([]KeyRequest, error) {
	return readList(ctx, r, requestList, scanRequest, 0, w)
}

// KeyByUUID returns one key.
func (r *storeReader) KeyByUUID(ctx context.Context, uuid string) (Key, error) {
	return singleRow(ctx, r, scanKey, `SELECT `+keyColumns+` FROM api_keys WHERE uuid = $1`, uuid)
}

const requestOfUUID = `SELECT ` + requestColumns + ` FROM ` + requestTables + ` WHERE r.uuid = $1`

// KeyRequestByUUID returns one request for a key.
func (r *storeReader) KeyRequestByUUID(ctx context.Context, uuid string) (KeyRequest, error) {
	return singleRow(ctx, r, scanRequest, requestOfUUID, uuid)
}

// KeyRequestByUUID returns one request for a key.
func (tx *Tx) KeyRequestByUUID(uuid string) (KeyRequest, error) {
	return singleRow(tx.ctx, tx, scanRequest, requestOfUUID, uuid)
}

// InsertKeyRequest adds a request for a key and sets its ID.
func (tx *Tx) InsertKeyRequest(r *KeyRequest) error {
	return tx.queryRow(`INSERT INTO key_requests (uuid, account_id, intended_use, scopes, status, created)
		VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
		[]any{r.UUID, r.AccountID, r.IntendedUse, joinWords(r.Scopes), r.Status, toMillis(r.Created)}, &r.ID)
}

// DecideKeyRequest keeps what was decided about a request.
func (tx *Tx) DecideKeyRequest(r *KeyRequest) error {
	return tx.execute(`UPDATE key_requests SET status = $1, reason = $2, key_id = $3, decided = $4 WHERE id = $5`,
		r.Status, r.Reason, r.KeyID, toMillis(r.Decided), r.ID)
}

// UpdateAccount keeps what can change of an account.
func (tx *Tx) UpdateAccount(a *Account) error {
	return tx.execute(`UPDATE accounts SET client_name = $1, client_email = $2, currency = $3 WHERE id = $4`,
		a.ClientName, a.ClientEmail, a.Currency, a.ID)
}

// AccountByUUID returns one account.
func (tx *Tx) AccountByUUID(uuid string) (Account, error) {
	return singleRow(tx.ctx, tx, scanAccount, `SELECT `+accountColumns+` FROM accounts a WHERE a.uuid = $1`, uuid)
}

// OrderFilter chooses orders of any account.
type OrderFilter struct {
	AccountID int64           // 0: of all
	Status    api.OrderStatus // "": any, deleted ones too
}

// OwnedOrder is an order among those of all accounts.
type OwnedOrder struct {
	Order
	AccountUUID string
	OpenQuotes  int // that can be decided
}

// AllOrders returns a window of the orders chosen, newest first, as they stand
// at the time now.
func (r *storeReader) AllOrders(ctx context.Context, f OrderFilter, w ListWindow, now time.Time) ([]OwnedOrder, error) {
	query, args := f.filterQuery(w)
	page, err := collectRows(ctx, r, func(rows *sql.Rows) (o OwnedOrder, err error) {
		err = rows.Scan(append(o.scanPlaces(), &o.AccountUUID)...)
		return o, err
	}, query, args...)
	if w.From != nil && w.Before {
		slices.Reverse(page)
	}
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

// filterQuery walks the index of what is chosen: orders_of_account, orders_of_status,
// orders_of_account_status, or orders_newest for all orders.
func (f OrderFilter) filterQuery(w ListWindow) (string, []any) {
	where, args := []string{}, []any{}
	add := func(condition string, values ...any) {
		for _, v := range values {
			args = append(args, v)
			condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(args)), 1)
		}
		where = append(where, condition)
	}
	order := "created DESC, id DESC"
	if f.AccountID != 0 {
		add("account_id = ?", f.AccountID)
	}
	if f.Status != "" {
		add("status = ?", f.Status)
	}
	switch {
	case w.From == nil:
		add("created >= ?", int64(0))
	case w.Before:
		add("(created, id) > (?, ?)", w.From.Sort, w.From.ID)
		order = "created, id"
	default:
		add("(created, id) < (?, ?)", w.From.Sort, w.From.ID)
	}
	args = append(args, w.Limit)
	return fmt.Sprintf(`SELECT %s, (SELECT uuid FROM accounts a WHERE a.id = account_id)
		FROM orders WHERE %s ORDER BY %s LIMIT $%d + 0`,
		orderColumns, strings.Join(where, " AND "), order, len(args)), args
}

// OrderUUID returns the uuid of the order with the code.
func (r *storeReader) OrderUUID(ctx context.Context, code string) (string, error) {
	return singleRow(ctx, r, scanText, `SELECT uuid FROM orders WHERE code = $1`, code)
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
	args := make([]any, len(orderIDs))
	for i, id := range orderIDs {
		args[i] = id
	}
	open, err := collectRows(ctx, r, scanQuote, `SELECT `+quoteColumns+` FROM quotes
		WHERE status = 'open' AND order_id IN `+placeholders(1, len(args)), args...)
	for _, q := range open {
		if now.Before(q.Expires) {
			count[q.OrderID]++
		}
	}
	return count, err
}

// Dossier is all that is known of an order.
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

// Dossier returns an order of any account with all that belongs to it, as it
// stood at one moment.
func (r *storeReader) OrderDetail(ctx context.Context, uuid string) (d OrderDetail, err error) {
	err = r.viewSnapshot(ctx, func(q querier) (err error) {
		if d.Order, err = singleRow(ctx, q, scanOrder, orderOfUUID, uuid); err != nil {
			return err
		}
		id := d.Order.ID
		d.Account, err = singleRow(ctx, q, scanAccount, `SELECT `+accountColumns+` FROM accounts a WHERE a.id = $1`, d.Order.AccountID)
		if err != nil {
			return err
		}
		if d.Missions, err = collectRows(ctx, q, scanMission, allMissions, id); err != nil {
			return err
		}
		const ofOrder = ` WHERE mission_id IN (SELECT id FROM missions WHERE order_id = $1)`
		planning, err := collectRows(ctx, q, scanPlanning, `SELECT `+planningColumns+` FROM planning`+ofOrder+` ORDER BY version DESC`, id)
		if err != nil {
			return err
		}
		packages, err := collectRows(ctx, q, scanPackage, `SELECT `+packageColumns+` FROM packages`+ofOrder+` ORDER BY version DESC`, id)
		if err != nil {
			return err
		}
		permissions, err := collectRows(ctx, q, scanPermission, `SELECT `+permissionColumns+` FROM flight_permissions`+ofOrder, id)
		if err != nil {
			return err
		}
		permits, err := collectRows(ctx, q, scanFile, `SELECT `+fileColumns+` FROM files
			WHERE id IN (SELECT permit_id FROM flight_permissions`+ofOrder+`)`, id)
		d.sortParts(planning, packages, permissions, permits)
		if err != nil {
			return err
		}
		return fillExtras(ctx, q, []int64{id}, func(int64) *OrderExtras { return &d.Extras })
	})
	return d, err
}

func (d *OrderDetail) sortParts(planning []Planning, packages []Package, permissions []Permission, permits []File) {
	d.Planning, d.Packages = map[int64][]Planning{}, map[int64][]Package{}
	d.Permissions, d.Permits = map[int64]Permission{}, map[int64]File{}
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
