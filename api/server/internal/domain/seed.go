package domain

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// Settings with the times at which the store was filled with a world.
const (
	seededSetting = "world.seeded" // first time; the UUIDs of the world are derived from it
	filledSetting = "world.filled" // last time
)

// fillingSetting is set while the bulk orders of a world are being added, in several
// transactions. If it is set when the service starts, the previous start was interrupted, and the
// store contains only a part of the world.
const fillingSetting = "world.filling"

// bulkBatchSize is the number of bulk orders per transaction. A single transaction of a million
// orders would make the write-ahead log as large as the database.
const bulkBatchSize = 1000

// Seed fills the store with a world before the service starts. The bulk orders are added
// last, in several transactions. If that is interrupted, the next call starts over. See
// [Upkeep.IsSeeded].
func (d Upkeep) Seed(ctx context.Context, w SeedWorld) error {
	const doing = "take over accounts and orders"
	bulk := w.Bulk
	w.Bulk = nil // fillWorld adds everything else
	err := d.Store.WriteMuch(ctx, func(tx *store.Tx) error {
		if err := clearPartialWorld(ctx, tx); err != nil {
			return err
		}
		if bulk != nil {
			if err := tx.SetSetting(fillingSetting, "1"); err != nil { // until seedBulk is done
				return err
			}
		}
		return d.fillWorld(ctx, tx, w)
	})
	if err != nil {
		return wrapStoreError(err, doing)
	}
	if bulk == nil {
		return nil
	}
	return wrapStoreError(d.seedBulk(ctx, w.Accounts, bulk), doing)
}

// clearPartialWorld deletes the part of a world that an interrupted call of Seed has stored.
func clearPartialWorld(ctx context.Context, tx *store.Tx) error {
	filling, err := store.Setting(ctx, tx, fillingSetting)
	if err != nil {
		return err
	}
	if filling == "" {
		return nil
	}
	return tx.Clear()
}

// AddWorld adds a world to the existing data.
func (d Upkeep) AddWorld(ctx context.Context, w SeedWorld) error {
	err := d.Store.WriteMuch(ctx, func(tx *store.Tx) error { return d.newSeeder(tx).addWorld(w) })
	return wrapStoreError(err, "add accounts and orders")
}

// seedBulk stores the bulk orders of a world, a batch per transaction, and removes
// fillingSetting. It prepares the next batch while the previous one is written.
func (d Upkeep) seedBulk(ctx context.Context, accounts []store.Account, bulk iter.Seq[PastOrder]) error {
	ctx, stop := context.WithCancel(ctx)
	batches := make(chan []PastOrder)
	var preparing sync.WaitGroup
	defer preparing.Wait()
	defer stop()
	preparing.Go(func() { sendBatches(ctx, bulk, batches) })
	for batch := range batches {
		err := d.Store.WriteMuch(ctx, func(tx *store.Tx) error {
			t := d.newSeeder(tx)
			if err := eachItem(accounts, t.addAccount); err != nil {
				return err
			}
			return t.addBulk(slices.Values(batch))
		})
		if err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.Store.Write(ctx, func(tx *store.Tx) error { return tx.DropSetting(fillingSetting) })
}

// sendBatches sends orders in batches, until ctx ends, and closes the channel.
func sendBatches(ctx context.Context, orders iter.Seq[PastOrder], batches chan<- []PastOrder) {
	defer close(batches)
	for batch := range chunkSequence(orders, bulkBatchSize) {
		if ctx.Err() != nil {
			return
		}
		select {
		case batches <- batch:
		case <-ctx.Done():
			return
		}
	}
}

// chunkSequence splits a sequence into slices of the given size. The last slice can be
// shorter.
func chunkSequence[T any](all iter.Seq[T], size int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		chunk := make([]T, 0, size)
		for item := range all {
			chunk = append(chunk, item)
			if len(chunk) < size {
				continue
			}
			if !yield(chunk) {
				return
			}
			chunk = make([]T, 0, size)
		}
		if len(chunk) > 0 {
			yield(chunk)
		}
	}
}

// DropLogs deletes callbacks and notices from before a time and returns their number. It
// uses several transactions, so that other writes can run in between.
func (d Upkeep) DropLogs(ctx context.Context, before time.Time) (int, error) {
	total := 0
	for ctx.Err() == nil {
		dropped := 0
		err := d.Store.Write(ctx, func(tx *store.Tx) error {
			var err error
			dropped, err = tx.DropOldLogs(before)
			return err
		})
		if err != nil {
			return total, wrapStoreError(err, "drop old logs")
		}
		if dropped == 0 {
			break
		}
		total += dropped
	}
	return total, nil
}

// IsSeeded reports whether the store was completely filled with a world.
func (d Upkeep) IsSeeded(ctx context.Context) (bool, error) {
	accounts, err := d.Store.Accounts(ctx)
	if err != nil {
		return false, wrapStoreError(err, "read accounts")
	}
	if len(accounts) == 0 {
		return false, nil
	}
	filling, err := store.Setting(ctx, d.Store, fillingSetting)
	if err != nil {
		return false, wrapStoreError(err, "read "+fillingSetting)
	}
	return filling == "", nil
}

// AcceptPartialWorld keeps the part of a demo world that an interrupted start has stored.
// The service then runs without the demo, and must not replace the data later.
func (d Upkeep) AcceptPartialWorld(ctx context.Context) error {
	filling, err := store.Setting(ctx, d.Store, fillingSetting)
	if err == nil && filling == "" {
		return nil
	}
	err = d.Store.Write(ctx, func(tx *store.Tx) error { return tx.DropSetting(fillingSetting) })
	return wrapStoreError(err, "keep a part of a world")
}

// ResetLeftovers are the files and endpoints to clean up after a reset.
type ResetLeftovers struct {
	Places   []string // file-store keys of the files that no record refers to any more
	Webhooks []int64  // IDs of the deleted endpoints
}

// Reset deletes everything but accounts and keys, and fills the store with a world, in
// one transaction.
func (d Upkeep) Reset(ctx context.Context, w SeedWorld) (ResetLeftovers, error) {
	var old ResetLeftovers
	err := d.Store.WriteMuch(ctx, func(tx *store.Tx) error {
		var err error
		old, err = listLeftovers(tx)
		if err != nil {
			return err
		}
		if err := tx.Clear(); err != nil {
			return err
		}
		return d.fillWorld(ctx, tx, w)
	})
	if err != nil {
		return old, wrapStoreError(err, "reset")
	}
	d.cancelEndpoints(old.Webhooks)
	old.Places, err = d.Store.UnreferencedFiles(ctx, old.Places) // snapshots may refer to some
	return old, wrapStoreError(err, "reset")
}

// listLeftovers returns all files and endpoints, before they are deleted.
func listLeftovers(tx *store.Tx) (ResetLeftovers, error) {
	places, err := tx.FilePlaces()
	if err != nil {
		return ResetLeftovers{}, err
	}
	webhooks, err := tx.WebhookIDs()
	return ResetLeftovers{Places: places, Webhooks: webhooks}, err
}

// cancelEndpoints stops sending to endpoints.
func (d Upkeep) cancelEndpoints(webhooks []int64) {
	if d.Sender == nil {
		return
	}
	for _, id := range webhooks {
		d.Sender.CancelEndpoint(id)
	}
}

// FilledTimes returns when the store was filled for the first and the last time. They are
// zero if it never was.
func (d Upkeep) FilledTimes(ctx context.Context) (first, last time.Time, err error) {
	first, err = d.timeSetting(ctx, seededSetting)
	if err != nil {
		return first, last, err
	}
	last, err = d.timeSetting(ctx, filledSetting)
	return first, last, err
}

// timeSetting returns the time in a setting, or the zero time if it is not set.
func (d Upkeep) timeSetting(ctx context.Context, name string) (time.Time, error) {
	text, err := store.Setting(ctx, d.Store, name)
	if err != nil {
		return time.Time{}, wrapStoreError(err, "read "+name)
	}
	if text == "" {
		return time.Time{}, nil
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, wrapStoreError(err, "read "+name)
	}
	return time.UnixMilli(ms).UTC(), nil
}

// stampWorld saves the current time as the time at which the store was filled.
func (d Upkeep) stampWorld(ctx context.Context, tx *store.Tx) error {
	now := strconv.FormatInt(d.Now().UnixMilli(), 10)
	seeded, err := store.Setting(ctx, tx, seededSetting)
	if err != nil {
		return err
	}
	if seeded == "" {
		if err := tx.SetSetting(seededSetting, now); err != nil {
			return err
		}
	}
	return tx.SetSetting(filledSetting, now)
}

// worldSeeder adds a world to the store, in a transaction.
type worldSeeder struct {
	tx       *store.Tx
	parts    *ServiceParts
	accounts map[string]int64            // IDs by UUID
	missions map[string]api.EventMission // missions with an operator by UUID, for the logs of endpoints
}

func (d Upkeep) newSeeder(tx *store.Tx) *worldSeeder {
	return &worldSeeder{
		tx:       tx,
		parts:    d.ServiceParts,
		accounts: map[string]int64{},
		missions: map[string]api.EventMission{},
	}
}

func (d Upkeep) fillWorld(ctx context.Context, tx *store.Tx, w SeedWorld) error {
	if err := d.stampWorld(ctx, tx); err != nil {
		return err
	}
	return d.newSeeder(tx).addWorld(w)
}

func (t *worldSeeder) addWorld(w SeedWorld) error {
	if err := eachItem(w.Accounts, t.addAccount); err != nil {
		return err
	}
	if err := eachItem(w.Keys, t.addKey); err != nil {
		return err
	}
	if err := eachItem(w.Orders, t.addOrder); err != nil {
		return err
	}
	if w.Bulk != nil {
		if err := t.addBulk(w.Bulk); err != nil {
			return err
		}
	}
	if err := eachItem(w.Webhooks, t.addWebhook); err != nil {
		return err
	}
	if err := eachItem(w.KeyRequests, t.addKeyRequest); err != nil {
		return err
	}
	return eachItem(w.Datasets, t.addDataset)
}

// eachItem calls add for each item of a list. It stops at the first error and returns it.
func eachItem[T any](list []T, add func(T) error) error {
	for _, item := range list {
		if err := add(item); err != nil {
			return err
		}
	}
	return nil
}

func (t *worldSeeder) addDataset(past PastDataset) error {
	past.AccountID = t.accounts[past.AccountUUID]
	return t.tx.InsertDataset(&past.Dataset, past.Files)
}

// addAccount adds an account, or restores the original values of an existing one.
func (t *worldSeeder) addAccount(a store.Account) error {
	existing, err := store.ByUUID[store.Account](t.tx.Context(), t.tx, a.UUID)
	if errors.Is(err, store.ErrNotFound) {
		if err := store.Insert(t.tx, &a); err != nil {
			return err
		}
		t.accounts[a.UUID] = a.ID
		return nil
	}
	if err != nil {
		return err
	}
	t.accounts[a.UUID] = existing.ID
	existing.ClientName = a.ClientName
	existing.ClientEmail = a.ClientEmail
	existing.Currency = a.Currency
	return store.Update(t.tx, &existing)
}

// addKey adds the record of a key, unless it exists.
func (t *worldSeeder) addKey(k PastKey) error {
	_, err := store.ByUUID[store.Key](t.tx.Context(), t.tx, k.UUID)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	k.AccountID = t.accounts[k.AccountUUID]
	return store.Insert(t.tx, &k.Key)
}

// insertBatchSize is the number of bulk orders that are inserted at once.
const insertBatchSize = 64

// addBulk adds orders and their missions, without anything else that belongs to them.
func (t *worldSeeder) addBulk(pastOrders iter.Seq[PastOrder]) error {
	for part := range chunkSequence(pastOrders, insertBatchSize) {
		orders := make([]unstoredOrder, len(part))
		for i, past := range part {
			orders[i] = t.newPastOrder(past)
		}
		if err := insertOrders(t.tx, orders...); err != nil {
			return err
		}
	}
	return nil
}

// newPastOrder returns the order and the missions to store for a past order.
func (t *worldSeeder) newPastOrder(past PastOrder) unstoredOrder {
	o := newOrder(t.accounts[past.AccountUUID], past.Request, past.Created)
	o.Code = past.Code
	o.AreaSize += past.AreaSize // only one of them is not 0, see PastOrder.AreaSize
	o.UUID = past.UUID
	o.Status = past.Status
	o.Created = past.Created
	o.Updated = past.Updated
	o.RejectionReason = past.RejectionReason
	o.ArchiveReason = past.ArchiveReason
	if past.StatusBefore != nil {
		shown := statusShownArchived(*past.StatusBefore)
		o.StatusBefore = &shown
	}
	noCity := func(api.MissionInput) *string { return nil } // the past missions have cities, set below
	missions := newMissions(past.Request.Missions, past.Created, noCity)
	for i, pastMission := range past.Missions {
		m := &missions[i]
		m.UUID = pastMission.UUID
		m.Status = pastMission.Status
		m.City = pastMission.City
		m.OperatorName = pastMission.OperatorName
		m.FlightDate = pastMission.FlightDate
		m.Created = past.Created
		m.Updated = pastMission.Updated
	}
	return unstoredOrder{&o, missions}
}

// addOrder adds an order with its quotes, settings and missions, and their history.
func (t *worldSeeder) addOrder(past PastOrder) error {
	o := t.newPastOrder(past)
	if err := insertOrders(t.tx, o); err != nil {
		return err
	}
	if err := t.addOffers(*o.Order, past); err != nil {
		return err
	}
	for i, m := range past.Missions {
		if m.OperatorName != nil { // a mission without an operator has no events
			t.missions[m.UUID] = api.EventMission{
				UUID:        m.UUID,
				MissionCode: o.missions[i].Code,
				OrderUID:    o.UUID,
				OrderCode:   o.Code,
			}
		}
		if err := t.addHistory(o.missions[i].ID, m); err != nil {
			return err
		}
	}
	return nil
}

// addOffers adds the quotes, details and notification settings of an order.
func (t *worldSeeder) addOffers(o store.Order, past PastOrder) error {
	for _, q := range past.Quotes {
		q.OrderID = o.ID
		if err := t.tx.InsertQuote(&q); err != nil {
			return err
		}
	}
	if past.Details != nil {
		if err := t.tx.SetDetails(o.ID, *past.Details); err != nil {
			return err
		}
	}
	if past.Notify == nil {
		return nil
	}
	return t.addNotify(o, *past.Notify)
}

// addNotify adds the notification settings of an order and the notices sent so far.
func (t *worldSeeder) addNotify(o store.Order, past PastNotify) error {
	n := past.Notify
	n.OrderID = o.ID
	n.Secret = t.parts.Vault.Seal(n.Owner, n.Secret)
	if err := store.Replace(t.tx, &n); err != nil {
		return err
	}
	for _, sent := range past.Notices {
		sent.OrderID = o.ID
		if sent.Letter != nil {
			letter := *sent.Letter
			letter.OrderCode = o.Code
			text, err := json.Marshal(letter)
			if err != nil {
				return err
			}
			sent.Body = string(text)
		}
		if err := t.tx.InsertNotice(&sent.Notice); err != nil {
			return err
		}
	}
	return nil
}

// addHistory adds the planning, permission and packages of a mission.
func (t *worldSeeder) addHistory(id int64, m PastMission) error {
	for _, p := range m.Planning {
		p.MissionID = id
		if err := t.tx.InsertPlanning(&p); err != nil {
			return err
		}
	}
	if m.Permission != nil {
		if err := t.addPermission(id, *m.Permission, m.Permit); err != nil {
			return err
		}
	}
	for _, p := range m.Packages {
		p.MissionID = id
		if err := insertPackage(t.tx, &p.Package, p.Files); err != nil {
			return err
		}
	}
	return nil
}

// addPermission adds the flight permission of a mission and its document, which may be nil.
func (t *worldSeeder) addPermission(missionID int64, p store.Permission, permit *store.File) error {
	p.MissionID = missionID
	if permit != nil {
		file := *permit
		file.Created = p.Updated
		if err := store.Insert(t.tx, &file); err != nil {
			return err
		}
		p.PermitID = &file.ID
	}
	return store.Replace(t.tx, &p)
}

func (t *worldSeeder) addWebhook(past PastWebhook) error {
	w := past.Webhook
	w.AccountID = t.accounts[past.AccountUUID]
	w.Secret = t.parts.Vault.Seal(w.UUID, w.Secret)
	if err := store.Insert(t.tx, &w); err != nil {
		return err
	}
	return t.addDeliveries(w.ID, past.Log)
}

// addDeliveries adds the log of an endpoint.
func (t *worldSeeder) addDeliveries(webhook int64, log []PastDelivery) error {
	rows := make([]*store.Delivery, len(log))
	for i, sent := range log {
		mission := t.missions[sent.MissionUUID]
		mission.Status = sent.Event.MissionStatus()
		d, err := newDelivery(sent.UUID, sent.Event, mission, sent.Created)
		if err != nil {
			return err
		}
		d.WebhookID = webhook
		d.ResponseCode = sent.Code
		d.Attempts = sent.Attempts
		d.Success = sent.Error == ""
		if !d.Success {
			d.Error = &sent.Error
		}
		rows[i] = &d
	}
	return t.tx.InsertDeliveries(rows...)
}

func (t *worldSeeder) addKeyRequest(past PastKeyRequest) error {
	r := past.KeyRequest
	r.AccountID = t.accounts[past.AccountUUID]
	if past.KeyUUID != "" {
		k, err := store.ByUUID[store.Key](t.tx.Context(), t.tx, past.KeyUUID)
		if err != nil {
			return err
		}
		r.KeyID = &k.ID
	}
	return store.Insert(t.tx, &r)
}
