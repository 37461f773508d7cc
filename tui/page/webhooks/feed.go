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

// Feed is the events as they are received here.
type Feed struct {
	*listpage.Page[webhooks.FeedRow]
	book    *book
	feed    *webhooks.Feed
	rows    []*webhooks.FeedRow
	version int // of the log that the rows are of
	asked   page.Question
	tested  page.Question
	started bool // it was begun once: what its user has ended does not begin again
}

func newFeed(env *page.Env, b *book) *Feed {
	base := page.NewBase(env)
	p := &Feed{book: b, feed: env.Feed, version: -1}
	p.Page = listpage.NewPage(base, listpage.Source[webhooks.FeedRow]{State: p.state, Refresh: p.refresh}, listpage.Options[webhooks.FeedRow]{
		Title: "Live events", Name: "events", Example: "event:data or ORD-100230", One: "event", Many: "events", Scope: action.Feed,
		Columns:     receivedColumns(base.Now),
		ID:          func(r *webhooks.FeedRow) string { return r.Event.ID },
		Stamp:       func(r *webhooks.FeedRow) string { return r.Event.ID },
		SplitDetail: func(r *webhooks.FeedRow, w, h int) string { return layout.Box(p.detail(r, w), w, h) },
		Below:       func(*webhooks.FeedRow) string { return layout.Text(base.Theme.Title, "Event") },
		Open: func(*webhooks.FeedRow) tea.Cmd {
			if m := p.mission(); m != nil {
				return env.OpenMission(m)
			}
			return nil
		},
		Head: p.stand, Blank: func(error, int) []string { return p.empty() },
	})
	return p
}

// state is what was received by now.
func (p *Feed) state() listpage.State[webhooks.FeedRow] {
	if log := p.feed.Log(); p.version != log.Version() {
		p.version = log.Version()
		rows := webhooks.InFeedOrder(log.All())
		p.rows = listpage.Pointers(rows)
	}
	return listpage.State[webhooks.FeedRow]{Rows: p.rows, Version: p.version, At: p.book.Now()}
}

// Corner counts the events.
func (p *Feed) Corner() string {
	text := format.Count(len(p.rows), "event", "events")
	if s := p.feed.State(); s.Refused > 0 {
		text += " · " + fmt.Sprint(s.Refused) + " rejected"
	}
	return text
}

// Needs are the missions that events are about, and the endpoint that listens.
func (p *Feed) Needs() []cache.Need {
	return []cache.Need{p.Cache.AllMissions(), p.Cache.Endpoints.Of(cache.Account)}
}

// Start shows what was received, and in server mode begins to listen.
func (p *Feed) Start() tea.Cmd {
	cmds := []tea.Cmd{p.load()}
	if p.feed.ByItself() && !p.started && p.feed.State().Phase == webhooks.Off && p.off() == "" && p.Refuses(action.ChangesEndpoints) == "" {
		cmds = append(cmds, p.listen(webhooks.Place{}))
	}
	return tea.Batch(cmds...)
}

func (p *Feed) refresh() tea.Cmd {
	p.Cache.Refresh(true)
	return p.load()
}

type loadedAnswer = page.Answer[loaded]

// loaded says that the log was read.
type loaded struct{}

func (p *Feed) load() tea.Cmd {
	log := p.feed.Log()
	return page.Ask(p.Base, new(page.Question), func(context.Context) (loaded, error) { return loaded{}, log.Load() })
}

type listenAnswer = page.Answer[bool]

// listen begins to listen. That goes on when this page is left.
func (p *Feed) listen(at webhooks.Place) tea.Cmd {
	p.started = true
	f := p.feed
	return page.Ask(p.Base, &p.asked, func(ctx context.Context) (bool, error) {
		return true, f.Listen(context.WithoutCancel(ctx), at)
	})
}

func (p *Feed) stop() tea.Cmd {
	f := p.feed
	return page.Ask(p.Base, &p.asked, func(context.Context) (bool, error) { return false, f.Stop() })
}

// Update takes answers, and word of what was received.
func (p *Feed) Update(msg tea.Msg) tea.Cmd {
	before := p.version
	cmd := p.Page.Update(msg)
	if before != p.version {
		p.findMission()
	}
	switch msg := msg.(type) {
	case loadedAnswer:
		if msg.Err != nil {
			return page.Toast(theme.Bad, msg.Err.Error())
		}
	case listenAnswer:
		msg.Take()
		return p.book.refresh()
	case page.ReadMsg:
		read, _ := p.book.update(msg)
		return tea.Batch(cmd, read)
	case testAnswer:
		return tested(p.Base, &p.tested, msg)
	}
	return cmd
}

// findMission looks for the mission of the newest event where it is not known.
func (p *Feed) findMission() {
	if len(p.rows) > 0 && p.book.find(p.rows[0].Event.Data.Mission.UUID) == nil && p.Shown() {
		p.Cache.Refresh(false)
	}
}

// receivedColumns are the columns of an event that was received.
func receivedColumns(now func() time.Time) []columns.Column[webhooks.FeedRow] {
	return []columns.Column[webhooks.FeedRow]{
		{Spec: columns.Spec{Title: "Received", Name: "received", Kind: columns.Date}, Value: func(r *webhooks.FeedRow) columns.Cell {
			return columns.Cell{Text: when(r.At, now()), Time: r.At, Known: true}
		}},
		{Spec: columns.Spec{Title: "Event", Name: "event", Width: 17}, Value: func(r *webhooks.FeedRow) columns.Cell { return columns.Text(labels.Event(r.Event.Event).Label) }},
		{Spec: columns.Spec{Title: "Mission", Name: "missionCode", Width: 10}, Value: func(r *webhooks.FeedRow) columns.Cell { return columns.TextOr(r.Event.Data.Mission.MissionCode) }},
		{Spec: columns.Spec{Title: "Order", Name: "orderCode", Width: 10, Drop: 2}, Value: func(r *webhooks.FeedRow) columns.Cell { return columns.TextOr(r.Event.Data.Mission.OrderCode) }},
		{Spec: columns.Spec{Title: "Mission status", Name: "status", Kind: columns.Status, Width: 17, Drop: 1}, Value: func(r *webhooks.FeedRow) columns.Cell {
			return columns.MissionState(r.Event.Data.Mission.Status)
		}},
		{Spec: columns.Spec{Title: "Sent", Name: "timestamp", Kind: columns.Date, Drop: 3}, Value: func(r *webhooks.FeedRow) columns.Cell {
			at := r.Event.Timestamp.Time
			return columns.Cell{Text: when(at, now()), Time: at, Known: !at.IsZero()}
		}},
		{Spec: columns.Spec{Title: "Note", Name: "note", Width: 12, Fill: 1, Drop: 4}, Value: remark},
		{Spec: columns.Spec{Title: "ID", Name: "id", Width: 10, Off: true, Drop: 5}, Value: func(r *webhooks.FeedRow) columns.Cell { return columns.Text(r.Event.ID) }},
	}
}

// remark says what was odd about how an event came.
func remark(r *webhooks.FeedRow) table.Cell {
	var notes []string
	if r.Late {
		notes = append(notes, "late: the mission has progressed since")
	}
	if r.Repeats > 0 {
		notes = append(notes, format.Count(r.Repeats, "duplicate", "duplicates")+" ignored")
	}
	return table.Cell{Text: strings.Join(notes, ", "), Role: theme.Muted}
}

func (p *Feed) mission() *cache.Mission {
	if r := p.Current(); r != nil {
		return p.book.find(r.Event.Data.Mission.UUID)
	}
	return nil
}

// off says why it cannot begin to listen or end it, "" where it can.
func (p *Feed) off() string {
	switch p.feed.State().Phase {
	case webhooks.Starting:
		return "already starting"
	case webhooks.Stopping:
		return "already stopping"
	}
	return ""
}

// Disabled says what cannot be done.
func (p *Feed) Disabled(id action.ID) string {
	switch id {
	case action.Open, action.ShowOrder, action.ShowStory:
		switch {
		case p.Current() == nil:
			return "no event"
		case p.mission() == nil:
			return "its mission is not loaded"
		}
	case action.ListenFeed:
		return p.off()
	}
	return p.Page.Disabled(id)
}

// Do performs an action.
func (p *Feed) Do(id action.ID) tea.Cmd {
	switch id {
	case action.ShowOrder:
		return p.OpenOrder(p.mission().Order)
	case action.ShowStory:
		m := p.mission()
		return p.OpenStory(timeline.Subject{Order: m.Order.OrderCode, Mission: m.UUID}, "")
	case action.ListenFeed:
		switch {
		case p.feed.State().Phase == webhooks.Listening:
			return p.stop()
		case p.feed.ByItself():
			return p.listen(webhooks.Place{})
		}
		p.askPlace()
	case action.Workbench:
		return p.Open(newBench(p.Env, p.book.endpoint(p.feed.State().Endpoint)))
	case action.TestEvent:
		return askTest(p.Base, p.book.endpoint(p.feed.State().Endpoint), &p.tested)
	default:
		return p.Page.Do(id)
	}
	return nil
}

// stand is how the feed stands: where it listens, or why it does not.
func (p *Feed) stand(w int) []string {
	th, s := p.Theme, p.feed.State()
	var lines []string
	say := func(role theme.Role, text string) {
		for i, part := range layout.Wrap(layout.Clean(text), w-4) {
			if i > 0 {
				part = "  " + part
			}
			lines = append(lines, " "+layout.Text(th.Style(role), part))
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
		what, advice := labels.Explain(s.Err)
		say(theme.Bad, "! "+strings.TrimSpace(strings.TrimSuffix(what, ".")+". "+advice))
	}
	if s.Refusal != nil {
		say(theme.Attention, fmt.Sprintf("! %s rejected, most recently: %v", format.Count(s.Refused, "callback", "callbacks"), s.Refusal))
	}
	for i := range s.Left {
		if n := len(s.Left[i].Missed); n > 0 {
			say(theme.Attention, fmt.Sprintf("! an interrupted run did not receive %s, most recently: %s", format.Count(n, "event", "events"), missed(&s.Left[i].Missed[n-1])))
		}
	}
	return append(lines, "")
}

// missed names a callback that nobody took.
func missed(d *api.WebhookDelivery) string {
	return strings.TrimSpace(d.OrderCode + " " + labels.Event(d.Event).Label)
}

func (p *Feed) empty() []string {
	th, muted := p.Theme, p.Theme.Style(theme.Muted)
	switch {
	case p.feed.State().Phase == webhooks.Listening:
		return []string{layout.Text(th.Style(theme.Text), " No events yet."), layout.Text(muted, " Events of your missions appear here as they happen.")}
	case p.feed.State().Phase != webhooks.Off:
		return nil
	}
	lines := []string{layout.Text(th.Style(theme.Text), " Received events appear here, verified and without duplicates."), ""}
	if p.feed.ByItself() {
		return append(lines, " "+layout.Text(th.Key, "L")+layout.Text(muted, " start; the service then trusts this app's certificate"))
	}
	return append(lines, " "+layout.Text(th.Key, "L")+layout.Text(muted, " start, behind a tunnel that the service can reach"))
}

// detail is an event in full.
func (p *Feed) detail(r *webhooks.FeedRow, w int) []string {
	th, e := p.Theme, &r.Event
	zone := p.Now().Location()
	mission := e.Data.Mission.MissionCode
	if m := p.mission(); m != nil {
		mission += "  " + m.MissionName
	}
	st := labels.MissionStatus(e.Data.Mission.Status)
	lines := []string{
		layout.Cut(" "+layout.Text(th.Title, labels.Event(e.Event).Label)+layout.Text(th.Style(theme.Muted), "  "+string(e.Event)), w),
		factIn(th, theme.Good, "Signature", "✓ verified", w),
		fact(th, "Mission", mission, w), fact(th, "Order", e.Data.Mission.OrderCode, w),
		factIn(th, st.Role, "Status", st.Glyph+" "+st.Label, w),
		fact(th, "Sent", e.Timestamp.In(zone).Format("Mon 2 Jan 15:04:05.000"), w),
		fact(th, "Received", r.At.In(zone).Format("Mon 2 Jan 15:04:05.000"), w),
	}
	if text := remark(r).Text; text != "" {
		lines = append(lines, factIn(th, theme.Attention, "Note", text, w))
	}
	lines = append(lines, fact(th, "ID", e.ID, w), "")
	text, err := json.Marshal(e, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return lines
	}
	for line := range strings.Lines(string(text)) {
		lines = append(lines, layout.Cut(" "+layout.Text(th.Style(theme.Muted), strings.TrimRight(line, "\n")), w))
	}
	return lines
}
