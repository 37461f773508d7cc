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
	// MaxMissions is the maximum number of missions of an order whose planning, permission and packages
	// are read.
	MaxMissions = 40
	// maxRows is the maximum number of rows of an endpoint's log that are read.
	maxRows = 2000
	// maxHistories is the maximum number of callbacks whose attempts are read.
	maxHistories = 40
	// moreRows is the number of older rows of an endpoint's log to read at a time, if the rows read so far
	// do not go back far enough.
	moreRows = 500
	// clockTolerance is how much earlier than its order or event a row of a log may be dated, because
	// clocks differ.
	clockTolerance = time.Minute
)

// Reader reads all facts about the subject of a timeline: an order or a mission. Data of the service comes
// from the cache, which must load [Reader.DataNeeds] first.
type Reader struct {
	Cache     *cache.Cache
	Units     format.Units
	Host      string              // host of the service; changes that were sent to other hosts are left out
	ChangeLog *changes.Log        // changes that were sent from this machine; may be nil
	Wire      *session.RequestLog // requests of this app; may be nil
	Received  *webhooks.EventLog  // events that this app received; may be nil
}

// DataNeeds returns the data that the cache must load for the timeline of a subject. Call it again after
// data was loaded, because the loaded data can show that more is needed.
func (r *Reader) DataNeeds(s StorySubject) []cache.Need { return r.readService(s).needs }

// MissionOf returns a mission of the cache without its planning, permission, packages and files.
func MissionOf(m *cache.Mission) *Mission {
	mission := &Mission{Mission: m.Mission}
	mission.OrderCode = cmp.Or(m.OrderCode, m.Order.OrderCode)
	return mission
}

// missionsOf returns the missions of a subject. If the order could not be read, it returns the mission of
// the subject with only its UUID, which is enough to read its planning, permission and packages.
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

// ReadFacts returns everything that is known about a subject. A source that could not be read has an error
// in the result, such as OrderErr.
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

// readService reads the data of the service about a subject from the cache. It also records in needs which
// data the cache must load.
func (r *Reader) readService(s StorySubject) *SubjectFacts {
	f := &SubjectFacts{Subject: s, Units: r.Units}
	reads := &serviceReads{cache: r.Cache, facts: f}
	order, state := r.Cache.Details.Get(s.Order)
	f.Order = order
	f.OrderErr = reads.track(state, r.Cache.Details.NeedOf(s.Order))
	f.Missions = missionsOf(s, order)
	reads.readParts()
	hasOperations := r.Cache.Operations != nil // the profile has a key of the operations API
	if order != nil {
		reads.readQuotesAndNotices()
		if hasOperations {
			reads.readServiceLogs()
		}
	}
	reads.readEndpoints()
	if hasOperations {
		reads.readHistories() // needs the logs of the endpoints, which name the callbacks
	}
	f.State = cache.JoinStates(reads.states...)
	return f
}

// serviceReads collects the data of the service about a subject from the cache.
type serviceReads struct {
	cache  *cache.Cache
	facts  *SubjectFacts
	states []cache.EntryState // states of all data that was read
}

// track records the state of data that was read from the cache, and what the cache must load for it. It
// returns the error in state.
func (r *serviceReads) track(state cache.EntryState, needs ...cache.Need) error {
	r.states = append(r.states, state)
	r.facts.needs = append(r.facts.needs, needs...)
	return state.Err
}

// readParts reads the planning, the permission and the packages of the first MaxMissions missions.
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

// readEndpoints reads the endpoints, with the rows of their logs since the order was placed.
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

// readHistories reads the attempts of the callbacks that were attempted more than once.
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

// readQuotesAndNotices reads the quotes and the notices of the order. They are about the order as a whole, so for a
// mission it reads only the state of the quotes, if the status of the mission depends on it.
func (r *serviceReads) readQuotesAndNotices() {
	f := r.facts
	isAboutMission := f.Subject.Mission != ""
	if isAboutMission {
		if f.Order.Status == api.OrderBiddingWithQuote {
			r.readQuoteState()
		}
		return
	}
	r.readQuotes()
	if f.Record != nil {
		f.Quotes = quoting.StateOf(f.Record, r.cache.Time())
	}
	r.readNotices()
}

// readQuotes reads the record of the order, which has its quotes. From the operations API it also reads
// when the quotes were issued and decided.
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

// readQuoteState reads the state of the order's quotes for the timeline of a mission. Until a quote is
// accepted, the quotes determine the displayed status of the mission. If they cannot be read, their state
// stays unknown, without an error.
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

// readServiceLogs reads the logs of the service about the subject: who changed the order, and which
// requests its account has sent. It is not an error if the service has no such logs.
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

// nameOf returns the code of an order, or its UUID if it has no code. The operations API accepts both.
func nameOf(o *api.Order) string { return cmp.Or(o.OrderCode, o.UUID) }

// unlessUnknown returns err, or nil if err is a 404 response.
func unlessUnknown(err error) error {
	if api.IsStatus(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// repeatedCallbacks returns the IDs of the callbacks about the subject that were attempted more than once:
// the newest maxHistories of them.
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

// quotesByID returns the quotes of an order by ID. o may be nil.
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

// EndpointsOf returns the endpoints of the account, with the rows of their logs since a time, and the data
// that the cache must load for them. It returns no endpoints until every log was loaded or has an error.
// state.Err is the error of the list of endpoints; the error of a log is in its endpoint.
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

// needLog returns what the cache must load of an endpoint's log to have the rows since a time. If the
// loaded rows do not go back that far, it requests moreRows older rows, up to maxRows in total.
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

// EndpointOf returns an endpoint with the rows of its log since a time. It also returns the state of the
// log in the cache.
func EndpointOf(c *cache.Cache, listed *api.WebhookEndpoint, since time.Time) (Endpoint, cache.EntryState) {
	rows, state := c.Logs.Get(listed.UUID)
	e := Endpoint{WebhookEndpoint: *listed, Log: rows.Items, LogErr: state.Err}
	e.cutBefore(rows.More, since)
	return e, state
}

// cutBefore removes the rows of the log from before the time since, but keeps rows without a readable
// date. It sets Since to the time from which the log is complete: to the time since or, if older rows were
// not read, to the time of the oldest row.
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

// ArrivalSummary returns a sentence for endpoints without failed callbacks, such as "All callbacks
// delivered." If that is not certain, the sentence has the most serious reason, such as a log that could
// not be loaded.
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

// countEndpoints counts the endpoints for which has returns true.
func countEndpoints(endpoints []*Endpoint, has func(*Endpoint) bool) int {
	count := 0
	for _, e := range endpoints {
		if has(e) {
			count++
		}
	}
	return count
}

// countCallbacks counts the callbacks in the logs of all endpoints for which has returns true.
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

// containsName reports whether a text contains a name as a whole. For instance, "ORD-10020" does not
// contain the name "ORD-1002".
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

// IsRead reports whether a request only reads data. Some reading requests of the v2 API use POST.
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
