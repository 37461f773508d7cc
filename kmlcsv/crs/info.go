package crs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Code returns the EPSG or Esri code of the system. It returns 0 for a system without a code, which was made from a
// definition in a file.
func (s *System) Code() int { return s.code }

// Reference returns the registry and the code of the system, such as "EPSG:25832". If the system has no code, it
// returns the name.
func (s *System) Reference() string {
	if s.code == 0 {
		return s.title
	}
	return s.authority + ":" + strconv.Itoa(s.code)
}

// Name returns the name of the system.
func (s *System) Name() string {
	if s.title == "" && s.index >= 0 {
		return loadNames()[s.index]
	}
	return s.title
}

// Aliases returns other names of the system. They include the names that Esri uses.
func (s *System) Aliases() []string {
	if s.index < 0 || loadAliases()[s.index] == "" {
		return nil
	}
	return strings.Split(loadAliases()[s.index], "\t")
}

// Note returns a remark about the system for the user, such as that it replaces a deprecated system. It is "" for
// most systems.
func (s *System) Note() string { return s.note }

// IsGeographic reports whether the coordinates are longitude and latitude, not an easting and a northing.
func (s *System) IsGeographic() bool { return s.projection == nil }

// IsWGS84 reports whether the coordinates are longitude and latitude of WGS 84 in degrees.
func (s *System) IsWGS84() bool { return s.code == 4326 && s.authority == "EPSG" }

// Method returns the name of the projection, or "" for a geographic system.
func (s *System) Method() string { return s.method }

// Datum returns the name of the datum.
func (s *System) Datum() string { return s.frame.name }

// Unit returns the unit of the coordinates.
func (s *System) Unit() Unit { return s.axes.unit }

// Axes returns the directions of the two coordinates, such as "east" and "north", in the order that files use.
func (s *System) Axes() (first, second string) {
	if s.order.swapped {
		return s.axes.second, s.axes.first
	}
	return s.axes.first, s.axes.second
}

// IsNorthFirst reports whether the registry lists the northing or the latitude first. This is not always the order of
// coordinates in files and in ToWGS84, where the easting is usually first; see Axes.
func (s *System) IsNorthFirst() bool { return s.order.swapped || s.order.northIsFirst }

// Bounds returns the bounding box of the system's area of use.
func (s *System) Bounds() Box { return s.area }

// Area returns the name of the system's area of use, or "" if it is not known.
func (s *System) Area() string {
	if s.index < 0 {
		return ""
	}
	return loadAreas()[loadRegistry().records[s.index].area]
}

// Accuracy says how accurately the coordinates of a system can be converted to WGS 84.
type Accuracy struct {
	Metres    float64 // possible error in metres, -1 if unknown
	Operation string  // name of the transformation that is used
	Warning   string  // warning for the user, or ""
}

const (
	coarse      = 5 // accuracy in metres for an old datum that could only be converted exactly with a grid
	modernDatum = 3 // accuracy in metres that is assumed for a modern datum without a published transformation
)

// Modern ellipsoids were determined with satellites. They all have this equatorial radius in metres, and these first
// digits of the inverse flattening.
const (
	modernRadius  = 6378137
	modernInverse = 298.257
)

// AccuracyAt returns the accuracy of the conversion to WGS 84 at a position. lng and lat are degrees in WGS 84.
func (s *System) AccuracyAt(lng, lat float64) Accuracy {
	o := chooseOperation(s.frame.operations, s.placeAt(lng, lat))
	if o.ballpark {
		return s.ballparkAccuracy(o.describe())
	}
	a := Accuracy{Metres: o.accuracy, Operation: o.describe()}
	isUnknown := o.accuracy < 0
	isOutside := !o.box.Contains(lng, lat) && len(s.frame.operations) > 1
	if isOutside {
		a.Warning = fmt.Sprintf("the transformation %s is not made for this place", a.Operation)
	} else if isUnknown {
		a.Warning = "how accurate its transformation to WGS 84 is, is not known"
	}
	grid := s.bestGrid(lng, lat)
	isGridBetter := len(o.steps) > 0 && grid != nil && (isUnknown || grid.accuracy < o.accuracy)
	if isGridBetter {
		a.Metres = math.Max(a.Metres, coarse) // national grids were made because the parameters were not accurate enough
		a.Warning = fmt.Sprintf("%s is converted without its grid: up to %v m off (%s)", s.frame.short, a.Metres, grid.file)
	}
	return a
}

// isModern reports whether the ellipsoid of the datum was determined with satellites. Positions on such a datum
// differ from WGS 84 by a few metres at most.
func (f *frame) isModern() bool {
	return f.ellipsoid.isModern() && !isUnknownDatum(f.name)
}

func (e *ellipsoid) isModern() bool {
	return e.a == modernRadius && math.Abs(e.inverse-modernInverse) < .001
}

// placeAt converts a position in WGS 84 to the place that chooseOperation needs: its degrees and, for a projected
// system, its easting and northing. It does not convert the position to the datum of s, because chooseOperation does
// not need such accuracy.
func (s *System) placeAt(lng, lat float64) place {
	at := place{lng: lng, lat: lat, isGeographic: s.projection == nil}
	if s.projection != nil {
		at.east, at.north = s.projection.forward(normalize((lng-s.frame.meridian)*radian), lat*radian)
	}
	return at
}

// ballparkAccuracy returns the accuracy for a datum that has no published transformation to WGS 84. Longitudes and
// latitudes on such a datum are used unchanged. operation is the value of Accuracy.Operation in the result.
func (s *System) ballparkAccuracy(operation string) Accuracy {
	if s.frame.isModern() {
		return Accuracy{Metres: modernDatum, Operation: operation}
	}
	return Accuracy{
		Metres:    -1,
		Operation: operation,
		Warning:   s.frame.short + " has no known transformation to WGS 84: positions may be off by 1 km",
	}
}

// bestGrid returns the most accurate correction grid for a position, or nil if there is none. A correction grid is a
// file with the local differences between two datums. Conversions do not use grids, but AccuracyAt warns if a grid
// would make them more accurate.
func (s *System) bestGrid(lng, lat float64) *gridArea {
	var best *gridArea
	for i := range s.frame.grids {
		g := &s.frame.grids[i]
		if g.box.Contains(lng, lat) && (best == nil || g.accuracy < best.accuracy) {
			best = g
		}
	}
	return best
}

// Accuracy returns the accuracy of the conversion to WGS 84 at the centre of the area of use.
func (s *System) Accuracy() Accuracy { return s.AccuracyAt(s.area.Centre()) }
