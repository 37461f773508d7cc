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

// week is how far back the logs of endpoints are looked through for an account.
const week = 7 * 24 * time.Hour

const noEndpoints = "No endpoints registered; no events are sent."

// AccountHealth is how an account stands: its endpoints with what they were sent in a
// week, its orders and their missions.
type AccountHealth struct {
	Endpoints []*Endpoint
	State     cache.EntryState // of the endpoints
	Known     *cache.CacheView
	missions  []*Mission // of Known, the last changed with planning and packages
	Now       time.Time
	Units     format.Units

	Failures      cache.ListRows[ops.LoggedRequest] // requests that failed, newest first
	FailuresState cache.EntryState
	HasRequests   bool // the service's log of requests is read
}

// AccountNeeds returns what an account is made of.
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

// RereadFrom takes what is known by now. Endpoints that cannot be read again stay as
// they were.
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

// accountMissions returns missions as the callbacks of an account are judged by: those that
// changed last with their planning and packages, the others by their status.
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

// reasonForNone says why there are no lines in a part: it could not be read, or it is not read
// yet, or there is nothing.
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

// undeliveredPart returns the callbacks and completion notices that failed or are missing, the
// newest first.
func undeliveredPart(entries []TimelineEntry, none string, now time.Time) ReportPart {
	p := ReportPart{Title: "Failed and missing callbacks", None: none}
	for _, e := range slices.Backward(entries) {
		if e.Source == FromGap || e.Sending != nil && e.Failed {
			e.Right = format.Age(e.At, now)
			p.Lines = append(p.Lines, e)
		}
	}
	return p
}

// endpointParts returns what did not arrive at endpoints, and how they fare.
func (a *AccountHealth) endpointParts(endpoints []*Endpoint) (undelivered, fare ReportPart) {
	none := reasonForNone(a.State.Err, !a.State.ReadAt.IsZero(), noEndpoints)
	facts := &SubjectFacts{Units: a.Units, Endpoints: endpoints, OrderErr: a.Known.Err, Missions: a.missions}
	told := newBuilder(facts, a.Now)
	told.addEndpoints(endpoints, func(d *api.WebhookDelivery) bool { return columns.CallbackStatus(d) == columns.CallbackFailed })
	entries := told.sortEntries()
	fare = facts.endpointsPart(nil, entries, none, "nothing sent in 7 days", a.Now)
	if a.State.ReadAt.IsZero() {
		fare.Note = ""
	} else if a.State.Err != nil {
		what, _ := format.ExplainError(a.State.Err)
		fare.Note = "as of " + format.Ago(a.State.ReadAt, a.Now) + "; " + what
	} else {
		fare.Note += ", last 7 days"
	}
	if len(endpoints) > 0 {
		none = facts.unknownIfUnread(ArrivalSummary(endpoints))
	}
	undelivered = undeliveredPart(entries, none, a.Now)
	undelivered.Note = "last 7 days"
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
	i := slices.IndexFunc(a.Endpoints, func(e *Endpoint) bool { return e.UUID == uuid })
	if i < 0 {
		return nil
	}
	undelivered, fare := a.endpointParts(a.Endpoints[i : i+1])
	fare.Note = a.Endpoints[i].URL
	return []ReportPart{fare, undelivered}
}

// AccountParts say how the account is: what did not arrive in the last days, the newest first, the
// missions in trouble, the endpoints, its requests that failed, what else is to be said of the
// account, and its orders.
func (a *AccountHealth) AccountParts(more ...ReportPart) []ReportPart {
	undelivered, fare := a.endpointParts(a.Endpoints)
	parts := []ReportPart{undelivered, a.troubledPart(), fare}
	if a.HasRequests {
		parts = append(parts, a.failuresPart())
	}
	return append(append(parts, more...), a.ordersPart())
}

// ReportParts returns the parts of a report on the subject: its missions, missing and
// failed callbacks, and what each endpoint received.
func (f *SubjectFacts) ReportParts(entries []TimelineEntry, now time.Time) []ReportPart {
	missions := entryBuilder{now: now}
	for _, m := range f.Missions {
		st := format.Status(m.Status)
		flight := ""
		what := m.MissionName + "  " + st.Label + " · " + st.Description + textAfter(", ", format.ValueOf(m.OperatorName))
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

// endpointsPart returns the endpoints with what became of the rows of their logs that are about
// something, or with nil of all, and how many are missing among the entries.
func (f *SubjectFacts) endpointsPart(
	about func(*api.WebhookDelivery) bool, entries []TimelineEntry, none, idle string, now time.Time,
) ReportPart {
	t := entryBuilder{now: now}
	for _, e := range f.Endpoints {
		n := map[string]int{
			columns.CallbackMissing: e.countEntries(entries, func(x *TimelineEntry) bool { return x.Source == FromGap }),
		}
		for i := range e.Log {
			if d := &e.Log[i]; about == nil || about(d) {
				n[columns.CallbackStatus(d)]++
				if d.IsPending() && format.ValueOf(d.Attempts) > 0 {
					n[retried]++
				}
			}
		}
		t.addEndpoint(e, n, idle)
		if f.unreadSource() != "" {
			t.markUnknown()
		}
	}
	return ReportPart{"Endpoints", format.Count(len(f.Endpoints), "endpoint"), none, t.all}
}

// retried counts the callbacks that are being sent and whose attempts so far failed.
const retried = "retried"

// unreadSource names a source that says which callbacks should have been sent and could not
// be read, "" if all were read.
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

// unknownIfUnread returns what is said if no callback failed or is missing: that this is
// unknown if a source could not be read, otherwise none.
func (f *SubjectFacts) unknownIfUnread(none string) string {
	source := f.unreadSource()
	if source == "" {
		return none
	}
	return "Unknown whether callbacks are missing: " + source + " could not be loaded."
}

// markUnknown marks the endpoint that was added last: nothing is known to be wrong with it,
// but callbacks that are missing would not be known.
func (t *entryBuilder) markUnknown() {
	last := &t.all[len(t.all)-1]
	if last.Role != format.Good && last.Role != format.Muted && last.Role != format.Pending {
		return
	}
	last.Glyph = "?"
	last.Role = format.Attention
	last.Right = strings.TrimPrefix(last.Right+", missing unknown", ", ")
}

// addEndpoint adds an endpoint with what became of its callbacks, counted by their outcomes.
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
		right = right + lastFailed
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

// troubledPart returns the missions that are late or stuck, the late ones first and then
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

// ScopesPart returns what a key allows. None are those of an account that is read with
// the key of the operations API.
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
			right = "unknown until used" // no read needs it
		}
		x := t.addLine("scope "+string(s.Scope), glyph, role, string(s.Scope), format.Word(s.Scope).Description, right,
			[2]string{"This key", s.Grant.String()})
		x.Err = s.Err
		x.Scope = s.Scope
		x.Said = "Checked with a read request; nothing is changed."
	}
	p.Lines = t.all
	return p
}

// ordersPart counts the orders by status, in the order of a life.
func (a *AccountHealth) ordersPart() ReportPart {
	v := a.Known
	p := ReportPart{Title: "Orders by status", None: reasonForNone(v.Err, v.Listed, "No orders yet.")}
	switch {
	case len(v.Orders) == 0:
	case !v.Listed || v.More:
		p.Note = format.GroupInt(len(v.Orders)) + " loaded so far"
	default:
		p.Note = format.Count(len(v.Orders), "order") + ", without those only in the v2 API"
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
		if st := format.Status(s); n[s] > 0 {
			t.addLine("status "+string(s), st.Glyph, st.Role, st.Label, st.Description,
				format.GroupInt(n[s])).Status = s
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
		if x.Status == 0 {
			silent++
		} else if x.Failed() && x.Status != http.StatusNotFound { // to be not there is an answer
			failed++
		}
	}
	limits, fields := rateLimits(kept)
	t := entryBuilder{now: now}
	glyph := "✓"
	role := format.Good
	what := ", none failed"
	if failed+silent > 0 {
		glyph = "!"
		role = format.Attention
		what = fmt.Sprintf(": %d rejected or failed, %d without a response", failed, silent)
	}
	x := t.add(FromWire, "all", time.Time{}, glyph, role, "requests", format.GroupInt(len(kept))+what, nil)
	x.Right = "w to show"
	glyph = "✓"
	role = format.Good
	what = "not reached: no 429 responses"
	if n := len(slowed); n > 0 {
		glyph = "!"
		role = format.Bad
		what = "reached: " + format.Count(n, "response") + " of 429"
		if wait := session.HeaderValue(slowed[0].ResponseHeader, "Retry-After"); wait != "" {
			what += ", last: wait " + wait + " s"
		}
	}
	what += textAfter("; ", strings.Join(limits, ", "))
	x = t.add(FromWire, "limited", time.Time{}, glyph, role, "rate limit", what, fields)
	x.Query = "code:429"
	if limits == nil {
		x.Said = "No response had a rate limit header."
	}
	if n := len(large); n > 0 {
		what = format.Count(n, "request was", "requests were") + " too large or not to be stored"
		x = t.add(FromWire, "large", time.Time{}, "!", format.Bad, "size", what, nil)
		x.Exchange = large[0]
		x.Right = format.Ago(large[0].At, now)
	}
	return ReportPart{Title: "Requests and limits", Lines: t.all}
}

// rateLimits returns the limits that the service told last, and the headers that told them.
func rateLimits(kept []*session.Exchange) (limits []string, headers [][2]string) {
	for _, x := range kept {
		for _, h := range x.ResponseHeader {
			name := strings.ToLower(h.Name)
			of := strings.ReplaceAll(strings.TrimPrefix(name, "x-"), "rate-limit", "ratelimit")
			if rest, is := strings.CutPrefix(of, "ratelimit"); is {
				limits = append(limits, strings.TrimPrefix(rest, "-")+" "+h.Value)
				headers = append(headers, [2]string{name, h.Value})
			}
		}
		if limits != nil {
			return limits, append(headers, [2]string{"Source", x.Method + " " + x.Path})
		}
	}
	return nil, nil
}
