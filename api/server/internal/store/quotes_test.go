package store_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

func quote(o *store.Order, n string) *store.Quote {
	reason := "first order"
	return &store.Quote{
		UUID: "quote-" + n, OrderID: o.ID, Name: "Quote " + n, Description: "wide site", Days: 12, Price: 1000.5, Discount: 10,
		DiscountReason: &reason, FinalPrice: 900.45, Currency: "EUR", Status: api.QuoteOpen,
		Expires: time.Date(2026, 3, 20, 12, 0, 0, 0, time.FixedZone("", 3600)), Created: time.UnixMilli(1773480413590).UTC(),
	}
}

func TestExtrasAreReadAsSaved(t *testing.T) {
	s := open(t, "")
	ctx := context.Background()
	a := account("A")
	var o *store.Order
	height := 80.0
	details := api.RecordDetails{
		Description: "both banks", OtherMapType: "hologram", PointOfContact: &api.PointOfContact{PocName: "Bo", PocPhone: "1"},
		AdvancedOption: &api.AdvancedOption{FlightHeight: &height, GCP: true},
	}
	notify := store.Notify{Owner: "n", Webhook: "https://a.example", Email: true, Secret: "sealed"}
	var first, second *store.Quote
	write(t, s, func(tx *store.Tx) error {
		if err := store.Insert(tx, a); err != nil {
			return err
		}
		o = order(a, 1)
		if err := store.Insert(tx, o); err != nil {
			return err
		}
		notify.OrderID = o.ID
		first = quote(o, "1")
		second = quote(o, "2")
		for _, err := range []error{
			tx.InsertQuote(first), tx.InsertQuote(second), tx.SetDetails(o.ID, api.RecordDetails{Description: "x"}),
			tx.SetDetails(o.ID, details), store.Replace(tx, &store.Notify{OrderID: o.ID}), store.Replace(tx, &notify),
		} {
			if err != nil {
				return err
			}
		}
		second.Status, second.Decided = api.QuoteRejected, second.Created.Add(time.Hour)
		return tx.UpdateQuote(second)
	})
	s.ListAs(nil, shown) // no texts are stored
	r, err := s.Records.Get(ctx, o.ID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, r.Extras, store.OrderExtras{OpenQuotes: 1, Quotes: []store.Quote{*first, *second}, Details: &details, Notify: &notify})
	briefs, err := s.Records.After(ctx, a.ID, 2, nil)
	if err != nil || len(briefs) != 1 {
		t.Fatal(briefs, err)
	}
	same(t, briefs[0], store.OrderBrief{
		Place: o.Position(), Status: api.RecordRejected, Text: o.UUID + " is rejected", RejectionReason: o.RejectionReason,
		Details: jsontext.Value(`{"description":"both banks","otherMapType":"hologram","pointOfContact":{"pocName":"Bo","pocPhone":"1"},` +
			`"advancedOption":{"flightHeight":80,"gcp":true}}`),
		Notify: &store.Notify{OrderID: o.ID, Webhook: notify.Webhook, Email: true},
	})
}

// The SQL expression, the function and the list have the same status.
func TestListsAndRecordsShowTheSameStatus(t *testing.T) {
	s := open(t, "")
	ctx := context.Background()
	a := account("A")
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, a) })
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
					o.Status = status
					if before != "" {
						o.StatusBefore = &before
					}
					if err := store.Insert(tx, o); err != nil {
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
		page, err := s.Records.Page(ctx, a.ID, status, 100, 0)
		if err != nil || len(page) != want[status] || want[status] == 0 {
			t.Errorf("%s: %d orders, want %d, %v", status, len(page), want[status], err)
		}
	}
	all, err := s.Records.Page(ctx, a.ID, "", 100, 0)
	if err != nil || len(all) != n {
		t.Errorf("%d orders of %d, %v", len(all), n, err)
	}
	for i := range all {
		if i > 0 && (all[i].Place.Sort > all[i-1].Place.Sort || all[i].Place.ID > all[i-1].Place.ID) {
			t.Errorf("%d is newer than the order before it", all[i].Place.ID)
		}
	}
	if page, err := s.Records.Page(ctx, a.ID, "", 3, 2); err != nil || len(page) != 3 || page[0].Place != all[2].Place {
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

// A numbered page has the same orders regardless of which pages were read before, and of
// which orders were placed, changed or deleted in the meantime.
func TestNumberedPagesAreCorrectAfterOrdersChange(t *testing.T) {
	s := open(t, "")
	ctx := context.Background()
	a := account("A")
	b := account("B")
	write(t, s, func(tx *store.Tx) error { return errors.Join(store.Insert(tx, a), store.Insert(tx, b)) })
	var all []*store.Order // oldest first
	count := 0
	place := func(n int) {
		t.Helper()
		err := s.WriteMuch(ctx, func(tx *store.Tx) error {
			for range n {
				count++
				o := order(a, count)
				other := order(b, count)
				o.Status = api.OrderCompleted
				other.UUID = "of-b-" + o.UUID
				other.Code = "of-b-" + o.Code
				if err := errors.Join(store.Insert(tx, o), store.Insert(tx, other)); err != nil {
					return err
				}
				all = append(all, o)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(limit, offset int) {
		t.Helper()
		page, err := s.Records.Page(ctx, a.ID, "", int64(limit), int64(offset))
		if want := min(limit, max(0, len(all)-offset)); err != nil || len(page) != want {
			t.Fatalf("%d orders after %d, want %d, %v", len(page), offset, want, err)
		}
		for i, r := range page {
			if want := all[len(all)-1-offset-i]; r.Place.ID != want.ID {
				t.Fatalf("%d after %d of %d orders is %d, want %d", i, offset, len(all), r.Place.ID, want.ID)
			}
		}
	}
	place(5 * store.MarkEvery)
	for range 60 {
		for range 3 {
			check(1+rand.IntN(30), rand.IntN(len(all)+40))
		}
		switch rand.IntN(3) {
		case 0:
			place(1 + rand.IntN(20))
		case 1:
			i := rand.IntN(len(all))
			all[i].Status = api.OrderDeleted
			write(t, s, func(tx *store.Tx) error { return store.Update(tx, all[i]) })
		}
	}
	for range 2 { // the end of the list is cached as well
		check(10, len(all)+9)
		place(20)
		check(10, len(all)-5)
	}
	check(10, 4*store.MarkEvery)
	if n := store.Marks(s, a.ID); n == 0 {
		t.Error("no place was remembered")
	}
}
