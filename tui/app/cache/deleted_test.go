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
