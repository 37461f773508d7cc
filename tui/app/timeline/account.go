package timeline

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// week is the period for which an account's callbacks are checked.
const week = 7 * 24 * time.Hour

const noEndpoints = "No endpoints registered; no events are sent."

// AccountHealth is the state of an account: its endpoints with their callbacks of a week,
// its orders and its missions.
type AccountHealth struct {
	Endpoints []*Endpoint
	State     cache.EntryState // of the endpoints
	Known     *cache.CacheView
	missions  []*Mission // of Known; those that changed last have planning and packages
	Now       time.Time
	Units     format.Units

	Failures      cache.ListRows[ops.LoggedRequest] // requests that failed, newest first
	FailuresState cache.EntryState
	HasRequests   bool // the request log of the service is available
}

// AccountNeeds returns what to load for an [AccountHealth].
func AccountNeeds(c *cache.Cache, now time.Time) []cache.Need {
	_, needs, _ := EndpointsOf(c, now.Add(-week))
	needs = append(needs, c.AllOrders())
	account, accountNeeds := c.AccountUID()
	needs = append(needs, accountNeeds...)
	if account != "" {
		needs = append(needs, c.Operations.Failures.NeedOf(account))
	}
	for _, m := range LastChanged(c.Now().Missions, now.Add(-week)) {
		needs = append(needs, NeedFacts(c, m)...)
	}
	return needs
}

// RereadFrom updates everything from the cache. Endpoints that could not be loaded again
// stay unchanged.
func (a *AccountHealth) RereadFrom(c *cache.Cache, now time.Time) {
	a.Known = c.Now()
	a.Now = now
	endpoints, _, state := EndpointsOf(c, now.Add(-week))
	if state.ReadAt.IsZero() {
		state.ReadAt = a.State.ReadAt
	} else {
		a.Endpoints = endpoints
	}
	a.State = state
	a.missions = accountMissions(c, a.Known.Missions, now.Add(-week))
	account, _ := c.AccountUID()
	if account == "" {
		return
	}
	a.HasRequests = true
	a.Failures, a.FailuresState = c.Operations.Failures.Get(account)
}

// accountMissions returns the missions for which callbacks are expected: those that
// changed last with planning and packages, the others with their status only.
func accountMissions(c *cache.Cache, known []*cache.Mission, since time.Time) []*Mission {
	dated := map[string]bool{}
	for _, m := range LastChanged(known, since) {
		dated[m.UUID] = true
	}
	var all []*Mission
	for _, m := range known {
		one := MissionOf(m)
		one.Unread = true
		if dated[m.UUID] {
			one = MissionFacts(c, m)
		}
		all = append(all, one)
	}
	return all
}

// reasonForNone returns why a part has no lines: it could not be loaded, it is not loaded
// yet, or, with the text none, there is nothing.
func reasonForNone(err error, isRead bool, none string) string {
	if isRead {
		return none
	}
	if err != nil {
		what, _ := format.ExplainError(err)
		return "Could not load: " + what
	}
	return "Loading…"
}

// undeliveredPart returns the callbacks and completion notices that failed or are
// missing, newest first.
func undeliveredPart(entries []TimelineEntry, none string, now time.Time) ReportPart {
	p := ReportPart{Title: "Failed and missing callbacks", None: none}
	for _, e := range slices.Backward(entries) {
		if e.Source == FromMissing || e.Sending != nil && e.Failed {
			e.Right = format.Age(e.At, now)
			p.Lines = append(p.Lines, e)
		}
	}
	return p
}

// endpointParts returns the undelivered callbacks to endpoints, and the state of each
// endpoint.
func (a *AccountHealth) endpointParts(endpoints []*Endpoint) (undelivered, states ReportPart) {
	none := reasonForNone(a.State.Err, !a.State.ReadAt.IsZero(), noEndpoints)
	facts := &SubjectFacts{Units: a.Units, Endpoints: endpoints, OrderErr: a.Known.Err, Missions: a.missions}
	t := newBuilder(facts, a.Now)
	isFailed := func(d *api.WebhookDelivery) bool { return columns.CallbackStatus(d) == columns.CallbackFailed }
	t.addEndpoints(endpoints, isFailed)
	entries := t.sortEntries()
	states = facts.endpointsPart(nil, entries, none, "nothing sent in 7 days", a.Now)
	if a.State.ReadAt.IsZero() {
		states.Note = ""
	} else if a.State.Err != nil {
		what, _ := format.ExplainError(a.State.Err)
		states.Note = "as of " + format.Ago(a.State.ReadAt, a.Now) + "; " + what
	} else {
		states.Note += ", last 7 days"
	}
	if len(endpoints) > 0 {
		none = facts.unknownIfUnread(ArrivalSummary(endpoints))
	}
	undelivered = undeliveredPart(entries, none, a.Now)
	undelivered.Note = "last 7 days"
	if len(undelivered.Lines) > 0 {
		undelivered.Note = weekNote(undelivered.Lines)
	}
	return undelivered, states
}

// weekNote counts the lines of a week. Lines without a readable date are counted
// separately.
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

// EndpointParts returns the state of an endpoint and its undelivered callbacks. It
// returns nil if the account does not have the endpoint.
func (a *AccountHealth) EndpointParts(uuid string) []ReportPart {
	i := slices.IndexFunc(a.Endpoints, func(e *Endpoint) bool { return e.UUID == uuid })
	if i < 0 {
		return nil
	}
	undelivered, states := a.endpointParts(a.Endpoints[i : i+1])
	states.Note = a.Endpoints[i].URL
	return []ReportPart{states, undelivered}
}

// AccountParts returns the parts of a report on the account: undelivered callbacks,
// overdue and stalled missions, endpoints, failed requests, more parts, and orders.
func (a *AccountHealth) AccountParts(more ...ReportPart) []ReportPart {
	undelivered, states := a.endpointParts(a.Endpoints)
	parts := []ReportPart{undelivered, a.troubledPart(), states}
	if a.HasRequests {
		parts = append(parts, a.failuresPart())
	}
	parts = append(parts, more...)
	return append(parts, a.ordersPart())
}

// ReportParts returns the parts of a report on the subject: its missions, missing and
// failed callbacks, and the state of each endpoint.
func (f *SubjectFacts) ReportParts(entries []TimelineEntry, now time.Time) []ReportPart {
	missions := entryBuilder{now: now}
	for _, m := range f.Missions {
		st := format.Status(m.Status)
		flight := ""
		operator := format.ValueOf(m.OperatorName)
		what := m.MissionName + "  " + st.Label + " · " + st.Description + textAfter(", ", operator)
		if !m.FlightDate.IsZero() {
			flight = "flight " + format.Moment(m.FlightDate.Time, now)
		}
		missions.addLine(m.UUID, st.Glyph, st.Role, m.MissionCode, strings.TrimSpace(what), flight)
	}
	undelivered := undeliveredPart(entries, f.unknownIfUnread("None known."), now)
	undelivered.Note = format.Count(len(undelivered.Lines), "callback")
	none := reasonForNone(f.EndpointsErr, f.EndpointsErr == nil, noEndpoints)
	return []ReportPart{
		{"Missions", format.Count(len(f.Missions), "mission"), "None.", missions.all},
		undelivered, f.endpointsPart(f.IsAbout, entries, none, "nothing sent", now),
	}
}

// endpointsPart returns the endpoints with the number of callbacks in each state. It
// counts the rows for which about returns true, or all rows if it is nil, and the missing
// callbacks among the entries.
func (f *SubjectFacts) endpointsPart(
	about func(*api.WebhookDelivery) bool, entries []TimelineEntry, none, idle string, now time.Time,
) ReportPart {
	t := entryBuilder{now: now}
	isMissing := func(x *TimelineEntry) bool { return x.Source == FromMissing }
	for _, e := range f.Endpoints {
		n := map[string]int{columns.CallbackMissing: e.countEntries(entries, isMissing)}
		for i := range e.Log {
			d := &e.Log[i]
			if about != nil && !about(d) {
				continue
			}
			n[columns.CallbackStatus(d)]++
			if d.IsPending() && format.ValueOf(d.Attempts) > 0 {
				n[retried]++
			}
		}
		t.addEndpoint(e, n, idle)
		if f.unreadSource() != "" {
			t.markUnknown()
		}
	}
	return ReportPart{"Endpoints", format.Count(len(f.Endpoints), "endpoint"), none, t.all}
}

// retried counts the callbacks that are still being sent after failed attempts.
const retried = "retried"

// unreadSource returns the name of a source that could not be read and is needed to know
// which callbacks are expected. It returns "" if all were read.
func (f *SubjectFacts) unreadSource() string {
	if f.OrderErr != nil {
		return "orders"
	}
	for _, m := range f.Missions {
		if m.PlanningErr != nil {
			return strings.TrimSpace("planning of " + m.MissionCode)
		}
		if m.PackagesErr != nil {
			return strings.TrimSpace("deliveries of " + m.MissionCode)
		}
	}
	return ""
}

// unknownIfUnread returns the text for a part without failed or missing callbacks: that
// this is unknown if a source could not be read, otherwise none.
func (f *SubjectFacts) unknownIfUnread(none string) string {
	source := f.unreadSource()
	if source == "" {
		return none
	}
	return "Unknown whether callbacks are missing: " + source + " could not be loaded."
}

// markUnknown marks the last endpoint if nothing is known to be wrong with it: its
// missing callbacks are unknown.
func (t *entryBuilder) markUnknown() {
	last := &t.all[len(t.all)-1]
	if last.Role != format.Good && last.Role != format.Muted && last.Role != format.Pending {
		return
	}
	last.Glyph = "?"
	last.Role = format.Attention
	last.Right = strings.TrimPrefix(last.Right+", missing unknown", ", ")
}

// addEndpoint adds an endpoint with the number of callbacks in each state.
func (t *entryBuilder) addEndpoint(e *Endpoint, n map[string]int, idle string) {
	var counts []string
	for _, outcome := range append(columns.CallbackStatuses(), columns.CallbackMissing) {
		if n[outcome] > 0 {
			counts = append(counts, fmt.Sprint(n[outcome], " ", outcome))
		}
	}
	failed := n[columns.CallbackFailed]
	if failed > 0 && len(counts) == 1 {
		counts = []string{fmt.Sprintf("%d of %[1]d failed", failed)}
	}
	if n[retried] > 0 {
		counts = append(counts, fmt.Sprint(n[retried], " after failed attempts"))
	}
	glyph := "✓"
	role := format.Good
	right := strings.Join(counts, ", ")
	last := format.ValueOf(e.LastStatus)
	lastFailed := ", including the last"
	if n[columns.CallbackMissing] > 0 {
		lastFailed = ", last one failed"
	}
	switch {
	case e.LogErr != nil:
		glyph = "?"
		role = format.Text
		right = "log could not be loaded"
	case failed > 0 && last == "failed":
		glyph = "✗"
		role = format.Bad
		right += lastFailed
	case n[columns.CallbackMissing] > 0:
		glyph = "✗"
		role = format.Bad
	case failed > 0:
		glyph = "!"
		role = format.Attention
	case n[retried] > 0:
		glyph = "!"
		role = format.Attention
	case counts == nil:
		glyph = "–"
		role = format.Muted
		right = idle
	case n[columns.CallbackDelivered] == 0:
		glyph = "◌"
		role = format.Pending
	}
	x := t.addLine("endpoint "+e.UUID, glyph, role, "", ShortAddress(e.URL), right,
		factsOf(t, columns.Endpoints(), &e.WebhookEndpoint)...)
	x.Endpoint = e.UUID
	x.Err = e.LogErr
}

// troubledPart returns the missions that are late or stalled: the late ones first, then
// by deadline.
func (a *AccountHealth) troubledPart() ReportPart {
	v := a.Known
	t := entryBuilder{now: a.Now}
	for _, m := range v.TroubledMissions(a.Now) {
		x := t.addLine("late "+m.UUID, "▲", columns.TroubleTone(m.Why), m.MissionCode, m.MissionName, m.Why.Text,
			factsOf(&t, columns.InUnits(columns.MissionsOfOrders(t.clock), a.Units), m.Mission)...)
		x.Order = m.Order.OrderCode
		x.Mission = m.UUID
	}
	none := reasonForNone(v.Err, v.Listed || len(v.Missions) > 0, "No mission is overdue or stalled.")
	p := ReportPart{Title: "Overdue or stalled", None: none, Lines: t.all}
	if n := len(t.all); n > 0 {
		p.Note = format.Count(n, "mission")
	}
	return p
}

// ScopesPart returns what a key allows. It has no lines for an account that is read with
// the operations key.
func ScopesPart(of session.Permissions) ReportPart {
	p := ReportPart{Title: "Key permissions", None: "Checking…"}
	if of.Err != nil {
		p.None = reasonForNone(of.Err, false, "")
	}
	if len(of.Grants) < len(api.Scopes()) {
		return p
	}
	var t entryBuilder
	for _, s := range of.Grants {
		glyph := "?"
		role := format.Attention
		right := s.Grant.String()
		if s.Grant == api.Granted {
			glyph = "✓"
			role = format.Good
		} else if s.Grant == api.NotGranted {
			glyph = "✗"
			role = format.Bad
		} else if s.Scope == api.ScopeWebhooksWrite {
			right = "unknown until used" // no read request needs this scope
		}
		x := t.addLine("scope "+string(s.Scope), glyph, role, string(s.Scope), format.Word(s.Scope).Description, right,
			[2]string{"This key", s.Grant.String()})
		x.Err = s.Err
		x.Scope = s.Scope
		x.Note = "Checked with a read request; nothing is changed."
	}
	p.Lines = t.all
	return p
}

// ordersPart returns the number of orders in each status, in the order in which an order
// goes through them.
func (a *AccountHealth) ordersPart() ReportPart {
	v := a.Known
	p := ReportPart{Title: "Orders by status", None: reasonForNone(v.Err, v.Listed, "No orders yet.")}
	if len(v.Orders) == 0 {
		return p
	}
	p.Note = format.Count(len(v.Orders), "order") + ", without those only in the v2 API"
	if !v.Listed || v.More {
		p.Note = format.GroupInt(len(v.Orders)) + " loaded so far"
	}
	n := map[api.OrderStatus]int{}
	statuses := api.OrderStatuses()
	for i := range v.Orders {
		s := v.Orders[i].Status
		n[s]++
		if !slices.Contains(statuses, s) {
			statuses = append(statuses, s)
		}
	}
	var t entryBuilder
	for _, s := range statuses {
		if n[s] == 0 {
			continue
		}
		st := format.Status(s)
		line := t.addLine("status "+string(s), st.Glyph, st.Role, st.Label, st.Description, format.GroupInt(n[s]))
		line.Status = s
	}
	p.Lines = t.all
	return p
}

// RequestsPart returns the limits that the requests of this app have met. The exchanges
// must be sorted newest first.
func RequestsPart(kept []*session.Exchange, now time.Time) ReportPart {
	t := entryBuilder{now: now}
	t.addRequestCount(kept)
	t.addRateLimit(kept)
	t.addSizeLimit(kept)
	return ReportPart{Title: "Requests and limits", Lines: t.all}
}

// addRequestCount adds a line with the number of requests and of failures.
func (t *entryBuilder) addRequestCount(kept []*session.Exchange) {
	failed := 0
	unanswered := 0
	for _, x := range kept {
		if x.Status == 0 {
			unanswered++
		} else if x.Failed() && x.Status != http.StatusNotFound { // 404 is an expected response
			failed++
		}
	}
	glyph := "✓"
	role := format.Good
	what := format.GroupInt(len(kept)) + ", none failed"
	if failed+unanswered > 0 {
		glyph = "!"
		role = format.Attention
		what = fmt.Sprintf("%s: %d rejected or failed, %d without a response",
			format.GroupInt(len(kept)), failed, unanswered)
	}
	x := t.add(FromRequest, "all", time.Time{}, glyph, role, "requests", what, nil)
	x.Right = "w to show"
}

// addRateLimit adds a line with the rate limit and whether it was reached.
func (t *entryBuilder) addRateLimit(kept []*session.Exchange) {
	var limited []*session.Exchange
	for _, x := range kept {
		if x.Status == http.StatusTooManyRequests {
			limited = append(limited, x)
		}
	}
	glyph := "✓"
	role := format.Good
	what := "not reached: no 429 responses"
	if len(limited) > 0 {
		glyph = "!"
		role = format.Bad
		what = "reached: " + format.Count(len(limited), "response") + " of 429"
		wait := session.HeaderValue(limited[0].ResponseHeader, "Retry-After")
		if wait != "" {
			what += ", last: wait " + wait + " s"
		}
	}
	limits, fields := rateLimits(kept)
	what += textAfter("; ", strings.Join(limits, ", "))
	x := t.add(FromRequest, "limited", time.Time{}, glyph, role, "rate limit", what, fields)
	x.Query = "code:429"
	if limits == nil {
		x.Note = "No response had a rate limit header."
	}
}

// addSizeLimit adds a line if requests were too large.
func (t *entryBuilder) addSizeLimit(kept []*session.Exchange) {
	var large []*session.Exchange
	for _, x := range kept {
		if x.Status == http.StatusRequestEntityTooLarge || x.Status == http.StatusInsufficientStorage {
			large = append(large, x)
		}
	}
	if len(large) == 0 {
		return
	}
	what := format.Count(len(large), "request was", "requests were") + " too large or not to be stored"
	x := t.add(FromRequest, "large", time.Time{}, "!", format.Bad, "size", what, nil)
	x.Exchange = large[0]
	x.Right = format.Ago(large[0].At, t.now)
}

// rateLimits returns the latest limits from the service, and the headers that contained
// them.
func rateLimits(kept []*session.Exchange) (limits []string, headers [][2]string) {
	for _, x := range kept {
		for _, h := range x.ResponseHeader {
			name := strings.ToLower(h.Name)
			plain := strings.ReplaceAll(strings.TrimPrefix(name, "x-"), "rate-limit", "ratelimit")
			limit, isLimit := strings.CutPrefix(plain, "ratelimit")
			if isLimit {
				limits = append(limits, strings.TrimPrefix(limit, "-")+" "+h.Value)
				headers = append(headers, [2]string{name, h.Value})
			}
		}
		if limits != nil {
			return limits, append(headers, [2]string{"Source", x.Method + " " + x.Path})
		}
	}
	return nil, nil
}
