package api_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"flightdesk/api"
)

func TestContactReportsTheLastResponse(t *testing.T) {
	var gone atomic.Bool
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if gone.Load() {
			panic(http.ErrAbortHandler)
		}
		answer(w, http.StatusNotFound, `{"success":false,"message":"no","data":{"code":"not_found"}}`)
	})
	if n, err := c.Contact(); n != 0 || err != nil {
		t.Errorf("before the first request: %d, %v", n, err)
	}
	read := func(ctx context.Context) { _, _ = c.Webhooks.Get(ctx, "x") }
	read(t.Context())
	if n, err := c.Contact(); n != 1 || err != nil {
		t.Errorf("an answer that is an error counts as one: %d, %v", n, err)
	}
	gone.Store(true)
	left, leave := context.WithCancel(t.Context())
	leave()
	read(left)
	if n, err := c.Contact(); n != 1 || err != nil {
		t.Errorf("a request that nobody waits for says nothing: %d, %v", n, err)
	}
	_, _ = c.Orders.Create(t.Context(), api.CreateOrderRequest{}, "k")
	if n, err := c.Contact(); n != 1 || err == nil {
		t.Errorf("after a connection that broke: %d, %v", n, err)
	}
	gone.Store(false)
	read(t.Context())
	if n, err := c.Contact(); n != 2 || err != nil {
		t.Errorf("after one more answer: %d, %v", n, err)
	}
}

func TestAResponseOfSomethingElseIsReportedAsTrouble(t *testing.T) {
	body, kind := "404 page not found", "text/plain"
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(body))
	})
	if _, err := c.Orders.Get(t.Context(), "ORD-1"); err == nil || c.ServiceTrouble() != (api.Trouble{Status: http.StatusNotFound, Foreign: true}) {
		t.Errorf("%v, trouble %+v", err, c.ServiceTrouble())
	}
	body, kind = `{"success":false,"message":"no such order","data":{"code":"not_found"}}`, "application/json"
	if _, err := c.Orders.Get(t.Context(), "ORD-1"); err == nil || c.ServiceTrouble() != (api.Trouble{}) {
		t.Errorf("of the service's own 404: %v, trouble %+v", err, c.ServiceTrouble())
	}
}

func TestOnlyTheServiceRejectsAKey(t *testing.T) {
	body, kind := "<html>Log in to the proxy</html>", "text/html"
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(body))
	})
	for _, tt := range []struct {
		name, body, kind string
		isRejected       bool
	}{
		{"page of a proxy", "<html>Log in to the proxy</html>", "text/html", false},
		{"text of a proxy", "authentication required", "text/plain", false},
		{"JSON without a reason", `{}`, "application/json", false},
		{"service", `{"success":false,"message":"wrong key","data":{"code":"unauthenticated"}}`, "application/json", true},
	} {
		body, kind = tt.body, tt.kind
		_, err := c.Orders.Get(t.Context(), "ORD-1")
		if tt.kind == "text/html" && !strings.Contains(err.Error(), "a web page answered instead of the service") {
			t.Errorf("%s: %v", tt.name, err)
		}
		want := api.Trouble{Status: http.StatusUnauthorized, Foreign: !tt.isRejected}
		if api.IsKeyRejected(err) != tt.isRejected || c.ServiceTrouble() != want {
			t.Errorf("%s: %v, trouble %+v, want %+v", tt.name, err, c.ServiceTrouble(), want)
		}
	}
}
