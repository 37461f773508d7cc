package ordering

import (
	"fmt"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
)

// KnownPlaces are the places that are ordered or drafted already, by their shape.
type KnownPlaces struct {
	Missions map[uint64]*cache.Mission // of orders that are not over
	Drafts   map[uint64]string         // names of other drafts
}

// OpenMissions returns the missions by shape whose orders are not over.
func OpenMissions(missions []*cache.Mission) map[uint64]*cache.Mission {
	open := map[uint64]*cache.Mission{}
	for _, m := range missions {
		if m.Shape != 0 && !m.Order.Status.IsAbandoned() {
			open[m.Shape] = m
		}
	}
	return open
}

// MarkKnown notes for every included site of a draft where else its place is: in an
// order, in another draft, or twice in this one.
func (k KnownPlaces) MarkKnown(d *Draft) {
	first := make(map[uint64]*Site, len(d.Sites))
	for _, s := range d.Sites {
		s.Duplicate, s.Doubled = "", false
		shape := s.Fingerprint()
		if shape == 0 || s.Placed || !s.In {
			continue
		}
		switch m, same := k.Missions[shape], first[shape]; {
		case same != nil:
			s.Duplicate, s.Doubled = "same location as "+same.Name+" in this order", true
		case m != nil && m.Order.OrderCode != d.Again:
			s.Duplicate = fmt.Sprintf("same location as %s of %s%s: %s", m.MissionCode, m.Order.OrderCode, otherName(m.MissionName, s.Name), labels.MissionStatus(m.Status).Label)
		case k.Drafts[shape] != "":
			s.Duplicate = "same location in draft " + k.Drafts[shape]
		}
		if same := first[shape]; same == nil {
			first[shape] = s
		}
	}
}

// Fingerprint returns the shape of the site's points; it is worked out once.
func (s *Site) Fingerprint() uint64 {
	if s.print == 0 {
		s.print = cache.ShapeHash(wirePoints(s.Points()))
	}
	return s.print
}

// otherName says under which other name a place is known.
func otherName(there, here string) string {
	if there == here {
		return ", under this name"
	}
	return ", as " + there
}

// CountDuplicates counts the included sites that are ordered or drafted already, and
// those that are in this draft twice.
func (d *Draft) CountDuplicates() (known, doubled int) {
	for _, s := range d.IncludedSites() {
		switch {
		case s.Doubled:
			doubled++
		case s.Duplicate != "":
			known++
		}
	}
	return known, doubled
}
