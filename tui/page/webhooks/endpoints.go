package webhooks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// endpointTracker computes the endpoints, their callbacks and their health from the cache. It computes them
// again whenever the cache has changed. All pages of the section share one tracker. Its methods must be called
// from the program's loop. When the page that created the tracker is closed, the tracker drops the results of
// its background work.
type endpointTracker struct {
	page.Base
	version   int // version of the cache from which the fields below were computed
	received  int // version of the log of received events from which the fields below were computed
	changes   int // grows with every change
	state     cache.EntryState
	endpoints []*endpoint               // newest first
	missions  map[string]*cache.Mission // by mission ID
	// toCheck has the missions whose planning and packages are loaded, to find their missing callbacks. The number
	// of these missions is limited; the missions that changed last are checked.
	toCheck []*cache.Mission

	reading, tested, registering page.Request

	created string // ID of a new endpoint, which is selected as soon as it is listed
}

// endpoint is an endpoint with its callbacks.
type endpoint struct {
	timeline.Endpoint
	log       cache.EntryState
	isLoaded  bool           // the log and the received events are loaded; the fields below are computed from both
	callbacks []callback     // logged and missing callbacks, failures first
	counts    map[string]int // number of callbacks by status
	isFailing bool           // the last callback failed, or callbacks are missing
	// failingSince is the time of the first failed callback after the last delivered one, or of the oldest missing
	// callback. It is zero unless isFailing.
	failingSince time.Time
	// whyUnknown says why the list of missing callbacks may be incomplete, for example because orders are still
	// being loaded. It is "" if the list is complete.
	whyUnknown string
}

// callback is a row of a log, a missing callback, or an event that this app received.
type callback struct {
	columns.ListedCallback
	gap      *timeline.MissingCallback // nil unless the callback is missing
	received *webhooks.FeedRow         // nil unless this is a received event
}

func (c *callback) hasFailed() bool {
	return columns.CallbackStatus(&c.WebhookDelivery) == columns.CallbackFailed
}

func newEndpointTracker(base page.Base) *endpointTracker {
	return &endpointTracker{Base: base, version: -1}
}

// name returns the endpoint's address without its scheme.
func (e *endpoint) name() string { return cmp.Or(timeline.ShortAddress(e.URL), "Endpoint") }

// last returns the newest callback of the log, or an empty one if there is none.
func (e *endpoint) last() *api.WebhookDelivery {
	if len(e.Log) == 0 {
		return new(api.WebhookDelivery)
	}
	return &e.Log[0]
}

// find returns the endpoint with the given ID, or nil.
func (et *endpointTracker) find(uuid string) *endpoint {
	et.deriveFromCache()
	for _, e := range et.endpoints {
		if e.UUID == uuid {
			return e
		}
	}
	return nil
}

// missingUnknown reports whether callbacks may be missing, although none is listed as missing.
func (e *endpoint) missingUnknown() bool {
	return e.whyUnknown != "" && e.counts[columns.CallbackMissing] == 0
}

// source returns the endpoints as the source of a list.
func (et *endpointTracker) source() page.ListSource[*endpoint] {
	return page.ListSource[*endpoint]{
		State: func() page.ListState[*endpoint] {
			et.deriveFromCache()
			return page.ListState[*endpoint]{
				Rows:    et.endpoints,
				Version: et.changes,
				At:      et.state.ReadAt,
				Err:     et.state.Err,
			}
		},
		Needs:   func(int) []cache.Need { return et.needs() },
		Refresh: et.refresh,
	}
}

// shortNames returns a short name for each endpoint, by its ID.
func (et *endpointTracker) shortNames() map[string]string {
	all := make([]*timeline.Endpoint, len(et.endpoints))
	for i, e := range et.endpoints {
		all[i] = &e.Endpoint
	}
	return timeline.ShortNames(all)
}

// readLocal loads the events that were received in earlier runs. Otherwise the callbacks of these events would
// count as missing. It also loads the endpoints' secrets from the keyring, in the background because a keyring
// may be slow. Errors are not fatal.
func (et *endpointTracker) readLocal() tea.Cmd {
	et.deriveFromCache()
	received := et.Env.Profile.Feed.EventLog()
	secrets := et.Env.Profile.Secrets
	endpoints := et.endpoints
	read := func(ctx context.Context) (struct{}, error) {
		_ = received.LoadNew() // pages ask the log for the error
		for _, e := range endpoints {
			_, err := secrets.Get(e.UUID)
			if err != nil || ctx.Err() != nil {
				break // pages that need the secret say that it is unknown
			}
		}
		return struct{}{}, nil //nolint:nilerr // see above
	}
	finish := func(struct{}, error) tea.Cmd {
		et.deriveFromCache()
		return nil
	}
	return page.RunInBackground(et.Base, &et.reading, read, finish)
}

// needs returns the data that the tracker needs: endpoints, their logs, all missions, and the planning and
// packages of the missions in toCheck.
func (et *endpointTracker) needs() []cache.Need {
	c := et.Env.Profile.Cache
	needs := []cache.Need{c.Endpoints.NeedOf(cache.Account), c.AllMissions()}
	for _, e := range et.endpoints {
		needs = append(needs, c.Logs.NeedOf(e.UUID))
	}
	for _, m := range et.toCheck {
		needs = append(needs, timeline.NeedFacts(c, m)...)
	}
	return needs
}

// refresh loads all data again.
func (et *endpointTracker) refresh() tea.Cmd {
	et.Env.Profile.Cache.RefreshNeeds(et.needs()...)
	return et.readLocal()
}

// update computes the endpoints again when new data was loaded. If there are new endpoints, it also loads their
// secrets.
func (et *endpointTracker) update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(page.ReadMsg); !ok {
		return nil
	}
	before := len(et.endpoints)
	et.deriveFromCache()
	if len(et.endpoints) > before {
		return et.readLocal()
	}
	return nil
}

// deriveFromCache computes all fields again if the cache or the received events have changed. It shows the
// number of failing endpoints next to the section's name.
func (et *endpointTracker) deriveFromCache() {
	data := et.Env.Profile.Cache
	version := data.Version()
	received := et.Env.Profile.Feed.EventLog().Version()
	if et.version == version && et.received == received {
		return
	}
	et.version = version
	et.received = received
	et.changes++
	missions := data.Now().Missions
	et.deriveEndpoints(et.deriveMissions(missions))
	since := et.knownSince()
	et.toCheck = timeline.MissionsToCheck(missions, since)
	whyUnknown := et.describeUnread(missions, since)
	for _, e := range et.endpoints {
		e.whyUnknown = whyUnknown
	}
	et.showFailing()
}

// deriveMissions indexes the missions by ID. It returns what is known about each mission, from which the
// missing callbacks are computed.
func (et *endpointTracker) deriveMissions(missions []*cache.Mission) []*timeline.Mission {
	et.missions = make(map[string]*cache.Mission, len(missions))
	facts := make([]*timeline.Mission, len(missions))
	for i, m := range missions {
		et.missions[m.UUID] = m
		facts[i] = timeline.MissionFacts(et.Env.Profile.Cache, m)
	}
	return facts
}

// deriveEndpoints computes the endpoints with their callbacks, including missing ones. facts is the result of
// deriveMissions.
func (et *endpointTracker) deriveEndpoints(facts []*timeline.Mission) {
	list, state := et.Env.Profile.Cache.Endpoints.Get(cache.Account)
	et.state = state
	et.endpoints = make([]*endpoint, len(list.Items))
	for i := range list.Items {
		et.endpoints[i] = et.newEndpoint(&list.Items[i], facts)
	}
}

// showFailing shows the number of failing endpoints next to the name of the section.
func (et *endpointTracker) showFailing() {
	failing := 0
	for _, e := range et.endpoints {
		if e.isFailing {
			failing++
		}
	}
	badge := page.SectionBadge{Role: theme.Bad}
	if failing > 0 {
		badge.Text = fmt.Sprintf("!%d", failing)
	}
	et.Env.SetBadge(action.GoWebhooks, badge)
}

// knownSince returns the time of the oldest callback in the loaded logs, or the current time if no log
// is loaded.
func (et *endpointTracker) knownSince() time.Time {
	since := et.Env.Clock.Now()
	for _, e := range et.endpoints {
		if !e.log.ReadAt.IsZero() && e.KnownFrom().Before(since) {
			since = e.KnownFrom()
		}
	}
	return since
}

// describeUnread returns which data is still missing in the cache to find all missing callbacks since the given time.
// It returns "" if all of this data is loaded. missions has all missions in the cache.
func (et *endpointTracker) describeUnread(missions []*cache.Mission, since time.Time) string {
	if _, err := et.Env.Profile.Feed.EventLog().LoadState(); err != nil {
		return "received events could not be loaded"
	}
	if text := describeUnreadOrders(et.Env.Profile.Cache.Now()); text != "" {
		return text
	}
	unread := timeline.CountUncheckedOrders(et.Env.Profile.Cache, since)
	if unread > 0 {
		return "missions of " + format.Count(unread, "order") + " are not loaded"
	}
	for _, m := range et.toCheck {
		if text := et.describeUnreadMission(m); text != "" {
			return text
		}
	}
	if unchecked := countSuspects(missions, since) - len(et.toCheck); unchecked > 0 {
		return "planning of " + format.Count(unchecked, "mission") + " is not loaded"
	}
	return ""
}

// countSuspects returns the number of missions that may have missing callbacks since the given time.
func countSuspects(missions []*cache.Mission, since time.Time) int {
	count := 0
	for _, m := range missions {
		if timeline.MayLackCallbacks(m, since) {
			count++
		}
	}
	return count
}

// describeUnreadOrders returns which orders or missions are not loaded, or "" if all are loaded.
func describeUnreadOrders(view *cache.CacheView) string {
	if view.Err != nil && !view.Listed {
		return "orders could not be loaded"
	}
	tried := view.Read + view.Faults + view.Left // orders whose missions were requested
	isComplete := view.Listed && tried >= len(view.Orders)
	if view.Err != nil && !isComplete {
		return "not all missions could be loaded"
	}
	if !isComplete {
		return "orders are being loaded"
	}
	if view.Faults > 0 {
		return "missions of " + format.Count(view.Faults, "order") + " could not be loaded"
	}
	return ""
}

// describeUnreadMission returns which data of a mission is not loaded, or "" if all is loaded.
func (et *endpointTracker) describeUnreadMission(m *cache.Mission) string {
	facts := timeline.MissionFacts(et.Env.Profile.Cache, m)
	if facts.PlanningErr != nil {
		return "planning of " + m.MissionCode + " could not be loaded"
	}
	if facts.PackagesErr != nil {
		return "deliveries of " + m.MissionCode + " could not be loaded"
	}
	if facts.Unread {
		return "planning and deliveries are being loaded"
	}
	return ""
}

// newEndpoint returns an endpoint with its callbacks, including missing ones.
func (et *endpointTracker) newEndpoint(from *api.WebhookEndpoint, missions []*timeline.Mission) *endpoint {
	e := &endpoint{counts: map[string]int{}}
	e.Endpoint, e.log = timeline.EndpointOf(et.Env.Profile.Cache, from, time.Time{})
	areEventsKnown, eventsErr := et.Env.Profile.Feed.EventLog().LoadState()
	e.isLoaded = (areEventsKnown || eventsErr != nil) && !e.log.ReadAt.IsZero()
	if !e.isLoaded {
		e.isFailing = format.ValueOf(from.LastStatus) == format.Failed.Wire
		return e
	}
	for i := range e.Log {
		e.counts[columns.CallbackStatus(&e.Log[i])]++
		e.callbacks = append(e.callbacks, et.loggedCallback(&e.Log[i]))
	}
	if eventsErr == nil {
		et.addMissing(e, missions)
	}
	e.isFailing = e.counts[columns.CallbackMissing] > 0 || e.hasFailedLast()
	e.failingSince = e.findFailingSince()
	e.sortCallbacks()
	return e
}

func (et *endpointTracker) addMissing(e *endpoint, missions []*timeline.Mission) {
	received := et.Env.Profile.Feed.EventLog().EventsOf(e.UUID)
	// The loaded log cannot have events that are newer than its time.
	for _, gap := range timeline.FindMissing(missions, &e.Endpoint, received, e.log.ReadAt) {
		e.counts[columns.CallbackMissing]++
		e.callbacks = append(e.callbacks, missingCallback(&e.Endpoint, gap))
	}
}

// hasFailedLast reports whether the last finished callback failed.
func (e *endpoint) hasFailedLast() bool {
	return e.lastOutcome() == format.Failed.Wire
}

// hasDeliveredLast reports whether the last finished callback was delivered.
func (e *endpoint) hasDeliveredLast() bool {
	return e.lastOutcome() == format.Delivered.Wire
}

// lastOutcome returns the outcome of the last finished callback, or "" if no callback has finished. It looks at the
// log, or at the endpoint's data from the service if the log has no finished callback.
func (e *endpoint) lastOutcome() string {
	isFinished := func(d api.WebhookDelivery) bool { return !d.IsPending() }
	i := slices.IndexFunc(e.Log, isFinished)
	if i < 0 {
		return format.ValueOf(e.LastStatus)
	}
	if e.Log[i].Success {
		return format.Delivered.Wire
	}
	return format.Failed.Wire
}

// findFailingSince returns the time since which the endpoint has been failing; see failingSince.
func (e *endpoint) findFailingSince() time.Time {
	since := e.firstFailureInARow()
	if !since.IsZero() {
		return since
	}
	for i := range e.callbacks {
		c := &e.callbacks[i]
		if c.gap != nil && (since.IsZero() || c.gap.To.Before(since)) {
			since = c.gap.To
		}
	}
	return since
}

// firstFailureInARow returns the time of the first callback that failed after the last delivered one, or the zero time
// if the last finished callback was delivered.
func (e *endpoint) firstFailureInARow() time.Time {
	var first time.Time
	for i := range e.Log {
		d := &e.Log[i]
		if d.Success {
			break
		}
		if !d.IsPending() {
			first = d.CreatedAt.Time
		}
	}
	return first
}

// sortCallbacks sorts the callbacks by status, failures first, then newest first.
func (e *endpoint) sortCallbacks() {
	rank := func(c *callback) float64 { return columns.CallbackState(&c.WebhookDelivery).Num }
	sort.SliceStable(e.callbacks, func(i, j int) bool {
		x := &e.callbacks[i]
		y := &e.callbacks[j]
		if rank(x) != rank(y) {
			return rank(x) < rank(y)
		}
		return y.CreatedAt.Before(x.CreatedAt.Time)
	})
}

// loggedCallback returns the row for a callback in a log. If the mission is not loaded, the row shows the beginning
// of the mission's ID instead of its code.
func (et *endpointTracker) loggedCallback(d *api.WebhookDelivery) callback {
	var c callback
	c.WebhookDelivery = *d
	m := et.missions[d.MissionUID]
	if m == nil {
		c.MissionCode = timeline.ShortID(d.MissionUID)
		return c
	}
	c.MissionCode = m.MissionCode
	c.OrderCode = cmp.Or(d.OrderCode, m.OrderCode)
	return c
}

// missingCallback returns the row for a missing callback. It sets the same fields as a row for a callback in a
// log.
func missingCallback(e *timeline.Endpoint, g *timeline.MissingCallback) callback {
	c := callback{gap: g, ListedCallback: g.AsCallback(e)}
	c.UUID = "gap " + g.Key()
	c.Error = new("not in the log, not received by this app")
	return c
}
