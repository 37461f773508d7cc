package inspect

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/page"
	"flightdesk/tui/page/grouplist"
	"flightdesk/tui/page/orders"
)

// partGroup returns a part of what is known of the account, with where its lines lead.
func (a *AccountPage) partGroup(
	p timeline.ReportPart,
	open func(*timeline.PartLine) func() tea.Cmd,
	hint string,
) grouplist.ItemGroup {
	g := grouplist.ItemGroup{Title: p.Title, Note: p.Note, None: p.None}
	for i := range p.Lines {
		l := &p.Lines[i]
		g.Items = append(g.Items, grouplist.GroupItem{
			ID:      l.ID,
			Glyph:   l.Glyph,
			Role:    l.Role,
			Code:    l.Code,
			Text:    l.Text,
			Right:   l.Right,
			Loud:    l.Loud,
			Order:   l.Order,
			Mission: l.Mission,
			Open:    open(l),
			More:    func(w int) []string { return a.renderMore(l, hint, w) },
		})
	}
	return g
}

// renderMore returns what more is known of a line.
func (a *AccountPage) renderMore(l *timeline.PartLine, hint string, w int) []string {
	lines := a.renderFacts(w, l.Title, l.Fields...)
	if l.Err != nil {
		lines = append(append(lines, ""), page.RenderProblem(a.Theme, l.Err, "", "r", w)...)
	}
	if l.Said != "" {
		hint = l.Said
	}
	if hint == "" {
		return lines
	}
	return append(append(lines, ""), a.renderParagraph(hint, w)...)
}

// undeliveredGroup returns the callbacks of the last days that did not arrive.
func (a *AccountPage) undeliveredGroup() grouplist.ItemGroup {
	return a.partGroup(a.account.UndeliveredPart(), func(l *timeline.PartLine) func() tea.Cmd {
		if l.Order == "" {
			return nil
		}
		return func() tea.Cmd { return a.OpenStory(timeline.StorySubject{Order: l.Order, Mission: l.Mission}, l.ID) }
	}, "enter opens the mission's timeline.")
}

// troubledGroup returns the missions that are late or stuck.
func (a *AccountPage) troubledGroup() grouplist.ItemGroup {
	known := a.account.Known
	return a.partGroup(a.account.TroubledPart(), func(l *timeline.PartLine) func() tea.Cmd {
		return func() tea.Cmd {
			i := slices.IndexFunc(known.Missions, func(m *cache.Mission) bool { return m.UUID == l.Mission })
			return a.OpenMission(known.Missions[i])
		}
	}, "enter opens the mission, s its timeline.")
}

// endpointGroup returns the endpoints and how they are.
func (a *AccountPage) endpointGroup() grouplist.ItemGroup {
	return a.partGroup(a.account.EndpointsPart(), func(l *timeline.PartLine) func() tea.Cmd {
		return func() tea.Cmd { return a.OpenEndpoint(l.Endpoint) }
	}, "")
}

// sectionOf is the section that a scope is for.
var sectionOf = map[api.Scope]action.ID{
	api.ScopeOrdersRead:    action.GoOrders,
	api.ScopeOrdersWrite:   action.GoQuotes,
	api.ScopeFilesRead:     action.GoDeliveries,
	api.ScopeWebhooksRead:  action.GoWebhooks,
	api.ScopeWebhooksWrite: action.GoWebhooks,
}

// keyGroup returns the scopes of the key.
func (a *AccountPage) keyGroup() grouplist.ItemGroup {
	return a.partGroup(timeline.ScopesPart(a.Permissions), func(l *timeline.PartLine) func() tea.Cmd {
		return func() tea.Cmd { return a.Go(sectionOf[l.Scope], "") }
	}, "Checked with a read request; nothing is changed. "+
		"enter opens the section of the scope.")
}

// orderGroup returns the orders by status.
func (a *AccountPage) orderGroup() grouplist.ItemGroup {
	p := a.account.ByStatus()
	g := a.partGroup(p, func(l *timeline.PartLine) func() tea.Cmd {
		return func() tea.Cmd { return a.Open(orders.NewListWith(a.Env, "status:"+string(l.Status))) }
	}, "")
	for i := range g.Items {
		g.Items[i].More = func(w int) []string { return a.ordersOf(p.Lines[i].Status, w) }
	}
	return g
}

// mostOrders is how many orders of a status are listed beside it.
const mostOrders = 30

func (a *AccountPage) ordersOf(s api.OrderStatus, w int) []string {
	lines := a.renderFacts(w, string(s))
	n := 0
	known := a.account.Known
	for i := range known.Orders {
		if o := &known.Orders[i]; o.Status == s {
			if n++; n <= mostOrders {
				lines = append(lines, a.orderLine(o, w))
			}
		}
	}
	if n > mostOrders {
		lines = append(lines, a.renderParagraph(fmt.Sprintf("and %d more", n-mostOrders), w)...)
	}
	return lines
}
