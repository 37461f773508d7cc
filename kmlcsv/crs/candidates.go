package crs

import "math"

// Candidates returns the projected systems in which the coordinates are a position in the area of use. The smallest
// area is first. It leaves out deprecated systems and Esri's own systems. It tries about 5,000 systems, which takes
// about 0.1 s the first time.
func Candidates(x, y float64) []*System {
	return candidatesWhere(func(s *System) bool {
		lng, lat, err := s.ToWGS84(x, y)
		return err == nil && s.area.Contains(lng, lat)
	})
}

// SystemsAt returns the projected systems that have a position in their area of use, smallest area first.
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

// UTM returns the system of a UTM zone on WGS 84, or nil if the zone is not from 1 to 60. In the
// south, the equator has the northing 10,000 km.
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

// ProjectUTM returns the easting and northing of a position on WGS 84 in a UTM zone. Unlike [UTM], it does not
// load the registry, which takes 3 MB of memory.
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

// UTMZone returns the zone of a UTM system, or 0 for other systems.
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
