package webhooks

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// Section is the "Webhooks" section of the app.
var Section = page.Section{
	Go: action.GoWebhooks, Name: "Webhooks", Short: "Hook",
	First: NewList,
}

// EndpointList is the page of the account's endpoints and their health.
type EndpointList struct {
	*page.List[*endpoint]
	book *endpointBook
}

// NewList returns the page of all endpoints.
func NewList(env *page.Env) page.Page {
	base := page.NewBase(env)
	b := newEndpointBook(base)
	p := &EndpointList{book: b}
	p.List = page.NewList(base, b.source(), page.ListOptions[*endpoint]{
		Title:       "Webhooks",
		Example:     "failed:>0 or hooks.example",
		One:         "endpoint",
		Scope:       action.Webhooks,
		Columns:     endpointColumns(),
		Failed:      func(e *endpoint) bool { return e.isIll },
		Place:       func(e *endpoint) (string, string) { return e.name() + "  " + e.Description, "endpoint" },
		About:       p.describe,
		Stacked:     true,
		LeastDetail: 54,
		Open:        func(e *endpoint) tea.Cmd { return env.Nav.Open(newEndpointPage(env, b, e.UUID)) },
		Acts: append(
			toolActs(b, func(e *endpoint) *endpoint { return e }),
			page.Act[*endpoint]{
				ID:  action.Register,
				Any: true,
				Off: b.registerRefusal,
				Do:  b.askRegister,
			},
		),
		Empty: "No endpoints yet.\nThe service sends your missions' events to them over https.",
		Keys: []page.RowKey{
			{Key: "n", Text: "register an endpoint"},
			{Key: "L", Text: "receive events in this app"},
		},
	})
	return p
}

// OnShow reads what this machine knows of endpoints.
func (p *EndpointList) OnShow() tea.Cmd { return p.book.readLocal() }

// Update handles new data, and selects an endpoint that was registered.
func (p *EndpointList) Update(msg tea.Msg) tea.Cmd {
	cmd := tea.Batch(p.book.update(msg), p.List.Update(msg))
	if made := p.book.made; made != "" && p.Grid.Select(made) {
		p.book.made = ""
	}
	return cmd
}

// BlocksProfileSwitch returns why the profile cannot be switched while an endpoint is
// being registered: its secret is shown only once.
func (p *EndpointList) BlocksProfileSwitch() string { return p.book.registerRefusal(nil) }

// endpointColumns returns the columns of an endpoint and its health.
func endpointColumns() []columns.Column[*endpoint] {
	judged := func(value func(*endpoint) columns.Cell) func(*endpoint) columns.Cell {
		return func(e *endpoint) columns.Cell {
			switch {
			case e.isJudged:
				return value(e)
			case e.LogErr != nil && e.log.ReadAt.IsZero():
				return columns.NoCell()
			}
			return columns.TextCell("…").WithTone(theme.Muted)
		}
	}
	count := func(status string, role theme.Role) func(*endpoint) columns.Cell {
		return judged(func(e *endpoint) columns.Cell {
			if e.counts[status] > 0 {
				return columns.NumberCell(e.counts[status]).WithTone(role)
			}
			return columns.NumberCell(0).WithTone(theme.Muted)
		})
	}
	missing := count(columns.CallbackMissing, theme.Bad)
	return columns.MakeColumns("endpointLists", columns.Values[*endpoint]{
		"url": func(e *endpoint) columns.Cell { return columns.TextCell(e.name()) },
		"last": judged(func(e *endpoint) columns.Cell {
			return columns.TimeCell(e.last().CreatedAt)
		}),
		"lastStatus": judged(func(e *endpoint) columns.Cell {
			if len(e.Log) == 0 {
				return columns.TextAt(e.LastStatus)
			}
			return columns.CallbackState(e.last())
		}),
		columns.CallbackDelivered: count(columns.CallbackDelivered, theme.Text),
		columns.CallbackFailed:    count(columns.CallbackFailed, theme.Bad),
		columns.CallbackMissing: func(e *endpoint) columns.Cell {
			if e.isJudged && e.unread != "" && e.counts[columns.CallbackMissing] == 0 {
				return columns.TextCell("?").WithTone(theme.Attention)
			}
			return missing(e)
		},
	})
}

// toolActs returns the actions that the lists of the section have, on the endpoint of
// a row; neither may be known.
func toolActs[T any](b *endpointBook, of func(T) *endpoint) []page.Act[T] {
	return []page.Act[T]{
		{
			ID:  action.ShowLiveEvents,
			Any: true,
			Do:  func(T) tea.Cmd { return b.Env.Nav.Open(newLiveFeed(b)) },
		},
		{
			ID:  action.CheckSignature,
			Any: true,
			Do:  func(t T) tea.Cmd { return b.askSignature(of(t)) },
		},
		{
			ID:  action.TestEvent,
			Any: true,
			Do:  func(t T) tea.Cmd { return b.askTest(of(t)) },
		},
		{
			ID: action.DeleteEndpoint, Any: true,
			Off: func(t T) string { return b.deleteRefusal(of(t)) },
			Do:  func(t T) tea.Cmd { return b.confirmDelete(of(t)) },
		},
	}
}

// describe returns an endpoint and its health.
func (p *EndpointList) describe(e *endpoint) page.RowAbout {
	now := p.Env.Clock.Now()
	secret := widget.Toned("Secret", "not stored on this machine", theme.Muted)
	if p.Env.Profile.Secrets.IsKnown(e.UUID) {
		secret.Value, secret.Role = "✓ stored; this app can verify callbacks", theme.Good
	}
	facts := append(append(e.healthFacts(), widget.Texts(
		"Events", format.WordList(e.Events),
		"Status", format.Word(e.Status).Label,
		"Registered", format.Moment(e.CreatedAt.Time, now),
		"ID", e.UUID,
	)...), secret)
	return page.RowAbout{
		Title: e.name(),
		Text:  e.Description,
		Facts: append(facts, widget.Facts(columns.UnknownMembers(e.Extra))...),
		More:  func(w, _ int) []string { return p.renderResults(e, w) },
	}
}

// healthFacts returns the results of the latest callbacks.
func (e *endpoint) healthFacts() []widget.Fact {
	fact := widget.Toned("Callbacks", "loading…", theme.Muted)
	switch ended := e.counts[columns.CallbackDelivered] + e.counts[columns.CallbackFailed]; {
	case e.LogErr != nil && e.log.ReadAt.IsZero():
		fact.Value, fact.Role = "! "+format.FaultText(e.LogErr), theme.Bad
	case e.isJudged && len(e.callbacks) == 0:
		fact.Value = "none yet"
	case e.isJudged && ended > 0:
		fact.Value, fact.Role = fmt.Sprintf(
			"%d of %d delivered",
			e.counts[columns.CallbackDelivered],
			ended,
		), theme.Text
	case e.isJudged:
		fact.Value = "none delivered yet"
	}
	switch {
	case e.isJudged && e.unread != "" && e.counts[columns.CallbackMissing] == 0:
		return []widget.Fact{fact, widget.Toned("Missing", "? unknown: "+e.unread, theme.Attention)}
	case e.counts[columns.CallbackMissing] == 0:
		return []widget.Fact{fact}
	}
	gaps := "! " + format.Count(e.counts[columns.CallbackMissing], "callback")
	return []widget.Fact{fact, widget.Toned("Missing", gaps, theme.Bad)}
}

// renderResults renders the results of the latest callbacks, newest on the right, which
// differ in shape as well as in colour.
func (p *EndpointList) renderResults(e *endpoint, w int) []string {
	strip := " "
	for i := range slices.Backward(e.Log[:min(len(e.Log), max(0, w-2))]) {
		state := columns.CallbackState(&e.Log[i])
		glyph, _, _ := strings.Cut(state.Text, " ")
		strip += p.Env.Look.Theme.PaintRole(state.Role, strings.Replace(glyph, format.Delivered.Glyph, "▪", 1))
	}
	return []string{"", strip}
}

// deleteRefusal returns why an endpoint cannot be deleted, "" if it can.
func (b *endpointBook) deleteRefusal(e *endpoint) string {
	switch {
	case e == nil:
		return "no endpoint"
	case e.UUID != "" && b.Env.Profile.Feed.CurrentState().Endpoint == e.UUID:
		return "in use by live events; stop listening there with L, which deletes it"
	}
	return b.Env.Changes.PendingReason(e.UUID)
}

// confirmWord returns the word that confirms a deletion: the endpoint's host, or the
// beginning of its ID if the host is hard to type.
func confirmWord(e *api.WebhookEndpoint) string {
	u, err := url.Parse(e.URL)
	if err == nil && u.Hostname() != "" && len(u.Hostname()) <= 40 &&
		!strings.ContainsFunc(u.Hostname(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return u.Hostname()
	}
	return timeline.ShortID(e.UUID)
}

// confirmDelete opens the dialog that confirms the deletion of an endpoint, and defers
// it.
func (b *endpointBook) confirmDelete(e *endpoint) tea.Cmd {
	env, uuid, address := b.Env, e.UUID, e.name()
	lines := []string{address}
	if !e.log.ReadAt.IsZero() {
		lines = append(lines, format.Count(len(e.Log), "callback")+" in its log")
	}
	lines = append(lines, "",
		"Stops callbacks and retries and deletes the log. A new endpoint gets a new secret.",
		env.Profile.UndoNote("then it is final"))
	remove := func() tea.Cmd {
		return env.Changes.Defer(page.HeldChange{
			Text: "delete " + address, Done: "Deleted " + address, Of: uuid,
			Send: func(ctx context.Context) error { return removeEndpoint(ctx, env, uuid, address) },
		})
	}
	env.Nav.Overlay(
		widget.ConfirmTyped(
			"Delete endpoint",
			lines,
			confirmWord(&e.WebhookEndpoint),
			"delete",
			remove,
		),
	)
	return nil
}

// removeEndpoint deletes an endpoint and its stored secret.
func removeEndpoint(ctx context.Context, env *page.Env, uuid, address string) error {
	if err := env.Profile.ChangeSender().RemoveEndpoint(ctx, uuid, address); err != nil {
		return err
	}
	if err := env.Profile.Secrets.Delete(uuid); err != nil {
		return fmt.Errorf("endpoint deleted, but its secret is still in the keyring: %w", err)
	}
	return nil
}
