package domain_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// bidding places an order with n quotes that expire in an hour.
func bidding(t *testing.T, d *domain.Service, c *domain.Caller, quotes int) (store.Order, []store.Quote) {
	t.Helper()
	ctx := context.Background()
	o, err := d.Orders.Place(ctx, c, domain.OrderPlacement{Request: api.CreateOrderRequest{Missions: []api.MissionInput{
		{MissionType: api.MissionAsset, LocationMap: []api.Point{{Lat: 1}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var all []store.Quote
	for i := range quotes {
		q, err := d.Quotes.Issue(ctx, o.UUID, ops.QuoteInput{
			QuoteName: fmt.Sprint("Quote ", i), DeliveryBy: 10, PriceBeforeDiscount: 100, Currency: "EUR", ExpiryDate: api.TimeOf(d.Now().Add(time.Hour)),
		})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
	return o, all
}

// standing returns the number of an order's quotes by status.
func standing(t *testing.T, d *domain.Service, o store.Order) (api.OrderStatus, map[api.QuoteStatus]int) {
	t.Helper()
	r, err := d.Store.Records.Get(context.Background(), o.ID)
	if err != nil {
		t.Fatal(err)
	}
	n := map[api.QuoteStatus]int{}
	for _, q := range r.Extras.Quotes {
		n[q.Status]++
	}
	if r.Extras.OpenQuotes != n[api.QuoteOpen] {
		t.Errorf("%d open quotes are counted, there are %d", r.Extras.OpenQuotes, n[api.QuoteOpen])
	}
	return r.Order.Status, n
}

func TestAcceptingAQuoteClosesTheOthers(t *testing.T) {
	d, c := open(t)
	ctx := context.Background()
	o, quotes := bidding(t, d, c, 3)
	if _, err := d.Quotes.Decide(ctx, c, quotes[0].UUID, api.QuoteRejected); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time changes nothing
		q, err := d.Quotes.Decide(ctx, c, quotes[1].UUID, api.QuoteAccepted)
		if err != nil || q.Status != api.QuoteAccepted || !q.Decided.Equal(noon) {
			t.Fatalf("%+v, %v", q, err)
		}
	}
	status, n := standing(t, d, o)
	if status != api.OrderPendingOperator || n[api.QuoteAccepted] != 1 || n[api.QuoteClosed] != 1 || n[api.QuoteRejected] != 1 {
		t.Errorf("the order is %s with %v", status, n)
	}
	for what, try := range map[string]struct {
		quote string
		want  api.QuoteStatus
		says  string
	}{
		"accept what is closed":   {quotes[2].UUID, api.QuoteAccepted, quotes[1].UUID},
		"reject what is closed":   {quotes[2].UUID, api.QuoteRejected, `"Quote 1"`},
		"accept what is rejected": {quotes[0].UUID, api.QuoteAccepted, "was rejected"},
		"reject what is accepted": {quotes[1].UUID, api.QuoteRejected, "was accepted"},
	} {
		_, err := d.Quotes.Decide(ctx, c, try.quote, try.want)
		if codeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), try.says) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := d.Quotes.Issue(ctx, o.UUID, ops.QuoteInput{ExpiryDate: api.TimeOf(noon.Add(1))}); codeOf(err) != api.CodeConflict {
		t.Errorf("one more quote: %v", err)
	}
	if _, err := d.Quotes.Decide(ctx, &domain.Caller{}, quotes[0].UUID, api.QuoteRejected); codeOf(err) != api.CodeNotYourResource {
		t.Errorf("another account: %v", err)
	}
	if _, err := d.Quotes.Decide(ctx, c, "none", api.QuoteRejected); codeOf(err) != api.CodeNotFound {
		t.Errorf("no quote: %v", err)
	}
}

func TestQuotesExpireExactlyOnTime(t *testing.T) {
	d, c := open(t)
	ctx := context.Background()
	o, quotes := bidding(t, d, c, 2)
	d.Now = func() time.Time { return noon.Add(time.Hour) }
	for _, want := range []api.QuoteStatus{api.QuoteAccepted, api.QuoteRejected} {
		_, err := d.Quotes.Decide(ctx, c, quotes[0].UUID, want)
		if codeOf(err) != api.CodeQuoteExpired || !strings.Contains(err.Error(), quotes[0].UUID) {
			t.Errorf("%s at the expiry: %v", want, err)
		}
	}
	if status, n := standing(t, d, o); status != api.OrderBiddingWithQuote || n[api.QuoteOpen] != 2 {
		t.Errorf("the order is %s with %v", status, n)
	}
	fresh, err := d.Quotes.Issue(ctx, o.UUID, ops.QuoteInput{QuoteName: "again", PriceBeforeDiscount: 1, ExpiryDate: api.TimeOf(noon.Add(2 * time.Hour))})
	if err != nil {
		t.Fatal(err)
	}
	if _, n := standing(t, d, o); n[api.QuoteOpen] != 1 || n[api.QuoteClosed] != 2 {
		t.Errorf("after a new quote there are %v", n)
	}
	if _, err := d.Quotes.Decide(ctx, c, quotes[0].UUID, api.QuoteAccepted); codeOf(err) != api.CodeQuoteExpired {
		t.Errorf("a quote that was replaced: %v", err)
	}
	d.Now = func() time.Time { return noon.Add(2*time.Hour - time.Millisecond) }
	if _, err := d.Quotes.Decide(ctx, c, fresh.UUID, api.QuoteRejected); err != nil {
		t.Errorf("just before the expiry: %v", err)
	}
	if status, n := standing(t, d, o); status != api.OrderBiddingWithQuote || n[api.QuoteOpen] != 0 {
		t.Errorf("after the last rejection the order is %s with %v", status, n)
	}
}

func TestQuotesOfEndedOrdersCannotBeDecided(t *testing.T) {
	d, c := open(t)
	ctx := context.Background()
	for what, end := range map[string]func(o store.Order) error{
		"cancelled": func(o store.Order) error { _, _, err := d.Orders.Cancel(ctx, c, o.UUID); return err },
		"rejected":  func(o store.Order) error { _, _, err := d.Orders.Reject(ctx, nil, o.UUID, "no"); return err },
		"archived":  func(o store.Order) error { _, _, err := d.Orders.Archive(ctx, c, o.UUID, "later"); return err },
		"deleted":   func(o store.Order) error { _, _, err := d.Orders.Delete(ctx, o.UUID); return err },
	} {
		o, quotes := bidding(t, d, c, 1)
		if err := end(o); err != nil {
			t.Fatal(err)
		}
		want := api.CodeConflict
		if what == "deleted" {
			want = api.CodeNotFound
		}
		if _, err := d.Quotes.Decide(ctx, c, quotes[0].UUID, api.QuoteAccepted); codeOf(err) != want {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestPricesOfQuotesAreRounded(t *testing.T) {
	d, c := open(t)
	ctx := context.Background()
	o, _ := bidding(t, d, c, 0)
	currency := "JPY"
	if _, err := d.Accounts.Change(ctx, c.Account.UUID, ops.AccountChange{Currency: &currency}); err != nil {
		t.Fatal(err)
	}
	q, err := d.Quotes.Issue(ctx, o.UUID, ops.QuoteInput{PriceBeforeDiscount: 1000.5, DiscountPercent: 50, ExpiryDate: api.TimeOf(noon.Add(1))})
	if err != nil || q.Currency != "JPY" || q.Price != 1001 || q.FinalPrice != 501 {
		t.Errorf("%+v, %v", q, err)
	}
	q, err = d.Quotes.Issue(ctx, o.UUID, ops.QuoteInput{PriceBeforeDiscount: 99.995, DiscountPercent: 12.5, Currency: "EUR", ExpiryDate: api.TimeOf(noon.Add(1))})
	if err != nil || q.Currency != "EUR" || q.Price != 100 || q.FinalPrice != 87.5 {
		t.Errorf("%+v, %v", q, err)
	}
}

// A thousand clients decide the quotes of one order at the same time. One acceptance
// wins, all other acceptances report which, and no response contradicts another.
func TestAThousandDecisionsAtOnce(t *testing.T) {
	for round := range 2 {
		d, c := open(t)
		o, quotes := bidding(t, d, c, 3)
		var accepted [3]atomic.Int64
		var rejected [3]atomic.Int64
		var start, all sync.WaitGroup
		start.Add(1)
		for i := range 1000 {
			all.Go(func() {
				q := (i + round) % 3
				want := api.QuoteAccepted
				count := &accepted[q]
				if i%2 == round%2 {
					want = api.QuoteRejected
					count = &rejected[q]
				}
				start.Wait()
				got, err := d.Quotes.Decide(context.Background(), c, quotes[q].UUID, want)
				if err == nil && got.Status == want {
					count.Add(1)
				} else if codeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), "was accepted at") && !strings.Contains(err.Error(), "was rejected at") {
					t.Errorf("%s: %+v, %v", want, got, err)
				}
			})
		}
		start.Done()
		all.Wait()
		r, err := d.Store.Records.Get(context.Background(), o.ID)
		if err != nil {
			t.Fatal(err)
		}
		winners := 0
		for i, q := range r.Extras.Quotes {
			if (accepted[i].Load() > 0) != (q.Status == api.QuoteAccepted) || (rejected[i].Load() > 0) != (q.Status == api.QuoteRejected) {
				t.Errorf("quote %d is %s; %d were told that it is accepted, %d rejected", i, q.Status, accepted[i].Load(), rejected[i].Load())
			}
			if q.Status == api.QuoteAccepted {
				winners++
			}
		}
		status, n := standing(t, d, o)
		if winners > 1 || (winners == 1) != (status == api.OrderPendingOperator) || winners == 0 && n[api.QuoteRejected] != 3 {
			t.Errorf("%d quotes are accepted, the order is %s with %v", winners, status, n)
		}
	}
}
