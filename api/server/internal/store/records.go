package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
)

// Account is one client of the service.
type Account struct {
	ID          int64     `column:"id"`
	UUID        string    `column:"uuid"`
	CompanyName string    `column:"company_name"`
	ClientName  string    `column:"client_name"`
	ClientEmail string    `column:"client_email"`
	Currency    string    `column:"currency"` // ISO 4217
	Created     time.Time `column:"created"`
}

// Key is an API key without its secret.
type Key struct {
	ID          int64       `column:"id"`
	UUID        string      `column:"uuid"`
	AccountID   int64       `column:"account_id"`
	Hash        string      `column:"hash"` // SHA-256 of the key, hexadecimal
	Hint        string      `column:"hint"` // the key's last four characters
	Scopes      []api.Scope `column:"scopes"`
	Description string      `column:"description"`
	Created     time.Time   `column:"created"`
	Expires     time.Time   `column:"expires"`      // zero: never
	ExpiresZone int         `column:"expires_zone"` // seconds east of UTC, as sent
	Revoked     time.Time   `column:"revoked"`      // zero: not revoked
}

// Order is an order without its missions. Instants have whole milliseconds;
// StartDate and Deadline are as the caller sent them, offset included.
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
	MissionCount      int                   `column:"mission_count"` // 0: the order exists only in the v2 API
	RejectionReason   *string               `column:"rejection_reason"`
	ArchiveReason     *string               `column:"archive_reason"`
	StatusBefore      *api.OrderStatus      `column:"status_before"` // that the v2 API shows of an archived order
	Created           time.Time             `column:"created"`
	Updated           time.Time             `column:"updated"`

	Location []api.Point `json:"-"` // of the first mission, for [Store.ListAs] alone
}

// Mission is one mission of an order.
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
	FlightDate    time.Time         `column:"flight_date"` // zero: none yet
	FlightZone    int               `column:"flight_zone"` // seconds east of UTC, as sent
	Created       time.Time         `column:"created"`
	Updated       time.Time         `column:"updated"`
}

// RememberedOutcome is the outcome of a request that carried an idempotency key.
type RememberedOutcome struct {
	AccountID int64          `column:"account_id"`
	Name      string         `column:"name"` // the key
	BodyHash  string         `column:"body_hash"`
	Result    jsontext.Value `column:"result"`
	Created   time.Time      `column:"created"`
}

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
	missionTable = newRecordTable[*Mission]("missions").listed(ofOrder, "position", false)
	repeatTable  = newRecordTable[*RememberedOutcome]("idempotency")
)

// newOrderTable returns the table of orders, which has beside each the texts that it is
// listed as.
func newOrderTable() *recordTable[*Order] {
	t := newRecordTable[*Order]("orders")
	t.beside = []string{"listed", "recorded"}
	t.besideOf = (*Tx).listedText
	t.lasting = "recorded"
	return t
}

// Position returns the order's place in the list of its account.
func (o Order) Position() Position { return Position{Sort: o.Created.UnixMilli(), ID: o.ID} }

// publicOrders chooses an account's orders behind the columns to read. Orders without
// missions are left out: the v2 API alone has them.
const publicOrders = `WHERE account_id = $1 AND status <> 'deleted' AND mission_count > 0`

var wholeOrders = newListQueries(orderTable.all+publicOrders, 1, true, "created", "id")

// Orders returns a window of the account's orders, newest first, without the
// deleted ones and those without missions.
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

// OrderWithMissions returns an order of any account and all its missions, as
// they stood at one moment.
func (r *storeReader) OrderWithMissions(ctx context.Context, code string) (o Order, missions []Mission, err error) {
	err = r.viewSnapshot(ctx, func(q querier) (err error) {
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

// TakeNumbers returns the first of the next n numbers of a sequence. The transaction keeps
// how far it took each, for all its jobs at once.
func (tx *Tx) TakeNumbers(sequence string, n int) (int64, error) {
	last, known := tx.taken[sequence]
	if !known {
		last, known = tx.sequences[sequence]
	}
	if !known {
		err := tx.queryRow(`SELECT last FROM sequences WHERE name = $1`, []any{sequence}, &last)
		if err != nil {
			return 0, err
		}
	}
	if tx.taken == nil {
		tx.taken = map[string]int64{}
	}
	tx.taken[sequence] = last + int64(n)
	return last + 1, nil
}

// saveSequences saves the last number of each sequence that the transaction took from.
func (tx *Tx) saveSequences() error {
	for sequence, last := range tx.taken {
		if err := tx.execute(`UPDATE sequences SET last = $1 WHERE name = $2`, last, sequence); err != nil {
			return err
		}
	}
	return nil
}

// IdempotentResult returns what the account's idempotency key stands for, ErrNotFound
// where it is new.
func (tx *Tx) IdempotentResult(accountID int64, name string) (RememberedOutcome, error) {
	return findRow(tx.ctx, tx, repeatTable, `WHERE account_id = $1 AND name = $2`, accountID, name)
}

// DropOutcomesBefore drops idempotency keys that are older.
func (tx *Tx) DropOutcomesBefore(t time.Time) error {
	return tx.execute(`DELETE FROM idempotency WHERE created < $1`, toMillis(t))
}

// Dataset is a purchased dataset of the data library.
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

// Datasets returns a page of an account's datasets, newest first: limit of
// them, after so many others.
func (r *storeReader) Datasets(ctx context.Context, accountID, limit, offset int64) ([]Dataset, error) {
	return findRows(ctx, r, datasetTable, `WHERE id IN (SELECT id FROM datasets
		WHERE account_id = $1 ORDER BY id DESC LIMIT $2 + 0 OFFSET $3 + 0) ORDER BY id DESC`, accountID, limit, offset)
}

// DatasetFiles returns a dataset's files as they were added.
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
		err := tx.execute(
			`INSERT INTO dataset_files (dataset_id, position, file_id) VALUES ($1, $2, $3)`,
			d.ID,
			i,
			f.ID,
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// listQueries holds the queries of a list. Each has what chooses it as its first
// parameters, then a limit, and then a place in the list.
type listQueries struct {
	whole, first, onward, back string
	dated                      bool // times of creation sort it, and ids those of one moment
}

// newListQueries makes the queries of `SELECT … FROM … WHERE …` with so many parameters,
// sorted by columns that each item has its own values of. They walk an index from a
// place on, so that any page costs the same. SQLite plans anew whenever a bare parameter
// of LIMIT is bound; a sum it takes as it comes.
func newListQueries(from string, params int, newestFirst bool, columns ...string) listQueries {
	order := ""
	reverse := " DESC"
	after := " > "
	before := " < "
	if newestFirst {
		order, reverse, after, before = reverse, order, before, after
	}
	sorted := func(direction string) string {
		return ` ORDER BY ` + strings.Join(columns, direction+", ") + direction
	}
	beyond := func(comparison string) string {
		return from + ` AND (` + strings.Join(columns, ", ") + `)` + comparison + placeholders(
			params+2,
			len(columns),
		)
	}
	limit := ` LIMIT $` + strconv.Itoa(params+1) + ` + 0`
	return listQueries{
		whole:  from + sorted(order),
		first:  from + sorted(order) + limit,
		onward: beyond(after) + sorted(order) + limit,
		back:   beyond(before) + sorted(reverse) + limit,
		dated:  len(columns) > 1,
	}
}

// queryOf returns the query of a window, with its parameters behind those that choose
// the list, and whether it finds the last item first.
func (l *listQueries) queryOf(w ListWindow, args []any) (text string, all []any, isReversed bool) {
	switch {
	case w.Limit == 0:
		return l.whole, args, false
	case w.From == nil:
		return l.first, append(args, w.Limit), false
	case l.dated:
		args = slices.Concat(args, []any{w.Limit, w.From.Sort, w.From.ID})
	default:
		args = slices.Concat(args, []any{w.Limit, w.From.ID})
	}
	if w.Before {
		return l.back, args, true
	}
	return l.onward, args, false
}

// readList reads a window of the list that the arguments choose.
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

// The rests of queries that choose one record.
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
	err = r.viewSnapshot(ctx, func(q querier) (err error) {
		m, err = findRow(ctx, q, missionTable, ofUUID, uuid)
		if err != nil {
			return err
		}
		o, err = findRow(ctx, q, orderTable, orderOfMission, uuid)
		return err
	})
	return o, m, err
}

// OrderOfMission returns the order of a mission and all its missions.
func (tx *Tx) OrderOfMission(uuid string) (o Order, missions []Mission, err error) {
	return tx.orderWithMissions(orderOfMission, uuid)
}

// placesAtOnce is how many places are looked for in one query.
const placesAtOnce = 64

var namedPlaces = func() string {
	marks := make([]string, placesAtOnce)
	for i := range marks {
		marks[i] = fmt.Sprintf("$%d", i+1)
	}
	return `SELECT place FROM files WHERE place IN (` + strings.Join(marks, ", ") + `)`
}()

// UnreferencedFiles returns those of the places in the file store that no row of the database
// refers to.
func (s *Store) UnreferencedFiles(ctx context.Context, places []string) ([]string, error) {
	var unnamed []string
	kept, err := s.snapshotPlaces(ctx)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(places, placesAtOnce) {
		args := make([]any, placesAtOnce)
		for i := range args {
			args[i] = some[min(i, len(some)-1)]
		}
		named, err := collectRows(ctx, s, scanText, namedPlaces, args...)
		if err != nil {
			return nil, err
		}
		for _, place := range some {
			if !slices.Contains(named, place) && !kept[place] {
				unnamed = append(unnamed, place)
			}
		}
	}
	return unnamed, nil
}
