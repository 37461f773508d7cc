package domain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// idempotencyLife is how long an idempotency key is remembered.
const idempotencyLife = 24 * time.Hour

// OrderPlacement is a validated request to place an order.
type OrderPlacement struct {
	Request        api.CreateOrderRequest
	IdempotencyKey string // "" if the client sent none
	Body           []byte // request body; must be the same when the idempotency key is used again
}

// Place places an order for the caller, with status biddingWithQuote and missions with
// status awaitingPilot.
func (d Orders) Place(ctx context.Context, c *Caller, p OrderPlacement) (store.Order, error) {
	now := d.Now()
	repeat := store.RememberedOutcome{
		AccountID: c.Account.ID,
		Name:      p.IdempotencyKey,
		Created:   now,
	}
	if p.IdempotencyKey != "" {
		repeat.BodyHash = hashBody(p.Body)
	}
	placement := &placement{
		unstored: newOrder(c.Account.ID, p.Request, now),
		missions: newMissions(p.Request.Missions, now, d.cityOf),
		now:      now,
		repeat:   repeat,
	}
	err := d.Store.WriteJoint(ctx, placeOrders, placement)
	return placement.order, wrapStoreError(err, "place order")
}

// newOrder returns the order for a request. It sets the status, computes the total area,
// adds JPEG photos to the deliverables, and removes repeated sensors and deliverables.
func newOrder(accountID int64, req api.CreateOrderRequest, now time.Time) store.Order {
	in := req.Order
	o := store.Order{
		AccountID:         accountID,
		UUID:              newUUID(now),
		Status:            api.OrderBiddingWithQuote,
		Name:              in.OrderName,
		CompanyName:       in.CompanyName,
		Type:              in.OrderType,
		Sensors:           distinctValues(in.Sensors),
		Deliverables:      distinctValues(append(slices.Clone(in.Deliverables), api.DeliverableJPG)),
		MissionObjective:  in.MissionObjective,
		IndustryAssetType: in.IndustryAssetType,
		StartDate:         in.StartDate.Time,
		Deadline:          in.Deadline.Time,
		MissionCount:      len(req.Missions),
	}
	for _, m := range req.Missions {
		o.AreaSize += m.AreaSize
	}
	return o
}

// distinctValues returns the values without repetitions, in the order in which they first occur.
func distinctValues[T comparable](values []T) []T {
	distinct := make([]T, 0, len(values))
	for _, v := range values {
		if !slices.Contains(distinct, v) {
			distinct = append(distinct, v)
		}
	}
	return distinct
}

// newMissions returns the missions for a request. cityOf returns the city of a mission, or
// nil.
func newMissions(
	inputs []api.MissionInput, now time.Time, cityOf func(api.MissionInput) *string,
) []store.Mission {
	missions := make([]store.Mission, len(inputs))
	for i, in := range inputs {
		missions[i] = store.Mission{
			Position:      i,
			UUID:          newUUID(now),
			Status:        api.MissionAwaitingPilot,
			Name:          in.MissionName,
			Type:          in.MissionType,
			Country:       in.Country,
			City:          cityOf(in),
			LocationLabel: in.LocationLabel,
			AreaSize:      in.AreaSize,
			LocationMap:   in.LocationMap,
		}
	}
	return missions
}

// cityOf returns the suggested city of a mission, or nil.
func (d Orders) cityOf(m api.MissionInput) *string {
	if d.City == nil {
		return nil
	}
	city := d.City(m.MissionType, m.LocationMap)
	if city == "" {
		return nil
	}
	return &city
}

// unstoredOrder is an order with its missions that is not stored yet.
type unstoredOrder struct {
	*store.Order
	missions []store.Mission
}

// insertOrders assigns codes to missions, and to orders without a code, and stores the
// orders and the missions. It sets the IDs of both.
func insertOrders(tx *store.Tx, orders ...unstoredOrder) error {
	missions, err := insertWithoutMissions(tx, orders)
	if err != nil {
		return err
	}
	return store.Insert(tx, missions...)
}

// insertWithoutMissions is like insertOrders, but does not store the missions. It returns them,
// and the caller must store them.
func insertWithoutMissions(tx *store.Tx, orders []unstoredOrder) (missions []*store.Mission, err error) {
	if err := assignOrderCodes(tx, orders); err != nil {
		return nil, err
	}
	rows := make([]*store.Order, len(orders))
	for i, o := range orders {
		rows[i] = o.Order
		if len(o.missions) > 0 {
			o.Location = o.missions[0].LocationMap
		}
	}
	if err := store.Insert(tx, rows...); err != nil {
		return nil, err
	}
	return completeMissions(tx, orders)
}

// assignOrderCodes assigns the next codes to the orders that have none.
func assignOrderCodes(tx *store.Tx, orders []unstoredOrder) error {
	count := 0
	for _, o := range orders {
		if o.Code == "" {
			count++
		}
	}
	number, err := tx.ReserveNumbers("order", count)
	if err != nil {
		return err
	}
	for _, o := range orders {
		if o.Code == "" {
			o.Code = "ORD-" + strconv.FormatInt(number, 10)
			number++
		}
	}
	return nil
}

// completeMissions sets the order ID, the code and the times of each mission, and returns all
// missions. The orders must be stored already, because the missions need the IDs of their orders.
func completeMissions(tx *store.Tx, orders []unstoredOrder) ([]*store.Mission, error) {
	count := 0
	for _, o := range orders {
		count += len(o.missions)
	}
	number, err := tx.ReserveNumbers("mission", count)
	if err != nil {
		return nil, err
	}
	missions := make([]*store.Mission, 0, count)
	for _, o := range orders {
		for i := range o.missions {
			m := &o.missions[i]
			m.OrderID = o.ID
			m.Code = "MSN-" + strconv.FormatInt(number, 10)
			number++
			if m.Created.IsZero() {
				m.Created = o.Created
				m.Updated = o.Updated
			}
			missions = append(missions, m)
		}
	}
	return missions, nil
}

// repeatOutcome returns the order that an earlier request with the same idempotency key has placed.
// earlier is the saved outcome of that request, and repeat belongs to the new request. It returns
// an error if the bodies of the two requests differ.
func repeatOutcome(earlier, repeat store.RememberedOutcome) (order store.Order, err error) {
	if earlier.BodyHash != repeat.BodyHash {
		return order, refuseRequest(api.CodeConflict, "this Idempotency-Key was used with another body "+
			"in the last 24 hours; use a new key for a new order")
	}
	err = json.Unmarshal([]byte(earlier.Result), &order)
	return order, err
}

func hashBody(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// List returns a page of the caller's orders, newest first. Each item contains the JSON that a
// list shows of the order.
func (d Orders) List(ctx context.Context, c *Caller, w store.ListWindow) (Page[store.Listing], error) {
	page, err := readPage(w, (*store.Listing).Position, func(w store.ListWindow) ([]store.Listing, error) {
		return d.Store.Listings(ctx, c.Account.ID, w)
	})
	return page, wrapStoreError(err, "list orders")
}

// WithMissions returns one of the caller's orders with its missions.
func (d Orders) WithMissions(ctx context.Context, c *Caller, code string) (store.Order, []store.Mission, error) {
	o, missions, err := d.Store.OrderWithMissions(ctx, code)
	if err != nil {
		return o, missions, wrapStoreError(refuseMissing(err, noOrder), "read order")
	}
	return o, missions, authorizePublic(c, o)
}

// ByCode returns one of the caller's orders without its missions.
func (d Orders) ByCode(ctx context.Context, c *Caller, code string) (store.Order, error) {
	o, err := d.Store.OrderByCode(ctx, code)
	if err != nil {
		return o, wrapStoreError(refuseMissing(err, noOrder), "read order")
	}
	return o, authorizePublic(c, o)
}

// authorizePublic is like [authorizeAccess], but for the public API, which does not show orders
// without missions.
func authorizePublic(c *Caller, o store.Order) error {
	if err := authorizeAccess(c, o); err != nil {
		return err
	}
	if c != nil && o.MissionCount == 0 {
		return refuseRequest(api.CodeNotFound, "%s has no missions yet and exists only in the v2 API", o.Code)
	}
	return nil
}

// authorizeAccess returns an error if the caller may not see an order. A nil caller is the
// service itself, which also sees deleted orders.
func authorizeAccess(c *Caller, o store.Order) error {
	if err := authorizeOwner(c, o); err != nil {
		return err
	}
	if c != nil && o.Status == api.OrderDeleted {
		return refuseRequest(api.CodeNotFound, noOrder)
	}
	return nil
}

// authorizeOwner is like [authorizeAccess], but for the v2 API, where clients also see their
// deleted orders.
func authorizeOwner(c *Caller, o store.Order) error {
	if c != nil && o.AccountID != c.Account.ID {
		return refuseRequest(api.CodeNotYourResource, "the order belongs to another account")
	}
	return nil
}

// Dataset returns one of the caller's datasets.
func (d Records) Dataset(ctx context.Context, c *Caller, uuid string) (store.Dataset, error) {
	set, err := store.ByUUID[store.Dataset](ctx, d.Store, uuid)
	if err != nil {
		return store.Dataset{}, wrapStoreError(refuseMissing(err, "dataset not found"), "read dataset")
	}
	if set.AccountID != c.Account.ID {
		return store.Dataset{}, refuseRequest(api.CodeNotYourResource, "the dataset belongs to another account")
	}
	return set, nil
}

// Datasets returns a page of the caller's datasets, newest first.
func (d Records) Datasets(ctx context.Context, c *Caller, limit, page int) ([]store.Dataset, error) {
	sets, err := d.Store.Datasets(ctx, c.Account.ID, int64(limit), int64(page)*int64(limit))
	return sets, wrapStoreError(err, "list datasets")
}

// DatasetFiles returns the files of a dataset.
func (d Records) DatasetFiles(ctx context.Context, set store.Dataset) ([]store.File, error) {
	list, err := d.Store.DatasetFiles(ctx, set.ID)
	return list, wrapStoreError(err, "list files")
}

// AddDataset adds a dataset to an account, with files that are already in the file store.
// It sets the IDs of the files.
func (d Records) AddDataset(
	ctx context.Context, a store.Account, set store.Dataset, files []store.File,
) (store.Dataset, error) {
	set.Created = d.Now().UTC().Truncate(time.Millisecond)
	set.UUID = newUUID(set.Created)
	set.AccountID = a.ID
	store.SetAuditSubject(ctx, set.UUID)
	err := d.Store.Write(ctx, func(tx *store.Tx) error { return tx.InsertDataset(&set, files) })
	return set, wrapStoreError(err, "add dataset")
}

// findOrder returns the order with a UUID or a code.
func (d *ServiceParts) findOrder(ctx context.Context, id string) (store.Order, error) {
	if IsUUID(id) {
		return store.ByUUID[store.Order](ctx, d.Store, id)
	}
	return d.Store.OrderByCode(ctx, id)
}

// Order returns one of the caller's orders by its UUID or code, even if it is deleted.
func (d Records) Order(ctx context.Context, c *Caller, id string) (store.Order, error) {
	o, err := d.findOrder(ctx, id)
	if err != nil {
		return o, wrapStoreError(refuseMissing(err, noOrder), "read order")
	}
	return o, authorizeOwner(c, o)
}

// RecordOf returns everything that the v2 API shows of an order.
func (d Records) RecordOf(ctx context.Context, o store.Order) (store.Record, error) {
	r, err := d.Store.Records.Get(ctx, o.ID)
	return r, wrapStoreError(err, "read order")
}

// FailedNotices describes the notices of an order that have failed and will not be sent again.
// Each text contains the kind of the notice and its error.
func (d Records) FailedNotices(ctx context.Context, o store.Order) ([]string, error) {
	notices, err := d.Store.Notices(ctx, o.ID)
	if err != nil {
		return nil, wrapStoreError(err, "read notifications")
	}
	var failed []string
	for _, n := range notices {
		if !n.Success && n.Error != nil && *n.Error != store.DeliveryPending {
			failed = append(failed, n.Kind+": "+*n.Error)
		}
	}
	return failed, nil
}

// RecordPage selects a page of an account's orders.
type RecordPage struct {
	Status api.RecordStatus // "" selects every status
	Limit  int              // orders per page
	Page   int              // number of the page, from 0
}

// List calls yield for each order of a page, newest first. If yield fails, List returns its
// error.
func (d Records) List(ctx context.Context, c *Caller, p RecordPage, yield func(*store.OrderBrief) error) error {
	page, err := d.Store.Records.Page(ctx, c.Account.ID, p.Status, int64(p.Limit), int64(p.Page)*int64(p.Limit))
	if err != nil {
		return wrapStoreError(err, "list orders")
	}
	return wrapStoreError(eachRecord(page, yield), "list orders")
}

// recordBatchSize is the number of orders of a full list that are read at once.
const recordBatchSize = 200

// All calls yield for each order of an account, newest first. It leaves out orders that are
// placed in the meantime. If yield fails, All returns its error.
func (d Records) All(ctx context.Context, c *Caller, yield func(*store.OrderBrief) error) error {
	var last *store.Position
	for {
		page, err := d.Store.Records.After(ctx, c.Account.ID, recordBatchSize, last)
		if err != nil {
			return wrapStoreError(err, "list orders")
		}
		if err := eachRecord(page, yield); err != nil {
			return wrapStoreError(err, "list orders")
		}
		if len(page) < recordBatchSize {
			return nil
		}
		last = &page[len(page)-1].Place
	}
}

func eachRecord(page []store.OrderBrief, yield func(*store.OrderBrief) error) error {
	for i := range page {
		if err := yield(&page[i]); err != nil {
			return err
		}
	}
	return nil
}
