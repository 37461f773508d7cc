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

// Settings with the times at which the store was filled with a world: seededSetting has
// the first time, from which the world's UUIDs are derived, and filledSetting the last
// time.
const (
	seededSetting = "world.seeded"
	filledSetting = "world.filled"
)

// fillingSetting is set while the store is being filled.
const fillingSetting = "world.filling"

// bulkBatchSize is the number of bulk orders per transaction. A single transaction of a
// million orders would make the log as large as the database.
const bulkBatchSize = 1000

// Seed fills the store with a world before the service starts. If it was interrupted, the
// next call starts over. See [Upkeep.IsSeeded].
func (d Upkeep) Seed(ctx context.Context, w SeedWorld) error {
	bulk := w.Bulk
	w.Bulk = nil
	err := d.Store.WriteMuch(ctx, func(tx *store.Tx) error {
		filling, err := store.Setting(ctx, tx, fillingSetting)
		if err != nil {
			return err
		}
		if filling != "" {
			if err := tx.Clear(); err != nil {
				return err
			}
		}
		if bulk != nil {
			if err := tx.SetSetting(fillingSetting, "1"); err != nil {
				return err
			}
		}
		return d.fillWorld(ctx, tx, w)
	})
	if err == nil && bulk != nil {
		err = d.seedBulk(ctx, w.Accounts, bulk)
	}
	return wrapStoreError(err, "take over accounts and orders")
}

// AddWorld adds a world to the existing data.
func (d Upkeep) AddWorld(ctx context.Context, w SeedWorld) error {
	err := d.Store.WriteMuch(ctx, func(tx *store.Tx) error { return d.newSeeder(tx).addWorld(w) })
	return wrapStoreError(err, "add accounts and orders")
}

// seedBulk stores the bulk orders of a world, a batch per transaction. The next batch is
// prepared while the last one is written.
func (d Upkeep) seedBulk(ctx context.Context, accounts []store.Account, bulk iter.Seq[PastOrder]) error {
	ctx, stop := context.WithCancel(ctx)
	batches := make(chan []PastOrder)
	var preparing sync.WaitGroup
	defer preparing.Wait()
	defer stop()
	preparing.Go(func() {
		defer close(batches)
		for batch := range chunkSequence(bulk, bulkBatchSize) {
			if ctx.Err() != nil {
				return
			}
			select {
			case batches <- batch:
			case <-ctx.Done():
				return
			}
		}
	})
	for batch := range batches {
		err := d.Store.WriteMuch(ctx, func(tx *store.Tx) error {
			t := d.newSeeder(tx)
			return errors.Join(eachItem(slices.Values(accounts), t.addAccount), t.addBulk(slices.Values(batch)))
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

// chunkSequence splits a sequence into slices of the given size. The last one can be
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

// ResetLeftovers is what to clean up after a reset.
type ResetLeftovers struct {
	Places   []string // file-store keys of files without a record
	Webhooks []int64  // IDs of the deleted endpoints
}

// Reset deletes everything but accounts and keys, and fills the store with a world, in
// one transaction.
func (d Upkeep) Reset(ctx context.Context, w SeedWorld) (ResetLeftovers, error) {
	var old ResetLeftovers
	err := d.Store.WriteMuch(ctx, func(tx *store.Tx) error {
		var err error
		old.Places, err = tx.FilePlaces()
		if err != nil {
			return err
		}
		old.Webhooks, err = tx.WebhookIDs()
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

// stampWorld saves that the store is filled now.
func (d Upkeep) stampWorld(ctx context.Context, tx *store.Tx) error {
	now := strconv.FormatInt(d.Now().UnixMilli(), 10)
	seeded, err := store.Setting(ctx, tx, seededSetting)
	if err == nil && seeded == "" {
		err = tx.SetSetting(seededSetting, now)
	}
	if err != nil {
		return err
	}
	return tx.SetSetting(filledSetting, now)
}

// worldSeeder stores a world.
type worldSeeder struct {
	*store.Tx
	parts    *ServiceParts
	accounts map[string]int64
	missions map[string]api.EventMission
}

func (d Upkeep) newSeeder(tx *store.Tx) *worldSeeder {
	return &worldSeeder{
		Tx:       tx,
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
	bulk := w.Bulk
	if bulk == nil {
		bulk = slices.Values[[]PastOrder](nil)
	}
	return errors.Join(
		eachItem(slices.Values(w.Accounts), t.addAccount),
		eachItem(slices.Values(w.Keys), t.addKey),
		eachItem(slices.Values(w.Orders), t.addOrder),
		t.addBulk(bulk),
		eachItem(slices.Values(w.Webhooks), t.addWebhook),
		eachItem(slices.Values(w.KeyRequests), t.addKeyRequest),
		eachItem(slices.Values(w.Datasets), t.addDataset),
	)
}

// eachItem calls add with the items of a list until it fails.
func eachItem[T any](list iter.Seq[T], add func(T) error) error {
	for one := range list {
		if err := add(one); err != nil {
			return err
		}
	}
	return nil
}

func (t *worldSeeder) addDataset(past PastDataset) error {
	past.AccountID = t.accounts[past.AccountUUID]
	return t.InsertDataset(&past.Dataset, past.Files)
}

// addAccount adds an account, or restores the original values of an existing one.
func (t *worldSeeder) addAccount(a store.Account) error {
	existing, err := store.ByUUID[store.Account](t.Context(), t.Tx, a.UUID)
	if errors.Is(err, store.ErrNotFound) {
		if err := store.Insert(t.Tx, &a); err != nil {
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
	return store.Update(t.Tx, &existing)
}

// addKey adds the record of a key, unless it exists.
func (t *worldSeeder) addKey(k PastKey) error {
	_, err := store.ByUUID[store.Key](t.Context(), t.Tx, k.UUID)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	k.AccountID = t.accounts[k.AccountUUID]
	return store.Insert(t.Tx, &k.Key)
}

// insertBatchSize is the number of bulk orders that are inserted at once.
const insertBatchSize = 64

// addBulk adds orders and their missions, without anything else that belongs to them.
func (t *worldSeeder) addBulk(orders iter.Seq[PastOrder]) error {
	for part := range chunkSequence(orders, insertBatchSize) {
		drafts := make([]draftedOrder, len(part))
		for i, past := range part {
			drafts[i] = t.draftOrder(past)
		}
		if err := insertOrders(t.Tx, drafts...); err != nil {
			return err
		}
	}
	return nil
}

// draftOrder returns an order to store, with its missions.
func (t *worldSeeder) draftOrder(past PastOrder) draftedOrder {
	o := draftOrder(t.accounts[past.AccountUUID], past.Request, past.Created)
	o.Code = past.Code
	o.AreaSize += past.AreaSize
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
	missions := (Orders{&ServiceParts{}}).draftMissions(past.Request.Missions, past.Created)
	for i, m := range past.Missions {
		to := &missions[i]
		to.UUID = m.UUID
		to.Status = m.Status
		to.City = m.City
		to.OperatorName = m.OperatorName
		to.FlightDate = m.FlightDate
		to.Created = past.Created
		to.Updated = m.Updated
	}
	return draftedOrder{&o, missions}
}

func (t *worldSeeder) addOrder(past PastOrder) error {
	o := t.draftOrder(past)
	if err := insertOrders(t.Tx, o); err != nil {
		return err
	}
	if err := t.addOffers(*o.Order, past); err != nil {
		return err
	}
	if !slices.ContainsFunc(past.Missions, PastMission.hasHistory) {
		return nil
	}
	for i, m := range past.Missions {
		if m.OperatorName != nil { // without an operator a mission has no events
			t.missions[m.UUID] = api.EventMission{
				UUID: m.UUID, MissionCode: o.missions[i].Code, OrderUID: o.UUID, OrderCode: o.Code,
			}
		}
		if err := t.addHistory(o.missions[i].ID, m); err != nil {
			return err
		}
	}
	return nil
}

func (m PastMission) hasHistory() bool {
	return m.OperatorName != nil || m.Permission != nil || len(m.Planning)+len(m.Packages) > 0
}

// addOffers adds the quotes, details and notification settings of an order.
func (t *worldSeeder) addOffers(o store.Order, past PastOrder) error {
	for _, q := range past.Quotes {
		q.OrderID = o.ID
		if err := t.InsertQuote(&q); err != nil {
			return err
		}
	}
	if past.Details != nil {
		if err := t.SetDetails(o.ID, *past.Details); err != nil {
			return err
		}
	}
	if past.Notify == nil {
		return nil
	}
	return t.addNotify(o, *past.Notify)
}

// addNotify adds how the client of an order is notified, and the notices sent so far.
func (t *worldSeeder) addNotify(o store.Order, past PastNotify) error {
	n := past.Notify
	n.OrderID = o.ID
	n.Secret = t.parts.Vault.Seal(n.Owner, n.Secret)
	if err := store.Replace(t.Tx, &n); err != nil {
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
		if err := t.InsertNotice(&sent.Notice); err != nil {
			return err
		}
	}
	return nil
}

// addHistory adds the planning, permission and packages of a mission.
func (t *worldSeeder) addHistory(id int64, m PastMission) error {
	for _, p := range m.Planning {
		p.MissionID = id
		if err := t.InsertPlanning(&p); err != nil {
			return err
		}
	}
	if m.Permission != nil {
		p := *m.Permission
		p.MissionID = id
		if m.Permit != nil {
			permit := *m.Permit
			permit.Created = p.Updated
			if err := store.Insert(t.Tx, &permit); err != nil {
				return err
			}
			p.PermitID = &permit.ID
		}
		if err := store.Replace(t.Tx, &p); err != nil {
			return err
		}
	}
	for _, p := range m.Packages {
		p.MissionID = id
		if err := insertPackage(t.Tx, &p.Package, p.Files); err != nil {
			return err
		}
	}
	return nil
}

func (t *worldSeeder) addWebhook(past PastWebhook) error {
	w := past.Webhook
	w.AccountID = t.accounts[past.AccountUUID]
	w.Secret = t.parts.Vault.Seal(w.UUID, w.Secret)
	if err := store.Insert(t.Tx, &w); err != nil {
		return err
	}
	return t.addDeliveries(w.ID, past.Log)
}

// addDeliveries adds the log of an endpoint.
func (t *worldSeeder) addDeliveries(webhook int64, log []PastDelivery) error {
	rows := make([]*store.Delivery, len(log))
	for i, sent := range log {
		about := t.missions[sent.MissionUUID]
		about.Status = sent.Event.MissionStatus()
		body, err := json.Marshal(api.Event{
			ID:        sent.UUID,
			Event:     sent.Event,
			Timestamp: api.TimeOf(sent.Created.UTC()),
			Data:      api.EventData{Mission: about},
		})
		if err != nil {
			return err
		}
		rows[i] = &store.Delivery{
			WebhookID:    webhook,
			UUID:         sent.UUID,
			Event:        sent.Event,
			MissionUUID:  about.UUID,
			OrderCode:    about.OrderCode,
			Body:         string(body),
			Created:      sent.Created,
			Success:      sent.Error == "",
			ResponseCode: sent.Code,
			Attempts:     sent.Attempts,
		}
		if sent.Error != "" {
			rows[i].Error = &sent.Error
		}
	}
	return t.InsertDeliveries(rows...)
}

func (t *worldSeeder) addKeyRequest(past PastKeyRequest) error {
	r := past.KeyRequest
	r.AccountID = t.accounts[past.AccountUUID]
	if past.KeyUUID != "" {
		k, err := store.ByUUID[store.Key](t.Context(), t.Tx, past.KeyUUID)
		if err != nil {
			return err
		}
		r.KeyID = &k.ID
	}
	return store.Insert(t.Tx, &r)
}
