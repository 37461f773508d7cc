package api_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
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
	for _, tt := range []struct {
		name, body, kind string
		isRejected       bool
	}{
		{"page of a proxy", "<html>Log in to the proxy</html>", "text/html", false},
		{"XHTML page of a proxy", "<html>Log in to the proxy</html>", "application/xhtml+xml; charset=utf-8", false},
		{"text of a proxy", "authentication required", "text/plain", false},
		{"JSON without a reason", `{}`, "application/json", false},
		{"service", `{"success":false,"message":"wrong key","data":{"code":"unauthenticated"}}`, "application/json", true},
	} {
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", tt.kind)
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(tt.body))
		}))
		t.Cleanup(proxy.Close)
		c, err := api.NewClient(proxy.URL, api.WithLegacyURL(proxy.URL), api.WithKey(testKey))
		if err != nil {
			t.Fatal(err)
		}
		_, publicErr := c.Orders.Get(t.Context(), "ORD-1")
		checkKeyRejection(t, c, "public API: "+tt.name, publicErr, tt.isRejected)
		_, legacyErr := c.Records.List(t.Context(), api.RecordListOptions{})
		checkKeyRejection(t, c, "v2 API: "+tt.name, legacyErr, tt.isRejected)
		isPage := strings.Contains(tt.kind, "html")
		if strings.Contains(fmt.Sprint(publicErr), "a web page answered instead of the service") != isPage {
			t.Errorf("%s: %v", tt.name, publicErr)
		}
	}
}

// checkKeyRejection checks that the error of a 401 and the trouble of the connection agree about the key.
func checkKeyRejection(t *testing.T, c *api.Client, name string, err error, isRejected bool) {
	t.Helper()
	want := api.Trouble{Status: http.StatusUnauthorized, Foreign: !isRejected}
	if api.IsKeyRejected(err) != isRejected || c.ServiceTrouble() != want {
		t.Errorf("%s: %v, trouble %+v, want %+v", name, err, c.ServiceTrouble(), want)
	}
}

// Proxies use statuses that have no standard text.
func TestTheMessageOfAForeignResponseIsComplete(t *testing.T) {
	for _, tt := range []struct{ kind, body, want string }{
		{"text/html", "<html>", "read order: a web page answered instead of the service (HTTP 520)"},
		{"text/plain", "", "read order: not in the service's format: text/plain (HTTP 520)"},
		{"text/plain", "origin down", "read order: not in the service's format: text/plain: origin down (HTTP 520)"},
		{"application/json", "{}", "read order: no reason given (HTTP 520)"},
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", tt.kind)
			w.WriteHeader(520)
			_, _ = w.Write([]byte(tt.body))
		})
		if _, err := c.Orders.Get(t.Context(), "ORD-1"); fmt.Sprint(err) != tt.want {
			t.Errorf("%s %q: %v", tt.kind, tt.body, err)
		}
	}
}
