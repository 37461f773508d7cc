package tui_test

import (
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/tui"
	"flightdesk/tui/action"
	"flightdesk/tui/apptest"
)

// withUser returns an option that gives the app the key of a new operations user with a role.
func withUser(t *testing.T, s *server.Server, role ops.Role) func(*tui.Options) {
	t.Helper()
	return func(o *tui.Options) {
		address := strings.TrimSuffix(o.Client.BaseURL(), server.PublicPath) + server.OpsPath
		desk, err := ops.NewClient(address, s.OpsKey)
		if err != nil {
			t.Fatal(err)
		}
		user, err := desk.Operators.Add(t.Context(), ops.OperatorInput{Name: "Sam", Role: role})
		if err != nil {
			t.Fatal(err)
		}
		if o.Ops, err = ops.NewClient(address, user.Key); err != nil {
			t.Fatal(err)
		}
		o.Begin = ""
	}
}

// withoutAccount returns an option that removes the key of the account.
func withoutAccount(t *testing.T) func(*tui.Options) {
	t.Helper()
	return func(o *tui.Options) {
		client, err := api.NewClient(o.Client.BaseURL())
		if err != nil {
			t.Fatal(err)
		}
		o.Client, o.NoAccount = client, true
		o.Company, o.Profile = "", "support"
	}
}

// With only an operations key the app starts with all accounts. Actions that need a key of an
// account are not offered.
func TestOperationsKeyAloneStartsInInspect(t *testing.T) {
	s := &server.Server{Demo: true}
	d, _ := apptest.OpenServer(t, s, 120, 36, withUser(t, s, ops.RoleRead), withoutAccount(t))
	d.RequireText("support · READ-ONLY · operations: read", "[8 Inspect]", "9 Operations", "● connected",
		"finds whatever a ticket names", "▸ Open Ground Relief Mapping", "Stadtplanungsamt Köln", "Nordlicht Windkraft GmbH")
	d.SeesNot("2 Orders", "7 Webhooks", "! ")
	d.Press("2")
	d.RequireText("needs a key of an account; this profile has an operations key only")
	d.Press("j", "enter")
	d.RequireText("› Inspect Stadtplanungsamt Köln", "geoportal.stadtplanung-koeln.invalid")
	d.Press(":")
	d.Type("MSN-300538")
	d.RequireText(`▸ Find "MSN-300538" in all accounts`)
	d.Press("enter")
	d.RequireText("Timeline of MSN-300538", "callbacks failed")
	d.Press("S")
	d.RequireText("resend: needs the role operate; yours is read")
	d.Press("esc", "9")
	d.RequireText("[Queue", "ORD-1002")
	d.Press("i")
	d.RequireText("needs the role operate; yours is read")
	d.Press("]", "]", "n")
	d.RequireText("needs the role operate; yours is read")
}

// The header shows the role of an operations key. Actions that the role does not allow are disabled
// before the user fills in a form.
func TestRoleOfOperationsKeyDisablesActions(t *testing.T) {
	for role, allowed := range map[ops.Role]func(action.Action) bool{
		ops.RoleRead:    func(act action.Action) bool { return act.ChangeKind() != action.ChangesOperations },
		ops.RoleOperate: func(act action.Action) bool { return !act.IsAdministration() },
		ops.RoleAdmin:   func(action.Action) bool { return true },
	} {
		s := &server.Server{Demo: true}
		d, _ := apptest.OpenServer(t, s, 120, 36, withUser(t, s, role))
		d.Press("9")
		header := "read+write · operations: " + string(role)
		if role == ops.RoleAdmin {
			header = "read+write  "
		}
		d.RequireText(header)
		for _, act := range action.AllActions() {
			isOff := strings.HasPrefix(d.App.Off(act), "needs the role ")
			if isOff == allowed(act) {
				t.Errorf("%s: %s.%s is off: %v", role, act.Scope, act.ID, isOff)
			}
		}
		d.Close()
	}
}
