package format

import (
	"math"
	"time"
)

// AreaUnit is the unit for areas.
type AreaUnit string

// The settings for areas. BySize chooses the unit by the size: m² below 10,000 m², hectares up to 10,000 ha, then km².
const (
	BySize   AreaUnit = "auto"
	Hectares AreaUnit = "hectares"
	Km2      AreaUnit = "km2"
	Acres    AreaUnit = "acres"
)

// AreaUnits returns all units.
func AreaUnits() []AreaUnit { return []AreaUnit{BySize, Hectares, Km2, Acres} }

// ClockSetting says in which time zone the times of flights and permissions are shown.
type ClockSetting string

// The settings.
const (
	LocalClock ClockSetting = "local" // the time zone of this machine
	SiteClock  ClockSetting = "site"  // the time zone of the site
)

// Units are the units that the user has chosen for areas and times. The zero value chooses the unit of an
// area by its size, and shows local times.
type Units struct {
	Areas AreaUnit
	Times ClockSetting
}

// Unit is a unit of area and the number of decimals to show. Areas that are displayed together, such
// as the cells of a column, have the same Unit.
type Unit struct {
	Name     string
	Per      float64 // square metres per unit
	Decimals int
}

var units = map[AreaUnit]Unit{
	Hectares: {"ha", 1e4, 1},
	Km2:      {"km²", 1e6, 2},
	Acres:    {"acres", 4046.8564224, 1},
}

// UnitFor returns the unit for areas that are displayed together. largest is the largest of them, in
// square metres.
func (u Units) UnitFor(largest float64) Unit {
	if unit, ok := units[u.Areas]; ok {
		unit.Decimals = max(decimalsFor(largest/unit.Per), unit.Decimals)
		return unit
	}
	switch {
	case math.Round(largest) < 10_000:
		return Unit{"m²", 1, 0}
	case largest < 10_000*10_000:
		return units[Hectares]
	default:
		return units[Km2]
	}
}

// decimalsFor returns the number of decimals for a number. A small number has more decimals, so that
// it does not look like zero.
func decimalsFor(v float64) int {
	switch {
	case v == 0 || v >= 9.995:
		return 1
	case v >= 0.995:
		return 2
	case v >= 0.0995:
		return 3
	default:
		return 4
	}
}

// PriceUnit returns the unit for prices per area. It is the chosen unit, or hectares if the user has not
// chosen a fixed unit.
func (u Units) PriceUnit() Unit {
	if unit, ok := units[u.Areas]; ok {
		if unit.Name == "acres" {
			unit.Name = "acre"
		}
		return unit
	}
	return units[Hectares]
}

// Area formats square metres in the chosen unit.
func (u Units) Area(m2 float64) string {
	if m2 < 0 || math.IsNaN(m2) || math.IsInf(m2, 0) {
		return None
	}
	unit := u.UnitFor(m2)
	return GroupDigits(m2/unit.Per, unit.Decimals) + " " + unit.Name
}

// ClockAt converts a time to the time zone of a site if the user chose [SiteClock]. Otherwise, or if
// zone is nil, the time is unchanged.
func (u Units) ClockAt(t time.Time, zone *time.Location) time.Time {
	if zone == nil || u.Times != SiteClock {
		return t
	}
	return t.In(zone)
}

// MomentAt formats a time like [Moment]. If the user chose [SiteClock], it is the time in the site's
// zone, followed by the name of the zone.
func (u Units) MomentAt(at, now time.Time, zone *time.Location) string {
	if zone == nil || at.IsZero() || u.Times != SiteClock {
		return Moment(at, now)
	}
	return Moment(at, now.In(zone)) + " " + at.In(zone).Format("MST")
}
