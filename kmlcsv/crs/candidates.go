package crs

import "math"

// Candidates returns the projected systems that the coordinates x and y may belong to. In each of them, the
// coordinates are a position in the system's area of use. The system with the smallest area is first. Deprecated
// systems and Esri's own systems are left out. The first call takes about 0.1 s, because it tries about 5,000
// systems.
func Candidates(x, y float64) []*System {
	return candidatesWhere(func(s *System) bool {
		lng, lat, err := s.ToWGS84(x, y)
		return err == nil && s.area.Contains(lng, lat)
	})
}

// SystemsAt returns the projected systems whose area of use contains a position in degrees. The system with the
// smallest area is first. Deprecated systems and Esri's own systems are left out.
func SystemsAt(lng, lat float64) []*System {
	return candidatesWhere(func(s *System) bool { return s.area.Contains(lng, lat) })
}

func candidatesWhere(fits func(*System) bool) []*System {
	g := loadRegistry()
	var found []*System
	for i, r := range g.records[:g.esri] {
		if !r.projected || r.deprecated {
			continue
		}
		if s, err := systemAt(i); err == nil && fits(s) {
			found = append(found, s)
		}
	}
	sortByArea(found)
	return found
}

// UTM returns the system of a UTM zone on WGS 84, or nil if the zone is not from 1 to 60. If south is true, it is the
// zone of the southern hemisphere, in which the equator has the northing 10,000 km instead of 0.
func UTM(zone int, south bool) *System {
	if zone < 1 || zone > 60 {
		return nil
	}
	code := 32600 + zone
	if south {
		code += 100
	}
	s, err := FindCode(code)
	if err != nil {
		return nil
	}
	return s
}

// ProjectUTM converts a position on WGS 84 in degrees to an easting and a northing in a UTM zone. Unlike [UTM], it
// does not load the registry of systems, which takes 3 MB of memory.
func ProjectUTM(zone int, south bool, lng, lat float64) (x, y float64) {
	p := parameters{
		originLongitude: float64(zone*6-183) * radian,
		originScale:     0.9996,
		falseEasting:    500_000,
	}
	if south {
		p[falseNorthing] = 10_000_000
	}
	wgs84 := newEllipsoid("WGS 84", 6378137, 298.257223563)
	return makeTransverseMercator(wgs84, p).forward(lng*radian, lat*radian)
}

// UTMZone returns the number of the UTM zone if the system is a UTM system, otherwise 0.
func (s *System) UTMZone() int {
	m, ok := s.projection.(*transverseMercator)
	if !ok || math.Abs(m.radius/m.e.a-.9996*.99833) > 1e-4 || math.Abs(math.Mod(m.east, 1e6)-500_000) > 1e-6 {
		return 0
	}
	zone := (m.lng0/radian + 183) / 6
	if math.Abs(zone-math.Round(zone)) > 1e-6 || s.frame.meridian != 0 {
		return 0
	}
	return int(math.Round(zone))
}
