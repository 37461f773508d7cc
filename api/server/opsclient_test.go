package server_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// gather reads a list to its end.
func gather[T any](t *testing.T, list func(func(*T, error) bool)) []T {
	t.Helper()
	var all []T
	for one, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *one)
	}
	return all
}

func TestOpsClientReadsAllOfItsLists(t *testing.T) {
	b := newBench(t)
	o := desks(t, b.s)
	ctx := context.Background()
	for range api.MaxPageLimit + 1 {
		b.place(b.alice)
	}
	b.place(b.bob)
	alice := b.accountOf(b.alice)
	bob := b.accountOf(b.bob)
	if got := gather(t, o.Orders.All(ctx, ops.OrderFilter{})); len(got) != api.MaxPageLimit+2 || got[0].AccountUID != bob {
		t.Errorf("%d orders, the newest of %s", len(got), got[0].AccountUID)
	}
	if got := gather(t, o.Orders.All(ctx, ops.OrderFilter{Account: bob})); len(got) != 1 || got[0].Status != api.OrderBiddingWithQuote {
		t.Errorf("%+v", got)
	}
	if got := gather(t, o.Accounts.All(ctx)); len(got) != 2 || got[1].UUID != alice {
		t.Errorf("%+v", got)
	}
	if got := gather(t, o.Keys.All(ctx, alice)); len(got) != 1 || got[0].Key != "" {
		t.Errorf("%+v", got)
	}
	if _, err := o.Keys.Request(ctx, bob, ops.KeyRequestInput{IntendedUse: "CI", Scopes: api.Scopes()}); err != nil {
		t.Fatal(err)
	}
	if got := gather(t, o.Keys.AllRequests(ctx)); len(got) != 1 || got[0].AccountUID != bob {
		t.Errorf("%+v", got)
	}
	for _, err := range o.Keys.All(ctx, "nope") {
		if !api.IsStatus(err, 404) {
			t.Errorf("keys of nobody: %v", err)
		}
	}
}

func TestOpsClientSendsCallbacks(t *testing.T) {
	v := newReceiver(t)
	s := &server.Server{WebhookAllow: loopback}
	server.SetTiming(s, quick)
	b := newBenchOn(t, s)
	o := desks(t, b.s)
	ctx := context.Background()
	w := b.register(b.alice, v.URL)
	seen := gather(t, o.Webhooks.All(ctx, b.accountOf(b.alice)))
	if len(seen) != 1 || seen[0].UUID != w.UUID || seen[0].Secret != "" {
		t.Fatalf("%+v", seen)
	}
	first, err := o.Webhooks.Test(ctx, w.UUID, api.EventFlightScheduled)
	if err != nil || first.Event != api.EventFlightScheduled || first.Success {
		t.Fatalf("%+v, %v", first, err)
	}
	if row := b.settled(w.UUID); row.Success {
		t.Errorf("sent to a receiver that nobody trusts: %+v", row)
	}
	if trusted, err := o.Webhooks.Trust(ctx, v.pem()); err != nil || trusted.Trusted != 1 {
		t.Fatalf("%+v, %v", trusted, err)
	}
	v.answer <- 204
	again, err := o.Webhooks.Resend(ctx, first.UUID)
	if err != nil || again.UUID != first.UUID {
		t.Fatalf("%+v, %v", again, err)
	}
	b.settled(w.UUID)
	rows := gather(t, o.Webhooks.AllDeliveries(ctx, w.UUID))
	if len(rows) != 1 || rows[0].UUID != first.UUID || !rows[0].Success || *rows[0].Attempts != 5 {
		t.Errorf("%+v", rows)
	}
	if history, err := o.Webhooks.History(ctx, first.UUID); err != nil || len(history.Attempts) != 5 || history.Attempts[0].Error == nil || history.Attempts[4].ResentAt.IsZero() {
		t.Errorf("%+v, %v", history, err)
	}
	if _, err := o.Webhooks.Resend(ctx, "nope"); !api.IsStatus(err, 404) {
		t.Errorf("resending nothing: %v", err)
	}
	if _, err := o.Webhooks.Test(ctx, w.UUID, api.EventOrderCompleted); !api.IsStatus(err, 400) {
		t.Errorf("an event that endpoints do not get: %v", err)
	}
	if _, err := o.Webhooks.Trust(ctx, []byte("hello")); !api.IsStatus(err, 400) {
		t.Errorf("no certificate: %v", err)
	}
}

// The queue says who waits for whom, also when quotes expire on Operations' word.
func TestReviewQueue(t *testing.T) {
	s := start(t, &server.Server{})
	o := desks(t, s)
	c := client(t, s)
	ctx := context.Background()
	order, err := c.Orders.Create(ctx, survey(), "")
	if err != nil {
		t.Fatal(err)
	}
	waits := func() bool {
		t.Helper()
		queue := gather(t, o.Orders.Review(ctx))
		if len(queue) != 1 || queue[0].UUID != order.UUID || queue[0].OpenQuotes == nil {
			t.Fatalf("%+v", queue)
		}
		detail, err := o.Orders.Get(ctx, order.UUID)
		if err != nil {
			t.Fatal(err)
		}
		listed := queue[0].WaitsForQuote(o.Now())
		clock, err := o.World.Clock(ctx)
		if err != nil || detail.WaitsForQuote(clock.Now.Time) != listed {
			t.Errorf("the list says %v, the order itself otherwise, %v", listed, err)
		}
		listedOpen, listedExpired := queue[0].CountUndecided(o.Now())
		open, expired := detail.CountUndecided(clock.Now.Time)
		if listedOpen != open || listedExpired != expired {
			t.Errorf("the list has %d open and %d expired quotes, the order %d and %d", listedOpen, listedExpired, open, expired)
		}
		return listed
	}
	if !waits() {
		t.Error("a new order waits for nothing")
	}
	detail, err := o.Orders.Get(ctx, order.UUID)
	if err != nil {
		t.Fatal(err)
	}
	in := detail.SuggestQuote(0, o.Now())
	if in.DeliveryBy != ops.SuggestedDays || in.PriceBeforeDiscount != detail.SuggestPrice(ops.SuggestedDays, in.Currency) || in.PriceBeforeDiscount < 100 {
		t.Errorf("suggested %+v", in)
	}
	in.DiscountPercent = 12.5
	in.ReasonForDiscount = "a crew is near"
	q, err := o.Quotes.Issue(ctx, order.UUID, in)
	if err != nil || q.FinalPrice != api.PriceOf(in.FinalPrice()) || q.Currency != detail.Account.Currency {
		t.Fatalf("%+v, %v; expected %v", q, err, in.FinalPrice())
	}
	if waits() {
		t.Error("an order with a quote waits for the desk")
	}
	for range 2 {
		clock, err := o.Quotes.Expire(ctx, q)
		if err != nil || clock.Now.Before(q.ExpiryDate.Time) || clock.Now.After(q.ExpiryDate.Add(time.Minute)) {
			t.Fatalf("%+v, %v", clock, err)
		}
	}
	if !waits() {
		t.Error("an order whose quote has expired waits for nothing")
	}
	if listed := gather(t, o.Orders.Review(ctx)); listed[0].ExpiredQuotes == nil || *listed[0].ExpiredQuotes != 1 {
		t.Errorf("the expired quote is not counted: %+v", listed[0])
	}
	if _, err := o.Orders.Reject(ctx, order.OrderCode, "no permission there"); err != nil {
		t.Error(err)
	}
	if left := gather(t, o.Orders.Review(ctx)); len(left) != 0 {
		t.Errorf("%+v", left)
	}
	if _, err := o.Quotes.Expire(ctx, &ops.Quote{}); err == nil {
		t.Error("a quote without an expiry expires")
	}
}

func TestQuotesOfAServiceThatKeepsDataDoNotExpireOnDemand(t *testing.T) {
	s := start(t, &server.Server{Dir: t.TempDir()})
	o := desks(t, s)
	q := &ops.Quote{Quote: api.Quote{ExpiryDate: api.TimeOf(time.Now().Add(time.Hour))}}
	if _, err := o.Quotes.Expire(context.Background(), q); !api.IsStatus(err, 409) {
		t.Errorf("%v", err)
	}
}

func TestPathsAcceptCodes(t *testing.T) {
	b := newBench(t)
	p := b.takenOver(api.OrderPendingOperator, api.MissionAwaitingPilot)
	o := desks(t, b.s)
	ctx := context.Background()
	byUUID, err := o.Orders.Get(ctx, p.uuid)
	if err != nil {
		t.Fatal(err)
	}
	byCode, err := o.Orders.Get(ctx, byUUID.OrderCode)
	if err != nil || byCode.UUID != p.uuid {
		t.Fatalf("%+v, %v", byCode, err)
	}
	mission := byUUID.Missions[0].MissionCode
	if m, err := o.Missions.AssignOperator(ctx, mission, "Mele Taufa"); err != nil || m.UUID != p.mission[0] {
		t.Errorf("%+v, %v", m, err)
	}
	if of, err := o.Orders.Get(ctx, mission); err != nil || of.UUID != p.uuid {
		t.Errorf("the order of a mission: %+v, %v", of, err)
	}
	for _, path := range []string{"/orders/ORD-0", "/orders/MSN-0", "/orders/ord-1"} {
		wantFault(t, path, b.ops("GET", path, nil), 404, api.CodeNotFound)
	}
	wantFault(t, "no such mission", b.ops("POST", "/missions/"+byUUID.OrderCode+"/accept-delivery", nil), 404, api.CodeNotFound)
	// The two interfaces take what they took.
	wantFault(t, "the public interface", b.call("POST", publicHandlers+"/orders/"+byUUID.OrderCode+"/cancel", p.key, nil), 404, api.CodeNotFound)
}

func TestOpsClientMakesDatasets(t *testing.T) {
	b := newBench(t)
	o := desks(t, b.s)
	ctx := context.Background()
	in := ops.DatasetInput{
		DatasetName: "Harbour", Categories: []string{"ports"}, LocationLabel: "Hamburg", LocationMap: []api.Point{{Lat: 53.5, Lng: 9.9}},
		DateCompleted: api.ParseDate("2025-11-02"),
	}
	set, err := o.Datasets.Generate(ctx, b.accountOf(b.alice), in)
	if err != nil || set.DatasetName != "Harbour" || set.DeliveryFiles.Len() != 5 || !slices.Equal(set.Categories, in.Categories) || set.DateCompleted != in.DateCompleted {
		t.Fatalf("%+v, %v", set, err)
	}
	if _, err := o.Datasets.Generate(ctx, b.accountOf(b.alice), ops.DatasetInput{DatasetName: "Nowhere"}); !api.IsStatus(err, 400) {
		t.Errorf("a dataset of no place: %v", err)
	}
}
