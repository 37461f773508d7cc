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

// group is a part of what is known of the account, with where its lines lead.
func (a *Account) group(p timeline.Part, open func(*timeline.Line) func() tea.Cmd, hint string) grouplist.Group {
	g := grouplist.Group{Title: p.Title, Note: p.Note, None: p.None}
	for i := range p.Lines {
		l := &p.Lines[i]
		g.Items = append(g.Items, grouplist.Item{
			ID: l.ID, Glyph: l.Glyph, Role: l.Role, Code: l.Code, Text: l.Text, Right: l.Right, Loud: l.Loud, Order: l.Order, Mission: l.Mission,
			Open: open(l), More: func(w int) []string { return a.more(l, hint, w) },
		})
	}
	return g
}

// more is what more is known of a line.
func (a *Account) more(l *timeline.Line, hint string, w int) []string {
	lines := a.facts(w, l.Title, l.Fields...)
	if l.Err != nil {
		lines = append(append(lines, ""), page.Problem(a.Theme, l.Err, "", "r", w)...)
	}
	if l.Said != "" {
		hint = l.Said
	}
	if hint == "" {
		return lines
	}
	return append(append(lines, ""), a.said(hint, w)...)
}

// undelivered are the callbacks of the last days that did not arrive.
func (a *Account) undelivered() grouplist.Group {
	return a.group(a.account.Undelivered(), func(l *timeline.Line) func() tea.Cmd {
		if l.Order == "" {
			return nil
		}
		return func() tea.Cmd { return a.OpenStory(timeline.Subject{Order: l.Order, Mission: l.Mission}, l.ID) }
	}, "enter opens the mission's timeline.")
}

// troubled are the missions that are late or stuck.
func (a *Account) troubled() grouplist.Group {
	known := a.account.Known
	return a.group(a.account.Troubled(), func(l *timeline.Line) func() tea.Cmd {
		return func() tea.Cmd {
			i := slices.IndexFunc(known.Missions, func(m *cache.Mission) bool { return m.UUID == l.Mission })
			return a.OpenMission(known.Missions[i])
		}
	}, "enter opens the mission, s its timeline.")
}

// hooks are the endpoints and how they are.
func (a *Account) hooks() grouplist.Group {
	return a.group(a.account.Health(), func(l *timeline.Line) func() tea.Cmd {
		return func() tea.Cmd { return a.OpenEndpoint(l.Endpoint) }
	}, "")
}

// sectionOf is the section that a scope is for.
var sectionOf = map[api.Scope]action.ID{
	api.ScopeOrdersRead: action.GoOrders, api.ScopeOrdersWrite: action.GoQuotes, api.ScopeFilesRead: action.GoDeliveries,
	api.ScopeWebhooksRead: action.GoWebhooks, api.ScopeWebhooksWrite: action.GoWebhooks,
}

// key are the scopes of the key.
func (a *Account) key() grouplist.Group {
	return a.group(timeline.Scopes(a.Permissions), func(l *timeline.Line) func() tea.Cmd {
		return func() tea.Cmd { return a.Go(sectionOf[l.Scope], "") }
	}, "Checked with a read request; nothing is changed. "+
		"enter opens the section of the scope.")
}

// orders are the orders by status.
func (a *Account) orders() grouplist.Group {
	p := a.account.ByStatus()
	g := a.group(p, func(l *timeline.Line) func() tea.Cmd {
		return func() tea.Cmd { return a.Open(orders.NewListWith(a.Env, "status:"+string(l.Status))) }
	}, "")
	for i := range g.Items {
		g.Items[i].More = func(w int) []string { return a.ordersOf(p.Lines[i].Status, w) }
	}
	return g
}

// mostOrders is how many orders of a status are listed beside it.
const mostOrders = 30

func (a *Account) ordersOf(s api.OrderStatus, w int) []string {
	lines := a.facts(w, string(s))
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
		lines = append(lines, a.said(fmt.Sprintf("and %d more", n-mostOrders), w)...)
	}
	return lines
}
