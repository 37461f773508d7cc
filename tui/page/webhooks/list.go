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
	*listpage.Page[api.WebhookEndpoint]
	book     *book
	register register
	tested   page.Question
}

// NewList returns the page.
func NewList(env *page.Env) *List {
	base := page.NewBase(env)
	p := &List{book: newBook(base)}
	p.register = register{p: base, book: p.book}
	p.Page = listpage.NewPage(base, p.book.source(), listpage.Options[api.WebhookEndpoint]{
		Title: "Webhooks", Name: "endpoints", Example: "failed:>0 or hooks.example", One: "endpoint", Many: "endpoints", Scope: action.Webhooks,
		Columns: p.columns(),
		ID:      func(e *api.WebhookEndpoint) string { return e.UUID },
		Look: func(e *api.WebhookEndpoint) (mark table.Cell, muted bool) {
			if h := p.book.healths[e.UUID]; h != nil && h.ill {
				mark = table.Cell{Text: "!", Role: theme.Bad}
			}
			return mark, false
		},
		Place:       func(e *api.WebhookEndpoint) (string, string) { return name(e) + "  " + e.Description, "endpoint" },
		SplitDetail: func(e *api.WebhookEndpoint, w, h int) string { return layout.Box(p.detail(e, w, h), w, h) },
		Open:        func(e *api.WebhookEndpoint) tea.Cmd { return env.Open(newEndpoint(env, p.book, e.UUID)) },
		Below:       func(*api.WebhookEndpoint) string { return layout.Text(base.Theme.Title, "Endpoint") },
		Blank: func(err error, w int) []string {
			if err != nil {
				return p.book.problem(w)
			}
			return p.empty()
		},
	})
	p.Detail.Least(50, 54)
	return p
}

// source is the book's endpoints.
func (b *book) source() listpage.Source[api.WebhookEndpoint] {
	return listpage.Source[api.WebhookEndpoint]{
		State: func() listpage.State[api.WebhookEndpoint] {
			return listpage.State[api.WebhookEndpoint]{Rows: listpage.Pointers(b.endpoints), Version: b.changes, At: b.read, Err: b.err}
		},
		Needs:   func(int) []cache.Need { return b.needs() },
		Refresh: b.refresh,
	}
}

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
		return text + " · loading logs…"
	default:
		return text + " · refreshed " + format.Ago(b.read, b.Now())
	}
}

// Start shows what is known, which the cache keeps up to date.
func (p *List) Start() tea.Cmd { return p.book.start() }

// Update takes answers.
func (p *List) Update(msg tea.Msg) tea.Cmd {
	if cmd, taken := p.register.update(msg); taken {
		return cmd
	}
	if msg, ok := msg.(testAnswer); ok {
		return tested(p.Base, &p.tested, msg)
	}
	read, _ := p.book.update(msg)
	cmd := tea.Batch(read, p.Page.Update(msg))
	if p.register.made != "" && p.List.Grid.Select(p.register.made) {
		p.register.made = ""
	}
	return cmd
}

// BlocksProfileSwitch is while an endpoint is registered, whose secret is shown once.
func (p *List) BlocksProfileSwitch() string {
	if p.register.asked.Open() {
		return "still registering an endpoint"
	}
	return ""
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
		{Spec: columns.Spec{Title: "Endpoint", Name: "url", Width: 26, Fill: 1, Middle: true}, Value: func(e *api.WebhookEndpoint) columns.Cell { return columns.Text(name(e)) }},
		{Spec: columns.Spec{Title: "Events", Name: "events", Width: 6, Right: true, Drop: 4}, Value: func(e *api.WebhookEndpoint) columns.Cell { return columns.Text(subscribed(e)) }},
		{Spec: columns.Spec{Title: "Last", Name: "last", Kind: columns.Date, Drop: 2}, Value: fares(func(e *api.WebhookEndpoint, _ *health) columns.Cell {
			last := p.book.last(e.UUID)
			if last == nil {
				return columns.None()
			}
			return columns.Cell{Text: when(last.CreatedAt.Time, p.Now()), Time: last.CreatedAt.Time, Known: true}
		})},
		{Spec: columns.Spec{Title: "Result", Name: "lastStatus", Kind: columns.Status, Width: 11}, Value: fares(func(e *api.WebhookEndpoint, _ *health) columns.Cell {
			return lastResult(e, p.book.last(e.UUID))
		})},
		{Spec: columns.Spec{Title: "Delivered", Name: "delivered", Kind: columns.Number, Drop: 3}, Value: fares(func(_ *api.WebhookEndpoint, h *health) columns.Cell { return columns.Num(h.delivered) })},
		{Spec: columns.Spec{Title: "Failed", Name: "failed", Kind: columns.Number}, Value: fares(func(_ *api.WebhookEndpoint, h *health) columns.Cell { return count(h.failed) })},
		{Spec: columns.Spec{Title: "Missing", Name: "gaps", Kind: columns.Number, Drop: 1}, Value: fares(func(_ *api.WebhookEndpoint, h *health) columns.Cell { return count(len(h.gaps)) })},
		{Spec: columns.Spec{Title: "Description", Name: "description", Width: 16, Fill: 1, Drop: 5, Off: true}, Value: func(e *api.WebhookEndpoint) columns.Cell { return columns.Text(e.Description) }},
		{Spec: columns.Spec{Title: "Since", Name: "createdAt", Kind: columns.Date, Drop: 6, Off: true}, Value: func(e *api.WebhookEndpoint) columns.Cell { return columns.At(e.CreatedAt) }},
	}
}

// lastResult is how the last callback ended.
func lastResult(e *api.WebhookEndpoint, last *api.WebhookDelivery) table.Cell {
	switch {
	case last != nil:
		return columns.CallbackState(last)
	case e.LastStatus == nil:
		return table.Cell{Text: "none yet", Role: theme.Muted}
	default:
		return table.Cell{Text: *e.LastStatus}
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

// Disabled says what cannot be done.
func (p *List) Disabled(id action.ID) string {
	switch id {
	case action.Register:
		return p.register.off()
	case action.DeleteEndpoint:
		return p.book.undeletable(p.Current())
	}
	return p.Page.Disabled(id)
}

// Do performs an action.
func (p *List) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Register:
		p.register.ask()
	case action.DeleteEndpoint:
		p.book.askDelete(p.Current())
	case action.LiveFeed:
		return p.Open(newFeed(p.Env, p.book))
	case action.Workbench:
		return p.Open(newBench(p.Env, p.Current()))
	case action.TestEvent:
		return askTest(p.Base, p.Current(), &p.tested)
	default:
		return p.Page.Do(id)
	}
	return nil
}

// problem says why there are no endpoints to show. Without the scope for them
// there is still something to do here.
func (b *book) problem(w int) []string {
	th := b.Theme
	if !refused(b.err) {
		return page.Problem(th, b.err, "", "r", w)
	}
	lines := []string{"", layout.Text(th.Style(theme.Text), " This key cannot list endpoints.")}
	for _, part := range layout.Wrap(fmt.Sprintf("It lacks the scope %s; to register and delete endpoints you also need %s. Ask the service for such a key, or switch profiles.",
		api.ScopeWebhooksRead, api.ScopeWebhooksWrite), w-2) {
		lines = append(lines, layout.Text(th.Style(theme.Muted), " "+part))
	}
	return append(lines, "",
		" "+layout.Text(th.Key, "V")+layout.Text(th.Style(theme.Muted), " verify a signature; needs no scope"),
		" "+layout.Text(th.Key, "r")+layout.Text(th.Style(theme.Muted), " retry"))
}

func (p *List) empty() []string {
	th := p.Theme
	return []string{
		"", layout.Text(th.Style(theme.Text), " No endpoints yet."), "",
		layout.Text(th.Style(theme.Muted), " The service sends your missions' events to them over https."), "",
		" " + layout.Text(th.Key, "n") + layout.Text(th.Style(theme.Muted), " register an endpoint"),
		" " + layout.Text(th.Key, "L") + layout.Text(th.Style(theme.Muted), " receive events in this app"),
	}
}
