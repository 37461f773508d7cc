package format

import (
	"math"
	"time"
)

// AreaUnit is what areas are written in.
type AreaUnit string

// The units; by size is m² below 10,000, hectares to 10,000 ha, then km².
const (
	BySize   AreaUnit = "auto"
	Hectares AreaUnit = "hectares"
	Km2      AreaUnit = "km2"
	Acres    AreaUnit = "acres"
)

// AreaUnits returns all of them.
func AreaUnits() []AreaUnit { return []AreaUnit{BySize, Hectares, Km2, Acres} }

// ClockOf is whose time the flights and permissions of a site are told in.
type ClockOf string

// The clocks.
const (
	LocalClock ClockOf = "local" // of this machine
	SiteClock  ClockOf = "site"
)

// Units are what somebody reads areas and times in; the zero value is by size, in local time.
type Units struct {
	Areas AreaUnit
	Times ClockOf
}

// Unit is how areas are written that stand together.
type Unit struct {
	Name     string
	Per      float64 // square metres in one
	Decimals int
}

var units = map[AreaUnit]Unit{
	Hectares: {"ha", 1e4, 1},
	Km2:      {"km²", 1e6, 2},
	Acres:    {"acres", 4046.8564224, 1},
}

// UnitFor returns the unit for areas of which the largest has that many square
// metres.
func (u Units) UnitFor(top float64) Unit {
	if unit, ok := units[u.Areas]; ok {
		unit.Decimals = max(decimalsFor(top/unit.Per), unit.Decimals) // of km² what a hectare needs
		return unit
	}
	switch {
	case math.Round(top) < 10_000:
		return Unit{"m²", 1, 0}
	case top < 10_000*10_000:
		return units[Hectares]
	default:
		return units[Km2]
	}
}

// decimalsFor returns as many decimals as a small number needs to be told from nothing.
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

// PriceUnit returns what prices are told for: the unit that was chosen, else ha.
func (u Units) PriceUnit() Unit {
	if unit, ok := units[u.Areas]; ok {
		if unit.Name == "acres" {
			unit.Name = "acre"
		}
		return unit
	}
	return units[Hectares]
}

// Area writes square metres in the unit that was chosen.
func (u Units) Area(m2 float64) string {
	if m2 < 0 || math.IsNaN(m2) || math.IsInf(m2, 0) {
		return None
	}
	unit := u.UnitFor(m2)
	return GroupDigits(m2/unit.Per, unit.Decimals) + " " + unit.Name
}

// ClockAt returns a time by the clock that is chosen for a site in a time zone; of a zone
// that is nil, or by choice, the time is unchanged.
func (u Units) ClockAt(t time.Time, zone *time.Location) time.Time {
	if zone == nil || u.Times != SiteClock {
		return t
	}
	return t.In(zone)
}

// MomentAt returns Moment by the clock that is chosen for a site: the time zone is told
// with it, now's goes without saying.
func (u Units) MomentAt(at, now time.Time, zone *time.Location) string {
	if zone == nil || at.IsZero() || u.Times != SiteClock {
		return Moment(at, now)
	}
	return Moment(at, now.In(zone)) + " " + at.In(zone).Format("MST")
}
