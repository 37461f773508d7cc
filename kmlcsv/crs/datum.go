package crs

import (
	"regexp"
	"strings"
)

// FindDatum returns the geographic system (longitude and latitude) of a datum, or nil if the registry does not have
// the datum. name is the name of the datum, such as "NAD27" or "North American Datum 1927". It can also be the code
// or the name of a system on this datum, such as "EPSG:4267".
func FindDatum(name string) *System {
	if len(name) > maxQuery {
		return nil
	}
	if code := codeIn(strings.TrimSpace(name)); code != 0 {
		return geographicOf(code)
	}
	folded := strings.TrimSuffix(strings.TrimPrefix(fold(name), "datum"), "datum")
	if code := gridDatums[folded]; code != 0 {
		return geographicOf(code)
	}
	shortYear := century.ReplaceAllString(folded, "$1$2")
	esriName := "d" + folded // Esri's names of datums begin with D, such as D_North_American_1927
	for _, key := range []string{folded, shortYear, esriName} {
		if s := datumNamed(key); s != nil {
			return s
		}
	}
	return nil
}

// geographicOf returns the geographic system that the system with the given code is based on, or nil if there is
// none.
func geographicOf(code int) *System {
	s, err := FindCode(code)
	if err != nil {
		return nil
	}
	return s.geographic()
}

// datumNamed returns the geographic system of the datum with the given name or nickname, or nil. folded is the name
// in the form that fold returns.
func datumNamed(folded string) *System {
	if code := nicknames[folded]; code != 0 {
		s, err := FindCode(code)
		if err == nil && s.IsGeographic() {
			return s
		}
	}
	i, ok := loadIndex().datums[folded]
	if !ok {
		return nil
	}
	s, err := systemAt(i)
	if err != nil {
		return nil
	}
	return s
}

// gridDatums maps the names of Australian map grids to the codes of the geographic systems that they are based on.
// The year in the name of a grid identifies its datum, so users also write the name of the grid for the datum.
var gridDatums = map[string]int{"mga2020": 7844, "mga94": 4283, "mga1994": 4283, "amg66": 4202, "amg84": 4203}

// century matches the name of a datum with a year of four digits, such as NAD 1927, in the form that fold returns. It
// is used to shorten the year, because the registry has some names only in the form NAD27.
var century = regexp.MustCompile(`^([a-z]+)19([0-9]{2})$`)

// geographic returns s if it is a geographic system, otherwise the geographic system that s is based on. It returns
// nil if the registry does not have this system.
func (s *System) geographic() *System {
	if s.IsGeographic() {
		return s
	}
	if s.index < 0 {
		return nil
	}
	base, err := systemAt(loadRegistry().records[s.index].base)
	if err != nil {
		return nil
	}
	return base
}

// datumText matches the abbreviation of a datum with its year, such as NAD27.
var datumText = regexp.MustCompile(`(?i)\b[A-Z]{2,6}[ _-]?(?:(?:19|20)[0-9]{2}|[0-9]{2})`)

// CutDatum finds an abbreviated datum with a year, such as "NAD27" in "NAD27 / UTM 13N". It returns the geographic
// system of the datum, and the text without the abbreviation. If the text has no such datum, it returns nil and the
// unchanged text.
func CutDatum(text string) (datum *System, rest string) {
	if len(text) > maxQuery {
		return nil, text
	}
	for _, at := range datumText.FindAllStringIndex(text, -1) {
		isCutOff := at[1] < len(text) && '0' <= text[at[1]] && text[at[1]] <= '9'
		if s := FindDatum(text[at[0]:at[1]]); s != nil && !isCutOff {
			return s, text[:at[0]] + " " + text[at[1]:]
		}
	}
	return nil, text
}

// UTMOn returns the system of a UTM zone that has the same datum as the given geographic system, or nil if the registry
// has no such system. If geographic is nil, the datum is WGS 84. The coordinates of the returned system are an easting
// and a northing in metres. Other systems for the same zone are ignored: systems in feet, with the northing first, or
// with the zone number before the easting.
func UTMOn(geographic *System, zone int, south bool) *System {
	if geographic == nil || geographic.IsWGS84() {
		return UTM(zone, south)
	}
	isRegistered := geographic.index >= 0
	if !isRegistered {
		return nil
	}
	records := loadRegistry().records
	datum := records[geographic.index].datum
	for i, record := range records {
		isOnDatum := record.projected && records[record.base].datum == datum
		if !isOnDatum || record.deprecated {
			continue
		}
		s, err := systemAt(i)
		if err != nil {
			continue
		}
		isZone := s.UTMZone() == zone && s.isSouthern() == south
		isInMetres := s.axes.unit.Factor == 1
		if isZone && isInMetres && !s.IsNorthFirst() && !s.hasZoneBeforeEasting() {
			return s
		}
	}
	return nil
}

// isSouthern reports whether the system is a UTM zone of the southern hemisphere, in which the equator has the
// northing 10,000 km.
func (s *System) isSouthern() bool {
	m, ok := s.projection.(*transverseMercator)
	return ok && m.north > 9e6
}

// hasZoneBeforeEasting reports whether eastings in the system begin with the number of the zone, as in 32508091.
func (s *System) hasZoneBeforeEasting() bool {
	m, ok := s.projection.(*transverseMercator)
	return ok && m.east > 1e6
}

// HasModernSquares reports whether the 100 km squares of MGRS have the same letters on the system's datum as on WGS 84.
// On old datums with the ellipsoids of Bessel or Clarke, the squares have other letters.
func (s *System) HasModernSquares() bool {
	e := &s.frame.ellipsoid
	return e.isModern() || e.a == 6378388 // the International Ellipsoid of 1924
}
