package missions

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// renderAbout renders the mission and its planning.
func (p *MissionPage) renderAbout(w int) []string {
	planning := p.planningSection(w)
	return detail.JoinParts(p.renderMission(w), planning.RenderLines(p.Theme, w))
}

// renderHistory renders flight permission, deliveries and callbacks.
func (p *MissionPage) renderHistory(w int) (lines []string) {
	for _, s := range []detail.Section{p.permissionSection(), p.deliverySection(w), p.eventSection()} {
		lines = detail.JoinParts(lines, s.RenderLines(p.Theme, w))
	}
	return lines
}

// renderMission renders the mission from the data of the list.
func (p *MissionPage) renderMission(w int) []string {
	var steps []string
	if path := missionSteps(p.mission, p.story.Packages, p.Now()); path != nil {
		steps = widget.StepLines(p.Theme, path, w)
	}
	return detail.JoinParts(detail.CutLines(p.renderHead(w), w), steps, p.renderFacts(w))
}

func (p *MissionPage) renderHead(w int) []string {
	m, th := p.mission, p.Theme
	st := labels.MissionStatus(m.Status)
	status := " " + th.PaintRole(st.Role, st.Glyph+" "+st.Label)
	for _, more := range []string{st.Description, st.Wire} {
		if more = th.PaintMuted(" · " + more); layout.Width(status)+layout.Width(more) < w {
			status += more
		}
	}
	lines := []string{" " + th.PaintRole(theme.Accent, m.MissionCode) + "  " + th.PaintTitle(m.MissionName), status}
	if t, ok := m.TroubleAt(p.Now()); ok {
		lines = append(lines, " "+th.PaintRole(columns.TroubleTone(t), "▲ "+t.Text))
	}
	if wrong := permissionProblem(p.story.Permission, m.FlightDate.Time); wrong != "" && !m.IsEnded() {
		lines = append(lines, " "+th.PaintRole(theme.Attention, "▲ "+wrong))
	}
	return lines
}

func (p *MissionPage) renderFacts(w int) []string {
	m, now := p.mission, p.Now()
	size, where := format.None, format.None
	if m.AreaSize != nil && *m.AreaSize > 0 {
		size = format.Area(*m.AreaSize)
	}
	if m.Placed {
		where = format.Coordinate(m.Centre.Lat, m.Centre.Lng)
	}
	facts := widget.WrapFacts(p.Theme, 10, w,
		widget.Text("Order", strings.TrimSpace(m.Order.OrderCode+"  "+m.Order.OrderName)),
		widget.Text("Deadline", format.Date(m.Deadline(), now)+timeUntil(m, now)),
		widget.Text("Flight", format.MomentAt(m.FlightDate.Time, now, m.FlightZone())),
		widget.Text("Operator", cmp.Or(textOrEmpty(m.OperatorName), format.None)),
		widget.Text("Place", strings.Trim(m.LocationLabel+", "+textOrEmpty(m.City)+", "+m.Country, ", ")),
		widget.Text("Centre", where),
		widget.Text("Site", labels.MissionType(m.MissionType).Label+" · "+size))
	return append(facts, detail.CutLines(p.unknownLines(m.Extra, 1), w)...)
}

// unknownLines renders members that this version does not know, indented by a number of
// cells.
func (p *MissionPage) unknownLines(members api.ExtraMembers, indent int) (lines []string) {
	for _, field := range columns.UnknownMembers(members) {
		lines = append(lines, p.Theme.PaintMuted(layout.BlankCells(indent)+field[0])+"  "+p.Theme.PaintText(field[1]))
	}
	return lines
}

// timeUntil returns the time left until the deadline of a mission in progress, as ", in
// 3 days".
func timeUntil(m *cache.Mission, now time.Time) string {
	if m.IsEnded() || m.Deadline().IsZero() {
		return ""
	}
	return ", " + format.TimeUntil(m.Deadline(), now)
}

// planningSection returns the planning versions, newest first: the date, who set it,
// and what changed.
func (p *MissionPage) planningSection(w int) detail.Section {
	th, now, zone, entries := p.Theme, p.Now(), p.mission.FlightZone(), p.story.Planning
	s := detail.Section{
		Title: "Planning", Note: format.Count(len(entries), "version", "versions"), Err: p.story.PlanningErr,
		Unread: p.State.IsUnread(), None: "No flight date yet.",
	}
	for i := range entries {
		e := &entries[i]
		if e.Version == 0 && e.SchedulingStatus == "" && e.FlightDate.IsZero() { // none of its members are known
			s.Lines = append(
				append(s.Lines, th.PaintText(fmt.Sprintf("   %d of %d", i+1, len(entries)))),
				p.unknownLines(e.Extra, 6)...)
			continue
		}
		var before *api.PlanningEntry
		if i+1 < len(entries) {
			before = &entries[i+1]
		}
		by := ""
		if name := textOrEmpty(e.ScheduledBy); name != "" {
			by = "  by " + name
		}
		st := labels.ScheduleLabel(e.SchedulingStatus)
		version := th.PaintRole(st.Role, fmt.Sprintf("   v%d %s %s", e.Version, st.Glyph, st.Label))
		date := th.PaintText("  " + format.MomentAt(e.FlightDate.Time, now, zone))
		s.Lines = append(s.Lines, version+date+th.PaintMuted(by+"  "+format.Ago(e.CreatedAt.Time, now)))
		for _, change := range timeline.PlanningChanges(e, before, now, zone) {
			s.Lines = append(s.Lines, th.PaintMuted("      "+change))
		}
		s.Lines = append(s.Lines, p.unknownLines(e.Extra, 6)...)
		if note := textOrEmpty(e.Note); note != "" {
			for _, part := range layout.Wrap("“"+note+"”", max(10, w-7)) {
				s.Lines = append(s.Lines, th.PaintText("      "+part))
			}
		}
	}
	return s
}

func (p *MissionPage) permissionSection() detail.Section {
	th, now, f := p.Theme, p.Now(), p.story.Permission
	s := detail.Section{
		Title:  "Flight permission",
		Err:    p.story.PermissionErr,
		Unread: p.State.IsUnread(),
		None:   "No flight permission recorded.",
	}
	if f == nil {
		return s
	}
	if f.Status != "" { // empty if the service renamed the member
		st := labels.PermissionLabel(f.Status)
		s.Lines = append(s.Lines, th.PaintRole(st.Role, "   "+st.Glyph+" "+st.Label)+
			th.PaintMuted("  "+permissionSpan(f, p.mission.InFlightZone(now, now))))
	}
	if from := strings.TrimSpace(textOrEmpty(f.Authority) + "  " + textOrEmpty(f.Reference)); from != "" {
		s.Lines = append(s.Lines, th.PaintText("   "+from))
	}
	if f.PermitFileURL != nil {
		keys := th.PaintHint("E", "save permit")
		if p.Opener != nil {
			keys = th.PaintHint("O", "open permit   ") + keys
		}
		s.Lines = append(s.Lines, "   "+keys)
	}
	s.Lines = append(s.Lines, p.unknownLines(f.Extra, 3)...)
	return s
}

func (p *MissionPage) deliverySection(w int) detail.Section {
	th, story := p.Theme, &p.story
	s := detail.Section{
		Title: "Deliveries", Note: format.Count(len(story.Packages), "package", "packages"), Err: story.PackagesErr,
		Unread: p.State.IsUnread(), None: "No deliveries yet.",
	}
	for i := range story.Packages {
		d := &story.Packages[i]
		glyph := "◕"
		if d.Status == api.DeliveryAccepted {
			glyph = "●"
		}
		files, age := format.Count(d.FileCount, "file", "files"), format.Age(d.CreatedAt.Time, p.Now())
		right := files + "  " + format.Bytes(d.TotalSize) + "  " + age
		left := th.PaintRole(theme.Good, "   "+glyph+" ") + th.PaintText(fmt.Sprintf("%s v%d", d.Name, d.Version)) +
			th.PaintMuted(" "+labels.DeliveryLabel(d.Status).Label)
		s.Lines = append(
			append(s.Lines, layout.FitEnds(left, th.PaintMuted(right)+" ", w)),
			p.unknownLines(d.Extra, 5)...)
		listed := story.Files[d.UUID]
		for j := range listed {
			f := &listed[j]
			right := labels.DeliverableWord(f.FileDataType).Label + "  " + layout.FitRight(format.Bytes(f.FileSize), 8)
			name := layout.CutMiddle(layout.Clean(f.FileName), max(8, w-8-layout.Width(right)))
			s.Lines = append(s.Lines, layout.FitEnds(th.PaintText("     "+name), th.PaintMuted(right)+" ", w))
			s.Lines = append(s.Lines, p.unknownLines(f.Extra, 7)...)
		}
	}
	if story.FilesErr != nil && story.PackagesErr == nil {
		s.Lines = append(s.Lines, page.RenderProblem(th, story.FilesErr, "", "r", w)...)
	}
	return s
}
