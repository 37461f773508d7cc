package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
)

const opsPath = server.OpsPath

// ops calls the operations API.
func (b *bench) ops(method, path string, body any, header ...string) reply {
	b.t.Helper()
	return b.call(method, opsPath+path, b.s.Ready().OpsKey, body, header...)
}

// desks returns a client of the operations API in this process.
func desks(t testing.TB, s *server.Server) *ops.Client {
	t.Helper()
	o, err := ops.NewClient(s.OpsURL(), s.Ready().OpsKey, api.WithTransport(server.Direct(s)))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOpsNeedsItsOwnKey(t *testing.T) {
	b := newBench(t)
	key := b.s.Ready().OpsKey
	for _, op := range server.Operations(b.s) {
		if !strings.HasPrefix(op[1], opsPath) {
			continue
		}
		path := strings.ReplaceAll(op[1], "{uuid}", "x")
		for what, header := range map[string][]string{
			"nothing": nil, "an API key": {"Authorization", "Bearer " + b.alice}, "x-api-key": {"X-Api-Key", key},
			"a part of it": {"Authorization", "Bearer " + key[:len(key)-1]}, "basic": {"Authorization", "Basic " + key},
			"two": {"Authorization", "Bearer " + key, "Authorization", "Bearer x"},
		} {
			wantFault(t, op[0]+" "+op[1]+" with "+what, b.call(op[0], path, "", nil, header...), 401, api.CodeUnauthenticated)
		}
	}
}

func TestAccounts(t *testing.T) {
	s := start(t, &server.Server{})
	o := desks(t, s)
	ctx := context.Background()
	made, err := o.Accounts.Create(ctx, ops.AccountInput{CompanyName: "Äolus", ClientName: "Ada", ClientEmail: "ada@example.com"})
	if err != nil || made.UUID == "" || made.Currency != "USD" {
		t.Fatalf("%+v, %v", made, err)
	}
	name := ""
	currency := "CHF"
	changed, err := o.Accounts.Change(ctx, made.UUID, ops.AccountChange{ClientName: &name, Currency: &currency})
	if err != nil || changed.ClientName != "" || changed.Currency != "CHF" || changed.ClientEmail != "ada@example.com" {
		t.Errorf("%+v, %v", changed, err)
	}
	for i := range 24 {
		if _, err := o.Accounts.Create(ctx, ops.AccountInput{CompanyName: fmt.Sprint("Company ", i), Currency: "EUR"}); err != nil {
			t.Fatal(err)
		}
	}
	first, err := o.Accounts.List(ctx, api.ListOptions{})
	if err != nil || len(first.Items) != 20 || first.Items[0].CompanyName != "Company 23" || !first.HasNextPage {
		t.Fatalf("%+v, %v", first, err)
	}
	rest, err := o.Accounts.List(ctx, api.ListOptions{Cursor: *first.NextCursor})
	if err != nil || len(rest.Items) != 5 || rest.Items[4].UUID != made.UUID || rest.HasNextPage {
		t.Errorf("%+v, %v", rest, err)
	}
}

func TestInvalidAccounts(t *testing.T) {
	b := newBench(t)
	for body, field := range map[string]string{
		`{}`: "companyName", `{"companyName":" "}`: "companyName", `{"companyName":"A","currency":"euro"}`: "currency",
		`{"companyName":"A","clientEmail":"Ada <ada@example.com>"}`: "clientEmail", `{"companyName":"A","clientEmail":"ada"}`: "clientEmail",
		`{"companyName":"A","clientName":"` + strings.Repeat("x", 201) + `"}`: "clientName", `{"companyName":"A","vip":true}`: "vip",
	} {
		r := b.ops("POST", "/accounts", body)
		wantFault(t, body, r, 400, api.CodeValidationFailed)
		if !slices.Equal(r.fields(), []string{field}) {
			t.Errorf("%s: faults at %v", body, r.fields())
		}
	}
	if r := b.ops("POST", "/accounts", `{"companyName":"A","clientName":null,"clientEmail":"","currency":null}`); r.status != 201 {
		t.Errorf("optional fields without a value: %d %s", r.status, r.raw)
	}
	wantFault(t, "no account", b.ops("PATCH", "/accounts/nope", `{`), 404, api.CodeNotFound)
	wantFault(t, "another currency", b.ops("PATCH", "/accounts/"+b.accountOf(b.alice), `{"currency":"eur"}`), 400, api.CodeValidationFailed)
}

func TestOperationsManagesKeys(t *testing.T) {
	b := newBench(t)
	account := "/accounts/" + b.accountOf(b.alice)
	until := b.clock.now().Add(time.Hour)
	r := b.ops("POST", account+"/keys", ops.KeyInput{Scopes: []api.Scope{api.ScopeOrdersRead}, Description: "CI", ExpiresAt: api.TimeOf(until)})
	k := into[ops.AccountKey](t, r)
	if r.status != 201 || k.Key == "" || k.Hint != k.Key[len(k.Key)-4:] || !k.ExpiresAt.Equal(until.Truncate(time.Millisecond)) || !k.RevokedAt.IsZero() {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if r := b.call("GET", publicHandlers+"/orders", k.Key, nil); r.status != 200 {
		t.Errorf("a fresh key: %d %s", r.status, r.raw)
	}
	list := b.ops("GET", account+"/keys", nil)
	if bytes.Contains(list.raw, []byte(k.Key)) || bytes.Contains(list.raw, []byte(`"key"`)) {
		t.Errorf("the list shows the key: %s", list.raw)
	}
	if page := into[api.Page[ops.AccountKey]](t, list); len(page.Items) != 2 || page.Items[0].UUID != k.UUID || page.Items[0].Description != "CI" {
		t.Errorf("%s", list.raw)
	}
	revoked := into[ops.AccountKey](t, b.ops("POST", "/keys/"+k.UUID+"/revoke", nil))
	wantFault(t, "a revoked key", b.call("GET", publicHandlers+"/orders", k.Key, nil), 401, api.CodeKeyRevoked)
	b.clock.advance(time.Minute)
	if again := into[ops.AccountKey](t, b.ops("POST", "/keys/"+k.UUID+"/revoke", "{}")); again.RevokedAt != revoked.RevokedAt || again.RevokedAt.IsZero() {
		t.Errorf("revoked %v, then %v", revoked.RevokedAt, again.RevokedAt)
	}
	wantFault(t, "no key", b.ops("POST", "/keys/nope/revoke", nil), 404, api.CodeNotFound)
	wantFault(t, "no account", b.ops("POST", "/accounts/nope/keys", "{"), 404, api.CodeNotFound)
	for _, body := range []string{
		`{}`, `{"scopes":[]}`, `{"scopes":["orders:delete"]}`, `{"scopes":["orders:read"],"expiresAt":"2026-03-14T09:00:00Z"}`,
	} {
		wantFault(t, body, b.ops("POST", account+"/keys", body), 400, api.CodeValidationFailed)
	}
}

func TestKeyRequestsAreDecidedOnce(t *testing.T) {
	s := start(t, &server.Server{})
	o := desks(t, s)
	ctx := context.Background()
	account, err := o.Accounts.Create(ctx, ops.AccountInput{CompanyName: "Äolus"})
	if err != nil {
		t.Fatal(err)
	}
	ask := func() *ops.KeyRequest {
		r, err := o.Keys.Request(ctx, account.UUID, ops.KeyRequestInput{IntendedUse: "nightly import", Scopes: []api.Scope{api.ScopeOrdersRead}})
		if err != nil || r.Status != ops.KeyRequestPending || r.AccountUID != account.UUID || !r.DecidedAt.IsZero() {
			t.Fatalf("%+v, %v", r, err)
		}
		return r
	}
	granted := ask()
	declined := ask()
	var mu sync.Mutex
	var keys []*ops.AccountKey
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			k, err := o.Keys.Approve(ctx, granted.UUID)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				keys = append(keys, k)
			} else if !api.IsStatus(err, 409) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(keys) != 1 || keys[0].Key == "" || keys[0].Description != "nightly import" {
		t.Fatalf("%d keys were issued: %+v", len(keys), keys)
	}
	c, err := api.NewClient(s.BaseURL(), api.WithKey(keys[0].Key), api.WithTransport(server.Direct(s)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Orders.List(ctx, api.ListOptions{}); err != nil {
		t.Errorf("the key that was asked for: %v", err)
	}
	if _, err := c.Orders.Cancel(ctx, "x"); !api.IsStatus(err, 403) {
		t.Errorf("a scope that was not asked for: %v", err)
	}
	r, err := o.Keys.Decline(ctx, declined.UUID, "no contract")
	if err != nil || r.Status != ops.KeyRequestDeclined || *r.Reason != "no contract" || r.DecidedAt.IsZero() {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := o.Keys.Approve(ctx, declined.UUID); !api.IsStatus(err, 409) {
		t.Errorf("approving what was declined: %v", err)
	}
	if _, err := o.Keys.Decline(ctx, granted.UUID, "too late"); !api.IsStatus(err, 409) {
		t.Errorf("declining what was approved: %v", err)
	}
	if _, err := o.Keys.Approve(ctx, "nope"); !api.IsStatus(err, 404) {
		t.Errorf("approving nothing: %v", err)
	}
	page, err := o.Keys.Requests(ctx, api.ListOptions{})
	if err == nil && !page.Items[0].CreatedAt.Equal(declined.CreatedAt.Time) {
		t.Errorf("made at %v, listed with %v", declined.CreatedAt, page.Items[0].CreatedAt)
	}
	if err != nil || len(page.Items) != 2 || page.Items[0].UUID != declined.UUID || page.Items[1].Status != ops.KeyRequestApproved {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestOpsListsOrders(t *testing.T) {
	b := newBench(t)
	for range 3 {
		b.place(b.alice)
		b.place(b.bob)
	}
	old := b.takenOver(api.OrderCompleted, api.MissionDataDelivered)
	gone := b.takenOver(api.OrderDeleted, api.MissionCancelled)
	count := func(query string) (uuids []string) {
		for path := "/orders?limit=2" + query; ; {
			page := into[api.Page[ops.Order]](t, b.ops("GET", path, nil))
			for _, o := range page.Items {
				uuids = append(uuids, o.UUID)
			}
			if !page.HasNextPage {
				return uuids
			}
			path = "/orders?limit=2" + query + "&cursor=" + *page.NextCursor
		}
	}
	if got := count(""); len(got) != 8 || len(slices.Compact(slices.Sorted(slices.Values(got)))) != 8 {
		t.Errorf("all orders: %v", got)
	}
	if got := count("&account=" + b.accountOf(b.bob)); len(got) != 3 {
		t.Errorf("one account's: %v", got)
	}
	if got := count("&status=completed"); !slices.Equal(got, []string{old.uuid}) {
		t.Errorf("completed: %v", got)
	}
	if got := count("&status=deleted&account=" + gone.account); !slices.Equal(got, []string{gone.uuid}) {
		t.Errorf("one account's that are deleted: %v", got)
	}
	first := into[api.Page[ops.Order]](t, b.ops("GET", "/orders?limit=2", nil))
	if first.Items[0].AccountUID != b.accountOf(b.bob) || *first.Items[0].MissionCount != 2 {
		t.Errorf("%+v", first.Items[0])
	}
	wantFault(t, "a cursor of another filter", b.ops("GET", "/orders?status=completed&cursor="+*first.NextCursor, nil), 400, api.CodeValidationFailed)
	wantFault(t, "an unknown status", b.ops("GET", "/orders?status=lost", nil), 400, api.CodeValidationFailed)
	wantFault(t, "an unknown account", b.ops("GET", "/orders?account=nope", nil), 404, api.CodeNotFound)
	wantFault(t, "no order", b.ops("GET", "/orders/nope", nil), 404, api.CodeNotFound)
}

// filesForm is a form of fields and of files with their kinds.
func filesForm(t testing.TB, part string, fields [][2]string, contents ...content) ([]byte, string) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, f := range fields {
		if err := form.WriteField(f[0], f[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range contents {
		header := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + part + `"; filename="` + c.name + `"`}}
		w, err := form.CreatePart(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, c.body); err != nil {
			t.Fatal(err)
		}
		if c.kind != "" {
			if err := form.WriteField("fileDataType", string(c.kind)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return body.Bytes(), form.FormDataContentType()
}

func TestLifeOfAnOrder(t *testing.T) {
	b := newBench(t)
	o := desks(t, b.s)
	ctx := context.Background()
	p := b.takenOver(api.OrderPendingOperator, api.MissionAwaitingPilot, api.MissionAwaitingPilot)
	c, err := api.NewClient(b.s.BaseURL(), api.WithKey(p.key))
	if err != nil {
		t.Fatal(err)
	}
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	expect := func(status api.OrderStatus, missions ...api.MissionStatus) {
		t.Helper()
		order, err := o.Orders.Get(ctx, p.uuid)
		if err != nil {
			t.Fatal(err)
		}
		seen, err := c.Orders.Get(ctx, order.OrderCode)
		if err != nil || order.Status != status || seen.Status != status || !slices.Equal(statuses(*seen), missions) {
			t.Errorf("order is %s with %v, %v; want %s with %v", seen.Status, statuses(*seen), err, status, missions)
		}
	}
	one := p.mission[0]
	two := p.mission[1]
	awaiting := api.MissionAwaitingPilot
	assigned := api.MissionPilotAssigned
	scheduled := api.MissionFlightScheduled
	delivered := api.MissionDataDelivered
	completed := api.MissionCompleted

	must(o.Missions.AssignOperator(ctx, one, "Nadia El Amrani"))
	expect(api.OrderPendingOperator, assigned, awaiting)
	must(o.Missions.AssignOperator(ctx, one, "Mele Taufa"))
	must(o.Missions.AssignOperator(ctx, two, "Mele Taufa"))
	expect(api.OrderOperatorAssigned, assigned, assigned)
	flight := b.clock.now().Add(72 * time.Hour)
	must(o.Missions.Schedule(ctx, one, ops.FlightInput{FlightDate: api.TimeOf(flight), ScheduledBy: "Mele", Note: "at low tide"}))
	expect(api.OrderOperatorAssigned, scheduled, assigned)
	must(o.Missions.Schedule(ctx, two, ops.FlightInput{FlightDate: api.TimeOf(flight)}))
	expect(api.OrderFlyingDateSet, scheduled, scheduled)

	permit := &api.FileInput{Name: "permit 7.pdf", Content: strings.NewReader("%PDF-1.7")}
	must(o.Missions.SetFlightPermission(ctx, one, ops.PermissionInput{
		Status: api.PermissionGranted, Authority: "Luftamt Nord", Reference: "N 7", ValidFrom: api.TimeOf(flight), ValidTo: api.TimeOf(flight),
	}, permit))
	permission, err := c.Missions.FlightPermission(ctx, one)
	if err != nil || *permission.Authority != "Luftamt Nord" || permission.PermitFileURL == nil || !permission.ValidTo.Equal(flight.Truncate(time.Millisecond)) {
		t.Fatalf("%+v, %v", permission, err)
	}
	if r := b.fetch("GET", *permission.PermitFileURL); string(r.raw) != "%PDF-1.7" || r.header.Get("Content-Type") != "application/pdf" {
		t.Errorf("permit: %v %q", r.header, r.raw)
	}
	must(o.Missions.SetFlightPermission(ctx, one, ops.PermissionInput{Status: api.PermissionRefused}, nil))
	permission, err = c.Missions.FlightPermission(ctx, one)
	if err != nil || permission.PermitFileURL != nil || permission.Status != api.PermissionRefused {
		t.Errorf("recorded anew: %+v, %v", permission, err)
	}

	file := func(name string, kind api.Deliverable, body string) api.FileInput {
		return api.FileInput{Name: name, FileDataType: kind, Content: strings.NewReader(body)}
	}
	must(o.Missions.Deliver(ctx, one, file("a.jpg", "jpg", "aa"), file("heat.tif", "thermalMap", "hhh")))
	expect(api.OrderFlyingDateSet, delivered, scheduled)
	must(o.Missions.Deliver(ctx, two, file("b.jpg", "jpg", "b")))
	expect(api.OrderCompleted, delivered, delivered)
	must(o.Missions.Deliver(ctx, one, file("late.jpg", "jpg", "late")))
	packages, err := c.Missions.Packages(ctx, one)
	if err != nil || len(packages) != 2 || packages[0].Version != 2 || packages[1].TotalSize != 5 {
		t.Fatalf("%+v, %v", packages, err)
	}
	files, err := c.Files.List(ctx, packages[1].UUID)
	if err != nil || len(files) != 2 || files[1].FileName != "heat.tif" || files[1].FileType != "image/tiff" || files[1].FileDataType != "thermalMap" {
		t.Fatalf("%+v, %v", files, err)
	}
	must(o.Missions.AcceptDelivery(ctx, one))
	must(o.Missions.AcceptDelivery(ctx, two))
	expect(api.OrderCompleted, completed, completed)
	files, err = c.Files.List(ctx, packages[0].UUID)
	if err != nil || files[0].Status != api.DeliveryAccepted {
		t.Errorf("%+v, %v", files, err)
	}
	all, err := o.Orders.Get(ctx, p.uuid)
	if err != nil {
		t.Fatal(err)
	}
	m := all.Missions[0]
	if len(m.Planning) != 1 || *m.Planning[0].Note != "at low tide" || len(m.Packages) != 2 || m.FlightPermission == nil || all.Account.UUID != p.account {
		t.Errorf("%+v", all)
	}
	must(c.Orders.Archive(ctx, p.uuid, "done"))
	if _, err := o.Missions.AcceptDelivery(ctx, one); !api.IsStatus(err, 409) {
		t.Errorf("a move in an archived order: %v", err)
	}
}

func TestMissionMovesByStatus(t *testing.T) {
	b := newBench(t)
	form, mediaType := filesForm(t, "files", nil, content{"a.jpg", "jpg", "a"})
	for _, c := range []struct {
		order                             api.OrderStatus
		mission                           api.MissionStatus
		assign, schedule, deliver, accept int
	}{
		{api.OrderBiddingWithQuote, api.MissionAwaitingPilot, 409, 409, 409, 409},
		{api.OrderPendingOperator, api.MissionAwaitingPilot, 200, 409, 409, 409},
		{api.OrderOperatorAssigned, api.MissionPilotAssigned, 200, 200, 409, 409},
		{api.OrderFlyingDateSet, api.MissionFlightScheduled, 409, 200, 201, 409},
		{api.OrderCompleted, api.MissionDataDelivered, 409, 409, 201, 200},
		{api.OrderCompleted, api.MissionCompleted, 409, 409, 409, 409},
		{api.OrderArchived, api.MissionDataDelivered, 409, 409, 409, 409},
		{api.OrderCancelled, api.MissionCancelled, 409, 409, 409, 409},
		{api.OrderDeleted, api.MissionCancelled, 409, 409, 409, 409},
	} {
		for move, want := range map[string]int{
			"assign-operator": c.assign, "schedule": c.schedule, "deliver": c.deliver, "accept-delivery": c.accept,
		} {
			p := b.takenOver(c.order, c.mission)
			path := "/missions/" + p.mission[0] + "/" + move
			var r reply
			switch move {
			case "assign-operator":
				r = b.ops("POST", path, `{"operatorName":"Priya Raghunathan"}`)
			case "schedule":
				r = b.ops("POST", path, `{"flightDate":"2026-04-01T08:00:00+02:00"}`)
			case "deliver":
				r = b.ops("POST", path, form, "Content-Type", mediaType)
			default:
				r = b.ops("POST", path, nil)
			}
			if r.status != want {
				t.Errorf("%s of a mission that is %s in an order that is %s: %d %s", move, c.mission, c.order, r.status, r.raw)
			}
		}
	}
	p := b.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	same := into[api.Mission](t, b.ops("POST", "/missions/"+p.mission[0]+"/assign-operator", `{"operatorName":"Wanjiru Kamau"}`))
	if same.Status != api.MissionFlightScheduled {
		t.Errorf("the same operator again: %+v", same)
	}
}

func TestInvalidMissionMoves(t *testing.T) {
	b := newBench(t)
	p := b.takenOver(api.OrderBiddingWithQuote, api.MissionAwaitingPilot)
	mission := "/missions/" + p.mission[0]
	for _, c := range []struct{ method, move, body, field string }{
		{"POST", "/assign-operator", `{}`, "operatorName"},
		{"POST", "/assign-operator", `{"operatorName":"\t"}`, "operatorName"},
		{"POST", "/schedule", `{"flightDate":"2026-04-01"}`, "flightDate"},
		{"POST", "/schedule", `{"flightDate":"2026-04-01T08:00:00Z","note":7}`, "note"},
		{"PUT", "/flight-permission", `{}`, "status"},
		{"PUT", "/flight-permission", `{"status":"maybe"}`, "status"},
		{"PUT", "/flight-permission", `{"status":"granted","validFrom":"2026-04-02T00:00:00Z","validTo":"2026-04-01T00:00:00Z"}`, "validTo"},
		{"POST", "/accept-delivery", `{"rating":5}`, "rating"},
	} {
		r := b.ops(c.method, mission+c.move, c.body)
		wantFault(t, c.move+c.body, r, 400, api.CodeValidationFailed)
		if !slices.Equal(r.fields(), []string{c.field}) {
			t.Errorf("%s %s: faults at %v", c.move, c.body, r.fields())
		}
		wantFault(t, c.move+" of nothing", b.ops(c.method, "/missions/nope"+c.move, "{"), 404, api.CodeNotFound)
	}
	wantFault(t, "deliver of nothing", b.ops("POST", "/missions/nope/deliver", "{"), 404, api.CodeNotFound)
	wantFault(t, "deliver of JSON", b.ops("POST", mission+"/deliver", "[]", "Content-Type", "text/plain"), 415, api.CodeUnsupportedMediaType)
	form, mediaType := filesForm(t, "permit", [][2]string{{"status", "granted"}, {"status", "refused"}})
	wantFault(t, "two statuses", b.ops("PUT", mission+"/flight-permission", form, "Content-Type", mediaType), 400, api.CodeValidationFailed)
	form, mediaType = filesForm(t, "permit", [][2]string{{"status", "granted"}}, content{name: "a.pdf"}, content{name: "b.pdf"})
	wantFault(t, "two permits", b.ops("PUT", mission+"/flight-permission", form, "Content-Type", mediaType), 400, api.CodeValidationFailed)
}

// What a refused delivery uploaded is not kept.
func TestDeliveriesThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	c := newClock(time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC))
	s := start(t, &server.Server{Dir: dir, Now: c.now})
	addr, err := s.Listen(context.Background(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	b := &bench{t: t, s: s, origin: "http://" + addr.String(), clock: c}
	p := b.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	path := "/missions/" + p.mission[0] + "/deliver"
	for what, contents := range map[string][]content{
		"no files":                {},
		"a kind too few":          {{"a.jpg", "jpg", "a"}, {"b.jpg", "", "b"}},
		"an unknown kind":         {{"a.jpg", "jpeg", "a"}},
		"what was not ordered":    {{"a.jpg", "jpg", "a"}, {"a.las", "LiDAR", "a"}},
		"no name":                 {{"", "jpg", "a"}},
		"a name of dots":          {{"..", "jpg", "a"}},
		"a folder":                {{"../", "jpg", "a"}},
		"control characters":      {{"a\u0085.jpg", "jpg", "a"}},
		"bad UTF-8":               {{"\xff.jpg", "jpg", "a"}},
		"a name that is too long": {{strings.Repeat("x", api.MaxNameLength+1), "jpg", "a"}},
	} {
		form, mediaType := filesForm(t, "files", nil, contents...)
		r := b.ops("POST", path, form, "Content-Type", mediaType)
		wantFault(t, what, r, 400, api.CodeValidationFailed)
		if len(r.fault.Errors) == 0 || !strings.HasPrefix(r.Message, r.fault.Errors[0].Field+": ") {
			t.Errorf("%s: the message names no field: %s", what, r.raw)
		}
		cut := form[:len(form)-9]
		wantFault(t, what+", cut off", b.ops("POST", path, cut, "Content-Type", mediaType), 400, api.CodeMalformedBody)
	}
	form, mediaType := filesForm(t, "photos", nil, content{"a.jpg", "jpg", "a"})
	wantFault(t, "another part", b.ops("POST", path, form, "Content-Type", mediaType), 400, api.CodeValidationFailed)
	if left, err := os.ReadDir(filepath.Join(dir, "files")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}

	form, mediaType = filesForm(t, "files", nil,
		content{"../../etc/passwd.jpg", "jpg", "1"}, content{`C:\photos\b.jpg`, "jpg", "2"}, content{"a b%2f&?#.jpg", "jpg", "3"})
	if r := b.ops("POST", path, form, "Content-Type", mediaType); r.status != 201 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	var names []string
	for i, f := range b.filesOf(p) {
		names = append(names, f.FileName)
		if r := b.fetch("GET", f.DownloadURL); string(r.raw) != fmt.Sprint(i+1) {
			t.Errorf("%s: %d %q", f.FileName, r.status, r.raw)
		}
	}
	if !slices.Equal(names, []string{"passwd.jpg", "b.jpg", "a b%2f&?#.jpg"}) {
		t.Errorf("names are %q", names)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "files")); err != nil || len(left) != 3 {
		t.Errorf("kept are %v, %v", left, err)
	}
}

// An order is cancelled or its mission is delivered, never both.
func TestCancellingCompetesWithDelivering(t *testing.T) {
	b := newBench(t)
	d := server.DomainOf(b.s)
	ctx := context.Background()
	for range 20 {
		p := b.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
		caller, err := d.Accounts.Authenticate(ctx, p.key)
		if err != nil {
			t.Fatal(err)
		}
		var errs [50]error
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				if i%2 == 0 {
					_, _, errs[i] = d.Orders.Cancel(ctx, caller, p.uuid)
				} else {
					_, _, errs[i] = d.Missions.Deliver(ctx, p.mission[0], []store.File{{UUID: fmt.Sprint(p.uuid, i), Name: "a", Kind: "jpg"}})
				}
			})
		}
		all.Wait()
		var won [2]bool
		for i, err := range errs {
			if err == nil {
				won[i%2] = true
			} else if codeOf(err) != api.CodeConflict {
				t.Fatal(err)
			}
		}
		order, missions, err := d.Orders.WithMissions(ctx, caller, codeOfOrder(t, d.Store, p.uuid))
		if err != nil {
			t.Fatal(err)
		}
		cancelled := order.Status == api.OrderCancelled && missions[0].Status == api.MissionCancelled
		delivered := order.Status == api.OrderCompleted && missions[0].Status == api.MissionDataDelivered
		if won[0] == won[1] || won[0] != cancelled || won[1] != delivered {
			t.Errorf("cancelled %v, delivered %v, the order is %s, its mission %s", won[0], won[1], order.Status, missions[0].Status)
		}
	}
}

func codeOfOrder(t *testing.T, s *store.Store, uuid string) string {
	t.Helper()
	o, err := store.ByUUID[store.Order](context.Background(), s, uuid)
	if err != nil {
		t.Fatal(err)
	}
	return o.Code
}

// A form of any bytes gives files or a refusal, and a refused one leaves
// nothing.
func FuzzForm(f *testing.F) {
	whole, mediaType := filesForm(f, "files", nil, content{"a.jpg", "jpg", "a"}, content{"../b", "LiDAR", "b"})
	f.Add(mediaType, whole)
	f.Add(mediaType, whole[:len(whole)-9])
	f.Add("multipart/form-data; boundary=b", []byte("--b\r\nContent-Disposition: form-data; name=files; filename*=utf-8''%2e%2e\r\n\r\na\r\n--b--"))
	f.Add("application/json", []byte("{}"))
	s := start(f, &server.Server{})
	f.Fuzz(func(t *testing.T, mediaType string, body []byte) {
		r, err := http.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", mediaType)
		names, err := server.ReadForm(s, r)
		for _, name := range names {
			if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00\x1b") {
				t.Errorf("a file is named %q", name)
			}
		}
		if err != nil && codeOf(err) == "" {
			t.Errorf("refused with %v", err)
		}
		if n := server.FilesKept(s); n != 0 {
			t.Errorf("%d files are left", n)
		}
	})
}
