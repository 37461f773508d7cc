package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// requests returns the logged requests that a query selects, newest first.
func (b *bench) requests(query string) []ops.LoggedRequest {
	b.t.Helper()
	r := b.ops("GET", "/requests?limit=100&"+query, nil)
	if r.status != http.StatusOK {
		b.t.Fatalf("requests: %d %s", r.status, r.raw)
	}
	return into[api.Page[ops.LoggedRequest]](b.t, r).Items
}

// Support sees which requests an account sent and how they were answered, also with invalid keys and
// links, but never a secret.
func TestRequestsOfAnAccountAreLogged(t *testing.T) {
	b := newBench(t)
	account := b.accountOf(b.alice)
	short := b.issue(account, domain.KeySpec{Scopes: []api.Scope{api.ScopeOrdersRead}, Expires: b.clock.now().Add(time.Hour)})
	revoked := b.issue(account, domain.KeySpec{Scopes: api.Scopes()})
	b.ops("POST", "/keys/"+revoked.uuid+"/revoke", nil)
	order := b.place(b.alice)
	issuedOf := func(key string) string {
		if key == revoked.key {
			return revoked.uuid
		}
		return short.uuid
	}
	for _, c := range []struct {
		method, path, key string
		status            int
		code              api.ErrorCode
	}{
		{"GET", publicHandlers + "/orders/" + order.OrderCode + "?secret=1", short.key, 200, ""},
		{"POST", publicHandlers + "/webhooks", short.key, 403, api.CodeMissingScope},
		{"GET", publicHandlers + "/orders", revoked.key, 401, api.CodeKeyRevoked},
		{"GET", publicHandlers + "/order", short.key, 404, api.CodeNotFound}, // no route, so no scope is required
		{"PUT", publicHandlers + "/orders", short.key, 405, api.CodeMethodNotAllowed},
		{"POST", server.LegacyPath + "/getorder/" + order.UUID, short.key, 200, ""},
	} {
		before := len(b.requests("account=" + account))
		send := b.call
		if strings.HasPrefix(c.path, server.LegacyPath) {
			send = func(_, path, key string, body any, header ...string) reply {
				return b.legacy(strings.TrimPrefix(path, server.LegacyPath), key, body.(string), header...)
			}
		}
		reply := send(c.method, c.path, c.key, "{}", "X-Request-Id", "ticket-1")
		if reply.status != c.status {
			t.Fatalf("%s %s: %d %s", c.method, c.path, reply.status, reply.raw)
		}
		after := b.requests("account=" + account)
		if len(after) != before+1 {
			t.Errorf("%s %s: %d rows after %d", c.method, c.path, len(after), before)
			continue
		}
		got := after[0]
		path, _, _ := strings.Cut(c.path, "?")
		if got.Method != c.method || got.Path != path || got.Status != c.status || got.Code != c.code ||
			got.KeyUID != issuedOf(c.key) || got.AccountUID != account || got.Address != "127.0.0.1" || got.RequestID != "ticket-1" {
			t.Errorf("%+v\nwant %+v", got, c)
		}
		if want := c.key[len(c.key)-4:]; got.KeyHint != want {
			t.Errorf("the key ends in %s, not %s", got.KeyHint, want)
		}
	}
	b.clock.advance(time.Hour)
	b.call("GET", publicHandlers+"/orders", short.key, nil)
	if got := b.requests("account=" + account)[0]; got.Code != api.CodeKeyExpired || got.KeyUID != short.uuid {
		t.Errorf("an expired key: %+v", got)
	}
	for _, key := range []string{domain.NewKey(), "nonsense", ""} {
		b.call("GET", publicHandlers+"/orders", key, nil)
		if got := b.requests("account=none")[0]; got.Code != api.CodeUnauthenticated || got.AccountUID != "" || got.KeyUID != "" || got.KeyHint != "" {
			t.Errorf("the key %q: %+v", key, got)
		}
	}
	if n := len(b.requests("account=none")); n != 3 {
		t.Errorf("%d requests of nobody", n)
	}
}

// An invalid link is logged with its account and the real reason.
func TestRefusedLinksAreLoggedWithTheirReason(t *testing.T) {
	b := newBench(t)
	p, list := b.delivered(content{"map.tif", api.DeliverableJPG, "content of the map"})
	link := list[0].DownloadURL
	token := strings.Split(strings.TrimPrefix(link, b.origin), "/")[2]
	b.fetch("GET", link)
	b.fetch("GET", strings.Replace(link, "map.tif", "other.tif", 1))
	b.clock.advance(25 * time.Hour)
	b.fetch("GET", link)
	files := func(query string) (all []ops.LoggedRequest) {
		for _, r := range b.requests(query) {
			if strings.HasPrefix(r.Path, "/files/") {
				all = append(all, r)
			}
			if strings.Contains(r.Path, token) {
				t.Errorf("the token is in %s", r.Path)
			}
		}
		return all
	}
	of := files("account=" + p.account)
	if len(of) != 2 || of[0].Code != api.CodeLinkExpired || of[0].Status != 403 || of[1].Status != 200 || of[0].Path != "/files/…/map.tif" {
		t.Errorf("%+v", of)
	}
	if nobodys := files("account=none"); len(nobodys) != 1 || nobodys[0].Code != api.CodeNotYourResource {
		t.Errorf("an altered link: %+v", nobodys)
	}
	if about := files("about=" + p.uuid); len(about) != 2 {
		t.Errorf("about its order: %+v", about)
	}
}

// Requests are found by order, mission, code, key, time and request ID.
func TestRequestsAreFiltered(t *testing.T) {
	b := newBench(t)
	order := b.place(b.alice)
	other := b.place(b.bob)
	b.clock.advance(time.Hour)
	detail := into[api.Order](t, b.call("GET", publicHandlers+"/orders/"+order.OrderCode, b.alice, nil, "X-Request-Id", "one"))
	mission := detail.Missions[0]
	b.call("GET", publicHandlers+"/missions/"+mission.UUID+"/planning", b.alice, nil, "X-Request-Id", "two")
	b.call("GET", publicHandlers+"/missions/"+mission.UUID+"/planning", b.bob, nil, "X-Request-Id", "three")
	b.call("GET", publicHandlers+"/orders", b.alice, nil, "X-Request-Id", "four")
	ids := func(query string) string {
		var all []string
		for _, r := range b.requests(query) {
			all = append(all, r.RequestID)
		}
		return strings.Join(all, " ")
	}
	since := "since=" + b.clock.now().UTC().Format(time.RFC3339)
	for query, want := range map[string]string{
		since:                                                   "four three two one",
		since + "&about=" + order.OrderCode:                     "three two one",
		since + "&about=" + order.UUID:                          "three two one",
		"about=" + mission.MissionCode:                          "three two",
		"about=" + mission.UUID:                                 "three two",
		since + "&about=" + other.OrderCode:                     "",
		since + "&account=" + b.accountOf(b.bob):                "three",
		since + "&failed=true":                                  "three",
		since + "&reads=false":                                  "three",
		since + "&reads=true":                                   "four three two one",
		"code=" + string(api.CodeNotYourResource):               "three",
		"requestId=four":                                        "four",
		since + "&failed=false&account=" + b.accountOf(b.alice): "four two one",
	} {
		if got := ids(query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if all := b.requests("about=" + order.OrderCode); len(all) != 4 || all[3].Method != http.MethodPost || all[3].Status != 201 {
		t.Errorf("the order's creation is not found: %+v", all)
	}
	for query, field := range map[string]string{"failed=maybe": "failed", "reads=maybe": "reads", "since=yesterday": "since"} {
		if r := b.ops("GET", "/requests?"+query, nil); r.status != 400 || r.fields()[0] != field {
			t.Errorf("%s: %d %s", query, r.status, r.raw)
		}
	}
	for _, query := range []string{"account=" + mission.UUID, "about=ORD-1", "about=MSN-1", "about=x"} {
		if r := b.ops("GET", "/requests?"+query, nil); r.status != 404 {
			t.Errorf("%s: %d %s", query, r.status, r.raw)
		}
	}
	b.legacy("/getorder/"+order.UUID, b.alice, "{}")
	client := desks(t, b.s)
	if got := gather(t, client.Requests.All(t.Context(), ops.RequestFilter{Failed: true, Account: b.accountOf(b.bob)})); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	changes := gather(t, client.Requests.All(t.Context(), ops.RequestFilter{NoReads: true, About: order.UUID}))
	if len(changes) != 2 || changes[0].RequestID != "three" || changes[1].Method != http.MethodPost {
		t.Errorf("changes and failures: %+v", changes)
	}
	b.legacy("/getorderslist", b.alice, "")
	b.legacy("/datalibraryorders", b.alice, "")
	quote := b.quote(order.UUID, 100)
	b.legacy("/order/"+order.UUID+"/quote/"+quote.UUID, b.alice, `{"status":"accept"}`)
	var paths []string
	for _, r := range gather(t, client.Requests.All(t.Context(), ops.RequestFilter{NoReads: true})) {
		if strings.HasPrefix(r.Path, "/api/v2/") {
			paths = append(paths, r.Path)
		}
	}
	if len(paths) != 1 || !strings.HasSuffix(paths[0], "/quote/"+quote.UUID) {
		t.Errorf("of the v2 API %q are listed", paths)
	}
}

// Requests are stored for 30 days, up to a maximum number per account.
func TestOldRequestsAreDeleted(t *testing.T) {
	b := newBench(t)
	d := server.DomainOf(b.s)
	note := func(id string) domain.LoggedRequest {
		return domain.LoggedRequest{Request: store.Request{Created: b.clock.now(), AccountID: 1, RequestID: id}}
	}
	all := func(*domain.LoggedRequest) bool { return true }
	ctx := context.Background()
	var old []domain.LoggedRequest
	for range 2500 {
		old = append(old, note("old"))
	}
	if err := d.Requests.Record(ctx, old, all); err != nil {
		t.Fatal(err)
	}
	b.clock.advance(30*24*time.Hour + time.Second)
	if err := d.Requests.Record(ctx, []domain.LoggedRequest{note("new")}, all); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Requests.Drop(ctx); err != nil { // the service itself may have dropped some
		t.Error(err)
	}
	if left := b.requests(""); len(left) != 1 || left[0].RequestID != "new" {
		t.Errorf("%+v", left)
	}
	if n, err := d.Store.DropRequests(ctx, time.Time{}, 0); n != 1 || err != nil {
		t.Errorf("beyond the newest %d are dropped: %v", n, err)
	}
}

// A flood of invented keys does not fill the log, and the metrics count the logged requests.
func TestLoggedRequestsOfUnknownKeysAreLimited(t *testing.T) {
	b := newBench(t)
	for range server.MaxUnknownOfAddress + 50 {
		b.call("GET", publicHandlers+"/orders", "nonsense", nil)
	}
	client := desks(t, b.s)
	got := gather(t, client.Requests.All(t.Context(), ops.RequestFilter{Account: ops.NoAccount}))
	if len(got) != server.MaxUnknownOfAddress {
		t.Errorf("%d requests are kept", len(got))
	}
	if r := b.call("GET", "/metrics", b.s.OpsKey, nil); !strings.Contains(string(r.raw), `flightdesk_request_log_total{result="dropped"} 0`) {
		t.Error("the metrics do not count what is dropped")
	}
}
