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

// parts are what there is to say of the mission, as two columns of lines.
func (p *Mission) parts(w int) (left, right []string) {
	left = append(append(p.about(w), ""), p.planning(w)...)
	right = append(p.permission(w), "")
	right = append(append(right, p.deliveries(w)...), "")
	return left, append(right, p.events(w)...)
}

// about is the mission as its order's list tells it.
func (p *Mission) about(w int) []string {
	lines := append(p.head(w), "")
	if st := missionSteps(p.mission, p.story.Packages, p.Now()); st != nil {
		lines = append(append(lines, widget.StepLines(p.Theme, st, w)...), "")
	}
	return append(lines, p.facts(w)...)
}

// part is a title, with what went wrong with it where something did.
func (p *Mission) part(title, note string, err error, w int) []string {
	th := p.Theme
	lines := []string{layout.Cut(" "+layout.Text(th.Title, title)+layout.Text(th.Style(theme.Muted), "  "+note), w)}
	switch {
	case err != nil:
		return append(lines, page.Problem(th, err, "", "r", w)...)
	case p.state.Unread():
		return append(lines, layout.Text(th.Style(theme.Muted), "   ░░░░░░░░  ░░░░░░░░░░░░░  ░░░░░░"))
	}
	return lines
}

// none says that there is nothing of a part.
func (p *Mission) none(lines []string, what string, w int) []string {
	if len(lines) > 1 || p.state.Unread() {
		return lines
	}
	return append(lines, layout.Cut(layout.Text(p.Theme.Style(theme.Muted), "   "+what), w))
}

func (p *Mission) head(w int) []string {
	m, th := p.mission, p.Theme
	st := labels.MissionStatus(m.Status)
	status := " " + layout.Text(th.Style(st.Role), st.Glyph+" "+st.Label)
	for _, more := range []string{st.Description, st.Wire} {
		if more = layout.Text(th.Style(theme.Muted), " · "+more); layout.Width(status)+layout.Width(more) < w {
			status += more
		}
	}
	lines := []string{
		layout.Cut(" "+layout.Text(th.Style(theme.Accent), m.MissionCode)+"  "+layout.Text(th.Title, m.MissionName), w),
		layout.Cut(status, w),
	}
	if t, ok := m.Trouble(p.Now()); ok {
		lines = append(lines, layout.Cut(" "+layout.Text(th.Style(columns.TroubleTone(t)), "▲ "+t.Text), w))
	}
	if wrong := misses(p.story.Permission, m.FlightDate.Time); wrong != "" && !m.Ended() {
		lines = append(lines, layout.Cut(" "+layout.Text(th.Style(theme.Attention), "▲ "+wrong), w))
	}
	return lines
}

func (p *Mission) facts(w int) []string {
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
		widget.Text("Deadline", format.Date(m.Deadline(), now)+until(m, now)),
		widget.Text("Flight", format.MomentAt(m.FlightDate.Time, now, m.Zone())),
		widget.Text("Operator", cmp.Or(value(m.OperatorName), format.None)),
		widget.Text("Place", strings.Trim(m.LocationLabel+", "+value(m.City)+", "+m.Country, ", ")),
		widget.Text("Centre", where),
		widget.Text("Site", labels.MissionType(m.MissionType).Label+" · "+size),
	), p.unknown(m.Extra, 1, w)...)
}

// unknown are members that this program does not know, behind so many cells.
func (p *Mission) unknown(members api.Extra, indent, w int) (lines []string) {
	for _, field := range columns.Unknown(members) {
		text := layout.Text(p.Theme.Style(theme.Muted), strings.Repeat(" ", indent)+layout.Clean(field[0])) + "  " + layout.Text(p.Theme.Style(theme.Text), layout.Clean(field[1]))
		lines = append(lines, layout.Cut(text, w))
	}
	return lines
}

// until is how long a mission still has.
func until(m *cache.Mission, now time.Time) string {
	if m.Ended() || m.Deadline().IsZero() {
		return ""
	}
	return ", " + format.Until(m.Deadline(), now)
}

// planning is the history of the schedule, newest first: who set which date,
// and what that changed.
func (p *Mission) planning(w int) []string {
	th, now, entries := p.Theme, p.Now(), p.story.Planning
	lines := p.part("Planning", format.Count(len(entries), "version", "versions"), p.story.PlanningErr, w)
	for i := range entries {
		e := &entries[i]
		var before *api.PlanningEntry
		if i+1 < len(entries) {
			before = &entries[i+1]
		}
		if e.Version == 0 && e.SchedulingStatus == "" && e.FlightDate.IsZero() { // all its members have other names
			lines = append(append(lines, layout.Cut(layout.Text(th.Style(theme.Text), fmt.Sprintf("   %d of %d", i+1, len(entries))), w)), p.unknown(e.Extra, 6, w)...)
			continue
		}
		st := labels.Schedule(e.SchedulingStatus)
		by := ""
		if e.ScheduledBy != nil && *e.ScheduledBy != "" {
			by = "  by " + *e.ScheduledBy
		}
		lines = append(lines, layout.Cut(layout.Text(th.Style(st.Role), fmt.Sprintf("   v%d %s %s", e.Version, st.Glyph, st.Label))+
			layout.Text(th.Style(theme.Text), "  "+format.MomentAt(e.FlightDate.Time, now, p.mission.Zone()))+
			layout.Text(th.Style(theme.Muted), by+"  "+format.Ago(e.CreatedAt.Time, now)), w))
		for _, c := range timeline.Changes(e, before, now, p.mission.Zone()) {
			lines = append(lines, layout.Cut(layout.Text(th.Style(theme.Muted), "      "+c), w))
		}
		lines = append(lines, p.unknown(e.Extra, 6, w)...)
		if note := value(e.Note); note != "" {
			for _, part := range layout.Wrap("“"+note+"”", max(10, w-7)) {
				lines = append(lines, layout.Text(th.Style(theme.Text), "      "+part))
			}
		}
	}
	return p.none(lines, "No flight date yet.", w)
}

func (p *Mission) permission(w int) []string {
	th, now, f := p.Theme, p.Now(), p.story.Permission
	lines := p.part("Flight permission", "", p.story.PermissionErr, w)
	if f == nil {
		return p.none(lines, "No flight permission recorded.", w)
	}
	if f.Status != "" { // else its status has another name
		st := labels.Permission(f.Status)
		line := layout.Text(th.Style(st.Role), fmt.Sprintf("   %s %s", st.Glyph, st.Label)) + layout.Text(th.Style(theme.Muted), "  "+span(f, p.mission.At(now, now)))
		lines = append(lines, layout.Cut(line, w))
	}
	if from := strings.TrimSpace(value(f.Authority) + "  " + value(f.Reference)); from != "" {
		lines = append(lines, layout.Cut(layout.Text(th.Style(theme.Text), "   "+from), w))
	}
	if f.PermitFileURL != nil {
		lines = append(lines, "   "+p.permitKeys())
	}
	return append(lines, p.unknown(f.Extra, 3, w)...)
}

// permitKeys says what can be done with the document of a permission.
func (p *Mission) permitKeys() string {
	th, muted := p.Theme, p.Theme.Style(theme.Muted)
	if p.Opener == nil {
		return layout.Text(th.Key, "E") + layout.Text(muted, " save permit")
	}
	return layout.Text(th.Key, "O") + layout.Text(muted, " open permit   ") + layout.Text(th.Key, "E") + layout.Text(muted, " save permit")
}

func (p *Mission) deliveries(w int) []string {
	th, now := p.Theme, p.Now()
	lines := p.part("Deliveries", format.Count(len(p.story.Packages), "package", "packages"), p.story.PackagesErr, w)
	for i := range p.story.Packages {
		d := &p.story.Packages[i]
		glyph, role := "◕", theme.Good
		if d.Status == api.DeliveryAccepted {
			glyph = "●"
		}
		right := fmt.Sprintf("%s  %s  %s", format.Count(d.FileCount, "file", "files"), format.Bytes(d.TotalSize), format.Age(d.CreatedAt.Time, now))
		left := layout.Text(th.Style(role), "   "+glyph+" ") + layout.Text(th.Style(theme.Text), fmt.Sprintf("%s v%d", d.Name, d.Version)) +
			layout.Text(th.Style(theme.Muted), " "+labels.Delivery(d.Status).Label)
		lines = append(append(lines, layout.Ends(left, layout.Text(th.Style(theme.Muted), right)+" ", w)), p.unknown(d.Extra, 5, w)...)
		files := p.story.Files[d.UUID]
		for j := range files {
			f := &files[j]
			right := fmt.Sprintf("%s  %s", labels.Deliverable(f.FileDataType).Label, layout.Right(format.Bytes(f.FileSize), 8))
			name := layout.CutMiddle(layout.Clean(f.FileName), max(8, w-8-layout.Width(right)))
			lines = append(lines, layout.Ends(layout.Text(th.Style(theme.Text), "     "+name), layout.Text(th.Style(theme.Muted), right)+" ", w))
			lines = append(lines, p.unknown(f.Extra, 7, w)...)
		}
	}
	if p.story.FilesErr != nil && p.story.PackagesErr == nil {
		lines = append(lines, page.Problem(th, p.story.FilesErr, "", "r", w)...)
	}
	return p.none(lines, "No deliveries yet.", w)
}
