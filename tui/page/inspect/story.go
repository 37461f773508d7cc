package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

const (
	wide     = page.Wide // columns from which there is room beside the list
	mostPoll = 10        // missions up to which a story is read again by itself
)

// entry is a line of a timeline or of a report.
type entry = timeline.TimelineEntry

// TimelinePage is the page of what happened to an order or a mission.
type TimelinePage struct {
	*page.List[entry]
	subject timeline.StorySubject
	facts   *timeline.SubjectFacts // nil until it is read
	entries []entry
	listed  page.ListState[entry] // those of them that are
	wrong   []timeline.DeliveryVerdict
	asked   page.Question
	at      string        // id of the entry to begin with, until it is there
	all     bool          // requests that only read something are listed, too
	scroll  widget.Scroll // of the entry
	shown   string        // its id
	resend  page.Act[entry]
	again   bool // a long one is being read again
}

// NewStory returns the page. With at it begins with the entry of that id.
func NewStory(env *page.Env, s timeline.StorySubject, at string) *TimelinePage {
	base := page.NewBase(env)
	p := &TimelinePage{subject: s, at: at}
	p.resend = page.ResendAct(
		base,
		action.ResendCallback,
		"no failed callbacks",
		p.undelivered,
	)
	source := page.ListSource[entry]{
		State: func() page.ListState[entry] { return p.listed },
	}
	p.List = page.NewList(base, source, page.ListOptions[entry]{
		Name:    "story",
		Example: "source:callback or about:MSN-300538",
		One:     "entry",
		Many:    "timeline entries",
		Scope:   action.Timeline,
		Columns: timeline.EntryColumns(s),
		ID:      func(e *entry) string { return e.ID },
		Failed:  func(e *entry) bool { return e.Failed },
		Fine:    "No failures found.",
		Muted:   func(e *entry) bool { return e.Ahead || !e.Failed && e.Role == theme.Muted },
		Stamp:   func(e *entry) string { return e.What },
		Lines:   p.entryLines,
		Least:   [2]int{60, 40},
		Share:   62,
		Head:    p.renderHead,
		Foot:    p.renderFoot,
		Blank:   p.renderBlank,
		Empty:   [2]string{"No entries yet."},
		Open:    func(*entry) tea.Cmd { return p.HandleAction(action.Open) },
	})
	return p
}

// Title returns the page's name.
func (p *TimelinePage) Title() string {
	if p.subject.Mission != "" {
		return "Timeline of " + cmp.Or(p.subjectCode(), shortID(p.subject.Mission))
	}
	return "Timeline of " + cmp.Or(p.subjectCode(), p.subject.Order)
}

// subjectCode returns what the story is of, "" where that is not read yet.
func (p *TimelinePage) subjectCode() string {
	if p.facts == nil {
		return ""
	}
	return p.facts.SubjectCode()
}

// shortID returns an id as it is shown.
func shortID(id string) string { return id[:min(8, len(id))] }

// CornerText counts the entries and tells their age.
func (p *TimelinePage) CornerText() string {
	if p.facts == nil {
		return "reading…"
	}
	return fmt.Sprintf(
		"%s · refreshed %s",
		format.Count(len(p.Rows()), "entry", "entries"),
		format.Ago(p.facts.State.ReadAt, p.Now()),
	)
}

// DataNeeds returns all that the story is made of. One that is long is read once.
func (p *TimelinePage) DataNeeds() []cache.Need {
	if p.facts != nil && len(p.facts.Missions) > mostPoll && !p.again {
		return nil
	}
	return p.factsReader().DataNeeds(p.subject)
}

// OnShow puts together what is known of the story.
func (p *TimelinePage) OnShow() tea.Cmd { return p.composeStory() }

// refreshStory has the story read again.
func (p *TimelinePage) refreshStory() tea.Cmd {
	p.again = true
	p.Cache.RereadNeeds(p.DataNeeds()...)
	return nil
}

func (p *TimelinePage) factsReader() *timeline.Reader {
	return &timeline.Reader{
		Cache:     p.Cache,
		Units:     p.Units,
		Host:      p.Host,
		Decisions: p.Decisions,
		Wire:      p.RequestLog,
		Received:  p.Feed.EventLog(),
	}
}

// composeStory makes the story of what is known by now, in the background: the logs
// of this machine are files.
func (p *TimelinePage) composeStory() tea.Cmd {
	reader, subject := p.factsReader(), p.subject
	read := func(context.Context) (*timeline.SubjectFacts, error) { return reader.ReadFacts(subject), nil }
	return page.AskInBackground(p.Base, &p.asked, read, func(f *timeline.SubjectFacts, _ error) tea.Cmd {
		if !f.State.IsUnread() {
			p.again = p.again && f.State.Loading
			p.takeFacts(f)
		}
		return nil
	})
}

// Update composes the story again of what was read.
func (p *TimelinePage) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg:
		if p.IsShown() {
			return p.composeStory()
		}
		return nil
	case page.SentMsg:
		p.again = true
	}
	return p.List.Update(msg)
}

func (p *TimelinePage) takeFacts(f *timeline.SubjectFacts) {
	p.facts = f
	p.entries = timeline.SafeEntries(timeline.BuildEntries(p.facts, p.Now()), p.Client.Mask)
	p.wrong = timeline.DeliveryVerdicts(p.facts, p.entries)
	p.fillList()
	if p.at != "" && p.Grid.Select(p.at) {
		p.at = ""
	}
}

// fillList lists what is to be listed.
func (p *TimelinePage) fillList() {
	rows := slices.DeleteFunc(page.Pointers(p.entries), func(e *entry) bool {
		return e.Routine && !p.all
	})
	p.listed = page.ListState[entry]{Rows: rows, Version: p.listed.Version + 1, At: p.Now()}
	p.Sync()
}

// DisabledReason says what cannot be done.
func (p *TimelinePage) DisabledReason(id action.ID) string {
	switch {
	case p.facts == nil && (id == action.Open || id == action.Export || id == action.ShowOrder || id == action.ResendCallback):
		return "the timeline is still loading"
	case id == action.ShowOrder && p.facts.Order == nil:
		return "the order could not be read"
	case id == action.ResendCallback:
		return p.resend.DisabledReason(p.Current())
	case id == action.Export && len(p.Rows()) == 0:
		return "no entries"
	case id == action.Export:
		return ""
	}
	return p.List.DisabledReason(id)
}

// HandleAction performs an action.
func (p *TimelinePage) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		if p.Width < wide && !p.InPlace {
			p.InPlace = true
			p.scroll.ScrollToTop()
			return nil
		}
		if _, open := p.entryTarget(p.Current()); open != nil {
			return open()
		}
		return page.ShowToast(theme.Attention, "The order could not be read")
	case action.ShowOrder:
		return p.OpenOrder(p.facts.Order)
	case action.Routine:
		p.all = !p.all
		p.fillList()
	case action.ScrollDown:
		p.scroll.Move(p.scroll.HalfPage())
	case action.ScrollUp:
		p.scroll.Move(-p.scroll.HalfPage())
	case action.Refresh:
		return p.refreshStory()
	case action.ResendCallback:
		return p.resend.Do(p.Current())
	case action.Export:
		p.askReport()
	default:
		return p.List.HandleAction(id)
	}
	return nil
}

// undelivered returns the callback or notice of an entry, nil for another entry, and all of
// the story that failed.
func (p *TimelinePage) undelivered(e *entry) timeline.Undelivered {
	u := timeline.Undelivered{Failures: p.facts.UndeliveredItems(), Of: cmp.Or(p.subjectCode(), p.subject.Order)}
	if e != nil {
		u.Selected = e.Sending
	}
	return u
}

// entryTarget returns what an entry is known from, and what opens it; nil for nothing.
func (p *TimelinePage) entryTarget(e *entry) (text string, open func() tea.Cmd) {
	o := p.facts.Order
	switch quoted := e.Source == timeline.FromQuote || e.Source == timeline.FromDecision; {
	case e.Exchange != nil:
		return "opens the request", func() tea.Cmd { return p.Open(NewRequestAt(p.Env, e.Exchange.Number)) }
	case quoted && p.facts.Record != nil:
		return "compares the quotes", func() tea.Cmd {
			return p.Open(quotes.NewCompare(p.Env, cmp.Or(p.facts.Record.ID, p.subject.Order), nil))
		}
	case e.Endpoint != "":
		return "opens the endpoint", func() tea.Cmd { return p.OpenEndpoint(e.Endpoint) }
	case o == nil:
		return "opens the order", nil
	}
	if i := slices.IndexFunc(o.Missions, func(m api.Mission) bool { return m.UUID == e.Mission }); i >= 0 {
		return "opens the mission", func() tea.Cmd { return p.OpenMission(cache.MissionOf(&o.Missions[i], o)) }
	}
	return "opens the order", func() tea.Cmd { return p.OpenOrder(o) }
}

// askReport asks for a file and writes what is listed.
func (p *TimelinePage) askReport() {
	now := p.Now()
	r := p.facts.BuildReport(timeline.TimelineReport{
		Title: p.Title(), Account: p.Account, Service: p.Host, Made: now, Mask: p.Client.Mask, Wrong: p.wrong,
		Filter: p.Grid.Query(),
	})
	for _, row := range p.Grid.FilteredRows() {
		r.Entries = append(r.Entries, *p.Rows()[row])
	}
	r.Left = len(p.entries) - len(r.Entries)
	name := page.SafeName(cmp.Or(p.subjectCode(), p.subject.Order))
	page.AskForFile(p.Base, reportJob(format.Count(len(r.Entries), "entry", "entries"), r),
		"story-"+name+"-"+now.Format(time.DateOnly)+".md")
}

// HandleMouse selects a row and opens it with a second click; the wheel moves, or
// scrolls the entry.
func (p *TimelinePage) HandleMouse(m page.MouseInput) tea.Cmd {
	if side, _ := p.Detail.PaneUnder(m); m.Wheel != 0 && (side != 0 || p.CoversList()) {
		p.scroll.Move(m.Wheel)
		return nil
	}
	return p.List.HandleMouse(m)
}

// SubjectOf returns the subject of an order's story.
func SubjectOf(o *api.Order) timeline.StorySubject {
	return timeline.StorySubject{Order: cmp.Or(o.OrderCode, o.UUID)}
}
