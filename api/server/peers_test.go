package server_test

import (
	"slices"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// A user has one code until it is withdrawn, and then gets another one.
func TestInvitationsCanBeWithdrawn(t *testing.T) {
	s := start(t, &server.Server{})
	desk, err := s.Ops()
	if err != nil {
		t.Fatal(err)
	}
	first, err := desk.Invitations.Invite(t.Context(), "anna", "bert")
	if err != nil || len(first) != 2 || first[0].User != "anna" || first[0].Code == first[1].Code {
		t.Fatalf("%+v, %v", first, err)
	}
	again, err := desk.Invitations.Invite(t.Context(), "anna")
	if err != nil || again[0].UUID != first[0].UUID || again[0].Code != first[0].Code {
		t.Errorf("%+v, %v", again, err)
	}
	isInvited := func(user, code string) bool {
		t.Helper()
		is, err := s.IsInvited(t.Context(), user, code)
		if err != nil {
			t.Error(err)
		}
		return is
	}
	code := first[0].Code
	if !isInvited("anna", code) || isInvited("bert", code) || isInvited("carl", code) || isInvited("anna", "") {
		t.Error("a code is good for its user alone")
	}
	gone, err := desk.Invitations.Withdraw(t.Context(), first[0].UUID)
	if err != nil || gone.Code != "" || gone.WithdrawnAt.IsZero() {
		t.Errorf("%+v, %v", gone, err)
	}
	if isInvited("anna", code) || isInvited("anna", "") {
		t.Error("a withdrawn code is accepted")
	}
	fresh, err := desk.Invitations.Invite(t.Context(), "anna")
	if err != nil || fresh[0].Code == code || !isInvited("anna", fresh[0].Code) {
		t.Errorf("%+v, %v", fresh, err)
	}
	var users []string
	for i, err := range desk.Invitations.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		users = append(users, i.User)
	}
	if !slices.Equal(users, []string{"anna", "bert", "anna"}) {
		t.Errorf("%q are listed", users)
	}
	for _, bad := range [][]string{nil, {"../x"}, {"Anna"}, make([]string, ops.MaxInvited+1)} {
		if _, err := desk.Invitations.Invite(t.Context(), bad...); !api.IsStatus(err, 400) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// The actions of a peer are in the audit trail with the peer's name and address. They are refused when
// the peer is revoked.
func TestPeersActAsThemselves(t *testing.T) {
	s := start(t, &server.Server{Demo: true})
	desk, err := s.Ops()
	if err != nil {
		t.Fatal(err)
	}
	vera, err := desk.Operators.Add(t.Context(), ops.OperatorInput{Name: "vera", Role: ops.RoleAdmin})
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.OperatorByName(t.Context(), "vera")
	if err != nil || found.UUID != vera.UUID || found.Role != ops.RoleAdmin {
		t.Fatalf("%+v, %v", found, err)
	}
	peer := server.Peer{Address: "198.51.100.7:4242", Operator: found.UUID}
	hers, err := ops.NewClient(s.OpsURL(), "none", api.WithTransport(s.PeerTransport(peer)))
	if err != nil {
		t.Fatal(err)
	}
	account, err := hers.World.AddDemoAccount(t.Context(), ops.DemoAccountInput{CompanyName: "user1"})
	if err != nil || account.Key == "" {
		t.Fatalf("%+v, %v", account, err)
	}
	names, err := hers.World.Scenarios(t.Context())
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %v", names, err)
	}
	if _, err := hers.World.PlayScenario(t.Context(), names[0].Name, ops.PlayInput{Accounts: []string{account.UUID}}); err != nil {
		t.Error(err)
	}
	for name, status := range map[string]int{"../../etc/passwd": 404, "unknown": 404} {
		if _, err := hers.World.PlayScenario(t.Context(), name, ops.PlayInput{}); !api.IsStatus(err, status) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := hers.World.PlayScenario(t.Context(), names[0].Name, ops.PlayInput{Accounts: []string{"x"}}); !api.IsStatus(err, 400) {
		t.Error(err)
	}
	var done []string
	for e, err := range desk.Operators.AllAudit(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Operator == "vera" && e.Address == "198.51.100.7" {
			done = append(done, e.Operation)
		}
	}
	for _, want := range []string{"POST /demo-accounts", "POST /scenarios/{name}/play"} {
		if !slices.Contains(done, want) {
			t.Errorf("no %s in the trail: %q", want, done)
		}
	}
	if _, err := desk.Operators.Revoke(t.Context(), vera.UUID); err != nil {
		t.Fatal(err)
	}
	if _, err := hers.Accounts.List(t.Context(), api.ListOptions{}); !api.IsStatus(err, 401) {
		t.Errorf("after the revocation: %v", err)
	}
	if _, err := s.OperatorByName(t.Context(), "vera"); !server.IsDenied(err) {
		t.Error(err)
	}
	if _, err := s.OperatorByKey(t.Context(), vera.Key); !server.IsDenied(err) {
		t.Error(err)
	}
	if o, err := s.OperatorByKey(t.Context(), s.OpsKey); err != nil || o.Role != ops.RoleAdmin {
		t.Errorf("%+v, %v", o, err)
	}
}

// Without the demo there are no demo accounts and no scenarios.
func TestRealServicesHaveNoDemoAccounts(t *testing.T) {
	s := start(t, &server.Server{})
	desk, err := s.Ops()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := desk.World.AddDemoAccount(t.Context(), ops.DemoAccountInput{CompanyName: "x"}); !api.IsStatus(err, 409) {
		t.Error(err)
	}
	if names, err := desk.World.Scenarios(t.Context()); err != nil || len(names) != 0 {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := desk.World.PlayScenario(t.Context(), "late-flight", ops.PlayInput{}); !api.IsStatus(err, 409) {
		t.Error(err)
	}
}
