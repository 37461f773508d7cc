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

const mostFacts = 60 // missions whose plans and packages are read

// endpointBook is what is known of the account's endpoints: what the cache has of them,
// and what follows from it. The pages of the section share it; it is touched in
// the program's loop only. It asks in the name of the section's first page,
// which is there as long as the section is.
type endpointBook struct {
	page.Base
	changes   int                     // counts what has become known
	version   int                     // of the cache that all below is of
	endpoints []api.WebhookEndpoint   // newest first
	logs      map[string]*endpointLog // by endpoint, of those that were tried
	read      time.Time               // when the endpoints were read
	err       error                   // why they could not be
	loaded    bool                    // what was received in earlier runs is known
	asked     page.Question
	wanted    []*cache.Mission // whose plans and packages tell gaps
	byID      map[string]*cache.Mission
	healths   map[string]*endpointHealth
}

// endpointLog is the log of an endpoint, as far as it was read.
type endpointLog struct {
	rows  []api.WebhookDelivery // newest first
	since time.Time             // it goes on before this; zero where it is whole
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

// endpointByID returns the one of an id, nil where it is gone.
func (b *endpointBook) endpointByID(uuid string) *api.WebhookEndpoint {
	i := slices.IndexFunc(b.endpoints, func(e api.WebhookEndpoint) bool { return e.UUID == uuid })
	if i < 0 {
		return nil
	}
	return &b.endpoints[i]
}

// localAnswer says that what is kept on this machine was read.
type localAnswer = page.QuestionAnswer[struct{}]

// startReading shows what is known, and reads what is kept on this machine.
func (b *endpointBook) startReading() tea.Cmd {
	b.takeKnown()
	if b.asked.IsOpen() {
		return nil
	}
	return b.readLocal()
}

// readLocal reads what was received in earlier runs, without which those events
// would count as never sent, and the secrets in the keyring, which may take as
// long as that does. Without one the app goes on all the same.
func (b *endpointBook) readLocal() tea.Cmd {
	received, secrets := b.Feed.EventLog(), b.Secrets
	var ids []string
	for i := range b.endpoints {
		if id := b.endpoints[i].UUID; !secrets.IsKnown(id) {
			ids = append(ids, id)
		}
	}
	return page.AskInBackground(b.Base, &b.asked, func(ctx context.Context) (struct{}, error) {
		_ = received.LoadNew() // where it cannot be read, the page that shows it says so
		for _, id := range ids {
			if _, err := secrets.Get(id); err != nil || ctx.Err() != nil {
				break // a page that wants one says that it is not known
			}
		}
		return struct{}{}, nil //nolint:nilerr // see above
	})
}

// bookNeeds returns the endpoints with their logs, the missions, and what tells when
// things happened to those that a gap could be about.
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

// refreshAll has all read again.
func (b *endpointBook) refreshAll() tea.Cmd {
	b.Cache.RereadNeeds(b.bookNeeds()...)
	return b.readLocal()
}

// updateBook takes what has become known and reports whether it was that.
func (b *endpointBook) updateBook(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch msg := msg.(type) {
	case localAnswer:
		if msg.Answers(&b.asked) && msg.TakeAnswer() {
			b.loaded, b.version = true, -1
			b.takeKnown()
		}
		return nil, msg.Answers(&b.asked)
	case page.ReadMsg, page.KeptMsg:
		had := len(b.endpoints)
		if b.takeKnown(); len(b.endpoints) > had {
			return b.readLocal(), true
		}
		return nil, true
	}
	return nil, false
}

// takeKnown takes what the cache knows by now.
func (b *endpointBook) takeKnown() {
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

// wantMissions notes the missions that a gap could be about, those that changed last.
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

// lastChanged returns the missions that changed last, of many.
func lastChanged(missions []*cache.Mission) []*cache.Mission {
	slices.SortStableFunc(missions, func(x, y *cache.Mission) int { return y.UpdatedAt.Compare(x.UpdatedAt.Time) })
	return missions[:min(len(missions), mostFacts)]
}

// logStart returns the time from which on any endpoint should have been told; zero where that is
// not known.
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

// missionFacts returns what its order's list tells of a mission, for the gaps.
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

// knownMission returns what is known of one, for the gaps.
func (b *endpointBook) knownMission(m *cache.Mission) webhooks.MissionFacts {
	of := missionFacts(m)
	var planning, packages cache.EntryState
	of.Planning, planning = b.Cache.Planning.Get(m.UUID)
	of.Packages, packages = b.Cache.Packages.Get(m.UUID)
	of.Planned, of.Packed = !planning.ReadAt.IsZero(), !packages.ReadAt.IsZero()
	return of
}

// findMission returns the mission of an id as the cache has it, nil where it is not read.
func (b *endpointBook) findMission(uuid string) *cache.Mission {
	b.takeKnown()
	return b.byID[uuid]
}

// isReading tells whether something is still on its way.
func (b *endpointBook) isReading() bool {
	_, state := b.Cache.Endpoints.Get(cache.Account)
	for i := range b.endpoints {
		_, of := b.Cache.Logs.Get(b.endpoints[i].UUID)
		state.Loading = state.Loading || of.Loading
	}
	return state.Loading || b.asked.IsOpen()
}
