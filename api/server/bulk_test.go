package server_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/demodata"
)

func TestResetRestoresTheOrdersOfALargeDemoAccount(t *testing.T) {
	const further = 300
	b := newBenchOn(t, &server.Server{Demo: true, DemoOrders: further})
	c, err := api.NewClient(b.s.BaseURL(), api.WithKey(b.s.Accounts()[0].Key), api.WithTransport(server.Direct(b.s)))
	if err != nil {
		t.Fatal(err)
	}
	listed := func() []api.Order {
		var all []api.Order
		for o, err := range c.Orders.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, *o)
		}
		return all
	}
	before := listed()
	if want := further + 16; len(before) != want {
		t.Fatalf("the account has %d orders, want %d", len(before), want)
	}
	for _, o := range before[16:] {
		switch o.Status {
		case api.OrderCompleted, api.OrderArchived, api.OrderCancelled, api.OrderRejected, api.OrderNotFeasible:
		default:
			t.Errorf("%s is %s, and nobody will ever move it", o.OrderCode, o.Status)
		}
		if o.CreatedAt.After(before[15].CreatedAt.Time) {
			t.Errorf("%s is newer than the orders with a story", o.OrderCode)
		}
	}
	result, err := desks(t, b.s).World.Reset(t.Context())
	if err != nil || result.Orders != further+50 {
		t.Fatalf("reset: %+v, %v", result, err)
	}
	after := listed()
	if len(after) != len(before) {
		t.Fatalf("%d orders after the reset, %d before", len(after), len(before))
	}
	for i := range after {
		if after[i].UUID != before[i].UUID || after[i].OrderCode != before[i].OrderCode {
			t.Fatalf("the %d. order is %s, it was %s", i+1, after[i].OrderCode, before[i].OrderCode)
		}
	}
	order, err := c.Orders.Get(context.Background(), after[len(after)-1].OrderCode)
	if err != nil || len(order.Missions) != 1 {
		t.Errorf("the oldest one: %+v, %v", order, err)
	}
	if _, err := c.Missions.Planning(t.Context(), order.Missions[0].UUID); api.IsStatus(err, http.StatusInternalServerError) {
		t.Error(err)
	}
}

// A server with 100,000 additional orders starts within seconds.
func BenchmarkDemoOrders(b *testing.B) {
	for b.Loop() {
		at := time.Now()
		s := &server.Server{Demo: true, DemoOrders: demodata.MaxOrders / 10}
		if err := s.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(demodata.MaxOrders/10)/time.Since(at).Seconds(), "orders/s")
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
