package webhooks

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// LiveFeed is the page of events as they are received.
type LiveFeed struct {
	*listpage.Page[webhooks.FeedRow]
	book    *endpointBook
	feed    *webhooks.EventFeed
	rows    []*webhooks.FeedRow
	version int // of the log from which the rows were taken
	asked   page.Question
	tested  page.Question
	started bool // listening was started once; do not restart after a stop
}

func newLiveFeed(env *page.Env, b *endpointBook) *LiveFeed {
	base := page.NewBase(env)
	p := &LiveFeed{book: b, feed: env.Feed, version: -1}
	p.Page = listpage.NewPage(
		base,
		listpage.Source[webhooks.FeedRow]{State: p.feedState, Refresh: p.refreshLog},
		listpage.Options[webhooks.FeedRow]{
			Title:       "Live events",
			Name:        "events",
			Example:     "event:data or ORD-100230",
			One:         "event",
			Many:        "events",
			Scope:       action.LiveEvents,
			Columns:     receivedColumns(base.Now),
			ID:          func(r *webhooks.FeedRow) string { return r.Event.ID },
			Stamp:       func(r *webhooks.FeedRow) string { return r.Event.ID },
			SplitDetail: func(r *webhooks.FeedRow, w, h int) string { return layout.FitBox(p.renderDetail(r, w), w, h) },
			Below:       func(*webhooks.FeedRow) string { return base.Theme.PaintTitle("Event") },
			Open: func(*webhooks.FeedRow) tea.Cmd {
				if m := p.eventMission(); m != nil {
					return env.OpenMission(m)
				}
				return nil
			},
			Head:  p.renderState,
			Blank: func(error, int) []string { return p.renderEmpty() },
		},
	)
	return p
}

// feedState returns the events received so far.
func (p *LiveFeed) feedState() listpage.State[webhooks.FeedRow] {
	if log := p.feed.EventLog(); p.version != log.Version() {
		p.version = log.Version()
		rows := webhooks.InFeedOrder(log.AllEvents())
		p.rows = listpage.Pointers(rows)
	}
	return listpage.State[webhooks.FeedRow]{Rows: p.rows, Version: p.version, At: p.book.Now()}
}

// CornerText returns the number of events.
func (p *LiveFeed) CornerText() string {
	text := format.Count(len(p.rows), "event", "events")
	if s := p.feed.CurrentState(); s.Refused > 0 {
		text += " · " + fmt.Sprint(s.Refused) + " rejected"
	}
	return text
}

// DataNeeds requests the missions of the events, and the endpoints.
func (p *LiveFeed) DataNeeds() []cache.Need {
	return []cache.Need{p.Cache.AllMissions(), p.Cache.Endpoints.NeedOf(cache.Account)}
}

// OnShow reads the log, and starts listening in server mode.
func (p *LiveFeed) OnShow() tea.Cmd {
	cmds := []tea.Cmd{p.loadLog()}
	if p.feed.ByItself() && !p.started && p.feed.CurrentState().Phase == webhooks.Off && p.toggleRefusal() == "" &&
		p.RefusalOf(action.ChangesEndpoints) == "" {
		cmds = append(cmds, p.startListening(webhooks.ListenPlace{}))
	}
	return tea.Batch(cmds...)
}

func (p *LiveFeed) refreshLog() tea.Cmd {
	p.Cache.RefreshOrders(true)
	return p.loadLog()
}

type loadedAnswer = page.QuestionAnswer[logLoaded]

// logLoaded reports that the log was read.
type logLoaded struct{}

func (p *LiveFeed) loadLog() tea.Cmd {
	log := p.feed.EventLog()
	return page.AskInBackground(
		p.Base,
		new(page.Question),
		func(context.Context) (logLoaded, error) { return logLoaded{}, log.LoadNew() },
	)
}

type listenAnswer = page.QuestionAnswer[bool]

// startListening starts to listen; leaving the page does not stop it.
func (p *LiveFeed) startListening(at webhooks.ListenPlace) tea.Cmd {
	p.started = true
	f := p.feed
	return page.AskInBackground(p.Base, &p.asked, func(ctx context.Context) (bool, error) {
		return true, f.StartListening(context.WithoutCancel(ctx), at)
	})
}

func (p *LiveFeed) stopListening() tea.Cmd {
	f := p.feed
	return page.AskInBackground(
		p.Base,
		&p.asked,
		func(context.Context) (bool, error) { return false, f.StopListening() },
	)
}

// Update handles received events, results of start and stop, and test events.
func (p *LiveFeed) Update(msg tea.Msg) tea.Cmd {
	before := p.version
	cmd := p.Page.Update(msg)
	if before != p.version {
		p.findMission()
	}
	switch msg := msg.(type) {
	case loadedAnswer:
		if msg.Err != nil {
			return page.ShowToast(theme.Bad, msg.Err.Error())
		}
	case listenAnswer:
		msg.TakeAnswer()
		return p.book.refreshAll()
	case page.ReadMsg:
		read, _ := p.book.updateBook(msg)
		return tea.Batch(cmd, read)
	case testAnswer:
		return reportTested(p.Base, &p.tested, msg)
	}
	return cmd
}

// findMission loads the missions again if the newest event's mission is unknown.
func (p *LiveFeed) findMission() {
	if len(p.rows) > 0 && p.book.findMission(p.rows[0].Event.Data.Mission.UUID) == nil && p.IsShown() {
		p.Cache.RefreshOrders(false)
	}
}

// receivedColumns returns the columns of a received event.
func receivedColumns(now func() time.Time) []columns.Column[webhooks.FeedRow] {
	return []columns.Column[webhooks.FeedRow]{
		{
			ColumnSpec: columns.ColumnSpec{Title: "Received", Name: "received", Kind: columns.Date},
			Value: func(r *webhooks.FeedRow) columns.Cell {
				return columns.Cell{Text: formatTime(r.At, now()), Time: r.At, Known: true}
			},
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Event", Name: "event", Width: 17},
			Value:      func(r *webhooks.FeedRow) columns.Cell { return columns.TextCell(labels.EventWord(r.Event.Event).Label) },
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Mission", Name: "missionCode", Width: 10},
			Value:      func(r *webhooks.FeedRow) columns.Cell { return columns.TextOr(r.Event.Data.Mission.MissionCode) },
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Order", Name: "orderCode", Width: 10, Drop: 2},
			Value:      func(r *webhooks.FeedRow) columns.Cell { return columns.TextOr(r.Event.Data.Mission.OrderCode) },
		},
		{
			ColumnSpec: columns.ColumnSpec{
				Title: "Mission status",
				Name:  "status",
				Kind:  columns.Status,
				Width: 17,
				Drop:  1,
			},
			Value: func(r *webhooks.FeedRow) columns.Cell {
				return columns.MissionState(r.Event.Data.Mission.Status)
			},
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Sent", Name: "timestamp", Kind: columns.Date, Drop: 3},
			Value: func(r *webhooks.FeedRow) columns.Cell {
				at := r.Event.Timestamp.Time
				return columns.Cell{Text: formatTime(at, now()), Time: at, Known: !at.IsZero()}
			},
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Note", Name: "note", Width: 12, Fill: 1, Drop: 4},
			Value:      arrivalRemark,
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "ID", Name: "id", Width: 10, Off: true, Drop: 5},
			Value:      func(r *webhooks.FeedRow) columns.Cell { return columns.TextCell(r.Event.ID) },
		},
	}
}

// arrivalRemark returns what was unusual about an event's arrival.
func arrivalRemark(r *webhooks.FeedRow) table.Cell {
	var notes []string
	if r.Late {
		notes = append(notes, "late: the mission has progressed since")
	}
	if r.Repeats > 0 {
		notes = append(notes, format.Count(r.Repeats, "duplicate", "duplicates")+" ignored")
	}
	return table.Cell{Text: strings.Join(notes, ", "), Role: theme.Muted}
}

func (p *LiveFeed) eventMission() *cache.Mission {
	if r := p.Current(); r != nil {
		return p.book.findMission(r.Event.Data.Mission.UUID)
	}
	return nil
}

// toggleRefusal returns why listening cannot be started or stopped, "" if it can.
func (p *LiveFeed) toggleRefusal() string {
	switch p.feed.CurrentState().Phase {
	case webhooks.Starting:
		return "already starting"
	case webhooks.Stopping:
		return "already stopping"
	}
	return ""
}

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (p *LiveFeed) DisabledReason(id action.ID) string {
	switch id {
	case action.Open, action.ShowOrder, action.ShowTimeline:
		switch {
		case p.Current() == nil:
			return "no event"
		case p.eventMission() == nil:
			return "its mission is not loaded"
		}
	case action.ListenFeed:
		return p.toggleRefusal()
	}
	return p.Page.DisabledReason(id)
}

func (p *LiveFeed) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.ShowOrder:
		return p.OpenOrder(p.eventMission().Order)
	case action.ShowTimeline:
		m := p.eventMission()
		return p.OpenStory(timeline.StorySubject{Order: m.Order.OrderCode, Mission: m.UUID}, "")
	case action.ListenFeed:
		switch {
		case p.feed.CurrentState().Phase == webhooks.Listening:
			return p.stopListening()
		case p.feed.ByItself():
			return p.startListening(webhooks.ListenPlace{})
		}
		p.askPlace()
	case action.CheckSignature:
		return p.Open(newSignatureCheck(p.Env, p.book.endpointByID(p.feed.CurrentState().Endpoint)))
	case action.TestEvent:
		return askTest(p.Base, p.book.endpointByID(p.feed.CurrentState().Endpoint), &p.tested)
	default:
		return p.Page.HandleAction(id)
	}
	return nil
}

// renderState renders where the app listens, or why it does not.
func (p *LiveFeed) renderState(w int) []string {
	th, s := p.Theme, p.feed.CurrentState()
	var lines []string
	say := func(role theme.Role, text string) {
		for i, part := range layout.Wrap(layout.Clean(text), w-4) {
			if i > 0 {
				part = "  " + part
			}
			lines = append(lines, " "+th.PaintRole(role, part))
		}
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
		what, advice := labels.ExplainError(s.Err)
		say(theme.Bad, "! "+strings.TrimSpace(strings.TrimSuffix(what, ".")+". "+advice))
	}
	if s.Refusal != nil {
		say(
			theme.Attention,
			fmt.Sprintf(
				"! %s rejected, most recently: %v",
				format.Count(s.Refused, "callback", "callbacks"),
				s.Refusal,
			),
		)
	}
	for i := range s.Left {
		if n := len(s.Left[i].Missed); n > 0 {
			say(
				theme.Attention,
				fmt.Sprintf(
					"! an interrupted run did not receive %s, most recently: %s",
					format.Count(n, "event", "events"),
					missedName(&s.Left[i].Missed[n-1]),
				),
			)
		}
	}
	return append(lines, "")
}

// missedName returns the order and event of a callback that was not received.
func missedName(d *api.WebhookDelivery) string {
	return strings.TrimSpace(d.OrderCode + " " + labels.EventWord(d.Event).Label)
}

func (p *LiveFeed) renderEmpty() []string {
	th, muted := p.Theme, p.Theme.Style(theme.Muted)
	switch {
	case p.feed.CurrentState().Phase == webhooks.Listening:
		return []string{
			th.PaintText(" No events yet."),
			layout.CleanText(muted, " Events of your missions appear here as they happen."),
		}
	case p.feed.CurrentState().Phase != webhooks.Off:
		return nil
	}
	lines := []string{th.PaintText(" Received events appear here, verified and without duplicates."), ""}
	next := " start, behind a tunnel that the service can reach"
	if p.feed.ByItself() {
		next = " start; the service then trusts this app's certificate"
	}
	return append(lines, " "+layout.CleanText(th.Key, "L")+layout.CleanText(muted, next))
}

// renderDetail renders all details of an event.
func (p *LiveFeed) renderDetail(r *webhooks.FeedRow, w int) []string {
	th, e := p.Theme, &r.Event
	zone := p.Now().Location()
	mission := e.Data.Mission.MissionCode
	if m := p.eventMission(); m != nil {
		mission += "  " + m.MissionName
	}
	st := labels.MissionStatus(e.Data.Mission.Status)
	lines := []string{
		layout.CutLine(" "+th.PaintTitle(labels.EventWord(e.Event).Label)+th.PaintMuted("  "+string(e.Event)), w),
		factIn(th, theme.Good, "Signature", "✓ verified", w),
		renderFact(th, "Mission", mission, w), renderFact(th, "Order", e.Data.Mission.OrderCode, w),
		factIn(th, st.Role, "Status", st.Glyph+" "+st.Label, w),
		renderFact(th, "Sent", e.Timestamp.In(zone).Format("Mon 2 Jan 15:04:05.000"), w),
		renderFact(th, "Received", r.At.In(zone).Format("Mon 2 Jan 15:04:05.000"), w),
	}
	if text := arrivalRemark(r).Text; text != "" {
		lines = append(lines, factIn(th, theme.Attention, "Note", text, w))
	}
	lines = append(lines, renderFact(th, "ID", e.ID, w), "")
	text, err := json.Marshal(e, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return lines
	}
	for line := range strings.Lines(string(text)) {
		lines = append(lines, layout.CutLine(" "+th.PaintMuted(strings.TrimRight(line, "\n")), w))
	}
	return lines
}
