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
	wide              = page.Wide // window width from which details are shown next to the list
	maxPolledMissions = 10        // a timeline with more missions is loaded again only on request
)

// entry is a line of a timeline or of a report.
type entry = timeline.TimelineEntry

// TimelinePage is the page of all events of an order or a mission.
type TimelinePage struct {
	*page.List[*entry]
	subject     timeline.StorySubject
	facts       *timeline.SubjectFacts // data that was read last, from which the timeline is built
	built       builtTimeline
	asked       page.Request // reads the facts
	isReloading bool         // a long timeline is being loaded again
	initial     string       // ID of the entry that was selected at first; another ID means that the user has moved
	hasSelected bool         // selectFirst has already selected an entry, or the page was opened at a given entry
}

// builtTimeline has the entries and the problems of a timeline, built from its facts.
type builtTimeline struct {
	nextPlanned time.Time // when the first planned entry is due; zero if there is none
	entries     []entry
	listed      page.ListState[*entry]     // the listed entries; some of entries can be hidden
	wrong       []timeline.DeliveryVerdict // problems of the deliveries
	addresses   map[string]string          // URLs of the endpoints, by ID
	withRoutine bool                       // routine requests, which only read something, are listed
}

// NewStory returns the page of a timeline. wanted is the ID of the entry to select. If it is "", the page selects
// the first failure, or the newest entry if there are no failures.
func NewStory(env *page.Env, s timeline.StorySubject, wanted string) *TimelinePage {
	base := page.NewBase(env)
	p := &TimelinePage{subject: s, facts: &timeline.SubjectFacts{Subject: s}}
	source := page.ListSource[*entry]{State: func() page.ListState[*entry] { return p.built.listed }}
	resend := page.ResendAction(base, action.ResendCallback, "no failed callbacks", p.undelivered)
	p.List = page.NewList(base, source, page.ListOptions[*entry]{
		Name:     "timeline",
		Example:  "source:callback or about:MSN-300538",
		Singular: "entry",
		Scope:    action.Timeline,
		Columns:  p.built.entryColumns(s),
		ID:       func(e *entry) string { return e.ID },
		Problems: page.RowProblems[*entry]{
			Has:    func(e *entry) bool { return e.Failed },
			None:   "No failures found.",
			Unsure: func() string { return p.faults().describeUnsure() },
		},
		Mark:          func(*entry) widget.Cell { return widget.Cell{} }, // the glyph of a failure is enough
		Muted:         isMuted,
		Rule:          func(rows []*entry) (string, int) { return "now", firstPlanned(rows) },
		ChangeStamp:   func(e *entry) string { return e.What },
		RenderDetails: func(e *entry, w, _ int) ([]string, bool) { return p.renderEntry(e, w), false },
		Layout:        page.ListLayout{MinListWidth: 60, ListPercent: 66},
		RenderHead:    p.renderHead,
		RenderFoot:    p.renderFoot,
		RenderEmpty:   p.renderBlank,
		Empty:         "No entries yet.",
		Actions:       []page.Action[*entry]{resend},
		Open:          func(*entry) tea.Cmd { return p.HandleAction(action.Open) },
	})
	p.Wanted = wanted
	p.hasSelected = wanted != ""
	return p
}

// entryColumns returns the columns of a timeline in the app, which differ from the columns in a report. Times have
// the form that other lists use. Two columns say what happened: the event and the details. The columns for the
// source and for the endpoint of a callback are hidden at first, because the details of the selected entry show
// both.
func (b *builtTimeline) entryColumns(subject timeline.StorySubject) []columns.Column[*entry] {
	all := columns.HideColumns(timeline.EntryColumns(subject), "Source") // below the list, the selected entry has it
	for i := range all {
		column := &all[i]
		switch column.Name {
		case "When":
			column.Kind = columns.Date
			column.Clock = true
			column.Width = timeWidth
			column.Value = whenCell
		case "What":
			column.Width = whatWidth
			column.Value = whatCell
		}
	}
	endpoint := columns.Column[*entry]{
		ColumnSpec: columns.ColumnSpec{
			Title:  "Endpoint",
			Width:  endpointWidth,
			Middle: true,
			Off:    true, // not needed, because Details begins with the endpoint
		},
		Value: b.endpointCell,
	}
	details := columns.Column[*entry]{
		ColumnSpec: columns.ColumnSpec{
			Title: "Details",
			Width: detailWidth,
			Fill:  3,
		},
		Value: detailsCell,
	}
	return append(all, endpoint, details)
}

// Widths of columns, in cells.
const (
	timeWidth     = 12
	whatWidth     = 18
	endpointWidth = 8
	detailWidth   = 20
)

// whatCell returns a cell that says what happened, in the colour of the entry.
func whatCell(e *entry) columns.Cell {
	return columns.TextCell(e.Glyph + " " + format.CapitalizeFirst(e.Headline())).WithTone(e.Role)
}

// detailsCell returns the details of an entry. The details of a callback begin with the short name of its endpoint,
// such as "hooks: answered 503".
func detailsCell(e *entry) columns.Cell {
	if e.To == "" || e.Detail == "" {
		return columns.TextCell(e.To + e.Detail)
	}
	return columns.TextCell(e.To + ": " + e.Detail)
}

// endpointCell returns the short name of a callback's endpoint. Filters, copies and exports use the address of the
// endpoint. The cell is empty if the entry is not about a callback.
func (b *builtTimeline) endpointCell(e *entry) columns.Cell {
	if e.To == "" {
		return columns.TextCell("")
	}
	return columns.LabelCell(e.To, b.addresses[e.Endpoint])
}

// whenCell returns the time of an entry.
func whenCell(e *entry) columns.Cell {
	if e.At.IsZero() {
		return columns.TextCell("unknown")
	}
	return columns.DayCell(e.At)
}

// firstPlanned returns the index of the first planned entry, such as a future flight, or len(entries) if there is
// none. The entries are sorted by time. Only entries from an order, a mission or a quote can be planned: an entry
// from a log has happened, even if the service's clock is fast and its time is in the future.
func firstPlanned(entries []*entry) int {
	plans := []timeline.EntrySource{timeline.FromOrder, timeline.FromMission, timeline.FromQuote}
	for i, e := range entries {
		if e.Ahead && slices.Contains(plans, e.Source) {
			return i
		}
	}
	return len(entries)
}

// isMuted reports whether an entry is drawn muted: it is about the future, about a callback that was delivered, or
// its role is muted.
func isMuted(e *entry) bool {
	isDelivered := e.Source == timeline.FromCallback && e.Role == theme.Good
	return e.Ahead || isDelivered || e.Role == theme.Muted
}

func (p *TimelinePage) Title() string { return "Timeline of " + p.facts.SubjectCode() }

// PartTitle returns the title "Timeline". isPart reports whether parent is the title of the page of the timeline's
// order or mission.
func (p *TimelinePage) PartTitle(parent string) (title string, isPart bool) {
	return "Timeline", parent == p.facts.SubjectCode()
}

// DataNeeds returns the data that the cache should read for the timeline. A timeline with many missions needs many
// requests. It is therefore loaded once, and again only when the user refreshes the page or sends a change;
// otherwise DataNeeds returns nil.
func (p *TimelinePage) DataNeeds() []cache.Need {
	if len(p.facts.Missions) > maxPolledMissions && !p.isReloading {
		return nil
	}
	return p.factsReader().DataNeeds(p.subject)
}

func (p *TimelinePage) factsReader() *timeline.Reader {
	return &timeline.Reader{
		Cache:     p.Env.Profile.Cache,
		Units:     p.Env.Look.Units,
		Host:      p.Env.Profile.Host,
		ChangeLog: p.Env.Profile.ChangeLog,
		Wire:      p.Env.Profile.RequestLog,
		Received:  p.Env.Profile.Feed.EventLog(),
	}
}

// OnShow builds the timeline from the cache and from the logs of this app, which are files. It reads the files in
// the background.
func (p *TimelinePage) OnShow() tea.Cmd {
	reader := p.factsReader()
	subject := p.subject
	read := func(context.Context) (*timeline.SubjectFacts, error) { return reader.ReadFacts(subject), nil }
	show := func(facts *timeline.SubjectFacts, _ error) tea.Cmd {
		if !facts.State.IsUnread() {
			if !facts.State.Loading {
				p.isReloading = false
			}
			p.showFacts(facts)
		}
		return nil
	}
	return page.RunInBackground(p.Base, &p.asked, read, show)
}

// Update builds the timeline again when new data was loaded.
func (p *TimelinePage) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg:
		if p.IsShown() {
			return p.OnShow()
		}
		return nil
	case page.SentMsg:
		p.isReloading = true
	}
	return p.List.Update(msg)
}

// showFacts builds the timeline from facts and lists its entries. Secrets are masked.
func (p *TimelinePage) showFacts(facts *timeline.SubjectFacts) {
	p.facts = facts
	p.built.build(facts, p.Env.Clock.Now(), p.Env.Profile.Client.Mask)
	p.listEntries()
}

// build builds the entries and the problems of a timeline from facts. The function mask masks secrets.
func (b *builtTimeline) build(facts *timeline.SubjectFacts, now time.Time, mask func(string) string) {
	b.entries = timeline.SafeEntries(timeline.BuildEntries(facts, now), mask)
	b.nextPlanned = nextPlanned(b.entries)
	b.wrong = timeline.DeliveryVerdicts(facts, b.entries)
	b.addresses = map[string]string{}
	for _, e := range facts.Endpoints {
		b.addresses[e.UUID] = mask(e.URL)
	}
}

// nextPlanned returns the time of the next entry that is in the future, or zero if there is none.
func nextPlanned(entries []entry) time.Time {
	var next time.Time
	for i := range entries {
		e := &entries[i]
		if e.Ahead && (next.IsZero() || e.At.Before(next)) {
			next = e.At
		}
	}
	return next
}

// isOutdated reports whether an entry of the timeline was in the future when it was built, and no longer is.
func (b *builtTimeline) isOutdated(now time.Time) bool {
	return !b.nextPlanned.IsZero() && !now.Before(b.nextPlanned)
}

// View draws the timeline. It first builds the timeline again if a future entry has become past, so that the line
// between past and future is right even if no data is reloaded.
func (p *TimelinePage) View(w, h int) string {
	if p.built.isOutdated(p.Env.Clock.Now()) {
		p.showFacts(p.facts)
	}
	return p.List.View(w, h)
}

// listEntries updates the list from the built timeline. It hides routine requests, which only read something, unless
// the user has chosen to show them.
func (p *TimelinePage) listEntries() {
	rows := slices.DeleteFunc(columns.Pointers(p.built.entries), func(e *entry) bool {
		return e.Routine && !p.built.withRoutine
	})
	p.built.listed = page.ListState[*entry]{
		Rows:    rows,
		Version: p.built.listed.Version + 1,
		At:      p.facts.State.ReadAt,
	}
	before := p.Current()
	p.Sync()
	if before == nil {
		p.initial = p.currentID()
	}
	isMoved := before != nil && before.ID != p.initial
	p.selectFirst(isMoved)
}

// selectFirst selects the first failure or the newest entry when the timeline is completely loaded. If isMoved is true,
// the user has moved the selection, and selectFirst leaves it unchanged. It does nothing if it was called before, or if
// the page was opened at an entry.
func (p *TimelinePage) selectFirst(isMoved bool) {
	if p.hasSelected || p.facts.State.Loading {
		return
	}
	p.hasSelected = true
	first := firstFailureOrNewest(p.built.listed.Rows)
	if first != nil && !isMoved {
		p.Grid.Select(first.ID) // does nothing if the filter hides the entry
	}
}

// currentID returns the ID of the selected entry, or "" if no entry is selected.
func (p *TimelinePage) currentID() string {
	if e := p.Current(); e != nil {
		return e.ID
	}
	return ""
}

// firstFailureOrNewest returns the first failure among entries, which are sorted by time. Without a failure it
// returns the last entry that is not about the future. It returns nil if there is no such entry.
func firstFailureOrNewest(entries []*entry) *entry {
	var newest *entry
	for _, e := range entries {
		if e.Failed {
			return e
		}
		if !e.Ahead && !e.At.IsZero() {
			newest = e
		}
	}
	return newest
}

func (p *TimelinePage) DisabledReason(id action.ID) string {
	switch id {
	case action.Open, action.Export, action.ShowOrder, action.ResendCallback:
		if p.built.listed.Version == 0 {
			return "the timeline is still loading"
		}
	}
	if id == action.ShowOrder && p.facts.Order == nil {
		return "the order could not be loaded"
	}
	if id == action.Export {
		return page.TextIf(len(p.Rows()) == 0, "no entries shown")
	}
	return p.List.DisabledReason(id)
}

func (p *TimelinePage) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return p.openEntry()
	case action.ShowOrder:
		return p.Env.Nav.Show(page.OrderRoute{Order: p.facts.Order})
	case action.Routine:
		p.built.withRoutine = !p.built.withRoutine
		p.listEntries()
	case action.Refresh:
		p.isReloading = true
		p.Env.Profile.Cache.RefreshNeeds(p.DataNeeds()...)
	case action.Export:
		p.promptForReport()
	default:
		return p.List.HandleAction(id)
	}
	return nil
}

// openEntry opens the page of the request, order, mission or endpoint that the selected entry is about.
// In narrow windows it shows the details of the entry first.
func (p *TimelinePage) openEntry() tea.Cmd {
	if p.Env.Look.Width < wide && !p.InPlace {
		p.InPlace = true
		return nil
	}
	_, open := p.entryTarget(p.Current())
	if open == nil {
		return page.ShowToast(theme.Attention, "Nothing to open: the order could not be loaded")
	}
	return open()
}

// undelivered returns the callbacks and completion notices of the timeline that could not be delivered. If the entry
// e is about a callback or a completion notice, the result also has this callback or notice as the selected one.
func (p *TimelinePage) undelivered(e *entry) timeline.Undelivered {
	u := timeline.Undelivered{Failures: p.facts.UndeliveredItems(), Of: p.facts.SubjectCode()}
	if e != nil {
		u.Selected = e.Sending
	}
	return u
}

// entryTarget returns what enter does for an entry and the function that does it. The function is nil if enter
// does nothing, because the order is not loaded.
func (p *TimelinePage) entryTarget(e *entry) (text string, open func() tea.Cmd) {
	isQuote := e.Source == timeline.FromQuote || e.Source == timeline.FromDecision
	switch {
	case e.Exchange != nil:
		return "opens the request", func() tea.Cmd { return p.Env.Nav.Open(NewRequestAt(p.Env, e.Exchange.Number)) }
	case isQuote && p.facts.Record != nil:
		return "compares the quotes", p.compareQuotes
	case e.Source == timeline.FromClient:
		account, _ := p.Env.Profile.Cache.AccountUID()
		if account == "" {
			return p.missionTarget(e)
		}
		return "lists the account's requests", func() tea.Cmd {
			return p.Env.Nav.Open(newAccountRequests(p.Env, account, e.Query, ""))
		}
	case e.Endpoint != "":
		return "opens the endpoint", func() tea.Cmd { return p.Env.Nav.Show(page.EndpointRoute{UUID: e.Endpoint}) }
	default:
		return p.missionTarget(e)
	}
}

// missionTarget returns the function that opens the mission of an entry, or the order if the entry is not about a
// single mission. text names what is opened. The function is nil if the order is not loaded.
func (p *TimelinePage) missionTarget(e *entry) (text string, open func() tea.Cmd) {
	order := p.facts.Order
	if order == nil {
		return "", nil
	}
	if m := columns.FindMission(order, e.Mission); m != nil {
		return "opens the mission", func() tea.Cmd {
			return p.Env.Nav.Show(page.MissionRoute{Mission: cache.MissionOf(m, order)})
		}
	}
	return "opens the order", func() tea.Cmd { return p.Env.Nav.Show(page.OrderRoute{Order: order}) }
}

func (p *TimelinePage) compareQuotes() tea.Cmd {
	order := cmp.Or(p.facts.Record.ID, p.subject.Order)
	return p.Env.Nav.Open(quotes.NewCompare(p.Env, order, nil))
}

// promptForReport asks for a file name and saves the listed entries there.
func (p *TimelinePage) promptForReport() {
	now := p.Env.Clock.Now()
	report := p.facts.BuildReport(timeline.TimelineReport{
		Title:   p.Title(),
		Account: p.Env.Profile.AccountLabel(),
		Service: p.Env.Profile.Host,
		Made:    now,
		Mask:    p.Env.Profile.Client.Mask,
		Wrong:   p.built.wrong,
		Filter:  p.Grid.Query(),
	})
	report.Check = p.facts.CheckPart(p.Env.Profile.Downloads.Checks, now)
	for _, row := range p.Grid.FilteredRows() {
		report.Entries = append(report.Entries, *p.Rows()[row])
	}
	report.Left = len(p.built.entries) - len(report.Entries)
	job := reportJob(format.Count(len(report.Entries), "entry", "entries"), report)
	page.PromptForFile(p.Base, job, "timeline-"+page.SafeName(p.facts.SubjectCode())+"-"+now.Format(time.DateOnly)+".md")
}

// SubjectOf returns an order as the subject of a timeline. The order is identified by its code, or by its UUID if it
// has no code.
func SubjectOf(o *api.Order) timeline.StorySubject {
	return timeline.StorySubject{Order: cmp.Or(o.OrderCode, o.UUID)}
}

// renderState renders the name and status of the subject in one line.
func (p *TimelinePage) renderState(w int) string {
	order := p.facts.Order
	if order == nil {
		return ""
	}
	name, status := p.facts.SubjectState()
	if p.Env.Profile.Viewed {
		name = p.Env.Profile.Company + ": " + name
	}
	th := p.Env.Look.Theme
	title := th.PaintTitle(p.Env.Profile.Client.Mask(name))
	state := th.PaintRole(status.Role, status.Glyph+" "+status.Label+" · "+status.Description)
	return format.CutLine(" "+title+"  "+state, w)
}

// isLost reports whether the timeline has nothing to show: the order could not be read, and the other sources have
// no entries.
func (p *TimelinePage) isLost() bool { return len(p.built.entries) == 0 && p.facts.OrderErr != nil }

// renderHead renders the lines above the list: the status of the subject and what is wrong with
// its deliveries, or why the order could not be read.
func (p *TimelinePage) renderHead(w int) []string {
	if p.built.listed.Version == 0 || p.isLost() {
		return nil
	}
	if p.facts.OrderErr != nil {
		kept := "Showing the other sources"
		if p.facts.Order != nil {
			kept = "Showing the timeline"
		}
		return append(p.Env.Look.RenderProblem(p.facts.OrderErr, kept, w, action.Timeline), "")
	}
	lines := []string{p.renderState(w)}
	look := &p.Env.Look
	room := max(3, (look.Height-frameLines)/6)
	lines = append(lines, renderVerdicts(look.Theme, p.built.wrong, p.Env.Profile.Client.Mask, room, w)...)
	return page.CutLines(append(lines, ""), w)
}

// renderVerdicts renders the problems of deliveries, each wrapped to lines of w cells. It always renders the first
// problem. Problems that do not fit into room lines are only counted. The function mask masks secrets.
func renderVerdicts(
	th *theme.Theme, verdicts []timeline.DeliveryVerdict, mask func(string) string, room, w int,
) []string {
	var lines []string
	for i, v := range verdicts {
		wrapped := renderAfterGlyph(th, "▲", v.Role, mask(format.CapitalizeFirst(v.Brief)), w)
		needed := len(lines) + len(wrapped)
		isLast := i == len(verdicts)-1
		if !isLast {
			needed++ // the line with the number of further problems
		}
		if i > 0 && needed > room {
			more := fmt.Sprintf(" and %d more, in the report", len(verdicts)-i)
			return append(lines, th.PaintMuted(more))
		}
		lines = append(lines, wrapped...)
	}
	return lines
}

// frameLines is the number of lines of the window that are above and below a page, such as the breadcrumbs and the
// footer.
const frameLines = 7

// renderBlank renders the error instead of the list if nothing could be read.
func (p *TimelinePage) renderBlank(_ error, w int) []string {
	if p.isLost() {
		return p.Env.Look.RenderProblem(p.facts.OrderErr, "", w, action.Timeline)
	}
	return nil
}

// renderFoot renders the lines below the list: which sources could not be read, and how many entries are hidden.
func (p *TimelinePage) renderFoot(w int) []string {
	foot := p.faults().renderLines(p.Env.Look.Theme)
	routine := 0
	for i := range p.built.entries {
		if p.built.entries[i].Routine {
			routine++
		}
	}
	if routine > 0 && !p.built.withRoutine {
		th := p.Env.Look.Theme
		hidden := format.Count(routine, "read request") + " hidden · "
		foot = append(foot, th.PaintMuted(" "+hidden)+th.PaintHint(action.KeyOf(action.Routine, action.Timeline), "to show"))
	}
	return page.CutLines(foot, w)
}

// sourceFaults are the sources of a timeline that could not be read.
type sourceFaults struct {
	faults []timeline.SourceFault
	mask   func(string) string // masks secrets
}

// faults returns the sources that could not be read.
func (p *TimelinePage) faults() sourceFaults {
	return sourceFaults{faults: p.facts.SourceFaults(), mask: p.Env.Profile.Client.Mask}
}

// nameOf returns the name of the source that a fault is about.
func (s sourceFaults) nameOf(f timeline.SourceFault) string {
	return strings.TrimSpace(string(f.Source) + " " + s.mask(f.About))
}

// describeUnsure returns the text for a timeline without failures if some sources could not be read, because these
// sources may have failures. It returns "" if all sources were read.
func (s sourceFaults) describeUnsure() string {
	if len(s.faults) == 0 {
		return ""
	}
	text := "No failures found, but not all sources could be loaded: " + s.nameOf(s.faults[0])
	if more := len(s.faults) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + "."
}

// renderLines renders the names of the sources that could not be read, and why, in at most two lines. It leaves out
// the order, because the lines above the list already say that the order could not be read.
func (s sourceFaults) renderLines(th *theme.Theme) []string {
	faults := slices.DeleteFunc(slices.Clone(s.faults), func(f timeline.SourceFault) bool {
		return f.Source == timeline.FromOrder
	})
	shown := len(faults)
	if shown > 2 {
		shown = 1
	}
	var lines []string
	for _, f := range faults[:shown] {
		why, _ := format.ExplainError(f.Err)
		line := th.PaintRole(theme.Bad, " ! could not load: "+s.nameOf(f))
		lines = append(lines, line+th.PaintMuted("  "+s.mask(why)))
	}
	if rest := len(faults) - shown; rest > 0 {
		lines = append(lines, th.PaintMuted(fmt.Sprintf("   and %d more sources could not be read", rest)))
	}
	return lines
}

func (p *TimelinePage) renderEntry(e *entry, w int) []string {
	th := p.Env.Look.Theme
	lines := renderTitle(th, e, w)
	if e.Detail != "" && e.Sending == nil { // the fields of a callback include its result
		lines = append(lines, th.PaintLines(theme.Text, "   ", format.CapitalizeFirst(e.Detail), w-4)...)
	}
	lines = append(lines, "   "+th.PaintMuted(timeText(e, p.Env.Clock.Now())))
	lines = append(lines, "   "+th.PaintMuted("Source: "+format.Word(e.Source).Description), "")
	lines = append(lines, renderFields(p.Env, e, w)...)
	if target, open := p.entryTarget(e); open != nil {
		lines = append(lines, "", " "+th.PaintHint(action.KeyOf(action.Open, action.Timeline), target))
	}
	return page.CutLines(lines, w)
}

// timeText returns the time of an entry and how long ago or ahead it is.
func timeText(e *entry, now time.Time) string {
	if e.At.IsZero() {
		return "time unknown"
	}
	text := format.ExactMoment(e.At, now)
	if e.At.After(now) {
		return text + ", " + format.TimeUntil(e.At, now)
	}
	return format.WithAge(text, ", ", e.At, now)
}

// renderFields renders the details of an entry.
func renderFields(env *page.Env, e *entry, w int) []string {
	now := env.Clock.Now()
	var facts []widget.Fact
	result := "" // of a callback
	for _, f := range e.Fields {
		if f.Name == "Result" {
			result = f.Value
		}
		if f.Name == "To" {
			f.Value = timeline.ShortAddress(f.Value)
		}
		isRepeated := f.Name == "Error" && f.Value != "" && strings.Contains(result, f.Value)
		if !isRepeated {
			facts = append(facts, widget.Text(format.CapitalizeFirst(f.Name), f.ScreenValue(now)))
		}
	}
	return widget.WrapFacts(env.Look.Theme, 13, w, facts...)
}
