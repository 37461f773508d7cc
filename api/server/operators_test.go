package server_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/config/atomicfile"
)

// operator adds an operator and returns the operator with the key.
func (b *bench) operator(name string, role ops.Role) ops.Operator {
	b.t.Helper()
	r := b.ops("POST", "/operators", ops.OperatorInput{Name: name, Role: role})
	if r.status != http.StatusCreated {
		b.t.Fatalf("adding %s: %d %s", name, r.status, r.raw)
	}
	return into[ops.Operator](b.t, r)
}

// trail returns the audit trail, newest first.
func (b *bench) trail() []ops.AuditEntry {
	b.t.Helper()
	return into[api.Page[ops.AuditEntry]](b.t, b.ops("GET", "/audit?limit=100", nil)).Items
}

// changes returns the changes in the trail, newest first.
func (b *bench) changes() []ops.AuditEntry {
	b.t.Helper()
	var all []ops.AuditEntry
	for _, e := range b.trail() {
		if e.Kind == ops.AuditChange {
			all = append(all, e)
		}
	}
	return all
}

// Each operation is permitted from a certain role on.
func TestEveryOperationNeedsItsRole(t *testing.T) {
	b := newBench(t)
	administration := []string{
		"POST /accounts", "PATCH /accounts/{uuid}", "POST /accounts/{uuid}/keys", "POST /keys/{uuid}/revoke",
		"POST /key-requests/{uuid}/approve", "POST /key-requests/{uuid}/decline",
		"GET /operators", "POST /operators", "POST /operators/{uuid}/rotate", "POST /operators/{uuid}/revoke", "GET /audit",
		"POST /clock", "PUT /faults", "POST /reset", "POST /snapshots", "POST /snapshots/{name}/restore", "POST /simulator",
		"POST /webhook-trust", "POST /scenarios/{name}/play", "POST /demo-accounts",
		"GET /invitations", "POST /invitations", "POST /invitations/{uuid}/withdraw",
	}
	keys := map[ops.Role]string{}
	for _, role := range ops.Roles() {
		keys[role] = b.operator("The one who may "+string(role), role).Key
	}
	seen := map[string]bool{}
	for _, op := range server.Operations(b.s) {
		route, isOps := strings.CutPrefix(op[1], opsPath)
		if !isOps {
			continue
		}
		route = op[0] + " " + route
		seen[route] = true
		need := ops.RoleOperate
		if slices.Contains(administration, route) {
			need = ops.RoleAdmin
		} else if op[0] == "GET" {
			need = ops.RoleRead
		}
		for _, role := range ops.Roles() {
			r := b.call(op[0], strings.NewReplacer("{uuid}", "x", "{name}", "none").Replace(op[1]), keys[role], nil)
			may := slices.Index(ops.Roles(), role) >= slices.Index(ops.Roles(), need)
			if may && (r.status == 401 || r.status == 403) {
				t.Errorf("%s with %s: %d %s", route, role, r.status, r.raw)
			} else if !may {
				wantFault(t, route+" with "+string(role), r, 403, api.CodeMissingScope)
			}
		}
	}
	for _, route := range administration {
		if !seen[route] {
			t.Errorf("there is no %s", route)
		}
	}
	if r := b.call("GET", publicHandlers+"/orders", keys[ops.RoleAdmin], nil); r.status != 401 {
		t.Errorf("an operator's key opens the public API: %d", r.status)
	}
	// From other machines, the metrics also need a key.
	if r := b.call("GET", "/metrics", "", nil, "X-Forwarded-For", "192.0.2.7"); r.status != 401 {
		t.Errorf("the figures without a key: %d", r.status)
	}
	if r := b.call("GET", "/metrics", keys[ops.RoleRead], nil, "X-Forwarded-For", "192.0.2.7"); r.status != 200 {
		t.Errorf("the figures with a key: %d", r.status)
	}
}

func TestKeysOfOperators(t *testing.T) {
	b := newBench(t)
	opens := func(key string) bool { return b.call("GET", opsPath+"/accounts", key, nil).status == 200 }
	ida := b.operator("Ida Holm", ops.RoleOperate)
	if ida.Key == "" || !strings.HasSuffix(ida.Key, ida.Hint) || !opens(ida.Key) || opens(ida.Key+"x") || opens("fd_op_") {
		t.Errorf("added: %+v", ida)
	}
	wantFault(t, "another of the name", b.ops("POST", "/operators", ops.OperatorInput{Name: "Ida Holm", Role: ops.RoleRead}), 409, api.CodeConflict)
	wantFault(t, "the name of the operations key", b.ops("POST", "/operators", ops.OperatorInput{Name: ops.OperationsKey, Role: ops.RoleRead}), 409, api.CodeConflict)
	wantFault(t, "an unknown role", b.ops("POST", "/operators", map[string]string{"name": "Bo", "role": "root"}), 400, api.CodeValidationFailed)

	rotate := func(in ops.RotationInput) ops.Operator {
		t.Helper()
		return into[ops.Operator](t, b.ops("POST", "/operators/"+ida.UUID+"/rotate", in))
	}
	second := rotate(ops.RotationInput{Overlap: api.Duration{Duration: time.Hour}})
	if !opens(ida.Key) || !opens(second.Key) {
		t.Error("both keys are to be accepted for an hour")
	}
	b.clock.advance(time.Hour)
	if opens(ida.Key) || !opens(second.Key) {
		t.Error("after the hour only the new key is to be accepted")
	}
	third := rotate(ops.RotationInput{})
	if opens(second.Key) || !opens(third.Key) {
		t.Error("without an overlap only the new key is to be accepted")
	}
	fourth := rotate(ops.RotationInput{Overlap: api.Duration{Duration: time.Hour}})
	for range 2 {
		if r := b.ops("POST", "/operators/"+ida.UUID+"/revoke", nil); r.status != 200 {
			t.Errorf("revoking: %d %s", r.status, r.raw)
		}
		if opens(third.Key) || opens(fourth.Key) {
			t.Error("a revoked operator's key is accepted")
		}
	}
	wantFault(t, "rotating after that", b.ops("POST", "/operators/"+ida.UUID+"/rotate", ops.RotationInput{}), 409, api.CodeConflict)
	wantFault(t, "rotating nobody's", b.ops("POST", "/operators/x/rotate", ops.RotationInput{}), 404, api.CodeNotFound)
	again := b.operator("Ida Holm", ops.RoleAdmin)
	r := b.ops("GET", "/operators", nil)
	all := into[api.Page[ops.Operator]](t, r).Items
	if len(all) != 2 || all[0].UUID != again.UUID || all[1].RevokedAt.IsZero() || all[1].LastUsedAt.IsZero() || !all[0].LastUsedAt.IsZero() {
		t.Errorf("listed: %+v", all)
	}
	for _, secret := range []string{ida.Key, second.Key, again.Key, "hash"} {
		if strings.Contains(string(r.raw), secret) {
			t.Errorf("the list has %s", secret)
		}
	}
}

// With names that look alike, the trail would not show who did something.
func TestNamesOfOperatorsCannotBeMistakenForOthers(t *testing.T) {
	b := newBench(t)
	b.operator("Ida Holm", ops.RoleRead)
	for _, name := range []string{
		"rr ", " rr", "Ida  Holm", "Ida\u00A0Holm", "Ida\u2003Holm", "x\u202Ey", "a\u200Bb", "a\uFEFFb", "a\u00ADb", "a\u2066b",
		"a\nb", "a\tb", "a\x1b[2Jb", "a\x7fb", "a\u0085b", "a\u2028b", "a\u3164b", "a\uFE0Fb", "\u2800", "\U000E0041a", "a\uE000b",
	} {
		r := b.ops("POST", "/operators", map[string]string{"name": name, "role": "read"})
		wantFault(t, name, r, 400, api.CodeValidationFailed)
		if !slices.Equal(r.fields(), []string{"name"}) {
			t.Errorf("%q: %s", name, r.raw)
		}
	}
	for _, name := range []string{"Operations key", "OPERATIONS KEY", "ida holm", "Ｉda Holm"} {
		r := b.ops("POST", "/operators", map[string]string{"name": name, "role": "read"})
		wantFault(t, name, r, 409, api.CodeConflict)
	}
	for _, name := range []string{"Zoë O'Brien-Łuk (CI)", "山田 太郎", "محمد علي", "हरि ओम"} {
		b.operator(name, ops.RoleRead)
	}
}

// The trail has every change through the operations API, with its operator, address and request. It
// has no changes that were refused or rolled back.
func TestTheAuditTrail(t *testing.T) {
	b := newBenchOn(t, server.Embedded(&server.Server{}))
	p := b.takenOver(api.OrderPendingOperator, api.MissionAwaitingPilot)
	ida := b.operator("Ida Holm", ops.RoleOperate)
	path := opsPath + "/missions/" + p.mission[0] + "/assign-operator"
	assign := map[string]string{"operatorName": "Mele Taufa"}
	began := len(b.changes())
	if r := b.call("POST", path, ida.Key, assign, "X-Request-Id", "mine-1"); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	all := b.changes()
	mission := into[ops.Order](t, b.ops("GET", "/orders/"+p.uuid, nil)).Missions[0]
	want := ops.AuditEntry{
		ID: all[0].ID, At: all[0].At, Kind: ops.AuditChange, Operator: "Ida Holm", OperatorUID: ida.UUID, Address: "127.0.0.1",
		Operation: "POST /missions/{uuid}/assign-operator", Subject: mission.MissionCode, Request: `{"operatorName":"Mele Taufa"}`, RequestID: "mine-1",
	}
	if len(all) != began+1 || string(mustJSON(t, all[0])) != string(mustJSON(t, want)) || !all[0].At.Equal(b.clock.now().Truncate(time.Millisecond)) {
		t.Errorf("%+v", all[0])
	}

	b.call("POST", path, ida.Key, map[string]string{})                                  // refused: the body
	b.call("POST", opsPath+"/missions/"+p.mission[0]+"/accept-delivery", ida.Key, nil)  // refused: the state
	b.call("POST", opsPath+"/accounts", ida.Key, map[string]string{"companyName": "X"}) // refused: the role
	b.call("POST", path, b.alice, assign)                                               // refused: the key
	if all := b.changes(); len(all) != began+1 {
		t.Errorf("what was refused is in the trail as a change: %+v", all[0])
	}
	ctx := context.Background()
	kept := server.DomainOf(b.s).Store
	if err := kept.LimitSize(ctx, 0); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 1900)
	undone := 0
	for range 100 {
		if r := b.call("PUT", opsPath+"/orders/"+p.uuid+"/details", ida.Key, map[string]string{"description": long}); r.status == 503 {
			undone++
		}
	}
	if err := kept.LimitSize(ctx, 1<<30); err != nil {
		t.Fatal(err)
	}
	if all := b.changes(); undone == 0 || len(all) != began+1+100-undone {
		t.Errorf("%d changes in the trail; %d of 100 were undone", len(all)-began-1, undone)
	}

	// Entries that belong to no transaction are in the trail as well.
	if r := b.ops("PUT", "/faults", map[string]any{"status": 500, "rate": 0.0}); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if all := b.changes(); all[0].Operation != "PUT /faults" || all[0].Operator != ops.OperationsKey || all[0].OperatorUID != "" {
		t.Errorf("%+v", all[0])
	}
	kinds := map[ops.AuditKind]int{}
	for range 3 {
		b.call("GET", opsPath+"/orders", ida.Key, nil)
		b.call("GET", opsPath+"/audit", ida.Key, nil)
		b.call("GET", opsPath+"/orders/%00%ff", ida.Key, nil)
	}
	for _, e := range b.trail() {
		if e.OperatorUID == ida.UUID {
			kinds[e.Kind]++
		}
	}
	if kinds[ops.AuditUse] != 1 || kinds[ops.AuditRefused] != 2 { // POST /accounts above, and GET /audit
		t.Errorf("the uses of a key within an hour: %v", kinds)
	}
}

// A reset of the demo data keeps the audit trail and the operators.
func TestResetKeepsTheAuditTrail(t *testing.T) {
	b := newBenchOn(t, server.Embedded(&server.Server{}))
	if r := b.ops("POST", "/snapshots", map[string]string{"name": "first"}); r.status != 201 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	ida := b.operator("Ida Holm", ops.RoleAdmin)
	if r := b.call("POST", opsPath+"/snapshots/first/restore", ida.Key, nil); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if r := b.call("POST", opsPath+"/reset", ida.Key, map[string]bool{"confirm": true}); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	var did []string
	for _, e := range b.changes() {
		did = append(did, e.Operator+": "+e.Operation+" "+e.Subject)
	}
	want := []string{
		"Ida Holm: POST /reset ", "Ida Holm: POST /snapshots/{name}/restore first", "operations key: POST /operators " + ida.UUID, "operations key: POST /snapshots first",
	}
	if !slices.Equal(did, want) {
		t.Errorf("%q", did)
	}
}

// The file gets each entry once, also over restarts.
func TestTheFileOfTheAuditTrail(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	for run := range 2 {
		s := server.Embedded(&server.Server{Dir: dir, AuditFile: path})
		if err := s.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := desks(t, s).Accounts.Create(t.Context(), ops.AccountInput{CompanyName: "Nordwind AG"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := atomicfile.NewLog[ops.AuditEntry](path, 0).Read()
		if err != nil || got.Bad != 0 || len(got.Values) != 3*(run+1) {
			t.Fatalf("run %d: %d entries, %d bad lines, %v", run, len(got.Values), got.Bad, err)
		}
		for i, e := range got.Values {
			if e.ID != int64(i+1) || e.Operation != "POST /accounts" || e.Address != "in-process" {
				t.Errorf("%+v", e)
			}
		}
	}
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "fd_ops_") {
		t.Errorf("the file has a key, or %v", err)
	}
}

// The ready line does not contain a key that was given.
func TestGivenOperationsKeyIsNotShown(t *testing.T) {
	given := start(t, &server.Server{OpsKey: "given-by-a-file"})
	if line := string(mustJSON(t, given.Ready())); strings.Contains(line, "given") || strings.Contains(line, "opsKey") {
		t.Error(line)
	}
	if made := start(t, &server.Server{}); made.Ready().OpsKey == "" || made.Ready().OpsKey != made.OpsKey {
		t.Errorf("%+v", made.Ready())
	}
}
