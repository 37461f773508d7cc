package cache

import (
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv/places"
	"flightdesk/tui/format"
)

// FlightZone returns the time zone that flights and permissions of the mission are told
// in: nil for the user's own, or by choice that of the site, and UTC where that
// is not known.
func (m *Mission) FlightZone() *time.Location {
	if format.ChosenUnits().Times != format.SiteClock {
		return nil
	}
	if !m.Placed {
		return timeZone(m.Country, nil)
	}
	return timeZone(m.Country, &orb.Point{m.Centre.Lng, m.Centre.Lat})
}

// ZoneOf returns Zone of a mission that was read by itself.
func ZoneOf(m *api.Mission) *time.Location {
	if format.ChosenUnits().Times != format.SiteClock {
		return nil
	}
	if len(m.LocationMap) == 0 {
		return timeZone(m.Country, nil)
	}
	return timeZone(m.Country, &orb.Point{m.LocationMap[0].Lng, m.LocationMap[0].Lat})
}

func timeZone(country string, at *orb.Point) *time.Location {
	if z := places.TimeZone(country, at); z != nil {
		return z
	}
	return time.UTC
}

// InFlightZone returns a time in the zone that the mission's flights are told in.
func (m *Mission) InFlightZone(t, now time.Time) time.Time {
	if z := m.FlightZone(); z != nil {
		return t.In(z)
	}
	return t.In(now.Location())
}
