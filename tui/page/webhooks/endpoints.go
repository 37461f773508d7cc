package webhooks

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/missing"
	"flightdesk/tui/page"
)

const (
	atOnce    = 4   // requests at the same time
	mostRows  = 500 // of a log that are read
	mostFacts = 60  // missions whose plans and packages are read
)

// book is what is known of the account's endpoints. The pages of the section
// share it; it is touched in the program's loop only. It asks in the name of
// the section's first page, which is there as long as the section is: a page
// that leaves takes no answer with it.
type book struct {
	page.Base
	changes   int                   // counts what has become known
	endpoints []api.WebhookEndpoint // newest first
	logs      map[string]*log       // by endpoint
	read      time.Time             // when the endpoints were read
	err       error                 // why they could not be

	asked page.Question
	queue []string // endpoints whose logs are to be read
	busy  int      // logs and facts that are being read

	facts   map[string]*facts // of missions, by id
	wanted  []*cache.Mission  // whose facts are to be read
	byID    map[string]*cache.Mission
	version int // of the fleet that byID is of
	healths map[string]*health
}

// log is the log of an endpoint, as far as it was read.
type log struct {
	rows  []api.WebhookDelivery // newest first
	since time.Time             // it goes on before this; zero where it is whole
	read  time.Time
	err   error
}

// facts are what is read of a mission to know when things happened to it.
type facts struct {
	updated  time.Time
	planned  bool
	planning []api.PlanningEntry
	packed   bool
	packages []api.DeliveryPackage
}

func newBook(base page.Base) *book {
	return &book{Base: base, logs: map[string]*log{}, facts: map[string]*facts{}, healths: map[string]*health{}, version: -1}
}

// endpoint is the one of an id, nil where it is gone.
func (b *book) endpoint(uuid string) *api.WebhookEndpoint {
	i := slices.IndexFunc(b.endpoints, func(e api.WebhookEndpoint) bool { return e.UUID == uuid })
	if i < 0 {
		return nil
	}
	return &b.endpoints[i]
}

// Messages that only the book understands.
type (
	endpointsAnswer = page.Answer[[]api.WebhookEndpoint]
	logAnswer       = page.Answer[logRead]
	factsAnswer     = page.Answer[factsRead]
	secretsAnswer   = page.Answer[secretsRead]
)

// secretsRead says that the keyring was asked for the endpoints' secrets.
type secretsRead struct{}

type logRead struct {
	endpoint string
	log      log
}

type factsRead struct {
	mission string
	facts   facts
}

// refresh has all read again. What was received in earlier runs belongs to it:
// without it those events would count as never sent.
func (b *book) refresh(force bool) tea.Cmd {
	client, received := b.Client, b.Feed.Log()
	b.Cache.Refresh(force)
	return tea.Batch(page.ReadFleet(b.Base), page.Ask(b.Base, &b.asked, func(ctx context.Context) ([]api.WebhookEndpoint, error) {
		_ = received.Load() // where it cannot be read, the page that shows it says so
		var all []api.WebhookEndpoint
		for e, err := range client.Webhooks.All(ctx) {
			if err != nil {
				return nil, err
			}
			all = append(all, *e)
		}
		return all, nil
	}))
}

// update takes the book's own answers and reports whether it was one.
func (b *book) update(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch msg := msg.(type) {
	case endpointsAnswer:
		if !msg.Take() {
			return nil, true
		}
		if b.err = msg.Err; b.err == nil {
			b.endpoints, b.read = msg.Value, b.Now()
			b.queue = b.queue[:0]
			for i := range b.endpoints {
				b.queue = append(b.queue, b.endpoints[i].UUID)
			}
			b.changes++
			return tea.Batch(b.know(), b.readOn()), true
		}
	case secretsAnswer:
		b.changes++
		return nil, true
	case logAnswer:
		b.busy--
		got := msg.Value
		if before := b.logs[got.endpoint]; got.log.err != nil && before != nil {
			got.log.rows, got.log.since, got.log.read = before.rows, before.since, before.read
		}
		b.logs[got.endpoint] = &got.log
	case factsAnswer:
		b.busy--
		b.facts[msg.Value.mission] = &msg.Value.facts
	case page.FleetAnswer:
		if cmd := page.ReadFleet(b.Base); cmd != nil {
			return cmd, true
		}
	default:
		return nil, false
	}
	cmd = b.readOn()
	b.changes++
	if b.busy == 0 {
		b.judge()
	} else if got, is := msg.(logAnswer); is {
		b.judgeOne(got.Value.endpoint)
	}
	return cmd, true
}

// readOn reads what is next, a few at the same time: the logs, and then what
// they leave open about missions.
func (b *book) readOn() tea.Cmd {
	var cmds []tea.Cmd
	client := b.Client
	for b.busy < atOnce && len(b.queue) > 0 {
		uuid := b.queue[0]
		b.queue = b.queue[1:]
		b.busy++
		now := b.Now()
		cmds = append(cmds, page.Ask(b.Base, new(page.Question), func(ctx context.Context) (logRead, error) {
			return logRead{uuid, readLog(ctx, client, uuid, now)}, nil
		}))
	}
	if b.busy > 0 || len(cmds) > 0 {
		return tea.Batch(append(cmds, b.readFacts())...)
	}
	b.want()
	return b.readFacts()
}

// know asks for the secrets that are kept, which may take as long as the keyring
// does. Without one the app goes on all the same.
func (b *book) know() tea.Cmd {
	var ids []string
	for i := range b.endpoints {
		if id := b.endpoints[i].UUID; !b.Secrets.Known(id) {
			ids = append(ids, id)
		}
	}
	kept := b.Secrets
	return page.Ask(b.Base, new(page.Question), func(ctx context.Context) (secretsRead, error) {
		for _, id := range ids {
			if _, err := kept.Get(id); err != nil || ctx.Err() != nil {
				return secretsRead{}, err // a page that wants one says that it is not known
			}
		}
		return secretsRead{}, nil
	})
}

func readLog(ctx context.Context, client *api.Client, uuid string, now time.Time) (l log) {
	for row, err := range client.Webhooks.AllDeliveries(ctx, uuid) {
		if err != nil {
			l.err = err
			return l
		}
		if len(l.rows) == mostRows {
			l.since = l.rows[mostRows-1].CreatedAt.Time
			break
		}
		l.rows = append(l.rows, *row)
	}
	l.read = now
	return l
}

// want notes the missions that a gap could be about and that not enough is
// known of, those that changed last first.
func (b *book) want() {
	b.wanted = b.wanted[:0]
	since := b.since()
	if since.IsZero() {
		return
	}
	for _, m := range b.Cache.Now().Missions {
		if k := b.facts[m.UUID]; k != nil && k.updated.Equal(m.UpdatedAt.Time) {
			continue
		}
		if of := b.mission(m); of.Wanted(since) {
			b.wanted = append(b.wanted, m)
		}
	}
	slices.SortStableFunc(b.wanted, func(x, y *cache.Mission) int { return y.UpdatedAt.Compare(x.UpdatedAt.Time) })
	b.bound()
}

// bound leaves the missions that changed last: the facts of older ones make
// room for what is wanted.
func (b *book) bound() {
	changed := make(map[string]time.Time, len(b.facts)+len(b.wanted))
	for id, f := range b.facts {
		changed[id] = f.updated
	}
	for _, m := range b.wanted {
		changed[m.UUID] = m.UpdatedAt.Time
	}
	if len(changed) <= mostFacts {
		return
	}
	ids := slices.SortedFunc(maps.Keys(changed), func(x, y string) int {
		return cmp.Or(changed[y].Compare(changed[x]), cmp.Compare(x, y))
	})
	for _, id := range ids[mostFacts:] {
		delete(b.facts, id)
		delete(changed, id)
	}
	b.wanted = slices.DeleteFunc(b.wanted, func(m *cache.Mission) bool { _, stays := changed[m.UUID]; return !stays })
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

func (b *book) readFacts() tea.Cmd {
	var cmds []tea.Cmd
	client := b.Client
	for b.busy < atOnce && len(b.wanted) > 0 {
		m := b.wanted[0]
		b.wanted = b.wanted[1:]
		b.busy++
		uuid, updated, delivered := m.UUID, m.UpdatedAt.Time, m.Status.IsDelivered()
		cmds = append(cmds, page.Ask(b.Base, new(page.Question), func(ctx context.Context) (factsRead, error) {
			f := facts{updated: updated}
			var err error
			f.planning, err = client.Missions.Planning(ctx, uuid)
			f.planned = err == nil
			if delivered {
				f.packages, err = client.Missions.Packages(ctx, uuid)
				f.packed = err == nil
			}
			return factsRead{uuid, f}, nil
		}))
	}
	return tea.Batch(cmds...)
}

// mission is what is known of one, for the gaps.
func (b *book) mission(m *cache.Mission) missing.Mission {
	of := missing.Mission{
		UUID: m.UUID, Code: m.MissionCode, Order: m.OrderCode, Status: m.Status, Created: m.CreatedAt.Time, Updated: m.UpdatedAt.Time,
	}
	if of.Order == "" && m.Order != nil {
		of.Order = m.Order.OrderCode
	}
	if m.OperatorName != nil {
		of.Operator = *m.OperatorName
	}
	if f := b.facts[m.UUID]; f != nil {
		of.Planned, of.Planning, of.Packed, of.Packages = f.planned, f.planning, f.packed, f.packages
	}
	return of
}

// find is the mission of an id as the fleet has it, nil where it is not read.
func (b *book) find(uuid string) *cache.Mission {
	if v := b.Cache.Now(); b.version != v.Version {
		b.version, b.byID = v.Version, make(map[string]*cache.Mission, len(v.Missions))
		for _, m := range v.Missions {
			b.byID[m.UUID] = m
		}
	}
	return b.byID[uuid]
}

// reading tells whether something is still on its way.
func (b *book) reading() bool { return b.asked.Open() || b.busy > 0 || len(b.queue) > 0 }
