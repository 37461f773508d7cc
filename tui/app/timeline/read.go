package timeline

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

const (
	// MaxMissions is the maximum number of missions of an order that are read with their
	// parts.
	MaxMissions = 40
	// maxRows is the maximum number of rows of an endpoint's log that are read.
	maxRows = 2000
	// maxHistories is the maximum number of callbacks that are read with their attempts.
	maxHistories = 40
	// moreRows is the number of further rows that are read if the first ones are too new.
	moreRows = 500
	// clockTolerance is how much older than its order a row of a log can be, because clocks
	// differ.
	clockTolerance = time.Minute
)

// Reader collects the facts about a subject. Data from the service comes from the cache,
// see [Reader.DataNeeds].
type Reader struct {
	Cache     *cache.Cache
	Units     format.Units        // for texts
	Host      string              // host of the sent changes to include
	ChangeLog *changes.Log        // may be nil
	Wire      *session.RequestLog // may be nil
	Received  *webhooks.EventLog  // may be nil
}

// DataNeeds returns what to load for the timeline of a subject. The needs grow as data is loaded,
// because some data shows what else is needed.
func (r *Reader) DataNeeds(s StorySubject) []cache.Need { return r.readService(s).needs }

// MissionOf returns a mission without its parts.
func MissionOf(m *cache.Mission) *Mission {
	mission := &Mission{Mission: m.Mission}
	mission.OrderCode = cmp.Or(m.OrderCode, m.Order.OrderCode)
	return mission
}

// missionsOf returns the missions of a subject. If the order is unknown, it returns the
// mission with its UUID only, because the parts of the mission may be readable.
func missionsOf(s StorySubject, o *api.Order) []*Mission {
	if o == nil {
		if s.Mission == "" {
			return nil
		}
		return []*Mission{{Mission: api.Mission{UUID: s.Mission, MissionCode: ShortID(s.Mission)}}}
	}
	var missions []*Mission
	for i := range o.Missions {
		m := &o.Missions[i]
		if s.Mission == "" || m.UUID == s.Mission {
			missions = append(missions, MissionOf(cache.MissionOf(m, o)))
		}
	}
	return missions
}

// ReadFacts returns the facts about a subject. The facts contain the errors of the
// sources.
func (r *Reader) ReadFacts(s StorySubject) *SubjectFacts {
	f := r.readService(s)
	if f.Order != nil && s.Mission == "" && r.ChangeLog != nil {
		f.SentChanges, f.SentChangesErr = r.ChangeLog.Entries()
		f.SentChanges = slices.DeleteFunc(f.SentChanges, func(e changes.Change) bool {
			return e.Host != r.Host || e.OrderID != f.Order.UUID && e.OrderID != f.Order.OrderCode
		})
	}
	if r.Received != nil {
		f.ReceivedErr = r.Received.LoadNew()
		f.Received = slices.DeleteFunc(r.Received.AllEvents(), func(e webhooks.ReceivedEvent) bool {
			m := &e.Event.Data.Mission
			return !f.IsAbout(&api.WebhookDelivery{MissionUID: m.UUID, OrderCode: m.OrderCode})
		})
	}
	if r.Wire != nil {
		kept, _ := r.Wire.Newest()
		f.Exchanges = f.RelatedRequests(kept)
	}
	return f
}

// readService reads the facts about a subject from the cache of the service's data. The needs in the result
// name the entries of the cache that must be loaded for these facts.
func (r *Reader) readService(s StorySubject) *SubjectFacts {
	f := &SubjectFacts{Subject: s, Units: r.Units}
	reads := &serviceReads{cache: r.Cache, facts: f}
	order, state := r.Cache.Details.Get(s.Order)
	f.Order = order
	f.OrderErr = reads.track(state, r.Cache.Details.NeedOf(s.Order))
	f.Missions = missionsOf(s, order)
	reads.readParts()
	isOfOrder := order != nil && s.Mission == ""
	if isOfOrder { // quotes and notices are about the order as a whole
		reads.readQuotes()
		if f.Record != nil {
			f.Quotes = quoting.StateOf(f.Record, r.Cache.Time())
		}
		reads.readNotices()
	} else if order != nil && order.Status == api.OrderBiddingWithQuote {
		reads.readQuoteState()
	}
	hasOperations := r.Cache.Operations != nil
	if hasOperations && order != nil {
		reads.readServiceLogs()
	}
	reads.readEndpoints()
	if hasOperations {
		reads.readHistories() // of the callbacks in the logs of the endpoints
	}
	f.State = cache.JoinStates(reads.states...)
	return f
}

// serviceReads reads facts from the cache of the service's data.
type serviceReads struct {
	cache  *cache.Cache
	facts  *SubjectFacts
	states []cache.EntryState // of the entries of the cache that were read
}

// track records the state of an entry of the cache, and the needs that load it. It returns the error of
// the entry.
func (r *serviceReads) track(state cache.EntryState, needs ...cache.Need) error {
	r.states = append(r.states, state)
	r.facts.needs = append(r.facts.needs, needs...)
	return state.Err
}

// readParts reads the parts of the first MaxMissions missions.
func (r *serviceReads) readParts() {
	f := r.facts
	for i, m := range f.Missions {
		m.Unread = i >= MaxMissions
		if m.Unread {
			continue
		}
		parts, state := PartsOf(r.cache, m.UUID, 0)
		m.MissionParts = parts
		_ = r.track(state, parts.Needs...) // each part has its own error
	}
}

// readEndpoints reads the endpoints with their logs since the order was placed.
func (r *serviceReads) readEndpoints() {
	f := r.facts
	var since time.Time
	if f.Order != nil {
		since = f.Order.CreatedAt.Time
	}
	endpoints, needs, state := EndpointsOf(r.cache, since)
	f.Endpoints = endpoints
	f.EndpointsErr = r.track(state, needs...)
}

// readHistories reads the attempts of the callbacks that were sent more than once.
func (r *serviceReads) readHistories() {
	f := r.facts
	histories := r.cache.Operations.Histories
	f.Histories = map[string]*ops.CallbackHistory{}
	for _, uuid := range f.repeatedCallbacks() {
		history, state := histories.Get(uuid)
		err := r.track(state, histories.NeedOf(uuid))
		if f.HistoriesErr == nil {
			f.HistoriesErr = err
		}
		f.Histories[uuid] = history
	}
}

// readQuotes reads the record of the order with its quotes, and the times of the quotes from the
// operations API.
func (r *serviceReads) readQuotes() {
	f := r.facts
	c := r.cache
	record, state := c.Records.Get(f.Order.UUID)
	f.Record = record
	// Without the v2 API, or its address in the profile, there are no quotes.
	err := r.track(state, c.Records.NeedOf(f.Order.UUID))
	if !errors.Is(err, api.ErrNoLegacy) && !api.IsStatus(err, http.StatusNotFound) {
		f.RecordErr = err
	}
	if c.Operations == nil {
		return
	}
	served, state := c.Operations.Details.Get(nameOf(f.Order))
	err = r.track(state, c.Operations.Details.NeedOf(nameOf(f.Order)))
	f.QuotesErr = unlessUnknown(err)
	f.QuoteTimes = quotesByID(served)
	if served != nil && f.Record == nil {
		f.Record = cache.RecordOf(served)
		f.RecordErr = nil
	}
}

// readQuoteState reads the state of the quotes of a mission's order. The order has no accepted quote, so they decide
// the status of the mission. If they cannot be read, their state is unknown, which is not an error of the timeline.
func (r *serviceReads) readQuoteState() {
	f := r.facts
	c := r.cache
	record, _ := c.Records.Get(f.Order.UUID)
	f.needs = append(f.needs, c.Records.NeedOf(f.Order.UUID))
	if record != nil {
		f.Quotes = quoting.StateOf(record, c.Time())
		return
	}
	if c.Operations == nil {
		return
	}
	served, _ := c.Operations.Details.Get(nameOf(f.Order))
	f.needs = append(f.needs, c.Operations.Details.NeedOf(nameOf(f.Order)))
	if served != nil {
		f.Quotes = quoting.StateOf(cache.RecordOf(served), c.Time())
	}
}

// readNotices reads the completion notices of the order.
func (r *serviceReads) readNotices() {
	f := r.facts
	operations := r.cache.Operations
	if operations == nil || f.Order.Status != api.OrderCompleted {
		return
	}
	notices, state := operations.Notices.Get(f.Order.UUID)
	f.Notices = notices
	f.NoticesErr = r.track(state, operations.Notices.NeedOf(f.Order.UUID))
}

// readServiceLogs adds the facts from the service's logs: who changed the order, and what
// its account sent. It is not an error if a service has no such logs.
func (r *serviceReads) readServiceLogs() {
	f := r.facts
	logs := r.cache.Operations
	subject := nameOf(f.Order)
	changes, state := logs.Changes.Get(subject)
	f.ChangesErr = unlessUnknown(r.track(state, logs.Changes.NeedOf(subject)))
	f.Changes = changes.Items
	if f.Subject.Mission != "" && len(f.Missions) > 0 {
		subject = f.Missions[0].MissionCode
	}
	sent, state := logs.SentFor.Get(subject)
	f.SentErr = unlessUnknown(r.track(state, logs.SentFor.NeedOf(subject)))
	f.Sent = sent.Items
}

// nameOf returns the name of an order for the operations API: its code, or its UUID if it
// has none.
func nameOf(o *api.Order) string { return cmp.Or(o.OrderCode, o.UUID) }

// unlessUnknown returns an error unless it is a 404 response.
func unlessUnknown(err error) error {
	if api.IsStatus(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// repeatedCallbacks returns the IDs of the newest callbacks about the subject with
// several attempts, at most maxHistories.
func (f *SubjectFacts) repeatedCallbacks() []string {
	var rows []*api.WebhookDelivery
	for _, e := range f.Endpoints {
		for i := range e.Log {
			d := &e.Log[i]
			if format.ValueOf(d.Attempts) > 1 && f.IsAbout(d) {
				rows = append(rows, d)
			}
		}
	}
	slices.SortStableFunc(rows, func(x, y *api.WebhookDelivery) int { return y.CreatedAt.Compare(x.CreatedAt.Time) })
	var ids []string
	for _, d := range rows[:min(len(rows), maxHistories)] {
		ids = append(ids, d.UUID)
	}
	return ids
}

// quotesByID returns the quotes of an order by ID. The order may be nil.
func quotesByID(o *ops.Order) map[string]*ops.Quote {
	quotes := map[string]*ops.Quote{}
	if o == nil {
		return quotes
	}
	for i := range o.Quotes {
		quotes[cmp.Or(o.Quotes[i].UUID, o.Quotes[i].QuoteID)] = &o.Quotes[i]
	}
	return quotes
}

// EndpointsOf returns the account's endpoints with the rows of their logs since a time. needs is what to load for
// them. The state is unread until every log was tried. Its error is the error of listing the endpoints; each endpoint
// has the error of its log.
func EndpointsOf(c *cache.Cache, since time.Time) (endpoints []*Endpoint, needs []cache.Need, state cache.EntryState) {
	list, listState := c.Endpoints.Get(cache.Account)
	if !since.IsZero() {
		since = since.Add(-clockTolerance)
	}
	needs = []cache.Need{c.Endpoints.NeedOf(cache.Account)}
	states := []cache.EntryState{listState}
	for i := range list.Items {
		endpoint, logState := EndpointOf(c, &list.Items[i], since)
		endpoints = append(endpoints, &endpoint)
		states = append(states, logState)
		needs = append(needs, needLog(c, endpoint.UUID, since))
	}
	state = cache.JoinStates(states...)
	if state.IsUnread() {
		endpoints = nil
	}
	state.Err = listState.Err
	return endpoints, needs, state
}

// needLog returns the need for the rows of an endpoint's log from the time since on. If all known rows are
// newer, it needs further rows, up to maxRows.
func needLog(c *cache.Cache, uuid string, since time.Time) cache.Need {
	rows, _ := c.Logs.Get(uuid)
	count := len(rows.Items)
	if !rows.More || count == 0 || count >= maxRows {
		return c.Logs.NeedRows(uuid, 0)
	}
	if rows.Items[count-1].CreatedAt.Before(since) {
		return c.Logs.NeedRows(uuid, 0)
	}
	return c.Logs.NeedRows(uuid, count+moreRows)
}

// EndpointOf returns an endpoint with the rows of its log since a time, and the state of
// the log.
func EndpointOf(c *cache.Cache, listed *api.WebhookEndpoint, since time.Time) (Endpoint, cache.EntryState) {
	rows, state := c.Logs.Get(listed.UUID)
	e := Endpoint{WebhookEndpoint: *listed, Log: rows.Items, LogErr: state.Err}
	e.cutBefore(rows.More, since)
	return e, state
}

// cutBefore removes the rows from before the time since. It keeps rows without a readable date. It sets e.Since to
// the time from which the log is complete: to since, or to the time of the oldest row if older rows were not read.
func (e *Endpoint) cutBefore(hasMore bool, since time.Time) {
	isOld := func(d api.WebhookDelivery) bool { return !d.CreatedAt.IsZero() && d.CreatedAt.Before(since) }
	if slices.ContainsFunc(e.Log, isOld) {
		e.Log = slices.DeleteFunc(slices.Clone(e.Log), isOld)
		e.Since = since
		return
	}
	if !hasMore {
		return
	}
	e.IsCut = true
	for i := range slices.Backward(e.Log) { // the oldest row with a readable date
		if !e.Log[i].CreatedAt.IsZero() {
			e.Since = e.Log[i].CreatedAt.Time
			return
		}
	}
}

// ArrivalSummary returns a sentence for endpoints without failed callbacks: all callbacks were delivered, or there
// were none, or the reason why this is not certain. If there are several reasons, it gives the most serious.
func ArrivalSummary(endpoints []*Endpoint) string {
	unreadLogs := countEndpoints(endpoints, func(e *Endpoint) bool { return e.LogErr != nil })
	if unreadLogs > 0 {
		return "Could not load " + format.Count(unreadLogs, "endpoint log") + "."
	}
	cutLogs := countEndpoints(endpoints, func(e *Endpoint) bool { return e.IsCut })
	if cutLogs > 0 {
		return "None known; older rows of " + format.Count(cutLogs, "endpoint log") + " are not loaded."
	}
	undated := countCallbacks(endpoints, func(d *api.WebhookDelivery) bool { return d.CreatedAt.IsZero() })
	if undated > 0 {
		rows := format.Count(undated, "log row has", "log rows have")
		return "No failed callbacks found; " + rows + " no readable date."
	}
	pending := countCallbacks(endpoints, (*api.WebhookDelivery).IsPending)
	if pending > 0 {
		return "No callback has failed; " + format.Count(pending, "is", "are") + " being sent."
	}
	all := countCallbacks(endpoints, func(*api.WebhookDelivery) bool { return true })
	if all == 0 {
		return "No callbacks are in the log."
	}
	return AllDelivered
}

// countEndpoints returns the number of endpoints for which has returns true.
func countEndpoints(endpoints []*Endpoint, has func(*Endpoint) bool) int {
	count := 0
	for _, e := range endpoints {
		if has(e) {
			count++
		}
	}
	return count
}

// countCallbacks returns the number of callbacks in the logs of endpoints for which has returns true.
func countCallbacks(endpoints []*Endpoint, has func(*api.WebhookDelivery) bool) int {
	count := 0
	for _, e := range endpoints {
		for i := range e.Log {
			if has(&e.Log[i]) {
				count++
			}
		}
	}
	return count
}

// AllDelivered is the text for endpoints without failed or pending callbacks.
const AllDelivered = "All callbacks delivered."

// RelatedRequests returns the requests about the subject: requests with its code or ID in
// the path, and changes with its code or ID in the body or the response.
func (f *SubjectFacts) RelatedRequests(all []*session.Exchange) []*session.Exchange {
	names := f.names()
	isAbout := func(text string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return name != "" && containsName(text, name) })
	}
	var related []*session.Exchange
	for _, x := range all {
		isRelated := isAbout(x.Path)
		if !isRelated && !IsRead(x) {
			isRelated = isAbout(string(x.RequestBody.Text())) || isAbout(string(x.ResponseBody.Text()))
		}
		if isRelated {
			related = append(related, x)
		}
	}
	return related
}

// names returns the codes and IDs of the subject and of its missions and packages. Some may be "".
func (f *SubjectFacts) names() []string {
	var names []string
	for _, m := range f.Missions {
		names = append(names, m.UUID, m.MissionCode)
		for _, p := range m.Packages {
			names = append(names, p.UUID)
		}
	}
	if f.Order == nil {
		return append(names, cmp.Or(f.Subject.Mission, f.Subject.Order))
	}
	if f.Subject.Mission == "" {
		names = append(names, f.Order.UUID, f.Order.OrderCode)
	}
	return names
}

// containsName reports whether a text contains a name, and not only as the beginning of a longer
// name, as ORD-10020 begins with ORD-1002.
func containsName(text, name string) bool {
	for {
		_, rest, found := strings.Cut(text, name)
		if !found {
			return false
		}
		next, _ := utf8.DecodeRuneInString(rest)
		if next > unicode.MaxASCII || !unicode.In(next, unicode.Letter, unicode.Nd) {
			return true
		}
		text = rest
	}
}

// IsRead reports whether a request only reads. Some requests of the v2 API read with
// POST.
func IsRead(x *session.Exchange) bool {
	if x.Method != http.MethodPost {
		return x.Method == http.MethodGet || x.Method == http.MethodHead
	}
	reads := []string{
		"/getorder/",
		"/getorderslist",
		"/datalibraryorders",
		"/kml/parse",
		"/csv/parse",
	}
	return slices.ContainsFunc(reads, func(part string) bool { return strings.Contains(x.Path, part) })
}
