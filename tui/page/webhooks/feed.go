package webhooks

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// LiveFeed is the page of events as they are received.
type LiveFeed struct {
	*page.List[*callback]
	book    *endpointBook
	feed    *webhooks.EventFeed
	listed  page.ListState[*callback]
	asked   page.Question
	started bool // listening was started once; do not restart after a stop
}

func newLiveFeed(b *endpointBook) *LiveFeed {
	base := page.NewBase(b.Env)
	p := &LiveFeed{book: b, feed: b.Env.Profile.Feed}
	p.listed.Version = -1
	endpoint := func(*callback) *endpoint { return b.find(p.feed.CurrentState().Endpoint) }
	listen := page.Act[*callback]{
		ID:  action.ListenFeed,
		Any: true,
		Off: p.toggleRefusal,
		Do:  p.toggleListening,
	}
	source := page.ListSource[*callback]{State: p.feedState, Refresh: p.refreshLog}
	p.List = page.NewList(base, source, page.ListOptions[*callback]{
		Title:   "Live events",
		Example: "event:data or ORD-100230",
		One:     "event",
		Scope:   action.LiveEvents,
		Columns: receivedColumns(),
		Stamp:   func(c *callback) string { return c.UUID },
		About:   p.describe,
		Stacked: true,
		Acts: append(
			append(toolActs(b, endpoint), listen),
			b.missionActs(func(*callback) string { return "" })...),
		Head:  p.renderState,
		Empty: "No events yet.\nEvents of your missions appear here as they are received, verified and without duplicates.",
		Keys:  []page.RowKey{{Key: "L", Text: "start or stop receiving"}},
	})
	return p
}

// feedState returns the events received so far.
func (p *LiveFeed) feedState() page.ListState[*callback] {
	if log := p.feed.EventLog(); p.listed.Version != log.Version() {
		p.listed = page.ListState[*callback]{Version: log.Version()}
		for _, r := range webhooks.InFeedOrder(log.AllEvents()) {
			p.listed.Rows = append(p.listed.Rows, receivedCallback(&r))
		}
	}
	p.listed.At = p.book.Env.Clock.Now()
	return p.listed
}

// receivedCallback returns an event that was received, with what was unusual about its
// arrival in place of an error.
func receivedCallback(r *webhooks.FeedRow) *callback {
	m := &r.Event.Data.Mission
	var notes []string
	if r.Late {
		notes = append(notes, "late: the mission has progressed since")
	}
	if r.Repeats > 0 {
		notes = append(notes, format.Count(r.Repeats, "duplicate")+" ignored")
	}
	c := &callback{heard: r}
	c.MissionCode = m.MissionCode
	c.WebhookDelivery = api.WebhookDelivery{
		UUID: r.Event.ID, Event: r.Event.Event, CreatedAt: r.Event.Timestamp,
		MissionUID: m.UUID, OrderCode: m.OrderCode, Error: new(strings.Join(notes, ", ")),
	}
	return c
}

// DataNeeds requests the missions of the events, and the endpoints.
func (p *LiveFeed) DataNeeds() []cache.Need {
	return []cache.Need{p.Env.Profile.Cache.AllMissions(), p.Env.Profile.Cache.Endpoints.NeedOf(cache.Account)}
}

// OnShow reads the log, and starts listening in server mode.
func (p *LiveFeed) OnShow() tea.Cmd {
	cmd := p.loadLog()
	if !p.Env.Files.Confined && p.feed.ByItself() && !p.started && p.feed.CurrentState().Phase == webhooks.Off &&
		p.Env.Profile.RefusalOf(action.ChangesEndpoints) == "" {
		cmd = tea.Batch(cmd, p.startListening(webhooks.ListenPlace{}))
	}
	return cmd
}

func (p *LiveFeed) refreshLog() tea.Cmd {
	p.Env.Profile.Cache.RefreshOrders(true)
	return p.loadLog()
}

func (p *LiveFeed) loadLog() tea.Cmd {
	return page.KeepInBackground(p.feed.EventLog().LoadNew, page.HeardMsg{})
}

// startListening starts to listen; leaving the page does not stop it.
func (p *LiveFeed) startListening(at webhooks.ListenPlace) tea.Cmd {
	p.started = true
	confined := p.Env.Files.Confined
	return p.askFeed(func(ctx context.Context) error {
		if confined {
			return errors.New(page.NotForGuests)
		}
		return p.feed.StartListening(context.WithoutCancel(ctx), at)
	})
}

// askFeed starts or stops the feed, and reads again what changes with it.
func (p *LiveFeed) askFeed(do func(context.Context) error) tea.Cmd {
	ask := func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) }
	return page.AskInBackground(
		p.Base,
		&p.asked,
		ask,
		func(struct{}, error) tea.Cmd { return p.book.refresh() },
	)
}

// toggleListening starts or stops listening.
func (p *LiveFeed) toggleListening(*callback) tea.Cmd {
	switch {
	case p.feed.CurrentState().Phase == webhooks.Listening:
		return p.askFeed(func(context.Context) error { return p.feed.StopListening() })
	case p.feed.ByItself():
		return p.startListening(webhooks.ListenPlace{})
	}
	p.askPlace()
	return nil
}

// toggleRefusal returns why listening cannot be started or stopped, "" if it can.
func (p *LiveFeed) toggleRefusal(*callback) string {
	return map[webhooks.FeedPhase]string{
		webhooks.Starting: "already starting", webhooks.Stopping: "already stopping",
	}[p.feed.CurrentState().Phase]
}

// Update handles received events.
func (p *LiveFeed) Update(msg tea.Msg) tea.Cmd {
	before := p.listed.Version
	cmd := p.List.Update(msg)
	if rows := p.listed.Rows; before != p.listed.Version && len(rows) > 0 && p.IsShown() &&
		p.book.missionOf(rows[0].MissionUID) == nil {
		p.Env.Profile.Cache.RefreshOrders(false)
	}
	return cmd
}

// receivedColumns returns the columns of a received event.
func receivedColumns() []columns.Column[*callback] {
	return columns.MakeColumns("received", columns.Values[*callback]{
		"received": func(c *callback) columns.Cell { return columns.DayCell(c.heard.At) },
		"status":   func(c *callback) columns.Cell { return columns.MissionState(c.heard.Event.Data.Mission.Status) },
	})
}

// renderState renders where the app listens, or why it does not.
func (p *LiveFeed) renderState(w int) []string {
	s := p.feed.CurrentState()
	var lines []string
	say := func(role theme.Role, text string) {
		lines = append(lines, p.Env.Look.Theme.PaintLines(role, " ", text, w-2)...)
	}
	switch s.Phase {
	case webhooks.Starting:
		say(theme.Pending, "◌ starting…")
	case webhooks.Stopping:
		say(theme.Pending, "◌ stopping…")
	case webhooks.Listening:
		text := "● listening, " + strings.TrimSuffix(strings.TrimPrefix(s.URL, "https://"), "/")
		if !strings.Contains(s.URL, s.Addr) {
			text += " through " + s.Addr
		}
		if s.Own {
			text += " · the endpoint is deleted when you stop"
		}
		say(theme.Good, text)
	case webhooks.Off:
		say(theme.Muted, "○ not listening")
	}
	if s.Err != nil {
		say(theme.Bad, "! "+format.FaultText(s.Err))
	}
	if s.Refusal != nil {
		count := format.Count(s.Refused, "callback")
		say(theme.Attention, fmt.Sprintf("! %s rejected, most recently: %v", count, s.Refusal))
	}
	for i := range s.Left {
		if n := len(s.Left[i].Missed); n > 0 {
			d := &s.Left[i].Missed[n-1]
			say(theme.Attention, fmt.Sprintf(
				"! an interrupted run did not receive %s, most recently: %s",
				format.Count(
					n,
					"event"),
				strings.TrimSpace(d.OrderCode+" "+format.Word(d.Event).Label),
			))
		}
	}
	return append(lines, "")
}

// describe returns all details of an event.
func (p *LiveFeed) describe(c *callback) page.RowAbout {
	const precise = "Mon 2 Jan 15:04:05.000"
	e, m, zone := &c.heard.Event, &c.heard.Event.Data.Mission, p.Env.Clock.Now().Location()
	mission, status := m.MissionCode, format.Status(m.Status)
	if known := p.book.missionOf(m.UUID); known != nil {
		mission += "  " + known.MissionName
	}
	about := page.RowAbout{Title: format.Word(e.Event).Label + "  " + string(e.Event), Facts: []widget.Fact{
		widget.Toned("Signature", "✓ verified", theme.Good),
		widget.Text("Mission", mission), widget.Text("Order", m.OrderCode),
		widget.Toned("Status", status.Glyph+" "+status.Label, status.Role),
		widget.Text("Sent", e.Timestamp.In(zone).Format(precise)),
		widget.Text("Received", c.heard.At.In(zone).Format(precise)),
		widget.Text("ID", e.ID),
	}}
	if *c.Error != "" {
		about.Facts = append(about.Facts, widget.Toned("Note", *c.Error, theme.Attention))
	}
	if text, err := json.Marshal(e, json.Deterministic(true), jsontext.WithIndent("  ")); err == nil {
		about.More = func(int, int) (lines []string) {
			for line := range strings.Lines("\n" + string(text)) {
				lines = append(lines, " "+p.Env.Look.Theme.PaintMuted(strings.TrimRight(line, "\n")))
			}
			return lines
		}
	}
	return about
}

// placeKey is the key of the stored address where the app last listened.
const placeKey = "live feed"

// storedPlace is the stored address where the app last listened.
type storedPlace struct {
	URL  string `json:"url"`
	Addr string `json:"addr"`
}

// askPlace opens the form for the address where callbacks arrive: the service reaches
// the app only through a tunnel or proxy.
func (p *LiveFeed) askPlace() {
	last := storedPlace{"https://", "127.0.0.1:9000"}
	p.Env.Look.UIState.Get(placeKey, &last)
	at := addressField("public https URL of your tunnel or proxy")
	addr := &widget.Field{
		Label: "Forwards to",
		Help:  "host:port on this machine, where the app listens",
		Check: func(typed string) string {
			_, port, err := net.SplitHostPort(typed)
			return page.TextIf(err != nil || port == "", "not a host:port; use 127.0.0.1:9000")
		},
	}
	note := &widget.Field{ID: "note", Kind: widget.NoteField}
	f := widget.NewForm(api.MaxURLLength, p.Env.Clock.Now, at, addr, note)
	at.Set(last.URL)
	addr.Set(last.Addr)
	change := func(*widget.Form) tea.Cmd {
		at.Error = checkURL(at.Value(), true)
		if note.Note = "Registers an endpoint there and deletes it on stop"; p.book.knownAt(at.Value()) != nil {
			note.Note = "Uses your endpoint there and its stored secret; not deleted"
		}
		return nil
	}
	change(f)
	p.Env.Nav.Overlay(&widget.FormDialog{
		Title: "Listen for events", Form: f, Yes: "listen", OnChange: change,
		Lines: []string{"The service cannot reach private addresses; use a tunnel to forward callbacks."},
		OnSave: func() tea.Cmd {
			p.Env.Look.UIState.Put(placeKey, storedPlace{at.Value(), addr.Value()})
			place := webhooks.ListenPlace{
				Addr:  addr.Value(),
				URL:   at.Value(),
				Known: p.book.knownAt(at.Value()),
			}
			return tea.Batch(p.Env.Look.KeepLook(), p.startListening(place))
		},
	})
}

// knownAt returns the endpoint with an address and a stored secret, with that; nil for
// none.
func (b *endpointBook) knownAt(address string) *api.WebhookEndpoint {
	for _, e := range b.endpoints {
		if e.URL == address && b.Env.Profile.Secrets.IsKnown(e.UUID) {
			known := e.WebhookEndpoint
			known.Secret, _ = b.Env.Profile.Secrets.Get(e.UUID) // already loaded
			return &known
		}
	}
	return nil
}
