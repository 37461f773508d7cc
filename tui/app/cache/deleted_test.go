package cache_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
)

// Deleted orders that only the v2 API has are left out.
func TestDeletedOrdersAreNotShown(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "getorderslist") {
			fmt.Fprint(w, `[{"id":"o-2","orderStatus":"reviewing"},{"id":"o-1","orderStatus":"deleted"}]`)
			return
		}
		fmt.Fprint(w, `{"success":true,"message":"","data":{"data":[],"nextCursor":null,"hasNextPage":false}}`)
	}))
	t.Cleanup(web.Close)
	client, err := api.NewClient(web.URL, api.WithKey("fd_test_key"), api.WithLegacyURL(web.URL))
	if err != nil {
		t.Fatal(err)
	}
	c := cache.New(client, time.Now)
	c.LoadNeeds(t.Context(), func() []cache.Need { return []cache.Need{c.Orders.NeedOf(cache.Account)} })
	c.LoadNeeds(t.Context(), c.AllRecords)
	if only := c.OnlyRecords(); len(only) != 1 || only[0].UUID != "o-2" || c.IsOnlyRecord("o-1") {
		t.Errorf("%+v", only)
	}
}

// The public API is asked once for an order that only the v2 API has, and again when the user refreshes.
func TestAnOrderOfTheV2APIIsNotRequestedAgain(t *testing.T) {
	requests := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "getorderslist"):
			fmt.Fprint(w, `[{"id":"o-2","orderCode":"ORD-2","orderStatus":"reviewing"}]`)
		case strings.HasPrefix(r.URL.Path, "/orders/"):
			requests++
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"success":false,"message":"no such order","data":{"code":"not_found"}}`)
		default:
			fmt.Fprint(w, `{"success":true,"message":"","data":{"data":[],"nextCursor":null,"hasNextPage":false}}`)
		}
	}))
	t.Cleanup(web.Close)
	client, err := api.NewClient(web.URL, api.WithKey("fd_test_key"), api.WithLegacyURL(web.URL))
	if err != nil {
		t.Fatal(err)
	}
	now := noon
	c := cache.New(client, func() time.Time { return now })
	c.LoadNeeds(t.Context(), func() []cache.Need { return []cache.Need{c.Orders.NeedOf(cache.Account)} })
	c.LoadNeeds(t.Context(), c.AllRecords)
	need := c.Details.NeedOf("ORD-2")
	for _, page := range []string{"list", "order", "quotes"} {
		now = now.Add(time.Hour)
		c.MarkChanged()
		c.SetPageNeeds(page, need)
		readAll(t.Context(), c)
		if _, err := c.Details.LoadNow(t.Context(), "ORD-2"); !api.IsStatus(err, http.StatusNotFound) {
			t.Error(err)
		}
	}
	if requests != 1 {
		t.Errorf("%d requests", requests)
	}
	c.RefreshNeeds(need)
	readAll(t.Context(), c)
	if requests != 2 {
		t.Errorf("%d requests after a refresh", requests)
	}
}
