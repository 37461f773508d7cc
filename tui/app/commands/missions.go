package commands

import (
	"context"
	"errors"
	"os"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
)

// what ends the meaning of what cannot be taken back.
const noWayBack = "Visible to the client at once; cannot be undone."

// AssignOperator gives a mission its operator.
func AssignOperator(name *string) Command[*api.Mission] {
	return Command[*api.Mission]{
		Verb: "assign-operator", Subject: "MISSION", Doing: "assigning the operator", Limit: api.MaxNameLength,
		Means: "The client sees who flies, and its endpoints are told. " + noWayBack,
		Fields: []Field{{
			Name: "operatorName", Value: name, Label: "Operator", Help: "who flies", Required: "a mission needs somebody to fly it", Arg: "NAME",
		}},
		Run: func(ctx context.Context, ops *api.Ops, mission string) (*api.Mission, error) {
			return ops.Missions.AssignOperator(ctx, mission, *name)
		},
		Done: func(m *api.Mission) string { return missionName(m) + " is flown by " + textOf(m.OperatorName) },
	}
}

// ScheduleFlight sets the date of a flight; again, where the mission has one
// already, which needs a note on the screen.
func ScheduleFlight(in *api.FlightInput, again bool) Command[*api.Mission] {
	note := Field{Name: "note", Value: &in.Note, Label: "Note", Long: true, Help: "the client reads it in the planning", Flag: "note", Usage: "what the client is to know"}
	if again {
		note.Label, note.Help, note.Required = "Reason", "why it is moved; the client reads it in the planning", "say why it is moved"
	}
	return Command[*api.Mission]{
		Verb: "schedule-flight", Subject: "MISSION", Doing: "scheduling", Limit: api.MaxTextLength,
		Means: "The client sees the date, and its endpoints are told. " + noWayBack,
		Fields: []Field{
			{
				Name: "flightDate", Value: &in.FlightDate, Label: "Flight", Help: "tomorrow, friday, 1 Dec", Required: "a flight needs a date",
				Clock: true, Arg: "TIME",
			},
			{Name: "scheduledBy", Value: &in.ScheduledBy, Label: "By", Help: "who says so; may be left empty", Flag: "by", Usage: "who schedules it"},
			note,
		},
		Run: func(ctx context.Context, ops *api.Ops, mission string) (*api.Mission, error) {
			return ops.Missions.Schedule(ctx, mission, *in)
		},
		Done: func(m *api.Mission) string {
			return missionName(m) + " is flown at " + columns.Moment(m.FlightDate)
		},
	}
}

// DeliverData delivers files of a mission as a new package; with none, sample
// files of all that its order lists, which the service makes.
func DeliverData(files *[]api.FileInput) Command[*api.DeliveryPackage] {
	return Command[*api.DeliveryPackage]{
		Verb: "deliver", Subject: "MISSION", Doing: "delivering",
		Means: "The client sees the files, and its endpoints are told. " + noWayBack,
		Run: func(ctx context.Context, ops *api.Ops, mission string) (*api.DeliveryPackage, error) {
			if len(*files) == 0 {
				return ops.Missions.GenerateDelivery(ctx, mission)
			}
			return ops.Missions.Deliver(ctx, mission, *files...)
		},
	}
}

// OpenFile opens a file that is to be sent. Its errors are those of the file
// system.
func OpenFile(path string) (*os.File, os.FileInfo, error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait for its writer
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("this file cannot be sent")
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(path)
	return f, info, err
}

// AcceptDelivery completes a mission whose data is delivered.
func AcceptDelivery() Command[*api.Mission] {
	return Command[*api.Mission]{
		Verb: "accept-delivery", Subject: "MISSION", Doing: "accepting the delivery",
		Means: "The mission is completed then, and the client told so. " + noWayBack,
		Run: func(ctx context.Context, ops *api.Ops, mission string) (*api.Mission, error) {
			return ops.Missions.AcceptDelivery(ctx, mission)
		},
		Done: func(m *api.Mission) string { return missionName(m) + " is " + string(m.Status) },
	}
}

func missionName(m *api.Mission) string { return m.MissionCode + " " + m.MissionName }

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Permission is a flight permission that is recorded.
type Permission struct {
	api.PermissionInput
	Document *api.FileInput // nil for none
}

// RecordPermission records a flight permission in place of the one before, its
// document included.
func RecordPermission(in *Permission) Command[*api.FlightPermission] {
	return Command[*api.FlightPermission]{
		Verb: "record-permit", Subject: "MISSION", Doing: "recording the permission", Limit: api.MaxNameLength, Means: "The client can read it, and fetch the document.",
		Fields: []Field{
			{Name: "status", Value: &in.Status, Label: "Permission", Required: "say what became of it", Flag: "status", Usage: "what became of it"},
			{Name: "authority", Value: &in.Authority, Label: "Authority", Help: "who gives it", Flag: "authority", Usage: "who permits it"},
			{Name: "reference", Value: &in.Reference, Label: "Reference", Help: "its number there", Flag: "reference", Usage: "the authority's reference"},
			{Name: "validFrom", Value: &in.ValidFrom, Label: "From", Help: "may be left empty", Flag: "from", Usage: "from when on it holds"},
			{
				Name: "validTo", Value: &in.ValidTo, Label: "To", Help: "to the end of this day; may be left empty", DayEnd: true,
				Flag: "to", Usage: "until when it holds",
			},
		},
		Check: func() (field, fault string) {
			if !in.ValidFrom.IsZero() && !in.ValidTo.IsZero() && in.ValidTo.Before(in.ValidFrom.Time) {
				return "validTo", "this is before it begins"
			}
			return "", ""
		},
		Run: func(ctx context.Context, ops *api.Ops, mission string) (*api.FlightPermission, error) {
			return ops.Missions.SetFlightPermission(ctx, mission, in.PermissionInput, in.Document)
		},
	}
}
