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

// AccountHealth is how an account stands: its endpoints with what they were sent in a
// week, its orders and their missions.
type AccountHealth struct {
	Endpoints    []Endpoint
	EndpointsErr error
	EndpointsAt  time.Time // when they were read; zero for never
	Loading      bool      // endpoints are being read
	Known        *cache.CacheView
	Now          time.Time
}

// AccountNeeds returns what an account is made of.
func AccountNeeds(c *cache.Cache, now time.Time) []cache.Need {
	return append(EndpointNeeds(c, now.Add(-week)), c.AllOrders())
}

// RereadFrom takes what is known by now. Endpoints that cannot be read again stay as
// they were.
func (a *AccountHealth) RereadFrom(c *cache.Cache, now time.Time) {
	a.Known, a.Now = c.Now(), now
	endpoints, state := EndpointsOf(c, now.Add(-week))
	if a.EndpointsErr, a.Loading = state.Err, state.Loading; !state.ReadAt.IsZero() {
		a.Endpoints, a.EndpointsAt = endpoints, state.ReadAt
	}
}

// UndeliveredPart returns the callbacks of the last days that did not arrive, and the
// events that no endpoint was sent, the newest first.
func (a *AccountHealth) UndeliveredPart() ReportPart {
	p := ReportPart{Title: "Failed and missing callbacks", Note: "last 7 days"}
	switch {
	case a.EndpointsErr != nil && a.EndpointsAt.IsZero():
		what, _ := labels.ExplainError(a.EndpointsErr)
		p.None = "Could not load: " + what
		return p
	case a.EndpointsAt.IsZero():
		p.None = "Loading…"
		return p
	case len(a.Endpoints) == 0:
		p.None = "No endpoints registered; no events are sent."
		return p
	}
	p.None = ArrivalSummary(a.Endpoints)
	missions := map[string]*cache.Mission{}
	for _, m := range a.Known.Missions {
		missions[m.UUID] = m
	}
	type row struct {
		PartLine
		at time.Time
	}
	var rows []row
	for i := range a.Endpoints {
		e := &a.Endpoints[i]
		for j := range e.Log {
			if d := &e.Log[j]; !d.Success && !d.IsPending() {
				rows = append(rows, row{a.failureLine(e, d, missions[d.MissionUID]), d.CreatedAt.Time})
			}
		}
		for _, gap := range GapsOf(a.Known.Missions, e, a.Now) {
			rows = append(rows, row{a.gapLine(e, &gap), gap.To})
		}
	}
	slices.SortStableFunc(rows, func(x, y row) int { return y.at.Compare(x.at) })
	for _, x := range rows {
		p.Lines = append(p.Lines, x.PartLine)
	}
	if len(rows) > 0 {
		p.Note = format.GroupDigits(float64(len(rows)), 0) + " in the last 7 days"
	}
	return p
}

// failureLine returns the line of a callback that did not arrive.
func (a *AccountHealth) failureLine(e *Endpoint, d *api.WebhookDelivery, m *cache.Mission) PartLine {
	text, glyph, role := DeliveryOutcome(d)
	x := PartLine{
		ID: CallbackID(
			d,
		),
		Glyph:    glyph,
		Role:     role,
		Code:     cmp.Or(d.OrderCode, d.MissionUID[:min(8, len(d.MissionUID))]),
		Order:    d.OrderCode,
		Mission:  d.MissionUID,
		Endpoint: e.UUID,
		Text: labels.EventWord(
			d.Event,
		).Label + "  " + strings.TrimPrefix(
			text,
			"failed, ",
		),
		Right: format.Age(d.CreatedAt.Time, a.Now),
		Loud:  labels.Text,
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
	x.Fields = []EntryField{
		{"event", string(d.Event)},
		{"about", joinCodes(x.Order, x.Code)},
		{"to", e.URL},
		{"response", cmp.Or(code, "none")},
		{"attempts", tries},
		{"error", textOrEmpty(d.Error)},
		{"when", a.fullTime(d.CreatedAt.Time)},
		{"callback id", d.UUID},
	}
	return x
}

// gapLine returns the line of an event that an endpoint was not sent.
func (a *AccountHealth) gapLine(e *Endpoint, g *webhooks.MissingCallback) PartLine {
	role := labels.Bad
	if g.Probable {
		role = labels.Attention
	}
	return PartLine{
		ID:       "gap " + e.UUID + " " + g.GapID(),
		Glyph:    "!",
		Role:     role,
		Code:     g.Mission.Code,
		Order:    g.Mission.Order,
		Mission:  g.Mission.UUID,
		Endpoint: e.UUID,
		Text: labels.EventWord(
			g.Event,
		).Label + "  never sent to " + ShortAddress(
			e.URL,
		),
		Right: format.Age(g.To, a.Now),
		Loud:  labels.Text,
		Title: "Missing callback",
		Said:  g.DescribeGap(a.Now),
		Fields: []EntryField{
			{
				"event",
				string(g.Event),
			},
			{"about", joinCodes(g.Mission.Order, g.Mission.Code)},
			{"to", e.URL},
			{"source", g.Source},
			{"when", g.DescribeTime(a.Now)},
		},
	}
}

// joinCodes returns those of an order and of a mission of it.
func joinCodes(order, mission string) string {
	if order == mission {
		return order
	}
	return strings.TrimSpace(order + " " + mission)
}

func (a *AccountHealth) fullTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(a.Now.Location()).Format("2006-01-02 15:04:05 -07:00") + ", " + format.Ago(at, a.Now)
}

// TroubledPart returns the missions that are late or stuck, the late ones first and then
// by deadline.
func (a *AccountHealth) TroubledPart() ReportPart {
	p := ReportPart{Title: "Late or stuck", None: "No mission is late or stuck."}
	if !a.Known.Listed && len(a.Known.Missions) == 0 {
		p.None = "Loading…"
		if a.Known.Err != nil {
			p.None = "Could not load the orders."
		}
	}
	for _, m := range a.Known.TroubledMissions(a.Now) {
		role := columns.TroubleTone(m.Why)
		status := labels.MissionStatus(m.Status)
		p.Lines = append(p.Lines, PartLine{
			ID:      "late " + m.UUID,
			Glyph:   "▲",
			Role:    role,
			Code:    m.MissionCode,
			Text:    m.MissionName,
			Right:   m.Why.Text,
			Loud:    role,
			Order:   m.Order.OrderCode,
			Mission: m.UUID,
			Title:   m.MissionName,
			Fields: []EntryField{
				{"mission", m.MissionCode},
				{"order", strings.TrimSpace(m.Order.OrderCode + " " + m.Order.OrderName)},
				{"status", status.DetailText()},
				{"description", status.Description},
				{"operator", textOrEmpty(m.OperatorName)},
				{"flight", format.MomentAt(m.FlightDate.Time, a.Now, m.FlightZone())},
				{"deadline", format.Date(m.Deadline(), a.Now)},
				{"changed", a.fullTime(m.UpdatedAt.Time)},
				{"problem", m.Why.Text},
			},
		})
	}
	if n := len(p.Lines); n > 0 {
		p.Note = format.Count(n, "mission", "missions")
	}
	return p
}

// EndpointsPart returns the endpoints and how they fare.
func (a *AccountHealth) EndpointsPart() ReportPart {
	p := ReportPart{Title: "Endpoints", None: "No endpoints registered; no events are sent."}
	switch {
	case a.EndpointsErr != nil && a.EndpointsAt.IsZero():
		what, _ := labels.ExplainError(a.EndpointsErr)
		p.None = "Could not load: " + what
	case a.EndpointsErr != nil:
		what, _ := labels.ExplainError(a.EndpointsErr)
		p.Note = "as of " + format.Ago(a.EndpointsAt, a.Now) + "; " + what
	case a.EndpointsAt.IsZero():
		p.None = "Loading…"
	default:
		p.Note = format.Count(len(a.Endpoints), "endpoint", "endpoints")
	}
	for i := range a.Endpoints {
		p.Lines = append(p.Lines, a.endpointLine(&a.Endpoints[i]))
	}
	return p
}

func (a *AccountHealth) endpointLine(e *Endpoint) PartLine {
	failed, last := 0, textOrEmpty(e.LastStatus)
	for i := range e.Log {
		if d := &e.Log[i]; !d.Success && !d.IsPending() {
			failed++
		}
	}
	x := PartLine{
		ID:       "endpoint " + e.UUID,
		Glyph:    "✓",
		Role:     labels.Good,
		Text:     ShortAddress(e.URL),
		Right:    format.Count(len(e.Log), "callback", "callbacks") + ", all delivered",
		Loud:     labels.Text,
		Endpoint: e.UUID,
		Title:    "Endpoint",
		Err:      e.LogErr,
		Fields: []EntryField{
			{"url", e.URL},
			{"description", e.Description},
			{"status", e.Status},
			{"last callback", last},
			{"events", strings.ReplaceAll(columns.JoinValues(e.Events), " ", ", ")},
			{"registered", a.fullTime(e.CreatedAt.Time)},
			{"endpoint id", e.UUID},
		},
	}
	switch {
	case e.LogErr != nil:
		x.Glyph, x.Role, x.Right = "?", labels.Text, "log could not be loaded"
	case last == "failed":
		x.Glyph, x.Role, x.Right, x.Loud = "✗", labels.Bad, fmt.Sprintf(
			"%d of %d failed, including the last",
			failed,
			len(e.Log),
		), labels.Bad
	case failed > 0:
		x.Glyph, x.Role, x.Right, x.Loud = "!", labels.Attention, fmt.Sprintf(
			"%d of %d failed",
			failed,
			len(e.Log),
		), labels.Attention
	case len(e.Log) == 0:
		x.Glyph, x.Role, x.Right = "–", labels.Muted, "nothing sent in 7 days"
	}
	return x
}

// ScopesPart returns what a key allows. None are those of an account that is read with
// the key of the operations API.
func ScopesPart(of session.Permissions) ReportPart {
	p := ReportPart{Title: "Key permissions", None: "Checking…"}
	if of.Err != nil {
		what, _ := labels.ExplainError(of.Err)
		p.None = "Could not load: " + what
	}
	if len(of.Grants) < len(api.Scopes()) {
		return p
	}
	for _, s := range of.Grants {
		x := PartLine{
			ID: "scope " + string(
				s.Scope,
			),
			Glyph:  "?",
			Role:   labels.Attention,
			Code:   string(s.Scope),
			Text:   scopeAllows[s.Scope],
			Right:  s.Grant.String(),
			Loud:   labels.Attention,
			Title:  "Scope " + string(s.Scope),
			Err:    s.Err,
			Scope:  s.Scope,
			Fields: []EntryField{{"permits", scopeAllows[s.Scope]}, {"this key", s.Grant.String()}},
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
func (a *AccountHealth) ByStatus() ReportPart {
	p := ReportPart{Title: "Orders by status", None: "No orders yet."}
	v := a.Known
	switch {
	case len(v.Orders) == 0 && v.Err != nil:
		p.None = "Could not load the orders."
	case len(v.Orders) == 0 && !v.Listed:
		p.None = "Loading…"
	case !v.Listed || v.More:
		p.Note = format.GroupDigits(float64(len(v.Orders)), 0) + " loaded so far"
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
		p.Lines = append(p.Lines, PartLine{
			ID: "status " + string(
				s,
			),
			Glyph:  st.Glyph,
			Role:   st.Role,
			Code:   st.Label,
			Text:   st.Description,
			Right:  format.GroupDigits(float64(n[s]), 0),
			Loud:   labels.Text,
			Status: s,
		})
	}
	return p
}

// AccountReport returns the report of an account.
func AccountReport(
	parts []ReportPart,
	account, service string,
	now time.Time,
	mask func(string) string,
) *TimelineReport {
	return &TimelineReport{
		Title: "Account " + account, Account: account, Service: service, Made: now, Mask: mask,
		Parts: notedParts(parts),
	}
}

// notedParts returns parts that say in their notes why they have no lines.
func notedParts(parts []ReportPart) []ReportPart {
	for i := range parts {
		if p := &parts[i]; len(p.Lines) == 0 || p.Note == "" {
			p.Note = p.None
		}
	}
	return parts
}
