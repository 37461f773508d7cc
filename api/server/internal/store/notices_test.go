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

// Notices from before the list of an account's notices are in it, and so are those that a process
// of the previous version writes.
func TestTheNoticesOfAnAccountAreComplete(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	a := account("A")
	b := account("B")
	failed := "HTTP 410"
	write(t, s, func(tx *store.Tx) error {
		if err := errors.Join(store.Insert(tx, a), store.Insert(tx, b)); err != nil {
			return err
		}
		for i, owner := range []*store.Account{a, b, a} {
			o := order(owner, i+1)
			if err := store.Insert(tx, o); err != nil {
				return err
			}
			n := store.Notice{UUID: o.UUID, OrderID: o.ID, Kind: store.NoticeEmail, Success: i == 0, Created: time.UnixMilli(5)}
			if i > 0 {
				n.Error = &failed
			}
			if err := tx.InsertNotice(&n); err != nil {
				return err
			}
		}
		return nil
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	undo := `DROP TRIGGER notices_account; DROP INDEX notices_of_account; DROP INDEX notices_failed;
		ALTER TABLE notices DROP COLUMN account_id; DELETE FROM goose_db_version WHERE version_id >= 113`
	if _, err := raw(t, dir).Exec(undo); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	_, err := raw(t, dir).Exec(`INSERT INTO notices (uuid, order_id, kind, address, body, success, response_code, attempts, created)
		VALUES ('previous', 1, 'email', 'a', '{}', 0, 0, 0, 6)`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		account    int64
		onlyFailed bool
		want       int
	}{
		{a.ID, false, 3}, {a.ID, true, 2}, {b.ID, false, 1}, {99, false, 0},
	} {
		got, err := s.NoticesOfAccount(t.Context(), c.account, c.onlyFailed, store.ListWindow{Limit: 10})
		if err != nil || len(got) != c.want {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
		if len(got) > 1 && (got[0].UUID != "previous" || got[0].OrderCode == "" || got[0].ID < got[1].ID) {
			t.Errorf("%+v: the first is %+v", c, got[0])
		}
	}
}
