package kmlcsv

import (
	"fmt"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/places"
)

// A position this far from any town, in metres, is doubted where the exchanged
// one is this near to one. It is only a hint: there are surveys in deserts.
const (
	farFromTowns = 60_000
	nearTown     = 20_000
)

// locate suggests country and city for a placemark, which has those of the file
// already; they win. index is its place among the placemarks, for warnings
// about it, or -1 for one that is only offered as a fix. The placemark has no
// name yet.
func (b *builder) locate(p *Placemark, index int) {
	found := places.Suggest(p.Geometry)
	if name := places.Name(strings.ToUpper(p.Country)); name != "" {
		p.Country = name // a file that gives codes must not mix them with names
	}
	given := p.Country
	if p.Country == "" {
		p.Country = found.Country
	}
	if p.City == "" && (given == "" || names(given, found)) {
		p.City = found.City
	}
	if index >= 0 {
		b.doubt(p, index, given, found)
	}
}

// doubt warns where the place makes it likely that something is wrong.
func (b *builder) doubt(p *Placemark, index int, given string, found places.Place) {
	note := func(code Code, message string, fixed *Placemark) {
		b.warn(Warning{Code: code, Line: p.Line, Index: index, Message: message, Fixed: fixed})
	}
	if found.City == "" || found.CityDistance > farFromTowns {
		if swapped, there, ok := b.exchanged(p); ok {
			note(MaybeSwapped, fmt.Sprintf("far from any town; with latitude and longitude exchanged it is near %s, %s",
				there.City, there.Country), swapped)
			return
		}
	}
	switch {
	case found.Country == "" && p.Country == "":
		note(NoCountry, "no country is known here", nil)
	case given != "" && found.Country != "" && differs(given, found):
		note(CountryConflict, fmt.Sprintf("the file says %s, but this is in %s", given, found.Country), nil)
	case found.Mixed:
		note(CountryConflict, fmt.Sprintf("it reaches beyond %s", found.Country), nil)
	}
}

// exchanged returns the placemark with latitude and longitude exchanged, where
// that puts it near a town.
func (b *builder) exchanged(p *Placemark) (*Placemark, places.Place, bool) {
	points := p.Points()
	if len(points) == 0 {
		return nil, places.Place{}, false
	}
	turned := func(q orb.Point) orb.Point { return orb.Point{q[1], q[0]} }
	first := turned(points[0])
	if first.Lat() < -90 || first.Lat() > 90 {
		return nil, places.Place{}, false
	}
	there := places.Lookup(first)
	if there.City == "" || there.CityDistance > nearTown {
		return nil, places.Place{}, false
	}
	fixed := *p
	switch g := p.Geometry.(type) {
	case orb.Point:
		fixed.Geometry = turned(g)
	case orb.LineString:
		fixed.Geometry = orb.LineString(turnAll(g))
	case orb.Polygon:
		rings := make(orb.Polygon, len(g))
		for i, ring := range g {
			rings[i] = turnAll(ring)
		}
		fixed.Geometry = rings
	}
	fixed = remeasured(fixed)
	fixed.Country, fixed.City = there.Country, there.City
	return &fixed, there, true
}

func turnAll(points []orb.Point) []orb.Point {
	turned := make([]orb.Point, len(points))
	for i, p := range points {
		turned[i] = orb.Point{p[1], p[0]}
	}
	return turned
}

// remeasured returns p with area and length of its geometry.
func remeasured(p Placemark) Placemark {
	p.Area, p.Length = 0, 0
	switch g := p.Geometry.(type) {
	case orb.LineString:
		p.Length = LengthOf(g)
	case orb.Polygon:
		p.Area = AreaOf(g)
	}
	return p
}

// names reports whether a country as a file gives it is the one found, by name
// or code.
func names(given string, found places.Place) bool {
	return strings.EqualFold(given, found.Country) || strings.EqualFold(given, found.Code)
}

// differs reports whether a country as a file gives it is certainly another
// one than was found: many files give it in a language of their own.
func differs(given string, found places.Place) bool {
	if names(given, found) {
		return false
	}
	for _, c := range places.Countries() {
		if strings.EqualFold(given, c.Name) || strings.EqualFold(given, c.Code) {
			return true
		}
	}
	return false
}
