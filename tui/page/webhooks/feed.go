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
	tracker *endpointTracker
	feed    *webhooks.EventFeed
	listed  page.ListState[*callback]
	asked   page.Request
	started bool // listening was started once; it does not start by itself again
}

func newLiveFeed(et *endpointTracker) *LiveFeed {
	p := &LiveFeed{tracker: et, feed: et.Env.Profile.Feed}
	p.listed.Version = -1 // no log has this version, so that feedState makes the first rows
	endpointInUse := func(*callback) *endpoint { return et.find(p.feed.CurrentState().Endpoint) }
	actions := toolActions(et, endpointInUse, noAttempts[*callback])
	actions = append(actions, page.Action[*callback]{
		ID:          action.ListenFeed,
		NeedsNoRow:  true,
		WhyDisabled: p.toggleRefusal,
		Do:          p.toggleListening,
	})
	firstEntry := func(*callback) string { return "" } // selects the first entry of the timeline
	actions = append(actions, et.missionActions(firstEntry)...)
	source := page.ListSource[*callback]{State: p.feedState, Refresh: p.refreshLog}
	p.List = page.NewList(page.NewBase(et.Env), source, page.ListOptions[*callback]{
		Title:       "Live events",
		Example:     "event:data or ORD-100230",
		Singular:    "event",
		Scope:       action.LiveEvents,
		Columns:     receivedColumns(),
		ChangeStamp: func(c *callback) string { return c.UUID },
		Details:     p.describe,
		Layout:      page.ListLayout{Stacked: true},
		Actions:     actions,
		RenderHead:  p.renderState,
		Empty: "No events yet.\n" +
			"Events of your missions appear here as they are received, verified and without duplicates.",
		Keys: []page.RowKey{{Key: "L", Text: "start or stop receiving"}},
	})
	return p
}

// feedState returns the events received so far.
func (p *LiveFeed) feedState() page.ListState[*callback] {
	log := p.feed.EventLog()
	if p.listed.Version != log.Version() {
		p.listed = page.ListState[*callback]{Version: log.Version()}
		for _, row := range webhooks.SortFeed(log.AllEvents()) {
			p.listed.Rows = append(p.listed.Rows, receivedCallback(&row))
		}
	}
	p.listed.At = p.tracker.Env.Clock.Now()
	return p.listed
}

// CornerText returns the number of events. They are stored on this machine, so they have no age.
func (p *LiveFeed) CornerText() string { return format.Count(len(p.feedState().Rows), "event") }

// receivedCallback returns a received event as a row. Its Error says what was unusual about its
// arrival.
func receivedCallback(row *webhooks.FeedRow) *callback {
	var notes []string
	if row.Late {
		notes = append(notes, "late: the mission has progressed since")
	}
	if row.Repeats > 0 {
		notes = append(notes, format.Count(row.Repeats, "duplicate")+" ignored")
	}
	m := &row.Event.Data.Mission
	c := &callback{received: row}
	c.MissionCode = m.MissionCode
	c.WebhookDelivery = api.WebhookDelivery{
		UUID:       row.Event.ID,
		Event:      row.Event.Event,
		CreatedAt:  row.Event.Timestamp,
		MissionUID: m.UUID,
		OrderCode:  m.OrderCode,
		Error:      new(strings.Join(notes, ", ")),
	}
	return c
}

// DataNeeds requests the missions of the events, and the endpoints.
func (p *LiveFeed) DataNeeds() []cache.Need {
	return []cache.Need{p.Env.Profile.Cache.AllMissions(), p.Env.Profile.Cache.Endpoints.NeedOf(cache.Account)}
}

// OnShow loads received events, and starts to listen if the service can reach this machine.
func (p *LiveFeed) OnShow() tea.Cmd {
	load := p.loadLog()
	if p.startsByItself() {
		return tea.Batch(load, p.startListening(webhooks.ListenPlace{}))
	}
	return load
}

// startsByItself reports whether the page starts to listen when it is shown.
func (p *LiveFeed) startsByItself() bool {
	if p.Env.Files.Confined || p.started || !p.feed.ByItself() {
		return false
	}
	isOff := p.feed.CurrentState().Phase == webhooks.Off
	return isOff && p.Env.Profile.RefusalOf(action.ChangesEndpoints) == ""
}

func (p *LiveFeed) refreshLog() tea.Cmd {
	p.Env.Profile.Cache.RefreshOrders(true)
	return p.loadLog()
}

func (p *LiveFeed) loadLog() tea.Cmd {
	return page.DoInBackground(p.feed.EventLog().LoadNew, page.HeardMsg{})
}

// startListening starts to listen. Leaving the page does not stop it.
func (p *LiveFeed) startListening(at webhooks.ListenPlace) tea.Cmd {
	p.started = true
	confined := p.Env.Files.Confined
	return p.runFeed(func(ctx context.Context) error {
		if confined {
			return errors.New(page.NotForGuests)
		}
		return p.feed.StartListening(context.WithoutCancel(ctx), at)
	})
}

// runFeed starts or stops the feed in the background, and loads the endpoints again.
func (p *LiveFeed) runFeed(do func(context.Context) error) tea.Cmd {
	run := func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) }
	finish := func(struct{}, error) tea.Cmd { return p.tracker.refresh() }
	return page.RunInBackground(p.Base, &p.asked, run, finish)
}

// toggleListening stops listening or starts it, after asking for an address if the service cannot
// reach this machine.
func (p *LiveFeed) toggleListening(*callback) tea.Cmd {
	if p.feed.CurrentState().Phase == webhooks.Listening {
		return p.runFeed(func(context.Context) error { return p.feed.StopListening() })
	}
	if p.feed.ByItself() {
		return p.startListening(webhooks.ListenPlace{})
	}
	p.promptForPlace()
	return nil
}

// toggleRefusal returns why listening cannot be started or stopped, or "" if it can.
func (p *LiveFeed) toggleRefusal(*callback) string {
	switch p.feed.CurrentState().Phase {
	case webhooks.Starting:
		return "already starting"
	case webhooks.Stopping:
		return "already stopping"
	default:
		return ""
	}
}

// Update loads the orders again if the newest event is about an unknown mission.
func (p *LiveFeed) Update(msg tea.Msg) tea.Cmd {
	before := p.listed.Version
	cmd := p.List.Update(msg)
	rows := p.listed.Rows
	if p.listed.Version == before || len(rows) == 0 || !p.IsShown() {
		return cmd
	}
	if p.tracker.missionOf(rows[0].MissionUID) == nil {
		p.Env.Profile.Cache.RefreshOrders(false)
	}
	return cmd
}

// receivedColumns returns the columns of received events.
func receivedColumns() []columns.Column[*callback] {
	return columns.MakeColumns("received", columns.Values[*callback]{
		"received": func(c *callback) columns.Cell { return columns.DayCell(c.received.At) },
		"status":   func(c *callback) columns.Cell { return columns.MissionState(c.received.Event.Data.Mission.Status) },
	})
}

// renderState renders where the app listens, or why it does not.
func (p *LiveFeed) renderState(w int) []string {
	s := p.feed.CurrentState()
	var lines []string
	add := func(role theme.Role, text string) {
		lines = append(lines, p.Env.Look.Theme.PaintLines(role, " ", text, w-2)...)
	}
	switch s.Phase {
	case webhooks.Starting:
		add(theme.Pending, "◌ starting…")
	case webhooks.Stopping:
		add(theme.Pending, "◌ stopping…")
	case webhooks.Listening:
		add(theme.Good, listeningText(&s))
	case webhooks.Off:
		add(theme.Muted, "○ not listening")
	}
	if s.Err != nil {
		add(theme.Bad, "! "+format.FaultText(s.Err))
	}
	if s.Refusal != nil {
		count := format.Count(s.Refused, "callback")
		add(theme.Attention, fmt.Sprintf("! %s rejected, most recently: %v", count, s.Refusal))
	}
	for i := range s.Left {
		if missed := s.Left[i].Missed; len(missed) > 0 {
			add(theme.Attention, missedText(missed))
		}
	}
	return append(lines, "")
}

// listeningText returns the public address at which the app receives events. If events are forwarded to
// another address on this machine, that address follows.
func listeningText(s *webhooks.FeedState) string {
	text := "● listening, " + strings.TrimSuffix(strings.TrimPrefix(s.URL, "https://"), "/")
	if !strings.Contains(s.URL, s.Addr) {
		text += " through " + s.Addr
	}
	if s.Own {
		text += " · the endpoint is deleted when you stop"
	}
	return text
}

// missedText returns the number of events that an interrupted run did not receive, and the last one.
func missedText(missed []api.WebhookDelivery) string {
	last := &missed[len(missed)-1]
	return fmt.Sprintf(
		"! an interrupted run did not receive %s, most recently: %s",
		format.Count(len(missed), "event"),
		strings.TrimSpace(last.OrderCode+" "+format.Word(last.Event).Label),
	)
}

// describe returns all details of an event.
func (p *LiveFeed) describe(c *callback) page.RowDetails {
	const precise = "Mon 2 Jan 15:04:05.000"
	event := &c.received.Event
	m := &event.Data.Mission
	mission := m.MissionCode
	if known := p.tracker.missionOf(m.UUID); known != nil {
		mission += "  " + known.MissionName
	}
	status := format.Status(m.Status)
	zone := p.Env.Clock.Now().Location()
	facts := []widget.Fact{
		widget.Toned("Signature", "✓ verified", theme.Good),
		widget.Text("Mission", mission),
		widget.Text("Order", m.OrderCode),
		widget.Toned("Status", status.Glyph+" "+status.Label, status.Role),
		widget.Text("Sent", event.Timestamp.In(zone).Format(precise)),
		widget.Text("Received", c.received.At.In(zone).Format(precise)),
		widget.Text("ID", event.ID),
	}
	arrival := format.ValueOf(c.Error) // of a received event, Error is what was unusual about its arrival
	if arrival != "" {
		facts = append(facts, widget.Toned("Note", arrival, theme.Attention))
	}
	details := page.RowDetails{Title: format.Word(event.Event).Label + "  " + string(event.Event), Facts: facts}
	text, err := json.Marshal(event, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil { // the facts are shown without the JSON
		return details
	}
	details.More = func(int, int) []string { return p.renderEvent(string(text)) }
	return details
}

// renderEvent renders the JSON text of an event.
func (p *LiveFeed) renderEvent(text string) []string {
	var lines []string
	for line := range strings.Lines("\n" + text) {
		lines = append(lines, " "+p.Env.Look.Theme.PaintMuted(strings.TrimRight(line, "\n")))
	}
	return lines
}

// placeKey is the key under which the UI state has the last storedPlace.
const placeKey = "live feed"

// storedPlace is where the app listened last.
type storedPlace struct {
	URL  string `json:"url"`
	Addr string `json:"addr"`
}

// promptForPlace opens the form for the addresses of a tunnel or proxy, through which the service reaches
// the app.
func (p *LiveFeed) promptForPlace() {
	last := storedPlace{URL: "https://", Addr: "127.0.0.1:9000"} // unless another place is stored
	p.Env.Look.UIState.Get(placeKey, &last)
	public := addressField("public https URL of your tunnel or proxy")
	local := &widget.Field{
		Label: "Forwards to",
		Help:  "host:port on this machine, where the app listens",
		Check: checkListenAddress,
	}
	note := &widget.Field{ID: "note", Kind: widget.NoteField}
	form := widget.NewForm(api.MaxURLLength, p.Env.Clock.Now, public, local, note)
	public.Set(last.URL)
	local.Set(last.Addr)
	checkPublic := func() {
		public.Error = checkPartialURL(public.Value())
		note.Note = p.describePlace(public.Value())
	}
	checkPublic()
	listen := func() tea.Cmd {
		p.Env.Look.UIState.Put(placeKey, storedPlace{URL: public.Value(), Addr: local.Value()})
		place := webhooks.ListenPlace{
			Addr:  local.Value(),
			URL:   public.Value(),
			Known: p.tracker.knownAt(public.Value()),
		}
		return tea.Batch(p.Env.Look.SaveUIState(), p.startListening(place))
	}
	p.Env.Nav.Overlay(&widget.FormDialog{
		Title: "Listen for events",
		Lines: []string{"The service must be able to reach the URL; use a tunnel to forward callbacks."},
		Form:  form,
		Yes:   "listen",
		OnChange: func(*widget.Form) tea.Cmd {
			checkPublic()
			return nil
		},
		OnSave: listen,
	})
}

// describePlace returns what listening at a public address does with the endpoint there.
func (p *LiveFeed) describePlace(address string) string {
	if p.tracker.knownAt(address) != nil {
		return "Uses your endpoint there and its stored secret; not deleted"
	}
	return "Registers an endpoint there and deletes it on stop"
}

// checkListenAddress returns what is wrong with a local address, or "".
func checkListenAddress(typed string) string {
	_, port, err := net.SplitHostPort(typed)
	return page.TextIf(err != nil || port == "", "not a host:port; use 127.0.0.1:9000")
}

// knownAt returns the endpoint with an address, including its stored secret, or nil if there is no such
// endpoint or its secret is not stored.
func (et *endpointTracker) knownAt(address string) *api.WebhookEndpoint {
	for _, e := range et.endpoints {
		if e.URL == address && et.Env.Profile.Secrets.IsKnown(e.UUID) {
			known := e.WebhookEndpoint
			known.Secret, _ = et.Env.Profile.Secrets.Get(e.UUID) // already loaded
			return &known
		}
	}
	return nil
}
