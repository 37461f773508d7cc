package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"flightdesk/api/server/internal/store"
)

// Only the latest attempts are kept, and they are deleted with their endpoint.
func TestTheLatestAttemptsAreKept(t *testing.T) {
	s := open(t, "")
	a := account("a")
	w := webhook(a, "one")
	d := &store.Delivery{UUID: "delivery-1", Body: "first", Created: noon}
	write(t, s, func(tx *store.Tx) error {
		err := store.Insert(tx, a)
		w.AccountID = a.ID
		err = errors.Join(err, store.Insert(tx, w))
		d.WebhookID = w.ID
		return errors.Join(err, tx.InsertDeliveries(d))
	})
	first := store.Attempt{
		DeliveryID: d.ID, Number: 1, Sent: noon, Took: 12 * time.Millisecond, ResponseCode: 503, Error: "HTTP 503",
		Headers: "{}", Answer: "busy", Next: noon.Add(time.Second),
	}
	gone := first
	gone.DeliveryID = d.ID + 4711
	write(t, s, func(tx *store.Tx) error { return tx.InsertAttempts([]*store.Attempt{&gone, &first}) })
	first.Body = "first"
	list := func() []store.Attempt {
		t.Helper()
		row, err := store.ByUUID[store.Delivery](t.Context(), s, d.UUID)
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.Attempts(t.Context(), row)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := list(); len(got) != 1 || got[0] != first {
		t.Errorf("%+v, want %+v", got, first)
	}

	d.Body = "second"
	d.Resent = noon.Add(time.Hour)
	var more []*store.Attempt
	for i := range 24 {
		more = append(more, &store.Attempt{DeliveryID: d.ID, Number: 2 + i, Sent: noon, Headers: "{}", Answer: fmt.Sprint(i), Resent: d.Resent})
	}
	write(t, s, func(tx *store.Tx) error { return errors.Join(tx.RenewDelivery(d), tx.InsertAttempts(more[:1])) })
	if got := list(); len(got) != 2 || got[0] != first || got[1].Body != "second" || !got[1].Resent.Equal(d.Resent) {
		t.Errorf("sent again: %+v", got)
	}
	write(t, s, func(tx *store.Tx) error { return tx.InsertAttempts(more[1:]) })
	if got := list(); len(got) != 20 || got[0].Number != 6 || got[19].Number != 25 {
		t.Errorf("%d attempts, %+v", len(got), got)
	}
	write(t, s, func(tx *store.Tx) error { return tx.DeleteWebhook(w.ID) })
	if all, err := s.Attempts(t.Context(), *d); err != nil || len(all) != 0 {
		t.Errorf("of an endpoint that is gone: %+v, %v", all, err)
	}
}
