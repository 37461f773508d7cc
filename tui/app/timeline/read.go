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
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

const (
	// MostMissions is how many missions of an order are read in full.
	MostMissions = 40
	// mostRows is how many rows of an endpoint's log are read.
	mostRows = 2000
	// maxHistories is how many callbacks are read with their attempts.
	maxHistories = 40
	// moreRows is how many more are read where they do not reach far enough.
	moreRows = 500
	// early is how much before an order a row of a log may be written: clocks
	// differ.
	early = time.Minute
)

// Reader finds what the sources know of a subject. What the service says is in
// the cache, as far as it was read; see [Reader.DataNeeds].
type Reader struct {
	Cache     *cache.Cache
	Units     format.Units        // that times and areas are told in
	Host      string              // under which decisions are logged
	Decisions *ordering.Ledger    // nil where none is kept
	Wire      *session.RequestLog // nil where none is kept
	Received  *webhooks.EventLog  // nil where nothing is received
}

// DataNeeds returns what the timeline of a subject is made of, as far as that is known.
func (r *Reader) DataNeeds(s StorySubject) []cache.Need { return r.readService(s).needs }

// MissionOf returns a mission without what is read of it besides.
func MissionOf(m *cache.Mission) *Mission {
	one := &Mission{Mission: m.Mission}
	one.OrderCode = cmp.Or(m.OrderCode, m.Order.OrderCode)
	return one
}

// missionsOf returns those that a story is of. Where their order is not known, the
// rest of a mission may be all the same.
func missionsOf(s StorySubject, o *api.Order) []*Mission {
	var missions []*Mission
	if o != nil {
		for i := range o.Missions {
			if m := &o.Missions[i]; s.Mission == "" || m.UUID == s.Mission {
				missions = append(missions, MissionOf(cache.MissionOf(m, o)))
			}
		}
	} else if s.Mission != "" {
		missions = []*Mission{{Mission: api.Mission{UUID: s.Mission, MissionCode: ShortID(s.Mission)}}}
	}
	return missions
}

// ReadFacts returns what the sources know of a subject. What could not be read says so in
// the facts; whether all was tried, their state does.
func (r *Reader) ReadFacts(s StorySubject) *SubjectFacts {
	f := r.readService(s)
	if f.Order != nil && s.Mission == "" && r.Decisions != nil {
		f.Decisions, f.DecisionsErr = r.Decisions.Entries()
		f.Decisions = slices.DeleteFunc(f.Decisions, func(e ordering.LedgerEntry) bool {
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

// readService returns what the service has said of a subject, and what that is read by.
func (r *Reader) readService(s StorySubject) *SubjectFacts {
	f := &SubjectFacts{Subject: s, Units: r.Units}
	c := r.Cache
	var states []cache.EntryState
	// take records the state and the needs of what was read, and returns its error.
	take := func(state cache.EntryState, needs ...cache.Need) error {
		states = append(states, state)
		f.needs = append(f.needs, needs...)
		return state.Err
	}
	o, state := c.Details.Get(s.Order)
	f.Order = o
	f.OrderErr = take(state, c.Details.NeedOf(s.Order))
	f.Missions = missionsOf(s, o)
	for i, m := range f.Missions {
		m.Unread = i >= MostMissions
		if !m.Unread {
			m.MissionParts, state = PartsOf(c, m.UUID, 0)
			_ = take(state, m.Needs...) // its parts have the errors
		}
	}
	var since time.Time
	if o != nil {
		since = o.CreatedAt.Time
	}
	if o != nil && s.Mission == "" {
		f.Record, state = c.Records.Get(o.UUID)
		// A service without the v2 API has no quotes, and neither
		// has a profile without its address.
		err := take(state, c.Records.NeedOf(o.UUID))
		if !errors.Is(err, api.ErrNoLegacy) && !api.IsStatus(err, http.StatusNotFound) {
			f.RecordErr = err
		}
		if c.Operations != nil {
			served, state := c.Operations.Details.Get(nameOf(o))
			err := take(state, c.Operations.Details.NeedOf(nameOf(o)))
			f.QuotesErr = unlessUnknown(err)
			f.QuoteTimes = quotesByID(served)
			if served != nil && f.Record == nil {
				f.Record = cache.RecordOf(served)
				f.RecordErr = nil
			}
		}
		if c.Operations != nil && o.Status == api.OrderCompleted {
			f.Notices, state = c.Operations.Notices.Get(o.UUID)
			f.NoticesErr = take(state, c.Operations.Notices.NeedOf(o.UUID))
		}
	}
	if c.Operations != nil && o != nil {
		r.readServiceLogs(f, take)
	}
	endpoints, needs, state := EndpointsOf(c, since)
	f.Endpoints = endpoints
	f.EndpointsErr = take(state, needs...)
	if c.Operations != nil {
		f.Histories = map[string]*ops.CallbackHistory{}
		for _, uuid := range f.repeatedCallbacks() {
			history, state := c.Operations.Histories.Get(uuid)
			err := take(state, c.Operations.Histories.NeedOf(uuid))
			f.HistoriesErr = cmp.Or(f.HistoriesErr, err)
			f.Histories[uuid] = history
		}
	}
	f.State = cache.JoinStates(states...)
	return f
}

// readServiceLogs adds what the service's logs say of an order or a mission: who changed it,
// and what its account sent. A service without such logs lacks nothing.
func (r *Reader) readServiceLogs(f *SubjectFacts, take func(cache.EntryState, ...cache.Need) error) {
	logs := r.Cache.Operations
	subject := nameOf(f.Order)
	changes, state := logs.Changes.Get(subject)
	f.ChangesErr = unlessUnknown(take(state, logs.Changes.NeedOf(subject)))
	f.Changes = changes.Items
	if f.Subject.Mission != "" && len(f.Missions) > 0 {
		subject = f.Missions[0].MissionCode
	}
	sent, state := logs.SentFor.Get(subject)
	f.SentErr = unlessUnknown(take(state, logs.SentFor.NeedOf(subject)))
	f.Sent = sent.Items
}

// nameOf returns what the operations API is asked for an order by: its code, as the cache of
// another account has it, or its ID.
func nameOf(o *api.Order) string { return cmp.Or(o.OrderCode, o.UUID) }

// unlessUnknown returns an error, except that the service does not have what was asked for.
func unlessUnknown(err error) error {
	if api.IsStatus(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// repeatedCallbacks returns the IDs of the newest callbacks about the subject that were sent
// more than once, at most maxHistories.
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

// quotesByID returns the quotes of an order by their IDs. The order is nil if it was not read.
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

// EndpointsOf returns the account's endpoints with the rows of their logs from a
// moment on, what they are read by, and how that stands: unread until every log was
// tried. An error is that of the list; one of a log stands with its endpoint.
func EndpointsOf(c *cache.Cache, since time.Time) (all []*Endpoint, needs []cache.Need, state cache.EntryState) {
	list, listed := c.Endpoints.Get(cache.Account)
	if !since.IsZero() {
		since = since.Add(-early)
	}
	needs = []cache.Need{c.Endpoints.NeedOf(cache.Account)}
	states := []cache.EntryState{listed}
	for i := range list.Items {
		uuid := list.Items[i].UUID
		rows, _ := c.Logs.Get(uuid)
		n := len(rows.Items)
		depth := 0
		if rows.More && n > 0 && n < mostRows && !rows.Items[n-1].CreatedAt.Before(since) {
			depth = n + moreRows
		}
		e, state := EndpointOf(c, &list.Items[i], since)
		all = append(all, &e)
		states = append(states, state)
		needs = append(needs, c.Logs.NeedRows(uuid, depth))
	}
	state = cache.JoinStates(states...)
	if state.IsUnread() {
		all = nil
	}
	state.Err = listed.Err
	return all, needs, state
}

// EndpointOf returns an endpoint with the rows of its log from a moment on, and how the log
// stands.
func EndpointOf(c *cache.Cache, of *api.WebhookEndpoint, since time.Time) (Endpoint, cache.EntryState) {
	rows, state := c.Logs.Get(of.UUID)
	e := Endpoint{WebhookEndpoint: *of, Log: rows.Items, LogErr: state.Err}
	e.cutBefore(rows.More, since)
	return e, state
}

// cutBefore leaves the rows from a moment on, and those whose date cannot be read.
func (e *Endpoint) cutBefore(more bool, since time.Time) {
	old := func(d api.WebhookDelivery) bool { return !d.CreatedAt.IsZero() && d.CreatedAt.Before(since) }
	if slices.ContainsFunc(e.Log, old) {
		e.Log = slices.DeleteFunc(slices.Clone(e.Log), old)
		e.Since = since
		return
	}
	for i := len(e.Log) - 1; more && e.Since.IsZero() && i >= 0; i-- {
		e.Since = e.Log[i].CreatedAt.Time
	}
}

// ArrivalSummary says whether all that is known to have been sent to endpoints arrived,
// as far as none is known to have failed.
func ArrivalSummary(endpoints []*Endpoint) string {
	unread := 0
	undated := 0
	pending := 0
	for _, e := range endpoints {
		if e.LogErr != nil {
			unread++
		}
		for i := range e.Log {
			d := &e.Log[i]
			if d.CreatedAt.IsZero() {
				undated++
			} else if d.IsPending() {
				pending++
			}
		}
	}
	if unread > 0 {
		return "Could not load " + format.Count(unread, "endpoint log") + "."
	}
	if undated > 0 {
		rows := format.Count(undated, "log row has", "log rows have")
		return "No failed callbacks found; " + rows + " no readable date."
	}
	if pending > 0 {
		return "No callback has failed; " + format.Count(pending, "is", "are") + " being sent."
	}
	return "All callbacks delivered."
}

// RelatedRequests returns the exchanges that are about the subject: those that name it in
// their address, and those that changed something and name it in what was sent
// or answered.
func (f *SubjectFacts) RelatedRequests(all []*session.Exchange) []*session.Exchange {
	var about []*session.Exchange
	var names []string
	for _, m := range f.Missions {
		names = append(names, m.UUID, m.MissionCode)
		for _, p := range m.Packages {
			names = append(names, p.UUID)
		}
	}
	o := f.Order
	if o == nil {
		names = append(names, cmp.Or(f.Subject.Mission, f.Subject.Order))
	} else if f.Subject.Mission == "" {
		names = append(names, o.UUID, o.OrderCode)
	}
	has := func(text string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return n != "" && containsName(text, n) })
	}
	for _, x := range all {
		if has(x.Path) ||
			!IsRead(x) && (has(string(x.RequestBody.Text())) || has(string(x.ResponseBody.Text()))) {
			about = append(about, x)
		}
	}
	return about
}

// containsName tells whether a text has a name, not only the beginning of a longer one
// as ORD-1002 is of ORD-10020.
func containsName(text, name string) bool {
	for rest, found := text, true; found; {
		_, rest, found = strings.Cut(rest, name)
		if found {
			next, _ := utf8.DecodeRuneInString(rest)
			if next > unicode.MaxASCII || !unicode.In(next, unicode.Letter, unicode.Nd) {
				return true
			}
		}
	}
	return false
}

// IsRead tells whether a request only read something. The v2 API
// reads with POST.
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
