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
	"flightdesk/tui/app/columns"
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
	*page.List[*entry]
	subject timeline.StorySubject
	facts   *timeline.SubjectFacts
	entries []entry
	listed  page.ListState[*entry] // those of them that are
	wrong   []timeline.DeliveryVerdict
	asked   page.Question
	all     bool // requests that only read something are listed, too
	again   bool // a long one is being read again
}

// NewStory returns the page. With at it begins with the entry of that id.
func NewStory(env *page.Env, s timeline.StorySubject, at string) *TimelinePage {
	base := page.NewBase(env)
	p := &TimelinePage{subject: s, facts: &timeline.SubjectFacts{Subject: s}}
	source := page.ListSource[*entry]{
		State: func() page.ListState[*entry] { return p.listed },
	}
	p.List = page.NewList(base, source, page.ListOptions[*entry]{
		Name:      "story",
		Example:   "source:callback or about:MSN-300538",
		One:       "entry",
		Scope:     action.Timeline,
		Columns:   timeline.EntryColumns(s),
		ID:        func(e *entry) string { return e.ID },
		Failed:    func(e *entry) bool { return e.Failed },
		Fine:      "No failures found.",
		Muted:     func(e *entry) bool { return e.Ahead || !e.Failed && e.Role == theme.Muted },
		Stamp:     func(e *entry) string { return e.What },
		Lines:     func(e *entry, w, _ int) ([]string, bool) { return p.renderEntry(e, w), false },
		LeastRows: 60,
		Share:     62,
		Head:      p.renderHead,
		Foot:      p.renderFoot,
		Blank:     p.renderBlank,
		Empty:     "No entries yet.",
		Acts: []page.Act[*entry]{page.ResendAct(
			base,
			action.ResendCallback,
			"no failed callbacks",
			p.undelivered,
		)},
		Open: func(*entry) tea.Cmd { return p.HandleAction(action.Open) },
	})
	p.Wanted = at
	return p
}

// Title returns the page's name.
func (p *TimelinePage) Title() string {
	return "Timeline of " + p.facts.SubjectCode()
}

// DataNeeds returns all that the story is made of. One that is long is read once.
func (p *TimelinePage) DataNeeds() []cache.Need {
	if len(p.facts.Missions) > mostPoll && !p.again {
		return nil
	}
	return p.factsReader().DataNeeds(p.subject)
}

func (p *TimelinePage) factsReader() *timeline.Reader {
	return &timeline.Reader{
		Cache:     p.Env.Profile.Cache,
		Units:     p.Env.Look.Units,
		Host:      p.Env.Profile.Host,
		Decisions: p.Env.Profile.Decisions,
		Wire:      p.Env.Profile.RequestLog,
		Received:  p.Env.Profile.Feed.EventLog(),
	}
}

// OnShow makes the story of what is known by now, in the background: the logs of this
// machine are files.
func (p *TimelinePage) OnShow() tea.Cmd {
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
			return p.OnShow()
		}
		return nil
	case page.SentMsg:
		p.again = true
	}
	return p.List.Update(msg)
}

func (p *TimelinePage) takeFacts(f *timeline.SubjectFacts) {
	p.facts = f
	p.entries = timeline.SafeEntries(timeline.BuildEntries(p.facts, p.Env.Clock.Now()), p.Env.Profile.Client.Mask)
	p.wrong = timeline.DeliveryVerdicts(p.facts, p.entries)
	p.fillList()
}

// fillList lists what is to be listed.
func (p *TimelinePage) fillList() {
	rows := slices.DeleteFunc(columns.Pointers(p.entries), func(e *entry) bool {
		return e.Routine && !p.all
	})
	p.listed = page.ListState[*entry]{
		Rows:    rows,
		Version: p.listed.Version + 1,
		At:      p.facts.State.ReadAt,
	}
	p.Sync()
}

// DisabledReason says what cannot be done.
func (p *TimelinePage) DisabledReason(id action.ID) string {
	switch {
	case p.listed.Version == 0 && (id == action.Open || id == action.Export || id == action.ShowOrder || id == action.ResendCallback):
		return "the timeline is still loading"
	case id == action.ShowOrder && p.facts.Order == nil:
		return "the order could not be read"
	case id == action.Export:
		return page.TextIf(len(p.Rows()) == 0, "no entries")
	}
	return p.List.DisabledReason(id)
}

// HandleAction performs an action.
func (p *TimelinePage) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		if p.Env.Look.Width < wide && !p.InPlace {
			p.InPlace = true
			return nil
		}
		if _, open := p.entryTarget(p.Current()); open != nil {
			return open()
		}
		return page.ShowToast(theme.Attention, "The order could not be read")
	case action.ShowOrder:
		return p.Env.Nav.Show(page.OrderRoute{Order: p.facts.Order})
	case action.Routine:
		p.all = !p.all
		p.fillList()
	case action.Refresh:
		p.again = true
		p.Env.Profile.Cache.RereadNeeds(p.DataNeeds()...)
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
	u := timeline.Undelivered{Failures: p.facts.UndeliveredItems(), Of: p.facts.SubjectCode()}
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
		return "opens the request", func() tea.Cmd { return p.Env.Nav.Open(NewRequestAt(p.Env, e.Exchange.Number)) }
	case quoted && p.facts.Record != nil:
		return "compares the quotes", func() tea.Cmd {
			return p.Env.Nav.Open(quotes.NewCompare(p.Env, cmp.Or(p.facts.Record.ID, p.subject.Order), nil))
		}
	case e.Source == timeline.FromClient:
		if account, _ := p.Env.Profile.Cache.AccountUID(); account != "" {
			return "lists the account's requests", func() tea.Cmd {
				return p.Env.Nav.Open(newAccountRequests(p.Env, account, e.Query))
			}
		}
	case e.Endpoint != "":
		return "opens the endpoint", func() tea.Cmd { return p.Env.Nav.Show(page.EndpointRoute{UUID: e.Endpoint}) }
	case o == nil:
		return "opens the order", nil
	}
	if m := columns.FindMission(o, e.Mission); m != nil {
		return "opens the mission", func() tea.Cmd { return p.Env.Nav.Show(page.MissionRoute{Mission: cache.MissionOf(m, o)}) }
	}
	return "opens the order", func() tea.Cmd { return p.Env.Nav.Show(page.OrderRoute{Order: o}) }
}

// askReport asks for a file and writes what is listed.
func (p *TimelinePage) askReport() {
	now := p.Env.Clock.Now()
	r := p.facts.BuildReport(timeline.TimelineReport{
		Title: p.Title(), Account: p.Env.Profile.AccountLabel(), Service: p.Env.Profile.Host, Made: now, Mask: p.Env.Profile.Client.Mask, Wrong: p.wrong,
		Filter: p.Grid.Query(),
	})
	for _, row := range p.Grid.FilteredRows() {
		r.Entries = append(r.Entries, *p.Rows()[row])
	}
	r.Left = len(p.entries) - len(r.Entries)
	name := page.SafeName(p.facts.SubjectCode())
	p.AskForFile(reportJob(format.Count(len(r.Entries), "entry", "entries"), r),
		"story-"+name+"-"+now.Format(time.DateOnly)+".md")
}

// SubjectOf returns the subject of an order's story.
func SubjectOf(o *api.Order) timeline.StorySubject {
	return timeline.StorySubject{Order: cmp.Or(o.OrderCode, o.UUID)}
}

// renderState returns the line that says how the subject stands.
func (p *TimelinePage) renderState(w int) string {
	th, o := p.Env.Look.Theme, p.facts.Order
	if o == nil {
		return ""
	}
	name, st := p.facts.SubjectState()
	if p.subject.Mission == "" {
		st = format.OrderState(o.Status, p.Env.QuotesOf(o.UUID))
	}
	if p.Env.Profile.Viewed {
		name = p.Env.Profile.Company + ": " + name
	}
	state := th.PaintRole(st.Role, st.Glyph+" "+st.Label+" · "+st.Description)
	return format.CutLine(" "+th.PaintTitle(p.Env.Profile.Client.Mask(name))+"  "+state, w)
}

// isLost reports whether nothing is known but why the order could not be read.
func (p *TimelinePage) isLost() bool { return len(p.entries) == 0 && p.facts.OrderErr != nil }

// renderHead returns the lines above the list: how it is, and what is wrong.
func (p *TimelinePage) renderHead(w int) []string {
	if p.listed.Version == 0 || p.isLost() {
		return nil
	}
	th := p.Env.Look.Theme
	if err := p.facts.OrderErr; err != nil {
		kept := "Showing the other sources"
		if p.facts.Order != nil {
			kept = "Showing the timeline"
		}
		return append(p.Env.Look.RenderProblem(err, kept, w), "")
	}
	lines := []string{p.renderState(w)}
	most := max(3, (p.Env.Look.Height-frameLines)/6)
	for i, v := range p.wrong {
		if i == most-1 && len(p.wrong) > most {
			lines = append(lines, th.PaintMuted(fmt.Sprintf(" and %d more, in the report", len(p.wrong)-i)))
			break
		}
		lines = append(lines, " "+th.PaintRole(v.Role, "▲ "+p.Env.Profile.Client.Mask(v.Text)))
	}
	return page.CutLines(append(lines, ""), w)
}

// frameLines are those of the window around a page.
const frameLines = 7

// renderBlank returns what stands in place of entries.
func (p *TimelinePage) renderBlank(_ error, w int) []string {
	if p.isLost() {
		return p.Env.Look.RenderProblem(p.facts.OrderErr, "", w)
	}
	return nil
}

// renderFoot says below the list what is left out and what could not be read.
func (p *TimelinePage) renderFoot(w int) (foot []string) {
	th := p.Env.Look.Theme
	faults := slices.DeleteFunc(p.facts.SourceFaults(), func(f timeline.SourceFault) bool {
		return f.Source == timeline.FromOrder // said above the list
	})
	for i, f := range faults {
		if i == 1 && len(faults) > 2 {
			foot = append(
				foot,
				th.PaintMuted(fmt.Sprintf("   and %d more sources could not be read", len(faults)-1)),
			)
			break
		}
		what, _ := format.ExplainError(f.Err)
		about := strings.TrimSpace(string(f.Source) + " " + p.Env.Profile.Client.Mask(f.About))
		foot = append(
			foot,
			th.PaintRole(theme.Bad, " ! could not load: "+about)+th.PaintMuted("  "+p.Env.Profile.Client.Mask(what)),
		)
	}
	routine := 0
	for i := range p.entries {
		if p.entries[i].Routine {
			routine++
		}
	}
	if routine > 0 && !p.all {
		hidden := format.Count(routine, "read request") + " hidden · "
		foot = append(foot, th.PaintMuted(" "+hidden)+th.PaintHint("v", "to show"))
	}
	return page.CutLines(foot, w)
}

func (p *TimelinePage) renderEntry(e *entry, w int) []string {
	th, now := p.Env.Look.Theme, p.Env.Clock.Now()
	lines := th.PaintLines(e.Role, " ", format.Clean(e.Glyph+" "+e.What), w-2)
	when := "time unknown"
	if !e.At.IsZero() {
		when = e.At.Format("2006-01-02 15:04:05 -07:00")
		if e.At.After(now) {
			when += ", " + format.TimeUntil(e.At, now)
		} else {
			when = format.WithAge(when, ", ", e.At, now)
		}
	}
	lines = append(
		lines,
		" "+th.PaintMuted(when),
		" "+th.PaintMuted("Source: "+format.Word(e.Source).Description),
		"",
	)
	lines = append(lines, renderFields(th, e, w)...)
	target, _ := p.entryTarget(e)
	return page.CutLines(append(lines, "", " "+th.PaintHint("enter", target)), w)
}

// renderFields returns what more is known of an entry.
func renderFields(th *theme.Theme, e *entry, w int) []string {
	facts := make([]widget.Fact, len(e.Fields))
	for i, f := range e.Fields {
		facts[i] = widget.Text(format.CapitalizeFirst(f.Name), f.Value)
	}
	return widget.WrapFacts(th, 13, w, facts...)
}
