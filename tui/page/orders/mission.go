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
	mostFiles = 5  // packages, newest first, whose files are listed
	logDays   = 30 // as the titles say, how far back the endpoints' logs are read
)

// MissionPage is the page of one mission.
type MissionPage struct {
	page.Detail
	acts    []page.Act[*mission]
	mission *mission
	parts   timeline.MissionParts
	facts   timeline.SubjectFacts
	entries []timeline.TimelineEntry
	located int  // version of the cache when the site was drawn
	logged  bool // the endpoints' logs are read; false too if the key is not allowed to
	permit  page.Question
}

// NewMission returns the page of a mission.
func NewMission(env *page.Env, m *mission) *MissionPage {
	p := &MissionPage{Detail: page.NewDetail(env, "mission", 120, nil, nil), mission: m}
	p.acts = append(missionActs(env), []page.Act[*mission]{
		{ID: action.Refresh, Do: func(*mission) tea.Cmd {
			p.Env.Profile.Cache.RereadNeeds(p.DataNeeds()...)
			return nil
		}},
		{ID: action.CopyCode, Do: func(m *mission) tea.Cmd {
			return p.Env.Files.CopyText(format.Clean(m.MissionCode), m.MissionCode)
		}},
		{ID: action.Permit, Off: p.permitRefusal, Do: p.savePermit},
		{
			ID: action.OpenPermit,
			Off: func(m *mission) string {
				return cmp.Or(
					p.permitRefusal(m),
					page.TextIf(p.Env.Files.Opener == nil, "no app found to open files; press E to save it"),
				)
			},
			Do: p.openPermit,
		},
		page.ResendAct(p.Base, action.ResendCallback, "no failed callbacks", func(m *mission) timeline.Undelivered {
			return timeline.Undelivered{Failures: p.facts.UndeliveredItems(), Of: m.MissionCode}
		}),
	}...)
	return p
}

// missionActs returns what is done with a mission in the list and on its page.
func missionActs(env *page.Env) []page.Act[*mission] {
	return []page.Act[*mission]{
		{ID: action.ShowOrder, Do: func(m *mission) tea.Cmd { return env.Nav.Show(page.OrderRoute{Order: m.Order}) }},
		{ID: action.ShowTimeline, Do: func(m *mission) tea.Cmd { return env.Nav.Show(page.StoryRoute{Subject: subjectOf(m)}) }},
		{ID: action.ShowData, Do: func(m *mission) tea.Cmd {
			return env.Nav.Open(deliveries.NewDeliveriesOf(env, m.Order.OrderCode, m.UUID))
		}},
	}
}

func subjectOf(m *mission) timeline.StorySubject {
	return timeline.StorySubject{Order: m.Order.OrderCode, Mission: m.UUID}
}

// Title returns the mission's code.
func (p *MissionPage) Title() string { return p.mission.MissionCode }

// logStart returns the time from which the logs are read.
func (p *MissionPage) logStart() time.Time { return p.Env.Clock.Now().AddDate(0, 0, -logDays) }

// DataNeeds requests the mission's parts, its order for status and shape, and the
// endpoints' logs.
func (p *MissionPage) DataNeeds() []cache.Need {
	parts, _ := timeline.PartsOf(p.Env.Profile.Cache, p.mission.UUID, mostFiles)
	_, needs, _ := timeline.EndpointsOf(p.Env.Profile.Cache, p.logStart())
	return append(append(parts.Needs, p.Env.Profile.Cache.Details.NeedOf(p.mission.Order.OrderCode)), needs...)
}

// OnShow takes the newest data of the cache.
func (p *MissionPage) OnShow() tea.Cmd {
	p.locateMission()
	p.parts, p.State = timeline.PartsOf(p.Env.Profile.Cache, p.mission.UUID, mostFiles)
	p.facts = timeline.SubjectFacts{
		Subject:  subjectOf(p.mission),
		Units:    p.Env.Look.Units,
		Order:    p.mission.Order,
		Missions: []*timeline.Mission{timeline.MissionOf(p.mission)},
	}
	p.facts.Missions[0].MissionParts = p.parts
	var state cache.EntryState
	p.facts.Endpoints, _, state = timeline.EndpointsOf(p.Env.Profile.Cache, p.logStart())
	p.logged = !state.ReadAt.IsZero() && state.Err == nil
	p.entries = timeline.SafeEntries(timeline.BuildEntries(&p.facts, p.Env.Clock.Now()), p.Env.Profile.Client.Mask)
	return nil
}

// locateMission takes the mission and its shape from its order once that is loaded, or
// from the list of all missions.
func (p *MissionPage) locateMission() {
	if p.located == p.Env.Profile.Cache.Version() {
		return
	}
	p.located = p.Env.Profile.Cache.Version()
	for _, m := range p.Env.Profile.Cache.Now().Missions {
		if m.UUID == p.mission.UUID {
			p.mission = m
		}
	}
	site := p.mission.Located()
	o, _ := p.Env.Profile.Cache.Details.Get(p.mission.Order.OrderCode)
	if m := columns.FindMission(o, p.mission.UUID); m != nil {
		p.mission = cache.MissionOf(m, o)
		site = p.mission.Mission
	}
	if p.Site = nil; len(site.LocationMap) > 0 {
		p.Site = page.NewSiteMap()
		p.Site.Model.SetFeatures([]geomap.Feature{page.MissionFeature(&site)})
	}
}

// Update handles new data.
func (p *MissionPage) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg, page.UnitsMsg:
		return p.OnShow()
	}
	return nil
}

// ActionScopes returns the page's scope, and that of lists to scroll.
func (p *MissionPage) ActionScopes() []action.Scope {
	return []action.Scope{action.Mission, action.List}
}

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (p *MissionPage) DisabledReason(id action.ID) string {
	return page.FindAct(p.acts, id).DisabledReason(p.mission)
}

// HandleAction performs an action, or scrolls.
func (p *MissionPage) HandleAction(id action.ID) tea.Cmd {
	if act := page.FindAct(p.acts, id); act != nil {
		return act.Do(p.mission)
	}
	page.MoveList(&p.Scroll, id)
	return nil
}

// permitRefusal returns why the permit cannot be downloaded, "" if it can.
func (p *MissionPage) permitRefusal(*mission) string {
	switch {
	case p.State.IsUnread():
		return "still loading"
	case p.parts.Permission == nil:
		return "no flight permission recorded"
	case p.parts.Permission.PermitFileURL == nil:
		return "no permit attached"
	case p.permit.IsOpen():
		return "already downloading"
	}
	return ""
}

// savePermit asks for a file, and downloads the permit into it.
func (p *MissionPage) savePermit(m *mission) tea.Cmd {
	client, permission, ctx := p.Env.Profile.Client, p.parts.Permission, p.PageLifetime().Context()
	address, _, _ := strings.Cut(*permission.PermitFileURL, "?")
	p.AskForFile(page.ExportJob{
		Title: "Save flight permit",
		Help:  "The flight permit is downloaded to this file",
		Says:  "the flight permit",
		Write: func(to io.Writer, _ string) error {
			document, err := client.Missions.Permit(ctx, permission)
			if err == nil {
				_, err = to.Write(document)
			}
			return err
		},
	}, page.SafeName(m.MissionCode)+"-permit"+cmp.Or(path.Ext(address), ".pdf"))
	return nil
}

// permitEndings are the file extensions of permits that are opened.
var permitEndings = map[string]string{
	"application/pdf": ".pdf",
	"image/png":       ".png",
	"image/jpeg":      ".jpg",
}

// openPermit downloads the permit and opens it in the system's default app, if it is a
// PDF or an image.
func (p *MissionPage) openPermit(m *mission) tea.Cmd {
	client, permission, folder, open := p.Env.Profile.Client, p.parts.Permission, p.Env.Files.Scratch, p.Env.Files.Opener
	return page.AskInBackground(p.Base, &p.permit, func(ctx context.Context) (string, error) {
		document, err := client.Missions.Permit(ctx, permission)
		if err != nil {
			return "", err
		}
		ending := permitEndings[http.DetectContentType(document)]
		if ending == "" {
			return "", errors.New("only PDF and image permits are opened; press E to save it")
		}
		dir, err := folder()
		if err != nil {
			return "", err
		}
		name := page.SafeName(m.MissionCode) + "-permit" + ending
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, document, 0o600); err != nil {
			return "", err
		}
		return name, open(file)
	}, func(name string, err error) tea.Cmd {
		if err != nil {
			return page.ShowToast(theme.Bad, format.FaultText(err))
		}
		return page.ShowToast(theme.Good, "Opened "+name)
	})
}

// View renders the mission: in two columns from 120 cells, with a map of the site if
// there is room.
func (p *MissionPage) View(w, h int) string {
	return p.DrawColumns(w/2, w, h, p.renderAbout, p.renderHistory)
}

// renderAbout renders the mission and its planning.
func (p *MissionPage) renderAbout(w int) []string {
	return page.JoinParts(
		p.renderMission(w),
		p.renderSection(w, "Planning", p.parts.PlanningErr, "No flight date yet.", timeline.FromPlanning),
	)
}

// renderHistory renders flight permission, deliveries and callbacks.
func (p *MissionPage) renderHistory(w int) []string {
	filesErr := cmp.Or(p.parts.PackagesErr, p.parts.FilesErr)
	return page.JoinParts(
		p.renderSection(w, "Flight permission", p.parts.PermissionErr, "No flight permission recorded.",
			timeline.FromPermission),
		p.renderSection(w, "Deliveries", filesErr, "No deliveries yet.", timeline.FromDelivery),
		p.renderCallbacks(w),
	)
}

// renderMission renders the mission from the data of the list.
func (p *MissionPage) renderMission(w int) []string {
	m, now := p.mission, p.Env.Clock.Now()
	head := page.DetailHead{
		Code:   m.MissionCode,
		Name:   m.MissionName,
		Status: format.Status(m.Status),
	}
	if due := m.Deadline(now.Location()); !m.IsEnded() && !due.IsZero() {
		head.Due = "due " + format.TimeUntil(due.NoonIn(now.Location()), now)
	}
	if t, ok := m.TroubleAt(now); ok {
		head.Warnings = append(head.Warnings, widget.Fact{Value: "▲ " + t.Text, Role: columns.TroubleTone(t)})
	}
	if wrong := permissionProblem(p.parts.Permission, m.FlightDate.Time); wrong != "" && !m.IsEnded() {
		head.Warnings = append(head.Warnings, widget.Fact{Value: "▲ " + wrong, Role: theme.Attention})
	}
	var steps []string
	if path := missionSteps(m, p.parts.Packages, now, p.Env.Look.Units); path != nil {
		steps = widget.StepLines(p.Env.Look.Theme, path, w)
	}
	return page.JoinParts(
		head.RenderLines(p.Env.Look.Theme, w),
		steps,
		widget.WrapFacts(p.Env.Look.Theme, 10, w, MissionFacts(p.Env, m)...),
	)
}

// MissionFacts returns a mission's fields, most important first.
func MissionFacts(env *page.Env, m *cache.Mission) []widget.Fact {
	now, units, site, where := env.Clock.Now(), env.Look.Units, format.Word(m.MissionType).Label, ""
	if format.ValueOf(m.AreaSize) > 0 {
		site += " · " + units.Area(*m.AreaSize)
	}
	if m.Centre != nil {
		where = format.Coordinate(m.Centre.Lat, m.Centre.Lng)
	}
	return append(widget.Texts(
		"Order", strings.TrimSpace(m.Order.OrderCode+"  "+m.Order.OrderName),
		"Deadline", format.ExactDate(m.Deadline(now.Location()), now),
		"Flight", units.MomentAt(m.FlightDate.Time, now, m.SiteZone()),
		"Operator", columns.TextAt(m.OperatorName).Text,
		"Place", columns.PlaceOf(&m.Mission),
		"Centre", where,
		"Type", site,
	), widget.Facts(columns.UnknownMembers(m.Extra))...)
}

// renderSection renders what a source of the timeline knows, the newest first.
func (p *MissionPage) renderSection(
	w int, title string, err error, none string, sources ...timeline.EntrySource,
) []string {
	s := page.DetailSection{
		Title:  title,
		Err:    err,
		Unread: p.State.IsUnread(),
		None:   none,
	}
	for _, e := range slices.Backward(p.entries) {
		if slices.Contains(sources, e.Source) {
			s.Lines = append(s.Lines, p.renderEntry(&e, w)...)
		}
	}
	return p.Env.Look.RenderSection(s, w)
}

// toldFields are the fields of an entry that its line does not say.
var toldFields = []string{"Changed", "Note", "Reference", "Permit", "Name", "File"}

// renderEntry renders an entry of the timeline, with the fields that its line does not
// say.
func (p *MissionPage) renderEntry(e *timeline.TimelineEntry, w int) []string {
	th, what := p.Env.Look.Theme, format.CapitalizeFirst(e.What)
	if !e.At.IsZero() {
		what += ", " + format.Ago(e.At, p.Env.Clock.Now())
	}
	lines := th.PaintLines(theme.Text, "     ", what, w-6)
	lines[0] = th.PaintRole(e.Role, "   "+e.Glyph) + strings.TrimPrefix(lines[0], "    ")
	for _, f := range e.Fields {
		switch {
		case strings.HasPrefix(f.Name, "+ "):
			lines = append(lines, th.PaintMuted("     "+f.Name)+"  "+th.PaintText(f.Value))
		case slices.Contains(toldFields, f.Name):
			lines = append(lines, th.PaintLines(theme.Muted, "     ", f.Value, w-6)...)
		}
	}
	return lines
}

// renderCallbacks renders the callbacks that were sent and those that are missing; where
// the endpoints' logs are not known, those that are expected.
func (p *MissionPage) renderCallbacks(w int) []string {
	th, now := p.Env.Look.Theme, p.Env.Clock.Now()
	if p.logged && len(p.facts.Endpoints) > 0 {
		return p.renderSection(w, "Callbacks, last 30 days", nil, "No callbacks in the last 30 days.",
			timeline.FromCallback, timeline.FromMissing)
	}
	s := page.DetailSection{
		Title: "Expected callbacks", Note: "from status, planning and packages",
		None: "None yet.", Unread: p.State.IsUnread(),
	}
	if p.logged {
		s.Note = "no endpoints registered"
	}
	for _, g := range timeline.FindMissing(p.facts.Missions, &timeline.Endpoint{}, nil, now) {
		what := "   " + format.Word(g.Event).Label
		s.Lines = append(s.Lines, th.PaintText(what)+th.PaintMuted("  "+g.DescribeTime(now)+", "+g.Source))
	}
	return p.Env.Look.RenderSection(s, w)
}

var missionStages = []string{"placed", "operator", "flight", "data", "done"}

// missionSteps returns the stages of a mission with their known dates, nil if it was
// cancelled.
func missionSteps(m *mission, packages []api.DeliveryPackage, now time.Time, units format.Units) []widget.Step {
	at := slices.Index(api.MissionStatuses(), m.Status)
	if at < 0 || m.Status == api.MissionCancelled {
		return nil
	}
	days := make([]string, len(missionStages))
	days[0] = format.Day(m.CreatedAt.Time, now)
	days[2] = format.Day(m.FlightDate.Time, units.ClockAt(now, m.SiteZone()))
	if len(packages) > 0 {
		days[3] = format.Day(packages[len(packages)-1].CreatedAt.Time, now)
	}
	if m.Status == api.MissionCompleted {
		days[4] = format.Day(m.UpdatedAt.Time, now)
	}
	return page.PathSteps(missionStages, days, at, format.Status(m.Status).Role)
}

// permissionProblem returns why a granted permission does not cover the flight, "" if
// it does.
func permissionProblem(p *api.FlightPermission, flight time.Time) string {
	switch {
	case p == nil || flight.IsZero() || p.Status != api.PermissionGranted:
		return ""
	case !p.ValidFrom.IsZero() && flight.Before(p.ValidFrom.StartDay(flight.Location()).Start()):
		return "flight date is before the permission starts"
	case !p.ValidTo.IsZero() && flight.After(p.ValidTo.EndDay(flight.Location()).End()):
		return "flight date is after the permission ends"
	}
	return ""
}
