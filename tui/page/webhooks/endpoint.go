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

// EndpointPage is the page of an endpoint: callbacks that were sent, and missing ones.
type EndpointPage struct {
	*page.List[*callback]
	book *endpointBook
	uuid string
	last *endpoint // last known data; survives a deletion
}

// NewEndpoint returns the page of an endpoint for other sections, with a callback selected
// unless it is "". It loads its own data.
func NewEndpoint(env *page.Env, uuid, callback string) *EndpointPage {
	p := newEndpointPage(env, nil, uuid)
	p.Wanted = callback
	return p
}

// newEndpointPage returns the page of an endpoint that uses the section's book, or a
// new one if it is nil.
func newEndpointPage(env *page.Env, b *endpointBook, uuid string) *EndpointPage {
	base := page.NewBase(env)
	if b == nil {
		b = newEndpointBook(base)
	}
	p := &EndpointPage{book: b, uuid: uuid, last: &endpoint{}}
	source := page.ListSource[*callback]{State: p.logState, Refresh: b.refresh}
	p.List = page.NewList(base, source, page.ListOptions[*callback]{
		Example:     "event:flight or code:>=500",
		One:         "callback",
		Scope:       action.CallbackLog,
		Columns:     logColumns(),
		Failed:      (*callback).hasFailed,
		Fine:        "No failed or missing callbacks.",
		Unsure:      p.unsure,
		Stamp:       func(c *callback) string { return columns.CallbackStatus(&c.WebhookDelivery) },
		About:       p.describe,
		Stacked:     true,
		LeastDetail: 50,
		Blank:       p.renderBlank,
		Empty:       "No callbacks yet.\nCallbacks appear here as they are sent.",
		Acts: slices.Concat(
			toolActs(b, func(*callback) *endpoint { return p.last }),
			b.missionActs(p.timelineEntry),
			[]page.Act[*callback]{
				{ID: action.CopyWords, Do: func(c *callback) tea.Cmd {
					return p.Env.Files.CopyText(p.summarise(c), "the summary")
				}},
				page.ResendAct(
					base,
					action.ResendCallback,
					"no failed callbacks",
					p.undelivered,
				),
			},
		),
	})
	return p
}

// logState returns the endpoint's log as far as it is loaded.
func (p *EndpointPage) logState() page.ListState[*callback] {
	e := p.book.find(p.uuid)
	s := page.ListState[*callback]{Version: p.book.changes}
	switch {
	case e == nil:
		s.At, s.Err = p.book.state.ReadAt, p.book.state.Err
	case e.isJudged || e.LogErr != nil:
		s.At, s.Err = e.log.ReadAt, e.LogErr
	}
	if e != nil {
		p.last, s.Rows = e, columns.Pointers(e.callbacks)
	}
	return s
}

// Title returns the endpoint's address.
func (p *EndpointPage) Title() string { return p.last.name() }

// CornerText returns the endpoint's health.
func (p *EndpointPage) CornerText() string {
	e := p.book.find(p.uuid)
	switch {
	case e == nil && !p.book.state.ReadAt.IsZero():
		return "deleted"
	case e == nil || !e.isJudged:
		return "loading…"
	}
	n := e.counts
	missing := fmt.Sprintf("%d missing", n[columns.CallbackMissing])
	if e.unread != "" && n[columns.CallbackMissing] == 0 {
		missing = "missing unknown"
	}
	return fmt.Sprintf("%d delivered · %d failed · %s · refreshed %s",
		n[columns.CallbackDelivered], n[columns.CallbackFailed], missing, format.Ago(e.log.ReadAt, p.Env.Clock.Now()))
}

// unsure says why callbacks may have failed or be missing although none is listed, or "".
func (p *EndpointPage) unsure() string {
	switch e := p.last; {
	case e.unread != "":
		return "No failed callbacks. Whether callbacks are missing is unknown: " + e.unread + "."
	case !e.Since.IsZero():
		return "No failed or missing callbacks since " + format.Moment(e.Since, p.Env.Clock.Now()) + "; older ones are not loaded."
	}
	return ""
}

// pendingSeconds is how often a pending callback is read again, in seconds.
const pendingSeconds = 2

// DataNeeds requests the data of the book, this endpoint's log first.
func (p *EndpointPage) DataNeeds() []cache.Need {
	pending := fmt.Sprint("pending at ", p.Env.Clock.Now().Unix()/pendingSeconds)
	log := p.Env.Profile.Cache.Logs.NeedOf(p.uuid)
	if p.last.counts[columns.CallbackSending] > 0 {
		log = p.Env.Profile.Cache.Logs.NeedStamped(p.uuid, pending)
	}
	needs := []cache.Need{log}
	if c := p.Current(); c != nil && c.gap == nil && p.Env.Profile.Cache.Operations != nil {
		stamp := fmt.Sprint("finished after ", columns.NumOf(c.Attempts).Num)
		if c.IsPending() {
			stamp = pending
		}
		needs = append(needs, p.Env.Profile.Cache.Operations.Histories.NeedStamped(c.UUID, stamp))
	}
	return append(needs, p.book.needs()...)
}

// OnShow reads what this machine knows of endpoints.
func (p *EndpointPage) OnShow() tea.Cmd { return p.book.readLocal() }

// Update handles new data.
func (p *EndpointPage) Update(msg tea.Msg) tea.Cmd {
	return tea.Batch(p.book.update(msg), p.List.Update(msg))
}

// logColumns returns the columns of callbacks, sent or missing.
func logColumns() []columns.Column[*callback] {
	return columns.MakeColumns("deliveryLog", columns.Values[*callback]{
		"result":       (*callback).state,
		"responseCode": func(c *callback) columns.Cell { return columns.AnswerCode(&c.WebhookDelivery) },
	})
}

// state returns what became of the callback.
func (c *callback) state() columns.Cell {
	if c.gap != nil {
		return columns.StateCell(format.Missing, -1)
	}
	return columns.CallbackState(&c.WebhookDelivery)
}

// missionOf returns the mission with an ID, nil if it is not loaded.
func (b *endpointBook) missionOf(uuid string) *cache.Mission {
	b.deriveFromCache()
	return b.missions[uuid]
}

// missionActs returns the actions on the mission of a callback. The timeline begins at
// the entry that at names.
func (b *endpointBook) missionActs(at func(*callback) string) []page.Act[*callback] {
	off := func(c *callback) string {
		return page.TextIf(b.missionOf(c.MissionUID) == nil, "its mission is not loaded")
	}
	return []page.Act[*callback]{
		{
			ID:  action.Open,
			Off: off,
			Do: func(c *callback) tea.Cmd {
				return b.Env.Nav.Show(page.MissionRoute{Mission: b.missionOf(c.MissionUID)})
			},
		},
		{ID: action.ShowOrder, Off: off, Do: func(c *callback) tea.Cmd {
			return b.Env.Nav.Show(page.OrderRoute{Order: b.missionOf(c.MissionUID).Order})
		}},
		{ID: action.ShowTimeline, Off: off, Do: func(c *callback) tea.Cmd {
			m := b.missionOf(c.MissionUID)
			return b.Env.Nav.Show(page.StoryRoute{Subject: timeline.StorySubject{Order: m.Order.OrderCode, Mission: m.UUID}, Entry: at(c)})
		}},
	}
}

// timelineEntry returns the ID of a callback in the timeline.
func (p *EndpointPage) timelineEntry(c *callback) string {
	if c.gap != nil {
		return timeline.MissingID(p.uuid, c.gap)
	}
	return timeline.CallbackID(&c.WebhookDelivery)
}

// undelivered returns the callback to resend, nil if none or a missing one is selected,
// and all that failed, including those hidden by a filter.
func (p *EndpointPage) undelivered(c *callback) timeline.Undelivered {
	u := timeline.Undelivered{Of: p.last.name(), Failures: p.last.FailedCallbacks(nil)}
	if c != nil && c.gap == nil {
		u.Selected = new(timeline.CallbackSending(&c.WebhookDelivery, ""))
	}
	return u
}

// renderBlank says that the endpoint is gone, and nothing else.
func (p *EndpointPage) renderBlank(err error, _ int) []string {
	if err == nil && p.book.find(p.uuid) == nil {
		return []string{"", p.Env.Look.Theme.PaintText(" This endpoint was deleted.")}
	}
	return nil
}

// describe returns all details of a callback.
func (p *EndpointPage) describe(c *callback) page.RowAbout {
	about := page.RowAbout{Title: format.Word(c.Event).Label + "  " + string(c.Event)}
	if c.gap != nil {
		about.Text, about.Facts = c.gap.Describe(p.Env.Clock.Now()), gapFacts(c.gap)
		return about
	}
	d, mission, created := &c.WebhookDelivery, c.MissionCode, ""
	if !c.CreatedAt.IsZero() {
		created = c.CreatedAt.In(p.Env.Clock.Now().Location()).Format("2006-01-02 15:04:05 -07:00")
	}
	if m := p.book.missionOf(c.MissionUID); m != nil {
		mission += "  " + m.MissionName
	}
	history := p.history(c)
	about.Facts = slices.Concat(resultFacts(c), attemptFacts(history, p.Env.Clock.Now().Location()), widget.Texts(
		"Mission", mission, "Order", c.OrderCode, "Created", created,
	), []widget.Fact{p.receiptFact(d), widget.Text("ID", c.UUID)}, evidenceFacts(history), widget.Facts(columns.UnknownMembers(c.Extra)))
	return about
}

// history returns what the operations API has of a callback, nothing where that is not
// known.
func (p *EndpointPage) history(c *callback) *ops.CallbackHistory {
	if p.Env.Profile.Cache.Operations != nil {
		if h, _ := p.Env.Profile.Cache.Operations.Histories.Get(c.UUID); h != nil {
			return h
		}
	}
	return &ops.CallbackHistory{}
}

// outcomeFact returns how a callback or one attempt ended.
func outcomeFact(label string, d *api.WebhookDelivery) widget.Fact {
	text, glyph, role := timeline.DeliveryOutcome(d)
	return widget.Toned(label, glyph+" "+text, role)
}

// resultFacts returns the result of a callback and advice on failures.
func resultFacts(c *callback) []widget.Fact {
	facts := []widget.Fact{outcomeFact("Result", &c.WebhookDelivery)}
	if !c.hasFailed() {
		return facts
	}
	if format.ValueOf(c.Error) != "" {
		facts = append(facts, widget.Text("Error", *c.Error))
	}
	if advice := adviseOn(&c.WebhookDelivery); advice != "" {
		facts = append(facts, widget.Fact{Value: advice, Role: theme.Muted})
	}
	return facts
}

// adviseOn returns what an answer commonly means, and what to check.
func adviseOn(d *api.WebhookDelivery) string {
	switch code := format.ValueOf(d.ResponseCode); {
	case code >= 200 && code < 300:
		return "The receiver accepted it, but the service counts it as failed. Give its support the ID below."
	case code >= 300 && code < 400:
		return "Redirects are not followed. Register the final URL."
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return "Receiver rejected it: wrong secret, or a login in front of it. Press V to check the signature."
	case code == http.StatusNotFound || code == http.StatusGone || code == http.StatusMethodNotAllowed:
		return "Nothing accepts callbacks at this URL. Check its path, and that the receiver accepts POST."
	case code == http.StatusTooManyRequests:
		return "The receiver is overloaded."
	case code >= 500:
		return "The receiver failed. Check its log."
	case code >= 400:
		return "The receiver rejected the request. Check its log."
	}
	return ""
}

// attemptFacts returns each attempt that the service lists, and when the next one is due.
func attemptFacts(h *ops.CallbackHistory, zone *time.Location) (facts []widget.Fact) {
	at := func(t api.Time) string { return t.In(zone).Format("2 Jan 2006 15:04:05") }
	var resent time.Time
	for i := range h.Attempts {
		a := &h.Attempts[i]
		if !a.ResentAt.IsZero() && !a.ResentAt.Equal(resent) {
			resent = a.ResentAt.Time
			facts = append(facts, widget.Text("Resent", "by "+a.ResentBy+", "+at(a.ResentAt)))
		}
		f := outcomeFact(fmt.Sprint("Attempt ", a.Number), &api.WebhookDelivery{
			Success: a.Error == nil, ResponseCode: &a.ResponseCode, Error: a.Error,
		})
		f.Value += fmt.Sprintf(", %s, %d ms", at(a.SentAt), a.DurationMillis)
		facts = append(facts, f)
	}
	if !h.NextAttemptAt.IsZero() {
		facts = append(facts, widget.Toned("Next", at(h.NextAttemptAt), theme.Pending))
	}
	return facts
}

// evidenceFacts returns the last request's headers and the beginning of the answer.
func evidenceFacts(h *ops.CallbackHistory) (facts []widget.Fact) {
	if len(h.Attempts) == 0 {
		return nil
	}
	last := &h.Attempts[len(h.Attempts)-1]
	for _, name := range slices.Sorted(maps.Keys(last.Headers)) {
		facts = append(
			facts,
			widget.Toned("Header", name+": "+last.Headers[name], theme.Muted),
		)
	}
	if answer := strings.TrimSpace(last.Answer); answer != "" {
		facts = append(facts, widget.Text("Answer", answer))
	}
	return append(facts, widget.Text("Body", last.Body))
}

// receiptFact returns whether this app received the callback.
func (p *EndpointPage) receiptFact(d *api.WebhookDelivery) widget.Fact {
	h, ok := p.Env.Profile.Feed.EventLog().EventByID(d.UUID)
	if !ok {
		return widget.Toned("Live events", "not received by this app", theme.Muted)
	}
	text := "✓ received and verified by this app, " + format.Moment(h.At, p.Env.Clock.Now())
	if h.Repeats > 0 {
		text += ", " + format.Count(h.Repeats, "duplicate") + " ignored"
	}
	return widget.Toned("Live events", text, theme.Good)
}

// gapFacts returns the evidence for a missing callback.
func gapFacts(g *timeline.MissingCallback) []widget.Fact {
	evidence := widget.Fact{Label: "Evidence", Value: "Certain: log rows name missions"}
	if g.Probable {
		evidence.Value, evidence.Role = "Probable: log rows name no missions", theme.Attention
	}
	return []widget.Fact{
		widget.Toned("Source", "✓ "+g.Source, theme.Good),
		widget.Toned("Log", "✗ not in the log", theme.Bad),
		widget.Toned("Live events", "not received by this app", theme.Muted),
		evidence,
		{
			Value: "The service did not send this event, or its log is incomplete. Contact the service's support.",
			Role:  theme.Muted,
		},
	}
}

// summarise returns a summary of a callback to send to someone else.
func (p *EndpointPage) summarise(c *callback) string {
	if c.gap != nil {
		return c.gap.Describe(p.Env.Clock.Now())
	}
	outcome, _, _ := timeline.DeliveryOutcome(&c.WebhookDelivery)
	of, at := strings.TrimSpace(c.OrderCode+" "+c.MissionCode), format.Moment(c.CreatedAt.Time, p.Env.Clock.Now())
	return format.Clean(fmt.Sprintf(
		"%s: the callback for %s created %s to %s: %s (ID %s).",
		of,
		c.Event,
		at,
		p.last.name(),
		outcome,
		c.UUID,
	))
}
