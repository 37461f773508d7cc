package operations

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/widget/form"
)

// assignOperator opens the form that assigns an operator to missions.
func (d *operationsPage) assignOperator(s *orderItem) tea.Cmd {
	which, others := missionScope(s, api.MissionAwaitingPilot)
	lines := []string{s.mission.MissionCode + "  " + s.mission.MissionName + "  ·  " + s.order.OrderCode}
	known, name := d.knownOperators(), textOrEmpty(s.mission.OperatorName)
	switch {
	case name != "":
		lines = append(lines, "Now assigned: "+layout.Clean(name))
	case len(known) > 0:
		name = known[0]
	}
	q := &requestForm{title: "Assign operator: " + s.mission.MissionCode, yes: "assign", lines: lines}
	fillForMissions(d, q, commands.AssignOperator(&name), s, which, others, func(missions []*api.OpsMission) string {
		return name + " assigned to " + missionNames(missions)
	})
	if len(known) > 0 {
		examples := strings.Join(known[:min(3, len(known))], ", ")
		q.form.Field("operatorName").Help = "company or person, e.g. " + examples + ", or another"
	}
	if which != nil {
		which.Set("all")
	}
	return d.acts.openForm(q)
}

// knownOperators returns the names of operators, busiest first.
func (d *operationsPage) knownOperators() []string {
	flights := map[string]int{}
	for _, o := range d.world.works.readOrders() {
		for i := range o.Missions {
			if name := o.Missions[i].OperatorName; name != nil && *name != "" {
				flights[*name]++
			}
		}
	}
	names := slices.Sorted(maps.Keys(flights))
	slices.SortStableFunc(names, func(a, b string) int { return flights[b] - flights[a] })
	return names
}

// scheduleFlight opens the form for a flight date, with a reason if there already is
// one.
func (d *operationsPage) scheduleFlight(s *orderItem) tea.Cmd {
	again := s.mission.Status == api.MissionFlightScheduled
	which, others := missionScope(s, api.MissionPilotAssigned)
	if again {
		which, others = missionScope(s, api.MissionFlightScheduled)
	}
	title, yes := "Schedule flight", "schedule"
	lines := []string{
		s.mission.MissionCode + "  " + s.mission.MissionName + "  ·  " + cmp.Or(
			textOrEmpty(s.mission.OperatorName),
			"no operator",
		),
	}
	day := d.Now().AddDate(0, 0, 2)
	if again {
		title, yes = "Reschedule flight", "reschedule"
		lines = append(
			lines,
			"Now "+format.Moment(s.mission.FlightDate.Time, d.Now())+"; stays in the planning history.",
		)
		day = s.mission.FlightDate.In(d.Now().Location()).AddDate(0, 0, 1)
	}
	year, month, date := day.Date()
	in := api.FlightInput{
		FlightDate:  api.TimeOf(time.Date(year, month, date, 9, 0, 0, 0, d.Now().Location())),
		ScheduledBy: "Operations",
	}
	q := &requestForm{title: title + ": " + s.mission.MissionCode, yes: yes, lines: lines}
	fillForMissions(
		d,
		q,
		commands.ScheduleFlight(&in, again),
		s,
		which,
		others,
		func(missions []*api.OpsMission) string {
			verb := " flies "
			if len(missions) > 1 {
				verb = " fly "
			}
			return missionNames(missions) + verb + format.Moment(in.FlightDate.Time, d.Now())
		},
	)
	if which != nil {
		which.Set("one")
	}
	return d.acts.openForm(q)
}

var permissionWords = map[api.PermissionStatus][2]string{
	api.PermissionNotRequired: {"not required", "no permission needed"},
	api.PermissionPending:     {"pending", "requested, no decision"},
	api.PermissionGranted:     {"granted", "the flight is permitted"},
	api.PermissionRefused:     {"refused", "must not fly"},
}

// recordPermit opens the form that records a flight permission with its document.
func (d *operationsPage) recordPermit(x *orderItem) tea.Cmd {
	m := x.mission
	q := &requestForm{title: "Flight permission: " + m.MissionCode, yes: "record", lines: []string{
		m.MissionCode + "  " + m.MissionName,
		"Replaces the recorded permission: " + cmp.Or(permissionText(m.FlightPermission, d.Now()), "nothing"),
	}}
	var in commands.Permission
	in.Status = api.PermissionGranted
	if p := m.FlightPermission; p != nil {
		in.Authority, in.Reference = textOrEmpty(p.Authority), textOrEmpty(p.Reference)
		in.ValidFrom, in.ValidTo = p.ValidFrom, p.ValidTo
	}
	document := &form.Field{ID: "permit", Label: "Permit", Kind: form.Choice, Options: []form.Option{
		{Value: "none", Label: "none", Help: "without a permit", Quiet: true},
		{Value: fromFiles, Label: "choose a file", Help: "a PDF, for example; you select it next", Quiet: true},
	}}
	fillIn(d, q, commands.RecordPermission(&in), m.UUID, func(*api.FlightPermission) requestResult {
		said := fmt.Sprintf("Permission for %s recorded: %s", m.MissionCode, in.Status)
		if in.Document != nil {
			said += ", with " + in.Document.Name
		}
		return requestResult{said: said}
	}, document)
	document.Set("none")
	q.pick = func() (string, []api.Deliverable, bool) {
		return "Flight permit", nil, document.Value() == fromFiles
	}
	record := q.send
	q.send = func(ctx context.Context) (requestResult, error) {
		files, err := openFiles(q.files, api.MaxPermitBytes)
		if err != nil {
			return requestResult{}, err
		}
		defer files.closeAll()
		if in.Document = nil; len(files.inputs) > 0 {
			in.Document = &files.inputs[0]
		}
		return record(ctx)
	}
	return d.acts.openForm(q)
}

// permissionText returns a short description of a permission.
func permissionText(p *api.FlightPermission, now time.Time) string {
	if p == nil {
		return ""
	}
	text := layout.Clean(labels.PermissionLabel(p.Status).Label)
	if authority := textOrEmpty(p.Authority); authority != "" {
		text += " by " + authority
	}
	if reference := textOrEmpty(p.Reference); reference != "" {
		text += ", " + reference
	}
	if !p.ValidTo.IsZero() {
		text += ", to " + format.Day(p.ValidTo.Time, now)
	}
	if p.PermitFileURL != nil {
		text += ", with a permit"
	}
	return text
}
