package operations

import (
	"context"
	"errors"
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
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// confirm asks before something is done that takes no more than a yes.
func (d *operations) confirm(title, yes, doing string, lines []string, send func(context.Context) (sent, error)) {
	d.Overlay(&dialog.Question{
		Theme: d.Theme, Title: title, Lines: lines, Yes: yes, No: "leave it",
		OnYes: func() tea.Cmd { return d.acts.send(doing, send) },
	})
}

// assignAsk gives missions their operator.
func (d *operations) assignAsk(s subject) *ask {
	which, others := scope(s, api.MissionAwaitingPilot)
	var todo batch
	operator := &form.Field{ID: "operatorName", Label: "Operator", Help: "who flies"}
	known := d.operators()
	if len(known) > 0 {
		operator.Help = "who flies: " + strings.Join(known[:min(3, len(known))], ", ") + ", or another"
	}
	fields := []*form.Field{operator}
	if which != nil {
		fields = append(fields, which)
	}
	f := form.New(api.MaxNameLength, d.Now, fields...)
	lines := []string{s.mission.MissionCode + "  " + s.mission.MissionName + "  ·  " + s.order.OrderCode}
	switch {
	case s.mission.OperatorName != nil:
		operator.Set(*s.mission.OperatorName)
		lines = append(lines, "Now "+layout.Clean(*s.mission.OperatorName)+"; another one takes over.")
	case len(known) > 0:
		operator.Set(known[0])
	}
	if which != nil {
		which.Set("all")
	}
	return &ask{
		title: "Assign operator: " + s.mission.MissionCode, yes: "assign", doing: "assigning the operator", form: f,
		lines: lines, warn: "The client sees who flies, and its endpoints are told. " + noWayBack,
		check: func(f *form.Form) { required(f, "operatorName", "a mission needs somebody to fly it") },
		send: func(ctx context.Context) (sent, error) {
			missions, name := chosen(f, s, others), operator.Value()
			err := todo.each(missions, func(m *api.OpsMission) error {
				_, err := d.Ops.Missions.AssignOperator(ctx, m.UUID, name)
				return err
			})
			return sent{said: name + " flies " + several(missions)}, err
		},
	}
}

// operators are the names that fly for the desk, the busiest first.
func (d *operations) operators() []string {
	flights := map[string]int{}
	for _, f := range d.world.works.files {
		for i := range f.order.Missions {
			if name := f.order.Missions[i].OperatorName; name != nil && *name != "" {
				flights[*name]++
			}
		}
	}
	names := slices.Sorted(maps.Keys(flights))
	slices.SortStableFunc(names, func(a, b string) int { return flights[b] - flights[a] })
	return names
}

// scheduleAsk sets the date of flights, or another one with a reason.
func (d *operations) scheduleAsk(s subject) *ask {
	again := s.mission.Status == api.MissionFlightScheduled
	which, others := scope(s, api.MissionPilotAssigned)
	var todo batch
	if again {
		which, others = scope(s, api.MissionFlightScheduled)
	}
	note := &form.Field{ID: "note", Label: "Note", Help: "the client reads it in the planning"}
	title, yes := "Schedule flight", "schedule"
	lines := []string{s.mission.MissionCode + "  " + s.mission.MissionName + "  ·  " + operatorOf(s.mission)}
	if again {
		title, yes, note.Label, note.Help = "Reschedule flight", "reschedule", "Reason", "why it is moved; the client reads it in the planning"
		lines = append(lines, "Now "+format.Moment(s.mission.FlightDate.Time, d.Now())+". What was planned stays in its history.")
	}
	fields := []*form.Field{
		{ID: "flightDate", Label: "Flight", Kind: form.Date, Help: "tomorrow, friday, 1 Dec"},
		{ID: "time", Label: "Time", Help: "when they take off, as 09:30, in your time"},
		{ID: "scheduledBy", Label: "By", Help: "who says so; may be left empty"},
		note,
	}
	if which != nil {
		fields = append(fields, which)
	}
	f := form.New(api.MaxTextLength, d.Now, fields...)
	day := d.Now().AddDate(0, 0, 2)
	if again {
		day = s.mission.FlightDate.In(d.Now().Location()).AddDate(0, 0, 1)
	}
	f.Field("flightDate").Set(day.Format(time.DateOnly))
	f.Field("time").Set("09:00")
	f.Field("scheduledBy").Set("Operations desk")
	if which != nil {
		which.Set("one")
	}
	return &ask{
		title: title + ": " + s.mission.MissionCode, yes: yes, doing: "scheduling", form: f, names: map[string]string{"note": "note"},
		lines: lines, warn: "The client sees the date, and its endpoints are told. " + noWayBack,
		check: func(f *form.Form) { checkFlight(f, again) },
		send: func(ctx context.Context) (sent, error) {
			at, _ := flightOf(f)
			missions := chosen(f, s, others)
			err := todo.each(missions, func(m *api.OpsMission) error {
				_, err := d.Ops.Missions.Schedule(ctx, m.UUID, api.FlightInput{
					FlightDate: api.At(at), ScheduledBy: f.Field("scheduledBy").Value(), Note: note.Value(),
				})
				return err
			})
			verb := " flies "
			if len(missions) > 1 {
				verb = " fly "
			}
			return sent{said: several(missions) + verb + format.Moment(at, d.Now())}, err
		},
	}
}

func operatorOf(m *api.OpsMission) string {
	if m.OperatorName == nil {
		return "no operator"
	}
	return *m.OperatorName
}

// errClock says how a time of day is typed.
var errClock = errors.New("type a time as 09:30")

// flightOf is the moment that a form's day and time say.
func flightOf(f *form.Form) (time.Time, error) {
	day, err := f.Field("flightDate").Time()
	if err != nil {
		return day, err
	}
	clock, err := time.Parse("15:04", f.Field("time").Value())
	if err != nil {
		return day, errClock
	}
	y, m, d := day.Date()
	return time.Date(y, m, d, clock.Hour(), clock.Minute(), 0, 0, day.Location()), nil
}

func checkFlight(f *form.Form, again bool) {
	switch _, err := flightOf(f); {
	case errors.Is(err, errClock):
		f.Field("time").Error = err.Error()
	case err != nil:
		f.Field("flightDate").Error = err.Error()
	}
	if again {
		required(f, "note", "say why it is moved")
	}
}

var permissionWords = map[api.PermissionStatus][2]string{
	api.PermissionNotRequired: {"not required", "nobody has to be asked"},
	api.PermissionPending:     {"pending", "it was asked for"},
	api.PermissionGranted:     {"granted", "it may be flown"},
	api.PermissionRefused:     {"refused", "it may not be flown"},
}

func permissionOptions() []form.Option {
	var options []form.Option
	for _, s := range api.PermissionStatuses() {
		options = append(options, form.Option{Value: string(s), Label: permissionWords[s][0], Help: permissionWords[s][1]})
	}
	return options
}

// permitAsk records a flight permission, with its document.
func (d *operations) permitAsk(m *api.OpsMission) *ask {
	q := &ask{title: "Flight permission: " + m.MissionCode, yes: "record", lines: []string{
		m.MissionCode + "  " + m.MissionName, "It takes the place of what is recorded now: " + permissionText(m.FlightPermission, d.Now()) + ".",
	}}
	var in commands.Permission
	in.Status = api.PermissionGranted
	if p := m.FlightPermission; p != nil {
		in.Authority, in.Reference, in.ValidFrom, in.ValidTo = derefText(p.Authority), derefText(p.Reference), p.ValidFrom, p.ValidTo
	}
	document := &form.Field{ID: "permit", Label: "Document", Kind: form.Choice, Options: []form.Option{
		{Value: "none", Label: "none", Help: "no document is kept with it", Quiet: true},
		{Value: fromFiles, Label: "choose a file", Help: "a PDF, say; it is chosen next", Quiet: true},
	}}
	fillIn(d, q, commands.RecordPermission(&in), m.UUID, func(*api.FlightPermission) sent {
		said := fmt.Sprintf("permission of %s recorded: %s", m.MissionCode, in.Status)
		if in.Document != nil {
			said += ", with " + in.Document.Name
		}
		return sent{said: said}
	}, document)
	document.Set("none")
	fill := q.check
	q.check = func(f *form.Form) {
		fill(f)
		if !in.ValidFrom.IsZero() && !in.ValidTo.IsZero() && in.ValidTo.Before(in.ValidFrom.Time) {
			f.Field("validTo").Error = "this is before it begins"
		}
	}
	q.pick = func() (string, []api.Deliverable, bool) {
		return "Document of the permission", nil, document.Value() == fromFiles
	}
	record := q.send
	q.send = func(ctx context.Context) (sent, error) {
		if in.Document = nil; len(q.files) == 0 {
			return record(ctx)
		}
		file, err := openFile(q.files[0].path, api.MaxPermitBytes)
		if err != nil {
			return sent{}, err
		}
		defer func() { _ = file.Close() }()
		in.Document = &api.FileInput{Name: file.name, Content: file}
		return record(ctx)
	}
	return q
}

// permissionText says a permission in a few words.
func permissionText(p *api.FlightPermission, now time.Time) string {
	if p == nil {
		return "nothing"
	}
	text := layout.Clean(labels.Permission(p.Status).Word)
	if p.Authority != nil && *p.Authority != "" {
		text += " by " + *p.Authority
	}
	if p.Reference != nil && *p.Reference != "" {
		text += ", " + *p.Reference
	}
	if !p.ValidTo.IsZero() {
		text += ", to " + format.Day(p.ValidTo.Time, now)
	}
	if p.PermitFileURL != nil {
		text += ", with a document"
	}
	return text
}
