package webhooks

import (
	"context"
	"fmt"
	"strings"

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
	page.Base
	book    *book
	feed    *webhooks.Feed
	rows    []webhooks.FeedRow
	version int // of the log that the rows are of
	list    *listpage.List
	beside  *listpage.SplitDetail
	asked   page.Question
	tested  page.Question
	started bool // it was begun once: what its user has ended does not begin again
}

func newFeed(env *page.Env, b *book) *Feed {
	p := &Feed{Base: page.NewBase(env), book: b, feed: env.Feed, version: -1}
	p.list = listpage.New(p.Base, "events", "event:data or ORD-100230", columns.Specs(p.columns())...)
	p.list.Empty = "No event has all of that; "
	p.beside = listpage.NewSplitDetail(p.list, p.tableView, func(w, _ int) ([]string, bool) { return p.detail(w), false })
	return p
}

// Title is the page's name.
func (p *Feed) Title() string { return "Live feed" }

// Corner counts the events.
func (p *Feed) Corner() string {
	text := format.Count(len(p.rows), "event", "events")
	if s := p.feed.State(); s.Refused > 0 {
		text += " · " + fmt.Sprint(s.Refused) + " refused"
	}
	return text
}

// Needs are the missions that events are about, and the endpoint that listens.
func (p *Feed) Needs() []cache.Need {
	return []cache.Need{p.Cache.Orders.Of(cache.Account), p.Cache.Endpoints.Of(cache.Account)}
}

// Start shows what was received, and in server mode begins to listen.
func (p *Feed) Start() tea.Cmd {
	cmds := []tea.Cmd{p.load()}
	if p.feed.ByItself() && !p.started && p.feed.State().Phase == webhooks.Off && p.off() == "" && p.Refuses(action.ChangesEndpoints) == "" {
		cmds = append(cmds, p.listen(webhooks.Place{}))
	}
	return tea.Batch(cmds...)
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
	switch msg := msg.(type) {
	case page.HeardMsg:
		return p.follow()
	case loadedAnswer:
		p.follow()
		if msg.Err != nil {
			return page.Toast(theme.Bad, msg.Err.Error())
		}
	case listenAnswer:
		msg.Take()
		return tea.Batch(p.follow(), p.book.refresh())
	case page.ReadMsg:
		cmd, _ := p.book.update(msg)
		return tea.Batch(cmd, p.follow())
	case testAnswer:
		return tested(p.Base, &p.tested, msg)
	default:
		cmd, _ := p.list.Update(msg)
		return cmd
	}
	return nil
}

// follow takes what was received since the last time. A mission that is not
// known is looked for.
func (p *Feed) follow() tea.Cmd {
	log := p.feed.Log()
	if p.version == log.Version() {
		return nil
	}
	p.version = log.Version()
	p.rows = webhooks.InFeedOrder(log.All())
	rows := p.rows
	p.list.Grid.Set(table.Source{
		Len:   len(rows),
		ID:    func(i int) string { return rows[i].Event.ID },
		Cell:  columns.Cells(p.columns(), func(i int) *webhooks.FeedRow { return &rows[i] }),
		Stamp: func(i int) string { return rows[i].Event.ID },
	})
	if len(rows) > 0 && p.book.find(rows[0].Event.Data.Mission.UUID) == nil && p.Shown() {
		p.Cache.Refresh(false)
	}
	return nil
}

// columns are the columns of an event that was received.
func (p *Feed) columns() []columns.Column[webhooks.FeedRow] {
	return []columns.Column[webhooks.FeedRow]{
		{Spec: columns.Spec{Title: "Came", Name: "received", Kind: columns.Date}, Value: func(r *webhooks.FeedRow) columns.Cell {
			return columns.Cell{Text: when(r.At, p.Now()), Time: r.At, Known: true}
		}},
		{Spec: columns.Spec{Title: "Event", Name: "event", Width: 17}, Value: func(r *webhooks.FeedRow) columns.Cell { return columns.Text(labels.Event(r.Event.Event).Label) }},
		{Spec: columns.Spec{Title: "Mission", Name: "missionCode", Width: 10}, Value: func(r *webhooks.FeedRow) columns.Cell { return columns.TextOr(r.Event.Data.Mission.MissionCode) }},
		{Spec: columns.Spec{Title: "Order", Name: "orderCode", Width: 10, Drop: 2}, Value: func(r *webhooks.FeedRow) columns.Cell { return columns.TextOr(r.Event.Data.Mission.OrderCode) }},
		{Spec: columns.Spec{Title: "Mission is", Name: "status", Kind: columns.Status, Width: 17, Drop: 1}, Value: func(r *webhooks.FeedRow) columns.Cell {
			return columns.MissionState(r.Event.Data.Mission.Status)
		}},
		{Spec: columns.Spec{Title: "Happened", Name: "timestamp", Kind: columns.Date, Drop: 3}, Value: func(r *webhooks.FeedRow) columns.Cell {
			at := r.Event.Timestamp.Time
			return columns.Cell{Text: when(at, p.Now()), Time: at, Known: !at.IsZero()}
		}},
		{Spec: columns.Spec{Title: "Note", Name: "note", Width: 12, Fill: 1, Drop: 4}, Value: remark},
		{Spec: columns.Spec{Title: "Id", Name: "id", Width: 10, Off: true, Drop: 5}, Value: func(r *webhooks.FeedRow) columns.Cell { return columns.Text(r.Event.ID) }},
	}
}

// remark says what was odd about how an event came.
func remark(r *webhooks.FeedRow) table.Cell {
	var notes []string
	if r.Late {
		notes = append(notes, "came late: the mission was further")
	}
	if r.Repeats > 0 {
		notes = append(notes, format.Count(r.Repeats, "repeat", "repeats")+" dropped")
	}
	return table.Cell{Text: strings.Join(notes, ", "), Role: theme.Muted}
}

// current is the selected event, nil for none.
func (p *Feed) current() *webhooks.FeedRow {
	if i, ok := p.list.Grid.Current(); ok && i < len(p.rows) {
		return &p.rows[i]
	}
	return nil
}

func (p *Feed) mission() *cache.Mission {
	if r := p.current(); r != nil {
		return p.book.find(r.Event.Data.Mission.UUID)
	}
	return nil
}

// off says why it cannot begin to listen or end it, "" where it can.
func (p *Feed) off() string {
	switch phase := p.feed.State().Phase; {
	case phase == webhooks.Starting:
		return "it is beginning to listen"
	case phase == webhooks.Stopping:
		return "it is ending already"
	}
	return ""
}

// Scopes are the page's and those of a list.
func (p *Feed) Scopes() []action.Scope { return p.list.Scopes(action.Feed) }

// Typing is while the filter is typed.
func (p *Feed) Typing() bool { return p.list.Typing() }

// Cursor stands in the filter while that is typed.
func (p *Feed) Cursor() *tea.Cursor { return p.list.Cursor() }

// Back clears the filter first.
func (p *Feed) Back() bool { return p.list.Clear() }

// Disabled says what cannot be done.
func (p *Feed) Disabled(id action.ID) string {
	switch id {
	case action.Open, action.ShowOrder, action.ShowStory:
		switch {
		case p.current() == nil:
			return "there is no event"
		case p.mission() == nil:
			return "its mission is not among those that were read"
		}
	case action.ListenFeed:
		return p.off()
	}
	return p.list.Disabled(id)
}

// Do performs an action.
func (p *Feed) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return p.OpenMission(p.mission())
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
	case action.Refresh:
		p.Cache.Refresh(true)
		return p.load()
	default:
		cmd, _ := p.list.Do(id)
		return cmd
	}
	return nil
}

// Mouse selects an event, opens its mission with a second click, and moves the
// border.
func (p *Feed) Mouse(m page.Mouse) tea.Cmd {
	above := len(p.stand(p.Width))
	if m.Wheel == 0 {
		if m.Y -= above; m.Y < 0 {
			return nil
		}
	}
	if !p.beside.Mouse(m, p.Width) && p.list.Mouse(m) && m.Double && p.mission() != nil {
		return p.Do(action.Open)
	}
	return nil
}

// Drag moves the border.
func (p *Feed) Drag(m page.Mouse, over bool) tea.Cmd {
	return p.beside.Drag(m, over)
}

// Jumps are the rows.
func (p *Feed) Jumps() []page.Jump {
	if len(p.rows) == 0 {
		return nil
	}
	return page.Rows(&p.list.Grid.Table, 0, len(p.stand(p.Width)), p.Mouse)
}

// View draws how the feed stands, and the events below.
func (p *Feed) View(w, h int) string {
	top := p.stand(w)
	top = top[:min(len(top), max(1, h/3))]
	rest := h - len(top)
	var body string
	switch {
	case len(p.rows) == 0:
		body = layout.Box(p.empty(), w, rest)
	case w >= listpage.Wide:
		body = p.beside.View(p.Theme, w, rest)
	case rest < 12:
		body = p.tableView(w, rest)
	default:
		below := rest * 2 / 5
		title := p.Theme.Rule.Render("─ ") + layout.Text(p.Theme.Title, "Event")
		body = p.tableView(w, rest-below) + "\n" + layout.Box(append([]string{title}, p.detail(w)...), w, below)
	}
	return layout.Box(top, w, len(top)) + "\n" + body
}

func (p *Feed) tableView(w, h int) string { return p.beside.Rows(w, h, p.Width) }

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
		say(theme.Pending, "◌ beginning to listen…")
	case webhooks.Stopping:
		say(theme.Pending, "◌ ending…")
	case webhooks.Listening:
		text := "● listening, " + strings.TrimSuffix(strings.TrimPrefix(s.URL, "https://"), "/")
		if !strings.Contains(s.URL, s.Addr) {
			text += " through " + s.Addr
		}
		if s.Own {
			text += " · registered until it ends"
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
		say(theme.Attention, fmt.Sprintf("! %s refused, the last one: %v", format.Count(s.Refused, "callback", "callbacks"), s.Refusal))
	}
	for i := range s.Left {
		if n := len(s.Left[i].Missed); n > 0 {
			say(theme.Attention, fmt.Sprintf("! a run that ended badly has missed %s, the last one: %s", format.Count(n, "event", "events"), missed(&s.Left[i].Missed[n-1])))
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
		return []string{layout.Text(th.Style(theme.Text), " Nothing has come yet."), layout.Text(muted, " Every event of your missions appears here as it happens.")}
	case p.feed.State().Phase != webhooks.Off:
		return nil
	}
	lines := []string{layout.Text(th.Style(theme.Text), " Events appear here as they happen, each verified, once, and in its place."), ""}
	if p.feed.ByItself() {
		return append(lines, " "+layout.Text(th.Key, "L")+layout.Text(muted, " listens; the service is told to trust its certificate"))
	}
	return append(lines, " "+layout.Text(th.Key, "L")+layout.Text(muted, " listens behind a tunnel that the service can reach"))
}

// detail is the selected event in full.
func (p *Feed) detail(w int) []string {
	r := p.current()
	if r == nil {
		return nil
	}
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
		factIn(th, st.Role, "It is", st.Glyph+" "+st.Word, w),
		fact(th, "Happened", e.Timestamp.In(zone).Format("Mon 2 Jan 15:04:05.000"), w),
		fact(th, "Came", r.At.In(zone).Format("Mon 2 Jan 15:04:05.000"), w),
	}
	if text := remark(r).Text; text != "" {
		lines = append(lines, factIn(th, theme.Attention, "Note", text, w))
	}
	lines = append(lines, fact(th, "Id", e.ID, w), "")
	text, err := json.Marshal(e, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return lines
	}
	for line := range strings.Lines(string(text)) {
		lines = append(lines, layout.Cut(" "+layout.Text(th.Style(theme.Muted), strings.TrimRight(line, "\n")), w))
	}
	return lines
}
