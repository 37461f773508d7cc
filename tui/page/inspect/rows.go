package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/grouplist"
	"flightdesk/tui/page/orders"
	"flightdesk/tui/theme"
)

// undelivered are the callbacks of the last days that did not arrive, and the
// events that no endpoint was sent, the newest first.
func (a *Account) undelivered(now time.Time) grouplist.Group {
	g := grouplist.Group{Title: "Not delivered", Note: "callbacks of the last 7 days"}
	switch {
	case a.endpointsErr != nil && a.endpointsAt.IsZero():
		what, _ := labels.Explain(a.endpointsErr)
		g.None = "not known: " + what
		return g
	case a.endpointsAt.IsZero():
		g.None = "reading…"
		return g
	case len(a.endpoints) == 0:
		g.None = "No endpoint is registered: nobody is told of anything."
		return g
	}
	g.None = timeline.Arrived(a.endpoints)
	missions := map[string]*cache.Mission{}
	for _, m := range a.known.Missions {
		missions[m.UUID] = m
	}
	type row struct {
		grouplist.Item
		at time.Time
	}
	var rows []row
	for i := range a.endpoints {
		e := &a.endpoints[i]
		for j := range e.Log {
			if d := &e.Log[j]; !d.Success && !d.Pending() {
				rows = append(rows, row{a.failure(e, d, missions[d.MissionUID], now), d.CreatedAt.Time})
			}
		}
		for _, gap := range timeline.GapsOf(a.known.Missions, e, now) {
			rows = append(rows, row{a.gap(e, &gap, now), gap.To})
		}
	}
	slices.SortStableFunc(rows, func(x, y row) int { return y.at.Compare(x.at) })
	for _, x := range rows {
		g.Items = append(g.Items, x.Item)
	}
	if len(rows) > 0 {
		g.Note = format.Group(float64(len(rows)), 0) + " in the last 7 days"
	}
	return g
}

// failure is the line of a callback that did not arrive.
func (a *Account) failure(e *timeline.Endpoint, d *api.WebhookDelivery, m *cache.Mission, now time.Time) grouplist.Item {
	text, glyph, role := timeline.Outcome(d)
	x := grouplist.Item{
		ID: "callback " + d.UUID, Glyph: glyph, Role: role, Code: cmp.Or(d.OrderCode, short(d.MissionUID)), Order: d.OrderCode, Mission: d.MissionUID,
		Text: trimmed(d.Event) + "  " + strings.TrimPrefix(text, "failed: "), Right: format.Age(d.CreatedAt.Time, now), Loud: theme.Text,
	}
	if m != nil {
		x.Code, x.Order = m.MissionCode, m.Order.OrderCode
	}
	of := timeline.Subject{Order: x.Order, Mission: x.Mission}
	if x.Order != "" {
		x.Open = func() tea.Cmd { return a.OpenStory(of, x.ID) }
	}
	x.More = func(w int) []string {
		code := ""
		if d.ResponseCode != nil && *d.ResponseCode > 0 {
			code = fmt.Sprint(*d.ResponseCode)
		}
		tries, why := "", ""
		if d.Attempts != nil {
			tries = fmt.Sprint(*d.Attempts)
		}
		if d.Error != nil {
			why = *d.Error
		}
		lines := a.facts(w, "A callback that did not arrive",
			timeline.Field{Name: "event", Value: string(d.Event)}, timeline.Field{Name: "about", Value: about(x.Order, x.Code)},
			timeline.Field{Name: "to", Value: e.URL}, timeline.Field{Name: "answer", Value: cmp.Or(code, "none")}, timeline.Field{Name: "tries", Value: tries},
			timeline.Field{Name: "error", Value: why}, timeline.Field{Name: "when", Value: a.full(d.CreatedAt.Time)}, timeline.Field{Name: "delivery id", Value: d.UUID})
		return append(append(lines, ""), a.said("enter shows it in the story of the mission, with what happened before and after.", w)...)
	}
	return x
}

// gap is the line of an event that an endpoint was not sent.
func (a *Account) gap(e *timeline.Endpoint, g *webhooks.Missing, now time.Time) grouplist.Item {
	of := timeline.Subject{Order: g.Mission.Order, Mission: g.Mission.UUID}
	role := theme.Bad
	if g.Probable {
		role = theme.Attention
	}
	said := g.Text(now)
	return grouplist.Item{
		ID: "gap " + e.UUID + " " + g.ID(), Glyph: "!", Role: role, Code: g.Mission.Code, Order: of.Order, Mission: of.Mission,
		Text: trimmed(g.Event) + "  never sent to " + timeline.Where(e.URL), Right: format.Age(g.To, now), Loud: theme.Text,
		Open: func() tea.Cmd { return a.OpenStory(of, "") },
		More: func(w int) []string {
			lines := a.facts(w, "An event that nobody was told of",
				timeline.Field{Name: "event", Value: string(g.Event)}, timeline.Field{Name: "about", Value: about(of.Order, g.Mission.Code)},
				timeline.Field{Name: "to", Value: e.URL}, timeline.Field{Name: "known from", Value: g.Source}, timeline.Field{Name: "when", Value: g.When(now)})
			return append(append(lines, ""), a.said(said, w)...)
		},
	}
}

// about are the codes of an order and of a mission of it.
func about(order, mission string) string {
	if order == mission {
		return order
	}
	return strings.TrimSpace(order + " " + mission)
}

// trimmed is an event's name without what all have.
func trimmed(e api.EventName) string { return strings.TrimPrefix(string(e), "mission.") }

func (a *Account) full(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(a.Now().Location()).Format("2006-01-02 15:04:05 -07:00") + ", " + format.Ago(at, a.Now())
}

// troubled are the missions that are late or stuck, the late ones first and
// then by deadline.
func (a *Account) troubled(now time.Time) grouplist.Group {
	g := grouplist.Group{Title: "Late or stuck", None: "No mission is late or stuck."}
	if !a.known.Listed && len(a.known.Missions) == 0 {
		g.None = "reading…"
		if a.known.Err != nil {
			g.None = "not known: the orders could not be read"
		}
	}
	for _, m := range a.known.Troubled(now) {
		role := columns.TroubleTone(m.Why)
		g.Items = append(g.Items, grouplist.Item{
			ID: "late " + m.UUID, Glyph: "▲", Role: role, Code: m.MissionCode, Text: m.MissionName, Right: m.Why.Text, Loud: role,
			Order: m.Order.OrderCode, Mission: m.UUID,
			Open: func() tea.Cmd { return a.OpenMission(m.Mission) },
			More: func(w int) []string { return a.mission(m.Mission, m.Why, w) },
		})
	}
	if n := len(g.Items); n > 0 {
		g.Note = format.Count(n, "mission", "missions")
	}
	return g
}

func (a *Account) mission(m *cache.Mission, t cache.Trouble, w int) []string {
	now, operator := a.Now(), ""
	if m.OperatorName != nil {
		operator = *m.OperatorName
	}
	lines := a.facts(w, m.MissionName,
		timeline.Field{Name: "mission", Value: m.MissionCode}, timeline.Field{Name: "order", Value: strings.TrimSpace(m.Order.OrderCode + " " + m.Order.OrderName)},
		timeline.Field{Name: "status", Value: labels.MissionStatus(m.Status).Detail()}, timeline.Field{Name: "means", Value: labels.MissionStatus(m.Status).Means},
		timeline.Field{Name: "operator", Value: operator}, timeline.Field{Name: "flight", Value: format.MomentAt(m.FlightDate.Time, now, m.Zone())},
		timeline.Field{Name: "deadline", Value: format.Date(m.Deadline(), now)}, timeline.Field{Name: "changed", Value: a.full(m.UpdatedAt.Time)},
		timeline.Field{Name: "trouble", Value: t.Text})
	return append(append(lines, ""), a.said("enter opens the mission, s tells its story.", w)...)
}

// hooks are the endpoints and how they are.
func (a *Account) hooks(now time.Time) grouplist.Group {
	g := grouplist.Group{Title: "Endpoints", None: "None is registered."}
	switch {
	case a.endpointsErr != nil && a.endpointsAt.IsZero():
		what, _ := labels.Explain(a.endpointsErr)
		g.None = "not known: " + what
	case a.endpointsErr != nil:
		what, _ := labels.Explain(a.endpointsErr)
		g.Note = "as of " + format.Ago(a.endpointsAt, now) + "; " + what
	case a.endpointsAt.IsZero():
		g.None = "reading…"
	default:
		g.Note = format.Count(len(a.endpoints), "endpoint", "endpoints")
	}
	for i := range a.endpoints {
		g.Items = append(g.Items, a.endpoint(&a.endpoints[i]))
	}
	return g
}

func (a *Account) endpoint(e *timeline.Endpoint) grouplist.Item {
	failed, last := 0, ""
	for i := range e.Log {
		if d := &e.Log[i]; !d.Success && !d.Pending() {
			failed++
		}
	}
	if e.LastStatus != nil {
		last = *e.LastStatus
	}
	x := grouplist.Item{ID: "endpoint " + e.UUID, Glyph: "✓", Role: theme.Good, Text: timeline.Where(e.URL), Right: format.Count(len(e.Log), "callback", "callbacks") + ", all arrived", Loud: theme.Text}
	switch {
	case e.LogErr != nil:
		x.Glyph, x.Role, x.Right = "?", theme.Text, "its log could not be read"
	case last == "failed":
		x.Glyph, x.Role, x.Right, x.Loud = "✗", theme.Bad, fmt.Sprintf("%d of %d failed, including the last", failed, len(e.Log)), theme.Bad
	case failed > 0:
		x.Glyph, x.Role, x.Right, x.Loud = "!", theme.Attention, fmt.Sprintf("%d of %d failed", failed, len(e.Log)), theme.Attention
	case len(e.Log) == 0:
		x.Glyph, x.Role, x.Right = "–", theme.Muted, "nothing sent in 7 days"
	}
	x.Open = func() tea.Cmd { return a.OpenEndpoint(e.UUID) }
	x.More = func(w int) []string {
		var events []string
		for _, name := range e.Events {
			events = append(events, string(name))
		}
		lines := a.facts(w, "An endpoint",
			timeline.Field{Name: "address", Value: e.URL}, timeline.Field{Name: "about", Value: e.Description}, timeline.Field{Name: "status", Value: e.Status},
			timeline.Field{Name: "last callback", Value: last}, timeline.Field{Name: "events", Value: strings.Join(events, ", ")},
			timeline.Field{Name: "registered", Value: a.full(e.CreatedAt.Time)}, timeline.Field{Name: "endpoint id", Value: e.UUID})
		if e.LogErr != nil {
			return append(append(lines, ""), page.Problem(a.Theme, e.LogErr, "", "r", w)...)
		}
		return lines
	}
	return x
}

// may says what a scope allows, and which section that is for.
var may = map[api.Scope]struct {
	what string
	at   action.ID
}{
	api.ScopeOrdersRead:    {"read orders, missions and quotes", action.GoOrders},
	api.ScopeOrdersWrite:   {"place orders, decide on quotes, end orders", action.GoQuotes},
	api.ScopeFilesRead:     {"read deliveries and datasets", action.GoDeliveries},
	api.ScopeWebhooksRead:  {"read endpoints and their logs", action.GoWebhooks},
	api.ScopeWebhooksWrite: {"register and delete endpoints", action.GoWebhooks},
}

// key are the scopes of the key.
func (a *Account) key() grouplist.Group {
	g := grouplist.Group{Title: "Key permissions", Note: "found without changing anything", None: "Checking…"}
	if a.Permissions.Err != nil {
		what, _ := labels.Explain(a.Permissions.Err)
		g.None = "not known: " + what
	}
	if len(a.Permissions.Grants) < len(api.Scopes()) {
		return g
	}
	for _, s := range a.Permissions.Grants {
		x := grouplist.Item{ID: "scope " + string(s.Scope), Glyph: "?", Role: theme.Attention, Code: string(s.Scope), Text: may[s.Scope].what, Right: s.Grant.String(), Loud: theme.Attention}
		switch s.Grant {
		case api.Granted:
			x.Glyph, x.Role, x.Loud = "✓", theme.Good, theme.Good
		case api.NotGranted:
			x.Glyph, x.Role, x.Loud = "✗", theme.Bad, theme.Bad
		}
		x.Open = func() tea.Cmd { return a.Go(may[s.Scope].at, "") }
		x.More = func(w int) []string {
			lines := a.facts(w, "The scope "+string(s.Scope), timeline.Field{Name: "allows to", Value: may[s.Scope].what}, timeline.Field{Name: "the key", Value: s.Grant.String()})
			if s.Err != nil {
				lines = append(append(lines, ""), page.Problem(a.Theme, s.Err, "", "r", w)...)
			}
			return append(append(lines, ""), a.said("Found by asking for something that only a key with the scope is told is not there, or is shown; nothing is changed by it. "+
				"enter goes to the section that it is for.", w)...)
		}
		g.Items = append(g.Items, x)
	}
	return g
}

// orders are the orders by status, in the order of a life.
func (a *Account) orders() grouplist.Group {
	g := grouplist.Group{Title: "Orders by status", None: "No order was placed yet."}
	v := a.known
	switch {
	case len(v.Orders) == 0 && v.Err != nil:
		g.None = "not known: the orders could not be read"
	case len(v.Orders) == 0 && !v.Listed:
		g.None = "reading…"
	case !v.Listed:
		g.Note = format.Group(float64(len(v.Orders)), 0) + " read so far"
	case len(v.Orders) > 0:
		g.Note = format.Count(len(v.Orders), "order", "orders")
	}
	n := map[api.OrderStatus]int{}
	statuses := api.OrderStatuses()
	for i := range v.Orders {
		s := v.Orders[i].Status
		if n[s]++; !slices.Contains(statuses, s) {
			statuses = append(statuses, s)
		}
	}
	for _, s := range statuses {
		if n[s] == 0 {
			continue
		}
		st := labels.OrderStatus(s)
		g.Items = append(g.Items, grouplist.Item{
			ID: "status " + string(s), Glyph: st.Glyph, Role: st.Role, Code: st.Word, Text: st.Means, Right: format.Group(float64(n[s]), 0), Loud: theme.Text,
			Open: func() tea.Cmd { return a.Open(orders.NewListWith(a.Env, "status:"+string(s))) },
			More: func(w int) []string { return a.ordersOf(s, w) },
		})
	}
	return g
}

// mostOrders is how many orders of a status are listed beside it.
const mostOrders = 30

func (a *Account) ordersOf(s api.OrderStatus, w int) []string {
	lines := a.facts(w, string(s))
	n := 0
	for i := range a.known.Orders {
		if o := &a.known.Orders[i]; o.Status == s {
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
