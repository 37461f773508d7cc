package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

func webhook(a *store.Account, name string) *store.Webhook {
	return &store.Webhook{
		AccountID: a.ID, UUID: name, URL: "https://" + name, Events: api.EventNames(), Secret: "sealed " + name, Created: noon, Updated: noon,
	}
}

// The number of deliveries is larger than the largest batch.
func TestManyDeliveriesAreSavedAtOnce(t *testing.T) {
	s := open(t, "")
	ctx := context.Background()
	a := account("a")
	var one, two *store.Webhook
	var kept []*store.Delivery
	var ids []int64
	write(t, s, func(tx *store.Tx) error {
		err := store.Insert(tx, a)
		one = webhook(a, "one")
		two = webhook(a, "two")
		err = errors.Join(err, store.Insert(tx, one), store.Insert(tx, two))
		for i := range 39 {
			w := []*store.Webhook{one, two}[i%2]
			kept = append(kept, &store.Delivery{
				WebhookID: w.ID, UUID: fmt.Sprint("delivery-", 100-i), Event: api.EventDataDelivered, Body: fmt.Sprint("body ", i), Created: noon,
			})
		}
		return errors.Join(err, tx.InsertDeliveries(kept...))
	})
	for _, d := range kept {
		ids = append(ids, d.ID)
		got, err := store.ByUUID[store.Delivery](ctx, s, d.UUID)
		if err != nil || *got.Error != store.DeliveryPending {
			t.Fatal(got, err)
		}
		same(t, got, *d)
	}
	all, err := s.Outgoing(ctx, append(ids, 4711))
	if err != nil || len(all) != len(ids) {
		t.Fatalf("%d of %d are sent: %v", len(all), len(ids), err)
	}
	for _, o := range all {
		d := kept[o.ID-ids[0]]
		w := []*store.Webhook{one, two}[d.WebhookID-one.ID]
		want := store.Outgoing{
			ID: d.ID, UUID: d.UUID, Event: d.Event, Body: d.Body, WebhookUUID: w.UUID, URL: w.URL, Secret: w.Secret,
		}
		if o != want {
			t.Errorf("%+v, want %+v", o, want)
		}
	}

	reason := "HTTP 500"
	write(t, s, func(tx *store.Tx) error {
		return errors.Join(
			tx.RecordDeliveries(store.Delivery{ResponseCode: 500, Attempts: 4, Error: &reason}, ids[:20]),
			tx.RecordDeliveries(store.Delivery{Success: true, ResponseCode: 204, Attempts: 1}, ids[20:]),
			tx.DeleteWebhook(two.ID))
	})
	log, err := store.List[store.Delivery](ctx, s, one.ID, store.ListWindow{Limit: 100})
	if err != nil || len(log) != 20 {
		t.Fatalf("%d rows, %v", len(log), err)
	}
	for _, d := range log {
		failed := d.ID < ids[20]
		if d.Success == failed || failed != (d.ResponseCode == 500 && d.Attempts == 4 && d.Error != nil && *d.Error == reason) {
			t.Errorf("%+v", d)
		}
	}
	if left, err := s.Outgoing(ctx, ids); err != nil || len(left) != 20 {
		t.Errorf("%d are sent once an endpoint is gone: %v", len(left), err)
	}
}

// Old log entries are deleted with their attempts, unless they are pending.
func TestOldLogsAreDropped(t *testing.T) {
	s := storetest.Open(t)
	a := account("a")
	write(t, s, func(tx *store.Tx) error {
		w := webhook(a, "one")
		err := store.Insert(tx, a)
		w.AccountID = a.ID
		err = errors.Join(err, store.Insert(tx, w))
		success := ""
		var kept []*store.Delivery
		for i := range 2500 {
			kept = append(kept, &store.Delivery{
				WebhookID: w.ID, UUID: fmt.Sprint("delivery-", i), Event: api.EventDataDelivered, Created: noon.Add(time.Duration(i) * time.Minute), Error: &success,
			})
		}
		kept[3].Error = nil // pending
		err = errors.Join(err, tx.InsertDeliveries(kept...))
		return errors.Join(err, tx.InsertAttempts([]*store.Attempt{{DeliveryID: kept[0].ID, Number: 1, Sent: noon}}))
	})
	dropped := []int{}
	for range 4 {
		write(t, s, func(tx *store.Tx) error {
			n, err := tx.DropOldLogs(noon.Add(2400 * time.Minute))
			dropped = append(dropped, n)
			return err
		})
	}
	if fmt.Sprint(dropped) != "[999 999 401 0]" {
		t.Errorf("dropped %v", dropped)
	}
	pending, oldest, err := s.Backlog(t.Context())
	if err != nil || pending != 1 || !oldest.Equal(noon.Add(3*time.Minute)) {
		t.Errorf("%d pending, the oldest of %v, %v", pending, oldest, err)
	}
	if _, err := store.ByUUID[store.Delivery](t.Context(), s, "delivery-2400"); err != nil {
		t.Errorf("the first that is young enough: %v", err)
	}
}
