package commands

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// AssignOperator gives a mission its operator.
func AssignOperator(name *string) Command {
	c := command("assign-operator", func(t Target) (any, error) {
		return t.Missions.AssignOperator(t, t.ID, *name)
	}, values{"operatorName": name})
	c.Watch = watchMission(func(_, now *ops.Mission) any {
		return missionIf(now, format.ValueOf(now.OperatorName) == strings.TrimSpace(*name))
	})
	c.Confirms = func(answer any) bool {
		m, isMission := answer.(*api.Mission)
		return isMission && m.Status != api.MissionAwaitingPilot
	}
	return c
}

// missionIf returns the mission as the answer of a request, or nil unless it shows the effect.
func missionIf(m *ops.Mission, shows bool) any {
	if !shows {
		return nil
	}
	return &m.Mission
}

// ScheduleFlight sets the date of a flight; again, where the mission has one
// already, which needs a note on the screen.
func ScheduleFlight(in *ops.FlightInput, again bool) Command {
	c := command("schedule-flight", func(t Target) (any, error) {
		m, err := t.Missions.Schedule(t, t.ID, *in)
		if err != nil {
			return nil, err
		}
		return describeFlight(m, in), nil
	}, values{
		"flightDate":  &in.FlightDate,
		"scheduledBy": &in.ScheduledBy,
		"note":        &in.Note,
	})
	c.Watch = watchMission(func(before, now *ops.Mission) any {
		isNew := len(now.Planning) > len(before.Planning) && now.Planning[0].FlightDate.Equal(in.FlightDate.Time)
		if !isNew {
			return nil
		}
		return describeFlight(&now.Mission, in)
	})
	c.Confirms = func(answer any) bool {
		o, isOutcome := answer.(*Outcome)
		if !isOutcome {
			return false
		}
		m := o.Value.(*api.Mission)
		return m.Status != api.MissionPilotAssigned && m.Status != api.MissionAwaitingPilot
	}
	if note := c.field("note"); again {
		c.Title = "Reschedule flight"
		note.Label = "Reason"
		note.Help = "why the date changes; shown to the client"
		note.Required = "enter a reason"
	}
	return c
}

func describeFlight(m *api.Mission, in *ops.FlightInput) *Outcome {
	at := format.ExactDate(api.TimeAt(in.FlightDate.Time), in.FlightDate.Time)
	return &Outcome{Value: m, Done: m.MissionCode + " " + m.MissionName + ": flight scheduled, " + at}
}

// DeliverData delivers files of a mission as a new package; with none, sample
// files of all that its order lists, which the service makes.
func DeliverData() Command {
	c := command("deliver", func(t Target) (any, error) {
		if len(t.Files) == 0 {
			return t.Missions.GenerateDelivery(t, t.ID)
		}
		return t.Missions.Deliver(t, t.ID, t.Files...)
	}, nil)
	c.Watch = watchMission(func(before, now *ops.Mission) any {
		for i := range now.Packages {
			p := &now.Packages[i]
			if !slices.ContainsFunc(before.Packages, func(old api.DeliveryPackage) bool { return old.UUID == p.UUID }) {
				return p
			}
		}
		return nil
	})
	return c
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
		f.Name = filepath.Base(f.Name)
		f.Content = file
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
	c := command("accept-delivery", func(t Target) (any, error) { return t.Missions.AcceptDelivery(t, t.ID) }, nil)
	c.Watch = watchMission(func(_, now *ops.Mission) any {
		return missionIf(now, now.Status == api.MissionCompleted)
	})
	c.Confirms = func(answer any) bool {
		m, isMission := answer.(*api.Mission)
		return isMission && (m.Status == api.MissionCompleted || m.Status != "" && m.Status.Rank() < 0)
	}
	return c
}

// RecordPermission records a flight permission in place of the one before, its
// document included: the file, if there is one.
func RecordPermission(in *ops.PermissionInput) Command {
	document := "no permit"
	c := command("record-permit", func(t Target) (any, error) {
		var permit *api.FileInput
		if len(t.Files) > 0 {
			permit = &t.Files[0]
			document = t.Files[0].Name
		}
		p, err := t.Missions.SetFlightPermission(t, t.ID, *in, permit)
		if err != nil {
			return nil, err
		}
		return describePermission(p, in, document), nil
	}, values{
		"status":    (*string)(&in.Status),
		"authority": &in.Authority,
		"reference": &in.Reference,
		"validFrom": &in.ValidFrom,
		"validTo":   &in.ValidTo,
	})
	c.Watch = watchMission(func(before, now *ops.Mission) any {
		old := cmp.Or(before.FlightPermission, &api.FlightPermission{})
		p := now.FlightPermission
		if p == nil || p.Status != in.Status || p.UpdatedAt.Equal(old.UpdatedAt.Time) {
			return nil
		}
		return describePermission(p, in, document)
	})
	c.field("status").Known = format.WordOptions(api.PermissionStatuses())
	c.Check = func() (field, fault string) {
		if !in.ValidFrom.IsZero() && !in.ValidTo.IsZero() && in.ValidTo.Before(in.ValidFrom.Time) {
			return "validTo", "ends before it begins"
		}
		return "", ""
	}
	return c
}

func describePermission(p *api.FlightPermission, in *ops.PermissionInput, document string) *Outcome {
	done := "permission recorded: " + InText(in.Status) + ", with " + document
	return &Outcome{p, done, [][2]string{{"Document", document}}}
}
