package commands

import (
	"context"
	"errors"
	"os"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
)

// what ends the meaning of what cannot be taken back.
const noWayBack = "Visible to the client at once; its endpoints are notified. Cannot be undone."

// AssignOperator gives a mission its operator.
func AssignOperator(name *string) Command[*api.Mission] {
	return Command[*api.Mission]{
		Verb: "assign-operator", Subject: "MISSION", Doing: "assigning the operator", Limit: api.MaxNameLength,
		Effects: noWayBack,
		Fields: []Field{
			{
				Name:     "operatorName",
				Value:    name,
				Label:    "Operator",
				Help:     "who flies the mission",
				Required: "enter an operator",
				Arg:      "NAME",
			},
		},
		Run: func(ctx context.Context, ops *api.Ops, mission string) (*api.Mission, error) {
			return ops.Missions.AssignOperator(ctx, mission, *name)
		},
		Done: func(m *api.Mission) string { return missionName(m) + ": operator assigned, " + textOf(m.OperatorName) },
	}
}

// ScheduleFlight sets the date of a flight; again, where the mission has one
// already, which needs a note on the screen.
func ScheduleFlight(in *api.FlightInput, again bool) Command[*api.Mission] {
	note := Field{
		Name:  "note",
		Value: &in.Note,
		Label: "Note",
		Long:  true,
		Help:  "shown to the client in the planning",
		Flag:  "note",
		Usage: "note to the client",
	}
	if again {
		note.Label, note.Help, note.Required = "Reason", "why the date changes; shown to the client", "enter a reason"
	}
	return Command[*api.Mission]{
		Verb: "schedule-flight", Subject: "MISSION", Doing: "scheduling the flight", Limit: api.MaxTextLength,
		Effects: noWayBack,
		Fields: []Field{
			{
				Name:     "flightDate",
				Value:    &in.FlightDate,
				Label:    "Flight",
				Help:     "tomorrow, Friday, 1 Dec",
				Required: "enter a date",
				Clock:    true,
				Arg:      "TIME",
			},
			{
				Name:  "scheduledBy",
				Value: &in.ScheduledBy,
				Label: "By",
				Help:  "who scheduled it; optional",
				Flag:  "by",
				Usage: "who scheduled the flight",
			},
			note,
		},
		Run: func(ctx context.Context, ops *api.Ops, mission string) (*api.Mission, error) {
			return ops.Missions.Schedule(ctx, mission, *in)
		},
		Done: func(m *api.Mission) string {
			return missionName(m) + ": flight scheduled, " + columns.FormatMoment(m.FlightDate)
		},
	}
}

// DeliverData delivers files of a mission as a new package; with none, sample
// files of all that its order lists, which the service makes.
func DeliverData(files *[]api.FileInput) Command[*api.DeliveryPackage] {
	return Command[*api.DeliveryPackage]{
		Verb: "deliver", Subject: "MISSION", Doing: "delivering",
		Effects: noWayBack,
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
		err = errors.New("not a regular file")
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
		Effects: "Completes the mission. " + noWayBack,
		Run: func(ctx context.Context, ops *api.Ops, mission string) (*api.Mission, error) {
			return ops.Missions.AcceptDelivery(ctx, mission)
		},
		Done: func(m *api.Mission) string { return missionName(m) + ": " + labels.MissionStatus(m.Status).Label },
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
		Verb:    "record-permit",
		Subject: "MISSION",
		Doing:   "recording the permission",
		Limit:   api.MaxNameLength,
		Effects: "The client can see the permission and download its permit.",
		Fields: []Field{
			{
				Name:     "status",
				Value:    &in.Status,
				Label:    "Permission",
				Required: "select a status",
				Flag:     "status",
				Usage:    "status of the permission",
			},
			{
				Name:  "authority",
				Value: &in.Authority,
				Label: "Authority",
				Help:  "who grants it",
				Flag:  "authority",
				Usage: "authority that grants it",
			},
			{
				Name:  "reference",
				Value: &in.Reference,
				Label: "Reference",
				Help:  "file number at the authority",
				Flag:  "reference",
				Usage: "file number at the authority",
			},
			{
				Name:  "validFrom",
				Value: &in.ValidFrom,
				Label: "From",
				Help:  "optional",
				Flag:  "from",
				Usage: "start of validity",
			},
			{
				Name: "validTo", Value: &in.ValidTo, Label: "To", Help: "end of this day; optional", DayEnd: true,
				Flag: "to", Usage: "end of validity",
			},
		},
		Check: func() (field, fault string) {
			if !in.ValidFrom.IsZero() && !in.ValidTo.IsZero() && in.ValidTo.Before(in.ValidFrom.Time) {
				return "validTo", "ends before it begins"
			}
			return "", ""
		},
		Run: func(ctx context.Context, ops *api.Ops, mission string) (*api.FlightPermission, error) {
			return ops.Missions.SetFlightPermission(ctx, mission, in.PermissionInput, in.Document)
		},
	}
}
