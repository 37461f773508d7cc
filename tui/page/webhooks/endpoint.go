package webhooks

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// EndpointPage is the page of an endpoint, with the callbacks that were sent to it and the missing
// callbacks.
type EndpointPage struct {
	*page.List[*callback]
	tracker *endpointTracker
	uuid    string
	last    *endpoint // the last known data, also after the endpoint was deleted
}

// NewEndpoint returns the page of an endpoint, for pages of other sections. callback is the ID of the callback
// to select at first, or "".
func NewEndpoint(env *page.Env, uuid, callback string) *EndpointPage {
	p := newEndpointPage(env, nil, uuid)
	p.Wanted = callback
	return p
}

// newEndpointPage returns the page of an endpoint. It uses the section's tracker, or a new one if et
// is nil.
func newEndpointPage(env *page.Env, et *endpointTracker, uuid string) *EndpointPage {
	base := page.NewBase(env)
	if et == nil {
		et = newEndpointTracker(base)
	}
	p := &EndpointPage{tracker: et, uuid: uuid, last: &endpoint{}}
	source := page.ListSource[*callback]{State: p.logState, Refresh: et.refresh}
	p.List = page.NewList(base, source, page.ListOptions[*callback]{
		Example:  "event:flight or code:>=500",
		Singular: "callback",
		Scope:    action.CallbackLog,
		Columns:  logColumns(),
		Problems: page.RowProblems[*callback]{
			Has:    (*callback).hasFailed,
			None:   "No failed or missing callbacks.",
			Unsure: p.unsure,
		},
		Mark:        func(*callback) widget.Cell { return widget.Cell{} }, // the result shows failures
		ChangeStamp: func(c *callback) string { return columns.CallbackStatus(&c.WebhookDelivery) },
		Details:     p.describe,
		Layout:      page.ListLayout{Stacked: true, MinDetailWidth: 50},
		RenderEmpty: p.renderBlank,
		Actions:     p.logActions(base),
	})
	return p
}

// logActions returns the actions of the page: open the mission of a callback, copy a summary, resend callbacks,
// and the actions of all lists of the section. base is an argument because p.Base is not set before the list is
// created.
func (p *EndpointPage) logActions(base page.Base) []page.Action[*callback] {
	endpointOf := func(*callback) *endpoint { return p.last }
	copySummary := page.Action[*callback]{
		ID: action.CopyWords,
		Do: func(c *callback) tea.Cmd { return p.Env.Files.CopyText(p.summarise(c), "the summary") },
	}
	resend := page.ResendAction(base, action.ResendCallback, "no failed callbacks", p.undelivered)
	resend.Unlikely = func(c *callback) bool { return c.gap != nil || !c.hasFailed() }
	return slices.Concat(
		toolActions(p.tracker, endpointOf, p.attemptsOf),
		p.tracker.missionActions(p.timelineEntry),
		[]page.Action[*callback]{copySummary, resend},
	)
}

// logState returns the loaded callbacks of the endpoint, including missing ones, as the state of the list.
func (p *EndpointPage) logState() page.ListState[*callback] {
	s := page.ListState[*callback]{Version: p.tracker.changes}
	e := p.tracker.find(p.uuid)
	if e == nil {
		s.At = p.tracker.state.ReadAt
		s.Err = p.tracker.state.Err
		return s
	}
	if e.isLoaded || e.LogErr != nil {
		s.At = e.log.ReadAt
		s.Err = e.LogErr
	}
	s.Rows = columns.Pointers(e.callbacks)
	p.last = e
	return s
}

// Title returns the endpoint's address.
func (p *EndpointPage) Title() string { return p.last.name() }

// CornerText returns the endpoint's health and the age of its log.
func (p *EndpointPage) CornerText() string {
	e := p.tracker.find(p.uuid)
	if e == nil && !p.tracker.state.ReadAt.IsZero() {
		return "deleted"
	}
	if e == nil || !e.isLoaded {
		return "loading…"
	}
	missing := fmt.Sprintf("%d missing", e.counts[columns.CallbackMissing])
	if e.missingUnknown() {
		missing = "missing unknown"
	}
	return fmt.Sprintf(
		"%d delivered · %d failed · %s · refreshed %s",
		e.counts[columns.CallbackDelivered],
		e.counts[columns.CallbackFailed],
		missing,
		format.Ago(e.log.ReadAt, p.Env.Clock.Now()),
	)
}

// unsure returns a text that warns that the list is incomplete: some callbacks may have failed or be missing,
// although no such callback is listed. It returns "" if the list is complete.
func (p *EndpointPage) unsure() string {
	since := p.last.Since
	if p.last.whyUnknown != "" && !since.IsZero() {
		return "No failed callbacks since " + format.Moment(since, p.Env.Clock.Now()) +
			". Whether callbacks are missing is unknown: " + p.last.whyUnknown + "."
	}
	if p.last.whyUnknown != "" {
		return "No failed callbacks. Whether callbacks are missing is unknown: " + p.last.whyUnknown + "."
	}
	if !since.IsZero() {
		return "No failed or missing callbacks since " + format.Moment(since, p.Env.Clock.Now()) +
			"; older ones are not loaded."
	}
	return ""
}

// pendingSeconds is the interval at which pending callbacks are loaded again.
const pendingSeconds = 2

// DataNeeds returns the data that the page needs: this endpoint's log, the attempts of the selected callback,
// and the data of the tracker. While a callback is pending, the log is loaded every pendingSeconds.
func (p *EndpointPage) DataNeeds() []cache.Need {
	pending := fmt.Sprint("pending at ", p.Env.Clock.Now().Unix()/pendingSeconds)
	known := p.Env.Profile.Cache
	log := known.Logs.NeedOf(p.uuid)
	if p.last.counts[columns.CallbackSending] > 0 {
		log = known.Logs.NeedStamped(p.uuid, pending)
	}
	needs := []cache.Need{log}
	c := p.Current()
	if c != nil && c.gap == nil && known.Operations != nil {
		stamp := fmt.Sprint("finished after ", columns.NumOf(c.Attempts).Num)
		if c.IsPending() {
			stamp = pending
		}
		needs = append(needs, known.Operations.Histories.NeedStamped(c.UUID, stamp))
	}
	return append(needs, p.tracker.needs()...)
}

// OnShow loads the log of received events and the stored secrets.
func (p *EndpointPage) OnShow() tea.Cmd { return p.tracker.readLocal() }

func (p *EndpointPage) Update(msg tea.Msg) tea.Cmd {
	return tea.Batch(p.tracker.update(msg), p.List.Update(msg))
}

// logColumns returns the columns of the list of callbacks, which contains missing callbacks too.
func logColumns() []columns.Column[*callback] {
	return columns.MakeColumns("deliveryLog", columns.Values[*callback]{
		"result":       (*callback).state,
		"responseCode": func(c *callback) columns.Cell { return columns.AnswerCode(&c.WebhookDelivery) },
	})
}

// state returns the callback's status for a list. The text of a failed callback is the cause of the failure.
func (c *callback) state() columns.Cell {
	if c.gap != nil {
		cell := columns.StateCell(format.Missing, -1)
		cell.Text = format.Missing.Glyph + " Not in the log"
		return cell
	}
	cell := columns.CallbackState(&c.WebhookDelivery)
	if c.hasFailed() {
		cell.Text = format.Failed.Glyph + " " + format.CapitalizeFirst(timeline.FailureCause(&c.WebhookDelivery))
	}
	return cell
}

// missionOf returns the mission with the given ID, or nil if it is not loaded.
func (et *endpointTracker) missionOf(uuid string) *cache.Mission {
	et.deriveFromCache()
	return et.missions[uuid]
}

// missionActions returns the actions that open the mission of a callback, its order, and its timeline. entryID returns
// the ID of the entry to select in the timeline; for "", the timeline chooses the entry.
func (et *endpointTracker) missionActions(entryID func(*callback) string) []page.Action[*callback] {
	notLoaded := func(c *callback) string {
		if c.MissionUID == "" {
			return "the log names no mission"
		}
		return page.TextIf(et.missionOf(c.MissionUID) == nil, "its mission is not loaded")
	}
	openMission := func(c *callback) tea.Cmd {
		return et.Env.Nav.Show(page.MissionRoute{Mission: et.missionOf(c.MissionUID)})
	}
	openOrder := func(c *callback) tea.Cmd {
		return et.Env.Nav.Show(page.OrderRoute{Order: et.missionOf(c.MissionUID).Order})
	}
	openTimeline := func(c *callback) tea.Cmd {
		m := et.missionOf(c.MissionUID)
		subject := timeline.StorySubject{Order: m.Order.OrderCode, Mission: m.UUID}
		return et.Env.Nav.Show(page.StoryRoute{Subject: subject, Entry: entryID(c)})
	}
	return []page.Action[*callback]{
		{ID: action.Open, WhyDisabled: notLoaded, Do: openMission},
		{ID: action.ShowOrder, WhyDisabled: notLoaded, Do: openOrder},
		{ID: action.ShowTimeline, WhyDisabled: notLoaded, Do: openTimeline},
	}
}

// timelineEntry returns the ID of the callback in timelines.
func (p *EndpointPage) timelineEntry(c *callback) string {
	if c.gap != nil {
		return timeline.MissingID(p.uuid, c.gap)
	}
	return timeline.CallbackID(&c.WebhookDelivery)
}

// undelivered returns the selected callback, unless it is missing, and all failed callbacks of the endpoint, including
// failed callbacks that a filter hides.
func (p *EndpointPage) undelivered(c *callback) timeline.Undelivered {
	u := timeline.Undelivered{Of: p.last.name(), Failures: p.last.FailedCallbacks(nil)}
	if since := p.last.Since; !since.IsZero() {
		u.Unknown = "no failed callbacks since " + format.Moment(since, p.Env.Clock.Now()) +
			"; older ones are not loaded"
	}
	if !p.last.isLoaded {
		u.Unknown = "the log is not loaded"
	}
	if c != nil && c.gap == nil {
		u.Selected = new(timeline.CallbackSending(&c.WebhookDelivery, ""))
	}
	return u
}

// renderBlank renders what the page shows instead of an empty list: that the endpoint was deleted, or that it
// has no callbacks yet. It returns nil if the callbacks could not be loaded, because the list then shows the
// error.
func (p *EndpointPage) renderBlank(err error, w int) []string {
	if err != nil {
		return nil
	}
	th := p.Env.Look.Theme
	e := p.tracker.find(p.uuid)
	if e == nil {
		return []string{"", th.PaintText(" This endpoint was deleted.")}
	}
	lines := []string{
		"",
		th.PaintText(" No callbacks yet."),
		th.PaintMuted(" They appear here when the service sends the events of your missions."),
		"",
	}
	if key := p.Env.Profile.KeyOf(action.TestEvent, action.CallbackLog); key != "" {
		lines = append(lines, " "+th.PaintHint(key, "send a test event to this URL"), "")
	}
	facts := p.tracker.registrationFacts(e)
	if e.Description != "" {
		facts = append([]widget.Fact{widget.Text("Description", e.Description)}, facts...)
	}
	return append(lines, widget.WrapFacts(th, blankLabelWidth, w, facts...)...)
}

// blankLabelWidth is the width of the labels of the facts about an endpoint without callbacks.
const blankLabelWidth = 12

// describe returns all details of a callback.
func (p *EndpointPage) describe(c *callback) page.RowDetails {
	now := p.Env.Clock.Now()
	title := format.Word(c.Event).Label + "  " + string(c.Event)
	if c.gap != nil {
		return page.RowDetails{Title: title, Text: c.gap.Describe(now), Facts: p.gapFacts(c.gap)}
	}
	mission := c.MissionCode
	if m := p.tracker.missionOf(c.MissionUID); m != nil {
		mission += "  " + m.MissionName
	}
	created := ""
	if !c.CreatedAt.IsZero() {
		created = format.ExactMoment(c.CreatedAt.Time, now)
	}
	history := p.history(c)
	facts := resultFacts(c)
	facts = append(facts, attemptFacts(history, now)...)
	facts = append(facts, widget.Texts("Mission", mission, "Order", c.OrderCode, "Created", created)...)
	facts = append(facts, p.receiptFact(&c.WebhookDelivery), widget.Text("ID", c.UUID))
	facts = append(facts, evidenceFacts(history)...)
	facts = append(facts, widget.Facts(columns.UnknownMembers(c.Extra))...)
	others := func(w, h int) []string { return p.renderOthers(c, w, h) }
	return page.RowDetails{Title: title, Facts: facts, More: others}
}

// renderOthers renders the other callbacks about the same mission as c in at most h lines, newest first. It returns
// nil if there are none.
func (p *EndpointPage) renderOthers(c *callback, w, h int) []string {
	const heading = 2 // a blank line and the title
	var others []callbackLine
	for i := range p.last.Log {
		row := &p.last.Log[i]
		isOther := c.MissionUID != "" && row.MissionUID == c.MissionUID && row.UUID != c.UUID
		if isOther && len(others) < h-heading {
			line := p.tracker.lineAbout(row)
			line.mission = "" // the title names it
			line.result = ""  // the glyph shows it, and the events need the room
			others = append(others, line)
		}
	}
	if len(others) == 0 {
		return nil
	}
	title := " " + p.Env.Look.Theme.PaintTitle("Other callbacks about "+format.Clean(c.MissionCode))
	return append([]string{"", title}, p.tracker.renderCallbacks(others, w)...)
}

// attemptsOf returns the attempts of a callback. It returns nil if c is nil, or if the attempts are not
// known.
func (p *EndpointPage) attemptsOf(c *callback) []ops.CallbackAttempt {
	if c == nil {
		return nil
	}
	return p.history(c).Attempts
}

// history returns the attempts of a callback according to the operations API. It is empty without an
// operations key, or if the attempts are not loaded.
func (p *EndpointPage) history(c *callback) *ops.CallbackHistory {
	operations := p.Env.Profile.Cache.Operations
	if operations == nil {
		return &ops.CallbackHistory{}
	}
	history, _ := operations.Histories.Get(c.UUID)
	if history == nil {
		return &ops.CallbackHistory{}
	}
	return history
}

// outcomeFact returns the result of a callback or of one attempt.
func outcomeFact(label string, d *api.WebhookDelivery) widget.Fact {
	text, glyph, role := timeline.DeliveryOutcome(d)
	return widget.Toned(label, glyph+" "+text, role)
}

// resultFacts returns the result of a callback, and advice if it failed.
func resultFacts(c *callback) []widget.Fact {
	result := outcomeFact("Result", &c.WebhookDelivery)
	facts := []widget.Fact{result}
	if !c.hasFailed() {
		return facts
	}
	reported := format.ValueOf(c.Error)
	isCode := reported == fmt.Sprint("HTTP ", format.ValueOf(c.ResponseCode))
	if !isCode && !strings.Contains(result.Value, reported) {
		facts = append(facts, widget.Text("Error", reported))
	}
	if advice := adviseOn(&c.WebhookDelivery); advice != "" {
		facts = append(facts, widget.Text("Next", advice))
	}
	return facts
}

// adviseOn returns what a receiver's response to a failed callback usually means, and what to check. It returns
// "" if there is no advice for the response.
func adviseOn(d *api.WebhookDelivery) string {
	switch code := format.ValueOf(d.ResponseCode); {
	case code == 0:
		return "No response from this URL. Whoever runs the receiver must make it reachable, " +
			"or the endpoint needs another URL."
	case code >= 200 && code < 300:
		return "The receiver accepted it, but the service counts it as failed. Give the service's support the callback's ID."
	case code >= 300 && code < 400:
		return "Redirects are not followed. Register the final URL."
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return "Receiver rejected it: wrong secret, or a login in front of it. Press " +
			action.KeyOf(action.CheckSignature, action.CallbackLog) + " to check the signature."
	case code == http.StatusNotFound || code == http.StatusGone || code == http.StatusMethodNotAllowed:
		return "Nothing accepts callbacks at this URL. Check its path, and that the receiver accepts POST."
	case code == http.StatusTooManyRequests:
		return "The receiver is overloaded. Whoever runs it must let it accept more requests."
	case code >= 500:
		return "The receiver failed. Check its log."
	case code >= 400:
		return "The receiver rejected the request. Check its log."
	}
	return ""
}

// attemptFacts returns the attempts of a callback, who resent it, and the time of the next attempt.
func attemptFacts(h *ops.CallbackHistory, now time.Time) []widget.Fact {
	at := func(t api.Time) string { return format.ExactMoment(t.Time, now) }
	var facts []widget.Fact
	var resent time.Time
	for i := range h.Attempts {
		attempt := &h.Attempts[i]
		if !attempt.ResentAt.IsZero() && !attempt.ResentAt.Equal(resent) {
			resent = attempt.ResentAt.Time
			facts = append(facts, widget.Text("Resent", "by "+attempt.ResentBy+", "+at(attempt.ResentAt)))
		}
		outcome := outcomeFact(fmt.Sprint("Attempt ", attempt.Number), &api.WebhookDelivery{
			Success:      attempt.Error == nil,
			ResponseCode: &attempt.ResponseCode,
			Error:        attempt.Error,
		})
		outcome.Value += fmt.Sprintf(", %s, %d ms", at(attempt.SentAt), attempt.DurationMillis)
		facts = append(facts, outcome)
	}
	if !h.NextAttemptAt.IsZero() {
		facts = append(facts, widget.Toned("Next", at(h.NextAttemptAt), theme.Pending))
	}
	return facts
}

// evidenceFacts returns the headers and body of the last request, and the beginning of its response.
func evidenceFacts(h *ops.CallbackHistory) []widget.Fact {
	if len(h.Attempts) == 0 {
		return nil
	}
	last := &h.Attempts[len(h.Attempts)-1]
	var facts []widget.Fact
	for _, name := range slices.Sorted(maps.Keys(last.Headers)) {
		facts = append(facts, widget.Toned("Header", name+": "+last.Headers[name], theme.Muted))
	}
	if answer := strings.TrimSpace(last.Answer); answer != "" {
		facts = append(facts, widget.Text("Answer", answer))
	}
	return append(facts, widget.Text("Body", last.Body))
}

// receiptFact returns whether this app received the callback.
func (p *EndpointPage) receiptFact(d *api.WebhookDelivery) widget.Fact {
	event, ok := p.Env.Profile.Feed.EventLog().EventByID(d.UUID)
	if !ok {
		return p.notReceivedFact("not received by this app")
	}
	text := "✓ received and verified by this app, " + format.Moment(event.At, p.Env.Clock.Now())
	if event.Repeats > 0 {
		text += ", " + format.Count(event.Repeats, "duplicate") + " ignored"
	}
	return widget.Toned("Live events", text, theme.Good)
}

// notReceivedFact returns a fact with the given text, which says that this app did not receive an event. If the
// received events are not loaded, this is unknown, and the fact says that they are loading or could not be loaded.
func (p *EndpointPage) notReceivedFact(text string) widget.Fact {
	const label = "Live events"
	isLoaded, err := p.Env.Profile.Feed.EventLog().LoadState()
	if err != nil {
		return widget.Toned(label, "unknown: received events could not be loaded", theme.Attention)
	}
	if !isLoaded {
		return widget.Toned(label, "loading…", theme.Muted)
	}
	return widget.Toned(label, text, theme.Muted)
}

// gapFacts returns the evidence for a missing callback.
func (p *EndpointPage) gapFacts(g *timeline.MissingCallback) []widget.Fact {
	evidence := widget.Fact{Label: "Certainty", Value: "certain; the log names missions"}
	if g.Probable {
		evidence.Value = "probable; the log names no missions"
		evidence.Role = theme.Attention
	}
	return []widget.Fact{
		widget.Toned("Source", "✓ "+g.Source, theme.Good),
		widget.Toned("Log", "! not in the log", theme.Bad),
		p.notReceivedFact("not received by this app"),
		evidence,
		widget.Text("Next", "The service did not send this event, or its log is incomplete. Press "+
			action.KeyOf(action.CopyWords, action.CallbackLog)+" to copy a summary for the service's support."),
	}
}

// summarise returns a sentence about a callback that the user can send to the service's support.
func (p *EndpointPage) summarise(c *callback) string {
	if c.gap != nil {
		return c.gap.Describe(p.Env.Clock.Now())
	}
	subject := strings.TrimSpace(c.OrderCode + " " + c.MissionCode)
	created := format.Moment(c.CreatedAt.Time, p.Env.Clock.Now())
	outcome, _, _ := timeline.DeliveryOutcome(&c.WebhookDelivery)
	return format.Clean(fmt.Sprintf(
		"%s: the callback for %s created %s to %s: %s (ID %s).",
		subject, c.Event, created, p.last.name(), outcome, c.UUID,
	))
}
