package commands

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// AssignOperator gives a mission its operator.
func AssignOperator(name *string) Command {
	return command("assign-operator", func(t Target) (any, error) {
		return t.Missions.AssignOperator(t, t.ID, *name)
	}, name)
}

// ScheduleFlight sets the date of a flight; again, where the mission has one
// already, which needs a note on the screen.
func ScheduleFlight(in *ops.FlightInput, again bool) Command {
	c := command("schedule-flight", func(t Target) (any, error) {
		m, err := t.Missions.Schedule(t, t.ID, *in)
		if err != nil {
			return nil, err
		}
		at := format.ExactDate(api.TimeAt(in.FlightDate.Time), in.FlightDate.Time)
		return &Outcome{Value: m, Done: m.MissionCode + " " + m.MissionName + ": flight scheduled, " + at}, nil
	}, &in.FlightDate, &in.ScheduledBy, &in.Note)
	if note := c.field("note"); again {
		c.Title = "Reschedule flight"
		note.Label, note.Help, note.Required = "Reason", "why the date changes; shown to the client", "enter a reason"
	}
	return c
}

// DeliverData delivers files of a mission as a new package; with none, sample
// files of all that its order lists, which the service makes.
func DeliverData() Command {
	return command("deliver", func(t Target) (any, error) {
		if len(t.Files) == 0 {
			return t.Missions.GenerateDelivery(t, t.ID)
		}
		return t.Missions.Deliver(t, t.ID, t.Files...)
	})
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
	return command("accept-delivery", func(t Target) (any, error) { return t.Missions.AcceptDelivery(t, t.ID) })
}

// RecordPermission records a flight permission in place of the one before, its
// document included: the file, if there is one.
func RecordPermission(in *ops.PermissionInput) Command {
	c := command("record-permit", func(t Target) (any, error) {
		var permit *api.FileInput
		document := "no permit"
		if len(t.Files) > 0 {
			permit, document = &t.Files[0], t.Files[0].Name
		}
		p, err := t.Missions.SetFlightPermission(t, t.ID, *in, permit)
		done := "permission recorded: " + inText(in.Status) + ", with " + document
		return &Outcome{p, done, [][2]string{{"Document", document}}}, err
	}, (*string)(&in.Status), &in.Authority, &in.Reference, &in.ValidFrom, &in.ValidTo)
	c.field("status").Known = format.WordOptions(api.PermissionStatuses())
	c.Check = func() (field, fault string) {
		if !in.ValidFrom.IsZero() && !in.ValidTo.IsZero() && in.ValidTo.Before(in.ValidFrom.Time) {
			return "validTo", "ends before it begins"
		}
		return "", ""
	}
	return c
}
