package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"flightdesk/api"
)

// BenchmarkObserved reads a page of a hundred orders over the loopback, with and
// without an observer.
func BenchmarkObserved(b *testing.B) {
	item := `{"uuid":"5f0c81d2-0000-4000-8000-000000000000","orderCode":"ORD-100241","orderName":"Levee","status":"flyingDateSet","deadline":"2026-12-01T00:00:00+01:00"}`
	body := `{"success":true,"message":"","data":{"data":[` + strings.Repeat(item+",", 99) + item + `],"nextCursor":null,"hasNextPage":false}}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, body) }))
	defer srv.Close()
	for name, observe := range map[string]func(api.Exchange){"without": nil, "with": func(api.Exchange) {}} {
		b.Run(name, func(b *testing.B) {
			c, err := api.NewClient(srv.URL, api.WithKey(testKey), api.WithObserver(observe))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := c.Orders.List(context.Background(), api.ListOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
