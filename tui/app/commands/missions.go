package commands

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// what ends the meaning of what cannot be taken back.
const noWayBack = "Visible to the client at once and sent to its endpoints. Cannot be undone."

// AssignOperator gives a mission its operator.
func AssignOperator(name *string) Command {
	return Command{
		Verb: "assign-operator", Subject: "MISSION", Doing: "assigning the operator",
		Short:   "Assign an operator to a mission",
		Long:    "Assigns an operator to a mission of an order with an accepted quote. Until a flight is scheduled, another name replaces the operator.",
		Example: "# assign an operator by name\nflightdesk ops assign-operator MSN-2001 \"Mele Taufa\"",
		Effects: noWayBack,
		Fields: []Field{
			argument(
				"operatorName",
				name,
				"Operator",
				"company or person who flies the mission",
				"enter an operator",
				"NAME",
			),
		},
		Run: tellRequest(
			func(t Target) (*api.Mission, error) { return t.Missions.AssignOperator(t, t.ID, *name) },
			func(m *api.Mission) string { return missionName(m) + ": operator assigned, " + *name },
		),
	}
}

// ScheduleFlight sets the date of a flight; again, where the mission has one
// already, which needs a note on the screen.
func ScheduleFlight(in *ops.FlightInput, again bool) Command {
	title, note := "", Field{
		Name:  "note",
		Value: &in.Note,
		Label: "Note",
		Long:  true,
		Help:  "note to the client in the planning, such as the reason for a new date; optional",
		Flag:  "note",
	}
	if again {
		title = "Reschedule flight"
		note.Label, note.Help, note.Required = "Reason", "why the date changes; shown to the client", "enter a reason"
	}
	return Command{
		Verb: "schedule-flight", Alias: "schedule", Subject: "MISSION", Title: title, Doing: "scheduling the flight",
		Short: "Schedule or reschedule a mission's flight",
		Long: `Sets the flight date of a mission, as a new version of its planning. Times can be "2026-12-01 09:30" or "in 3
days 09:30" in this machine's time zone, or RFC 3339.`,
		Example: `# schedule a flight
flightdesk ops schedule-flight MSN-2001 "2026-12-01 09:30" --by "Ida Holm"

# move it, with a note for the client
flightdesk ops schedule-flight MSN-2001 "in 8 days 09:30" --note "too windy"`,
		Effects: noWayBack,
		Fields: []Field{
			{
				Name: "flightDate", Value: &in.FlightDate, Label: "Flight", Help: "tomorrow, Friday, 1 Dec",
				Required: "enter a date", Clock: true, Arg: "TIME",
			},
			option(
				"scheduledBy",
				&in.ScheduledBy,
				"By",
				"who scheduled the flight; optional",
				"by",
			),
			note,
		},
		Run: tellRequest(func(t Target) (*api.Mission, error) {
			return t.Missions.Schedule(t, t.ID, *in)
		}, func(m *api.Mission) string {
			return missionName(m) + ": flight scheduled, " + in.FlightDate.Format("Mon 2 Jan 2006 15:04")
		}),
	}
}

// DeliverData delivers files of a mission as a new package; with none, sample
// files of all that its order lists, which the service makes.
func DeliverData(files *[]api.FileInput) Command {
	return Command{
		Verb: "deliver", Subject: "MISSION", Doing: "delivering",
		Short: "Deliver files of a mission, or generate samples",
		Long: `Delivers files as a new package. --type names their product: one for all files, or one per file in their
order, separated by commas (a photo is jpg). Photos alone need no --type. --generate lets the service make sample files of all products of the order.`,
		Example: `# sample files of all products of the order
flightdesk ops deliver MSN-2001 --generate

# photos
flightdesk ops deliver MSN-2001 a.jpg b.jpg

# two files of different products
flightdesk ops deliver MSN-2001 ortho.tif dtm.tif --type _2dMap,digitalTerrainModel`,
		Effects: noWayBack,
		Run: tellRequest(func(t Target) (*api.DeliveryPackage, error) {
			if len(*files) == 0 {
				return t.Missions.GenerateDelivery(t, t.ID)
			}
			return t.Missions.Deliver(t, t.ID, *files...)
		}, func(p *api.DeliveryPackage) string {
			return fmt.Sprintf(
				"package %d delivered: %s, %s",
				p.Version,
				format.Count(p.FileCount, "file"),
				format.Bytes(p.TotalSize),
			)
		}),
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
func AcceptDelivery() Command {
	return Command{
		Verb: "accept-delivery", Subject: "MISSION", Doing: "accepting the delivery",
		Short:   "Accept a delivery and complete the mission",
		Long:    "Accepts all packages of a mission and completes it.",
		Example: "# accept the packages of a mission\nflightdesk ops accept-delivery MSN-2001",
		Effects: "Completes the mission. " + noWayBack,
		Run: tellRequest(
			func(t Target) (*api.Mission, error) { return t.Missions.AcceptDelivery(t, t.ID) },
			func(m *api.Mission) string { return missionName(m) + ": " + format.Status(m.Status).Label },
		),
	}
}

func missionName(m *api.Mission) string { return m.MissionCode + " " + m.MissionName }

// Permission is a flight permission that is recorded.
type Permission struct {
	ops.PermissionInput
	Document *api.FileInput // nil for none
}

// RecordPermission records a flight permission in place of the one before, its
// document included.
func RecordPermission(in *Permission) Command {
	return Command{
		Verb: "record-permit", Alias: "flight-permission", Subject: "MISSION", Title: "Record permission", Doing: "recording the permission",
		Short: "Record a mission's flight permission and permit",
		Long:  "Replaces the flight permission of a mission and its permit; without --permit, a stored permit is removed. Statuses: " + joinNames(api.PermissionStatuses(), ", ") + ".",
		Example: `# a granted permission with its permit
flightdesk ops record-permit MSN-2001 --status granted --authority "Luftamt Nord" --reference N-7 --permit permit.pdf`,
		Effects: "The client can see the permission and download its permit.",
		Fields: []Field{
			choice(
				"status",
				(*string)(&in.Status),
				"Permission",
				"status of the permission",
				"select a status",
				format.WordOptions(api.PermissionStatuses()),
			),
			option(
				"authority",
				&in.Authority,
				"Authority",
				"authority that grants it",
				"authority",
			),
			option(
				"reference",
				&in.Reference,
				"Reference",
				"file number at the authority",
				"reference",
			),
			option("validFrom", &in.ValidFrom, "From", "start of validity", "from"),
			{Name: "validTo", Value: &in.ValidTo, Label: "To", Help: "end of validity", DayEnd: true, Flag: "to"},
		},
		Check: func() (field, fault string) {
			if !in.ValidFrom.IsZero() && !in.ValidTo.IsZero() && in.ValidTo.Before(in.ValidFrom.Time) {
				return "validTo", "ends before it begins"
			}
			return "", ""
		},
		Run: tellRequest(func(t Target) (*api.FlightPermission, error) {
			return t.Missions.SetFlightPermission(t, t.ID, in.PermissionInput, in.Document)
		}, func(p *api.FlightPermission) string {
			return "permission recorded: " + inText(p.Status) + ", with " + in.documentName()
		}, func(p *api.FlightPermission) [][2]string {
			return [][2]string{
				{"Permission", format.Status(p.Status).DetailText()},
				{"Authority", textOf(p.Authority)},
				{"Reference", textOf(p.Reference)},
				{"From", columns.FormatMoment(p.ValidFrom)},
				{"To", columns.FormatMoment(p.ValidTo)},
				{"Document", in.documentName()},
			}
		}),
	}
}

func (in *Permission) documentName() string {
	return cmp.Or(in.Document, &api.FileInput{Name: "no permit"}).Name
}
