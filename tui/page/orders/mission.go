package orders

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
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
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
)

const (
	mostFiles = 5  // number of packages whose files are listed, the newest ones
	logDays   = 30 // days of the endpoints' logs that are shown; the titles name this number
)

// MissionPage is the page of one mission.
type MissionPage struct {
	page.Detail
	actions []page.Action[*mission]
	mission *mission
	parts   timeline.MissionParts    // planning, permission and packages
	facts   timeline.SubjectFacts    // the data from which the timeline is built
	entries []timeline.TimelineEntry // the mission's timeline
	located int                      // version of the cache when the map of the site was last updated
	hasLogs bool                     // the endpoints' logs are loaded; false if the key has no access to them
	permit  page.Request
}

// NewMission returns the page of a mission.
func NewMission(env *page.Env, m *mission) *MissionPage {
	p := &MissionPage{Detail: page.NewDetail(env, "mission", 120, nil, nil), mission: m}
	resend := page.ResendAction(p.Base, action.ResendCallback, "no failed callbacks in the last 30 days", p.undelivered)
	p.actions = append(missionActions(env), []page.Action[*mission]{
		{ID: action.Refresh, Do: func(*mission) tea.Cmd {
			p.Env.Profile.Cache.RefreshNeeds(p.DataNeeds()...)
			return nil
		}},
		{ID: action.CopyCode, Do: func(m *mission) tea.Cmd {
			return p.Env.Files.CopyText(format.Clean(m.MissionCode), m.MissionCode)
		}},
		{ID: action.Permit, WhyDisabled: p.permitRefusal, Do: p.savePermit},
		{ID: action.OpenPermit, WhyDisabled: p.openRefusal, Do: p.openPermit},
		resend,
	}...)
	return p
}

// undelivered returns the mission's callbacks that failed.
func (p *MissionPage) undelivered(m *mission) timeline.Undelivered {
	u := timeline.Undelivered{Failures: p.facts.UndeliveredItems(), Of: m.MissionCode}
	if !p.hasLogs {
		u.Unknown = "the callbacks are not loaded"
	} else if p.logErr() != nil {
		u.Unknown = "not all callbacks could be loaded; press " + action.KeyOf(action.Refresh, action.Mission)
	}
	return u
}

// logErr returns why the log of an endpoint could not be loaded, or nil if all logs are loaded.
func (p *MissionPage) logErr() error {
	for _, e := range p.facts.Endpoints {
		if e.LogErr != nil {
			return e.LogErr
		}
	}
	return nil
}

// openRefusal returns why the permit cannot be opened, or "" if it can.
func (p *MissionPage) openRefusal(m *mission) string {
	if reason := p.permitRefusal(m); reason != "" {
		return reason
	}
	if p.Env.Files.Opener == nil && p.Env.Files.Confined {
		return page.NotForGuests + savePermitAdvice()
	}
	if p.Env.Files.Opener == nil {
		return "no app found to open files" + savePermitAdvice()
	}
	return ""
}

// savePermitAdvice returns the end of a sentence that advises the user to save the permit.
func savePermitAdvice() string {
	return "; press " + action.KeyOf(action.Permit, action.Mission) + " to save it"
}

// missionActions returns the actions that the list of missions and the page of a mission share.
func missionActions(env *page.Env) []page.Action[*mission] {
	return []page.Action[*mission]{
		{ID: action.ShowOrder, Do: func(m *mission) tea.Cmd { return env.Nav.Show(page.OrderRoute{Order: m.Order}) }},
		{ID: action.ShowTimeline, Do: func(m *mission) tea.Cmd {
			return env.Nav.Show(page.StoryRoute{Subject: subjectOf(m)})
		}},
		{
			ID:       action.ShowData,
			Unlikely: func(m *mission) bool { return !canHaveData(m.Status) },
			Do: func(m *mission) tea.Cmd {
				return env.Nav.Open(deliveries.NewDeliveriesOf(env, m.Order.OrderCode, m.UUID))
			},
		},
	}
}

// subjectOf returns the subject of the mission's timeline.
func subjectOf(m *mission) timeline.StorySubject {
	return timeline.StorySubject{Order: m.Order.OrderCode, Mission: m.UUID}
}

// Title returns the mission's code.
func (p *MissionPage) Title() string { return p.mission.MissionCode }

// logStart returns the time from which the logs are read.
func (p *MissionPage) logStart() time.Time { return p.Env.Clock.Now().AddDate(0, 0, -logDays) }

// DataNeeds requests the planning, permission and deliveries of the mission, its order, and the
// endpoints' logs.
func (p *MissionPage) DataNeeds() []cache.Need {
	data := p.Env.Profile.Cache
	parts, _ := timeline.PartsOf(data, p.mission.UUID, mostFiles)
	_, logNeeds, _ := timeline.EndpointsOf(data, p.logStart())
	order := data.Details.NeedOf(p.mission.Order.OrderCode)
	return slices.Concat(parts.Needs, []cache.Need{order}, logNeeds)
}

// OnShow shows the newest data of the cache.
func (p *MissionPage) OnShow() tea.Cmd {
	data := p.Env.Profile.Cache
	p.locateMission()
	p.parts, p.State = timeline.PartsOf(data, p.mission.UUID, mostFiles)
	subject := timeline.MissionOf(p.mission)
	subject.MissionParts = p.parts
	endpoints, _, logState := timeline.EndpointsOf(data, p.logStart())
	p.hasLogs = !logState.ReadAt.IsZero() && logState.Err == nil
	p.facts = timeline.SubjectFacts{
		Subject:   subjectOf(p.mission),
		Units:     p.Env.Look.Units,
		Order:     p.mission.Order,
		Quotes:    p.Env.QuotesOf(p.mission.Order.UUID),
		Missions:  []*timeline.Mission{subject},
		Endpoints: endpoints,
	}
	entries := timeline.BuildEntries(&p.facts, p.Env.Clock.Now())
	p.entries = timeline.SafeEntries(entries, p.Env.Profile.Client.Mask)
	return nil
}

// locateMission updates the mission and the map of its site if the cache has changed. If the mission's order is
// loaded, it uses the mission of the order, otherwise the mission in the list of all missions.
func (p *MissionPage) locateMission() {
	data := p.Env.Profile.Cache
	if p.located == data.Version() {
		return
	}
	p.located = data.Version()
	for _, m := range data.Now().Missions {
		if m.UUID == p.mission.UUID {
			p.mission = m
		}
	}
	site := p.mission.Located()
	order, _ := data.Details.Get(p.mission.Order.OrderCode)
	if m := columns.FindMission(order, p.mission.UUID); m != nil {
		p.mission = cache.MissionOf(m, order)
		site = p.mission.Mission
	}
	p.Site = nil
	if len(site.LocationMap) > 0 {
		p.Site = page.NewSiteMap()
		p.Site.Model.SetFeatures([]geomap.Feature{page.MissionFeature(&site, p.Env.StateOf(p.mission))})
	}
}

// Update shows new data after it was loaded, and redraws the page after the units were changed.
func (p *MissionPage) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg, page.UnitsMsg:
		return p.OnShow()
	}
	return nil
}

// ActionScopes returns the scopes of the page and of scrolling.
func (p *MissionPage) ActionScopes() []action.Scope {
	return []action.Scope{action.Mission, action.List}
}

// DisabledReason returns why an action is disabled, or "" if it is enabled.
func (p *MissionPage) DisabledReason(id action.ID) string {
	return page.FindAction(p.actions, id).DisabledReason(p.mission)
}

// NextAction returns the action for the next step of the mission, or "" if there is none.
func (p *MissionPage) NextAction() action.ID {
	return missionStep(p.Env, p.mission, p.parts.Planning).Action
}

// IsUnlikely reports whether the user is unlikely to want an action, so that the footer leaves it out.
func (p *MissionPage) IsUnlikely(id action.ID) bool {
	return page.FindAction(p.actions, id).IsUnlikely(p.mission)
}

// HandleAction performs an action, or scrolls.
func (p *MissionPage) HandleAction(id action.ID) tea.Cmd {
	if act := page.FindAction(p.actions, id); act != nil {
		return act.Do(p.mission)
	}
	page.MoveList(&p.Scroll, id)
	return nil
}

// permitRefusal returns why the permit cannot be downloaded, or "" if it can.
func (p *MissionPage) permitRefusal(*mission) string {
	if p.State.IsUnread() {
		return "still loading"
	}
	if p.parts.Permission == nil && p.parts.PermissionErr != nil {
		return "the flight permission could not be loaded; press " + action.KeyOf(action.Refresh, action.Mission)
	}
	if p.parts.Permission == nil {
		return "no flight permission recorded"
	}
	if p.parts.Permission.PermitFileURL == nil {
		return "no permit attached"
	}
	if p.permit.IsRunning() {
		return "already downloading"
	}
	return ""
}

// savePermit asks the user for a file name, and downloads the permit to that file.
func (p *MissionPage) savePermit(m *mission) tea.Cmd {
	client := p.Env.Profile.Client
	permission := p.parts.Permission
	ctx := p.PageLifetime().Context()
	write := func(to io.Writer, _ string) error {
		document, err := client.Missions.Permit(ctx, permission)
		if err != nil {
			return err
		}
		_, err = to.Write(document)
		return err
	}
	address, _, _ := strings.Cut(*permission.PermitFileURL, "?")
	ending := cmp.Or(path.Ext(address), ".pdf")
	page.PromptForFile(p.Base, page.ExportJob{
		Title: "Save flight permit",
		Help:  "The flight permit is downloaded to this file",
		Noun:  "the flight permit",
		Write: write,
	}, page.SafeName(m.MissionCode)+"-permit"+ending)
	return nil
}

// permitEndings maps the media types of permits that can be opened to file extensions.
var permitEndings = map[string]string{
	"application/pdf": ".pdf",
	"image/png":       ".png",
	"image/jpeg":      ".jpg",
}

// openPermit downloads the permit in the background and opens it in the system's default app. It shows an
// error if the permit is not a PDF or an image.
func (p *MissionPage) openPermit(m *mission) tea.Cmd {
	// The page can change during the download, so download uses these values instead of the page's fields.
	client := p.Env.Profile.Client
	permission := p.parts.Permission
	makeFolder := p.Env.Files.Scratch
	openFile := p.Env.Files.Opener
	download := func(ctx context.Context) (string, error) {
		document, err := client.Missions.Permit(ctx, permission)
		if err != nil {
			return "", err
		}
		name, err := permitName(m, document) // fails unless the permit is a PDF or an image
		if err != nil {
			return "", err
		}
		folder, err := makeFolder()
		if err != nil {
			return "", err
		}
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, document, 0o600); err != nil {
			return "", err
		}
		if err := openFile(file); err != nil {
			return "", err
		}
		return name, nil
	}
	return page.RunInBackground(p.Base, &p.permit, download, showOpened)
}

// permitName returns the file name for a permit, or an error if the permit is not a PDF or an
// image.
func permitName(m *mission, document []byte) (string, error) {
	ending := permitEndings[http.DetectContentType(document)]
	if ending == "" {
		return "", errors.New("only PDF and image permits are opened" + savePermitAdvice())
	}
	return page.SafeName(m.MissionCode) + "-permit" + ending, nil
}

// showOpened tells the user which file was opened, or why it was not opened.
func showOpened(name string, err error) tea.Cmd {
	if err != nil {
		return page.ShowToast(theme.Bad, format.FaultText(err))
	}
	return page.ShowToast(theme.Good, "Opened "+name)
}

// View renders the mission. From 120 cells on it has two columns, and a map of the site if there is room.
func (p *MissionPage) View(w, h int) string {
	return p.DrawColumns(w/2, w, h, p.renderAbout, p.renderHistory)
}

// renderAbout renders the mission and its planning.
func (p *MissionPage) renderAbout(w int) []string {
	none := "No flight date yet."
	if !p.mission.FlightDate.IsZero() || p.mission.IsEnded() {
		none = "No planning recorded."
	}
	return page.JoinParts(
		p.renderMission(w),
		p.renderSection(w, "Planning", p.parts.PlanningErr, none, timeline.FromPlanning),
	)
}

// renderHistory renders flight permission, deliveries and callbacks.
func (p *MissionPage) renderHistory(w int) []string {
	filesErr := cmp.Or(p.parts.PackagesErr, p.parts.FilesErr)
	return page.JoinParts(
		p.renderSection(w, "Flight permission", p.parts.PermissionErr, "No flight permission recorded.",
			timeline.FromPermission),
		p.renderSection(w, "Deliveries", filesErr, p.noDeliveriesText(), timeline.FromDelivery),
		p.renderCallbacks(w),
	)
}

// noDeliveriesText returns the text for a mission without delivery packages.
func (p *MissionPage) noDeliveriesText() string {
	if p.mission.Status.IsDelivered() {
		return "No packages listed, although data was delivered."
	}
	if p.mission.IsEnded() {
		return "No deliveries."
	}
	return "No deliveries yet."
}

// renderMission renders the head, the stages and the fields of the mission.
func (p *MissionPage) renderMission(w int) []string {
	th := p.Env.Look.Theme
	now := p.Env.Clock.Now()
	head := p.missionHead(now)
	var stages []string
	steps := missionSteps(p.mission, p.Env.StateOf(p.mission), p.parts.Packages, p.assignedAt(), now, p.Env.Look.Units)
	if steps != nil {
		stages = widget.StepLines(th, steps, w)
	}
	fields := widget.WrapFacts(th, 10, w, MissionFacts(p.Env, p.mission)...)
	return page.JoinParts(head.RenderLines(th, w), stages, fields)
}

// missionHead returns the code, name, status, deadline and warnings of the mission.
func (p *MissionPage) missionHead(now time.Time) *page.DetailHead {
	m := p.mission
	head := &page.DetailHead{
		Code:   m.MissionCode,
		Name:   m.MissionName,
		Status: p.Env.StateOf(m),
		Next:   missionStep(p.Env, m, p.parts.Planning),
	}
	due := m.Deadline(now.Location())
	if !m.IsEnded() && !due.IsZero() {
		head.Due = "due " + format.TimeUntil(due.NoonIn(now.Location()), now)
	}
	if trouble, ok := m.TroubleAt(now); ok {
		warning := widget.Fact{Value: "▲ " + trouble.Text, Role: columns.TroubleTone(trouble)}
		head.Warnings = append(head.Warnings, warning)
	}
	problem := permissionProblem(p.parts.Permission, m.FlightDate.Time)
	if problem != "" && !m.IsEnded() {
		warning := widget.Fact{Value: "▲ " + problem, Role: theme.Attention}
		head.Warnings = append(head.Warnings, warning)
	}
	return head
}

// MissionFacts returns a mission's fields, most important first.
func MissionFacts(env *page.Env, m *cache.Mission) []widget.Fact {
	now := env.Clock.Now()
	units := env.Look.Units
	missionType := format.Word(m.MissionType).Label
	if format.ValueOf(m.AreaSize) > 0 {
		missionType += " · " + units.Area(*m.AreaSize)
	}
	centre := ""
	if m.Centre != nil {
		centre = format.Coordinate(m.Centre.Lat, m.Centre.Lng)
	}
	facts := widget.Texts(
		"Order", strings.TrimSpace(m.Order.OrderCode+"  "+m.Order.OrderName),
		"Deadline", format.DayMoment(m.Deadline(now.Location()), now),
		"Flight", flightText(m, units.MomentAt(m.FlightDate.Time, now, m.SiteZone())),
		"Operator", columns.TextAt(m.OperatorName).Text,
		"Place", columns.PlaceOf(&m.Mission),
		"Centre", centre,
		"Type", missionType,
	)
	unknown := widget.Facts(columns.UnknownMembers(m.Extra))
	return append(facts, unknown...)
}

// flightText returns the text of a mission's flight date. If the mission is cancelled, the text says that the flight
// does not take place. moment is the formatted date, or [format.None].
func flightText(m *cache.Mission, moment string) string {
	if m.Status == api.MissionCancelled && !m.FlightDate.IsZero() {
		return format.None + "  (" + moment + ", cancelled)"
	}
	return moment
}

// renderSection renders a section with the timeline entries from the given sources, newest first. It shows err if a
// source could not be loaded, and emptyText if there are no entries.
func (p *MissionPage) renderSection(
	w int, title string, err error, emptyText string, sources ...timeline.EntrySource,
) []string {
	s := page.DetailSection{
		Title:  title,
		Err:    err,
		Unread: p.State.IsUnread(),
		None:   emptyText,
	}
	var shown []*timeline.TimelineEntry
	for i := range slices.Backward(p.entries) {
		if slices.Contains(sources, p.entries[i].Source) {
			shown = append(shown, &p.entries[i])
		}
	}
	s.Lines = p.renderEntries(shown, w)
	return p.Env.Look.RenderSection(s, w, action.Mission)
}

// entryIndent is the indent of the lines below the first line of an entry.
const entryIndent = "     "

// renderEntries renders entries of the timeline in columns: what happened, the details, the name of the
// endpoint, and the age. If the columns do not fit into w cells, the details are in separate lines. Below each
// entry are its fields, unless its other texts already contain them.
func (p *MissionPage) renderEntries(entries []*timeline.TimelineEntry, w int) []string {
	columns := p.measureEntries(entries)
	isWide := columns.width() > w
	var lines []string
	for _, e := range entries {
		if isWide {
			lines = append(lines, p.renderTall(e, w)...)
		} else {
			lines = append(lines, p.renderInColumns(e, columns, w))
		}
		lines = append(lines, p.renderFields(e, w)...)
	}
	return lines
}

// entryColumns has the widths of the columns of timeline entries: what happened, the details, the name of the
// endpoint (to), and the age.
type entryColumns struct{ brief, detail, to, age int }

// measureEntries returns the widths of the longest texts of entries.
func (p *MissionPage) measureEntries(entries []*timeline.TimelineEntry) entryColumns {
	now := p.Env.Clock.Now()
	var widths entryColumns
	for _, e := range entries {
		widths.brief = max(widths.brief, format.Width(e.Brief))
		widths.detail = max(widths.detail, format.Width(e.Detail))
		widths.to = max(widths.to, format.Width(e.To))
		widths.age = max(widths.age, format.Width(format.Age(e.At, now)))
	}
	return widths
}

// width returns the width of a line with the indent, the columns that have texts, and the margin.
func (c entryColumns) width() int {
	const margin = 1
	width := len(entryIndent) + c.brief + margin
	for _, column := range []int{c.detail, c.to, c.age} {
		if column > 0 {
			width += len("  ") + column
		}
	}
	return width
}

// renderInColumns renders an entry in one line of w cells.
func (p *MissionPage) renderInColumns(e *timeline.TimelineEntry, columns entryColumns, w int) string {
	th := p.Env.Look.Theme
	text := format.FitLeft(format.CapitalizeFirst(e.Brief), columns.brief)
	if columns.detail > 0 {
		text += "  " + format.FitLeft(e.Detail, columns.detail)
	}
	if columns.to > 0 {
		text += "  " + e.To
	}
	return format.FitEnds(p.renderGlyph(e)+th.PaintText(text), p.renderAge(e), w)
}

// renderTall renders an entry of the timeline in lines of at most w cells. The first line says what happened and how
// long ago. The details and the recipient follow in the lines below.
func (p *MissionPage) renderTall(e *timeline.TimelineEntry, w int) []string {
	th := p.Env.Look.Theme
	what := p.renderGlyph(e) + th.PaintText(format.CapitalizeFirst(e.Brief))
	lines := []string{format.FitEnds(what, p.renderAge(e), w)}
	var details []string
	for _, text := range []string{e.Detail, e.To} {
		if text != "" {
			details = append(details, text)
		}
	}
	if len(details) == 0 {
		return lines
	}
	joined := strings.Join(details, ", ")
	return append(lines, th.PaintLines(theme.Text, entryIndent, joined, w-len(entryIndent)-1)...)
}

// renderGlyph renders the glyph of an entry, as wide as the indent.
func (p *MissionPage) renderGlyph(e *timeline.TimelineEntry) string {
	return "   " + p.Env.Look.Theme.PaintRole(e.Role, e.Glyph) + " "
}

// renderAge renders the age of an entry with a margin after it, or "" if its time is unknown.
func (p *MissionPage) renderAge(e *timeline.TimelineEntry) string {
	if e.At.IsZero() {
		return ""
	}
	return p.Env.Look.Theme.PaintMuted(format.Age(e.At, p.Env.Clock.Now()) + " ")
}

// detailFields are the fields of an entry that are rendered below it. The files of a package are rendered as a table.
var detailFields = []string{"Changed", timeline.OutcomeField, "Note", "Reference", "Permit", "Name"}

// renderFields renders the fields of an entry that are in detailFields, and members of the response that this
// version does not know. For a delivery it also renders the files of the package.
func (p *MissionPage) renderFields(e *timeline.TimelineEntry, w int) []string {
	th := p.Env.Look.Theme
	var lines []string
	for _, field := range e.Fields {
		if strings.HasPrefix(field.Name, "+ ") {
			name := th.PaintMuted(entryIndent + field.Name)
			lines = append(lines, name+"  "+th.PaintText(field.Value))
		} else if slices.Contains(detailFields, field.Name) {
			lines = append(lines, th.PaintLines(theme.Muted, entryIndent, field.Value, w-len(entryIndent)-1)...)
		}
	}
	for i := range p.parts.Packages {
		pack := &p.parts.Packages[i]
		if e.ID == timeline.PackageID(pack) {
			lines = append(lines, p.renderFiles(p.parts.Files[pack.UUID], w)...)
		}
	}
	return lines
}

// renderFiles renders the names, the products and the sizes of files in columns. Names that are too long for w cells
// are cut in the middle.
func (p *MissionPage) renderFiles(files []api.DeliveryFile, w int) []string {
	th := p.Env.Look.Theme
	mask := p.Env.Profile.Client.Mask
	var nameWidth, productWidth, sizeWidth int
	for i := range files {
		nameWidth = max(nameWidth, format.Width(mask(format.Clean(files[i].FileName))))
		productWidth = max(productWidth, format.Width(format.Word(files[i].FileDataType).Label))
		sizeWidth = max(sizeWidth, format.Width(format.Bytes(files[i].FileSize)))
	}
	room := w - len(entryIndent) - len("  ") - productWidth - len("  ") - sizeWidth - 1
	nameWidth = min(nameWidth, max(minFileName, room))
	lines := make([]string, len(files))
	for i := range files {
		name := format.CutMiddle(mask(format.Clean(files[i].FileName)), nameWidth)
		product := format.Word(files[i].FileDataType).Label
		size := format.FitRight(format.Bytes(files[i].FileSize), sizeWidth)
		text := format.FitLeft(name, nameWidth) + "  " + format.FitLeft(product, productWidth) + "  " + size
		lines[i] = entryIndent + th.PaintMuted(text)
	}
	return lines
}

// minFileName is the minimum width of the column of file names.
const minFileName = 12

// renderCallbacks renders the callbacks about the mission: sent callbacks, and missing callbacks. If the
// endpoints' logs are unknown or the account has no endpoints, it renders the callbacks that are expected
// instead.
func (p *MissionPage) renderCallbacks(w int) []string {
	hasEndpoints := len(p.facts.Endpoints) > 0
	if !p.hasLogs || !hasEndpoints {
		return p.renderExpectedCallbacks(w)
	}
	const none = "No callbacks in the last 30 days."
	return p.renderSection(w, "Callbacks, last 30 days", p.logErr(), none,
		timeline.FromCallback, timeline.FromMissing)
}

// renderExpectedCallbacks renders the callbacks that an endpoint for all events should have received.
func (p *MissionPage) renderExpectedCallbacks(w int) []string {
	section := page.DetailSection{
		Title:  "Expected callbacks",
		Note:   "from status, planning and packages",
		None:   "None yet.",
		Unread: p.State.IsUnread(),
	}
	if p.hasLogs {
		section.Note = "no endpoints registered"
	}
	withEmptyLog := &timeline.Endpoint{} // so every expected callback is missing
	all := timeline.FindMissing(p.facts.Missions, withEmptyLog, nil, p.Env.Clock.Now())
	eventWidth := 0
	for _, expected := range all {
		eventWidth = max(eventWidth, format.Width(format.Word(expected.Event).Label))
	}
	for _, expected := range all {
		section.Lines = append(section.Lines, p.renderExpected(expected, eventWidth, w)...)
	}
	return p.Env.Look.RenderSection(section, w, action.Mission)
}

// renderExpected renders an expected callback: its event in a column of eventWidth cells, and when and why it is
// expected. If a line of w cells is too short for both, when and why are below the event.
func (p *MissionPage) renderExpected(expected *timeline.MissingCallback, eventWidth, w int) []string {
	th := p.Env.Look.Theme
	event := th.PaintText("   " + format.FitLeft(format.Word(expected.Event).Label, eventWidth))
	details := expected.DescribeTime(p.Env.Clock.Now()) + ", " + expected.Source
	line := event + th.PaintMuted("  "+details)
	if format.Width(line) <= w {
		return []string{line}
	}
	return append([]string{event}, th.PaintLines(theme.Muted, entryIndent, details, w-len(entryIndent)-1)...)
}

// assignedAt returns when an operator was assigned to the mission, or the zero time if that is unknown. It looks
// for the first callback about the assignment, but only in logs that go back to the creation of the mission: in a
// newer log, the first callback can be about another operator, who was assigned later.
func (p *MissionPage) assignedAt() time.Time {
	var first time.Time
	if !p.hasLogs || p.mission.CreatedAt.Before(p.logStart()) {
		return first
	}
	for _, endpoint := range p.facts.Endpoints {
		isLater := endpoint.CreatedAt.After(p.mission.CreatedAt.Time)
		if isLater || endpoint.IsCut {
			continue
		}
		for i := range endpoint.Log {
			callback := &endpoint.Log[i]
			isAssignment := callback.Event == api.EventOperatorAssigned && callback.MissionUID == p.mission.UUID
			isEarlier := first.IsZero() || callback.CreatedAt.Before(first)
			if isAssignment && isEarlier && !callback.CreatedAt.IsZero() {
				first = callback.CreatedAt.Time
			}
		}
	}
	return first
}

// missionSteps returns the stages of a mission with their known dates. It returns nil if the mission is
// cancelled or its status is unknown. state gives the colour of the current stage. assigned is the time at
// which an operator was assigned, or zero if unknown.
func missionSteps(
	m *mission, state format.StatusLabel, packages []api.DeliveryPackage, assigned, now time.Time, units format.Units,
) []widget.Step {
	status := slices.Index(api.MissionStatuses(), m.Status)
	if status < 0 || m.Status == api.MissionCancelled {
		return nil
	}
	// The stages begin with "placed", which is not a status of a mission. So the stage of a status has the next index:
	// the first status, awaitingPilot, is the stage "accepted".
	current := status + 1
	// While the quote of the order is not accepted yet, a mission that awaits a pilot is only placed.
	if m.Order.Status == api.OrderBiddingWithQuote && m.Status == api.MissionAwaitingPilot {
		current = placed
	}
	days := make([]string, len(stages))
	days[placed] = format.Day(m.CreatedAt.Time, now)
	if m.Status.HasReached(api.MissionPilotAssigned) {
		days[operator] = format.Day(assigned, now)
	}
	days[flight] = format.Day(m.FlightDate.Time, units.ClockAt(now, m.SiteZone()))
	if len(packages) > 0 {
		oldest := packages[len(packages)-1]
		days[data] = format.Day(oldest.CreatedAt.Time, now)
	}
	if m.Status == api.MissionCompleted {
		days[done] = format.Day(m.UpdatedAt.Time, now)
	}
	return page.PathSteps(stages, days, current, state.Role)
}

// permissionProblem returns why a granted permission does not cover the time of a flight. It returns "" if the
// permission covers the flight or is not granted, and if the time of the flight is unknown.
func permissionProblem(p *api.FlightPermission, flight time.Time) string {
	if p == nil || p.Status != api.PermissionGranted || flight.IsZero() {
		return ""
	}
	zone := flight.Location()
	if !p.ValidFrom.IsZero() && flight.Before(p.ValidFrom.StartDay(zone).Start()) {
		return "flight date is before the permission starts"
	}
	if !p.ValidTo.IsZero() && flight.After(p.ValidTo.EndDay(zone).End()) {
		return "flight date is after the permission ends"
	}
	return ""
}
