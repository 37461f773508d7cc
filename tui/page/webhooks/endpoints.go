package webhooks

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/page"
)

const mostFacts = 60 // missions to load planning and packages for

// endpointBook joins what the cache knows of endpoints, logs and missions, to find
// missing callbacks and judge each endpoint's health. The pages of the section share
// one book, and use it on the event loop only. It loads data on behalf of the section's
// first page, which lives as long as the section.
type endpointBook struct {
	page.Base
	changes   int                     // increased with every change
	version   int                     // of the cache from which all fields below were taken
	endpoints []api.WebhookEndpoint   // newest first
	logs      map[string]*endpointLog // by endpoint, if loading was tried
	read      time.Time               // when the endpoints were loaded
	err       error                   // why they could not be loaded
	loaded    bool                    // events received in earlier runs are loaded
	asked     page.Question
	wanted    []*cache.Mission // their planning and packages show which callbacks are missing
	byID      map[string]*cache.Mission
	healths   map[string]*endpointHealth
}

// endpointLog is the log of an endpoint, as far as it is loaded.
type endpointLog struct {
	rows  []api.WebhookDelivery // newest first
	since time.Time             // there are older rows; zero if complete
	read  time.Time
	err   error
}

func newEndpointBook(base page.Base) *endpointBook {
	return &endpointBook{
		Base:    base,
		logs:    map[string]*endpointLog{},
		healths: map[string]*endpointHealth{},
		version: -1,
	}
}

// endpointByID returns the endpoint with an ID, nil if it is gone.
func (b *endpointBook) endpointByID(uuid string) *api.WebhookEndpoint {
	i := slices.IndexFunc(b.endpoints, func(e api.WebhookEndpoint) bool { return e.UUID == uuid })
	if i < 0 {
		return nil
	}
	return &b.endpoints[i]
}

// localAnswer reports that local data was read.
type localAnswer = page.QuestionAnswer[struct{}]

// startReading takes the newest data of the cache, and reads local data.
func (b *endpointBook) startReading() tea.Cmd {
	b.updateFromCache()
	if b.asked.IsOpen() {
		return nil
	}
	return b.readLocal()
}

// readLocal reads events received in earlier runs, without which these would count as
// never sent, and secrets in the keyring, which can take just as long. Errors are not
// fatal.
func (b *endpointBook) readLocal() tea.Cmd {
	received, secrets := b.Feed.EventLog(), b.Secrets
	var ids []string
	for i := range b.endpoints {
		if id := b.endpoints[i].UUID; !secrets.IsKnown(id) {
			ids = append(ids, id)
		}
	}
	return page.AskInBackground(b.Base, &b.asked, func(ctx context.Context) (struct{}, error) {
		_ = received.LoadNew() // errors are shown by the page of live events
		for _, id := range ids {
			if _, err := secrets.Get(id); err != nil || ctx.Err() != nil {
				break // pages that need the secret report that it is unknown
			}
		}
		return struct{}{}, nil //nolint:nilerr // see above
	})
}

// bookNeeds requests endpoints, logs and missions, and the planning and packages of
// missions that could miss a callback.
func (b *endpointBook) bookNeeds() []cache.Need {
	c := b.Cache
	needs := []cache.Need{c.Endpoints.NeedOf(cache.Account), c.AllMissions()}
	for i := range b.endpoints {
		needs = append(needs, c.Logs.NeedOf(b.endpoints[i].UUID))
	}
	for _, m := range b.wanted {
		stamp := m.UpdatedAt.String()
		needs = append(needs, c.Planning.NeedStamped(m.UUID, stamp))
		if m.Status.IsDelivered() {
			needs = append(needs, c.Packages.NeedStamped(m.UUID, stamp))
		}
	}
	return needs
}

// refreshAll reloads everything.
func (b *endpointBook) refreshAll() tea.Cmd {
	b.Cache.RereadNeeds(b.bookNeeds()...)
	return b.readLocal()
}

// updateBook handles new data, and reports whether the message was about it.
func (b *endpointBook) updateBook(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch msg := msg.(type) {
	case localAnswer:
		if msg.Answers(&b.asked) && msg.TakeAnswer() {
			b.loaded, b.version = true, -1
			b.updateFromCache()
		}
		return nil, msg.Answers(&b.asked)
	case page.ReadMsg, page.KeptMsg:
		had := len(b.endpoints)
		if b.updateFromCache(); len(b.endpoints) > had {
			return b.readLocal(), true
		}
		return nil, true
	}
	return nil, false
}

// updateFromCache takes the newest data of the cache.
func (b *endpointBook) updateFromCache() {
	version := b.Cache.Version()
	if b.version == version {
		return
	}
	b.version = version
	b.changes++
	list, state := b.Cache.Endpoints.Get(cache.Account)
	b.endpoints, b.read, b.err = list.Items, state.ReadAt, state.Err
	clear(b.logs)
	for i := range b.endpoints {
		uuid := b.endpoints[i].UUID
		rows, of := b.Cache.Logs.Get(uuid)
		if of.IsUnread() {
			continue
		}
		l := &endpointLog{rows: rows.Items, read: of.ReadAt, err: of.Err}
		if n := len(rows.Items); rows.More && n > 0 {
			l.since = rows.Items[n-1].CreatedAt.Time
		}
		b.logs[uuid] = l
	}
	missions := b.Cache.Now().Missions
	b.byID = make(map[string]*cache.Mission, len(missions))
	for _, m := range missions {
		b.byID[m.UUID] = m
	}
	b.wantMissions(missions)
	if b.loaded {
		b.judgeHealth()
	}
}

// wantMissions selects the missions that could miss a callback, latest changes first.
func (b *endpointBook) wantMissions(missions []*cache.Mission) {
	b.wanted = nil
	since := b.logStart()
	if since.IsZero() {
		return
	}
	for _, m := range missions {
		if of := missionFacts(m); of.NeedsMore(since) {
			b.wanted = append(b.wanted, m)
		}
	}
	b.wanted = lastChanged(b.wanted)
}

// lastChanged returns the missions that changed last, at most mostFacts.
func lastChanged(missions []*cache.Mission) []*cache.Mission {
	slices.SortStableFunc(missions, func(x, y *cache.Mission) int { return y.UpdatedAt.Compare(x.UpdatedAt.Time) })
	return missions[:min(len(missions), mostFacts)]
}

// logStart returns the time from which at least one endpoint's log is complete, zero if
// unknown.
func (b *endpointBook) logStart() (since time.Time) {
	for i := range b.endpoints {
		e := &b.endpoints[i]
		l := b.logs[e.UUID]
		if l == nil || l.read.IsZero() {
			continue
		}
		from := e.CreatedAt.Time
		if l.since.After(from) {
			from = l.since
		}
		if since.IsZero() || from.Before(since) {
			since = from
		}
	}
	return since
}

// missionFacts returns the data of the mission list that tells which callbacks to
// expect.
func missionFacts(m *cache.Mission) webhooks.MissionFacts {
	of := webhooks.MissionFacts{
		UUID:    m.UUID,
		Code:    m.MissionCode,
		Order:   m.OrderCode,
		Status:  m.Status,
		Created: m.CreatedAt.Time,
		Updated: m.UpdatedAt.Time,
	}
	if of.Order == "" && m.Order != nil {
		of.Order = m.Order.OrderCode
	}
	if m.OperatorName != nil {
		of.Operator = *m.OperatorName
	}
	return of
}

// knownMission returns all data that tells which callbacks to expect.
func (b *endpointBook) knownMission(m *cache.Mission) webhooks.MissionFacts {
	of := missionFacts(m)
	var planning, packages cache.EntryState
	of.Planning, planning = b.Cache.Planning.Get(m.UUID)
	of.Packages, packages = b.Cache.Packages.Get(m.UUID)
	of.Planned, of.Packed = !planning.ReadAt.IsZero(), !packages.ReadAt.IsZero()
	return of
}

// findMission returns the mission with an ID, nil if it is not loaded.
func (b *endpointBook) findMission(uuid string) *cache.Mission {
	b.updateFromCache()
	return b.byID[uuid]
}

// isReading reports whether data is still loading.
func (b *endpointBook) isReading() bool {
	_, state := b.Cache.Endpoints.Get(cache.Account)
	for i := range b.endpoints {
		_, of := b.Cache.Logs.Get(b.endpoints[i].UUID)
		state.Loading = state.Loading || of.Loading
	}
	return state.Loading || b.asked.IsOpen()
}
