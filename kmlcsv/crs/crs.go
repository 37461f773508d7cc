// Package crs finds reference systems by their code or name, and converts their
// coordinates to WGS 84.
package crs

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/paulmach/orb"
	"github.com/wroge/wgs84"
)

// System is a reference system.
type System struct {
	Code       int // EPSG
	Accuracy   int // of the conversion, in metres
	Geographic bool

	conversion
	zone int // of UTM, which may be in front of the easting
}

// Name returns the code as people write it.
func (s *System) Name() string { return "EPSG:" + strconv.Itoa(s.Code) }

var repository = sync.OnceValue(wgs84.EPSG)

// zones are runs of codes of UTM zones on datums that differ from WGS 84 by less
// than the accuracy.
var zones = []struct {
	base, first, last, accuracy int
	equator                     float64 // the northing of it
}{
	{32600, 1, 60, 1, 0},
	{32700, 1, 60, 1, 1e7},
	{25800, 28, 38, 1, 0},
	{26900, 1, 23, 2, 0},
	{28300, 46, 59, 2, 1e7},
	{7800, 46, 59, 2, 1e7},
	{2973, 33, 33, 1, 0}, // SWEREF99 TM, 3006
	{3032, 35, 35, 1, 0}, // ETRS-TM35FIN, 3067
	{4615, 32, 32, 1, 0}, // with the zone in front of the easting, 4647
	{5617, 33, 33, 1, 0}, // likewise, 5650
}

// conversion converts coordinates, and tells where they may be.
type conversion struct {
	convert func(x, y float64) orb.Point
	within  func(lng, lat float64) bool
}

// conversions are those that the library does not have, or not as accurately, by code.
var conversions = map[int]conversion{
	28992: {fromRDNew, box(3, 50, 8, 54)},
	2056:  {fromLV95, box(5.5, 45, 11, 48.5)},
	21781: {func(x, y float64) orb.Point { return fromLV95(x+2e6, y+1e6) }, box(5.5, 45, 11, 48.5)},
	2180:  {mercator{grs80, 19, 0.9993, 500_000, -5_300_000}.convert, box(13, 48, 26, 56)},
	2157:  {mercator{grs80, -8, 0.99982, 600_000, -5_179_198.412}.convert, box(-12, 50, -4, 57)},
	27700: {fromOSGB36, box(-9, 49, 3, 62)},
}

// Find returns the system of an EPSG code, nil where it cannot be converted.
func Find(code int) *System {
	s := &System{
		Code:       code,
		Accuracy:   1,
		Geographic: code >= 4000 && code < 5000,
		conversion: conversions[code],
	}
	switch {
	case code == 27700, code == 4277, code == 4314, code >= 31254 && code <= 31469:
		s.Accuracy = 7
	}
	switch code {
	case 4326, 4979, 4258, 4269, 4171, 4283, 7844:
		s.Geographic, s.within = true, box(-180, -90, 180, 90)
		s.convert = func(x, y float64) orb.Point { return orb.Point{x, y} }
	}
	for _, z := range zones {
		if zone := code - z.base; zone >= z.first && zone <= z.last {
			middle := float64(zone)*6 - 183
			s.Accuracy, s.Geographic, s.zone = z.accuracy, false, zone
			s.within = box(middle-12, -85, middle+12, 85)
			s.convert = mercator{grs80, middle, 0.9996, 500_000, z.equator}.convert
		}
	}
	if system := repository().Code(code); s.convert == nil && system != nil && code != 4978 {
		s.convert, s.within = fromLibrary(system), system.Contains
	}
	if s.convert == nil {
		return nil
	}
	return s
}

// Point returns the place of coordinates, first east and then north; false where
// they cannot be of this system.
func (s *System) Point(x, y float64) (orb.Point, bool) {
	if !s.Geographic && math.Abs(x) <= 360 && math.Abs(y) <= 360 {
		return orb.Point{}, false
	}
	if s.zone > 0 && math.Floor(x/1e6) == float64(s.zone) {
		x -= float64(s.zone) * 1e6
	}
	if s.zone > 0 && (math.Abs(x-500_000) > 800_000 || math.Abs(y) > 1e7) {
		return orb.Point{}, false
	}
	p := s.convert(x, y)
	return p, math.Abs(p[1]) <= 90 && math.Abs(p[0]) <= 180 && s.within(p[0], p[1])
}

// fromLibrary returns the conversion that the library has of a system.
func fromLibrary(system wgs84.CoordinateReferenceSystem) func(x, y float64) orb.Point {
	convert := wgs84.Transform(system, wgs84.LonLat())
	return func(x, y float64) orb.Point {
		lng, lat, _ := convert(x, y, 0)
		return orb.Point{lng, lat}
	}
}

func box(west, south, east, north float64) func(lng, lat float64) bool {
	return func(lng, lat float64) bool { return lng >= west && lng <= east && lat >= south && lat <= north }
}

// FromUTM returns the place of coordinates of a zone of UTM. The northing is from
// the equator.
func FromUTM(zone int, easting, northing float64) orb.Point {
	return mercator{grs80, float64(zone)*6 - 183, 0.9996, 500_000, 0}.convert(easting, northing)
}

// ellipsoid is the equatorial radius in metres and the inverse flattening.
type ellipsoid [2]float64

var (
	grs80 = ellipsoid{6_378_137, 298.257222101}
	airy  = ellipsoid{6_377_563.396, 299.3249646}
)

// mercator is a transverse Mercator projection. The library's is off by 20 m far
// from the middle.
type mercator struct {
	ellipsoid
	middle, scale float64 // longitude, and the scale on it
	east, equator float64 // easting of the middle and northing of the equator
}

// convert undoes the projection by Krüger's series, to less than a millimetre within
// six degrees of the middle.
func (m mercator) convert(easting, northing float64) orb.Point {
	const radian = math.Pi / 180
	n := 1 / (2*m.ellipsoid[1] - 1)
	radius := m.ellipsoid[0] / (1 + n) * (1 + n*n/4 + n*n*n*n/64) * m.scale
	beta := [...]float64{
		n/2 - 2*n*n/3 + 37*n*n*n/96,
		n*n/48 + n*n*n/15,
		17 * n * n * n / 480,
	}
	delta := [...]float64{2*n - 2*n*n/3 - 2*n*n*n, 7*n*n/3 - 8*n*n*n/5, 56 * n * n * n / 15}
	xi, eta := (northing-m.equator)/radius, (easting-m.east)/radius
	x, y := xi, eta
	for i, b := range beta {
		k := 2 * float64(i+1)
		x -= b * math.Sin(k*xi) * math.Cosh(k*eta)
		y -= b * math.Cos(k*xi) * math.Sinh(k*eta)
	}
	chi := math.Asin(math.Sin(x) / math.Cosh(y))
	lat := chi
	for i, d := range delta {
		lat += d * math.Sin(2*float64(i+1)*chi)
	}
	return orb.Point{m.middle + math.Atan2(math.Sinh(y), math.Cos(x))/radian, lat / radian}
}

// series is a polynomial of east and north: the powers of each, and the factor.
type series []float64

// readSeries reads the terms of a series.
func readSeries(text string) (s series) {
	for _, number := range strings.Fields(text) {
		v, _ := strconv.ParseFloat(number, 64)
		s = append(s, v)
	}
	return s
}

func (s series) sum(x, y float64) float64 {
	total := 0.0
	for term := range slices.Chunk(s, 3) {
		total += term[2] * math.Pow(x, term[0]) * math.Pow(y, term[1])
	}
	return total
}

var (
	rdLatitude = readSeries(`0 1 3235.65389  2 0 -32.58297  0 2 -0.24750  2 1 -0.84978  0 3 -0.06550  2 2 -0.01709
		1 0 -0.00738  4 0 0.00530  2 3 -0.00039  4 1 0.00033  1 1 -0.00012`)
	rdLongitude = readSeries(`1 0 5260.52916  1 1 105.94684  1 2 2.45656  3 0 -0.81885  1 3 0.05594  3 1 -0.05607
		0 1 0.01199  3 2 -0.00256  1 4 0.00128  0 2 0.00022  2 0 -0.00022  5 0 0.00026`)
	lvLatitude  = readSeries(`0 0 16.9023892  0 1 3.238272  2 0 -0.270978  0 2 -0.002528  2 1 -0.0447  0 3 -0.0140`)
	lvLongitude = readSeries(`0 0 2.6779094  1 0 4.728982  1 1 0.791484  1 2 0.1306  3 0 -0.0436`)
)

// fromRDNew converts Dutch coordinates by the series of Schreutelkamp and Strang
// van Hees.
func fromRDNew(x, y float64) orb.Point {
	x, y = (x-155_000)*1e-5, (y-463_000)*1e-5
	return orb.Point{5.38720621 + rdLongitude.sum(x, y)/3600, 52.15517440 + rdLatitude.sum(x, y)/3600}
}

// fromLV95 converts Swiss coordinates by the series of swisstopo.
func fromLV95(x, y float64) orb.Point {
	x, y = (x-2_600_000)*1e-6, (y-1_200_000)*1e-6
	return orb.Point{lvLongitude.sum(x, y) * 100 / 36, lvLatitude.sum(x, y) * 100 / 36}
}

// fromOSGB36 converts British coordinates.
func fromOSGB36(x, y float64) orb.Point {
	p := mercator{airy, -2, 0.9996012717, 400_000, -5_527_063.815}.convert(x, y)
	return fromLibrary(wgs84.OSGB36().LonLat())(p[0], p[1])
}

var (
	epsgText = regexp.MustCompile(`(?i)EPSG["\s,:/]*(?:[0-9.]+[:/])?:?"?([0-9]{4,6})`)
	codeText = regexp.MustCompile(`(?:^|[^0-9.,])([0-9]{4,6})(?:$|[^0-9.,])`)
	notWord  = regexp.MustCompile(`[^a-z0-9+]+`)
	utmText  = regexp.MustCompile(`utm(?:zone)?0?([1-5][0-9]|60|[1-9])([ns]?)`)
	mgaText  = regexp.MustCompile(`mga(?:94|2020)?(?:zone)?([45][0-9])`)
	gkText   = regexp.MustCompile(`(?:gausskruger|gausskrueger|3degreegauss|gk)(?:zone|streifen)?([2-5])`)
)

// names are the names of systems that a text can have in it, each with its code.
var names = strings.Fields(`britishnationalgrid 27700 osgb 27700 lambert93 2154 rdnew 28992 rijksdriehoek 28992
	webmercator 3857 pseudomercator 3857 lv95 2056 lv03 21781 sweref99tm 3006 tm35fin 3067
	irishtransversemercator 2157 crs84 4326 polandcs92 2180`)

// modern are the names of datums that are within a metre or two of WGS 84. Well-known
// text names one; others are up to a kilometre away.
var modern = strings.Fields(`wgs1984 wgs84 etrs euref nad1983 nad83 rgf rgr1992 rraf gda sirgas jgd itrf posgar
	magna nzgd2000 cgcs2000`)

// Named returns the code of the system that a text names: an EPSG code with or
// without the word, the name of a system, a header such as "E (UTM 32N)", or
// the well-known text of a .prj file. 0 stands for none.
func Named(text string) int {
	if found := epsgText.FindAllStringSubmatch(text, -1); found != nil {
		return atoi(found[len(found)-1][1]) // that of the whole is last
	}
	folded := notWord.ReplaceAllString(strings.NewReplacer("ü", "u", "ß", "ss").Replace(strings.ToLower(text)), "")
	if m := utmText.FindStringSubmatch(folded); m != nil && hasDatum(folded, modern...) {
		return utmCode(folded, atoi(m[1]), m[2] == "s")
	}
	if m := mgaText.FindStringSubmatch(folded); m != nil {
		if strings.Contains(folded, "2020") {
			return 7800 + atoi(m[1])
		}
		return 28300 + atoi(m[1])
	}
	if m := gkText.FindStringSubmatch(folded); m != nil && hasDatum(folded, "hauptdreieck") {
		return 31464 + atoi(m[1])
	}
	for n := range slices.Chunk(names, 2) {
		if strings.Contains(folded, n[0]) {
			return atoi(n[1])
		}
	}
	if strings.HasPrefix(folded, "geogcs") || strings.HasPrefix(folded, "geogcrs") {
		if hasDatum(folded, modern...) {
			return 4326
		}
		return 0
	}
	if m := codeText.FindStringSubmatch(text); m != nil && Find(atoi(m[1])) != nil {
		return atoi(m[1])
	}
	return 0
}

// hasDatum reports whether well-known text names one of these datums. Another text need
// not name any.
func hasDatum(folded string, datums ...string) bool {
	return !strings.HasPrefix(folded, "projc") && !strings.HasPrefix(folded, "geogc") ||
		slices.ContainsFunc(datums, func(name string) bool { return strings.Contains(folded, name) })
}

func utmCode(folded string, zone int, southern bool) int {
	switch {
	case southern:
		return 32700 + zone
	case strings.Contains(folded, "etrs") && zone >= 28 && zone <= 38:
		return 25800 + zone
	}
	return 32600 + zone
}

func atoi(digits string) int {
	n, _ := strconv.Atoi(digits) // matched as digits
	return n
}
