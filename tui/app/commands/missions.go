package commands

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// AssignOperator gives a mission its operator.
func AssignOperator(name *string) Command {
	return command("assign-operator", tellRequest(
		func(t Target) (*api.Mission, error) { return t.Missions.AssignOperator(t, t.ID, *name) },
		func(m *api.Mission) string { return missionName(m) + ": operator assigned, " + *name },
	), name)
}

// ScheduleFlight sets the date of a flight; again, where the mission has one
// already, which needs a note on the screen.
func ScheduleFlight(in *ops.FlightInput, again bool) Command {
	c := command("schedule-flight", tellRequest(func(t Target) (*api.Mission, error) {
		return t.Missions.Schedule(t, t.ID, *in)
	}, func(m *api.Mission) string {
		return missionName(m) + ": flight scheduled, " + in.FlightDate.Format("Mon 2 Jan 2006 15:04")
	}), &in.FlightDate, &in.ScheduledBy, &in.Note)
	if note := c.field("note"); again {
		c.Title = "Reschedule flight"
		note.Label, note.Help, note.Required = "Reason", "why the date changes; shown to the client", "enter a reason"
	}
	return c
}

// DeliverData delivers files of a mission as a new package; with none, sample
// files of all that its order lists, which the service makes.
func DeliverData(files *[]api.FileInput) Command {
	return command("deliver", tellRequest(func(t Target) (*api.DeliveryPackage, error) {
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
	}))
}

// OpenFiles opens files that are sent and named by their paths; each content is an
// [os.File]. Its errors name the file, with what explain says of one of the file system.
func OpenFiles(named []api.FileInput, explain func(error) error) (files []api.FileInput, err error) {
	for _, f := range named {
		info, err := os.Stat(f.Name) // before it is opened: a pipe would wait for its writer
		if err == nil && !info.Mode().IsRegular() {
			err = errors.New("not a regular file")
		}
		var file *os.File
		if err == nil {
			file, err = os.Open(f.Name)
		}
		if err != nil {
			CloseFiles(files)
			return nil, fmt.Errorf("%s: %w", f.Name, explain(err))
		}
		f.Name, f.Content = filepath.Base(f.Name), file
		files = append(files, f)
	}
	return files, nil
}

// CloseFiles closes files that were opened to be sent.
func CloseFiles(files []api.FileInput) {
	for _, f := range files {
		_ = f.Content.(*os.File).Close()
	}
}

// AcceptDelivery completes a mission whose data is delivered.
func AcceptDelivery() Command {
	return command("accept-delivery", tellRequest(
		func(t Target) (*api.Mission, error) { return t.Missions.AcceptDelivery(t, t.ID) },
		func(m *api.Mission) string { return missionName(m) + ": " + format.Status(m.Status).Label },
	))
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
	c := command("record-permit", tellRequest(func(t Target) (*api.FlightPermission, error) {
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
	}), (*string)(&in.Status), &in.Authority, &in.Reference, &in.ValidFrom, &in.ValidTo)
	c.Long += joinNames(api.PermissionStatuses(), ", ") + "."
	c.field("status").Known = format.WordOptions(api.PermissionStatuses())
	c.Check = func() (field, fault string) {
		if !in.ValidFrom.IsZero() && !in.ValidTo.IsZero() && in.ValidTo.Before(in.ValidFrom.Time) {
			return "validTo", "ends before it begins"
		}
		return "", ""
	}
	return c
}

func (in *Permission) documentName() string {
	return cmp.Or(in.Document, &api.FileInput{Name: "no permit"}).Name
}
