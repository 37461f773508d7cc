package server_test

import (
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
)

// The client finds out exactly the scopes that its key has, except for the scope that no read needs.
func TestTheClientFindsItsScopes(t *testing.T) {
	s := start(t, &server.Server{})
	for _, held := range [][]api.Scope{
		{api.ScopeOrdersRead},
		{api.ScopeOrdersWrite, api.ScopeWebhooksWrite},
		{api.ScopeFilesRead, api.ScopeWebhooksRead},
		api.Scopes(),
	} {
		found, err := client(t, s, held...).Scopes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		has := map[api.Scope]bool{}
		for _, scope := range held {
			has[scope] = true
		}
		for _, g := range found {
			if g.Scope == api.ScopeWebhooksWrite {
				if g.Grant != api.NotKnown || g.Err == nil {
					t.Errorf("with %v, %s is %s (%v)", held, g.Scope, g.Grant, g.Err)
				}
				continue
			}
			if g.Grant == api.NotKnown || (g.Grant == api.Granted) != has[g.Scope] {
				t.Errorf("with %v, %s is %s (%v)", held, g.Scope, g.Grant, g.Err)
			}
		}
	}
}
