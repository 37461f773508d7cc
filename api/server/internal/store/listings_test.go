package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// shown is the text of an order in these tests.
func shown(o store.Order) (string, error) { return fmt.Sprintf("%s is %s", o.UUID, o.Status), nil }

// listings returns the texts of an account's orders and checks their positions.
func listings(t *testing.T, s *store.Store, a *store.Account) []string {
	var texts []string
	t.Helper()
	w := store.ListWindow{Limit: 10}
	orders, err := s.Orders(context.Background(), a.ID, w)
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Listings(context.Background(), a.ID, w)
	if err != nil || len(all) != len(orders) {
		t.Fatalf("%d listings of %d orders: %v", len(all), len(orders), err)
	}
	for i, l := range all {
		texts = append(texts, l.Text)
		if l.Position() != orders[i].Position() {
			t.Errorf("%q is at %v, want %v", l.Text, l.Position(), orders[i].Position())
		}
	}
	return texts
}

func TestListingsShowChangesOfOrders(t *testing.T) {
	s := open(t, "")
	s.ListAs(shown, shown)
	a := account("a")
	first := order(a, 1)
	second := order(a, 2)
	write(t, s, func(tx *store.Tx) error {
		err := store.Insert(tx, a)
		first.AccountID = a.ID
		second.AccountID = a.ID
		return errors.Join(err, store.Insert(tx, first), store.Insert(tx, second))
	})
	want := []string{"order-account-a-2 is rejected", "order-account-a-1 is rejected"}
	if got := listings(t, s, a); !slices.Equal(got, want) || store.StoredListings(t, s) != 2 {
		t.Errorf("%q, %d kept", got, store.StoredListings(t, s))
	}

	write(t, s, func(tx *store.Tx) error {
		first.Status = api.OrderArchived
		return store.Update(tx, first)
	})
	want[1] = "order-account-a-1 is archived"
	if got := listings(t, s, a); !slices.Equal(got, want) || store.StoredListings(t, s) != 2 {
		t.Errorf("after a move: %q, %d kept", got, store.StoredListings(t, s))
	}

	// A statement that does not use the listings invalidates none.
	store.Change(t, s, `UPDATE orders SET status = 'completed' WHERE uuid = 'order-account-a-2'`)
	want[0] = "order-account-a-2 is completed"
	if got := listings(t, s, a); !slices.Equal(got, want) || store.StoredListings(t, s) != 1 {
		t.Errorf("after a change: %q, %d kept", got, store.StoredListings(t, s))
	}

	// The rows are like those of a database with an earlier schema.
	store.Change(t, s, `UPDATE orders SET listed = NULL`)
	if got := listings(t, s, a); !slices.Equal(got, want) || store.StoredListings(t, s) != 0 {
		t.Errorf("without texts: %q, %d kept", got, store.StoredListings(t, s))
	}
}

// The text for the v2 API is stored when the order is placed, and formatted when it is
// read if it is missing.
func TestRecordTextsShowChangesOfOrders(t *testing.T) {
	s := open(t, "")
	ctx := context.Background()
	a := account("a")
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, a) })
	want := map[string]bool{}
	place := func(n int) *store.Order {
		o := order(a, n)
		o.Location = []api.Point{{Lat: float64(n)}}
		write(t, s, func(tx *store.Tx) error {
			err := store.Insert(tx, o)
			m := &store.Mission{OrderID: o.ID, UUID: "mission" + o.UUID, Code: "MSN" + o.UUID, LocationMap: o.Location, Created: noon, Updated: noon}
			return errors.Join(err, store.Insert(tx, m))
		})
		want[fmt.Sprintf("%s at %v", o.Name, o.Location)] = true
		return o
	}
	check := func(after string, kept int) {
		t.Helper()
		all, err := s.Records.After(ctx, a.ID, 1000, nil)
		got := map[string]bool{}
		for _, one := range all {
			got[one.Text] = true
		}
		if err != nil || !maps.Equal(got, want) || store.StoredRecordTexts(t, s) != kept {
			t.Errorf("%s: %d kept, %v, %v", after, store.StoredRecordTexts(t, s), got, err)
		}
	}
	fill := func() {
		t.Helper()
		if err := s.FillRecordTexts(ctx); err != nil {
			t.Error(err)
		}
	}
	for n := range 401 { // two transactions and a part of one
		place(n)
	}
	s.ListAs(nil, func(o store.Order) (string, error) { return fmt.Sprintf("%s at %v", o.Name, o.Location), nil })
	check("in an earlier schema", 0)
	fill()
	check("filled", 401)
	o := place(401)
	check("placed", 402)
	o.Status = api.OrderArchived
	o.Location = nil
	write(t, s, func(tx *store.Tx) error { return store.Update(tx, o) })
	check("moved", 402)

	store.Change(t, s, `UPDATE orders SET name = 'Mill' WHERE uuid = '`+o.UUID+`'`)
	delete(want, fmt.Sprintf("%s at %v", o.Name, []api.Point{{Lat: 401}}))
	want[fmt.Sprintf("Mill at %v", []api.Point{{Lat: 401}})] = true
	check("changed", 401)
	fill()
	check("filled again", 402)
}

func TestOrdersThatCannotBeFormattedAreNotSaved(t *testing.T) {
	s := open(t, "")
	bad := errors.New("no form")
	s.ListAs(func(store.Order) (string, error) { return "", bad }, shown)
	a := account("a")
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, a) })
	o := order(a, 1)
	if err := s.Write(context.Background(), func(tx *store.Tx) error { return store.Insert(tx, o) }); !errors.Is(err, bad) {
		t.Errorf("an insertion: %v", err)
	}
	if err := s.Write(context.Background(), func(tx *store.Tx) error { return store.Update(tx, o) }); !errors.Is(err, bad) {
		t.Errorf("a change: %v", err)
	}
	s.ListAs(nil, nil)
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, o) })
	s.ListAs(func(store.Order) (string, error) { return "", bad }, shown)
	if _, err := s.Listings(context.Background(), a.ID, store.ListWindow{Limit: 1}); !errors.Is(err, bad) {
		t.Errorf("a list: %v", err)
	}
}
