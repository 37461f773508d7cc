package timeline

import (
	"cmp"
	"fmt"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
)

// MissionParts are what is read of a mission besides itself. Each stands without the
// others.
type MissionParts struct {
	Planning      []api.PlanningEntry // newest first
	PlanningErr   error
	Permission    *api.FlightPermission // nil where none is recorded
	PermissionErr error
	Packages      []api.DeliveryPackage // newest first
	PackagesErr   error
	Files         map[string][]api.DeliveryFile // by package, of as many as were asked for
	FilesErr      error
	Needs         []cache.Need // what all of it is read by
}

// PartsOf returns what is known of a mission's parts, and how that stands.
func PartsOf(c *cache.Cache, mission string, packages int) (p MissionParts, state cache.EntryState) {
	states := make([]cache.EntryState, 3)
	p.Needs = []cache.Need{
		c.Planning.NeedOf(mission),
		c.Permissions.NeedOf(mission),
		c.Packages.NeedOf(mission),
	}
	p.Planning, states[0] = c.Planning.Get(mission)
	p.Permission, states[1] = c.Permissions.Get(mission)
	p.Packages, states[2] = c.Packages.Get(mission)
	p.PlanningErr, p.PermissionErr, p.PackagesErr = states[0].Err, states[1].Err, states[2].Err
	p.Files = map[string][]api.DeliveryFile{}
	for i := range p.Packages[:min(len(p.Packages), packages)] {
		of := p.Packages[i].UUID
		files, s := c.Files.Get(of)
		p.Files[of], p.Needs = files, append(p.Needs, c.Files.NeedOf(of))
		p.FilesErr = cmp.Or(p.FilesErr, s.Err)
	}
	return p, cache.JoinStates(states...)
}

// PlanningChanges say what a planning entry changed against the one before it, nil for
// the first. Times are told in the zone, or with nil in now's.
func PlanningChanges(e, before *api.PlanningEntry, now time.Time, zone *time.Location, units format.Units) []string {
	if before == nil {
		return nil
	}
	var said []string
	switch was, is := before.FlightDate.Time, e.FlightDate.Time; {
	case was.Equal(is):
	case was.IsZero():
		said = append(said, "a date was set")
	case is.IsZero():
		said = append(said, "the date, "+units.MomentAt(was, now, zone)+", was removed")
	default:
		said = append(
			said,
			fmt.Sprintf("moved from %s, %s", units.MomentAt(was, now, zone), timeShift(was, is)),
		)
	}
	if e.SchedulingStatus != before.SchedulingStatus {
		said = append(said, "previously "+cmp.Or(labels.Status(before.SchedulingStatus).Label, "no status"))
	}
	if was, is := textOrEmpty(before.ScheduledBy), textOrEmpty(e.ScheduledBy); was != is && was != "" {
		said = append(said, "previously by "+was)
	}
	if len(said) == 0 {
		return []string{"only the note"}
	}
	return said
}

func textOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// timeShift says how much later or earlier one time is than another.
func timeShift(was, is time.Time) string {
	d, word := is.Sub(was), "later"
	if d < 0 {
		d, word = -d, "earlier"
	}
	days, hours, minutes := int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60
	switch {
	case days > 0 && hours > 0:
		return fmt.Sprintf("%d d %d h %s", days, hours, word)
	case days > 0:
		return fmt.Sprintf("%d d %s", days, word)
	case minutes > 0:
		return fmt.Sprintf("%d h %d m %s", hours, minutes, word)
	default:
		return fmt.Sprintf("%d h %s", hours, word)
	}
}
