package kmlcsv

import (
	"math"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// SystemNamed returns the EPSG code of a reference system for [Options]. text is a code or a name such as "UTM
// 32N". If a name fits several systems, the error lists them.
func SystemNamed(text string) (int, error) {
	s, err := crs.Find(text)
	if err == nil {
		return s.Code(), nil
	}
	if code := mentionedCode(text); code != 0 {
		return code, nil
	}
	return 0, err
}

// mentionedCode returns the EPSG code of the system that a header or a title names, or 0.
func mentionedCode(text string) int {
	if s := crs.Mentioned(text); s != nil {
		return s.Code()
	}
	return 0
}

// The margins around the area of use in which coordinates of a system are accepted, in degrees. Zones are often
// used for a whole country. In other systems, coordinates outside of the area usually mean that the axes are
// exchanged or that the system is wrong.
const (
	marginOfUTM   = 9
	marginOfZones = 6
	marginOfAreas = 1.5
	widthOfZones  = 7 // areas of transverse Mercator systems that are narrower are zones
)

// placeIn converts the easting and the northing of a system to WGS 84. It returns false if the coordinates cannot
// be of the system.
func placeIn(s *crs.System, x, y float64) (orb.Point, bool) {
	if s.IsGeographic() {
		lng, lat, err := s.ToWGS84(x, y)
		return orb.Point{lng, lat}, err == nil
	}
	isKilometres := s.Unit().Factor >= 100 // metres in a unit
	looksLikeDegrees := math.Abs(x) <= 360 && math.Abs(y) <= 360
	if looksLikeDegrees && !isKilometres {
		return orb.Point{}, false
	}
	if p, ok := placeNear(s, x, y); ok {
		return p, true
	}
	zone := float64(s.UTMZone())
	if zone > 0 && math.Floor(x/1e6) == zone { // the easting starts with the zone
		return placeNear(s, x-zone*1e6, y)
	}
	return orb.Point{}, false
}

// placeNear converts the easting and the northing of a system to WGS 84. It returns false if the position is too
// far from the area of use.
func placeNear(s *crs.System, x, y float64) (orb.Point, bool) {
	lng, lat, err := s.ToWGS84(x, y)
	bounds := s.Bounds()
	return orb.Point{lng, lat}, err == nil && bounds.Near(lng, lat, marginOf(s))
}

// marginOf returns the margin around the area of use of a system, in degrees.
func marginOf(s *crs.System) float64 {
	if s.UTMZone() > 0 {
		return marginOfUTM
	}
	bounds := s.Bounds()
	width := math.Mod(bounds.East-bounds.West+360, 360)
	if width < widthOfZones && s.Method() == "Transverse Mercator" {
		return marginOfZones
	}
	return marginOfAreas
}

// isInArea reports whether coordinates are in the area of use of a system, or near it.
func isInArea(s *crs.System, x, y float64) bool {
	p, ok := placeIn(s, x, y)
	bounds := s.Bounds()
	return ok && bounds.Near(p[0], p[1], marginOfAreas)
}

// setSystem sets the reference system of the coordinates to the system that a file names or defines. If it names
// none, or an unknown system, the system in the options is used.
func (b *resultBuilder) setSystem(named string) *Error {
	b.system = nil
	if named == "" {
		return b.takeSystem(b.opts.CRS)
	}
	system, err := crs.Parse(named)
	if err == nil {
		b.useSystem(system)
		return nil
	}
	if b.opts.CRS != 0 {
		return b.takeSystem(b.opts.CRS)
	}
	return newError(OtherReference, "%v", err)
}

// findSystem returns the reference system with an EPSG code.
func findSystem(code int) (*crs.System, *Error) {
	s, err := crs.FindCode(code)
	if err != nil {
		return nil, newError(OtherReference, "%v", err)
	}
	return s, nil
}

// takeSystem sets the reference system of the coordinates by its EPSG code, 0 for WGS 84.
func (b *resultBuilder) takeSystem(code int) *Error {
	b.system = nil
	if code == 0 {
		return nil
	}
	s, err := findSystem(code)
	if err != nil {
		return err
	}
	b.useSystem(s)
	return nil
}

// useSystem sets the reference system of the coordinates.
func (b *resultBuilder) useSystem(s *crs.System) {
	b.system = nil
	if !s.IsWGS84() {
		b.system = s
	}
}
