package timeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// Parts are what is read of a mission besides itself. Each stands without the
// others.
type Parts struct {
	Planning      []api.PlanningEntry // newest first
	PlanningErr   error
	Permission    *api.FlightPermission // nil where none is recorded
	PermissionErr error
	Packages      []api.DeliveryPackage // newest first
	PackagesErr   error
	Files         map[string][]api.DeliveryFile // by package, of as many as were asked for
	FilesErr      error
}

// ReadParts reads the parts of a mission one after the other, and the files of
// its newest packages.
func ReadParts(ctx context.Context, client *api.Client, uuid string, packages int) (p Parts) {
	p.Planning, p.PlanningErr = client.Missions.Planning(ctx, uuid)
	p.Permission, p.PermissionErr = client.Missions.FlightPermission(ctx, uuid)
	var refused *api.Error
	if errors.As(p.PermissionErr, &refused) && refused.Status == http.StatusNotFound {
		p.PermissionErr = nil // none is recorded
	}
	p.Packages, p.PackagesErr = client.Missions.Packages(ctx, uuid)
	p.Files = map[string][]api.DeliveryFile{}
	for i := range p.Packages[:min(len(p.Packages), packages)] {
		id := p.Packages[i].UUID
		if p.Files[id], p.FilesErr = client.Files.List(ctx, id); p.FilesErr != nil {
			break
		}
	}
	return p
}

// Keeping is p with what was known before where that could not be read again.
func (p Parts) Keeping(before *Parts) Parts {
	if p.PlanningErr != nil {
		p.Planning = before.Planning
	}
	if p.PermissionErr != nil {
		p.Permission = before.Permission
	}
	if p.PackagesErr != nil {
		p.Packages, p.Files = before.Packages, before.Files
	}
	return p
}

// Changes say what a planning entry changed against the one before it, nil for
// the first. Times are told in the zone, or with nil in now's.
func Changes(e, before *api.PlanningEntry, now time.Time, zone *time.Location) []string {
	if before == nil {
		return nil
	}
	var said []string
	switch was, is := before.FlightDate.Time, e.FlightDate.Time; {
	case was.Equal(is):
	case was.IsZero():
		said = append(said, "a date was set")
	case is.IsZero():
		said = append(said, "the date, "+format.MomentAt(was, now, zone)+", was taken away")
	default:
		said = append(said, fmt.Sprintf("moved from %s, %s", format.MomentAt(was, now, zone), apart(was, is)))
	}
	if e.SchedulingStatus != before.SchedulingStatus {
		said = append(said, fmt.Sprintf("%s before", cmp.Or(string(before.SchedulingStatus), "without a status")))
	}
	if was, is := value(before.ScheduledBy), value(e.ScheduledBy); was != is && was != "" {
		said = append(said, "by "+was+" before")
	}
	if len(said) == 0 {
		return []string{"nothing but the note"}
	}
	return said
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// apart says how much later or earlier one time is than another.
func apart(was, is time.Time) string {
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
