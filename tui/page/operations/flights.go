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

// permitAsk records a flight permission, with its document.
func (d *operations) permitAsk(m *api.OpsMission) *ask {
	status := &form.Field{ID: "status", Label: "Permission", Kind: form.Choice}
	for _, s := range api.PermissionStatuses() {
		status.Options = append(status.Options, form.Option{Value: string(s), Label: permissionWords[s][0], Help: permissionWords[s][1]})
	}
	document := &form.Field{ID: "permit", Label: "Document", Kind: form.Choice, Options: []form.Option{
		{Value: "none", Label: "none", Help: "no document is kept with it", Quiet: true},
		{Value: fromFiles, Label: "choose a file", Help: "a PDF, say; it is chosen next", Quiet: true},
	}}
	f := form.New(api.MaxNameLength, d.Now, status,
		&form.Field{ID: "authority", Label: "Authority", Help: "who gives it"},
		&form.Field{ID: "reference", Label: "Reference", Help: "its number there"},
		&form.Field{ID: "validFrom", Label: "From", Kind: form.Date, Help: "may be left empty"},
		&form.Field{ID: "validTo", Label: "To", Kind: form.Date, Help: "to the end of this day; may be left empty"},
		document,
	)
	document.Set("none")
	status.Set(string(api.PermissionGranted))
	lines := []string{m.MissionCode + "  " + m.MissionName, "It takes the place of what is recorded now: " + permissionText(m.FlightPermission, d.Now()) + "."}
	if p := m.FlightPermission; p != nil {
		fillPermit(f, p)
	}
	q := &ask{
		title: "Flight permission: " + m.MissionCode, yes: "record", doing: "recording the permission", form: f,
		lines: lines, warn: "The client can read it, and fetch the document.",
		check: d.checkPermit,
	}
	q.pick = func() (string, []api.Deliverable, bool) {
		return "Document of the permission", nil, document.Value() == fromFiles
	}
	q.send = func(ctx context.Context) (sent, error) { return d.recordPermit(ctx, m, permissionOf(f), q.files) }
	return q
}

func fillPermit(f *form.Form, p *api.FlightPermission) {
	for id, text := range map[string]*string{"authority": p.Authority, "reference": p.Reference} {
		if text != nil {
			f.Field(id).Set(*text)
		}
	}
	for id, at := range map[string]api.Time{"validFrom": p.ValidFrom, "validTo": p.ValidTo} {
		if !at.IsZero() {
			f.Field(id).Set(at.Format(time.DateOnly))
		}
	}
}

// permissionText says a permission in a few words.
func permissionText(p *api.FlightPermission, now time.Time) string {
	if p == nil {
		return "nothing"
	}
	text := layout.Clean(string(p.Status))
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

func permissionOf(f *form.Form) api.PermissionInput {
	in := api.PermissionInput{
		Status: api.PermissionStatus(f.Field("status").Value()), Authority: f.Field("authority").Value(), Reference: f.Field("reference").Value(),
	}
	if at, err := f.Field("validFrom").Time(); err == nil {
		in.ValidFrom = api.At(at)
	}
	if at, err := f.Field("validTo").Time(); err == nil {
		in.ValidTo = api.At(endOf(at))
	}
	return in
}

func (d *operations) checkPermit(f *form.Form) {
	for _, id := range []string{"validFrom", "validTo"} {
		if f.Field(id).Value() == "" {
			continue
		}
		if _, err := f.Field(id).Time(); err != nil {
			f.Field(id).Error = err.Error()
		}
	}
	in := permissionOf(f)
	if !in.ValidFrom.IsZero() && !in.ValidTo.IsZero() && in.ValidTo.Before(in.ValidFrom.Time) {
		f.Field("validTo").Error = "this is before it begins"
	}
}

// recordPermit sends the permission, with its document if one was chosen.
func (d *operations) recordPermit(ctx context.Context, m *api.OpsMission, in api.PermissionInput, files []upload) (sent, error) {
	said := fmt.Sprintf("permission of %s recorded: %s", m.MissionCode, in.Status)
	if len(files) == 0 {
		_, err := d.Ops.Missions.SetFlightPermission(ctx, m.UUID, in, nil)
		return sent{said: said}, err
	}
	file, err := openFile(files[0].path, api.MaxPermitBytes)
	if err != nil {
		return sent{}, err
	}
	defer func() { _ = file.Close() }()
	_, err = d.Ops.Missions.SetFlightPermission(ctx, m.UUID, in, &api.FileInput{Name: file.name, Content: file})
	return sent{said: said + ", with " + file.name}, err
}
