package webhooks

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// Section is the account's endpoints.
var Section = page.Section{
	Go: action.GoWebhooks, Name: "Webhooks", Short: "Hook",
	First: func(env *page.Env) page.Page { return NewList(env) },
}

// List is the account's endpoints and how they fare.
type List struct {
	page.Base
	book     *book
	list     *listpage.List
	beside   *listpage.SplitDetail
	register register
	tested   page.Question
}

// NewList returns the page.
func NewList(env *page.Env) *List {
	p := &List{Base: page.NewBase(env)}
	p.book = newBook(p.Base)
	p.list = listpage.New(p.Base, "endpoints", "failed:>0 or hooks.example", columns.Specs(p.columns())...)
	p.list.Empty = "No endpoint has all of that; "
	p.beside = listpage.NewSplitDetail(p.list, p.tableView, p.detail)
	p.register = register{p: p.Base, book: p.book}
	return p
}

// Title is the page's name.
func (p *List) Title() string { return "Webhooks" }

// Corner counts the endpoints, and tells the data's age.
func (p *List) Corner() string {
	return p.book.corner(format.Count(len(p.book.endpoints), "endpoint", "endpoints"))
}

// corner is what a page says of the data's age.
func (b *book) corner(text string) string {
	switch {
	case b.read.IsZero() && b.reading():
		return "reading…"
	case b.read.IsZero():
		return ""
	case b.reading():
		return text + " · reading logs…"
	default:
		return text + " · refreshed " + format.Ago(b.read, b.Now())
	}
}

// Needs are what the book is made of.
func (p *List) Needs() []cache.Need { return p.book.needs() }

// Start shows what is known, which the cache keeps up to date.
func (p *List) Start() tea.Cmd {
	cmd := p.book.start()
	p.rows()
	return cmd
}

// Update takes answers.
func (p *List) Update(msg tea.Msg) tea.Cmd {
	if cmd, taken := p.book.update(msg); taken {
		p.rows()
		return cmd
	}
	if cmd, taken := p.register.update(msg); taken {
		return cmd
	}
	switch msg := msg.(type) {
	case testAnswer:
		return tested(p.Base, &p.tested, msg)
	case page.SentMsg:
		return p.book.refresh()
	}
	cmd, _ := p.list.Update(msg)
	return cmd
}

// BlocksProfileSwitch is while an endpoint is registered, whose secret is shown once.
func (p *List) BlocksProfileSwitch() string {
	if p.register.asked.Open() {
		return "still registering an endpoint"
	}
	return ""
}

func (p *List) rows() {
	endpoints := p.book.endpoints
	p.list.Grid.Set(table.Source{
		Len:  len(endpoints),
		ID:   func(i int) string { return endpoints[i].UUID },
		Cell: columns.Cells(p.columns(), func(i int) *api.WebhookEndpoint { return &endpoints[i] }),
		Look: func(i int) (mark table.Cell, muted bool) {
			if h := p.book.healths[endpoints[i].UUID]; h != nil && h.ill {
				mark = table.Cell{Text: "!", Role: theme.Bad}
			}
			return mark, p.book.err != nil
		},
	})
	if p.register.made != "" && p.list.Grid.Select(p.register.made) {
		p.register.made = ""
	}
}

// columns are the columns of an endpoint and of how it fares.
func (p *List) columns() []columns.Column[api.WebhookEndpoint] {
	fares := func(value func(*api.WebhookEndpoint, *health) columns.Cell) func(*api.WebhookEndpoint) columns.Cell {
		return func(e *api.WebhookEndpoint) columns.Cell {
			h, l := p.book.healths[e.UUID], p.book.logs[e.UUID]
			switch {
			case l != nil && l.err != nil && l.read.IsZero():
				return columns.None()
			case h == nil || l == nil:
				return columns.Text("…").In(theme.Muted)
			default:
				return value(e, h)
			}
		}
	}
	return []columns.Column[api.WebhookEndpoint]{
		{Spec: columns.Spec{Title: "Endpoint", Name: "url", Width: 20, Fill: 1, Middle: true}, Value: func(e *api.WebhookEndpoint) columns.Cell { return columns.Text(name(e)) }},
		{Spec: columns.Spec{Title: "Events", Name: "events", Width: 6, Right: true, Drop: 4}, Value: func(e *api.WebhookEndpoint) columns.Cell { return columns.Text(subscribed(e)) }},
		{Spec: columns.Spec{Title: "Last", Name: "last", Kind: columns.Date}, Value: fares(func(e *api.WebhookEndpoint, _ *health) columns.Cell {
			last := p.book.last(e.UUID)
			if last == nil {
				return columns.None()
			}
			return columns.Cell{Text: when(last.CreatedAt.Time, p.Now()), Time: last.CreatedAt.Time, Known: true}
		})},
		{Spec: columns.Spec{Title: "Result", Name: "lastStatus", Kind: columns.Status, Width: 9}, Value: fares(func(e *api.WebhookEndpoint, _ *health) columns.Cell {
			return lastResult(e, p.book.last(e.UUID))
		})},
		{Spec: columns.Spec{Title: "Sent", Name: "delivered", Kind: columns.Number, Drop: 3}, Value: fares(func(_ *api.WebhookEndpoint, h *health) columns.Cell { return columns.Num(h.delivered) })},
		{Spec: columns.Spec{Title: "Failed", Name: "failed", Kind: columns.Number}, Value: fares(func(_ *api.WebhookEndpoint, h *health) columns.Cell { return count(h.failed) })},
		{Spec: columns.Spec{Title: "Gaps", Name: "gaps", Kind: columns.Number, Drop: 1}, Value: fares(func(_ *api.WebhookEndpoint, h *health) columns.Cell { return count(len(h.gaps)) })},
		{Spec: columns.Spec{Title: "Description", Name: "description", Width: 16, Fill: 1, Drop: 5, Off: true}, Value: func(e *api.WebhookEndpoint) columns.Cell { return columns.Text(e.Description) }},
		{Spec: columns.Spec{Title: "Since", Name: "createdAt", Kind: columns.Date, Drop: 6, Off: true}, Value: func(e *api.WebhookEndpoint) columns.Cell { return columns.At(e.CreatedAt) }},
	}
}

// lastResult is how the last callback ended.
func lastResult(e *api.WebhookEndpoint, last *api.WebhookDelivery) table.Cell {
	switch {
	case last != nil:
		return result(outcomeOf(last))
	case e.LastStatus == nil:
		return table.Cell{Text: "none yet", Role: theme.Muted}
	default:
		return table.Cell{Text: *e.LastStatus}
	}
}

// result is an outcome in glyph and word.
func result(o outcome) table.Cell {
	switch o {
	case delivered:
		return columns.State("✓", "success", theme.Good, int(o))
	case pending:
		return columns.State("◌", "sending", theme.Pending, int(o))
	default:
		return columns.State("✗", "failed", theme.Bad, int(o))
	}
}

// count is a number of what should not be: it stands out where there is some.
func count(n int) table.Cell {
	c := columns.Num(n)
	if c.Role = theme.Muted; n > 0 {
		c.Role = theme.Bad
	}
	return c
}

// Scopes are the page's and those of a list.
func (p *List) Scopes() []action.Scope { return p.list.Scopes(action.Webhooks) }

// Typing is while the filter is typed.
func (p *List) Typing() bool { return p.list.Typing() }

// Cursor stands in the filter while that is typed.
func (p *List) Cursor() *tea.Cursor { return p.list.Cursor() }

// Back clears the filter first.
func (p *List) Back() bool { return p.list.Clear() }

// current is the selected endpoint, nil for none.
func (p *List) current() *api.WebhookEndpoint {
	if i, ok := p.list.Grid.Current(); ok {
		return &p.book.endpoints[i]
	}
	return nil
}

// Disabled says what cannot be done.
func (p *List) Disabled(id action.ID) string {
	switch id {
	case action.Open:
		if p.current() == nil {
			return "there is no endpoint"
		}
	case action.Register:
		return p.register.off()
	case action.DeleteEndpoint:
		return p.book.undeletable(p.current())
	}
	return p.list.Disabled(id)
}

// Do performs an action.
func (p *List) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return p.Open(newEndpoint(p.Env, p.book, p.current().UUID))
	case action.Register:
		p.register.ask()
	case action.DeleteEndpoint:
		p.book.askDelete(p.current())
	case action.LiveFeed:
		return p.Open(newFeed(p.Env, p.book))
	case action.Workbench:
		return p.Open(newBench(p.Env, p.current()))
	case action.TestEvent:
		return askTest(p.Base, p.current(), &p.tested)
	case action.Refresh:
		return p.book.refresh()
	default:
		cmd, _ := p.list.Do(id)
		return cmd
	}
	return nil
}

// Mouse selects a row, opens it with a second click, and moves the border.
func (p *List) Mouse(m page.Mouse) tea.Cmd {
	if !p.beside.Mouse(m, p.Width) && p.list.Mouse(m) && m.Double && p.current() != nil {
		return p.Do(action.Open)
	}
	return nil
}

// Drag moves the border.
func (p *List) Drag(m page.Mouse, over bool) tea.Cmd {
	return p.beside.Drag(m, over)
}

// Jumps are the rows.
func (p *List) Jumps() []page.Jump {
	if len(p.book.endpoints) == 0 {
		return nil
	}
	return page.Rows(&p.list.Grid.Table, 0, 0, p.Mouse)
}

// Places are the endpoints.
func (p *List) Places() []page.Place {
	places := make([]page.Place, len(p.book.endpoints))
	for i := range p.book.endpoints {
		e := &p.book.endpoints[i]
		places[i] = page.Place{Name: name(e) + "  " + e.Description, Kind: "endpoint", Open: func() tea.Cmd {
			return p.Open(newEndpoint(p.Env, p.book, e.UUID))
		}}
	}
	return places
}

// View draws the endpoints, and from 120 columns on how the selected one fares
// beside them.
func (p *List) View(w, h int) string {
	b := p.book
	switch {
	case len(b.endpoints) == 0 && b.err != nil:
		return layout.Box(b.problem(w), w, h)
	case len(b.endpoints) == 0 && !b.read.IsZero():
		return layout.Box(p.empty(), w, h)
	case len(b.endpoints) == 0:
		return p.list.Loading(w, h)
	case w >= listpage.Wide:
		return p.beside.View(p.Theme, w, h)
	}
	top := min(max(len(b.endpoints)+2, h/3), h-7) // the detail has what the rows leave
	foot := p.Theme.Rule.Render("─ ") + layout.Text(p.Theme.Title, "Endpoint")
	lines, _ := p.detail(w, h-top-1)
	return p.tableView(w, top) + "\n" + layout.Box(append([]string{layout.Left(foot, w)}, lines...), w, h-top)
}

func (p *List) tableView(w, h int) string {
	var foot []string
	if b := p.book; b.err != nil {
		foot = page.Problem(p.Theme, b.err, format.Count(len(b.endpoints), "endpoint", "endpoints")+", read "+format.Ago(b.read, p.Now()), "r", w)
	}
	return p.beside.Rows(w, h, p.Width, foot...)
}

// problem says why there are no endpoints to show. Without the scope for them
// there is still something to do here.
func (b *book) problem(w int) []string {
	th := b.Theme
	if !refused(b.err) {
		return page.Problem(th, b.err, "", "r", w)
	}
	lines := []string{"", layout.Text(th.Style(theme.Text), " This key does not see the account's endpoints.")}
	for _, part := range layout.Wrap(fmt.Sprintf("It lacks %s; registering and deleting them takes %s, too. Ask the service for a key that has them, or choose another profile.",
		api.ScopeWebhooksRead, api.ScopeWebhooksWrite), w-2) {
		lines = append(lines, layout.Text(th.Style(theme.Muted), " "+part))
	}
	return append(lines, "",
		" "+layout.Text(th.Key, "i")+layout.Text(th.Style(theme.Muted), " the workbench needs no scope"),
		" "+layout.Text(th.Key, "r")+layout.Text(th.Style(theme.Muted), " tries again"))
}

func (p *List) empty() []string {
	th := p.Theme
	return []string{
		"", layout.Text(th.Style(theme.Text), " No endpoints yet."), "",
		layout.Text(th.Style(theme.Muted), " The service sends your missions' events to them, by https."), "",
		" " + layout.Text(th.Key, "n") + layout.Text(th.Style(theme.Muted), " register one"),
		" " + layout.Text(th.Key, "L") + layout.Text(th.Style(theme.Muted), " receive events here, in the app"),
	}
}
