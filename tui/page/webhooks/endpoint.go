package webhooks

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// Endpoint is the log of an endpoint: what was sent, and what should have been.
type Endpoint struct {
	*listpage.Page[entry]
	book    *book
	uuid    string
	last    api.WebhookEndpoint // as it was when it was last there
	entries []*entry            // those that are listed
	changes int                 // of the book that they are of
	version int
	onlyBad bool
	tested  page.Question
	resend  *page.Resender
}

// NewEndpoint returns the page of an endpoint for other sections, which reads on
// its own.
func NewEndpoint(env *page.Env, uuid string) *Endpoint { return newEndpoint(env, nil, uuid) }

// newEndpoint returns the page with the section's book, or without one with its
// own.
func newEndpoint(env *page.Env, b *book, uuid string) *Endpoint {
	base := page.NewBase(env)
	p := &Endpoint{book: b, uuid: uuid, changes: -1, resend: page.NewResender(base)}
	if b == nil {
		p.book = newBook(base)
	}
	p.Page = listpage.NewPage(base, listpage.Source[entry]{State: p.state, Refresh: p.book.refresh}, listpage.Options[entry]{
		Name: "callbacks", Example: "event:flight or code:>=500", One: "callback", Many: "callbacks", Scope: action.CallbackLog,
		Columns: p.columns(base.Now),
		ID:      (*entry).id,
		Look: func(e *entry) (mark table.Cell, muted bool) {
			if e.outcome() == failed {
				mark = table.Cell{Text: "!", Role: theme.Bad}
			}
			return mark, false
		},
		Stamp:       func(e *entry) string { return fmt.Sprint(e.outcome()) },
		SplitDetail: func(e *entry, w, h int) string { return layout.Box(p.detail(e, w), w, h) },
		Below: func(e *entry) string {
			if e.gap != nil {
				return layout.Text(base.Theme.Style(theme.Bad), "! Missing")
			}
			return layout.Text(base.Theme.Title, "Callback")
		},
		Open: func(*entry) tea.Cmd {
			if m := p.mission(); m != nil {
				return env.OpenMission(m)
			}
			return nil
		},
		Foot: p.foot, Blank: p.blank,
	})
	p.Detail.Least(50, 50)
	return p
}

// state is what is known of the endpoint's log.
func (p *Endpoint) state() (s listpage.State[entry]) {
	if p.changes != p.book.changes {
		p.rows()
	}
	s.Rows, s.Version = p.entries, p.version
	l, h := p.book.logs[p.uuid], p.book.healths[p.uuid]
	switch {
	case l == nil:
		if s.Err = p.book.err; p.book.endpoint(p.uuid) == nil {
			s.At = p.book.read
		}
	case h != nil || l.read.IsZero():
		s.At, s.Err = l.read, l.err
	}
	return s
}

// rows lists what is known now.
func (p *Endpoint) rows() {
	p.changes = p.book.changes
	p.version++
	p.entries = nil
	if h := p.book.healths[p.uuid]; h != nil {
		p.entries = listpage.Pointers(h.entries)
	}
	if p.onlyBad {
		p.entries = slices.DeleteFunc(p.entries, func(e *entry) bool { return e.outcome() != failed })
	}
}

// endpoint is the endpoint, also when it is gone.
func (p *Endpoint) endpoint() *api.WebhookEndpoint {
	if e := p.book.endpoint(p.uuid); e != nil {
		p.last = *e
	}
	return &p.last
}

// Title is the endpoint's address.
func (p *Endpoint) Title() string { return cmp.Or(name(p.endpoint()), "Endpoint") }

// Corner says how the endpoint fares.
func (p *Endpoint) Corner() string {
	l, h := p.book.logs[p.uuid], p.book.healths[p.uuid]
	switch {
	case p.book.endpoint(p.uuid) == nil && !p.book.read.IsZero():
		return "deleted"
	case l == nil || h == nil:
		return "reading…"
	}
	text := fmt.Sprintf("%d delivered · %d failed", h.delivered, h.failed)
	if n := len(h.gaps); n > 0 {
		text += " · " + fmt.Sprint(n) + " missing"
	}
	return text + " · refreshed " + format.Ago(l.read, p.Now())
}

// Needs are what the book is made of, this endpoint's log first.
func (p *Endpoint) Needs() []cache.Need {
	log := p.Cache.Logs.Of(p.uuid)
	if h := p.book.healths[p.uuid]; h != nil && h.pending > 0 {
		log = p.Cache.Logs.Stamped(p.uuid, p.moment())
	}
	needs := []cache.Need{log}
	if d := p.row(); d != nil && p.Cache.Operations != nil {
		stamp := fmt.Sprint("finished after ", tries(d))
		if d.Pending() {
			stamp = p.moment()
		}
		needs = append(needs, p.Cache.Operations.Histories.Stamped(d.UUID, stamp))
	}
	return append(needs, p.book.needs()...)
}

// moment stamps what is read again while callbacks are on their way.
func (p *Endpoint) moment() string {
	return fmt.Sprint("pending at ", p.Now().Unix()/pendingSeconds)
}

// pendingSeconds is how often a pending callback is read again, in seconds.
const pendingSeconds = 2

// history is what the operations API has of the selected callback, nil where
// that is not known.
func (p *Endpoint) history(d *api.WebhookDelivery) *api.CallbackHistory {
	if p.Cache.Operations == nil {
		return nil
	}
	h, _ := p.Cache.Operations.Histories.Get(d.UUID)
	return h
}

// Start shows what is known, which the cache keeps up to date.
func (p *Endpoint) Start() tea.Cmd { return p.book.start() }

// Update takes answers.
func (p *Endpoint) Update(msg tea.Msg) tea.Cmd {
	if cmd, taken := p.book.update(msg); taken {
		return cmd
	}
	if msg, ok := msg.(testAnswer); ok {
		return tested(p.Base, &p.tested, msg)
	}
	if cmd, taken := p.resend.Update(msg); taken {
		return cmd
	}
	return p.Page.Update(msg)
}

// columns are the columns of a callback, or of one that is missing.
func (p *Endpoint) columns(now func() time.Time) []columns.Column[entry] {
	logged := func(value func(*api.WebhookDelivery) columns.Cell) func(*entry) columns.Cell {
		return func(e *entry) columns.Cell {
			if e.row == nil {
				return columns.None()
			}
			return value(e.row)
		}
	}
	return []columns.Column[entry]{
		{Spec: columns.Spec{Title: "Created", Name: "createdAt", Kind: columns.Date}, Value: func(e *entry) columns.Cell {
			return columns.Cell{Text: when(e.at(), now()), Time: e.at(), Known: true}
		}},
		{Spec: columns.Spec{Title: "Event", Name: "event", Width: 17}, Value: func(e *entry) columns.Cell { return columns.Text(labels.Event(e.event()).Label) }},
		{Spec: columns.Spec{Title: "Mission", Name: "missionCode", Width: 10, Drop: 2}, Value: func(e *entry) columns.Cell { return columns.TextOr(p.missionCode(e)) }},
		{Spec: columns.Spec{Title: "Order", Name: "orderCode", Width: 10, Drop: 6}, Value: func(e *entry) columns.Cell { return columns.TextOr(p.orderCode(e)) }},
		{Spec: columns.Spec{Title: "Result", Name: "result", Kind: columns.Status, Width: 11}, Value: func(e *entry) columns.Cell {
			if e.row == nil {
				return columns.State(labels.Missing, -1)
			}
			return columns.CallbackState(e.row)
		}},
		{Spec: columns.Spec{Title: "Code", Name: "responseCode", Kind: columns.Number, Drop: 4}, Value: logged(func(d *api.WebhookDelivery) columns.Cell {
			if d.ResponseCode == nil || *d.ResponseCode == 0 {
				return columns.None()
			}
			return columns.NumOf(d.ResponseCode)
		})},
		{Spec: columns.Spec{Title: "Attempts", Name: "attempts", Kind: columns.Number, Drop: 3}, Value: logged(func(d *api.WebhookDelivery) columns.Cell { return columns.NumOf(d.Attempts) })},
		{Spec: columns.Spec{Title: "Note", Name: "error", Width: 18, Fill: 1, Drop: 5}, Value: func(e *entry) columns.Cell {
			if e.row == nil {
				return columns.Text("not in the log, not received").In(theme.Bad)
			}
			return note(e.row)
		}},
		{Spec: columns.Spec{Title: "ID", Name: "uuid", Width: 10, Off: true, Drop: 7}, Value: logged(func(d *api.WebhookDelivery) columns.Cell { return columns.Text(d.UUID) })},
	}
}

// note is what there is to say of a callback besides its code.
func note(d *api.WebhookDelivery) table.Cell {
	switch {
	case d.Pending():
		return table.Cell{Text: "sending", Role: theme.Pending}
	case !d.Success:
		return table.Cell{Text: reason(d)}
	case d.Attempts != nil && *d.Attempts > 1:
		return table.Cell{Text: "after several attempts", Role: theme.Muted}
	default:
		return table.Cell{}
	}
}

// missionCode is that of the mission that an entry is about: its code where the
// mission is known, else the beginning of its id.
func (p *Endpoint) missionCode(e *entry) string {
	if e.gap != nil {
		return e.gap.Mission.Code
	}
	if m := p.book.find(e.row.MissionUID); m != nil {
		return m.MissionCode
	}
	return e.row.MissionUID[:min(8, len(e.row.MissionUID))]
}

func (p *Endpoint) orderCode(e *entry) string {
	if e.gap != nil {
		return e.gap.Mission.Order
	}
	if m := p.book.find(e.row.MissionUID); m != nil && e.row.OrderCode == "" {
		return m.OrderCode
	}
	return e.row.OrderCode
}

// mission is the one that the selected entry is about, nil where it is not
// known.
func (p *Endpoint) mission() *cache.Mission {
	if e := p.Current(); e != nil {
		return p.book.find(e.mission())
	}
	return nil
}

// Disabled says what cannot be done.
func (p *Endpoint) Disabled(id action.ID) string {
	switch id {
	case action.Open, action.ShowOrder, action.ShowStory:
		switch {
		case p.Current() == nil:
			return "no callback"
		case p.mission() == nil:
			return "its mission is not loaded"
		}
	case action.CopyWords:
		if p.Current() == nil {
			return "no callback"
		}
	case action.ResendCallback:
		return p.resend.Disabled(p.sending(), len(p.failures()))
	case action.DeleteEndpoint:
		return p.book.undeletable(p.book.endpoint(p.uuid))
	}
	return p.Page.Disabled(id)
}

// Do performs an action.
func (p *Endpoint) Do(id action.ID) tea.Cmd {
	switch id {
	case action.ShowOrder:
		return p.OpenOrder(p.mission().Order)
	case action.ShowStory:
		m := p.mission()
		return p.OpenStory(timeline.Subject{Order: m.Order.OrderCode, Mission: m.UUID}, p.told(p.Current()))
	case action.CopyWords:
		return page.Copy(&p.Files, p.sentence(p.Current()), "the summary")
	case action.ResendCallback:
		p.resend.Ask(p.sending(), p.failures(), name(p.endpoint()))
	case action.OnlyFailures:
		p.onlyBad = !p.onlyBad
		p.rows()
	case action.LiveFeed:
		return p.Open(newFeed(p.Env, p.book))
	case action.Workbench:
		return p.Open(newBench(p.Env, p.endpoint()))
	case action.TestEvent:
		return askTest(p.Base, p.endpoint(), &p.tested)
	case action.DeleteEndpoint:
		p.book.askDelete(p.endpoint())
	default:
		return p.Page.Do(id)
	}
	return nil
}

// sending is the selected callback, nil where a missing one is selected, or none.
func (p *Endpoint) sending() *timeline.Sending {
	d := p.row()
	if d == nil {
		return nil
	}
	s := timeline.CallbackSending(d, "")
	return &s
}

// row is the selected callback, nil where a missing one is selected, or none.
func (p *Endpoint) row() *api.WebhookDelivery {
	if e := p.Current(); e != nil {
		return e.row
	}
	return nil
}

// failures are the callbacks that failed, of all that are listed or not.
func (p *Endpoint) failures() (all []timeline.Sending) {
	if h := p.book.healths[p.uuid]; h != nil {
		for i := range h.entries {
			if d := h.entries[i].row; d != nil && outcomeOf(d) == failed {
				all = append(all, timeline.CallbackSending(d, ""))
			}
		}
	}
	return all
}

// told is the entry of the story that tells of an entry here.
func (p *Endpoint) told(e *entry) string {
	if e.row != nil {
		return timeline.CallbackID(e.row)
	}
	return "gap " + p.uuid + " " + e.gap.ID()
}

// foot says that not all is listed.
func (p *Endpoint) foot(int) []string {
	if !p.onlyBad {
		return nil
	}
	th := p.Theme
	return []string{layout.Text(th.Style(theme.Attention), " problems only") + layout.Text(th.Style(theme.Muted), " · ") +
		layout.Text(th.Key, "b") + layout.Text(th.Style(theme.Muted), " shows all")}
}

// blank stands in place of callbacks.
func (p *Endpoint) blank(err error, w int) []string {
	th, l := p.Theme, p.book.logs[p.uuid]
	switch {
	case err != nil && l == nil:
		return p.book.problem(w)
	case err != nil:
		return page.Problem(th, err, "", "r", w)
	case l == nil:
		return []string{"", layout.Text(th.Style(theme.Text), " This endpoint was deleted.")}
	case p.onlyBad:
		return []string{
			"", layout.Text(th.Style(theme.Good), " ✓ No failed or missing callbacks."), "",
			" " + layout.Text(th.Key, "b") + layout.Text(th.Style(theme.Muted), " shows all"),
		}
	}
	return []string{
		"", layout.Text(th.Style(theme.Text), " No callbacks yet."), "",
		layout.Text(th.Style(theme.Muted), " Callbacks appear here as they are sent."),
	}
}
