package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

// week is how far back the logs of endpoints are looked through for an account.
const week = 7 * 24 * time.Hour

// Account is how an account stands: its endpoints with what they were sent in a
// week, its orders and their missions.
type Account struct {
	Endpoints    []Endpoint
	EndpointsErr error
	EndpointsAt  time.Time // when they were read; zero for never
	Loading      bool      // endpoints are being read
	Known        *cache.View
	Now          time.Time
}

// AccountNeeds is what an account is made of.
func AccountNeeds(c *cache.Cache, now time.Time) []cache.Need {
	return append(EndpointNeeds(c, now.Add(-week)), c.AllOrders())
}

// Reread takes what is known by now. Endpoints that cannot be read again stay as
// they were.
func (a *Account) Reread(c *cache.Cache, now time.Time) {
	a.Known, a.Now = c.Now(), now
	endpoints, state := EndpointsOf(c, now.Add(-week))
	if a.EndpointsErr, a.Loading = state.Err, state.Loading; !state.ReadAt.IsZero() {
		a.Endpoints, a.EndpointsAt = endpoints, state.ReadAt
	}
}

// Undelivered are the callbacks of the last days that did not arrive, and the
// events that no endpoint was sent, the newest first.
func (a *Account) Undelivered() Part {
	p := Part{Title: "Failed and missing callbacks", Note: "last 7 days"}
	switch {
	case a.EndpointsErr != nil && a.EndpointsAt.IsZero():
		what, _ := labels.Explain(a.EndpointsErr)
		p.None = "Could not load: " + what
		return p
	case a.EndpointsAt.IsZero():
		p.None = "Loading…"
		return p
	case len(a.Endpoints) == 0:
		p.None = "No endpoints registered; no events are sent."
		return p
	}
	p.None = Arrived(a.Endpoints)
	missions := map[string]*cache.Mission{}
	for _, m := range a.Known.Missions {
		missions[m.UUID] = m
	}
	type row struct {
		Line
		at time.Time
	}
	var rows []row
	for i := range a.Endpoints {
		e := &a.Endpoints[i]
		for j := range e.Log {
			if d := &e.Log[j]; !d.Success && !d.Pending() {
				rows = append(rows, row{a.failure(e, d, missions[d.MissionUID]), d.CreatedAt.Time})
			}
		}
		for _, gap := range GapsOf(a.Known.Missions, e, a.Now) {
			rows = append(rows, row{a.gap(e, &gap), gap.To})
		}
	}
	slices.SortStableFunc(rows, func(x, y row) int { return y.at.Compare(x.at) })
	for _, x := range rows {
		p.Lines = append(p.Lines, x.Line)
	}
	if len(rows) > 0 {
		p.Note = format.Group(float64(len(rows)), 0) + " in the last 7 days"
	}
	return p
}

// failure is the line of a callback that did not arrive.
func (a *Account) failure(e *Endpoint, d *api.WebhookDelivery, m *cache.Mission) Line {
	text, glyph, role := Outcome(d)
	x := Line{
		ID: CallbackID(d), Glyph: glyph, Role: role, Code: cmp.Or(d.OrderCode, d.MissionUID[:min(8, len(d.MissionUID))]), Order: d.OrderCode, Mission: d.MissionUID, Endpoint: e.UUID,
		Text: labels.Event(d.Event).Label + "  " + strings.TrimPrefix(text, "failed, "), Right: format.Age(d.CreatedAt.Time, a.Now), Loud: labels.Text,
	}
	if m != nil {
		x.Code, x.Order = m.MissionCode, m.Order.OrderCode
	}
	code, tries := "", ""
	if d.ResponseCode != nil && *d.ResponseCode > 0 {
		code = fmt.Sprint(*d.ResponseCode)
	}
	if d.Attempts != nil {
		tries = fmt.Sprint(*d.Attempts)
	}
	x.Title = "Failed callback"
	x.Fields = []Field{
		{"event", string(d.Event)},
		{"about", codes(x.Order, x.Code)},
		{"to", e.URL},
		{"response", cmp.Or(code, "none")},
		{"attempts", tries},
		{"error", value(d.Error)},
		{"when", a.full(d.CreatedAt.Time)},
		{"callback id", d.UUID},
	}
	return x
}

// gap is the line of an event that an endpoint was not sent.
func (a *Account) gap(e *Endpoint, g *webhooks.Missing) Line {
	role := labels.Bad
	if g.Probable {
		role = labels.Attention
	}
	return Line{
		ID: "gap " + e.UUID + " " + g.ID(), Glyph: "!", Role: role, Code: g.Mission.Code, Order: g.Mission.Order, Mission: g.Mission.UUID, Endpoint: e.UUID,
		Text: labels.Event(g.Event).Label + "  never sent to " + Where(e.URL), Right: format.Age(g.To, a.Now), Loud: labels.Text,
		Title: "Missing callback", Said: g.Text(a.Now),
		Fields: []Field{
			{"event", string(g.Event)}, {"about", codes(g.Mission.Order, g.Mission.Code)}, {"to", e.URL}, {"source", g.Source}, {"when", g.When(a.Now)},
		},
	}
}

// codes are those of an order and of a mission of it.
func codes(order, mission string) string {
	if order == mission {
		return order
	}
	return strings.TrimSpace(order + " " + mission)
}

func (a *Account) full(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(a.Now.Location()).Format("2006-01-02 15:04:05 -07:00") + ", " + format.Ago(at, a.Now)
}

// Troubled are the missions that are late or stuck, the late ones first and then
// by deadline.
func (a *Account) Troubled() Part {
	p := Part{Title: "Late or stuck", None: "No mission is late or stuck."}
	if !a.Known.Listed && len(a.Known.Missions) == 0 {
		p.None = "Loading…"
		if a.Known.Err != nil {
			p.None = "Could not load the orders."
		}
	}
	for _, m := range a.Known.Troubled(a.Now) {
		role := columns.TroubleTone(m.Why)
		status := labels.MissionStatus(m.Status)
		p.Lines = append(p.Lines, Line{
			ID: "late " + m.UUID, Glyph: "▲", Role: role, Code: m.MissionCode, Text: m.MissionName, Right: m.Why.Text, Loud: role,
			Order: m.Order.OrderCode, Mission: m.UUID, Title: m.MissionName,
			Fields: []Field{
				{"mission", m.MissionCode},
				{"order", strings.TrimSpace(m.Order.OrderCode + " " + m.Order.OrderName)},
				{"status", status.Detail()},
				{"description", status.Description},
				{"operator", value(m.OperatorName)},
				{"flight", format.MomentAt(m.FlightDate.Time, a.Now, m.Zone())},
				{"deadline", format.Date(m.Deadline(), a.Now)},
				{"changed", a.full(m.UpdatedAt.Time)},
				{"problem", m.Why.Text},
			},
		})
	}
	if n := len(p.Lines); n > 0 {
		p.Note = format.Count(n, "mission", "missions")
	}
	return p
}

// Health are the endpoints and how they fare.
func (a *Account) Health() Part {
	p := Part{Title: "Endpoints", None: "No endpoints registered; no events are sent."}
	switch {
	case a.EndpointsErr != nil && a.EndpointsAt.IsZero():
		what, _ := labels.Explain(a.EndpointsErr)
		p.None = "Could not load: " + what
	case a.EndpointsErr != nil:
		what, _ := labels.Explain(a.EndpointsErr)
		p.Note = "as of " + format.Ago(a.EndpointsAt, a.Now) + "; " + what
	case a.EndpointsAt.IsZero():
		p.None = "Loading…"
	default:
		p.Note = format.Count(len(a.Endpoints), "endpoint", "endpoints")
	}
	for i := range a.Endpoints {
		p.Lines = append(p.Lines, a.endpoint(&a.Endpoints[i]))
	}
	return p
}

func (a *Account) endpoint(e *Endpoint) Line {
	failed, last := 0, value(e.LastStatus)
	for i := range e.Log {
		if d := &e.Log[i]; !d.Success && !d.Pending() {
			failed++
		}
	}
	x := Line{
		ID: "endpoint " + e.UUID, Glyph: "✓", Role: labels.Good, Text: Where(e.URL), Right: format.Count(len(e.Log), "callback", "callbacks") + ", all delivered",
		Loud: labels.Text, Endpoint: e.UUID, Title: "Endpoint", Err: e.LogErr,
		Fields: []Field{
			{"url", e.URL},
			{"description", e.Description},
			{"status", e.Status},
			{"last callback", last},
			{"events", strings.ReplaceAll(columns.Join(e.Events), " ", ", ")},
			{"registered", a.full(e.CreatedAt.Time)},
			{"endpoint id", e.UUID},
		},
	}
	switch {
	case e.LogErr != nil:
		x.Glyph, x.Role, x.Right = "?", labels.Text, "log could not be loaded"
	case last == "failed":
		x.Glyph, x.Role, x.Right, x.Loud = "✗", labels.Bad, fmt.Sprintf("%d of %d failed, including the last", failed, len(e.Log)), labels.Bad
	case failed > 0:
		x.Glyph, x.Role, x.Right, x.Loud = "!", labels.Attention, fmt.Sprintf("%d of %d failed", failed, len(e.Log)), labels.Attention
	case len(e.Log) == 0:
		x.Glyph, x.Role, x.Right = "–", labels.Muted, "nothing sent in 7 days"
	}
	return x
}

// Scopes are what a key allows. None are those of an account that is read with
// the key of the operations API.
func Scopes(of session.Permissions) Part {
	p := Part{Title: "Key permissions", None: "Checking…"}
	if of.Err != nil {
		what, _ := labels.Explain(of.Err)
		p.None = "Could not load: " + what
	}
	if len(of.Grants) < len(api.Scopes()) {
		return p
	}
	for _, s := range of.Grants {
		x := Line{
			ID: "scope " + string(s.Scope), Glyph: "?", Role: labels.Attention, Code: string(s.Scope), Text: scopeAllows[s.Scope], Right: s.Grant.String(), Loud: labels.Attention,
			Title: "Scope " + string(s.Scope), Err: s.Err, Scope: s.Scope,
			Fields: []Field{{"permits", scopeAllows[s.Scope]}, {"this key", s.Grant.String()}},
		}
		switch s.Grant {
		case api.Granted:
			x.Glyph, x.Role, x.Loud = "✓", labels.Good, labels.Good
		case api.NotGranted:
			x.Glyph, x.Role, x.Loud = "✗", labels.Bad, labels.Bad
		}
		p.Lines = append(p.Lines, x)
	}
	return p
}

var scopeAllows = map[api.Scope]string{
	api.ScopeOrdersRead:    "read orders, missions and quotes",
	api.ScopeOrdersWrite:   "place, cancel, archive and reject orders; decide quotes",
	api.ScopeFilesRead:     "list and download files",
	api.ScopeWebhooksRead:  "read endpoints and their logs",
	api.ScopeWebhooksWrite: "register and delete endpoints",
}

// ByStatus counts the orders by status, in the order of a life.
func (a *Account) ByStatus() Part {
	p := Part{Title: "Orders by status", None: "No orders yet."}
	v := a.Known
	switch {
	case len(v.Orders) == 0 && v.Err != nil:
		p.None = "Could not load the orders."
	case len(v.Orders) == 0 && !v.Listed:
		p.None = "Loading…"
	case !v.Listed || v.More:
		p.Note = format.Group(float64(len(v.Orders)), 0) + " loaded so far"
	case len(v.Orders) > 0:
		p.Note = format.Count(len(v.Orders), "order", "orders")
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
		p.Lines = append(p.Lines, Line{
			ID: "status " + string(s), Glyph: st.Glyph, Role: st.Role, Code: st.Label, Text: st.Description, Right: format.Group(float64(n[s]), 0), Loud: labels.Text, Status: s,
		})
	}
	return p
}

// AccountReport is the report of an account.
func AccountReport(parts []Part, account, service string, now time.Time, mask func(string) string) *Report {
	return &Report{
		Title: "Account " + account, Account: account, Service: service, Made: now, Mask: mask,
		Parts: noted(parts),
	}
}

// noted are parts that say in their notes why they have no lines.
func noted(parts []Part) []Part {
	for i := range parts {
		if p := &parts[i]; len(p.Lines) == 0 || p.Note == "" {
			p.Note = p.None
		}
	}
	return parts
}
