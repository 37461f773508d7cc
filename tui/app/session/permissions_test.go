package session_test

import (
	"errors"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/tui/app/session"
)

func TestPermissionsAreReported(t *testing.T) {
	type grants = []api.ScopeGrant
	read, write := api.ScopeOrdersRead, api.ScopeOrdersWrite
	for _, c := range []struct {
		grants  grants
		words   string
		refused bool // orders:write
		known   bool
	}{
		{nil, "", false, false},
		{grants{{Scope: read}, {Scope: write}}, "", false, false},
		{grants{{Scope: read, Grant: api.Granted}, {Scope: write}}, "", false, true},
		{grants{{Scope: read, Grant: api.Granted}, {Scope: write, Grant: api.Granted}}, "read+write", false, true},
		{grants{{Scope: read, Grant: api.Granted}, {Scope: write, Grant: api.NotGranted}}, "orders read-only", true, true},
		{grants{{Scope: read, Grant: api.NotGranted}, {Scope: write, Grant: api.Granted}}, "orders write-only", false, true},
		{grants{{Scope: read, Grant: api.NotGranted}, {Scope: write, Grant: api.NotGranted}}, "no access to orders", true, true},
	} {
		p := session.Permissions{}.WithGrants(c.grants, nil)
		if p.OrderRights() != c.words || p.IsKnown() != c.known || (p.RefusalOf(write) != "") != c.refused {
			t.Errorf("%+v: %q, known %t, %q", c.grants, p.OrderRights(), p.IsKnown(), p.RefusalOf(write))
		}
		if c.refused && !strings.Contains(p.RefusalOf(write), "lacks orders:write") {
			t.Error(p.RefusalOf(write))
		}
		if lost := p.WithGrants(nil, errors.New("no answer")); lost.OrderRights() != c.words || lost.Err == nil {
			t.Errorf("after a lost answer %+v is %+v", p, lost)
		}
	}
}
