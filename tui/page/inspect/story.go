package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/exportdialog"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/page/requests"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/table"
)

const (
	wide     = listpage.Wide // columns from which there is room beside the list
	mostPoll = 10            // missions up to which a story is read again by itself
)

// Story is the page of what happened to an order or a mission.
type Story struct {
	*listpage.Page[timeline.Entry]
	subject timeline.Subject
	facts   *timeline.Facts // nil until it is read
	entries []timeline.Entry
	listed  listpage.State[timeline.Entry] // those of them that are
	wrong   []timeline.Verdict
	saver   *exportdialog.Saver
	asked   page.Question
	at      string        // id of the entry to begin with, until it is there
	all     bool          // requests that only read something are listed, too
	failed  bool          // nothing but what went wrong is
	scroll  widget.Scroll // of the entry
	resend  *page.Resender
	again   bool // a long one is being read again
}

// NewStory returns the page. With at it begins with the entry of that id.
func NewStory(env *page.Env, s timeline.Subject, at string) *Story {
	base := page.NewBase(env)
	p := &Story{subject: s, at: at, saver: exportdialog.New(base), resend: page.NewResender(base)}
	source := listpage.Source[timeline.Entry]{State: func() listpage.State[timeline.Entry] { return p.listed }}
	p.Page = listpage.NewPage(base, source, listpage.Options[timeline.Entry]{
		Name: "story", Example: "source:callback or about:MSN-300538", One: "entry", Many: "timeline entries", Scope: action.Story,
		Columns: timeline.Columns(env.Now, s),
		ID:      func(e *timeline.Entry) string { return e.ID },
		Look: func(e *timeline.Entry) (table.Cell, bool) {
			if e.Failed() {
				return table.Cell{Text: "!", Role: theme.Bad}, false
			}
			return table.Cell{}, e.Ahead(env.Now()) || e.Role == theme.Muted
		},
		Stamp:       func(e *timeline.Entry) string { return e.What },
		SplitDetail: p.entryView, Head: p.head, Foot: p.foot, Blank: p.blank,
		Open: func(*timeline.Entry) tea.Cmd { return p.Do(action.Open) },
	})
	p.Detail.Share(62)
	p.Detail.Least(60, 40)
	return p
}

// Title is the page's name.
func (p *Story) Title() string {
	if p.subject.Mission != "" {
		return "Timeline of " + cmp.Or(p.code(), short(p.subject.Mission))
	}
	return "Timeline of " + cmp.Or(p.code(), p.subject.Order)
}

// code is what the story is of, "" where that is not read yet.
func (p *Story) code() string {
	if p.facts == nil {
		return ""
	}
	return p.facts.Code()
}

// short is an id as it is shown.
func short(id string) string { return id[:min(8, len(id))] }

// Corner counts the entries and tells their age.
func (p *Story) Corner() string {
	if p.facts == nil {
		return "reading…"
	}
	return fmt.Sprintf("%s · read %s", format.Count(len(p.entries), "entry", "entries"), format.Ago(p.facts.State.ReadAt, p.Now()))
}

type (
	storyAnswer = page.Answer[*timeline.Facts]
)

// Needs are all that the story is made of. One that is long is read once.
func (p *Story) Needs() []cache.Need {
	if p.facts != nil && len(p.facts.Missions) > mostPoll && !p.again {
		return nil
	}
	return p.reader().Needs(p.subject)
}

// Start puts together what is known of the story.
func (p *Story) Start() tea.Cmd { return p.compose() }

// refresh has the story read again.
func (p *Story) refresh() tea.Cmd {
	p.again = true
	p.Cache.Reread(p.Needs()...)
	return nil
}

func (p *Story) reader() *timeline.Reader {
	return &timeline.Reader{Cache: p.Cache, Host: p.Host, Decisions: p.Decisions, Wire: p.RequestLog, Received: p.received}
}

// compose makes the story of what is known by now, in the background: the logs
// of this machine are files.
func (p *Story) compose() tea.Cmd {
	reader, subject := p.reader(), p.subject
	return page.Ask(p.Base, &p.asked, func(context.Context) (*timeline.Facts, error) { return reader.Read(subject), nil })
}

// received are the events that were received here.
func (p *Story) received() ([]timeline.Received, error) {
	if p.Feed == nil {
		return nil, nil
	}
	log := p.Feed.Log()
	err := log.Load()
	var all []timeline.Received
	for _, h := range log.All() {
		all = append(all, timeline.Received{Event: h.Event, At: h.At})
	}
	return all, err
}

// Update takes answers.
func (p *Story) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case storyAnswer:
		if msg.Take() && msg.Err == nil && !msg.Value.State.Unread() {
			p.again = p.again && msg.Value.State.Loading
			p.take(msg.Value)
		}
		return nil
	case page.ReadMsg:
		if p.Shown() {
			return p.compose()
		}
		return nil
	case page.SentMsg:
		p.again = true
	}
	if cmd, taken := p.saver.Update(msg); taken {
		return cmd
	}
	if cmd, taken := p.resend.Update(msg); taken {
		return cmd
	}
	return p.Page.Update(msg)
}

func (p *Story) take(f *timeline.Facts) {
	p.facts = f
	p.entries = timeline.Masked(timeline.Build(p.facts, p.Now()), p.Client.Mask)
	p.wrong = timeline.Verdicts(p.facts, p.entries)
	p.fill()
	if p.at != "" && p.List.Grid.Select(p.at) {
		p.at = ""
	}
}

// fill lists what is to be listed.
func (p *Story) fill() {
	rows := slices.DeleteFunc(listpage.Pointers(p.entries), func(e *timeline.Entry) bool {
		return e.Routine && !p.all || p.failed && !e.Failed()
	})
	p.listed = listpage.State[timeline.Entry]{Rows: rows, Version: p.listed.Version + 1, At: p.Now()}
	p.Sync()
}

// Disabled says what cannot be done.
func (p *Story) Disabled(id action.ID) string {
	switch {
	case p.facts == nil && (id == action.Open || id == action.Export || id == action.ShowOrder):
		return "the timeline is still loading"
	case id == action.ShowOrder && p.facts.Order == nil:
		return "the order could not be read"
	case id == action.ResendCallback && p.facts == nil:
		return "the timeline is still loading"
	case id == action.ResendCallback:
		selected, failures := p.callbacks()
		return p.resend.Disabled(selected, len(failures))
	case id == action.Export && len(p.listed.Rows) == 0:
		return "no entries"
	case id == action.Export:
		return ""
	}
	return p.Page.Disabled(id)
}

// Do performs an action.
func (p *Story) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		if p.Width < wide && !p.InPlace {
			p.InPlace = true
			p.scroll.Home()
			return nil
		}
		return p.open()
	case action.ShowOrder:
		return p.OpenOrder(p.facts.Order)
	case action.OnlyFailures:
		p.failed = !p.failed
		p.fill()
	case action.Routine:
		p.all = !p.all
		p.fill()
	case action.ScrollDown:
		p.scroll.Move(p.scroll.Half())
	case action.ScrollUp:
		p.scroll.Move(-p.scroll.Half())
	case action.Refresh:
		return p.refresh()
	case action.ResendCallback:
		selected, failures := p.callbacks()
		p.resend.Ask(selected, failures, cmp.Or(p.code(), p.subject.Order))
	case action.Export:
		p.askReport()
	default:
		return p.moving(func() tea.Cmd { return p.Page.Do(id) })
	}
	return nil
}

// callbacks are the selected callback or notice, nil for another entry, and all of
// the story that failed.
func (p *Story) callbacks() (selected *timeline.Sending, failures []timeline.Sending) {
	if e := p.Current(); e != nil {
		selected = p.facts.Sending(e.ID)
	}
	return selected, p.facts.Failures()
}

// open opens what the selected entry is known from.
func (p *Story) open() tea.Cmd {
	e := p.Current()
	switch {
	case e.Exchange != nil:
		return p.Open(requests.NewAt(p.Env, e.Exchange.Number))
	case (e.Source == timeline.FromQuote || e.Source == timeline.FromDecision) && p.facts.Record != nil:
		return p.Open(quotes.NewCompare(p.Env, cmp.Or(p.facts.Record.ID, p.subject.Order), nil))
	case e.Endpoint != "":
		return p.OpenEndpoint(e.Endpoint)
	case e.Mission != "" && p.facts.Order != nil:
		for i := range p.facts.Missions {
			if m := &p.facts.Missions[i]; m.UUID == e.Mission {
				return p.OpenMission(cache.MissionOf(&m.Mission, p.facts.Order))
			}
		}
	}
	if p.facts.Order != nil {
		return p.OpenOrder(p.facts.Order)
	}
	return page.Toast(theme.Attention, "The order could not be read")
}

// askReport asks for a file and writes what is listed.
func (p *Story) askReport() {
	r := p.facts.Report(p.Title(), p.Account, p.Host, p.Now(), p.Client.Mask)
	r.Wrong = p.wrong
	for _, row := range p.List.Grid.Rows() {
		r.Entries = append(r.Entries, *p.listed.Rows[row])
	}
	r.Left = len(p.entries) - len(r.Entries)
	r.Filter = p.List.Grid.Query()
	p.saver.Ask(reportJob("Save report", format.Count(len(r.Entries), "entry", "entries"), r), "story-"+fileName(cmp.Or(p.code(), p.subject.Order))+"-"+p.Now().Format(time.DateOnly)+".md")
}

// fileName is what of a name from outside may stand in a file's.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return -1
	}, s)
}

// Mouse selects a row and opens it with a second click; the wheel moves, or
// scrolls the entry.
func (p *Story) Mouse(m page.Mouse) tea.Cmd {
	if side, _, _ := p.Detail.At(m, p.Width); m.Wheel != 0 && (side != 0 || p.CoversList()) {
		p.scroll.Move(m.Wheel)
		return nil
	}
	return p.moving(func() tea.Cmd { return p.Page.Mouse(m) })
}

// moving shows an entry from its beginning where another one is selected.
func (p *Story) moving(move func() tea.Cmd) tea.Cmd {
	before := p.List.Grid.Cursor()
	cmd := move()
	if p.List.Grid.Cursor() != before {
		p.scroll.Home()
	}
	return cmd
}

// SubjectOf is the subject of an order's story.
func SubjectOf(o *api.Order) timeline.Subject {
	return timeline.Subject{Order: cmp.Or(o.OrderCode, o.UUID)}
}
