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

// Names of the settings that say when a world was taken over: for the first
// time, which its ids are made of, and last.
const (
	seededSetting = "world.seeded"
	filledSetting = "world.filled"
)

// fillingSetting is there while a world is being taken over.
const fillingSetting = "world.filling"

// bulkAtOnce is how many further orders are kept in one transaction. A million
// in one would leave a log that is as large as the database.
const bulkAtOnce = 1000

// Seed stores a world before the service answers. After an interruption the next
// call starts over, see [Upkeep.IsSeeded].
func (d Upkeep) Seed(ctx context.Context, w SeedWorld) error {
	bulk := w.Bulk
	w.Bulk = nil
	err := d.Store.WriteMuch(ctx, func(tx *store.Tx) error {
		filling, err := store.Setting(ctx, tx, fillingSetting)
		if filling != "" {
			err = tx.Clear()
		}
		if err != nil {
			return err
		}
		if bulk != nil {
			if err := tx.SetSetting(fillingSetting, "1"); err != nil {
				return err
			}
		}
		return d.takeOver(ctx, tx, w)
	})
	if err == nil && bulk != nil {
		err = d.seedBulk(ctx, w.Accounts, bulk)
	}
	return wrapStoreError(err, "take over accounts and orders")
}

// AddWorld stores a world beside what is there.
func (d Upkeep) AddWorld(ctx context.Context, w SeedWorld) error {
	err := d.Store.WriteMuch(ctx, func(tx *store.Tx) error { return d.newSeeder(tx).addWorld(w) })
	return wrapStoreError(err, "add accounts and orders")
}

// seedBulk keeps the further orders of a world, some in each transaction. The
// next ones are drafted while the last ones are written.
func (d Upkeep) seedBulk(ctx context.Context, accounts []store.Account, bulk iter.Seq[PastOrder]) error {
	ctx, stop := context.WithCancel(ctx)
	parts := make(chan []PastOrder)
	var drafting sync.WaitGroup
	defer drafting.Wait()
	defer stop()
	drafting.Go(func() {
		defer close(parts)
		for part := range chunkSequence(bulk, bulkAtOnce) {
			if ctx.Err() != nil {
				return
			}
			select {
			case parts <- part:
			case <-ctx.Done():
				return
			}
		}
	})
	for part := range parts {
		err := d.Store.WriteMuch(ctx, func(tx *store.Tx) error {
			t := d.newSeeder(tx)
			return errors.Join(eachItem(slices.Values(accounts), t.addAccount), t.addBulk(slices.Values(part)))
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

// chunkSequence gives a sequence in parts of so many.
func chunkSequence[T any](all iter.Seq[T], size int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		part := make([]T, 0, size)
		for one := range all {
			part = append(part, one)
			if len(part) == size {
				if !yield(part) {
					return
				}
				part = make([]T, 0, size)
			}
		}
		if len(part) > 0 {
			yield(part)
		}
	}
}

// DropLogs drops what the log has from before a time, a part at a time, so that others
// write between, and returns how much that was.
func (d Upkeep) DropLogs(ctx context.Context, before time.Time) (dropped int, err error) {
	for more := 1; more > 0 && err == nil && ctx.Err() == nil; dropped += more {
		err = d.Store.Write(ctx, func(tx *store.Tx) error {
			more, err = tx.DropOldLogs(before)
			return err
		})
	}
	return dropped, wrapStoreError(err, "drop old logs")
}

// IsSeeded reports whether the store has a world, all of it.
func (d Upkeep) IsSeeded(ctx context.Context) (bool, error) {
	accounts, err := d.Store.Accounts(ctx)
	if err != nil || len(accounts) == 0 {
		return false, wrapStoreError(err, "read accounts")
	}
	filling, err := store.Setting(ctx, d.Store, fillingSetting)
	return err == nil && filling == "", wrapStoreError(err, "read "+fillingSetting)
}

// AcceptPartialWorld keeps the part of a demo world that an interrupted start has
// stored: the service now runs without a demo, and must not replace it later.
func (d Upkeep) AcceptPartialWorld(ctx context.Context) error {
	if filling, err := store.Setting(ctx, d.Store, fillingSetting); err == nil && filling == "" {
		return nil
	}
	err := d.Store.Write(ctx, func(tx *store.Tx) error { return tx.DropSetting(fillingSetting) })
	return wrapStoreError(err, "keep a part of a world")
}

// ResetLeftovers are what a reset leaves to be tidied up.
type ResetLeftovers struct {
	Places   []string // of files that belong to nothing any more
	Webhooks []int64  // endpoints that are gone
}

// Reset drops everything but accounts and keys and takes over a world, all of
// it or nothing.
func (d Upkeep) Reset(ctx context.Context, w SeedWorld) (ResetLeftovers, error) {
	var old ResetLeftovers
	err := d.Store.WriteMuch(ctx, func(tx *store.Tx) (err error) {
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
		return d.takeOver(ctx, tx, w)
	})
	if err == nil {
		d.forgetEndpoints(old.Webhooks)
		old.Places, err = d.Store.UnreferencedFiles(ctx, old.Places) // snapshots name some
	}
	return old, wrapStoreError(err, "reset")
}

// forgetEndpoints has nothing more be sent to endpoints.
func (d Upkeep) forgetEndpoints(webhooks []int64) {
	if d.Sender == nil {
		return
	}
	for _, id := range webhooks {
		d.Sender.Forget(id)
	}
}

// FilledTimes returns when the store's world was taken over, for the first time and
// last; zero where it never was.
func (d Upkeep) FilledTimes(ctx context.Context) (first, last time.Time, err error) {
	for name, at := range map[string]*time.Time{seededSetting: &first, filledSetting: &last} {
		text, err := store.Setting(ctx, d.Store, name)
		if err == nil && text == "" {
			continue
		}
		var ms int64
		if err == nil {
			ms, err = strconv.ParseInt(text, 10, 64)
		}
		if err != nil {
			return first, last, wrapStoreError(err, "read "+name)
		}
		*at = time.UnixMilli(ms).UTC()
	}
	return first, last, nil
}

// stampWorld notes when a world was taken over.
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

// worldSeeder is a world that is being taken over.
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

func (d Upkeep) takeOver(ctx context.Context, tx *store.Tx, w SeedWorld) error {
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
		eachItem(slices.Values(w.KeyRequests), t.keyRequest),
		eachItem(slices.Values(w.Datasets), t.addDataset),
	)
}

// eachItem adds all of a list, until one cannot be added.
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

// addAccount adds an account, or puts one that is there back as it was.
func (t *worldSeeder) addAccount(a store.Account) error {
	have, err := store.ByUUID[store.Account](t.Context(), t.Tx, a.UUID)
	if errors.Is(err, store.ErrNotFound) {
		err = store.Insert(t.Tx, &a)
	} else if err == nil {
		a.ID = have.ID
		have.ClientName = a.ClientName
		have.ClientEmail = a.ClientEmail
		have.Currency = a.Currency
		err = store.Update(t.Tx, &have)
	}
	t.accounts[a.UUID] = a.ID
	return err
}

// addKey adds the record of a key, unless it is there.
func (t *worldSeeder) addKey(k PastKey) error {
	_, err := store.ByUUID[store.Key](t.Context(), t.Tx, k.UUID)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	k.AccountID = t.accounts[k.AccountUUID]
	return store.Insert(t.Tx, &k.Key)
}

// insertedAtOnce is how many further orders are drafted for one call of the
// store.
const insertedAtOnce = 64

// addBulk adds orders of which no more is kept than themselves and their missions.
func (t *worldSeeder) addBulk(orders iter.Seq[PastOrder]) error {
	for part := range chunkSequence(orders, insertedAtOnce) {
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

// draftOrder returns an order to be stored, with its missions.
func (t *worldSeeder) draftOrder(past PastOrder) draftedOrder {
	o := draftOrder(t.accounts[past.AccountUUID], past.Request, past.Created)
	o.Code = past.Code
	o.AreaSize = o.AreaSize + past.AreaSize
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
		if m.OperatorName != nil { // the others have had no events
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

// addOffers adds an order's quotes and details.
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

// addNotify adds how an order's client hears that it is complete.
func (t *worldSeeder) addNotify(o store.Order, past PastNotify) error {
	n := past.Notify
	n.OrderID, n.Secret = o.ID, t.parts.Vault.Seal(n.Owner, n.Secret)
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

// addHistory adds what a mission has been through.
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
	w.AccountID, w.Secret = t.accounts[past.AccountUUID], t.parts.Vault.Seal(w.UUID, w.Secret)
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

func (t *worldSeeder) keyRequest(past PastKeyRequest) error {
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
