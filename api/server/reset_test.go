package server_test

import (
	"context"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// demoBench is a demo on a test clock, with a client of its first account.
func demoBench(t *testing.T) (*bench, *ops.Client, *api.Client) {
	t.Helper()
	b := newBenchOn(t, &server.Server{Demo: true})
	c, err := api.NewClient(b.s.BaseURL(), api.WithKey(b.s.Accounts()[0].Key), api.WithTransport(server.Direct(b.s)))
	if err != nil {
		t.Fatal(err)
	}
	return b, desks(t, b.s), c
}

// everything returns all orders as Operations sees them, without the links, whose tokens change.
func everything(t *testing.T, o *ops.Client) string {
	t.Helper()
	var all strings.Builder
	opts := api.ListOptions{Limit: api.MaxPageLimit}
	for {
		page, err := o.Orders.List(context.Background(), ops.OrderFilter{}, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, listed := range page.Items {
			order, err := o.Orders.Get(context.Background(), listed.UUID)
			if err != nil {
				t.Fatal(err)
			}
			for i := range order.Missions {
				if p := order.Missions[i].FlightPermission; p != nil && p.PermitFileURL != nil {
					name := path.Base(*p.PermitFileURL)
					p.PermitFileURL = &name
				}
			}
			all.Write(mustJSON(t, order))
			all.WriteByte('\n')
		}
		if !page.HasNextPage {
			return all.String()
		}
		opts.Cursor = *page.NextCursor
	}
}

func TestResetRestoresTheDemoData(t *testing.T) {
	b, o, c := demoBench(t)
	ctx := context.Background()
	before := everything(t, o)
	made, err := o.Accounts.Create(ctx, ops.AccountInput{CompanyName: "Late Ltd"})
	if err != nil {
		t.Fatal(err)
	}
	name := "Somebody Else"
	if _, err := o.Accounts.Change(ctx, b.s.Accounts()[0].UUID, ops.AccountChange{ClientName: &name}); err != nil {
		t.Fatal(err)
	}
	key, err := o.Keys.Issue(ctx, made.UUID, ops.KeyInput{Scopes: api.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	placed, err := c.Orders.Create(ctx, survey(), "k")
	if err != nil {
		t.Fatal(err)
	}
	webhook, err := c.Webhooks.Create(ctx, api.CreateWebhookRequest{URL: "https://example.com/hook"})
	if err != nil {
		t.Fatal(err)
	}
	request, err := o.Keys.Request(ctx, made.UUID, ops.KeyRequestInput{IntendedUse: "late", Scopes: api.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	p, links := b.delivered(content{"a.jpg", "jpg", "aa"})
	kept := server.FilesKept(b.s)

	r := b.ops("POST", "/reset", `{"confirm":true}`)
	if r.status != 200 || into[ops.ResetResult](t, r).Orders < 20 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if after := everything(t, o); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if n := server.FilesKept(b.s); n != kept-1 {
		t.Errorf("%d files are kept, %d before", n, kept)
	}
	wantFault(t, "a link of before", b.fetch("GET", links[0].DownloadURL), 404, api.CodeNotFound)
	if _, err := c.Webhooks.Get(ctx, webhook.UUID); !api.IsStatus(err, 404) {
		t.Errorf("a webhook of before: %v", err)
	}
	if _, err := o.Keys.Decline(ctx, request.UUID, "late"); !api.IsStatus(err, 404) {
		t.Errorf("a key request of before: %v", err)
	}
	for what, key := range map[string]string{"a late key": key.Key, "a key of a late account": p.key, "the demo's key": b.s.Accounts()[0].Key} {
		if r := b.call("GET", publicHandlers+"/orders", key, nil); r.status != 200 {
			t.Errorf("%s: %d %s", what, r.status, r.raw)
		}
	}
	accounts, err := o.Accounts.List(ctx, api.ListOptions{})
	if err != nil || accounts.Items[len(accounts.Items)-1].ClientName == name {
		t.Errorf("%+v, %v", accounts, err)
	}
	again, err := c.Orders.Create(ctx, survey(), "k")
	if err != nil || again.OrderCode != placed.OrderCode || again.UUID == placed.UUID {
		t.Errorf("the same request: %+v, %v; before %+v", again, err, placed)
	}
}

func TestResetCountsFromNowWithTheSameIDs(t *testing.T) {
	b, o, c := demoBench(t)
	ctx := context.Background()
	uuids := func() (all []string) {
		for order, err := range c.Orders.All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, order.UUID+" "+order.OrderCode+" "+order.CreatedAt.Sub(b.clock.now()).Round(time.Hour).String())
		}
		return all
	}
	before := strings.Join(uuids(), "\n")
	b.clock.advance(40 * 24 * time.Hour)
	if _, err := o.World.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	if after := strings.Join(uuids(), "\n"); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func TestResetNeedsConfirmationAndATestService(t *testing.T) {
	b := newBench(t)
	for body, field := range map[string]string{`{}`: "confirm", `{"confirm":false}`: "confirm", `{"confirm":"yes"}`: "confirm", `{"confirm":true,"all":1}`: "all"} {
		r := b.ops("POST", "/reset", body)
		wantFault(t, body, r, 400, api.CodeValidationFailed)
		if r.fields()[0] != field {
			t.Errorf("%s: faults at %v", body, r.fields())
		}
	}
	b.place(b.alice)
	if r := b.ops("POST", "/reset", `{"confirm":true}`); r.status != 200 {
		t.Errorf("in memory: %d %s", r.status, r.raw)
	}
	if page := into[api.Page[api.Order]](t, b.call("GET", publicHandlers+"/orders", b.alice, nil)); len(page.Items) != 0 {
		t.Errorf("%d orders are left", len(page.Items))
	}

	dir := t.TempDir()
	ctx := context.Background()
	for _, demo := range []bool{false, true} { // the folder has accounts of users, also with the demo
		s := &server.Server{Dir: dir, Demo: demo}
		if err := s.Start(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := client(t, s).Orders.Create(ctx, survey(), ""); err != nil {
			t.Fatal(err)
		}
		if _, err := desks(t, s).World.Reset(ctx); !api.IsStatus(err, http.StatusConflict) {
			t.Errorf("demo %t: %v", demo, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestReadsDoNotSeeAnIncompleteReset(t *testing.T) {
	_, o, c := demoBench(t)
	ctx := context.Background()
	var code string
	for order, err := range c.Orders.All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if *order.MissionCount > 1 && order.Status == api.OrderCompleted {
			code = order.OrderCode
			break
		}
	}
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				page, err := c.Missions.List(ctx, code, api.ListOptions{})
				if err != nil || len(page.Items) < 2 {
					t.Errorf("%+v, %v", page, err)
					return
				}
				if _, err := c.Missions.Planning(ctx, page.Items[0].UUID); err != nil {
					t.Error(err)
					return
				}
				if _, err := c.Orders.Create(ctx, survey(), ""); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 10 {
		if _, err := o.World.Reset(ctx); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	all.Wait()
	if _, err := o.World.Reset(ctx); err != nil {
		t.Error(err)
	}
}

func TestReadsAreRepeatedAfterAReset(t *testing.T) {
	s := start(t, &server.Server{Demo: true})
	o := desks(t, s)
	ctx := context.Background()
	for op, want := range map[string]int{
		"GET " + publicHandlers + "/orders/x": 2, "POST " + server.LegacyPath + "/getorder/{id}": 2,
		"POST " + publicHandlers + "/orders": 1, "POST " + server.LegacyPath + "/order/{orderId}/quote/{quoteId}": 1,
	} {
		method, path, _ := strings.Cut(op, " ")
		left := 1
		n, err := server.Steadily(s, method, path, func() error {
			left--
			if left < 0 {
				return nil
			}
			_, err := o.World.Reset(ctx)
			return err
		})
		if err != nil || n != want {
			t.Errorf("%s %s was done %d times, %v", method, path, n, err)
		}
	}
}
