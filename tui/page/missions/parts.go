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
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// renderParts returns what there is to say of the mission, as two columns of lines.
func (p *MissionPage) renderParts(w int) (left, right []string) {
	left = append(append(p.renderAbout(w), ""), p.renderPlanning(w)...)
	right = append(p.renderPermission(w), "")
	right = append(append(right, p.renderDeliveries(w)...), "")
	return left, append(right, p.renderEvents(w)...)
}

// renderAbout returns the mission as its order's list tells it.
func (p *MissionPage) renderAbout(w int) []string {
	lines := append(p.renderHead(w), "")
	if st := missionSteps(p.mission, p.story.Packages, p.Now()); st != nil {
		lines = append(append(lines, widget.StepLines(p.Theme, st, w)...), "")
	}
	return append(lines, p.renderFacts(w)...)
}

// renderTitle returns a title, with what went wrong with it where something did.
func (p *MissionPage) renderTitle(title, note string, err error, w int) []string {
	th := p.Theme
	lines := []string{layout.CutLine(" "+th.PaintTitle(title)+th.PaintMuted("  "+note), w)}
	switch {
	case err != nil:
		return append(lines, page.RenderProblem(th, err, "", "r", w)...)
	case p.state.IsUnread():
		return append(lines, th.PaintMuted("   ░░░░░░░░  ░░░░░░░░░░░░░  ░░░░░░"))
	}
	return lines
}

// renderNone says that there is nothing of a part.
func (p *MissionPage) renderNone(lines []string, what string, w int) []string {
	if len(lines) > 1 || p.state.IsUnread() {
		return lines
	}
	return append(lines, layout.CutLine(p.Theme.PaintMuted("   "+what), w))
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
	lines := []string{
		layout.CutLine(" "+th.PaintRole(theme.Accent, m.MissionCode)+"  "+th.PaintTitle(m.MissionName), w),
		layout.CutLine(status, w),
	}
	if t, ok := m.TroubleAt(p.Now()); ok {
		lines = append(lines, layout.CutLine(" "+th.PaintRole(columns.TroubleTone(t), "▲ "+t.Text), w))
	}
	if wrong := permissionProblem(p.story.Permission, m.FlightDate.Time); wrong != "" && !m.IsEnded() {
		lines = append(lines, layout.CutLine(" "+th.PaintRole(theme.Attention, "▲ "+wrong), w))
	}
	return lines
}

func (p *MissionPage) renderFacts(w int) []string {
	m, now := p.mission, p.Now()
	size := format.None
	if m.AreaSize != nil && *m.AreaSize > 0 {
		size = format.Area(*m.AreaSize)
	}
	where := format.None
	if m.Placed {
		where = format.Coordinate(m.Centre.Lat, m.Centre.Lng)
	}
	return append(widget.WrapFacts(p.Theme, 10, w,
		widget.Text("Order", strings.TrimSpace(m.Order.OrderCode+"  "+m.Order.OrderName)),
		widget.Text("Deadline", format.Date(m.Deadline(), now)+timeUntil(m, now)),
		widget.Text("Flight", format.MomentAt(m.FlightDate.Time, now, m.FlightZone())),
		widget.Text("Operator", cmp.Or(textOrEmpty(m.OperatorName), format.None)),
		widget.Text("Place", strings.Trim(m.LocationLabel+", "+textOrEmpty(m.City)+", "+m.Country, ", ")),
		widget.Text("Centre", where),
		widget.Text("Site", labels.MissionType(m.MissionType).Label+" · "+size),
	), p.renderUnknown(m.Extra, 1, w)...)
}

// renderUnknown returns members that this program does not know, behind so many cells.
func (p *MissionPage) renderUnknown(members api.ExtraMembers, indent, w int) (lines []string) {
	for _, field := range columns.UnknownMembers(members) {
		text := p.Theme.PaintMuted(strings.Repeat(" ", indent)+layout.Clean(field[0])) + "  " + p.Theme.PaintText(layout.Clean(field[1]))
		lines = append(lines, layout.CutLine(text, w))
	}
	return lines
}

// timeUntil returns how long a mission still has.
func timeUntil(m *cache.Mission, now time.Time) string {
	if m.IsEnded() || m.Deadline().IsZero() {
		return ""
	}
	return ", " + format.TimeUntil(m.Deadline(), now)
}

// renderPlanning returns the history of the schedule, newest first: who set which date,
// and what that changed.
func (p *MissionPage) renderPlanning(w int) []string {
	th, now, entries := p.Theme, p.Now(), p.story.Planning
	lines := p.renderTitle("Planning", format.Count(len(entries), "version", "versions"), p.story.PlanningErr, w)
	for i := range entries {
		e := &entries[i]
		var before *api.PlanningEntry
		if i+1 < len(entries) {
			before = &entries[i+1]
		}
		if e.Version == 0 && e.SchedulingStatus == "" && e.FlightDate.IsZero() { // all its members have other names
			lines = append(append(lines, layout.CutLine(th.PaintText(fmt.Sprintf("   %d of %d", i+1, len(entries))), w)), p.renderUnknown(e.Extra, 6, w)...)
			continue
		}
		st := labels.ScheduleLabel(e.SchedulingStatus)
		by := ""
		if e.ScheduledBy != nil && *e.ScheduledBy != "" {
			by = "  by " + *e.ScheduledBy
		}
		lines = append(lines, layout.CutLine(th.PaintRole(st.Role, fmt.Sprintf("   v%d %s %s", e.Version, st.Glyph, st.Label))+
			th.PaintText("  "+format.MomentAt(e.FlightDate.Time, now, p.mission.FlightZone()))+
			th.PaintMuted(by+"  "+format.Ago(e.CreatedAt.Time, now)), w))
		for _, c := range timeline.PlanningChanges(e, before, now, p.mission.FlightZone()) {
			lines = append(lines, layout.CutLine(th.PaintMuted("      "+c), w))
		}
		lines = append(lines, p.renderUnknown(e.Extra, 6, w)...)
		if note := textOrEmpty(e.Note); note != "" {
			for _, part := range layout.Wrap("“"+note+"”", max(10, w-7)) {
				lines = append(lines, th.PaintText("      "+part))
			}
		}
	}
	return p.renderNone(lines, "No flight date yet.", w)
}

func (p *MissionPage) renderPermission(w int) []string {
	th, now, f := p.Theme, p.Now(), p.story.Permission
	lines := p.renderTitle("Flight permission", "", p.story.PermissionErr, w)
	if f == nil {
		return p.renderNone(lines, "No flight permission recorded.", w)
	}
	if f.Status != "" { // else its status has another name
		st := labels.PermissionLabel(f.Status)
		line := th.PaintRole(st.Role, fmt.Sprintf("   %s %s", st.Glyph, st.Label)) + th.PaintMuted("  "+permissionSpan(f, p.mission.InFlightZone(now, now)))
		lines = append(lines, layout.CutLine(line, w))
	}
	if from := strings.TrimSpace(textOrEmpty(f.Authority) + "  " + textOrEmpty(f.Reference)); from != "" {
		lines = append(lines, layout.CutLine(th.PaintText("   "+from), w))
	}
	if f.PermitFileURL != nil {
		lines = append(lines, "   "+p.permitKeys())
	}
	return append(lines, p.renderUnknown(f.Extra, 3, w)...)
}

// permitKeys says what can be done with the document of a permission.
func (p *MissionPage) permitKeys() string {
	th := p.Theme
	if p.Opener == nil {
		return th.PaintHint("E", "save permit")
	}
	return th.PaintHint("O", "open permit   ") + th.PaintHint("E", "save permit")
}

func (p *MissionPage) renderDeliveries(w int) []string {
	th, now := p.Theme, p.Now()
	lines := p.renderTitle("Deliveries", format.Count(len(p.story.Packages), "package", "packages"), p.story.PackagesErr, w)
	for i := range p.story.Packages {
		d := &p.story.Packages[i]
		glyph, role := "◕", theme.Good
		if d.Status == api.DeliveryAccepted {
			glyph = "●"
		}
		right := fmt.Sprintf("%s  %s  %s", format.Count(d.FileCount, "file", "files"), format.Bytes(d.TotalSize), format.Age(d.CreatedAt.Time, now))
		left := th.PaintRole(role, "   "+glyph+" ") + th.PaintText(fmt.Sprintf("%s v%d", d.Name, d.Version)) +
			th.PaintMuted(" "+labels.DeliveryLabel(d.Status).Label)
		lines = append(append(lines, layout.FitEnds(left, th.PaintMuted(right)+" ", w)), p.renderUnknown(d.Extra, 5, w)...)
		files := p.story.Files[d.UUID]
		for j := range files {
			f := &files[j]
			right := fmt.Sprintf("%s  %s", labels.DeliverableWord(f.FileDataType).Label, layout.FitRight(format.Bytes(f.FileSize), 8))
			name := layout.CutMiddle(layout.Clean(f.FileName), max(8, w-8-layout.Width(right)))
			lines = append(lines, layout.FitEnds(th.PaintText("     "+name), th.PaintMuted(right)+" ", w))
			lines = append(lines, p.renderUnknown(f.Extra, 7, w)...)
		}
	}
	if p.story.FilesErr != nil && p.story.PackagesErr == nil {
		lines = append(lines, page.RenderProblem(th, p.story.FilesErr, "", "r", w)...)
	}
	return p.renderNone(lines, "No deliveries yet.", w)
}
