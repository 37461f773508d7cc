package kmlcsv

import (
	"math"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// SystemNamed returns the EPSG code of a reference system by its code or a name such as "UTM 32N",
// for [Options]. The error says which systems a name fits, or that none has it.
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

// mentionedCode returns the code of the system that a header or a title names, 0 for none.
func mentionedCode(text string) int {
	if s := crs.Mentioned(text); s != nil {
		return s.Code()
	}
	return 0
}

// How far outside of its area of use a system is still used, in degrees. Zones are used for the
// whole of a country; elsewhere, coordinates outside of the area are exchanged or of another system.
const (
	marginOfUTM   = 9
	marginOfZones = 6
	marginOfAreas = 1.5
	widthOfZones  = 7
)

// placeIn returns the place of coordinates of a system, first east and then north. It returns false
// if they cannot be of the system.
func placeIn(s *crs.System, x, y float64) (orb.Point, bool) {
	if s.IsGeographic() {
		lng, lat, err := s.ToWGS84(x, y)
		return orb.Point{lng, lat}, err == nil
	}
	if math.Abs(x) <= 360 && math.Abs(y) <= 360 && s.Unit().Factor < 100 {
		return orb.Point{}, false // degrees
	}
	margin := marginOfAreas
	zone := s.UTMZone()
	bounds := s.Bounds()
	switch {
	case zone > 0:
		margin = marginOfUTM
	case math.Mod(bounds.East-bounds.West+360, 360) < widthOfZones && s.Method() == "Transverse Mercator":
		margin = marginOfZones
	}
	lng, lat, err := s.ToWGS84(x, y)
	if err == nil && bounds.Near(lng, lat, margin) {
		return orb.Point{lng, lat}, true
	}
	if zone > 0 && math.Floor(x/1e6) == float64(zone) { // the zone is in front of the easting
		lng, lat, err = s.ToWGS84(x-float64(zone)*1e6, y)
		return orb.Point{lng, lat}, err == nil && bounds.Near(lng, lat, margin)
	}
	return orb.Point{}, false
}

// isInArea reports whether coordinates are within the area of use of a system, or near it.
func isInArea(s *crs.System, x, y float64) bool {
	p, ok := placeIn(s, x, y)
	bounds := s.Bounds()
	return ok && bounds.Near(p[0], p[1], marginOfAreas)
}

// setSystem has the coordinates that follow be of the system that a file names or defines, or
// that is chosen if the file names none that is known.
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

// findSystem returns the reference system of a code.
func findSystem(code int) (*crs.System, *Error) {
	s, err := crs.FindCode(code)
	if err != nil {
		return nil, newError(OtherReference, "%v", err)
	}
	return s, nil
}

// takeSystem has the coordinates that follow be of the system of a code, 0 for WGS 84.
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

// useSystem has the coordinates that follow be of a system.
func (b *resultBuilder) useSystem(s *crs.System) {
	b.system = nil
	if !s.IsWGS84() {
		b.system = s
	}
}
