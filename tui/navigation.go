package tui

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/page"
	"flightdesk/tui/page/inspect"
	"flightdesk/tui/page/orders"
	"flightdesk/tui/page/webhooks"
	"flightdesk/tui/widget"
)

// navigator implements page.Navigator for the pages of one environment.
type navigator struct {
	ws  *workspace
	env *page.Env
}

func (n navigator) Open(p page.Page) tea.Cmd { return n.ws.pages.open(p) }

func (n navigator) Overlay(d widget.Dialog) { n.ws.dialogs.push(d) }

func (n navigator) Interrupt(d widget.Dialog) { n.ws.interrupt(d) }

func (n navigator) Go(section action.ID, filter string) tea.Cmd { return n.ws.goTo(section, filter) }

func (n navigator) InAccount(uuid, company string) *page.Env { return n.ws.inAccount(uuid, company) }

func (n navigator) OnTop(l *page.Lifetime) bool {
	return n.ws.terminal.focus != away && n.ws.pages.top().PageLifetime() == l
}

func (n navigator) Show(route page.Route) tea.Cmd {
	if r, ok := route.(page.NewOrderRoute); ok {
		return n.ws.showNewOrder(r)
	}
	return n.ws.pages.open(pageOf(n.env, route))
}

func (n navigator) Instead(old *page.Lifetime, with page.Route) tea.Cmd {
	return n.ws.pages.replacePage(old, pageOf(n.env, with))
}

// showNewOrder shows the new order page with a new draft that repeats an order, with a stored
// draft, or with the current draft.
func (ws *workspace) showNewOrder(r page.NewOrderRoute) tea.Cmd {
	drafts := ws.env.Drafts
	if r.Draft != "" {
		drafts.Wanted = r.Draft
	}
	if r.Again == nil {
		return ws.openNewOrderPage()
	}
	saveDraft := page.DoInBackground(drafts.BeginDraft(ordering.Repeat(r.Again)), nil)
	return tea.Batch(saveDraft, ws.openNewOrderPage())
}

// pageOf creates the page that a route describes.
func pageOf(env *page.Env, route page.Route) page.Page {
	switch r := route.(type) {
	case page.OrderRoute:
		return orders.NewOrder(env, r.Order)
	case page.MissionRoute:
		return orders.NewMission(env, r.Mission)
	case page.EndpointRoute:
		return webhooks.NewEndpoint(env, r.UUID, r.Callback)
	case page.StoryRoute:
		return inspect.NewStory(env, r.Subject, r.Entry)
	default:
		return inspect.NewAccount(env)
	}
}
