package server_test

import (
	"net/http"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// A training can be set back to the same snapshot any number of times.
func TestSnapshotRestoresAllData(t *testing.T) {
	v := newReceiver(t)
	s := server.Embedded(&server.Server{WebhookAllow: loopback, WebhookCA: v.pem()})
	server.SetTiming(s, quick)
	b := newBenchOn(t, s)
	w := b.register(b.alice, v.URL)
	before := b.place(b.alice)
	b.ops("POST", "/clock", `{"advance":"48h"}`)
	r := b.ops("POST", "/snapshots", `{"name":"prepared"}`)
	if taken := into[ops.WorldSnapshot](t, r); r.status != http.StatusCreated || taken.Name != "prepared" || taken.Bytes < 4096 || taken.TakenAt.IsZero() {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	clock := into[ops.ServiceClock](t, b.ops("GET", "/clock", nil)).Ahead

	for range 2 {
		b.ops("POST", "/clock", `{"advance":"24h"}`)
		after := b.place(b.alice)
		if r := b.call("DELETE", webhooks+"/"+w.UUID, b.alice, nil); r.status/100 != 2 {
			t.Fatalf("%d %s", r.status, r.raw)
		}
		if r := b.ops("POST", "/reset", `{"confirm":true}`); r.status != 200 {
			t.Fatalf("%d %s", r.status, r.raw)
		}
		if r := b.ops("POST", "/snapshots/prepared/restore", nil); r.status != 200 {
			t.Fatalf("%d %s", r.status, r.raw)
		}
		page := into[api.Page[api.Order]](t, b.call("GET", publicHandlers+"/orders", b.alice, nil))
		if len(page.Items) != 1 || page.Items[0].UUID != before.UUID || page.Items[0].UUID == after.UUID {
			t.Errorf("the orders: %+v", page.Items)
		}
		if now := into[ops.ServiceClock](t, b.ops("GET", "/clock", nil)).Ahead; now != clock {
			t.Errorf("the clock is %v ahead, want %v", now, clock)
		}
	}
	b.sendTest(w.UUID, api.EventFlightScheduled) // the endpoint exists with its secret
	got := <-v.got
	v.answer <- 200
	if err := api.VerifySignature(w.Secret, got.Header.Get(api.HeaderSignature), bodyOf(got)); err != nil {
		t.Error(err)
	}
	next := b.place(b.alice) // codes continue, and the time was set back with the clock
	if at := b.clock.now().Add(clock.Duration); next.CreatedAt.Sub(at).Abs() > time.Minute {
		t.Errorf("placed at %v, want %v", next.CreatedAt, at)
	}
	if list := into[api.Page[ops.WorldSnapshot]](t, b.ops("GET", "/snapshots", nil)); len(list.Items) != 1 || list.Items[0].Name != "prepared" {
		t.Errorf("%+v", list.Items)
	}
}

func TestSnapshotNames(t *testing.T) {
	b := newBench(t)
	for _, body := range []string{`{}`, `{"name":""}`, `{"name":"../up"}`, `{"name":"a b"}`, `{"name":"-"}`, `{"name":7}`, `{"name":"a","more":1}`} {
		if r := b.ops("POST", "/snapshots", body); r.status != 400 {
			t.Errorf("%s: %d", body, r.status)
		}
	}
	wantFault(t, "nobody took it", b.ops("POST", "/snapshots/other/restore", nil), 404, api.CodeNotFound)
	wantFault(t, "a path", b.ops("POST", "/snapshots/..%2Fflightdesk/restore", nil), 404, api.CodeNotFound)
	if list := into[api.Page[ops.WorldSnapshot]](t, b.ops("GET", "/snapshots", nil)); len(list.Items) != 0 {
		t.Errorf("%+v", list.Items)
	}
}
