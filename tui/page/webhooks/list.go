package webhooks

import (
	"context"
	"fmt"
	"strings"

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
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/table"
)

// Section is the "Webhooks" section of the app.
var Section = page.Section{
	Go: action.GoWebhooks, Name: "Webhooks", Short: "Hook",
	First: func(env *page.Env) page.Page { return NewList(env) },
}

// EndpointList is the page of the account's endpoints and their health.
type EndpointList struct {
	*listpage.Page[api.WebhookEndpoint]
	book     *endpointBook
	register registerForm
	tested   page.Question
}

// NewList returns the page of all endpoints.
func NewList(env *page.Env) *EndpointList {
	base := page.NewBase(env)
	p := &EndpointList{book: newEndpointBook(base)}
	p.register = registerForm{p: base, book: p.book}
	p.Page = listpage.NewPage(base, p.book.endpointSource(), listpage.Options[api.WebhookEndpoint]{
		Title:   "Webhooks",
		Name:    "endpoints",
		Example: "failed:>0 or hooks.example",
		One:     "endpoint",
		Many:    "endpoints",
		Scope:   action.Webhooks,
		Columns: p.endpointColumns(),
		ID:      func(e *api.WebhookEndpoint) string { return e.UUID },
		Look: func(e *api.WebhookEndpoint) (mark table.Cell, muted bool) {
			if h := p.book.healths[e.UUID]; h != nil && h.ill {
				mark = table.Cell{Text: "!", Role: theme.Bad}
			}
			return mark, false
		},
		Place: func(e *api.WebhookEndpoint) (string, string) {
			return endpointName(e) + "  " + e.Description, "endpoint"
		},
		SplitDetail: func(e *api.WebhookEndpoint, w, h int) string { return layout.FitBox(p.renderDetail(e, w, h), w, h) },
		Open:        func(e *api.WebhookEndpoint) tea.Cmd { return env.Open(newEndpointPage(env, p.book, e.UUID)) },
		Below:       func(*api.WebhookEndpoint) string { return base.Theme.PaintTitle("Endpoint") },
		Blank: func(err error, w int) []string {
			if err != nil {
				return p.book.renderProblem(w)
			}
			return p.renderEmpty()
		},
	})
	p.Detail.Least(50, 54)
	return p
}

// endpointSource returns the endpoints as the source of a list.
func (b *endpointBook) endpointSource() listpage.Source[api.WebhookEndpoint] {
	return listpage.Source[api.WebhookEndpoint]{
		State: func() listpage.State[api.WebhookEndpoint] {
			return listpage.State[api.WebhookEndpoint]{
				Rows:    listpage.Pointers(b.endpoints),
				Version: b.changes,
				At:      b.read,
				Err:     b.err,
			}
		},
		Needs:   func(int) []cache.Need { return b.bookNeeds() },
		Refresh: b.refreshAll,
	}
}

// CornerText returns the number of endpoints, and the age of the data.
func (p *EndpointList) CornerText() string {
	return p.book.cornerText(format.Count(len(p.book.endpoints), "endpoint", "endpoints"))
}

// cornerText returns the text with the age of the data.
func (b *endpointBook) cornerText(text string) string {
	switch {
	case b.read.IsZero() && b.isReading():
		return "reading…"
	case b.read.IsZero():
		return ""
	case b.isReading():
		return text + " · loading logs…"
	default:
		return text + " · refreshed " + format.Ago(b.read, b.Now())
	}
}

// OnShow takes the newest data of the cache.
func (p *EndpointList) OnShow() tea.Cmd { return p.book.startReading() }

// Update handles new data, registered endpoints and test events.
func (p *EndpointList) Update(msg tea.Msg) tea.Cmd {
	if cmd, taken := p.register.updateForm(msg); taken {
		return cmd
	}
	if msg, ok := msg.(testAnswer); ok {
		return reportTested(p.Base, &p.tested, msg)
	}
	read, _ := p.book.updateBook(msg)
	cmd := tea.Batch(read, p.Page.Update(msg))
	if p.register.made != "" && p.List.Grid.Select(p.register.made) {
		p.register.made = ""
	}
	return cmd
}

// BlocksProfileSwitch returns why the profile cannot be switched while an endpoint is
// being registered: its secret is shown only once.
func (p *EndpointList) BlocksProfileSwitch() string {
	if p.register.asked.IsOpen() {
		return "still registering an endpoint"
	}
	return ""
}

// endpointColumns returns the columns of an endpoint and its health.
func (p *EndpointList) endpointColumns() []columns.Column[api.WebhookEndpoint] {
	fares := func(value func(*api.WebhookEndpoint, *endpointHealth) columns.Cell) func(*api.WebhookEndpoint) columns.Cell {
		return func(e *api.WebhookEndpoint) columns.Cell {
			h, l := p.book.healths[e.UUID], p.book.logs[e.UUID]
			switch {
			case l != nil && l.err != nil && l.read.IsZero():
				return columns.NoCell()
			case h == nil || l == nil:
				return columns.TextCell("…").WithTone(theme.Muted)
			default:
				return value(e, h)
			}
		}
	}
	return []columns.Column[api.WebhookEndpoint]{
		{ColumnSpec: columns.ColumnSpec{Title: "Endpoint", Name: "url", Width: 26, Fill: 1, Middle: true}, Value: func(e *api.WebhookEndpoint) columns.Cell { return columns.TextCell(endpointName(e)) }},
		{ColumnSpec: columns.ColumnSpec{Title: "Events", Name: "events", Width: 6, Right: true, Drop: 4}, Value: func(e *api.WebhookEndpoint) columns.Cell { return columns.TextCell(subscribedEvents(e)) }},
		{ColumnSpec: columns.ColumnSpec{Title: "Last", Name: "last", Kind: columns.Date, Drop: 2}, Value: fares(func(e *api.WebhookEndpoint, _ *endpointHealth) columns.Cell {
			last := p.book.lastCallback(e.UUID)
			if last == nil {
				return columns.NoCell()
			}
			return columns.Cell{Text: formatTime(last.CreatedAt.Time, p.Now()), Time: last.CreatedAt.Time, Known: true}
		})},
		{ColumnSpec: columns.ColumnSpec{Title: "Result", Name: "lastStatus", Kind: columns.Status, Width: 11}, Value: fares(func(e *api.WebhookEndpoint, _ *endpointHealth) columns.Cell {
			return lastResult(e, p.book.lastCallback(e.UUID))
		})},
		{ColumnSpec: columns.ColumnSpec{Title: "Delivered", Name: "delivered", Kind: columns.Number, Drop: 3}, Value: fares(func(_ *api.WebhookEndpoint, h *endpointHealth) columns.Cell { return columns.NumberCell(h.delivered) })},
		{ColumnSpec: columns.ColumnSpec{Title: "Failed", Name: "failed", Kind: columns.Number}, Value: fares(func(_ *api.WebhookEndpoint, h *endpointHealth) columns.Cell { return countCell(h.failed) })},
		{ColumnSpec: columns.ColumnSpec{Title: "Missing", Name: "gaps", Kind: columns.Number, Drop: 1}, Value: fares(func(_ *api.WebhookEndpoint, h *endpointHealth) columns.Cell { return countCell(len(h.gaps)) })},
		{ColumnSpec: columns.ColumnSpec{Title: "Description", Name: "description", Width: 16, Fill: 1, Drop: 5, Off: true}, Value: func(e *api.WebhookEndpoint) columns.Cell { return columns.TextCell(e.Description) }},
		{ColumnSpec: columns.ColumnSpec{Title: "Since", Name: "createdAt", Kind: columns.Date, Drop: 6, Off: true}, Value: func(e *api.WebhookEndpoint) columns.Cell { return columns.TimeCell(e.CreatedAt) }},
	}
}

// lastResult returns the result of the last callback.
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

// countCell returns a number of problems, highlighted if there are any.
func countCell(n int) table.Cell {
	c := columns.NumberCell(n)
	if c.Role = theme.Muted; n > 0 {
		c.Role = theme.Bad
	}
	return c
}

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (p *EndpointList) DisabledReason(id action.ID) string {
	switch id {
	case action.Register:
		return p.register.registerRefusal()
	case action.DeleteEndpoint:
		return p.book.deleteRefusal(p.Current())
	}
	return p.Page.DisabledReason(id)
}

func (p *EndpointList) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Register:
		p.register.openForm()
	case action.DeleteEndpoint:
		p.book.confirmDelete(p.Current())
	case action.ShowLiveEvents:
		return p.Open(newLiveFeed(p.Env, p.book))
	case action.CheckSignature:
		return p.Open(newSignatureCheck(p.Env, p.Current()))
	case action.TestEvent:
		return askTest(p.Base, p.Current(), &p.tested)
	default:
		return p.Page.HandleAction(id)
	}
	return nil
}

// renderProblem explains why there are no endpoints to show, and what can be done
// without permission to list them.
func (b *endpointBook) renderProblem(w int) []string {
	th := b.Theme
	if !isRefused(b.err) {
		return page.RenderProblem(th, b.err, "", "r", w)
	}
	lines := []string{"", th.PaintText(" This key cannot list endpoints.")}
	for _, part := range layout.Wrap(fmt.Sprintf("It lacks the scope %s; to register and delete endpoints you also need %s. Ask the service for such a key, or switch profiles.",
		api.ScopeWebhooksRead, api.ScopeWebhooksWrite), w-2) {
		lines = append(lines, th.PaintMuted(" "+part))
	}
	return append(lines, "",
		" "+th.PaintHint("V", "verify a signature; needs no scope"),
		" "+th.PaintHint("r", "retry"))
}

func (p *EndpointList) renderEmpty() []string {
	th := p.Theme
	return []string{
		"", th.PaintText(" No endpoints yet."), "",
		th.PaintMuted(" The service sends your missions' events to them over https."), "",
		" " + th.PaintHint("n", "register an endpoint"),
		" " + th.PaintHint("L", "receive events in this app"),
	}
}

// deleteRefusal returns why an endpoint cannot be deleted, "" if it can.
func (b *endpointBook) deleteRefusal(e *api.WebhookEndpoint) string {
	switch {
	case e == nil:
		return "no endpoint"
	case b.PendingFor != nil && b.PendingFor(e.UUID) != "":
		return "still pending: " + b.PendingFor(e.UUID)
	case e.UUID != "" && b.Feed.CurrentState().Endpoint == e.UUID:
		return "in use by live events; stop listening there with L, which deletes it"
	}
	return ""
}

// confirmWord returns the word that confirms a deletion: the endpoint's host, or the
// beginning of its ID if the host is hard to type.
func confirmWord(e *api.WebhookEndpoint) string {
	h := endpointHost(e)
	if h == "" || len(h) > 40 || strings.ContainsFunc(h, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return e.UUID[:min(8, len(e.UUID))]
	}
	return h
}

// confirmDelete opens the dialog that confirms the deletion of an endpoint, and defers
// it.
func (b *endpointBook) confirmDelete(e *api.WebhookEndpoint) {
	env := b.Env
	uuid, address, want := e.UUID, endpointName(e), confirmWord(e)
	lines := []string{address}
	if l := b.logs[uuid]; l != nil && !l.read.IsZero() {
		lines = append(lines, format.Count(len(l.rows), "callback", "callbacks")+" in its log")
	}
	lines = append(
		lines,
		"",
		"Stops callbacks and retries and deletes the log. A new endpoint gets a new secret.",
		"You can undo for 8 s; then it is final.",
	)
	env.Overlay(&dialog.TypedConfirmation{
		Theme: env.Theme, Title: "Delete endpoint", Lines: lines, Want: want, Yes: "delete", No: "back",
		OnYes: func() tea.Cmd {
			return env.Defer(page.HeldChange{
				Text: "delete " + address, Done: "Deleted " + address, Of: uuid,
				Send: func(ctx context.Context) error { return removeEndpoint(ctx, env, uuid, address) },
			})
		},
	})
}

// removeEndpoint deletes an endpoint and its stored secret.
func removeEndpoint(ctx context.Context, env *page.Env, uuid, address string) error {
	if err := env.ChangeSender().RemoveEndpoint(ctx, uuid, address); err != nil {
		return err
	}
	if err := env.Secrets.Delete(uuid); err != nil {
		return fmt.Errorf("endpoint deleted, but its secret is still in the keyring: %w", err)
	}
	return nil
}
