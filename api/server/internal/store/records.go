package store

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

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

// Mission is a mission of an order.
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

// RememberedOutcome is the result of a request with an idempotency key.
type RememberedOutcome struct {
	AccountID int64     `column:"account_id"`
	Name      string    `column:"name"` // idempotency key
	BodyHash  string    `column:"body_hash"`
	Result    string    `column:"result"` // JSON
	Created   time.Time `column:"created"`
}

// Position is the position of an item in a list.
type Position struct {
	Sort int64 // creation time in milliseconds; 0 if the list is sorted by ID only
	ID   int64
}

// ListWindow selects a part of a list.
type ListWindow struct {
	Limit  int       // 0 is unlimited
	From   *Position // position after which the window begins; nil is the start of the list
	Before bool      // selects the items before From instead
}

var (
	orderTable   = newOrderTable()
	missionTable = newRecordTable[*Mission]("missions").listed(ofOrder, "position", ascending)
	outcomeTable = newRecordTable[*RememberedOutcome]("idempotency")
)

// newOrderTable returns the table of orders. Its computed columns are the texts for
// lists.
func newOrderTable() *recordTable[*Order] {
	t := newRecordTable[*Order]("orders")
	t.computed = []string{listedColumn, recordedColumn}
	t.computeValue = (*Tx).listedText
	t.insertOnly = recordedColumn
	return t
}

// Position returns the order's position in the list of its account.
func (o Order) Position() Position { return Position{Sort: o.Created.UnixMilli(), ID: o.ID} }

// publicOrders selects the orders of an account. Orders without missions are left out,
// because they exist only in the v2 API.
const publicOrders = `WHERE account_id = $1 AND status <> 'deleted' AND mission_count > 0`

var wholeOrders = newListQueries(orderTable.all+publicOrders, 1, descending, "created", "id")

// Orders returns a window of the account's orders, newest first, without deleted orders
// and orders without missions.
func (r *storeReader) Orders(ctx context.Context, accountID int64, w ListWindow) ([]Order, error) {
	return readList(ctx, r, &wholeOrders, orderTable.scanRow, w, accountID)
}

// OrderByCode returns an order of any account.
func (r *storeReader) OrderByCode(ctx context.Context, code string) (Order, error) {
	return orderByCode(ctx, r, code)
}

func orderByCode(ctx context.Context, q querier, code string) (Order, error) {
	return findRow(ctx, q, orderTable, `WHERE code = $1`, code)
}

// OrderWithMissions returns an order of any account and all its missions, read from one
// snapshot.
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

// ReserveNumbers reserves the next n numbers of a sequence and returns the first of them.
// The numbers are saved when the transaction commits.
func (tx *Tx) ReserveNumbers(sequence string, n int) (int64, error) {
	last, isKnown := tx.reserved[sequence]
	if !isKnown {
		last, isKnown = tx.sequences[sequence]
	}
	if !isKnown {
		err := tx.queryRow(`SELECT last FROM sequences WHERE name = $1`, []any{sequence}, &last)
		if err != nil {
			return 0, err
		}
	}
	if tx.reserved == nil {
		tx.reserved = map[string]int64{}
	}
	tx.reserved[sequence] = last + int64(n)
	return last + 1, nil
}

// saveSequences saves the last reserved number of each sequence.
func (tx *Tx) saveSequences() error {
	for sequence, last := range tx.reserved {
		if err := tx.execute(`UPDATE sequences SET last = $1 WHERE name = $2`, last, sequence); err != nil {
			return err
		}
	}
	return nil
}

// IdempotencyKey is an idempotency key of an account.
type IdempotencyKey struct {
	AccountID int64
	Name      string
}

// Key returns the idempotency key of the request.
func (o *RememberedOutcome) Key() IdempotencyKey { return IdempotencyKey{o.AccountID, o.Name} }

// OutcomesSince returns the results of the requests that had one of the idempotency keys since a time, by their keys.
// It needs one query for all keys.
func (tx *Tx) OutcomesSince(since time.Time, keys []IdempotencyKey) (map[IdempotencyKey]RememberedOutcome, error) {
	accountIDs := make([]int64, len(keys))
	names := make([]string, len(keys))
	for i, key := range keys {
		accountIDs[i] = key.AccountID
		names[i] = key.Name
	}
	nameList, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	// The query also finds keys of one account that have the name of another account's key.
	found, err := findRows(tx.ctx, tx, outcomeTable,
		`WHERE account_id`+inList+` AND name`+inTexts+` AND created >= $3`,
		listIDs(accountIDs), string(nameList), toMillis(since))
	if err != nil {
		return nil, err
	}
	outcomes := make(map[IdempotencyKey]RememberedOutcome, len(found))
	for _, outcome := range found {
		outcomes[outcome.Key()] = outcome
	}
	return outcomes, nil
}

// DropOutcomesBefore deletes idempotency keys from before a time. On a shared database, that may wait
// until the commit; see executeLater.
func (tx *Tx) DropOutcomesBefore(t time.Time) error {
	return tx.executeLater(`DELETE FROM idempotency WHERE created < $1`, toMillis(t))
}

// Dataset is a dataset of the data library that an account has bought.
type Dataset struct {
	ID            int64       `column:"id"`
	UUID          string      `column:"uuid"`
	AccountID     int64       `column:"account_id"`
	Name          string      `column:"name"`
	Categories    []string    `column:"categories"`
	Description   string      `column:"description"`
	SDGGoals      []string    `column:"sdg_goals"`
	LocationLabel string      `column:"location_label"`
	LocationMap   []api.Point `column:"location_map"`
	DateCompleted string      `column:"date_completed"` // a day, or ""
	Created       time.Time   `column:"created"`
}

var datasetTable = newRecordTable[*Dataset]("datasets")

// Datasets returns a page of an account's datasets, newest first.
func (r *storeReader) Datasets(ctx context.Context, accountID, limit, offset int64) ([]Dataset, error) {
	return findRows(ctx, r, datasetTable, `WHERE id IN (SELECT id FROM datasets
		WHERE account_id = $1 ORDER BY id DESC LIMIT $2 + 0 OFFSET $3 + 0) ORDER BY id DESC`, accountID, limit, offset)
}

// DatasetFiles returns the files of a dataset in the order in which they were added.
func (r *storeReader) DatasetFiles(ctx context.Context, datasetID int64) ([]File, error) {
	return collectRows(ctx, r, fileTable.scanRow, `SELECT `+fileTable.columnList("f.")+`
		FROM dataset_files d JOIN files f ON f.id = d.file_id WHERE d.dataset_id = $1 ORDER BY d.position`, datasetID)
}

// InsertDataset adds a dataset with its files, and sets all IDs.
func (tx *Tx) InsertDataset(d *Dataset, files []File) error {
	if err := insertRows(tx, datasetTable, d); err != nil {
		return err
	}
	for i := range files {
		f := &files[i]
		f.Created = d.Created
		if err := Insert(tx, f); err != nil {
			return err
		}
		err := tx.execute(`INSERT INTO dataset_files (dataset_id, position, file_id) VALUES ($1, $2, $3)`, d.ID, i, f.ID)
		if err != nil {
			return err
		}
	}
	return nil
}

// listQueries has the queries of a list. Their parameters are the values that select the
// list, then a limit, and then a position in the list.
type listQueries struct {
	whole  string // all items; has no limit
	first  string // the first items; has no position
	onward string // the items after a position
	back   string // the items before a position, last item first
	dated  bool   // sorted by creation time, and by ID within a millisecond
}

// conditions are the conditions of a query that a filter adds, with the arguments of their parameters.
type conditions struct {
	texts []string
	args  []any
}

// add adds a condition. Each $N in it is the parameter for the value.
func (c *conditions) add(condition string, value any) {
	c.args = append(c.args, value)
	parameter := "$" + strconv.Itoa(len(c.args))
	c.texts = append(c.texts, strings.ReplaceAll(condition, "$N", parameter))
}

// clause returns the WHERE clause in which all conditions must hold. There is at least one condition.
func (c *conditions) clause() string { return `WHERE ` + strings.Join(c.texts, ` AND `) }

// listDirection is a direction in which a list is read.
type listDirection struct {
	order      string // suffix of each column in ORDER BY
	comparison string // operator between an item and a position that the item follows
}

// The directions of a list.
var (
	ascending  = listDirection{order: "", comparison: " > "}
	descending = listDirection{order: " DESC", comparison: " < "} // newest first
)

func (d listDirection) reverse() listDirection {
	if d == ascending {
		return descending
	}
	return ascending
}

// newListQueries returns the queries of a list. selection is a query of the form `SELECT …
// FROM … WHERE …` that selects the items, and paramCount is the number of its parameters. The
// list is sorted by columns, which must be unique together; forward is the direction of the
// list. The queries walk an index from a position, so all pages cost the same. The limit is
// written as a sum, because SQLite would plan a query again each time a plain parameter of
// LIMIT is bound.
func newListQueries(selection string, paramCount int, forward listDirection, columns ...string) listQueries {
	backward := forward.reverse()
	sorted := func(d listDirection) string {
		return ` ORDER BY ` + strings.Join(columns, d.order+", ") + d.order
	}
	position := placeholders(paramCount+2, len(columns))
	beyond := func(d listDirection) string {
		return selection + ` AND (` + strings.Join(columns, ", ") + `)` + d.comparison + position
	}
	limit := ` LIMIT $` + strconv.Itoa(paramCount+1) + ` + 0`
	return listQueries{
		whole:  selection + sorted(forward),
		first:  selection + sorted(forward) + limit,
		onward: beyond(forward) + sorted(forward) + limit,
		back:   beyond(backward) + sorted(backward) + limit,
		dated:  len(columns) > 1,
	}
}

// queryOf returns the query of a window with its arguments, and whether the query returns
// the last item first.
func (l *listQueries) queryOf(w ListWindow, args []any) (text string, all []any, isReversed bool) {
	if w.Limit == 0 {
		return l.whole, args, false
	}
	if w.From == nil {
		return l.first, append(args, w.Limit), false
	}
	position := []any{w.Limit, w.From.ID}
	if l.dated {
		position = []any{w.Limit, w.From.Sort, w.From.ID}
	}
	args = slices.Concat(args, position)
	if w.Before {
		return l.back, args, true
	}
	return l.onward, args, false
}

// readList returns a window of the list that the arguments select.
func readList[T any](
	ctx context.Context, q querier, l *listQueries, scan func(*sql.Rows, *T) error, w ListWindow, args ...any,
) ([]T, error) {
	text, args, isReversed := l.queryOf(w, args)
	page, err := collectRows(ctx, q, scan, text, args...)
	if isReversed {
		slices.Reverse(page)
	}
	return page, err
}

// WHERE clauses that select one record.
const (
	ofID   = `WHERE id = $1`
	ofUUID = `WHERE uuid = $1`
)

// OrderByUUID returns an order of any account and its missions.
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

// MissionByUUID returns a mission of any account and its order.
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

// OrderOfMission returns the order of a mission, with all missions of the order.
func (tx *Tx) OrderOfMission(uuid string) (o Order, missions []Mission, err error) {
	return tx.orderWithMissions(orderOfMission, uuid)
}

// placeBatchSize is the number of files looked up in one query.
const placeBatchSize = 64

// namedPlaces selects the file-store keys among placeBatchSize keys that files refer to.
var namedPlaces = `SELECT place FROM files WHERE place IN ` + placeholders(1, placeBatchSize)

// UnreferencedFiles returns the file-store keys in places that neither the database nor a
// snapshot refers to.
func (s *Store) UnreferencedFiles(ctx context.Context, places []string) ([]string, error) {
	inSnapshots, err := s.folder.snapshotPlaces(ctx)
	if err != nil {
		return nil, err
	}
	var unreferenced []string
	for batch := range slices.Chunk(places, placeBatchSize) {
		args := make([]any, placeBatchSize)
		for i := range args {
			args[i] = batch[min(i, len(batch)-1)] // a short batch repeats its last key
		}
		named, err := collectRows(ctx, s, scanText, namedPlaces, args...)
		if err != nil {
			return nil, err
		}
		for _, place := range batch {
			if !slices.Contains(named, place) && !inSnapshots[place] {
				unreferenced = append(unreferenced, place)
			}
		}
	}
	return unreferenced, nil
}
