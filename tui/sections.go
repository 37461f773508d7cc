package tui

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/inspect"
	"flightdesk/tui/page/operations"
	"flightdesk/tui/page/orders"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/page/webhooks"
)

// sections are the app's sections in the order of their keys. See page.Section
// for adding one.
var sections = []page.Section{
	orders.HomeSection,
	orders.OrdersSection,
	orders.MissionsSection,
	quotes.Section,
	deliveries.DeliveriesSection,
	deliveries.LibrarySection,
	webhooks.Section,
	inspect.Section,
	operations.Section,
}

// findSection returns the section that an action opens, or nil.
func findSection(id action.ID) *page.Section {
	for i := range sections {
		if sections[i].Go == id {
			return &sections[i]
		}
	}
	return nil
}

// missingReason returns why an action is not available because the profile lacks what the action opens: a
// section, the request log or the downloads. It returns "" if the profile lacks nothing.
func (ws *workspace) missingReason(id action.ID) string {
	section := findSection(id)
	profile := &ws.env.Profile
	needsService := section != nil || id == action.ShowRequests || id == action.Downloads
	if needsService && profile.Client == nil {
		return "not connected to a service yet"
	}
	needsAccount := section != nil && !section.Operations || id == action.Downloads
	if needsAccount && profile.NoAccount {
		return "needs a key of an account; this profile has an operations key only"
	}
	if section != nil && section.Missing != nil {
		return section.Missing(ws.env)
	}
	return ""
}

// goSection shows a section with the pages that were open in it. If the section is already shown
// goSection returns to its first page.
func (ws *workspace) goSection(s *page.Section) tea.Cmd {
	if ws.pages.section == s.Go {
		return tea.Batch(ws.pages.closeDownTo(1), ws.pages.top().OnShow())
	}
	ws.pages.section = s.Go
	if len(ws.pages.pages()) == 0 {
		return ws.pages.open(s.First(ws.env))
	}
	return ws.pages.top().OnShow()
}

// goTo shows the first page of a section, filtered if filter is not "". It returns nil if the
// profile lacks the section.
func (ws *workspace) goTo(id action.ID, filter string) tea.Cmd {
	if ws.missingReason(id) != "" {
		return nil
	}
	var shown tea.Cmd
	if ws.pages.section != id {
		shown = ws.goSection(findSection(id))
	}
	cmd := tea.Batch(shown, ws.pages.closeDownTo(1))
	if p, ok := ws.pages.top().(page.FilteredPage); ok && filter != "" {
		p.ApplyFilter(filter)
	}
	return cmd
}

// showMonth shows the month calendar of the section Missions.
func (ws *workspace) showMonth() tea.Cmd {
	cmd := ws.goTo(action.GoMissions, "")
	if list, ok := ws.pages.top().(*orders.MissionList); ok {
		list.ShowMonth()
	}
	return cmd
}
