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

// book is what is known of the account's endpoints: what the cache has of them,
// and what follows from it. The pages of the section share it; it is touched in
// the program's loop only. It asks in the name of the section's first page,
// which is there as long as the section is.
type book struct {
	page.Base
	changes   int                   // counts what has become known
	version   int                   // of the cache that all below is of
	endpoints []api.WebhookEndpoint // newest first
	logs      map[string]*log       // by endpoint, of those that were tried
	read      time.Time             // when the endpoints were read
	err       error                 // why they could not be
	loaded    bool                  // what was received in earlier runs is known
	asked     page.Question
	wanted    []*cache.Mission // whose plans and packages tell gaps
	byID      map[string]*cache.Mission
	healths   map[string]*health
}

// log is the log of an endpoint, as far as it was read.
type log struct {
	rows  []api.WebhookDelivery // newest first
	since time.Time             // it goes on before this; zero where it is whole
	read  time.Time
	err   error
}

func newBook(base page.Base) *book {
	return &book{Base: base, logs: map[string]*log{}, healths: map[string]*health{}, version: -1}
}

// endpoint is the one of an id, nil where it is gone.
func (b *book) endpoint(uuid string) *api.WebhookEndpoint {
	i := slices.IndexFunc(b.endpoints, func(e api.WebhookEndpoint) bool { return e.UUID == uuid })
	if i < 0 {
		return nil
	}
	return &b.endpoints[i]
}

// localAnswer says that what is kept on this machine was read.
type localAnswer = page.Answer[struct{}]

// start shows what is known, and reads what is kept on this machine.
func (b *book) start() tea.Cmd {
	b.take()
	if b.asked.Open() {
		return nil
	}
	return b.readLocal()
}

// readLocal reads what was received in earlier runs, without which those events
// would count as never sent, and the secrets in the keyring, which may take as
// long as that does. Without one the app goes on all the same.
func (b *book) readLocal() tea.Cmd {
	received, secrets := b.Feed.Log(), b.Secrets
	var ids []string
	for i := range b.endpoints {
		if id := b.endpoints[i].UUID; !secrets.Known(id) {
			ids = append(ids, id)
		}
	}
	return page.Ask(b.Base, &b.asked, func(ctx context.Context) (struct{}, error) {
		_ = received.Load() // where it cannot be read, the page that shows it says so
		for _, id := range ids {
			if _, err := secrets.Get(id); err != nil || ctx.Err() != nil {
				break // a page that wants one says that it is not known
			}
		}
		return struct{}{}, nil //nolint:nilerr // see above
	})
}

// needs are the endpoints with their logs, the missions, and what tells when
// things happened to those that a gap could be about.
func (b *book) needs() []cache.Need {
	c := b.Cache
	needs := []cache.Need{c.Endpoints.Of(cache.Account), c.AllMissions()}
	for i := range b.endpoints {
		needs = append(needs, c.Logs.Of(b.endpoints[i].UUID))
	}
	for _, m := range b.wanted {
		stamp := m.UpdatedAt.String()
		needs = append(needs, c.Planning.Stamped(m.UUID, stamp))
		if m.Status.IsDelivered() {
			needs = append(needs, c.Packages.Stamped(m.UUID, stamp))
		}
	}
	return needs
}

// refresh has all read again.
func (b *book) refresh() tea.Cmd {
	b.Cache.Reread(b.needs()...)
	return b.readLocal()
}

// update takes what has become known and reports whether it was that.
func (b *book) update(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch msg := msg.(type) {
	case localAnswer:
		if msg.Of(&b.asked) && msg.Take() {
			b.loaded, b.version = true, -1
			b.take()
		}
		return nil, msg.Of(&b.asked)
	case page.ReadMsg, page.KeptMsg:
		had := len(b.endpoints)
		if b.take(); len(b.endpoints) > had {
			return b.readLocal(), true
		}
		return nil, true
	}
	return nil, false
}

// take takes what the cache knows by now.
func (b *book) take() {
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
		if of.Unread() {
			continue
		}
		l := &log{rows: rows.Items, read: of.ReadAt, err: of.Err}
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
	b.want(missions)
	if b.loaded {
		b.judge()
	}
}

// want notes the missions that a gap could be about, those that changed last.
func (b *book) want(missions []*cache.Mission) {
	b.wanted = nil
	since := b.since()
	if since.IsZero() {
		return
	}
	for _, m := range missions {
		if of := about(m); of.Wanted(since) {
			b.wanted = append(b.wanted, m)
		}
	}
	b.wanted = lastChanged(b.wanted)
}

// lastChanged are the missions that changed last, of many.
func lastChanged(missions []*cache.Mission) []*cache.Mission {
	slices.SortStableFunc(missions, func(x, y *cache.Mission) int { return y.UpdatedAt.Compare(x.UpdatedAt.Time) })
	return missions[:min(len(missions), mostFacts)]
}

// since is from when on any endpoint should have been told; zero where that is
// not known.
func (b *book) since() (since time.Time) {
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

// about is what its order's list tells of a mission, for the gaps.
func about(m *cache.Mission) webhooks.MissionFacts {
	of := webhooks.MissionFacts{
		UUID: m.UUID, Code: m.MissionCode, Order: m.OrderCode, Status: m.Status, Created: m.CreatedAt.Time, Updated: m.UpdatedAt.Time,
	}
	if of.Order == "" && m.Order != nil {
		of.Order = m.Order.OrderCode
	}
	if m.OperatorName != nil {
		of.Operator = *m.OperatorName
	}
	return of
}

// mission is what is known of one, for the gaps.
func (b *book) mission(m *cache.Mission) webhooks.MissionFacts {
	of := about(m)
	var planning, packages cache.State
	of.Planning, planning = b.Cache.Planning.Get(m.UUID)
	of.Packages, packages = b.Cache.Packages.Get(m.UUID)
	of.Planned, of.Packed = !planning.ReadAt.IsZero(), !packages.ReadAt.IsZero()
	return of
}

// find is the mission of an id as the cache has it, nil where it is not read.
func (b *book) find(uuid string) *cache.Mission {
	b.take()
	return b.byID[uuid]
}

// reading tells whether something is still on its way.
func (b *book) reading() bool {
	_, state := b.Cache.Endpoints.Get(cache.Account)
	for i := range b.endpoints {
		_, of := b.Cache.Logs.Get(b.endpoints[i].UUID)
		state.Loading = state.Loading || of.Loading
	}
	return state.Loading || b.asked.Open()
}
