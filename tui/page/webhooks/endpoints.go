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

// endpointBook derives endpoints, their callbacks and their health from the cache,
// once for each of its versions. The pages of the section share one book, and use it
// on the event loop only. Answers to its questions go to the page that made it.
type endpointBook struct {
	page.Base
	version   int  // of the cache, from which all fields below were derived
	changes   int  // increased with every change
	loaded    bool // events received in earlier runs are loaded
	state     cache.EntryState
	endpoints []*endpoint // newest first
	missions  map[string]*cache.Mission
	wanted    []*cache.Mission // their planning and packages show which callbacks are missing
	unread    string           // why missing callbacks may not be known, "" if they are

	reading, tested, registering page.Question
	made                         string // ID of the endpoint to select once it is listed
}

// endpoint is an endpoint with its callbacks.
type endpoint struct {
	timeline.Endpoint
	log       cache.EntryState
	isJudged  bool           // its log and what was received are loaded: what follows is known
	callbacks []callback     // failures first
	counts    map[string]int // by status
	isIll     bool           // the last callback failed, or callbacks are missing
	unread    string         // why callbacks may be missing that are not listed, or ""
}

// callback is a row of a log, or a missing callback.
type callback struct {
	columns.ListedCallback                           // as far as it is known
	gap                    *timeline.MissingCallback // nil for one in the log
	heard                  *webhooks.FeedRow         // of one that this app received live
}

func (c *callback) hasFailed() bool {
	return columns.CallbackStatus(&c.WebhookDelivery) == columns.CallbackFailed
}

func newEndpointBook(base page.Base) *endpointBook { return &endpointBook{Base: base, version: -1} }

// name returns the endpoint's address without its scheme.
func (e *endpoint) name() string { return cmp.Or(timeline.ShortAddress(e.URL), "Endpoint") }

// last returns the newest callback of the log, an empty one if there is none.
func (e *endpoint) last() *api.WebhookDelivery {
	if len(e.Log) == 0 {
		return new(api.WebhookDelivery)
	}
	return &e.Log[0]
}

// find returns the endpoint with an ID, nil if it is gone.
func (b *endpointBook) find(uuid string) *endpoint {
	b.deriveFromCache()
	if i := slices.IndexFunc(b.endpoints, func(e *endpoint) bool { return e.UUID == uuid }); i >= 0 {
		return b.endpoints[i]
	}
	return nil
}

// source returns the endpoints as the source of a list.
func (b *endpointBook) source() page.ListSource[*endpoint] {
	return page.ListSource[*endpoint]{
		State: func() page.ListState[*endpoint] {
			b.deriveFromCache()
			return page.ListState[*endpoint]{
				Rows:    b.endpoints,
				Version: b.changes,
				At:      b.state.ReadAt,
				Err:     b.state.Err,
			}
		},
		Needs:   func(int) []cache.Need { return b.needs() },
		Refresh: b.refresh,
	}
}

// readLocal reads events received in earlier runs, without which these would count as
// never sent, and secrets in the keyring, which can take just as long. Errors are not
// fatal.
func (b *endpointBook) readLocal() tea.Cmd {
	b.deriveFromCache()
	received, secrets, endpoints := b.Env.Profile.Feed.EventLog(), b.Env.Profile.Secrets, b.endpoints
	return page.AskInBackground(b.Base, &b.reading, func(ctx context.Context) (struct{}, error) {
		_ = received.LoadNew() // errors are shown by the page of live events
		for _, e := range endpoints {
			if _, err := secrets.Get(e.UUID); err != nil || ctx.Err() != nil {
				break // pages that need the secret report that it is unknown
			}
		}
		return struct{}{}, nil //nolint:nilerr // see above
	}, func(struct{}, error) tea.Cmd {
		b.loaded, b.version = true, -1
		b.deriveFromCache()
		return nil
	})
}

// needs requests endpoints, logs and missions, and the planning and packages of
// missions that could miss a callback.
func (b *endpointBook) needs() []cache.Need {
	c := b.Env.Profile.Cache
	needs := []cache.Need{c.Endpoints.NeedOf(cache.Account), c.AllMissions()}
	for _, e := range b.endpoints {
		needs = append(needs, c.Logs.NeedOf(e.UUID))
	}
	for _, m := range b.wanted {
		needs = append(needs, timeline.NeedFacts(c, m)...)
	}
	return needs
}

// refresh reloads everything.
func (b *endpointBook) refresh() tea.Cmd {
	b.Env.Profile.Cache.RereadNeeds(b.needs()...)
	return b.readLocal()
}

// update takes new data, and reads what this machine knows of new endpoints.
func (b *endpointBook) update(msg tea.Msg) tea.Cmd {
	if _, read := msg.(page.ReadMsg); read {
		had := len(b.endpoints)
		if b.deriveFromCache(); len(b.endpoints) > had {
			return b.readLocal()
		}
	}
	return nil
}

// deriveFromCache takes the newest data of the cache, and shows the number of failing
// endpoints beside the section's name.
func (b *endpointBook) deriveFromCache() {
	version := b.Env.Profile.Cache.Version()
	if b.version == version {
		return
	}
	b.version, b.changes = version, b.changes+1
	known := b.Env.Profile.Cache.Now().Missions
	b.missions = make(map[string]*cache.Mission, len(known))
	facts := make([]*timeline.Mission, len(known))
	for i, m := range known {
		b.missions[m.UUID], facts[i] = m, timeline.MissionFacts(b.Env.Profile.Cache, m)
	}
	list, state := b.Env.Profile.Cache.Endpoints.Get(cache.Account)
	b.state, b.endpoints = state, make([]*endpoint, len(list.Items))
	ill, since := 0, b.Env.Clock.Now()
	for i := range list.Items {
		e := b.newEndpoint(&list.Items[i], facts)
		if b.endpoints[i] = e; e.isIll {
			ill++
		}
		if !e.log.ReadAt.IsZero() && e.KnownFrom().Before(since) {
			since = e.KnownFrom()
		}
	}
	b.wanted = timeline.LastChanged(known, since)
	b.unread = b.describeUnread(since)
	for _, e := range b.endpoints {
		e.unread = b.unread
	}
	count := page.TextIf(ill > 0, fmt.Sprint("!", ill))
	b.Env.SetBadge(action.GoWebhooks, page.SectionBadge{Text: count, Role: theme.Bad})
}

// describeUnread says why callbacks since a moment may be missing that are not known, or "".
func (b *endpointBook) describeUnread(since time.Time) string {
	c := b.Env.Profile.Cache
	known := c.Now()
	switch {
	case known.Err != nil && !known.Listed:
		return "orders could not be loaded"
	case !known.Listed || known.Read+known.Faults+known.Left < len(known.Orders):
		return "orders are being loaded"
	case known.Faults > 0:
		return "missions of " + format.Count(known.Faults, "order") + " could not be loaded"
	}
	if n := timeline.UnreadOrders(c, since); n > 0 {
		return "missions of " + format.Count(n, "order") + " are not loaded"
	}
	for _, m := range b.wanted {
		facts := timeline.MissionFacts(c, m)
		switch {
		case facts.PlanningErr != nil:
			return "planning of " + m.MissionCode + " could not be loaded"
		case facts.PackagesErr != nil:
			return "deliveries of " + m.MissionCode + " could not be loaded"
		case facts.Unread:
			return "planning is being loaded"
		}
	}
	return ""
}

// newEndpoint returns an endpoint with its callbacks, those that are missing among
// them.
func (b *endpointBook) newEndpoint(of *api.WebhookEndpoint, missions []*timeline.Mission) *endpoint {
	e := &endpoint{counts: map[string]int{}}
	e.Endpoint, e.log = timeline.EndpointOf(b.Env.Profile.Cache, of, time.Time{})
	e.isIll = format.ValueOf(of.LastStatus) == format.Failed.Wire
	e.isJudged = b.loaded && !e.log.ReadAt.IsZero()
	if !e.isJudged {
		return e
	}
	if i := slices.IndexFunc(e.Log, func(d api.WebhookDelivery) bool { return !d.IsPending() }); i >= 0 {
		e.isIll = !e.Log[i].Success
	}
	for i := range e.Log {
		e.counts[columns.CallbackStatus(&e.Log[i])]++
		e.callbacks = append(e.callbacks, b.loggedCallback(&e.Log[i]))
	}
	// Events after the log was loaded are not in it yet.
	for _, g := range timeline.FindMissing(
		missions,
		&e.Endpoint,
		b.Env.Profile.Feed.EventLog().EventsOf(of.UUID),
		e.log.ReadAt,
	) {
		e.counts[columns.CallbackMissing]++
		e.callbacks = append(e.callbacks, missingCallback(&e.Endpoint, g))
	}
	e.isIll = e.isIll || e.counts[columns.CallbackMissing] > 0
	rank := func(c *callback) float64 { return columns.CallbackState(&c.WebhookDelivery).Num }
	sort.SliceStable(e.callbacks, func(i, j int) bool {
		x, y := &e.callbacks[i], &e.callbacks[j]
		return cmp.Or(cmp.Compare(rank(x), rank(y)), y.CreatedAt.Compare(x.CreatedAt.Time)) < 0
	})
	return e
}

// loggedCallback returns a row of a log. If its mission is not loaded, its code is the
// beginning of the mission's ID.
func (b *endpointBook) loggedCallback(d *api.WebhookDelivery) (c callback) {
	c.WebhookDelivery = *d
	c.MissionCode = timeline.ShortID(d.MissionUID)
	if m := b.missions[d.MissionUID]; m != nil {
		c.MissionCode, c.OrderCode = m.MissionCode, cmp.Or(d.OrderCode, m.OrderCode)
	}
	return c
}

// missingCallback returns a callback that is missing, as a row of the log would be.
func missingCallback(e *timeline.Endpoint, g *timeline.MissingCallback) callback {
	c := callback{gap: g, ListedCallback: g.AsCallback(e)}
	c.UUID = "gap " + g.Key()
	c.Error = new("not in the log, not received")
	return c
}
