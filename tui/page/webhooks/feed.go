package webhooks

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
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
	started bool // the page has started to listen before; it then no longer starts by itself
}

// newLiveFeed returns the page of received events. It shares the tracker of the section's other pages.
func newLiveFeed(et *endpointTracker) *LiveFeed {
	const unknownVersion = -1 // differs from every version of the log, so that the rows are built at first
	p := &LiveFeed{
		tracker: et,
		feed:    et.Env.Profile.Feed,
		listed:  page.ListState[*callback]{Version: unknownVersion},
	}
	source := page.ListSource[*callback]{State: p.feedState, Refresh: p.refreshLog}
	p.List = page.NewList(page.NewBase(et.Env), source, page.ListOptions[*callback]{
		Title:       "Live events",
		Example:     "event:data or ORD-100230",
		Singular:    "event",
		Scope:       action.LiveEvents,
		Columns:     receivedColumns(),
		ChangeStamp: func(c *callback) string { return c.UUID },
		Details:     p.describe,
		Layout:      page.ListLayout{Stacked: true, MinDetailWidth: 46},
		Actions:     p.feedActions(),
		RenderHead:  p.renderState,
		Empty: "No events yet.\n" +
			"Events of your missions appear here while the app listens, verified and without duplicates.",
	})
	return p
}

// feedActions returns the actions of the page: start or stop listening, open the mission of an event, and the
// actions of all lists of the section.
func (p *LiveFeed) feedActions() []page.Action[*callback] {
	listen := page.Action[*callback]{
		ID:          action.ListenFeed,
		NeedsNoRow:  true,
		WhyDisabled: p.toggleRefusal,
		Do:          p.toggleListening,
	}
	firstEntry := func(*callback) string { return "" } // selects the first entry of the timeline
	return slices.Concat(
		toolActions(p.tracker, p.endpointOf, noAttempts[*callback]),
		[]page.Action[*callback]{listen},
		p.tracker.missionActions(firstEntry),
	)
}

// endpointOf returns the endpoint that received the event in a row. If row is nil, it returns the endpoint at which
// the app listens. It returns nil if that endpoint is not registered.
func (p *LiveFeed) endpointOf(row *callback) *endpoint {
	if row != nil {
		return p.tracker.find(row.received.Endpoint)
	}
	return p.tracker.find(p.feed.CurrentState().Endpoint)
}

// feedState returns the events received so far, and the error if the events of earlier runs could not be loaded.
func (p *LiveFeed) feedState() page.ListState[*callback] {
	log := p.feed.EventLog()
	version := log.Version()
	if p.listed.Version != version {
		p.listed = page.ListState[*callback]{Version: version}
		for _, row := range webhooks.SortFeed(log.AllEvents()) {
			p.listed.Rows = append(p.listed.Rows, receivedCallback(&row))
		}
	}
	isLoaded, err := log.LoadState()
	p.listed.Err = err
	if isLoaded {
		p.listed.At = p.tracker.Env.Clock.Now()
	}
	return p.listed
}

// CornerText returns the number of events. They are stored on this machine, so they have no age.
func (p *LiveFeed) CornerText() string {
	state := p.feedState()
	if len(state.Rows) == 0 && state.At.IsZero() {
		return page.TextIf(state.Err == nil, "loading…")
	}
	return format.Count(len(state.Rows), "event")
}

// receivedCallback returns a row for a received event. If something was unusual about its arrival, such as duplicates,
// the row's field Error describes it.
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

// DataNeeds returns the data that the page needs: all missions, and the endpoints.
func (p *LiveFeed) DataNeeds() []cache.Need {
	return []cache.Need{p.Env.Profile.Cache.AllMissions(), p.Env.Profile.Cache.Endpoints.NeedOf(cache.Account)}
}

// OnShow loads the log of received events. If the service can reach this machine, it starts to listen.
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

// loadLog loads the events that were received in earlier runs. The page shows the error.
func (p *LiveFeed) loadLog() tea.Cmd {
	load := func() error {
		_ = p.feed.EventLog().LoadNew() // feedState asks the log for the error
		return nil
	}
	return page.DoInBackground(load, page.HeardMsg{})
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

// runFeed calls do, which starts or stops the feed, in the background, and then reloads the endpoints.
func (p *LiveFeed) runFeed(do func(context.Context) error) tea.Cmd {
	run := func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) }
	finish := func(struct{}, error) tea.Cmd { return p.tracker.refresh() }
	return page.RunInBackground(p.Base, &p.asked, run, finish)
}

// toggleListening stops or starts listening. Before it starts, it asks for an address if the service cannot reach
// this machine.
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

// Update reloads the orders if the newest event is about an unknown mission.
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
	th := p.Env.Look.Theme
	s := p.feed.CurrentState()
	phase, role := describePhase(&s)
	lines := th.PaintLines(role, " ", phase, w-2)
	if hint := p.renderListenHint(s.Phase); hint != "" {
		lines = appendHint(lines, hint, w)
	}
	if s.Err != nil {
		lines = append(lines, th.PaintLines(theme.Bad, " ", "! "+format.FaultText(s.Err), w-2)...)
	}
	for _, warning := range p.warnings(&s) {
		lines = append(lines, th.PaintLines(theme.Attention, " ", "! "+warning, w-2)...)
	}
	if len(p.listed.Rows) == 0 { // the text of a list without rows begins with a blank line
		return lines
	}
	return append(lines, "")
}

// renderListenHint renders the key that starts listening or, while the app listens, stops it. It returns "" if the
// key is disabled.
func (p *LiveFeed) renderListenHint(phase webhooks.FeedPhase) string {
	if p.DisabledReason(action.ListenFeed) != "" {
		return ""
	}
	key := p.Env.Profile.KeyOf(action.ListenFeed, action.LiveEvents)
	if phase == webhooks.Listening {
		return p.Env.Look.Theme.PaintHint(key, "stop listening")
	}
	return p.Env.Look.Theme.PaintHint(key, "start listening")
}

// appendHint appends a hint to the last line of a text, or adds a line if the last line of w cells has no room.
func appendHint(lines []string, hint string, w int) []string {
	const gap = 3
	last := len(lines) - 1
	if format.Width(lines[last])+gap+format.Width(hint) >= w {
		return append(lines, " "+hint)
	}
	lines[last] += format.BlankCells(gap) + hint
	return lines
}

// describePhase returns a text that says whether the feed is listening, and the colour role for the text.
func describePhase(s *webhooks.FeedState) (text string, role theme.Role) {
	switch s.Phase {
	case webhooks.Starting:
		return "◌ starting…", theme.Pending
	case webhooks.Stopping:
		return "◌ stopping…", theme.Pending
	case webhooks.Listening:
		return listeningText(s), theme.Good
	default:
		return "○ not listening", theme.Muted
	}
}

// warnings returns a warning if the feed has rejected callbacks. When the received events are loaded, it also
// warns about events that an interrupted run of the app did not receive.
func (p *LiveFeed) warnings(s *webhooks.FeedState) []string {
	var warnings []string
	if s.Refusal != nil {
		count := format.Count(s.Refused, "callback")
		warnings = append(warnings, fmt.Sprintf("%s rejected, most recently: %v", count, s.Refusal))
	}
	if isLoaded, err := p.feed.EventLog().LoadState(); !isLoaded || err != nil {
		return warnings // it is not known yet which events were received
	}
	for i := range s.Left {
		missed := p.withoutReceived(s.Left[i].Missed)
		if len(missed) > 0 {
			warnings = append(warnings, missedText(missed))
		}
	}
	return warnings
}

// withoutReceived leaves out the callbacks whose events this app has received. The service counts such a callback as
// failed if the response of the app was lost.
func (p *LiveFeed) withoutReceived(callbacks []api.WebhookDelivery) []api.WebhookDelivery {
	var missed []api.WebhookDelivery
	for i := range callbacks {
		if _, ok := p.feed.EventLog().EventByID(callbacks[i].UUID); !ok {
			missed = append(missed, callbacks[i])
		}
	}
	return missed
}

// listeningText returns the public address at which the app receives events. If a tunnel or proxy forwards the
// events to an address on this machine, that address follows.
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

// missedText returns how many events an interrupted run of the app did not receive, and what the newest of
// these events is.
func missedText(missed []api.WebhookDelivery) string {
	last := &missed[len(missed)-1]
	return fmt.Sprintf(
		"an interrupted run did not receive %s, most recently: %s",
		format.Count(len(missed), "event"),
		strings.TrimSpace(last.OrderCode+" "+format.Word(last.Event).Label),
	)
}

// describe returns all details of an event.
func (p *LiveFeed) describe(c *callback) page.RowDetails {
	event := &c.received.Event
	m := &event.Data.Mission
	mission := m.MissionCode
	if known := p.tracker.missionOf(m.UUID); known != nil {
		mission += "  " + known.MissionName
	}
	status := format.Status(m.Status)
	now := p.Env.Clock.Now()
	facts := []widget.Fact{
		widget.Toned("Signature", "✓ verified", theme.Good),
		widget.Text("Mission", mission),
		widget.Text("Order", m.OrderCode),
		widget.Toned("Status", status.Glyph+" "+status.Label, status.Role),
		widget.Text("Sent", format.ExactMoment(event.Timestamp.Time, now)),
		widget.Text("Received", format.ExactMoment(c.received.At, now)),
		widget.Text("ID", event.ID),
	}
	arrival := format.ValueOf(c.Error) // a received event has its unusual arrival in Error
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

// placeKey is the key of the UI state under which the app stores its last [storedPlace].
const placeKey = "live feed"

// storedPlace has the addresses at which the app listened last: the public URL, and the local address.
type storedPlace struct {
	URL  string `json:"url"`
	Addr string `json:"addr"`
}

// promptForPlace opens the form for the addresses of a tunnel or proxy, through which the service reaches the app.
// The form initially has the addresses at which the app listened last. When the user saves the form, the app
// listens.
func (p *LiveFeed) promptForPlace() {
	last := storedPlace{URL: "https://", Addr: "127.0.0.1:9000"} // if the UI state has none
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
	p.Env.Nav.Overlay(&widget.FormDialog{
		Title: "Listen for events",
		Lines: []string{"The service must be able to reach the URL; use a tunnel to forward callbacks."},
		Form:  form,
		Yes:   "listen",
		OnChange: func(*widget.Form) tea.Cmd {
			checkPublic()
			return nil
		},
		OnSave: func() tea.Cmd {
			return p.listenAt(storedPlace{URL: public.Value(), Addr: local.Value()})
		},
	})
}

// listenAt stores a place for the next time, and starts to listen there.
func (p *LiveFeed) listenAt(place storedPlace) tea.Cmd {
	p.Env.Look.UIState.Put(placeKey, place)
	known := p.tracker.knownAt(place.URL)
	listenPlace := webhooks.ListenPlace{Addr: place.Addr, URL: place.URL, Known: known}
	return tea.Batch(p.Env.Look.SaveUIState(), p.startListening(listenPlace))
}

// describePlace returns what will happen to the endpoint with the given public address if the app listens there. An
// endpoint with a known secret is used and kept. Otherwise the app registers an endpoint, and deletes it when it stops
// listening.
func (p *LiveFeed) describePlace(address string) string {
	if p.tracker.knownAt(address) != nil {
		return "Uses your endpoint there and its known secret; it is not deleted"
	}
	return "Registers an endpoint there and deletes it on stop"
}

// checkListenAddress returns what is wrong with a local address, or "".
func checkListenAddress(typed string) string {
	_, port, err := net.SplitHostPort(typed)
	return page.TextIf(err != nil || port == "", "not a host:port; use 127.0.0.1:9000")
}

// knownAt returns the endpoint with the given address, including its secret. It returns nil if there is no such
// endpoint or its secret is not known.
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
