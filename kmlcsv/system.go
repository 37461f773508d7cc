package kmlcsv

import (
	"math"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// SystemNamed returns the EPSG code of a reference system, for [Options.CRS]. text is a code or a name such as "UTM
// 32N". If a name fits several systems, the error lists them. If no system has the code or the name, the error is a
// [*crs.UnknownError].
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

// The margins in degrees around the area of use of a system. Coordinates within the margin are accepted. For zones,
// the margins are large, because one zone is often used for a whole country. In other systems, coordinates outside of
// the area usually mean that the axes are exchanged or that the system is wrong.
const (
	marginOfUTM   = 9
	marginOfZones = 6
	marginOfAreas = 1.5
	widthOfZones  = 7 // a transverse Mercator system is a zone if its area is narrower than this
)

// placeIn converts the coordinates x and y in a reference system to WGS 84. They are an easting and a northing, or a
// longitude and a latitude in degrees, depending on the system. In UTM, the easting can start with the number of the
// zone. ok is false if the position is too far from the area of use, or if the coordinates look like degrees although
// the system has metres.
func placeIn(s *crs.System, x, y float64) (p orb.Point, ok bool) {
	if s.IsGeographic() {
		lng, lat, err := s.ToWGS84(x, y)
		return orb.Point{lng, lat}, err == nil
	}
	looksLikeDegrees := math.Abs(x) <= 360 && math.Abs(y) <= 360
	isKilometres := s.Unit().Factor >= 100 // the factor is the number of metres
	if looksLikeDegrees && !isKilometres {
		return orb.Point{}, false
	}
	p, ok = placeNearArea(s, x, y)
	if ok {
		return p, true
	}
	zone := float64(s.UTMZone())
	if zone > 0 && math.Floor(x/1e6) == zone { // the easting starts with the zone, as in 32500000
		return placeNearArea(s, x-zone*1e6, y)
	}
	return orb.Point{}, false
}

// placeNearArea converts an easting and a northing in a system to WGS 84. ok is false if the position is outside of the
// area of use by more than marginOf.
func placeNearArea(s *crs.System, x, y float64) (p orb.Point, ok bool) {
	lng, lat, err := s.ToWGS84(x, y)
	if err != nil {
		return orb.Point{}, false
	}
	bounds := s.Bounds()
	return orb.Point{lng, lat}, bounds.Near(lng, lat, marginOf(s))
}

// marginOf returns the margin around the area of use of a system, in degrees. Coordinates within this margin are
// accepted.
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

// setSystem sets the reference system of the coordinates in a file. definition is what the file says about it, such as
// the content of its .prj. It can be a name, a definition or "". If it is "" or cannot be read, setSystem uses the
// system in the options.
func (b *resultBuilder) setSystem(definition string) *Error {
	b.system = nil
	if definition == "" {
		return b.useSystemCode(b.opts.CRS)
	}
	system, err := crs.Parse(definition)
	if err == nil {
		b.useSystem(system)
		return nil
	}
	if b.opts.CRS != 0 {
		return b.useSystemCode(b.opts.CRS)
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

// useSystemCode sets the reference system of the coordinates to the system with an EPSG code. 0 means WGS 84.
func (b *resultBuilder) useSystemCode(code int) *Error {
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

// useSystem sets the reference system of the coordinates. For WGS 84, it sets b.system to nil, because WGS 84 needs no
// conversion.
func (b *resultBuilder) useSystem(s *crs.System) {
	b.system = nil
	if !s.IsWGS84() {
		b.system = s
	}
}
