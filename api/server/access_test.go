package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
)

func TestKeys(t *testing.T) {
	b := newBench(t)
	account := b.accountOf(b.alice)
	short := b.issue(account, domain.KeySpec{Scopes: api.Scopes(), Expires: b.clock.now().Add(time.Hour)})
	revoked := b.issue(account, domain.KeySpec{Scopes: api.Scopes()})
	if _, err := server.DomainOf(b.s).Accounts.RevokeKey(context.Background(), revoked.uuid); err != nil {
		t.Fatal(err)
	}
	const auth, own = "Authorization", "X-Api-Key"
	for _, c := range []struct {
		name   string
		header []string
		want   int
	}{
		{"none", nil, 401},
		{"bearer", []string{auth, "Bearer " + b.alice}, 200},
		{"bearer in lower case", []string{auth, "bearer " + b.alice}, 200},
		{"x-api-key", []string{own, b.alice}, 200},
		{"both the same", []string{auth, "Bearer " + b.alice, own, b.alice}, 200},
		{"both, different", []string{auth, "Bearer " + b.alice, own, b.bob}, 401},
		{"both, one malformed", []string{auth, "Bearer " + b.alice, own, "x"}, 401},
		{"both, one empty", []string{auth, "Bearer " + b.alice, own, ""}, 401},
		{"empty bearer beside a key", []string{auth, "Bearer ", own, b.alice}, 401},
		{"two bearers", []string{auth, "Bearer " + b.alice, auth, "Bearer " + b.bob}, 401},
		{"basic", []string{auth, "Basic " + b.alice}, 401},
		{"no scheme", []string{auth, b.alice}, 401},
		{"malformed", []string{auth, "Bearer fd_test_short"}, 401},
		{"made up", []string{auth, "Bearer fd_test_" + strings.Repeat("A", 43)}, 401},
		{"the operations key", []string{auth, "Bearer " + b.s.Ready().OpsKey}, 401},
		{"not yet expired", []string{own, short.key}, 200},
		{"revoked", []string{own, revoked.key}, 401},
	} {
		r := b.call("GET", publicHandlers+"/orders", "", nil, c.header...)
		if r.status != c.want {
			t.Errorf("%s: %d, want %d", c.name, r.status, c.want)
		}
		code := api.CodeUnauthenticated
		if c.name == "revoked" {
			code = api.CodeKeyRevoked
		}
		if c.want == 401 && (r.fault.Code != code || r.header.Get("WWW-Authenticate") == "") {
			t.Errorf("%s: %s %v", c.name, r.raw, r.header)
		}
	}
	b.clock.advance(time.Hour)
	wantFault(t, "a key at its expiry", b.call("GET", publicHandlers+"/orders", short.key, nil), 401, api.CodeKeyExpired)
}

func TestRevokedKeyStopsAtOnce(t *testing.T) {
	b := newBench(t)
	k := b.issue(b.accountOf(b.alice), domain.KeySpec{Scopes: api.Scopes()})
	if r := b.call("GET", publicHandlers+"/orders", k.key, nil); r.status != 200 {
		t.Fatalf("before: %d", r.status)
	}
	if _, err := server.DomainOf(b.s).Accounts.RevokeKey(context.Background(), k.uuid); err != nil {
		t.Fatal(err)
	}
	if r := b.call("GET", publicHandlers+"/orders", k.key, nil); r.status != 401 {
		t.Errorf("after: %d", r.status)
	}
}

func TestEveryOperationNeedsItsScope(t *testing.T) {
	b := newBench(t)
	account := b.accountOf(b.alice)
	scopes := map[string]api.Scope{
		"POST " + publicHandlers + "/kml/parse":             api.ScopeOrdersWrite,
		"POST " + publicHandlers + "/csv/parse":             api.ScopeOrdersWrite,
		"GET " + publicHandlers + "/csv/example":            api.ScopeOrdersWrite,
		"POST " + publicHandlers + "/orders":                api.ScopeOrdersWrite,
		"GET " + publicHandlers + "/orders":                 api.ScopeOrdersRead,
		"GET " + publicHandlers + "/orders/{code}":          api.ScopeOrdersRead,
		"GET " + publicHandlers + "/orders/{code}/missions": api.ScopeOrdersRead,

		"POST " + publicHandlers + "/webhooks":                  api.ScopeWebhooksWrite,
		"GET " + publicHandlers + "/webhooks":                   api.ScopeWebhooksRead,
		"GET " + publicHandlers + "/webhooks/{uuid}":            api.ScopeWebhooksRead,
		"DELETE " + publicHandlers + "/webhooks/{uuid}":         api.ScopeWebhooksWrite,
		"GET " + publicHandlers + "/webhooks/{uuid}/deliveries": api.ScopeWebhooksRead,
	}
	for path, scope := range map[string]api.Scope{
		"/missions/{uuid}/planning":          api.ScopeOrdersRead,
		"/missions/{uuid}/flight-permission": api.ScopeOrdersRead,
		"/missions/{uuid}/delivery-packages": api.ScopeFilesRead,
		"/delivery-packages/{uuid}/files":    api.ScopeFilesRead,
	} {
		scopes["GET "+publicHandlers+path] = scope
	}
	for _, method := range []string{"POST", "PUT", "PATCH"} {
		for _, verb := range []string{"cancel", "archive", "reject"} {
			scopes[method+" "+publicHandlers+"/orders/{uuid}/"+verb] = api.ScopeOrdersWrite
		}
	}
	checked := 0
	for _, op := range server.Operations(b.s) {
		if !strings.HasPrefix(op[1], publicHandlers) {
			continue
		}
		scope, ok := scopes[op[0]+" "+op[1]]
		if !ok {
			t.Errorf("no scope is specified here for %v", op)
		}
		var others []api.Scope
		for _, s := range api.Scopes() {
			if s != scope {
				others = append(others, s)
			}
		}
		k := b.issue(account, domain.KeySpec{Scopes: others})
		path := strings.NewReplacer("{code}", "ORD-1", "{uuid}", "x").Replace(op[1])
		r := b.call(op[0], path, k.key, nil)
		if r.status != http.StatusForbidden || r.fault.Code != api.CodeMissingScope {
			t.Errorf("%v without %s: %d %s", op, scope, r.status, r.raw)
		}
		checked++
	}
	if checked != len(scopes) {
		t.Errorf("%d operations checked of %d", checked, len(scopes))
	}
}

func TestAnOrderIsShownOnlyToItsOwner(t *testing.T) {
	b := newBench(t)
	order := b.place(b.alice)
	for _, tail := range []string{"", "/missions"} {
		path := publicHandlers + "/orders/" + order.OrderCode + tail
		if r := b.call("GET", path, b.alice, nil); r.status != 200 {
			t.Errorf("%s for its owner: %d", path, r.status)
		}
		if r := b.call("GET", path, b.bob, nil); r.status != 403 || r.fault.Code != api.CodeNotYourResource {
			t.Errorf("%s for another: %d %s", path, r.status, r.raw)
		}
		if r := b.call("GET", path+"?limit=0", b.bob, nil); r.status != 403 {
			t.Errorf("%s for another, with a fault: %d", path, r.status)
		}
	}
	for _, code := range []string{"ORD-1", "ORD-", "MSN-300501", "nope", "%00", "%2e%2e", "ORD-100201%2fmissions", "%ff"} {
		if r := b.call("GET", publicHandlers+"/orders/"+code, b.alice, nil); r.status != 404 || r.fault.Code != api.CodeNotFound {
			t.Errorf("%q: %d %s", code, r.status, r.raw)
		}
	}
}
