package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"flightdesk/api/server/internal/store"
)

func TestNoticesAreReadAsSaved(t *testing.T) {
	s := open(t, "")
	ctx := context.Background()
	a := account("A")
	var first, second store.Notice
	notify := store.Notify{Owner: "n", Webhook: "https://a.example", Secret: "sealed"}
	write(t, s, func(tx *store.Tx) error {
		if err := store.Insert(tx, a); err != nil {
			return err
		}
		o := order(a, 1)
		if err := store.Insert(tx, o); err != nil {
			return err
		}
		notify.OrderID = o.ID
		first = store.Notice{
			UUID: "1", OrderID: o.ID, Kind: store.NoticeWebhook, Address: "https://a.example", Body: "{}", Created: time.UnixMilli(5).UTC(),
		}
		second = first
		second.UUID = "2"
		second.Kind = store.NoticeEmail
		second.Address = "ada@example.com"
		for _, err := range []error{store.Replace(tx, &notify), tx.InsertNotice(&first), tx.InsertNotice(&second)} {
			if err != nil {
				return err
			}
		}
		first.Success = true
		first.ResponseCode = 204
		first.Attempts = 2
		first.Error = nil
		return tx.RecordNotice(first)
	})
	got, now, err := s.NoticeByID(ctx, first.ID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, first)
	same(t, now, notify)
	if _, _, err := s.NoticeByID(ctx, 99); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("no notice: %v", err)
	}
	write(t, s, (*store.Tx).StopNotices)
	all, err := s.Notices(ctx, notify.OrderID)
	if err != nil {
		t.Fatal(err)
	}
	stopped := store.DeliveryStopped
	second.Error = &stopped
	same(t, all, []store.Notice{first, second})
}
