package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// entriesOf returns an operator's entries of one kind in the audit trail, oldest first.
func (b *bench) entriesOf(operator ops.Operator, kind ops.AuditKind) []string {
	b.t.Helper()
	var all []string
	for _, e := range slices.Backward(b.trail()) {
		if e.OperatorUID == operator.UUID && e.Kind == kind {
			all = append(all, strings.TrimSpace(e.Operation+" "+e.Subject))
		}
	}
	return all
}

// Each refused attempt with a read-only key is in the audit trail.
func TestEveryRefusedChangeIsRecordedWithItsSubject(t *testing.T) {
	b := newBench(t)
	order := b.place(b.alice)
	reader := b.operator("Reader", ops.RoleRead)
	account := b.accountOf(b.alice)
	for range 2 {
		b.call("DELETE", opsPath+"/orders/"+order.UUID, reader.Key, nil)
	}
	b.call("POST", opsPath+"/accounts/"+account+"/keys", reader.Key, ops.KeyInput{Scopes: api.Scopes()})
	b.call("POST", opsPath+"/operators", reader.Key, ops.OperatorInput{Name: "Me", Role: ops.RoleAdmin})
	b.call("POST", opsPath+"/reset", reader.Key, map[string]bool{"confirm": true})
	for range 3 {
		b.call("GET", opsPath+"/audit", reader.Key, nil)
		b.call("GET", opsPath+"/operators", reader.Key, nil)
	}
	want := []string{
		"DELETE /orders/{uuid} " + order.OrderCode, "DELETE /orders/{uuid} " + order.OrderCode,
		"POST /accounts/{uuid}/keys " + account, "POST /operators", "POST /reset", "GET /audit", "GET /operators",
	}
	if got := b.entriesOf(reader, ops.AuditRefused); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestManyRefusalsDoNotFillTheAuditTrail(t *testing.T) {
	b := newBench(t)
	reader := b.operator("Reader", ops.RoleRead)
	for range server.MaxRecorded + 200 {
		if r := b.call("POST", opsPath+"/reset", reader.Key, nil); r.status != http.StatusForbidden {
			t.Fatalf("%d %s", r.status, r.raw)
		}
	}
	client := desks(t, b.s)
	refused := 0
	last := ops.AuditEntry{}
	for e, err := range client.Operators.AllAudit(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != ops.AuditRefused {
			continue
		}
		if refused == 0 {
			last = *e
		}
		refused++
	}
	if refused != server.MaxRecorded || !strings.Contains(last.Request, "more of this kind are not recorded until") {
		t.Errorf("%d entries, the last one %+v", refused, last)
	}
}

func TestInProcessRequestsAreAudited(t *testing.T) {
	b := newBench(t)
	reader := b.operator("Reader", ops.RoleRead)
	client, err := ops.NewClient(b.s.OpsURL(), reader.Key, api.WithTransport(b.s.Transport()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Accounts.List(t.Context(), api.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.World.Reset(t.Context()); !api.IsStatus(err, http.StatusForbidden) {
		t.Fatal(err)
	}
	used := b.entriesOf(reader, ops.AuditUse)
	refused := b.entriesOf(reader, ops.AuditRefused)
	if !slices.Equal(used, []string{"GET /accounts"}) || !slices.Equal(refused, []string{"POST /reset"}) {
		t.Errorf("used %q, refused %q", used, refused)
	}
	all := into[api.Page[ops.Operator]](t, b.ops("GET", "/operators", nil)).Items
	if all[0].LastUsedAt.IsZero() {
		t.Error("the reader is listed as never seen")
	}
}

func TestAuditSubjectOfACreateIsTheNewRecord(t *testing.T) {
	b := newBenchOn(t, server.Embedded(&server.Server{}))
	account := b.accountOf(b.alice)
	order := b.place(b.alice)
	flown := b.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	hook := b.register(b.alice, "https://hooks.example/a")
	request := into[ops.KeyRequest](t, b.ops("POST", "/accounts/"+account+"/key-requests",
		ops.KeyRequestInput{IntendedUse: "reports", Scopes: api.Scopes()}))
	flownMission := into[ops.Order](t, b.ops("GET", "/orders/"+flown.uuid, nil)).Missions[0]
	for _, c := range []struct {
		path   string
		body   any
		parent string
	}{
		{"/accounts", ops.AccountInput{CompanyName: "Nordwind AG"}, ""},
		{"/operators", ops.OperatorInput{Name: "Ida Holm", Role: ops.RoleRead}, ""},
		{"/accounts/" + account + "/keys", ops.KeyInput{Scopes: api.Scopes()}, account},
		{"/accounts/" + account + "/key-requests", ops.KeyRequestInput{IntendedUse: "maps", Scopes: api.Scopes()}, account},
		{"/accounts/" + account + "/datasets", map[string]any{"datasetName": "Harbour", "generate": true, "locationMap": []api.Point{{Lat: 55, Lng: 9}}}, account},
		{"/key-requests/" + request.UUID + "/approve", nil, request.UUID},
		{"/orders/" + order.UUID + "/quotes", quoteInput(b), order.OrderCode},
		{"/orders/" + order.OrderCode + "/quotes", quoteInput(b), order.OrderCode},
		{"/webhooks/" + hook.UUID + "/test", map[string]any{"event": api.EventMissionCompleted}, hook.UUID},
	} {
		r := b.ops("POST", c.path, c.body)
		if r.status != http.StatusCreated {
			t.Fatalf("%s: %d %s", c.path, r.status, r.raw)
		}
		created := into[createdRecord](t, r).UUID
		if e := b.changes()[0]; created == "" || e.Subject != created || e.Parent != c.parent {
			t.Errorf("%s: created %s, the trail has %q in %q", c.path, created, e.Subject, e.Parent)
		}
	}
	b.ops("POST", "/snapshots", map[string]string{"name": "first"})
	if e := b.changes()[0]; e.Subject != "first" || e.Parent != "" {
		t.Errorf("a snapshot: %+v", e)
	}
	r := b.ops("POST", "/missions/"+flownMission.UUID+"/deliver", map[string]bool{"generate": true})
	pack := into[ops.Order](t, b.ops("GET", "/orders/"+flown.uuid, nil)).Missions[0].Packages[0]
	if e := b.changes()[0]; r.status != http.StatusCreated && r.status != http.StatusOK || e.Subject != pack.UUID || e.Parent != flownMission.MissionCode {
		t.Errorf("a delivery: %d, %+v", r.status, e)
	}
}

func TestAuditNamesOrdersAndMissionsByCode(t *testing.T) {
	b := newBench(t)
	order := b.place(b.alice)
	flown := b.takenOver(api.OrderPendingOperator, api.MissionAwaitingPilot)
	mission := into[ops.Order](t, b.ops("GET", "/orders/"+flown.uuid, nil)).Missions[0]
	for _, name := range []string{order.UUID, strings.ToUpper(order.UUID), order.OrderCode} {
		b.ops("PUT", "/orders/"+name+"/details", map[string]string{"description": "by " + name})
		if e := b.changes()[0]; e.Subject != order.OrderCode {
			t.Errorf("%s is %q", name, e.Subject)
		}
	}
	for _, name := range []string{mission.UUID, mission.MissionCode} {
		b.ops("POST", "/missions/"+name+"/assign-operator", map[string]string{"operatorName": "Operator " + name[:8]})
		if e := b.changes()[0]; e.Subject != mission.MissionCode {
			t.Errorf("%s is %q", name, e.Subject)
		}
	}
}

// With the role read, support sees who changed an order, its missions, quotes and callbacks, but not
// the bodies and addresses in the audit trail.
func TestReadRoleSeesWhoChangedAnOrder(t *testing.T) {
	v := newReceiver(t)
	b := newCallbackBench(t, v, quick)
	placed := b.place(b.alice)
	other := b.place(b.bob)
	otherQuote := b.quote(other.UUID, 100)
	quote := b.quote(placed.UUID, 100)
	if r := b.legacy("/order/"+placed.UUID+"/quote/"+quote.UUID, b.alice, `{"status":"accept"}`); r.status != http.StatusOK {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	order := into[ops.Order](t, b.ops("GET", "/orders/"+placed.UUID, nil))
	mission := order.Missions[0]
	hook := b.register(b.alice, v.URL+"/hook")
	b.ops("POST", "/missions/"+mission.UUID+"/assign-operator", map[string]string{"operatorName": "AeroScan"})
	<-v.got
	v.answer <- 204
	callback := b.settled(hook.UUID)
	sam := b.operator("Sam", ops.RoleOperate)
	if r := b.call("POST", opsPath+"/deliveries/"+callback.UUID+"/resend", sam.Key, nil); r.status >= 300 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	<-v.got
	v.answer <- 204
	b.settled(hook.UUID)
	reader := b.operator("Rita", ops.RoleRead)
	changes := func(name string) (lines []string) {
		t.Helper()
		r := b.call("GET", opsPath+"/orders/"+name+"/changes", reader.Key, nil)
		if r.status != http.StatusOK || strings.Contains(string(r.raw), "127.0.0.1") || strings.Contains(string(r.raw), "AeroScan") {
			t.Fatalf("%d %s", r.status, r.raw)
		}
		for _, c := range into[api.Page[ops.OrderChange]](t, r).Items {
			lines = append(lines, c.Operator+" "+c.Operation+" "+c.Subject+" "+c.Parent)
		}
		return lines
	}
	want := []string{
		"Sam POST /deliveries/{uuid}/resend " + callback.UUID + " " + order.OrderCode,
		"operations key POST /missions/{uuid}/assign-operator " + mission.MissionCode + " ",
		"operations key POST /orders/{uuid}/quotes " + quote.UUID + " " + order.OrderCode,
	}
	for _, name := range []string{order.UUID, order.OrderCode} {
		if got := changes(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q\nwant %q", name, got, want)
		}
	}
	want = []string{"operations key POST /orders/{uuid}/quotes " + otherQuote.UUID + " " + other.OrderCode}
	if got := changes(other.OrderCode); !slices.Equal(got, want) {
		t.Errorf("of another order: %q\nwant %q", got, want)
	}
	page, err := desks(t, b.s).Orders.Changes(t.Context(), order.UUID, api.ListOptions{Limit: 1})
	if err != nil || len(page.Items) != 1 || page.Items[0].Operator != "Sam" || !page.HasNextPage {
		t.Errorf("%+v, %v", page, err)
	}
}

// The service shows the owner and the role of a key.
func TestOperationsUserOfAKeyIsShown(t *testing.T) {
	b := newBench(t)
	rita := b.operator("Rita", ops.RoleRead)
	user := into[ops.CurrentUser](t, b.call("GET", opsPath+"/user", rita.Key, nil))
	if user.UUID != rita.UUID || user.Name != "Rita" || user.Role != ops.RoleRead {
		t.Errorf("%+v", user)
	}
	operations, err := desks(t, b.s).Operators.Current(t.Context())
	if err != nil || operations.UUID != "" || operations.Name != ops.OperationsKey || operations.Role != ops.RoleAdmin {
		t.Errorf("%+v, %v", operations, err)
	}
}

// createdRecord has the members that all responses to a create have.
type createdRecord struct {
	UUID string `json:"uuid"`
}

func quoteInput(b *bench) ops.QuoteInput {
	return ops.QuoteInput{QuoteName: "First", DeliveryBy: 9, PriceBeforeDiscount: 900, ExpiryDate: api.TimeOf(b.clock.now().AddDate(0, 0, 7))}
}
