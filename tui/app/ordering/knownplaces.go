package ordering

import (
	"fmt"

	"github.com/paulmach/orb"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
)

// maxKnownPlaces limits how many places KnownPlaces returns.
const maxKnownPlaces = 200

// KnownPlaces returns a point of each included site, then of each mission, up to maxKnownPlaces. They help
// to guess the coordinate system of a new file, see [Drafts.ReadFile].
func (d *Draft) KnownPlaces(missions []*cache.Mission) []orb.Point {
	var known []orb.Point
	for _, s := range d.IncludedSites() {
		if points := s.Points(); len(points) > 0 && len(known) < maxKnownPlaces {
			known = append(known, points[0])
		}
	}
	for _, m := range missions {
		if m.Centre != nil && len(known) < maxKnownPlaces {
			known = append(known, orb.Point{m.Centre.Lng, m.Centre.Lat})
		}
	}
	return known
}

// MarkKnown sets Duplicate of each included site with the same location as another site of this draft, a
// site of another draft, or a mission of an active order.
func (d *Draft) MarkKnown(missions []*cache.Mission, others []StoredDraft) {
	siteByShape := d.markDoubled()
	for _, other := range others {
		if other.Draft == nil {
			continue
		}
		for _, s := range other.Draft.IncludedSites() {
			if same := siteByShape[s.shape]; same != nil {
				same.Duplicate = "same location in draft " + other.Title
			}
		}
	}
	for _, m := range missions {
		isRepeated := m.Order.OrderCode == d.Again
		if m.Order.Status.IsAbandoned() || isRepeated {
			continue
		}
		if same := siteByShape[m.Shape]; same != nil {
			same.Duplicate = describeSameMission(m, same.Name)
		}
	}
}

// describeSameMission returns a text for a site that has the same location as a mission, such as "same
// location as M-1 of ORD-1, as Stade: Flight scheduled". siteName is the name of the site.
func describeSameMission(m *cache.Mission, siteName string) string {
	nameNote := ", under this name"
	if m.MissionName != siteName {
		nameNote = ", as " + m.MissionName
	}
	status := format.MissionState(m.Status, m.Order.Status, format.QuotesUnread)
	return fmt.Sprintf("same location as %s of %s%s: %s", m.MissionCode, m.Order.OrderCode, nameNote, status.Label)
}

// markDoubled marks the included sites that have the same location as an earlier site of the draft. It
// returns the first site at each location, by the hash of its points.
func (d *Draft) markDoubled() map[uint64]*Site {
	siteByShape := make(map[uint64]*Site, len(d.Sites))
	for _, s := range d.Sites {
		s.Duplicate = ""
		s.Doubled = false
		if s.shape == 0 || s.Placed || !s.In {
			continue
		}
		earlier := siteByShape[s.shape]
		if earlier == nil {
			siteByShape[s.shape] = s
			continue
		}
		s.Duplicate = "same location as " + earlier.Name + " in this draft"
		s.Doubled = true
	}
	return siteByShape
}
