package tui

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/page"
)

// permissionsMsg brings what the key of a profile allows.
type permissionsMsg struct {
	of     *api.Client
	grants []api.ScopeGrant
	err    error
}

// probeScopes asks the service whether the profile's key has some scopes, or without
// any named, all.
func (a *App) probeScopes(of ...api.Scope) tea.Cmd {
	client, ctx := a.env.Client, a.life.Context()
	if client == nil {
		return nil
	}
	return func() tea.Msg {
		grants, err := client.Scopes(ctx, of...)
		return permissionsMsg{client, grants, err}
	}
}

// probeOrders asks what the key allows with orders: what the band says, and
// what actions are off without.
func (a *App) probeOrders() tea.Cmd {
	if a.env.Permissions.IsKnown() {
		return nil
	}
	return a.probeScopes(api.ScopeOrdersRead, api.ScopeOrdersWrite)
}

// takePermissions keeps what was found out, unless another profile is shown by
// now.
func (a *App) takePermissions(msg permissionsMsg) tea.Cmd {
	if msg.of != a.env.Client {
		return nil
	}
	a.env.Permissions = a.env.Permissions.WithGrants(msg.grants, msg.err)
	return tea.Batch(a.stacks.broadcast(page.PermissionsMsg{}), a.updateConnection())
}
