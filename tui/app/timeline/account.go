package timeline

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// week is how far back the logs of endpoints are looked through for an account.
const week = 7 * 24 * time.Hour

const noEndpoints = "No endpoints registered; no events are sent."

// AccountHealth is how an account stands: its endpoints with what they were sent in a
// week, its orders and their missions.
type AccountHealth struct {
	Endpoints    []Endpoint
	EndpointsErr error
	EndpointsAt  time.Time // when they were read; zero for never
	Loading      bool      // endpoints are being read
	Known        *cache.CacheView
	Now          time.Time
	Units        format.Units
}

// AccountNeeds returns what an account is made of.
func AccountNeeds(c *cache.Cache, now time.Time) []cache.Need {
	_, needs, _ := EndpointsOf(c, now.Add(-week))
	return append(needs, c.AllOrders())
}

// RereadFrom takes what is known by now. Endpoints that cannot be read again stay as
// they were.
func (a *AccountHealth) RereadFrom(c *cache.Cache, now time.Time) {
	a.Known, a.Now = c.Now(), now
	endpoints, _, state := EndpointsOf(c, now.Add(-week))
	if a.EndpointsErr, a.Loading = state.Err, state.Loading; !state.ReadAt.IsZero() {
		a.Endpoints, a.EndpointsAt = endpoints, state.ReadAt
	}
}

// notLoaded says why there is nothing to say.
func notLoaded(err error) string {
	what, _ := format.ExplainError(err)
	return "Could not load: " + what
}

// endpointParts returns what did not arrive at endpoints, and how they fare.
func (a *AccountHealth) endpointParts(endpoints []Endpoint) (undelivered, fare ReportPart) {
	undelivered = ReportPart{Title: undeliveredTitle, Note: "last 7 days", None: noEndpoints}
	fare = ReportPart{Title: "Endpoints", None: noEndpoints}
	switch {
	case a.EndpointsErr != nil && a.EndpointsAt.IsZero():
		undelivered.None = notLoaded(a.EndpointsErr)
		fare.None = undelivered.None
	case a.EndpointsAt.IsZero():
		undelivered.None, fare.None = "Loading…", "Loading…"
	case a.EndpointsErr != nil:
		what, _ := format.ExplainError(a.EndpointsErr)
		fare.Note = "as of " + format.Ago(a.EndpointsAt, a.Now) + "; " + what
	default:
		fare.Note = format.Count(len(endpoints), "endpoint") + ", last 7 days"
	}
	if len(endpoints) == 0 {
		return undelivered, fare
	}
	told, of := entryBuilder{
		now:    a.Now,
		codes:  map[string]string{},
		orders: map[string]string{},
	}, entryBuilder{
		now: a.Now,
	}
	missions := make([]Mission, len(a.Known.Missions))
	for i, m := range a.Known.Missions {
		told.codes[m.UUID], told.orders[m.UUID] = m.MissionCode, m.Order.OrderCode
		missions[i] = MissionOf(m)
		missions[i].Unread = true
	}
	for i := range endpoints {
		e := &endpoints[i]
		for j := range e.Log {
			if d := &e.Log[j]; !d.Success && !d.IsPending() {
				told.addCallback(e, d)
			}
		}
		told.addMissing(e, missions, nil)
		of.addEndpoint(e, func(*api.WebhookDelivery) bool { return true }, 0, "nothing sent in 7 days")
	}
	fare.Lines, undelivered.Lines = of.all, undeliveredLines(told.sortEntries(), a.Now)
	undelivered.None = ArrivalSummary(endpoints)
	if len(undelivered.Lines) > 0 {
		undelivered.Note = weekNote(undelivered.Lines)
	}
	return undelivered, fare
}

// weekNote counts the lines of a week, apart from those whose date could not be read.
func weekNote(lines []TimelineEntry) string {
	undated := 0
	for i := range lines {
		if lines[i].At.IsZero() {
			undated++
		}
	}
	note := format.GroupInt(len(lines)-undated) + " in the last 7 days"
	if undated > 0 {
		note += fmt.Sprintf(", %d without a readable date", undated)
	}
	return note
}

// EndpointParts say how an endpoint of the account fares: what it is, and what
// did not arrive there. None are known of one that the account has not.
func (a *AccountHealth) EndpointParts(uuid string) []ReportPart {
	i := slices.IndexFunc(a.Endpoints, func(e Endpoint) bool { return e.UUID == uuid })
	if i < 0 {
		return nil
	}
	undelivered, fare := a.endpointParts(a.Endpoints[i : i+1])
	fare.Note = a.Endpoints[i].URL
	return []ReportPart{fare, undelivered}
}

// AccountParts say how the account is: what did not arrive in the last days, the newest first, the
// missions in trouble, the endpoints, what else is to be said of the account, and its orders.
func (a *AccountHealth) AccountParts(more ...ReportPart) []ReportPart {
	undelivered, fare := a.endpointParts(a.Endpoints)
	return append(append([]ReportPart{undelivered, a.troubledPart(), fare}, more...), a.ordersPart())
}

// addEndpoint adds an endpoint with what became of the rows of its log that are about something.
func (t *entryBuilder) addEndpoint(
	e *Endpoint,
	about func(*api.WebhookDelivery) bool,
	missing int,
	idle string,
) {
	n, all := map[string]int{"missing": missing}, missing
	for j := range e.Log {
		if d := &e.Log[j]; about(d) {
			n[columns.CallbackStatus(d)]++
			all++
		}
	}
	var counts []string
	for _, outcome := range append(columns.CallbackStatuses(), "missing") {
		if n[outcome] > 0 {
			counts = append(counts, fmt.Sprint(n[outcome], " ", outcome))
		}
	}
	failed := n[columns.CallbackFailed]
	if failed > 0 && failed == all {
		counts = []string{fmt.Sprintf("%d of %d failed", failed, all)}
	}
	glyph, role, right, last := "✓", format.Good, strings.Join(counts, ", "), textOrEmpty(e.LastStatus)
	switch {
	case e.LogErr != nil:
		glyph, role, right = "?", format.Text, "log could not be loaded"
	case failed > 0 && last == "failed":
		glyph, role, right = "✗", format.Bad, right+", including the last"
	case missing > 0:
		glyph, role = "✗", format.Bad
	case failed > 0:
		glyph, role = "!", format.Attention
	case len(counts) == 0:
		glyph, role, right = "–", format.Muted, idle
	}
	x := t.add("", "endpoint "+e.UUID, time.Time{}, glyph, role, "", ShortAddress(e.URL),
		"url", e.URL,
		"description", e.Description,
		"status", e.Status,
		"last callback", last,
		"events", strings.ReplaceAll(columns.JoinValues(e.Events), " ", ", "),
		"registered", t.fullTime(e.CreatedAt.Time),
		"endpoint ID", e.UUID)
	x.Right, x.Endpoint, x.Err = right, e.UUID, e.LogErr
}

// troubledPart returns the missions that are late or stuck, the late ones first and then
// by deadline.
func (a *AccountHealth) troubledPart() ReportPart {
	p := ReportPart{Title: "Overdue or stalled", None: "No mission is overdue or stalled."}
	switch {
	case a.Known.Listed || len(a.Known.Missions) > 0:
	case a.Known.Err != nil:
		p.None = "Could not load the orders."
	default:
		p.None = "Loading…"
	}
	t := entryBuilder{now: a.Now}
	for _, m := range a.Known.TroubledMissions(a.Now) {
		status := format.Status(m.Status)
		x := t.add(
			"",
			"late "+m.UUID,
			time.Time{},
			"▲",
			columns.TroubleTone(m.Why),
			m.MissionCode,
			m.MissionName,
			"order",
			strings.TrimSpace(m.Order.OrderCode+" "+m.Order.OrderName),
			"status",
			status.DetailText(),
			"description",
			status.Description,
			"operator",
			textOrEmpty(m.OperatorName),
			"flight",
			a.Units.MomentAt(m.FlightDate.Time, a.Now, m.SiteZone()),
			"deadline",
			format.Date(m.Deadline(), a.Now),
			"changed",
			t.fullTime(m.UpdatedAt.Time),
			"problem",
			m.Why.Text,
		)
		x.Right, x.Order, x.Mission = m.Why.Text, m.Order.OrderCode, m.UUID
	}
	if p.Lines = t.all; len(t.all) > 0 {
		p.Note = format.Count(len(t.all), "mission")
	}
	return p
}

// ScopesPart returns what a key allows. None are those of an account that is read with
// the key of the operations API.
func ScopesPart(of session.Permissions) ReportPart {
	p := ReportPart{Title: "Key permissions", None: "Checking…"}
	if of.Err != nil {
		p.None = notLoaded(of.Err)
	}
	if len(of.Grants) < len(api.Scopes()) {
		return p
	}
	var t entryBuilder
	for _, s := range of.Grants {
		glyph, role := "?", format.Attention
		switch s.Grant {
		case api.Granted:
			glyph, role = "✓", format.Good
		case api.NotGranted:
			glyph, role = "✗", format.Bad
		}
		x := t.add(
			"",
			"scope "+string(s.Scope),
			time.Time{},
			glyph,
			role,
			string(s.Scope),
			format.Word(s.Scope).Description,
			"this key",
			s.Grant.String(),
		)
		x.Right, x.Err, x.Scope = s.Grant.String(), s.Err, s.Scope
		if s.Scope == api.ScopeWebhooksWrite && s.Grant == api.NotKnown {
			x.Right = "unknown until used" // no read needs it
		}
		x.Said = "Checked with a read request; nothing is changed."
	}
	p.Lines = t.all
	return p
}

// ordersPart counts the orders by status, in the order of a life.
func (a *AccountHealth) ordersPart() ReportPart {
	p, v := ReportPart{Title: "Orders by status", None: "No orders yet."}, a.Known
	switch {
	case len(v.Orders) == 0 && v.Err != nil:
		p.None = "Could not load the orders."
	case len(v.Orders) == 0 && !v.Listed:
		p.None = "Loading…"
	case !v.Listed || v.More:
		p.Note = format.GroupInt(len(v.Orders)) + " loaded so far"
	case len(v.Orders) > 0:
		p.Note = format.Count(len(v.Orders), "order") + ", without those only in the v2 API"
	}
	n, statuses := map[api.OrderStatus]int{}, api.OrderStatuses()
	for i := range v.Orders {
		s := v.Orders[i].Status
		if n[s]++; !slices.Contains(statuses, s) {
			statuses = append(statuses, s)
		}
	}
	var t entryBuilder
	for _, s := range statuses {
		if n[s] > 0 {
			st := format.Status(s)
			x := t.add(
				"",
				"status "+string(s),
				time.Time{},
				st.Glyph,
				st.Role,
				st.Label,
				st.Description,
			)
			x.Right, x.Status = format.GroupInt(n[s]), s
		}
	}
	p.Lines = t.all
	return p
}

// RequestsPart returns the limits that the requests of this run met, of which the newest is the first.
func RequestsPart(kept []*session.Exchange, now time.Time) ReportPart {
	var failed, silent int
	var slowed, large []*session.Exchange
	for _, x := range kept {
		switch x.Status {
		case http.StatusTooManyRequests:
			slowed = append(slowed, x)
		case http.StatusRequestEntityTooLarge, http.StatusInsufficientStorage:
			large = append(large, x)
		}
		switch {
		case x.Status == 0:
			silent++
		case x.Failed() && x.Status != http.StatusNotFound: // to be not there is an answer
			failed++
		}
	}
	limits, fields := rateLimits(kept)
	t := entryBuilder{now: now}
	glyph, role, what := "✓", format.Good, ", none failed"
	if failed+silent > 0 {
		glyph, role = "!", format.Attention
		what = fmt.Sprintf(": %d rejected or failed, %d without a response", failed, silent)
	}
	x := t.add(FromWire, "all", time.Time{}, glyph, role, "requests", format.GroupInt(len(kept))+what)
	x.Right = "w to show"
	glyph, role, what = "✓", format.Good, "not reached: no 429 responses"
	if n := len(slowed); n > 0 {
		glyph, role, what = "!", format.Bad, "reached: "+format.Count(n, "response")+" of 429"
		if wait := session.HeaderValue(slowed[0].ResponseHeader, "Retry-After"); wait != "" {
			what += ", last: wait " + wait + " s"
		}
	}
	what += textAfter("; ", strings.Join(limits, ", "))
	x = t.add(FromWire, "limited", time.Time{}, glyph, role, "rate limit", what, fields...)
	if x.Query = "code:429"; limits == nil {
		x.Said = "No response had a rate limit header."
	}
	if n := len(large); n > 0 {
		what = format.Count(n, "request was", "requests were") + " too large or not to be stored"
		x = t.add(FromWire, "large", time.Time{}, "!", format.Bad, "size", what)
		x.Exchange, x.Right = large[0], format.Ago(large[0].At, now)
	}
	return ReportPart{Title: "Requests and limits", Lines: t.all}
}

// rateLimits returns the limits that the service told last, and the headers that told them, each
// followed by its value.
func rateLimits(kept []*session.Exchange) (limits, headers []string) {
	for _, x := range kept {
		for _, h := range x.ResponseHeader {
			if name, is := limitName(h.Name); is {
				limits, headers = append(
					limits,
					name+" "+h.Value,
				), append(
					headers,
					strings.ToLower(h.Name),
					h.Value,
				)
			}
		}
		if limits != nil {
			return limits, append(headers, "Source", x.Method+" "+x.Path)
		}
	}
	return nil, nil
}

// limitName returns what a header of a rate limit tells, and whether it is one.
func limitName(header string) (name string, is bool) {
	name = strings.ReplaceAll(
		strings.TrimPrefix(strings.ToLower(header), "x-"),
		"rate-limit",
		"ratelimit",
	)
	rest, is := strings.CutPrefix(name, "ratelimit")
	return strings.TrimPrefix(rest, "-"), is
}
