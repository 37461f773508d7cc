package cache_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/cache"
)

// With the operations key, an account has the same data as with its own key: orders, missions and
// their parts, quotes, endpoints and logs. One request reads an order with all parts. Orders of
// other accounts are not found.
func TestAnAccountIsReadWithTheOperationsKey(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	answers := map[string]string{
		"/orders?account=a-1&limit=100": `{"data":[{"uuid":"o-1","orderCode":"ORD-1","status":"flyingDateSet","accountUid":"a-1"},{"uuid":"o-9","orderCode":"ORD-9","status":"deleted","accountUid":"a-1"}],"hasNextPage":false}`,
		"/orders/ORD-1": `{"uuid":"o-1","orderCode":"ORD-1","status":"flyingDateSet","accountUid":"a-1","missions":[{"uuid":"m-1","missionCode":"MSN-1","planning":[{"version":1}],` +
			`"flightPermission":{"status":"granted"},"packages":[{"uuid":"p-1","version":1}]}],"quotes":[{"quoteId":"q-1","uuid":"q-1","status":"accepted"},{"quoteId":"q-2","uuid":"q-2","status":"rejected"}]}`,
		"/orders/ORD-2":                      `{"uuid":"o-2","orderCode":"ORD-2","accountUid":"a-2"}`,
		"/accounts/a-1/webhooks?limit=100":   `{"data":[{"uuid":"w-1","url":"https://hooks.example"}],"hasNextPage":false}`,
		"/webhooks/w-1/deliveries?limit=100": `{"data":[{"uuid":"d-1","event":"mission.completed"}],"hasNextPage":false}`,
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.String())
		body, known := answers[r.URL.String()]
		if !known {
			w.WriteHeader(http.StatusNotFound)
			body = `{}`
		}
		fmt.Fprintf(w, `{"success":%t,"message":"","data":%s}`, known, body)
	}))
	defer srv.Close()
	desk, err := ops.NewClient(srv.URL, "a-key-of-operations")
	if err != nil {
		t.Fatal(err)
	}
	c := cache.NewOfAccount(desk, "a-1", func() time.Time { return noon })
	c.LoadNeeds(t.Context(), func() []cache.Need {
		needs := []cache.Need{c.Details.NeedOf("ORD-1"), c.Details.NeedOf("ORD-2"), c.Records.NeedOf("ORD-1"), c.Orders.NeedOf(cache.Account), c.Endpoints.NeedOf(cache.Account), c.Logs.NeedOf("w-1")}
		if o, _ := c.Details.Get("ORD-1"); o != nil {
			needs = append(needs, c.Planning.NeedOf("m-1"), c.Permissions.NeedOf("m-1"), c.Packages.NeedOf("m-1"))
		}
		return needs
	})
	for job := c.NextRead(); job != nil; job = c.NextRead() { // missions of listed orders
		job(t.Context())
	}
	planning, _ := c.Planning.Get("m-1")
	permission, _ := c.Permissions.Get("m-1")
	packages, _ := c.Packages.Get("m-1")
	record, _ := c.Records.Get("ORD-1")
	rows, _ := c.Logs.Get("w-1")
	if len(planning) != 1 || permission == nil || len(packages) != 1 || len(rows.Items) != 1 || record == nil || record.AcceptedQuote == nil || len(record.RejectedQuotes) != 1 {
		t.Errorf("planning %v, permission %v, packages %v, log %v, record %+v", planning, permission, packages, rows, record)
	}
	if v := c.Now(); len(v.Orders) != 1 || len(v.Missions) != 1 {
		t.Errorf("orders %v, missions %v", v.Orders, v.Missions)
	}
	if _, of := c.Details.Get("ORD-2"); !api.IsStatus(of.Err, http.StatusNotFound) {
		t.Errorf("an order of another account: %v", of.Err)
	}
	c.LoadNeeds(t.Context(), func() []cache.Need {
		return []cache.Need{c.Datasets.NeedOf(cache.Account), c.Recorded.NeedOf(cache.Account), c.Quoted.NeedOf(cache.Account), c.Files.NeedOf("p-1"), c.Purchased.NeedOf("p-1")}
	})
	_, datasets := c.Datasets.Get(cache.Account)
	_, recorded := c.Recorded.Get(cache.Account)
	_, quoted := c.Quoted.Get(cache.Account)
	_, files := c.Files.Get("p-1")
	_, purchased := c.Purchased.Get("p-1")
	for what, err := range map[string]error{"datasets": datasets.Err, "files": files.Err, "purchased": purchased.Err} {
		if err == nil || !strings.Contains(err.Error(), "use a key of the account") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if recorded.Err != nil || quoted.Err != nil {
		t.Errorf("records: %v; quotes: %v", recorded.Err, quoted.Err)
	}
	n := len(slices.DeleteFunc(asked, func(url string) bool { return !strings.HasPrefix(url, "/orders/ORD-1") }))
	if n > 2 {
		t.Errorf("one order with its parts took %d requests", n)
	}
}

// The parts of a mission can be read before its order.
func TestAMissionOfAnyAccountIsReadBeforeItsOrder(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/orders/m-1" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, `{"success":true,"message":"","data":{"uuid":"o-1","orderCode":"ORD-1","accountUid":"a-1","missions":`+
			`[{"uuid":"m-1","missionCode":"MSN-1","planning":[{"version":1}]}]}}`)
	}))
	defer srv.Close()
	desk, err := ops.NewClient(srv.URL, "a-key-of-operations")
	if err != nil {
		t.Fatal(err)
	}
	c := cache.NewOfAccount(desk, "a-1", func() time.Time { return noon })
	c.LoadNeeds(t.Context(), func() []cache.Need { return []cache.Need{c.Planning.NeedOf("m-1")} })
	if planning, is := c.Planning.Get("m-1"); len(planning) != 1 || is.Err != nil {
		t.Errorf("planning %v, %v", planning, is.Err)
	}
}
