package webhooks

import (
	"cmp"
	"fmt"
	"slices"

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
	page.Base
	book    *book
	own     bool // the book is nobody else's
	uuid    string
	last    api.WebhookEndpoint // as it was when it was last there
	entries []entry             // those that are listed
	changes int                 // of the book that they are of
	onlyBad bool
	list    *listpage.List
	beside  *listpage.SplitDetail
	tested  page.Question
}

// NewEndpoint returns the page of an endpoint for other sections, which reads on
// its own.
func NewEndpoint(env *page.Env, uuid string) *Endpoint { return newEndpoint(env, nil, uuid) }

// newEndpoint returns the page with the section's book, or without one with its
// own.
func newEndpoint(env *page.Env, b *book, uuid string) *Endpoint {
	p := &Endpoint{Base: page.NewBase(env), book: b, uuid: uuid}
	if p.own = b == nil; p.own {
		p.book = newBook(p.Base)
	}
	p.list = listpage.New(p.Base, "callbacks", "event:flight or code:>=500", columns.Specs(p.columns())...)
	p.list.Empty = "No callback has all of that; "
	p.beside = listpage.NewSplitDetail(p.list, p.tableView, func(w, _ int) ([]string, bool) { return p.detail(w), false })
	p.rows()
	return p
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
		text += " · " + format.Count(n, "gap", "gaps")
	}
	return text + " · refreshed " + format.Ago(l.read, p.Now())
}

// Needs are what the book is made of, this endpoint's log first.
func (p *Endpoint) Needs() []cache.Need {
	return append([]cache.Need{p.Cache.Logs.Of(p.uuid)}, p.book.needs()...)
}

// Start shows what is known, which the cache keeps up to date.
func (p *Endpoint) Start() tea.Cmd {
	cmd := p.book.start()
	p.rows()
	return cmd
}

// Update takes answers.
func (p *Endpoint) Update(msg tea.Msg) tea.Cmd {
	if cmd, taken := p.book.update(msg); taken {
		return cmd
	}
	switch msg := msg.(type) {
	case testAnswer:
		return tested(p.Base, &p.tested, msg)
	case page.SentMsg:
		if p.own {
			return p.book.refresh()
		}
	default:
		cmd, _ := p.list.Update(msg)
		return cmd
	}
	return nil
}

// follow shows what has become known since the last view.
func (p *Endpoint) follow() {
	if p.changes != p.book.changes {
		p.rows()
	}
}

// rows shows what is known now.
func (p *Endpoint) rows() {
	p.changes = p.book.changes
	p.entries = nil
	if h := p.book.healths[p.uuid]; h != nil {
		p.entries = h.entries
	}
	if p.onlyBad {
		p.entries = slices.DeleteFunc(slices.Clone(p.entries), func(e entry) bool { return e.outcome() != failed })
	}
	entries := p.entries
	p.list.Grid.Set(table.Source{
		Len:  len(entries),
		ID:   func(i int) string { return entries[i].id() },
		Cell: columns.Cells(p.columns(), func(i int) *entry { return &entries[i] }),
		Look: func(i int) (mark table.Cell, muted bool) {
			if entries[i].outcome() == failed {
				mark = table.Cell{Text: "!", Role: theme.Bad}
			}
			return mark, false
		},
		Stamp: func(i int) string { return fmt.Sprint(entries[i].outcome()) },
	})
}

// columns are the columns of a callback, or of one that is missing.
func (p *Endpoint) columns() []columns.Column[entry] {
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
			return columns.Cell{Text: when(e.at(), p.Now()), Time: e.at(), Known: true}
		}},
		{Spec: columns.Spec{Title: "Event", Name: "event", Width: 17}, Value: func(e *entry) columns.Cell { return columns.Text(labels.Event(e.event()).Label) }},
		{Spec: columns.Spec{Title: "Mission", Name: "missionCode", Width: 10, Drop: 2}, Value: func(e *entry) columns.Cell { return columns.TextOr(p.missionCode(e)) }},
		{Spec: columns.Spec{Title: "Order", Name: "orderCode", Width: 10, Drop: 6}, Value: func(e *entry) columns.Cell { return columns.TextOr(p.orderCode(e)) }},
		{Spec: columns.Spec{Title: "Result", Name: "result", Kind: columns.Status, Width: 11}, Value: func(e *entry) columns.Cell {
			if e.row == nil {
				return columns.State(labels.Missing, -1)
			}
			return result(e.outcome())
		}},
		{Spec: columns.Spec{Title: "Code", Name: "responseCode", Kind: columns.Number, Drop: 4}, Value: logged(func(d *api.WebhookDelivery) columns.Cell {
			if d.ResponseCode == nil || *d.ResponseCode == 0 {
				return columns.None()
			}
			return columns.NumOf(d.ResponseCode)
		})},
		{Spec: columns.Spec{Title: "Tries", Name: "attempts", Kind: columns.Number, Drop: 3}, Value: logged(func(d *api.WebhookDelivery) columns.Cell { return columns.NumOf(d.Attempts) })},
		{Spec: columns.Spec{Title: "Note", Name: "error", Width: 10, Fill: 1, Drop: 5}, Value: func(e *entry) columns.Cell {
			if e.row == nil {
				return columns.Text("none logged, none received").In(theme.Bad)
			}
			return note(e.row)
		}},
		{Spec: columns.Spec{Title: "Id", Name: "uuid", Width: 10, Off: true, Drop: 7}, Value: logged(func(d *api.WebhookDelivery) columns.Cell { return columns.Text(d.UUID) })},
	}
}

// note is what there is to say of a callback besides its code.
func note(d *api.WebhookDelivery) table.Cell {
	switch {
	case d.Pending():
		return table.Cell{Text: "on its way", Role: theme.Pending}
	case !d.Success:
		return table.Cell{Text: reason(d)}
	case d.Attempts != nil && *d.Attempts > 1:
		return table.Cell{Text: "not at the first try", Role: theme.Muted}
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

// current is the selected entry, nil for none.
func (p *Endpoint) current() *entry {
	if i, ok := p.list.Grid.Current(); ok && i < len(p.entries) {
		return &p.entries[i]
	}
	return nil
}

// mission is the one that the selected entry is about, nil where it is not
// known.
func (p *Endpoint) mission() *cache.Mission {
	if e := p.current(); e != nil {
		return p.book.find(e.mission())
	}
	return nil
}

// Scopes are the page's and those of a list.
func (p *Endpoint) Scopes() []action.Scope {
	p.follow() // a key is about what is there by now, drawn or not
	return p.list.Scopes(action.CallbackLog)
}

// Typing is while the filter is typed.
func (p *Endpoint) Typing() bool { return p.list.Typing() }

// Cursor stands in the filter while that is typed.
func (p *Endpoint) Cursor() *tea.Cursor { return p.list.Cursor() }

// Back clears the filter first.
func (p *Endpoint) Back() bool { return p.list.Clear() }

// Disabled says what cannot be done.
func (p *Endpoint) Disabled(id action.ID) string {
	switch id {
	case action.Open, action.ShowOrder, action.ShowStory:
		switch {
		case p.current() == nil:
			return "there is no callback"
		case p.mission() == nil:
			return "its mission is not among those that were read"
		}
	case action.CopyWords:
		if p.current() == nil {
			return "there is no callback"
		}
	case action.DeleteEndpoint:
		return p.book.undeletable(p.book.endpoint(p.uuid))
	}
	return p.list.Disabled(id)
}

// Do performs an action.
func (p *Endpoint) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return p.OpenMission(p.mission())
	case action.ShowOrder:
		return p.OpenOrder(p.mission().Order)
	case action.ShowStory:
		m := p.mission()
		return p.OpenStory(timeline.Subject{Order: m.Order.OrderCode, Mission: m.UUID}, p.told(p.current()))
	case action.CopyWords:
		return page.Copy(&p.Files, p.sentence(p.current()), "what is known of it, as a sentence")
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
	case action.Refresh:
		return p.book.refresh()
	default:
		cmd, _ := p.list.Do(id)
		return cmd
	}
	return nil
}

// told is the entry of the story that tells of an entry here.
func (p *Endpoint) told(e *entry) string {
	if e.row != nil {
		return "callback " + e.row.UUID
	}
	return "gap " + p.uuid + " " + e.gap.ID()
}

// Mouse selects a row, opens its mission with a second click, and moves the
// border.
func (p *Endpoint) Mouse(m page.Mouse) tea.Cmd {
	if !p.beside.Mouse(m, p.Width) && p.list.Mouse(m) && m.Double && p.mission() != nil {
		return p.Do(action.Open)
	}
	return nil
}

// Drag moves the border.
func (p *Endpoint) Drag(m page.Mouse, over bool) tea.Cmd {
	return p.beside.Drag(m, over)
}

// Jumps are the rows.
func (p *Endpoint) Jumps() []page.Jump {
	if len(p.entries) == 0 {
		return nil
	}
	return page.Rows(&p.list.Grid.Table, 0, 0, p.Mouse)
}

// View draws the log with what is selected beside it, or in narrow windows
// below.
func (p *Endpoint) View(w, h int) string {
	p.follow()
	l, health := p.book.logs[p.uuid], p.book.healths[p.uuid]
	switch {
	case l == nil && p.book.err != nil:
		return layout.Box(p.book.problem(w), w, h)
	case l == nil && !p.book.read.IsZero() && p.book.endpoint(p.uuid) == nil:
		return layout.Box([]string{"", layout.Text(p.Theme.Style(theme.Text), " There is no such endpoint any more.")}, w, h)
	case l != nil && l.err != nil && l.read.IsZero():
		return layout.Box(page.Problem(p.Theme, l.err, "", "r", w), w, h)
	case l == nil || health == nil:
		return p.list.Loading(w, h)
	case len(p.entries) == 0:
		return layout.Box(p.empty(), w, h)
	case w >= listpage.Wide:
		return p.beside.View(p.Theme, w, h)
	}
	below := max(5, h*2/5)
	title := p.Theme.Rule.Render("─ ") + layout.Text(p.Theme.Title, "Callback")
	if e := p.current(); e != nil && e.gap != nil {
		title = p.Theme.Rule.Render("─ ") + layout.Text(p.Theme.Style(theme.Bad), "! Gap")
	}
	return p.tableView(w, h-below) + "\n" + layout.Box(append([]string{title}, p.detail(w)...), w, below)
}

func (p *Endpoint) tableView(w, h int) string {
	th := p.Theme
	var foot []string
	if p.onlyBad {
		foot = append(foot, layout.Text(th.Style(theme.Attention), " failures and gaps only")+layout.Text(th.Style(theme.Muted), ", ")+
			layout.Text(th.Key, "b")+layout.Text(th.Style(theme.Muted), " shows all"))
	}
	if l := p.book.logs[p.uuid]; l != nil && l.err != nil {
		foot = page.Problem(th, l.err, format.Count(len(l.rows), "callback", "callbacks")+", read "+format.Ago(l.read, p.Now()), "r", w)
	}
	return p.beside.Rows(w, h, p.Width, foot...)
}

func (p *Endpoint) empty() []string {
	th := p.Theme
	if p.onlyBad {
		return []string{
			"", layout.Text(th.Style(theme.Good), " ✓ No callback in the log failed, and none is known to be missing."), "",
			" " + layout.Text(th.Key, "b") + layout.Text(th.Style(theme.Muted), " shows all"),
		}
	}
	return []string{
		"", layout.Text(th.Style(theme.Text), " Nothing was sent to this endpoint yet."), "",
		layout.Text(th.Style(theme.Muted), " Every event that it is subscribed to appears here."),
	}
}
