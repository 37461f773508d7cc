package server_test

import (
	"slices"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// unplanned is the order of the demo without missions.
const unplanned = "ORD-100200"

// An order whose sites are still to be agreed is in the v2 API and in the operations API, but not in
// the public API.
func TestAnOrderWithoutMissionsExistsOnlyInTheV2API(t *testing.T) {
	b := newBenchOn(t, &server.Server{Demo: true})
	key := b.s.Accounts()[0].Key
	listed := into[api.Page[api.Order]](t, b.call("GET", publicHandlers+"/orders?limit=100", key, nil))
	if len(listed.Items) < 15 || slices.ContainsFunc(listed.Items, func(o api.Order) bool { return o.OrderCode == unplanned || *o.MissionCount == 0 }) {
		t.Errorf("the public API lists %d orders, with this one", len(listed.Items))
	}
	records := into[[]api.OrderRecord](t, b.legacy("/getorderslist", key, ""))
	records = slices.DeleteFunc(records, func(r api.OrderRecord) bool { return r.OrderStatus == api.RecordDeleted })
	i := slices.IndexFunc(records, func(r api.OrderRecord) bool { return r.OrderCode == unplanned })
	if len(records) != len(listed.Items)+1 || i < 0 || records[i].OrderStatus != api.RecordQuoteReceived || len(records[i].LocationMap) != 0 || *records[i].AreaSize == 0 {
		t.Fatalf("%d records, this one is number %d", len(records), i)
	}
	uuid := records[i].ID
	for _, path := range []string{"/orders/" + unplanned, "/orders/" + unplanned + "/missions"} {
		if r := b.call("GET", publicHandlers+path, key, nil); r.status != 404 || !strings.Contains(r.Message, "only in the v2 API") {
			t.Errorf("%s: %d %s", path, r.status, r.Message)
		}
	}
	for move, body := range map[string]any{"cancel": nil, "archive": map[string]string{"reason": "none"}, "reject": map[string]string{"reason": "none"}} {
		if r := b.call("POST", publicHandlers+"/orders/"+uuid+"/"+move, key, body); r.status != 404 {
			t.Errorf("%s: %d %s", move, r.status, r.Message)
		}
	}
	if r := b.call("GET", publicHandlers+"/orders/"+unplanned, b.s.Accounts()[1].Key, nil); r.status != 403 {
		t.Errorf("for another account: %d", r.status)
	}

	record := into[api.OrderRecord](t, b.legacy("/getorder/"+unplanned, key, "")) // one of its quotes has expired
	if len(record.Quotes) != 2 || len(record.RejectedQuotes) == 0 || record.LocationMaps == nil {
		t.Fatalf("%+v", record)
	}
	if r := b.legacy("/order/"+uuid+"/quote/"+record.Quotes[0].QuoteID, key, `{"status": "accept"}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	own := into[ops.Order](t, b.ops("GET", "/orders/"+unplanned, nil))
	if own.Status != api.OrderPendingOperator || own.Missions == nil || len(own.Missions) != 0 || own.SuggestQuote(20, b.clock.now()).PriceBeforeDiscount < 1000 {
		t.Errorf("%+v", own)
	}
	if r := b.ops("GET", "/orders?account="+b.accountOf(key)+"&limit=100", nil); !strings.Contains(string(r.raw), unplanned) {
		t.Error("the operations API does not list it")
	}
	if r := b.ops("POST", "/orders/"+uuid+"/not-feasible", map[string]string{"reason": "no permission for the shore"}); r.status != 200 {
		t.Errorf("%d %s", r.status, r.raw)
	}
	if got := into[api.OrderRecord](t, b.legacy("/getorder/"+uuid, key, "")); got.OrderStatus != "orderNotFeasible" {
		t.Errorf("%+v", got)
	}
}
