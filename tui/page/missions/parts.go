package missions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// renderAbout renders the mission and its planning.
func (p *MissionPage) renderAbout(w int) []string {
	return detail.JoinParts(
		p.renderMission(w),
		p.renderSection(w, "Planning", p.parts.PlanningErr, "No flight date yet.", timeline.FromPlanning),
	)
}

// renderHistory renders flight permission, deliveries and callbacks.
func (p *MissionPage) renderHistory(w int) []string {
	filesErr := cmp.Or(p.parts.PackagesErr, p.parts.FilesErr)
	return detail.JoinParts(
		p.renderSection(
			w,
			"Flight permission",
			p.parts.PermissionErr,
			"No flight permission recorded.",
			timeline.FromPermission,
		),
		p.renderSection(w, "Deliveries", filesErr, "No deliveries yet.", timeline.FromDelivery),
		p.renderCallbacks(w),
	)
}

// renderMission renders the mission from the data of the list.
func (p *MissionPage) renderMission(w int) []string {
	m, now := p.mission, p.Now()
	head := detail.Head{Code: m.MissionCode, Name: m.MissionName, Status: labels.Status(m.Status)}
	if !m.IsEnded() && !m.Deadline().IsZero() {
		head.Due = "due " + format.TimeUntil(m.Deadline(), now)
	}
	if t, ok := m.TroubleAt(now); ok {
		head.Warnings = append(head.Warnings, widget.Fact{Value: "▲ " + t.Text, Role: columns.TroubleTone(t)})
	}
	if wrong := permissionProblem(p.parts.Permission, m.FlightDate.Time); wrong != "" && !m.IsEnded() {
		head.Warnings = append(head.Warnings, widget.Fact{Value: "▲ " + wrong, Role: theme.Attention})
	}
	var steps []string
	if path := missionSteps(m, p.parts.Packages, now, p.Units); path != nil {
		steps = widget.StepLines(p.Theme, path, w)
	}
	return detail.JoinParts(
		head.RenderLines(p.Theme, w),
		steps,
		widget.WrapFacts(p.Theme, 10, w, missionFacts(m, now, p.Units)...),
	)
}

func missionFacts(m *mission, now time.Time, units format.Units) []widget.Fact {
	site, where := labels.Word(m.MissionType).Label, ""
	if m.AreaSize != nil && *m.AreaSize > 0 {
		site += " · " + units.Area(*m.AreaSize)
	}
	if m.Centre != nil {
		where = format.Coordinate(m.Centre.Lat, m.Centre.Lng)
	}
	return append(widget.Texts(
		"Order", strings.TrimSpace(m.Order.OrderCode+"  "+m.Order.OrderName),
		"Deadline", format.Date(m.Deadline(), now),
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
	s := detail.Section{Title: title, Err: err, Unread: p.State.IsUnread(), None: none}
	if s.Unread {
		return s.RenderLines(p.Theme, w)
	}
	for _, e := range slices.Backward(p.entries) {
		if slices.Contains(sources, e.Source) {
			s.Lines = append(s.Lines, p.renderEntry(&e, w)...)
		}
	}
	return s.RenderLines(p.Theme, w)
}

// toldFields are the fields of an entry that its line does not say.
var toldFields = []string{"changed", "note", "reference", "permit", "package", "file"}

// renderEntry renders an entry of the timeline, with the fields that its line does not
// say.
func (p *MissionPage) renderEntry(e *timeline.TimelineEntry, w int) []string {
	th, what := p.Theme, format.CapitalizeFirst(e.What)
	if !e.At.IsZero() {
		what += ", " + format.Ago(e.At, p.Now())
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
	th, now := p.Theme, p.Now()
	if p.logged && len(p.facts.Endpoints) > 0 {
		title := fmt.Sprintf("Callbacks, last %d days", logDays)
		return p.renderSection(
			w,
			title,
			nil,
			"No callbacks in the last 30 days.",
			timeline.FromCallback,
			timeline.FromGap,
		)
	}
	s := detail.Section{
		Title: "Expected callbacks",
		Note:  "from status, planning and packages",
		None:  "None yet.",
	}
	if p.logged {
		s.Note = "no endpoints registered"
	}
	if s.Unread = p.State.IsUnread(); !s.Unread {
		for _, g := range timeline.FindMissing(p.facts.Missions, &timeline.Endpoint{}, nil, now) {
			what := "   " + labels.Word(g.Event).Label
			s.Lines = append(s.Lines, th.PaintText(what)+th.PaintMuted("  "+g.DescribeTime(now)+", "+g.Source))
		}
	}
	return s.RenderLines(th, w)
}

var stages = []string{"placed", "operator", "flight", "data", "done"}

// missionSteps returns the stages of a mission with their known dates, nil if it was
// cancelled.
func missionSteps(m *mission, packages []api.DeliveryPackage, now time.Time, units format.Units) []widget.Step {
	at := slices.Index(api.MissionStatuses(), m.Status)
	if at < 0 || m.Status == api.MissionCancelled {
		return nil
	}
	days := make([]string, len(stages))
	days[0] = format.ShortDay(m.CreatedAt.Time, now)
	days[2] = format.ShortDay(m.FlightDate.Time, units.ClockAt(now, m.SiteZone()))
	if len(packages) > 0 {
		days[3] = format.ShortDay(packages[len(packages)-1].CreatedAt.Time, now)
	}
	if m.Status == api.MissionCompleted {
		days[4] = format.ShortDay(m.UpdatedAt.Time, now)
	}
	return detail.PathSteps(stages, days, at, labels.Status(m.Status).Role)
}

// permissionProblem returns why a granted permission does not cover the flight, "" if
// it does.
func permissionProblem(p *api.FlightPermission, flight time.Time) string {
	switch {
	case p == nil || flight.IsZero() || p.Status != api.PermissionGranted:
		return ""
	case !p.ValidFrom.IsZero() && flight.Before(p.ValidFrom.Time):
		return "flight date is before the permission starts"
	case !p.ValidTo.IsZero() && flight.After(p.ValidTo.Time):
		return "flight date is after the permission ends"
	}
	return ""
}
