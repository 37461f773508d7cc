package server_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
)

// Whatever the body of a request is, the service answers in the envelope and never with an internal
// error.
func FuzzBodies(f *testing.F) {
	s := start(f, &server.Server{})
	b := &bench{t: f, s: s, clock: newClock(time.Now())}
	p := b.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	key := b.issue(p.account, domain.KeySpec{Scopes: api.Scopes()})
	quoted := b.takenOver(api.OrderBiddingWithQuote, api.MissionAwaitingPilot)
	rejected := b.takenOver(api.OrderBiddingWithQuote, api.MissionAwaitingPilot)
	ended := b.takenOver(api.OrderPendingOperator, api.MissionAwaitingPilot)
	hook, asked, quote, dataset := b.furnish(p.account, quoted.uuid)
	// Operations that would change the service for all others get a separate service.
	aside := start(f, &server.Server{})
	desk := s.Ready().OpsKey
	other := aside.Ready().OpsKey
	operations := []struct{ method, path, key string }{
		{"POST", publicHandlers + "/orders", key.key},
		{"POST", publicHandlers + "/orders/" + p.uuid + "/archive", key.key},
		{"POST", publicHandlers + "/orders/" + p.uuid + "/reject", key.key},
		{"POST", publicHandlers + "/orders/" + p.uuid + "/cancel", key.key},
		{"POST", publicHandlers + "/webhooks", key.key},
		{"POST", opsPath + "/accounts", desk},
		{"PATCH", opsPath + "/accounts/" + p.account, desk},
		{"POST", opsPath + "/accounts/" + p.account + "/keys", desk},
		{"POST", opsPath + "/accounts/" + p.account + "/key-requests", desk},
		{"POST", opsPath + "/missions/" + p.mission[0] + "/assign-operator", desk},
		{"POST", opsPath + "/missions/" + p.mission[0] + "/schedule", desk},
		{"PUT", opsPath + "/missions/" + p.mission[0] + "/flight-permission", desk},
		{"POST", opsPath + "/missions/" + p.mission[0] + "/accept-delivery", desk},
		{"POST", opsPath + "/webhook-trust", desk},
		{"POST", opsPath + "/webhooks/" + hook + "/test", desk},
		{"POST", opsPath + "/key-requests/" + asked + "/decline", desk},
		{"POST", opsPath + "/orders/" + quoted.uuid + "/quotes", desk},
		{"PUT", opsPath + "/orders/" + quoted.uuid + "/details", desk},
		{"PUT", opsPath + "/orders/" + quoted.uuid + "/notifications", desk},
		{"POST", opsPath + "/orders/" + rejected.uuid + "/reject", desk},
		{"POST", opsPath + "/orders/" + ended.uuid + "/not-feasible", desk},
		{"POST", opsPath + "/accounts/" + p.account + "/datasets", desk},
		{"POST", server.LegacyPath + "/getorderslist", key.key},
		{"POST", server.LegacyPath + "/getorder/" + p.uuid, key.key},
		{"POST", server.LegacyPath + "/datalibraryorders", key.key},
		{"POST", server.LegacyPath + "/datalibraryorders/" + dataset, key.key},
		{"POST", server.LegacyPath + "/order/" + quoted.uuid + "/quote/" + quote, quoted.key},
		{"POST", opsPath + "/clock", other},
		{"PUT", opsPath + "/faults", other},
		{"POST", opsPath + "/reset", other},
		{"POST", opsPath + "/simulator", other},
	}
	others := len(operations) - 4
	for _, body := range []string{
		"{}", "null", "[]", `{"reason":"flooded"}`, `{"companyName":"A","currency":"EUR"}`, `{"scopes":["orders:read"],"expiresAt":"2030-01-01T00:00:00Z"}`,
		`{"operatorName":"Jørgen"}`, `{"flightDate":"2030-01-01T00:00:00+02:00","note":"n"}`, `{"status":"granted","validFrom":null}`,
		`{"intendedUse":"CI","scopes":["files:read"]}`, `{"certificate":"-----BEGIN CERTIFICATE-----\n"}`, `{"url":"https://a.example/"}`,
		`{"quoteName":"Q","deliveryBy":3,"priceBeforeDiscount":1e3,"expiryDate":"2090-01-01T00:00:00Z","discountPercent":12.5,"currency":"JPY"}`,
		`{"description":"d","pointOfContact":{"pocName":"Bo"},"advancedOption":{"flightHeight":80.5,"gcp":true}}`,
		`{"webhook":"https://a.example/x","email":true}`, `{"event":"mission.completed"}`, `{"status":"reject"}`, `{"confirm":true}`,
		`{"datasetName":"D","dateCompleted":"2026-01-31","categories":["a"],"locationMap":[{"lat":1,"lng":2}],"generate":false}`,
		`{"page":1,"limit":10,"fileDataType":["jpg"]}`, `{"advance":"36h"}`, `{"paused":true,"speed":1000,"step":true}`, `{"latency":"1ms","status":503,"rate":0.5,"path":"/orders"}`,
	} {
		for i := range operations {
			f.Add(uint8(i), []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, body []byte) {
		n := int(i) % len(operations)
		op := operations[n]
		on := s
		if n >= others {
			on = aside
		}
		r := httptest.NewRequest(op.method, op.path, bytes.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+op.key)
		w := httptest.NewRecorder()
		on.Handler().ServeHTTP(w, r)
		if w.Code >= http.StatusInternalServerError {
			t.Errorf("%s %s: %d %s", op.method, op.path, w.Code, w.Body)
		}
		theContract(t).checkAnswer(t, r, w.Result(), w.Body.Bytes())
	})
}

// furnish creates the objects that operations need: an endpoint, a key request and a dataset of an
// account, and a quote of an order. It returns their UUIDs.
func (b *bench) furnish(account, order string) (hook, request, quote, dataset string) {
	b.t.Helper()
	d := server.DomainOf(b.s)
	o := desks(b.t, b.s)
	ctx := context.Background()
	a, err := d.Accounts.Find(ctx, account)
	if err != nil {
		b.t.Fatal(err)
	}
	w, _, err1 := d.Callbacks.NewWebhook(ctx, &domain.Caller{Account: a}, api.CreateWebhookRequest{URL: "https://127.0.0.1:9/"})
	r, err2 := d.Accounts.RequestKey(ctx, a, "CI", api.Scopes())
	q, err3 := o.Quotes.Issue(ctx, order, ops.QuoteInput{
		QuoteName: "Q", DeliveryBy: 3, PriceBeforeDiscount: 10, ExpiryDate: api.TimeOf(b.clock.now().Add(1000 * time.Hour)),
	})
	set, err4 := o.Datasets.Add(ctx, account, ops.DatasetInput{DatasetName: "D"},
		api.FileInput{Name: "a.jpg", FileDataType: api.DeliverableJPG, Content: strings.NewReader("a")})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		b.t.Fatal(err)
	}
	return w.UUID, r.UUID, q.UUID, set.UUID
}
