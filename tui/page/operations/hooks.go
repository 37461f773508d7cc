package operations

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/page/listpage"
)

// newEndpointList lists the endpoints of an account.
func newEndpointList(d *operationsPage, a *api.Account) *listPane[api.WebhookEndpoint] {
	return newListPane(d, listpage.Cached(d.Cache, d.world.cache.Endpoints, a.UUID), listpage.Options[api.WebhookEndpoint]{
		Name: "desk-endpoints", Example: "last:failed", One: "endpoint", Many: "endpoints", Scope: action.OpsEndpoints, Columns: endpointColumns(),
		ID:    func(e *api.WebhookEndpoint) string { return e.UUID },
		Open:  func(e *api.WebhookEndpoint) tea.Cmd { return d.InAccount(a.UUID, a.CompanyName).OpenEndpoint(e.UUID) },
		Empty: [2]string{a.CompanyName + " has no endpoints.", "No callbacks are sent. Clients register endpoints themselves."},
		Acts:  []listpage.Act[api.WebhookEndpoint]{{ID: action.TestEndpoint, Do: d.testEndpoint}},
	}, inAccount[api.WebhookEndpoint](a))
}

func endpointColumns() []columns.Column[api.WebhookEndpoint] {
	return columns.LayColumns(columns.Endpoints(),
		columns.ColumnSpec{Name: "url", Width: 24, Fill: 2, Middle: true},
		columns.ColumnSpec{Name: "lastStatus", Width: 11},
		columns.ColumnSpec{Name: "events", Width: 14, Fill: 1, Drop: 1},
		columns.ColumnSpec{Title: "For", Name: "description", Width: 12, Fill: 1, Drop: 2},
		columns.ColumnSpec{Name: "createdAt", Drop: 3},
	)
}

// testEndpoint sends an event of a mission that there is not.
func (d *operationsPage) testEndpoint(e *api.WebhookEndpoint) tea.Cmd {
	event := api.EventNames()[0]
	q := &requestForm{title: "Send test event", yes: "send test event", lines: []string{e.URL}}
	return d.acts.openForm(fillIn(d, q, commands.TestEndpoint(&event), e.UUID, func(*api.WebhookDelivery) requestResult {
		return requestResult{said: "Test event queued"}
	}))
}

func textOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
