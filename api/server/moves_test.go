package server_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
)

const because = `{"reason":"the field is flooded"}`

func TestOrderMovesByStatus(t *testing.T) {
	b := newBench(t)
	waiting := api.MissionAwaitingPilot
	assigned := api.MissionPilotAssigned
	scheduled := api.MissionFlightScheduled
	delivered := api.MissionDataDelivered
	cancelled := api.MissionCancelled
	for _, c := range []struct {
		status                  api.OrderStatus
		missions                []api.MissionStatus
		cancel, archive, reject int
	}{
		{api.OrderBiddingWithQuote, []api.MissionStatus{waiting, waiting}, 200, 200, 200},
		{api.OrderPendingOperator, []api.MissionStatus{waiting, assigned}, 200, 409, 409},
		{api.OrderPendingOperator, []api.MissionStatus{waiting, delivered}, 409, 409, 409},
		{api.OrderOperatorAssigned, []api.MissionStatus{assigned}, 200, 409, 409},
		{api.OrderFlyingDateSet, []api.MissionStatus{scheduled, api.MissionCompleted}, 409, 409, 409},
		{api.OrderFlyingDateSet, []api.MissionStatus{scheduled}, 200, 409, 409},
		{api.OrderCompleted, []api.MissionStatus{delivered}, 409, 200, 409},
		{api.OrderNotFeasible, []api.MissionStatus{cancelled}, 409, 200, 409},
		{api.OrderCancelled, []api.MissionStatus{cancelled}, 200, 200, 409},
		{api.OrderRejected, []api.MissionStatus{cancelled}, 409, 200, 200},
		{api.OrderArchived, []api.MissionStatus{delivered}, 409, 200, 409},
		{api.OrderDeleted, []api.MissionStatus{cancelled}, 404, 404, 404},
	} {
		for verb, want := range map[string]int{"cancel": c.cancel, "archive": c.archive, "reject": c.reject} {
			p := b.takenOver(c.status, c.missions...)
			body := ""
			if verb != "cancel" {
				body = because
			}
			r := b.call("POST", publicHandlers+"/orders/"+p.uuid+"/"+verb, p.key, body)
			if r.status != want || want == 409 && r.fault.Code != api.CodeConflict {
				t.Errorf("%s of %s %v: %d %s, want %d", verb, c.status, c.missions, r.status, r.raw, want)
			}
		}
	}
}

func TestAMoveReturnsTheChangedOrder(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		verb     string
		body     string
		status   api.OrderStatus
		missions api.MissionStatus
		reason   func(api.Order) *string
	}{
		{"cancel", "", api.OrderCancelled, api.MissionCancelled, nil},
		{"archive", because, api.OrderArchived, api.MissionAwaitingPilot, func(o api.Order) *string { return o.ArchiveReason }},
		{"reject", because, api.OrderRejected, api.MissionCancelled, func(o api.Order) *string { return o.RejectionReason }},
	} {
		for _, method := range []string{"POST", "PUT", "PATCH"} {
			placed := b.place(b.alice)
			path := publicHandlers + "/orders/" + placed.UUID + "/" + c.verb
			b.clock.advance(1e9)
			moved := into[api.Order](t, b.call(method, path, b.alice, c.body))
			if moved.Status != c.status || moved.UUID != placed.UUID || !moved.UpdatedAt.After(placed.UpdatedAt.Time) {
				t.Errorf("%s %s: %+v", method, c.verb, moved)
			}
			if got := statuses(moved); !slices.Equal(got, []api.MissionStatus{c.missions, c.missions}) {
				t.Errorf("%s: missions are %v", c.verb, got)
			}
			if c.reason != nil && (c.reason(moved) == nil || *c.reason(moved) != "the field is flooded") {
				t.Errorf("%s: %+v", c.verb, moved)
			}
			read := b.call("GET", publicHandlers+"/orders/"+placed.OrderCode, b.alice, nil)
			b.clock.advance(1e9)
			again := b.call(method, path, b.alice, strings.Replace(c.body, "flooded", "dry", 1))
			if string(again.Data) != string(read.Data) || again.status != 200 {
				t.Errorf("%s again: %d %s, it was %s", c.verb, again.status, again.raw, read.raw)
			}
		}
	}
}

func TestMovesCheckInOrder(t *testing.T) {
	b := newBench(t)
	done := b.takenOver(api.OrderCompleted, api.MissionDataDelivered)
	long := strings.Repeat("x", api.MaxBodyBytes+1)
	for _, verb := range []string{"archive", "reject", "cancel"} {
		path := func(uuid string) string { return publicHandlers + "/orders/" + uuid + "/" + verb }
		wantFault(t, verb+" of nothing", b.call("POST", path("nope"), b.alice, "{"), 404, api.CodeNotFound)
		wantFault(t, verb+" by code", b.call("POST", path("ORD-100201"), b.alice, "{"), 404, api.CodeNotFound)
		wantFault(t, verb+" of another's", b.call("POST", path(done.uuid), b.alice, "{"), 403, api.CodeNotYourResource)
		wantFault(t, verb+" with too much", b.call("POST", path(done.uuid), done.key, long), 413, api.CodeTooLarge)
		wantFault(t, verb+" of a wrong type", b.call("POST", path(done.uuid), done.key, "{", "Content-Type", "text/plain"),
			415, api.CodeUnsupportedMediaType)
		wantFault(t, verb+" with a bad body", b.call("POST", path(done.uuid), done.key, "{"), 400, api.CodeMalformedBody)
		wantFault(t, verb+" with what is unknown", b.call("POST", path(done.uuid), done.key, `{"reasom":"x"}`), 400, api.CodeValidationFailed)
	}
	wantFault(t, "cancel of a completed order", b.call("POST", publicHandlers+"/orders/"+done.uuid+"/cancel", done.key, "{}"), 409, api.CodeConflict)
}

func TestInvalidReasonsAreRefused(t *testing.T) {
	b := newBench(t)
	placed := b.place(b.alice)
	path := publicHandlers + "/orders/" + placed.UUID + "/reject"
	for body, field := range map[string]string{
		`{}`: "reason", `{"reason":""}`: "reason", `{"reason":" \t "}`: "reason", `{"reason":null}`: "reason",
		`{"reason":7}`: "reason", `[]`: "body", `{"reason":"a\u0000"}`: "reason",
		`{"reason":"` + strings.Repeat("ü", api.MaxTextLength+1) + `"}`: "reason",
	} {
		r := b.call("POST", path, b.alice, body)
		wantFault(t, body, r, 400, api.CodeValidationFailed)
		if got := r.fields(); !slices.Equal(got, []string{field}) {
			t.Errorf("%.40s: faults at %v", body, got)
		}
	}
	wantFault(t, "no body", b.call("POST", path, b.alice, nil), 400, api.CodeMalformedBody)
	if r := b.call("POST", path, b.alice, `{"reason":"`+strings.Repeat("ü", api.MaxTextLength)+`"}`); r.status != 200 {
		t.Errorf("a reason at the limit: %d %s", r.status, r.raw)
	}
}

// Of concurrent moves that exclude each other, exactly one wins, and all clients that made it get a
// success.
func TestConcurrentMovesAreExclusive(t *testing.T) {
	b := newBench(t)
	d := server.DomainOf(b.s)
	ctx := context.Background()
	caller, err := d.Accounts.Authenticate(ctx, b.alice)
	if err != nil {
		t.Fatal(err)
	}
	const rivals = 1000
	for range 3 {
		placed := b.place(b.alice)
		var mu sync.Mutex
		won := map[api.OrderStatus]int{}
		var all sync.WaitGroup
		for i := range rivals {
			all.Go(func() {
				want := api.OrderCancelled
				var o store.Order
				var err error
				if i%2 == 0 {
					want = api.OrderRejected
					o, _, err = d.Orders.Reject(ctx, caller, placed.UUID, "no")
				} else {
					o, _, err = d.Orders.Cancel(ctx, caller, placed.UUID)
				}
				mu.Lock()
				defer mu.Unlock()
				if err == nil && o.Status == want {
					won[want]++
				} else if codeOf(err) != api.CodeConflict {
					t.Errorf("%s, %v", o.Status, err)
				}
			})
		}
		all.Wait()
		now := into[api.Order](t, b.call("GET", publicHandlers+"/orders/"+placed.OrderCode, b.alice, nil))
		if len(won) != 1 || won[now.Status] == 0 {
			t.Errorf("the order is %s; won: %v", now.Status, won)
		}
	}
}

func TestClientMovesOrders(t *testing.T) {
	s := start(t, &server.Server{})
	c := client(t, s)
	ctx := context.Background()
	for verb, move := range map[string]func(uuid string) (*api.Order, error){
		"cancelled": func(uuid string) (*api.Order, error) { return c.Orders.Cancel(ctx, uuid) },
		"archived":  func(uuid string) (*api.Order, error) { return c.Orders.Archive(ctx, uuid, "done") },
		"rejected":  func(uuid string) (*api.Order, error) { return c.Orders.Reject(ctx, uuid, "too dear") },
	} {
		placed, err := c.Orders.Create(ctx, survey(), "")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			moved, err := move(placed.UUID)
			if err != nil || string(moved.Status) != verb || len(moved.Missions) != 2 {
				t.Errorf("%s: %+v, %v", verb, moved, err)
			}
		}
	}
	if _, err := c.Orders.Cancel(ctx, "nope"); !api.IsStatus(err, 404) {
		t.Errorf("cancel of nothing: %v", err)
	}
}
