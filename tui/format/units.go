package format

import (
	"math"
	"sync/atomic"
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

// AllClocks returns all of them.
func AllClocks() []ClockOf { return []ClockOf{LocalClock, SiteClock} }

// Units are what is chosen of them.
type Units struct {
	Areas AreaUnit
	Times ClockOf
}

// chosen is for the whole process: it has one user, who reads one way.
var chosen atomic.Value

// UseUnits chooses the units from now on. What is empty is by size, or local.
func UseUnits(u Units) {
	if u.Areas == "" {
		u.Areas = BySize
	}
	if u.Times == "" {
		u.Times = LocalClock
	}
	chosen.Store(u)
}

// ChosenUnits returns the units that are used.
func ChosenUnits() Units {
	if u, ok := chosen.Load().(Units); ok {
		return u
	}
	return Units{BySize, LocalClock}
}

// Unit is how areas are written that stand together.
type Unit struct {
	Name     string
	Per      float64 // square metres in one
	Decimals int
}

var units = map[AreaUnit]Unit{Hectares: {"ha", 1e4, 1}, Km2: {"km²", 1e6, 2}, Acres: {"acres", 4046.8564224, 1}}

// UnitFor returns the unit for areas of which the largest has that many square
// metres.
func UnitFor(top float64) Unit {
	if u, ok := units[ChosenUnits().Areas]; ok {
		u.Decimals = max(decimalsFor(top/u.Per), u.Decimals) // of km² what a hectare needs
		return u
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
func PriceUnit() Unit {
	if u, ok := units[ChosenUnits().Areas]; ok {
		if u.Name == "acres" {
			u.Name = "acre"
		}
		return u
	}
	return units[Hectares]
}

// Area writes square metres in the unit that was chosen.
func Area(m2 float64) string {
	if m2 < 0 || math.IsNaN(m2) || math.IsInf(m2, 0) {
		return None
	}
	u := UnitFor(m2)
	return GroupDigits(m2/u.Per, u.Decimals) + " " + u.Name
}

// MomentAt returns Moment by the clock of a time zone, which is told with it; with
// nil by now's, which goes without saying.
func MomentAt(at, now time.Time, zone *time.Location) string {
	if zone == nil || at.IsZero() {
		return Moment(at, now)
	}
	return Moment(at, now.In(zone)) + " " + at.In(zone).Format("MST")
}
