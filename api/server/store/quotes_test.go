package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/store"
)

func quote(o *store.Order, n string) *store.Quote {
	reason := "first order"
	return &store.Quote{
		UUID: "quote-" + n, OrderID: o.ID, Name: "Quote " + n, Description: "wide site", Days: 12, Price: 1000.5, Discount: 10,
		DiscountReason: &reason, FinalPrice: 900.45, Currency: "EUR", Status: api.QuoteOpen,
		Expires: time.Date(2026, 3, 20, 12, 0, 0, 0, time.FixedZone("", 3600)), Created: time.UnixMilli(1773480413590).UTC(),
	}
}

func TestExtrasComeBackAsTheyWent(t *testing.T) {
	s, ctx := open(t, ""), context.Background()
	a := account("A")
	var o *store.Order
	height := 80.0
	details := api.OrderDetails{
		Description: "both banks", OtherMapType: "hologram", PointOfContact: &api.PointOfContact{PocName: "Bo", PocPhone: "1"},
		AdvancedOption: &api.AdvancedOption{FlightHeight: &height, GCP: true},
	}
	notify := store.Notify{Owner: "n", Webhook: "https://a.example", Email: true, Secret: "sealed"}
	var first, second *store.Quote
	write(t, s, func(tx *store.Tx) error {
		if err := tx.InsertAccount(a); err != nil {
			return err
		}
		o = order(a, 1)
		if err := tx.InsertOrder(o); err != nil {
			return err
		}
		notify.OrderID = o.ID
		first, second = quote(o, "1"), quote(o, "2")
		for _, err := range []error{
			tx.InsertQuote(first), tx.InsertQuote(second), tx.SetDetails(o.ID, api.OrderDetails{Description: "x"}),
			tx.SetDetails(o.ID, details), tx.SetNotify(store.Notify{OrderID: o.ID}), tx.SetNotify(notify),
		} {
			if err != nil {
				return err
			}
		}
		second.Status, second.Decided = api.QuoteRejected, second.Created.Add(time.Hour)
		return tx.UpdateQuote(second)
	})
	r, err := s.Record(ctx, o.ID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, r.Extras, store.Extras{OpenQuotes: 1, Quotes: []store.Quote{*first, *second}, Details: &details, Notify: &notify})
	briefs, err := s.Briefs(ctx, []store.Order{r.Order, {ID: -1}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, briefs[0].Extras, r.Extras)
	same(t, briefs[1].Extras, store.Extras{})
}

// The status of a record is the same wherever it is worked out, and its list
// has what shows it.
func TestRecordStatusInListsAndOut(t *testing.T) {
	s, ctx := open(t, ""), context.Background()
	a := account("A")
	write(t, s, func(tx *store.Tx) error { return tx.InsertAccount(a) })
	want := map[api.RecordStatus]int{}
	n := 0
	for _, status := range api.OrderStatuses() {
		for _, before := range []api.OrderStatus{"", api.OrderBiddingWithQuote, api.OrderCompleted} {
			if (status == api.OrderArchived) != (before != "") {
				continue
			}
			for quotes := range 2 {
				n++
				write(t, s, func(tx *store.Tx) error {
					o := order(a, n)
					if o.Status = status; before != "" {
						o.StatusBefore = &before
					}
					if err := tx.InsertOrder(o); err != nil {
						return err
					}
					want[store.RecordStatus(*o, quotes)]++
					if quotes > 0 {
						return tx.InsertQuote(quote(o, o.Code))
					}
					return nil
				})
			}
		}
	}
	for _, status := range api.RecordStatuses() {
		page, err := s.NumberedOrders(ctx, a.ID, status, 100, 0)
		if err != nil || len(page) != want[status] || want[status] == 0 {
			t.Errorf("%s: %d orders, want %d, %v", status, len(page), want[status], err)
		}
	}
	all, err := s.NumberedOrders(ctx, a.ID, "", 100, 0)
	if err != nil || len(all) != n-want[api.RecordDeleted] {
		t.Errorf("%d orders of %d, %v", len(all), n, err)
	}
	for i := range all {
		if i > 0 && (all[i].Created.After(all[i-1].Created) || all[i].ID > all[i-1].ID) {
			t.Errorf("%d is newer than the order before it", all[i].ID)
		}
	}
	if page, err := s.NumberedOrders(ctx, a.ID, "", 3, 2); err != nil || len(page) != 3 || page[0].ID != all[2].ID {
		t.Errorf("a page in the middle: %v, %v", page, err)
	}
}

func TestNumberedPagesAreFoundInAnIndexAlone(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	db := raw(t, dir)
	for index, query := range store.RecordQueries() {
		plan := planOf(t, db, query)
		if !strings.Contains(plan, index) || strings.Contains(plan, "SCAN") || !strings.Contains(plan, "USING INTEGER PRIMARY KEY") {
			t.Errorf("%s:\n%s", query, plan)
		}
	}
}
