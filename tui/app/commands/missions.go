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

// AssignOperator returns the command that assigns an operator to a mission.
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

// missionIf returns the mission as the result of a request, or nil if isChanged is false.
func missionIf(m *ops.Mission, isChanged bool) any {
	if !isChanged {
		return nil
	}
	return &m.Mission
}

// ScheduleFlight returns the command that sets the flight date of a mission. again is true if the
// mission already has a flight date; the app then requires a note.
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
		if len(now.Planning) <= len(before.Planning) { // no entry was added
			return nil
		}
		newest := &now.Planning[0]
		if !newest.FlightDate.Equal(in.FlightDate.Time) { // somebody else has added it
			return nil
		}
		return describeFlight(&now.Mission, in)
	})
	c.Confirms = hasFlight
	if again {
		c.Title = "Reschedule flight"
		note := c.field("note")
		note.Label = "Reason"
		note.Help = "why the date changes; shown to the client"
		note.Required = "enter a reason"
	}
	return c
}

// hasFlight reports whether the result of a request is a mission with a flight date.
func hasFlight(answer any) bool {
	outcome, isOutcome := answer.(*Outcome)
	if !isOutcome {
		return false
	}
	status := outcome.Value.(*api.Mission).Status
	return status != api.MissionPilotAssigned && status != api.MissionAwaitingPilot
}

func describeFlight(m *api.Mission, in *ops.FlightInput) *Outcome {
	at := in.FlightDate.Format("Mon 2 Jan 2006 15:04 -07:00")
	return &Outcome{Value: m, Done: m.MissionCode + " " + m.MissionName + ": flight scheduled, " + at}
}

// DeliverData returns the command that delivers files for a mission as a new package. Without files,
// the service creates sample files for all ordered products.
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

// OpenFiles opens the files at the paths in inputs for sending. It returns a copy of each input with
// the file's base name and the open [os.File] as its content. Errors contain the path; explain turns
// an error of the file system into a text for the user.
func OpenFiles(inputs []api.FileInput, explain func(error) error) ([]api.FileInput, error) {
	var files []api.FileInput
	for _, f := range inputs {
		content, err := openRegular(f.Name)
		if err != nil {
			CloseFiles(files)
			return nil, fmt.Errorf("%s: %w", f.Name, explain(err))
		}
		f.Name = filepath.Base(f.Name)
		f.Content = content
		files = append(files, f)
	}
	return files, nil
}

// openRegular opens a file if it is a regular file. It checks that before opening, because opening a
// named pipe would block.
func openRegular(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return os.Open(name)
}

// CloseFiles closes the files that OpenFiles has opened.
func CloseFiles(files []api.FileInput) {
	for _, f := range files {
		_ = f.Content.(*os.File).Close()
	}
}

// AcceptDelivery returns the command that accepts the delivered data of a mission, which completes the mission.
func AcceptDelivery() Command {
	c := command("accept-delivery", func(t Target) (any, error) { return t.Missions.AcceptDelivery(t, t.ID) }, nil)
	c.Watch = watchMission(func(_, now *ops.Mission) any {
		return missionIf(now, now.Status == api.MissionCompleted)
	})
	c.Confirms = func(answer any) bool {
		m, isMission := answer.(*api.Mission)
		if !isMission {
			return false
		}
		isUnknownStatus := m.Status != "" && m.Status.Rank() < 0
		return m.Status == api.MissionCompleted || isUnknownStatus
	}
	return c
}

// RecordPermission returns the command that sets or replaces a flight permission. The document of the
// permission is the target's file; without a file, the permission has no document.
func RecordPermission(in *ops.PermissionInput) Command {
	request := func(t Target) (any, error) {
		permit := sentPermit(t)
		p, err := t.Missions.SetFlightPermission(t, t.ID, *in, permit)
		if err != nil {
			return nil, err
		}
		return describePermission(p, in, permit), nil
	}
	c := command("record-permit", request, values{
		"status":    (*string)(&in.Status),
		"authority": &in.Authority,
		"reference": &in.Reference,
		"validFrom": &in.ValidFrom,
		"validTo":   &in.ValidTo,
	})
	c.Watch = func(t Target) (findFunc, error) { return watchPermission(t, in) }
	c.field("status").Known = format.WordOptions(api.PermissionStatuses())
	c.Check = func() (field, fault string) { return checkPeriod(in) }
	return c
}

// watchPermission finds out whether a mission has a new flight permission (see watchFunc).
func watchPermission(t Target, in *ops.PermissionInput) (findFunc, error) {
	permit := sentPermit(t)
	find := func(before, now *ops.Mission) any {
		if !isPermissionSet(before, now, in.Status) {
			return nil
		}
		return describePermission(now.FlightPermission, in, permit)
	}
	watch := watchMission(find)
	return watch(t)
}

// checkPeriod checks that a permission does not end before it begins. It returns the wrong field and
// a message, or two empty texts.
func checkPeriod(in *ops.PermissionInput) (field, fault string) {
	hasPeriod := !in.ValidFrom.IsZero() && !in.ValidTo.IsZero()
	if hasPeriod && in.ValidTo.Before(in.ValidFrom.Time) {
		return "validTo", "ends before it begins"
	}
	return "", ""
}

// sentPermit returns the document of the permission that is sent, or nil.
func sentPermit(t Target) *api.FileInput {
	if len(t.Files) == 0 {
		return nil
	}
	return &t.Files[0]
}

// isPermissionSet reports whether the mission's permission has the given status and was updated since
// the mission was read before.
func isPermissionSet(before, now *ops.Mission, status api.PermissionStatus) bool {
	permission := now.FlightPermission
	if permission == nil || permission.Status != status {
		return false
	}
	oldPermission := cmp.Or(before.FlightPermission, &api.FlightPermission{})
	return !permission.UpdatedAt.Equal(oldPermission.UpdatedAt.Time)
}

func describePermission(p *api.FlightPermission, in *ops.PermissionInput, permit *api.FileInput) *Outcome {
	document := "no permit"
	if permit != nil {
		document = permit.Name
	}
	return &Outcome{
		Value: p,
		Done:  "permission recorded: " + InText(in.Status) + ", with " + document,
		Facts: [][2]string{{"Document", document}},
	}
}
