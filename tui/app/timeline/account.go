package timeline

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// week is how far back callbacks, notices and missions are included in an [AccountHealth].
const week = 7 * 24 * time.Hour

const noEndpoints = "No endpoints registered; no events are sent."

// AccountHealth is the state of an account for a report: its endpoints with the callbacks of the last 7
// days, its orders and its missions. With the operations key it also has the keys of the account, its
// failed requests and failed notices.
type AccountHealth struct {
	Endpoints []*Endpoint
	State     cache.EntryState // of the endpoints
	Known     *cache.CacheView
	missions  []*Mission                   // all missions; only missions that changed lately have planning and packages
	isLoading bool                         // orders, missions, planning or packages are still being loaded
	unread    int                          // number of orders with missions that are neither loaded nor being loaded
	quotes    map[string]format.QuoteState // of orders with undecided quotes, by order ID; nil if unknown
	Now       time.Time
	Units     format.Units

	Notices    []ops.CompletionNotice // failed completion notices of the last 7 days, newest first
	NoticesErr error

	Keys      cache.ListRows[ops.AccountKey] // newest first
	KeysState cache.EntryState

	Failures      cache.ListRows[ops.LoggedRequest] // requests that failed, newest first
	FailuresState cache.EntryState
	HasOperations bool // the operations API knows the account, so its keys and requests can be read
}

// AccountNeeds returns the data that the cache must load for an [AccountHealth].
func AccountNeeds(c *cache.Cache, now time.Time) []cache.Need {
	_, needs, _ := EndpointsOf(c, now.Add(-week))
	needs = append(needs, c.AllOrders())
	if c.HasQuotes() {
		needs = append(needs, c.AllQuotes())
	}
	account, accountNeeds := c.AccountUID()
	needs = append(needs, accountNeeds...)
	if account != "" {
		needs = append(needs, c.Operations.Failures.NeedOf(account), c.Operations.Failed.NeedOf(account),
			c.Operations.Keys.NeedOf(account))
	}
	for _, m := range MissionsToCheck(c.Now().Missions, now.Add(-week)) {
		needs = append(needs, NeedFacts(c, m)...)
	}
	return needs
}

// Update reads the state of the account at the time now from the cache. The data from the operations API can
// only be read if the cache knows the ID of the account. If it does not, Update keeps the previous data from
// this API. The ID is unknown after a new order was placed, until the cache has loaded the order.
func (a *AccountHealth) Update(c *cache.Cache, now time.Time) {
	a.Now = now
	a.Known = c.Now()
	a.updateEndpoints(c)
	a.updateMissions(c)
	open := c.Quotes()
	a.quotes = quoteStates(&open, now)
	account, _ := c.AccountUID()
	if account != "" {
		a.HasOperations = true
		a.updateOperations(c.Operations, account)
	}
}

// weekAgo returns the earliest time of the included callbacks, notices and changes of missions.
func (a *AccountHealth) weekAgo() time.Time { return a.Now.Add(-week) }

// updateEndpoints updates the endpoints with their callbacks of the last 7 days. If the endpoints could
// not be loaded again, the earlier endpoints stay, and State.ReadAt says when they were loaded.
func (a *AccountHealth) updateEndpoints(c *cache.Cache) {
	endpoints, _, state := EndpointsOf(c, a.weekAgo())
	wasRead := !state.ReadAt.IsZero()
	if wasRead {
		a.Endpoints = endpoints
	} else {
		state.ReadAt = a.State.ReadAt
	}
	a.State = state
}

// updateMissions updates the missions, and whether some of their data is not loaded. The missions show
// which callbacks are expected.
func (a *AccountHealth) updateMissions(c *cache.Cache) {
	areOrdersLoading := !a.Known.Listed && a.Known.Err == nil
	missions, arePartsLoading := accountMissions(c, a.Known.Missions, a.weekAgo())
	areMissionsLoading, unread := a.countUnread(c)
	a.missions = missions
	a.unread = unread
	a.isLoading = areOrdersLoading || arePartsLoading || areMissionsLoading
}

// updateOperations updates the keys, failed requests and failed notices of the account with the given UUID.
func (a *AccountHealth) updateOperations(operations *cache.OperationsCache, account string) {
	a.Keys, a.KeysState = operations.Keys.Get(account)
	a.Failures, a.FailuresState = operations.Failures.Get(account)
	failed, state := operations.Failed.Get(account)
	a.Notices = noticesSince(failed.Items, a.weekAgo())
	a.NoticesErr = state.Err
}

// noticesSince returns the notices that were created at or after the time since.
func noticesSince(notices []ops.CompletionNotice, since time.Time) []ops.CompletionNotice {
	var recent []ops.CompletionNotice
	for i := range notices {
		if !notices[i].CreatedAt.Before(since) {
			recent = append(recent, notices[i])
		}
	}
	return recent
}

// accountMissions returns the missions that show which callbacks are expected. Only missions that changed
// after the time since have their planning and packages, see [MissionsToCheck]. isLoading reports whether
// some planning or packages are still being loaded.
func accountMissions(
	c *cache.Cache, known []*cache.Mission, since time.Time,
) (missions []*Mission, isLoading bool) {
	hasChanged := map[string]bool{} // by UUID
	for _, m := range MissionsToCheck(known, since) {
		hasChanged[m.UUID] = true
	}
	for _, m := range known {
		if hasChanged[m.UUID] {
			facts := MissionFacts(c, m)
			hasFailed := facts.PlanningErr != nil || facts.PackagesErr != nil
			isLoading = isLoading || facts.Unread && !hasFailed
			missions = append(missions, facts)
			continue
		}
		mission := MissionOf(m)
		mission.Unread = true
		missions = append(missions, mission)
	}
	return missions, isLoading
}

// reasonForNone returns the text for a part of a report that has no lines. If the data was loaded, that is
// emptyText. Otherwise the text says that the data is being loaded or could not be loaded.
func reasonForNone(err error, isRead bool, emptyText string) string {
	if isRead {
		return emptyText
	}
	if err != nil {
		return couldNotLoad(err)
	}
	return "Loading…"
}

func couldNotLoad(err error) string {
	reason, _ := format.ExplainError(err)
	return "Could not load: " + reason
}

// undeliveredPart returns the part of a report with failed and missing callbacks and notices, newest
// first. If there are none, the part shows emptyText.
func undeliveredPart(entries []TimelineEntry, emptyText string, now time.Time) ReportPart {
	p := ReportPart{Title: "Failed and missing callbacks", None: emptyText}
	for _, e := range slices.Backward(entries) {
		hasFailed := e.Sending != nil && e.Failed
		if hasFailed || e.Source == FromMissing {
			e.Right = format.Age(e.At, now)
			p.Lines = append(p.Lines, e)
		}
	}
	return p
}

// endpointParts returns two parts of a report on endpoints: the failed and missing callbacks and notices,
// and the state of each endpoint.
func (a *AccountHealth) endpointParts(
	endpoints []*Endpoint, notices []ops.CompletionNotice,
) (undelivered, states ReportPart) {
	facts := &SubjectFacts{Units: a.Units, Endpoints: endpoints, OrderErr: a.Known.Err, Missions: a.missions, Notices: notices}
	t := newBuilder(facts, a.Now)
	isFailed := func(d *api.WebhookDelivery) bool { return columns.CallbackStatus(d) == columns.CallbackFailed }
	t.addEndpoints(endpoints, isFailed)
	t.addNotices()
	entries := t.sortEntries()

	none := reasonForNone(a.State.Err, !a.State.ReadAt.IsZero(), noEndpoints)
	states = facts.endpointsPart(nil, entries, none, "nothing sent in 7 days", a.Now)
	states.Note = a.endpointsNote()

	if len(endpoints) > 0 {
		none = facts.unknownIfUnread(ArrivalSummary(endpoints))
	}
	if len(endpoints) > 0 && none == AllDelivered {
		none = a.unlessUnread(none)
	}
	undelivered = undeliveredPart(entries, none, a.Now)
	undelivered.Note = weekNote(undelivered.Lines)
	return undelivered, states
}

// endpointsNote returns the note of the part on endpoints, such as "2 endpoints, last 7 days". If the
// endpoints could not be loaded again, the note says how old they are. It is "" if they were never loaded.
func (a *AccountHealth) endpointsNote() string {
	if a.State.ReadAt.IsZero() {
		return ""
	}
	if a.State.Err != nil {
		reason, _ := format.ExplainError(a.State.Err)
		return "as of " + format.Ago(a.State.ReadAt, a.Now) + "; " + reason
	}
	return format.Count(len(a.Endpoints), "endpoint") + ", last 7 days"
}

// countUnread looks at the relevant orders whose missions are not loaded. isLoading reports whether the
// missions of an order are being loaded. unread is the number of orders whose missions are neither loaded
// nor being loaded.
func (a *AccountHealth) countUnread(c *cache.Cache) (isLoading bool, unread int) {
	for i := range a.Known.Orders {
		order := &a.Known.Orders[i]
		if !IsRelevant(order, a.Now) {
			continue
		}
		state := c.MissionsState(order)
		if !state.IsUnread() {
			continue
		}
		if state.Loading {
			isLoading = true
		} else {
			unread++
		}
	}
	return isLoading, unread
}

// IsRelevant reports whether the missions of an order are needed for an [AccountHealth]: the order is in
// progress or changed in the last 7 days.
func IsRelevant(o *api.Order, now time.Time) bool {
	return o.Status.IsLive() || o.UpdatedAt.After(now.Add(-week))
}

// unlessUnread returns emptyText if the missions of all orders are loaded. Otherwise it returns a text
// such as "None known; older orders are not loaded."
func (a *AccountHealth) unlessUnread(emptyText string) string {
	if a.isLoading {
		return "Loading missions…"
	}
	if a.unread > 0 {
		return "None known; missions of " + format.Count(a.unread, "order") + " are not loaded."
	}
	if a.Known.Faults > 0 {
		return "None known; missions of " + format.Count(a.Known.Faults, "order") + " could not be loaded."
	}
	if a.Known.More {
		return "None known; older orders are not loaded."
	}
	return emptyText
}

// weekNote returns how many lines a part about the last 7 days has, such as "3 in the last 7 days". Lines
// without a readable date are counted separately.
func weekNote(lines []TimelineEntry) string {
	if len(lines) == 0 {
		return "last 7 days"
	}
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

// EndpointParts returns the parts of a report on one endpoint: its state and its failed and missing
// callbacks. It returns nil if the account does not have the endpoint.
func (a *AccountHealth) EndpointParts(uuid string) []ReportPart {
	i := slices.IndexFunc(a.Endpoints, func(e *Endpoint) bool { return e.UUID == uuid })
	if i < 0 {
		return nil
	}
	undelivered, states := a.endpointParts(a.Endpoints[i:i+1], nil)
	states.Note = a.Endpoints[i].URL
	return []ReportPart{states, undelivered}
}

// AccountParts returns the parts of a report on the account: failed and missing callbacks, overdue and
// stalled missions, endpoints, failed requests, keys, the parts in more, and the orders.
func (a *AccountHealth) AccountParts(more ...ReportPart) []ReportPart {
	undelivered, states := a.endpointParts(a.Endpoints, a.Notices)
	if a.NoticesErr != nil {
		what, _ := format.ExplainError(a.NoticesErr)
		undelivered.Note += "; completion notices could not be loaded: " + what
	}
	parts := []ReportPart{undelivered, a.troubledPart(), states}
	if a.HasOperations {
		parts = append(parts, a.failuresPart(), a.keysPart())
	}
	parts = append(parts, more...)
	return append(parts, a.ordersPart())
}

// ReportParts returns the parts of a report on an order or mission: its missions, its failed and missing
// callbacks, and the state of each endpoint. entries are the entries of its timeline.
func (f *SubjectFacts) ReportParts(entries []TimelineEntry, now time.Time) []ReportPart {
	missions := ReportPart{
		Title: "Missions",
		Note:  format.Count(len(f.Missions), "mission"),
		None:  "None.",
		Lines: f.missionLines(now),
	}
	undelivered := undeliveredPart(entries, f.unknownIfUnread("None known."), now)
	undelivered.Note = format.Count(len(undelivered.Lines), "callback")
	if slices.ContainsFunc(undelivered.Lines, func(x TimelineEntry) bool { return x.Source == FromNotice }) {
		undelivered.Note = format.Count(len(undelivered.Lines), "callback or notice", "callbacks and notices")
	}
	none := reasonForNone(f.EndpointsErr, f.EndpointsErr == nil, noEndpoints)
	endpoints := f.endpointsPart(f.IsAbout, entries, none, "none found in the log", now)
	return []ReportPart{missions, undelivered, endpoints}
}

// missionLines returns a line for each mission with its status, operator and flight date.
func (f *SubjectFacts) missionLines(now time.Time) []TimelineEntry {
	t := entryBuilder{now: now}
	for _, m := range f.Missions {
		status := f.stateOf(m)
		operator := format.ValueOf(m.OperatorName)
		what := m.MissionName + "  " + status.Label + " · " + status.Description + textAfter(", ", operator)
		flight := ""
		if !m.FlightDate.IsZero() {
			flight = "flight " + format.Moment(m.FlightDate.Time, now)
		}
		t.add(TimelineEntry{
			ID:    m.UUID,
			Glyph: status.Glyph,
			Role:  status.Role,
			About: m.MissionCode,
			What:  strings.TrimSpace(what),
			Right: flight,
		}, nil)
	}
	return t.all
}

// endpointsPart returns a part with a line for each endpoint, which counts its callbacks by status.
// Callbacks in the log are counted if isIncluded returns true for them or is nil. Missing callbacks are
// counted from entries. If there are no endpoints, the part shows emptyText. An endpoint without callbacks
// shows idleText.
func (f *SubjectFacts) endpointsPart(
	isIncluded func(*api.WebhookDelivery) bool, entries []TimelineEntry, emptyText, idleText string, now time.Time,
) ReportPart {
	isMissing := func(x *TimelineEntry) bool { return x.Source == FromMissing }
	missing := countByEndpoint(entries, isMissing)
	t := entryBuilder{now: now}
	for _, e := range f.Endpoints {
		counts := e.countCallbacks(isIncluded)
		counts[columns.CallbackMissing] = missing[e.UUID]
		t.addEndpoint(e, counts, idleText)
		if f.unreadSource() != "" {
			t.markUnknown()
		}
	}
	return ReportPart{
		Title: "Endpoints",
		Note:  format.Count(len(f.Endpoints), "endpoint"),
		None:  emptyText,
		Lines: t.all,
	}
}

const (
	retried    = "retried"     // counts the callbacks that are still being sent after failed attempts
	lastFailed = "last failed" // is 1 if the last callback failed, otherwise 0
)

// countCallbacks counts the callbacks of the endpoint by status, such as delivered or failed. A callback
// that is still being sent after a failed attempt also counts as retried. If isIncluded is not nil, only
// callbacks for which it returns true are counted.
func (e *Endpoint) countCallbacks(isIncluded func(*api.WebhookDelivery) bool) map[string]int {
	counts := map[string]int{}
	if e.isLastFailed(isIncluded) {
		counts[lastFailed] = 1
	}
	for i := range e.Log {
		d := &e.Log[i]
		if isIncluded != nil && !isIncluded(d) {
			continue
		}
		counts[columns.CallbackStatus(d)]++
		if d.IsPending() && format.ValueOf(d.Attempts) > 0 {
			counts[retried]++
		}
	}
	return counts
}

// isLastFailed reports whether the last callback of the endpoint failed. If isIncluded is not nil, only
// callbacks for which isIncluded returns true are considered.
func (e *Endpoint) isLastFailed(isIncluded func(*api.WebhookDelivery) bool) bool {
	if isIncluded == nil {
		return format.ValueOf(e.LastStatus) == "failed"
	}
	for i := range e.Log { // newest first
		d := &e.Log[i]
		if isIncluded(d) {
			return columns.CallbackStatus(d) == columns.CallbackFailed
		}
	}
	return false
}

// unreadSource returns the name of a source that could not be read and that is needed to know which
// callbacks are expected: the orders, the planning or the deliveries. It returns "" if all were read.
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

// unknownIfUnread returns emptyText, the text for a report without failed or missing callbacks. If a
// source could not be read, it returns a text that says so, because callbacks may be missing.
func (f *SubjectFacts) unknownIfUnread(emptyText string) string {
	source := f.unreadSource()
	if source == "" {
		return emptyText
	}
	return "Unknown whether callbacks are missing: " + source + " could not be loaded."
}

// markUnknown marks the line of the endpoint that was added last with "?", because a source could not be
// read and callbacks may be missing. A line that already shows a problem is not changed.
func (t *entryBuilder) markUnknown() {
	last := &t.all[len(t.all)-1]
	if last.Role != format.Good && last.Role != format.Muted && last.Role != format.Pending {
		return
	}
	last.Glyph = "?"
	last.Role = format.Attention
	last.Right = strings.TrimPrefix(last.Right+", missing unknown", ", ")
}

// addEndpoint adds a line for an endpoint. counts is the number of its callbacks by status. idle is the
// text for an endpoint without callbacks.
func (t *entryBuilder) addEndpoint(e *Endpoint, counts map[string]int, idle string) {
	right := describeCounts(counts)
	if e.LogErr != nil {
		right = "log could not be loaded"
	} else if right == "" {
		right = idle
	} else if hasLastFailed(counts) && !hasOnlyFailed(counts) {
		right += ", last one failed"
	}
	glyph, role := e.look(counts)
	t.add(TimelineEntry{
		ID:       "endpoint " + e.UUID,
		Glyph:    glyph,
		Role:     role,
		What:     ShortAddress(e.URL),
		Right:    right,
		Endpoint: e.UUID,
		Err:      e.LogErr,
	}, factsOf(t, columns.Endpoints(), &e.WebhookEndpoint))
}

// describeCounts returns the number of callbacks by status, such as "3 delivered, 1 sending", or ""
// without callbacks. If some failed and all others were delivered, the text is short, such as "1 of 4
// failed". The same applies if some are missing.
func describeCounts(counts map[string]int) string {
	delivered := counts[columns.CallbackDelivered]
	failed := counts[columns.CallbackFailed]
	missing := counts[columns.CallbackMissing]
	isSending := counts[columns.CallbackSending] > 0
	if failed > 0 && delivered+failed > 1 && missing == 0 && !isSending {
		return fmt.Sprintf("%d of %d failed", failed, delivered+failed)
	}
	if missing > 0 && delivered > 0 && failed == 0 && !isSending {
		return fmt.Sprintf("%d of %d missing", missing, delivered+missing)
	}
	var texts []string
	for _, status := range append(columns.CallbackStatuses(), columns.CallbackMissing) {
		if counts[status] > 0 {
			texts = append(texts, fmt.Sprint(counts[status], " ", status))
		}
	}
	if counts[retried] > 0 {
		texts = append(texts, fmt.Sprint(counts[retried], " after failed attempts"))
	}
	return strings.Join(texts, ", ")
}

// hasOnlyFailed reports whether at least one callback failed, and none is delivered, being sent or
// missing.
func hasOnlyFailed(counts map[string]int) bool {
	others := counts[columns.CallbackDelivered] + counts[columns.CallbackSending] + counts[columns.CallbackMissing]
	return counts[columns.CallbackFailed] > 0 && others == 0
}

// hasLastFailed reports whether the last callback failed. counts is the result of
// [Endpoint.countCallbacks].
func hasLastFailed(counts map[string]int) bool {
	return counts[columns.CallbackFailed] > 0 && counts[lastFailed] > 0
}

// look returns the glyph and the tone for the line of the endpoint. counts is the number of its callbacks
// by status.
func (e *Endpoint) look(counts map[string]int) (glyph string, role format.Tone) {
	switch {
	case e.LogErr != nil:
		return "?", format.Text
	case hasLastFailed(counts):
		return format.Failed.Glyph, format.Bad
	case counts[columns.CallbackMissing] > 0:
		return format.Missing.Glyph, format.Bad
	case counts[columns.CallbackFailed] > 0, counts[retried] > 0:
		return "!", format.Attention
	case describeCounts(counts) == "":
		return "–", format.Muted
	case counts[columns.CallbackDelivered] == 0:
		return "◌", format.Pending
	}
	return "✓", format.Good
}

// troubledPart returns the part of the report with overdue and stalled missions. Overdue missions come
// first; otherwise missions are sorted by deadline.
func (a *AccountHealth) troubledPart() ReportPart {
	builder := entryBuilder{now: a.Now}
	missionColumns := columns.InUnits(columns.MissionsOfOrders(builder.clock, a.stateOf), a.Units)
	for _, m := range a.Known.TroubledMissions(a.Now) {
		facts := factsOf(&builder, missionColumns, m.Mission)
		builder.add(troubledEntry(&m), facts)
	}
	p := ReportPart{Title: "Overdue or stalled", None: a.reasonForNoTrouble(), Lines: builder.all}
	if n := len(builder.all); n > 0 {
		p.Note = format.Count(n, "mission")
	}
	return p
}

// troubledEntry returns the entry of a mission that is late or stalled.
func troubledEntry(m *cache.TroubledMission) TimelineEntry {
	return TimelineEntry{
		ID:      "late " + m.UUID,
		Glyph:   "▲",
		Role:    columns.TroubleTone(m.Why),
		About:   m.MissionCode,
		What:    m.MissionName,
		Right:   m.Why.Text,
		Order:   m.Order.OrderCode,
		Mission: m.UUID,
	}
}

// reasonForNoTrouble returns the text for an account without late or stalled missions. If not all orders or missions
// are loaded, it says so.
func (a *AccountHealth) reasonForNoTrouble() string {
	areOrdersListed := a.Known.Listed
	reason := reasonForNone(a.Known.Err, areOrdersListed, "No mission is overdue or stalled.")
	if areOrdersListed {
		return a.unlessUnread(reason)
	}
	return reason
}

// AccountKeys is the title of the part with the keys of an account.
const AccountKeys = "Keys"

// keysPart returns the part of the report with the keys of the account, newest first. Each line has the
// permissions of a key and when it expires or was revoked.
func (a *AccountHealth) keysPart() ReportPart {
	builder := entryBuilder{now: a.Now}
	keyColumns := columns.Keys(builder.clock)
	for i := range a.Keys.Items {
		k := &a.Keys.Items[i]
		facts := factsOf(&builder, keyColumns, k)
		builder.add(a.keyEntry(k), facts)
	}
	isRead := !a.KeysState.ReadAt.IsZero()
	return ReportPart{
		Title: AccountKeys,
		None:  reasonForNone(a.KeysState.Err, isRead, "No keys were issued."),
		Note:  a.countKeys(),
		Lines: builder.all,
	}
}

// keyEntry returns the line about a key of the account.
func (a *AccountHealth) keyEntry(k *ops.AccountKey) TimelineEntry {
	glyph := "□"
	role := format.Muted
	if a.isActive(k) {
		glyph = "✓"
		role = format.Good
	}
	scopes := strings.Join(format.PlainTexts(k.Scopes), ", ")
	if len(k.Scopes) == len(api.Scopes()) {
		scopes = "all permissions"
	}
	return TimelineEntry{
		ID:    "key " + k.UUID,
		Glyph: glyph,
		Role:  role,
		About: columns.MaskedKey(k),
		What:  scopes + textAfter("; ", format.Clean(k.Description)),
		Right: a.describeKeyState(k),
		Key:   k.Hint,
	}
}

// countKeys returns how many keys are active, such as "2 active of 5 keys", or "" if there are no keys.
func (a *AccountHealth) countKeys() string {
	if len(a.Keys.Items) == 0 {
		return ""
	}
	active := 0
	for i := range a.Keys.Items {
		if a.isActive(&a.Keys.Items[i]) {
			active++
		}
	}
	keys := format.Count(len(a.Keys.Items), "key")
	if a.Keys.More { // older keys were not read
		return fmt.Sprintf("%d active of the newest %s", active, keys)
	}
	return fmt.Sprintf("%d active of %s", active, keys)
}

// isActive reports whether a key is neither revoked nor expired.
func (a *AccountHealth) isActive(k *ops.AccountKey) bool {
	return columns.KeyState(k, a.Now) == "valid"
}

// describeKeyState returns when a key was revoked, expired or will expire. For a key that is not revoked
// and never expires, it returns when the key was created.
func (a *AccountHealth) describeKeyState(k *ops.AccountKey) string {
	if !k.RevokedAt.IsZero() {
		return "revoked " + format.Day(k.RevokedAt.Time, a.Now)
	}
	if k.ExpiresAt.IsZero() {
		return "created " + format.Day(k.CreatedAt.Time, a.Now)
	}
	if a.Now.Before(k.ExpiresAt.Time) {
		return "expires " + format.Day(k.ExpiresAt.Time, a.Now)
	}
	return "expired " + format.Day(k.ExpiresAt.Time, a.Now)
}

// ScopesPart returns the part of a report with the permissions of the key in use. It has no lines until
// all permissions were checked.
func ScopesPart(permissions session.Permissions) ReportPart {
	p := ReportPart{Title: "Key permissions", None: "Checking…"}
	if permissions.Err != nil {
		p.None = couldNotLoad(permissions.Err)
	}
	if len(permissions.Grants) < len(api.Scopes()) {
		return p
	}
	var t entryBuilder
	for _, grant := range permissions.Grants {
		t.addScope(grant)
	}
	p.Lines = t.all
	return p
}

// addScope adds a line that says whether the key has a permission.
func (t *entryBuilder) addScope(s api.ScopeGrant) {
	line := TimelineEntry{
		ID:    "scope " + string(s.Scope),
		Glyph: "?",
		Role:  format.Attention,
		About: string(s.Scope),
		What:  format.Word(s.Scope).Description,
		Right: s.Grant.String(),
		Note:  "Checked with a read request; nothing is changed.",
		Scope: s.Scope,
		Err:   s.Err,
	}
	if s.Grant == api.Granted {
		line.Glyph = "✓"
		line.Role = format.Good
	} else if s.Grant == api.NotGranted {
		line.Glyph = "✗"
		line.Role = format.Bad
	} else if s.Scope == api.ScopeWebhooksWrite {
		line.Right = "unknown until used" // no read request needs this scope
		line.Note = "Not checked: no read request needs this permission."
	}
	t.add(line, nil, "This key", s.Grant.String())
}

// ordersPart returns the part of the report with the number of orders in each status. Statuses are in the
// order in which an order goes through them.
func (a *AccountHealth) ordersPart() ReportPart {
	none := reasonForNone(a.Known.Err, a.Known.Listed, "No orders in the public API.")
	part := ReportPart{Title: "Orders by status", None: none}
	if len(a.Known.Orders) == 0 {
		return part
	}
	part.Note = a.describeOrders()
	labels, counts := a.countStatuses()
	var t entryBuilder
	for _, label := range labels {
		t.add(TimelineEntry{
			ID:     "status " + label.Wire + " " + label.Label,
			Glyph:  label.Glyph,
			Role:   label.Role,
			About:  label.Label,
			What:   label.Description,
			Right:  format.GroupInt(counts[label]),
			Status: api.OrderStatus(label.Wire),
		}, nil)
	}
	part.Lines = t.all
	return part
}

// describeOrders returns how many orders ordersPart has counted. If not all orders or not all quotes are
// loaded, the text says so.
func (a *AccountHealth) describeOrders() string {
	count := len(a.Known.Orders)
	note := format.Count(count, "order") + ", without those only in the v2 API"
	if !a.Known.Listed || a.Known.More {
		note = format.GroupInt(count) + " loaded so far"
	}
	if a.quotes == nil && a.Known.Listed {
		note += "; open quotes unknown"
	}
	return note
}

// countStatuses counts the orders by status. The labels are in the order in which an order goes through the
// statuses; statuses that this program does not know are last.
func (a *AccountHealth) countStatuses() (labels []format.StatusLabel, counts map[format.StatusLabel]int) {
	counts = map[format.StatusLabel]int{}
	for i := range a.Known.Orders {
		order := &a.Known.Orders[i]
		label := format.OrderState(order.Status, a.quotesOf(order))
		if counts[label] == 0 {
			labels = append(labels, label)
		}
		counts[label]++
	}
	rank := func(label format.StatusLabel) int {
		known := slices.Index(api.OrderStatuses(), api.OrderStatus(label.Wire))
		if known < 0 {
			return len(api.OrderStatuses())
		}
		return known
	}
	slices.SortStableFunc(labels, func(x, y format.StatusLabel) int {
		return cmp.Or(rank(x)-rank(y), strings.Compare(x.Label, y.Label))
	})
	return labels, counts
}

// quotesOf returns the state of an order's quotes, such as open or expired.
func (a *AccountHealth) quotesOf(order *api.Order) format.QuoteState {
	if a.quotes == nil {
		return format.QuotesUnread
	}
	if state, isListed := a.quotes[order.UUID]; isListed {
		return state
	}
	return format.QuotesNone
}

// stateOf returns the glyph, the label and the tone of a mission's status.
func (a *AccountHealth) stateOf(m *cache.Mission) format.StatusLabel {
	return format.MissionState(m.Status, m.Order.Status, a.quotesOf(m.Order))
}

// quoteStates returns the state of the quotes of each order with undecided quotes, by order ID. It returns
// nil until these orders are loaded.
func quoteStates(open *cache.OpenQuotes, now time.Time) map[string]format.QuoteState {
	if open.At.IsZero() {
		return nil
	}
	return quoting.StatesOf(quoting.QuotedOrders(open, now))
}

// RequestsPart returns the part of a report on the requests that this app has sent: how many there were,
// how many failed, and whether they reached a limit of the service. kept are the logged requests, newest
// first.
func RequestsPart(kept []*session.Exchange, now time.Time) ReportPart {
	t := entryBuilder{now: now}
	t.addRequestCount(kept)
	t.addRateLimit(kept)
	t.addSizeLimit(kept)
	return ReportPart{Title: "Requests and limits", Lines: t.all}
}

// addRequestCount adds a line with the number of requests, and how many of them failed.
func (t *entryBuilder) addRequestCount(kept []*session.Exchange) {
	failed := 0
	unanswered := 0
	for _, x := range kept {
		if x.Status == 0 {
			unanswered++
		} else if x.Failed() && !isAbsence(x.Status, x.Path) { // the same rule as in failuresPart
			failed++
		}
	}
	line := TimelineEntry{
		Source: FromRequest,
		ID:     "all",
		Glyph:  "✓",
		Role:   format.Good,
		About:  "requests",
		What:   format.GroupInt(len(kept)) + ", none failed",
		Right:  "w to show",
	}
	if failed+unanswered > 0 {
		line.Glyph = "!"
		line.Role = format.Attention
		line.What = fmt.Sprintf("%s: %d rejected or failed, %d without a response",
			format.GroupInt(len(kept)), failed, unanswered)
	}
	t.add(line, nil)
}

// addRateLimit adds a line with the rate limit of the service and whether the requests have reached it.
func (t *entryBuilder) addRateLimit(kept []*session.Exchange) {
	var limited []*session.Exchange
	for _, x := range kept {
		if x.Status == http.StatusTooManyRequests {
			limited = append(limited, x)
		}
	}
	line := TimelineEntry{
		Source: FromRequest,
		ID:     "limited",
		Glyph:  "✓",
		Role:   format.Good,
		About:  "rate limit",
		Query:  "code:429",
	}
	if len(limited) > 0 {
		line.Glyph = "!"
		line.Role = format.Bad
	}
	limits, headers := rateLimits(kept)
	line.What = describeLimited(limited) + textAfter("; ", strings.Join(limits, ", "))
	if limits == nil {
		line.Note = "No response had a rate limit header."
	}
	t.add(line, headers)
}

// describeLimited returns whether the rate limit was reached. limited are the requests with a 429
// response, newest first.
func describeLimited(limited []*session.Exchange) string {
	if len(limited) == 0 {
		return "not reached: no 429 responses"
	}
	text := "reached: " + format.Count(len(limited), "response") + " of 429"
	lastWait := session.HeaderValue(limited[0].ResponseHeader, "Retry-After")
	if lastWait == "" {
		return text
	}
	return text + ", last: wait " + lastWait + " s"
}

// addSizeLimit adds a line if the service has rejected requests because they were too large.
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
	t.add(TimelineEntry{
		Source:   FromRequest,
		ID:       "large",
		Glyph:    "!",
		Role:     format.Bad,
		About:    "size",
		What:     format.Count(len(large), "request was", "requests were") + " too large or not to be stored",
		Right:    format.Ago(large[0].At, t.now),
		Exchange: large[0],
	}, nil)
}

// rateLimits returns the rate limits in the newest response with rate limit headers, and these headers.
// kept are the logged requests, newest first.
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
