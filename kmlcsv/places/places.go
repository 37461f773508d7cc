package places

import (
	"math"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/paulmach/orb"
)

//go:generate go run -C ../gen .

// Attribution names the sources, as their licences ask, for whoever shows what
// this package says.
const Attribution = "City names: GeoNames (geonames.org), CC BY 4.0. " +
	"Country borders: country-coder contributors, ISC licence."

// Place is where something is, as far as it is known.
type Place struct {
	Country string // English short name; "" for none
	Code    string // its ISO 3166-1 alpha-2 code

	City  string // "" for none within 150 km
	IsFar bool   // the city is not within 60 km

	Mixed bool // of a geometry: parts of it are in other countries

	number uint8 // of the country, 0 for none
}

// CountryName is a country's code and name.
type CountryName struct {
	Code string // ISO 3166-1 alpha-2; XK for Kosovo
	Name string // English short name
}

// City is a populated place.
type City struct {
	Name       string
	Code       string    // of its country
	Population int       // to some 2 per cent
	Point      orb.Point // its centre, to a thousandth of a degree
	Distance   float64   // metres from where it was asked; 0 from Cities
	Bearing    float64   // degrees clockwise from north, from the centre to where it was asked
}

// PreloadData reads the data, for programs that would rather wait beforehand.
func PreloadData() {
	cities()
	named()
}

// Lookup returns country and city of a position.
func Lookup(p orb.Point) Place {
	place := Country(p)
	place.FindCity(p)
	return place
}

// LookupWithin returns [Lookup] with cities no farther than so many metres.
func LookupWithin(p orb.Point, metres float64) Place {
	place := Country(p)
	place.findCity(p, metres/1000, metres/1000)
	return place
}

// Country returns the country whose land or waters a position is in, without a city.
// Waters reach some 300 km out, divided between neighbours, and lakes count as land.
// Within a kilometre of a border it is no more than a guess.
func Country(p orb.Point) Place {
	var place Place
	b := borders()
	b.setCountry(&place, b.grid.countryAt(p))
	return place
}

// setCountry sets the country of a place by its number, 0 for none. It sets the fields of
// the result one by one: to copy a new Place would take a sixth of the time of Country.
func (d *borderData) setCountry(place *Place, number uint8) {
	if number == 0 {
		return
	}
	c := &d.countries[number-1]
	place.Code = c.Code
	place.Country = c.Name
	place.number = number
}

// FindCity sets the city of a place, for a position that is in its country.
func (p *Place) FindCity(at orb.Point) { p.findCity(at, nearKilometres, farKilometres) }

func (p *Place) findCity(at orb.Point, near, far float64) {
	if p.number == 0 {
		return
	}
	if s := cities().findCity(at, p.number, near, far); s.city >= 0 {
		p.City = s.t.cityName(s.city)
		p.IsFar = s.best >= beyond
	}
}

// CityAt returns the town that people would name for a position in a country:
// the nearest within 60 km, or if there is none within 150 km, where a large
// city counts as nearer by up to 20 km. With code "" it is one of any country.
func CityAt(p orb.Point, code string) (City, bool) {
	number := borders().numbers[code]
	if number == 0 && code != "" {
		return City{}, false
	}
	s := cities().findCity(p, number, nearKilometres, farKilometres)
	if s.city < 0 {
		return City{}, false
	}
	c := s.t.cityAt(s.city, s.cell)
	c.Distance, c.Bearing = distanceAndBearing(c.Point, s.at)
	return c, true
}

// distanceAndBearing returns distance in metres and bearing in degrees along the great
// circle. The functions of orb/geo compute the same sines twice: 100 ns more of a lookup.
func distanceAndBearing(from, to orb.Point) (metres, bearing float64) {
	const radians = math.Pi / 180
	fromSin, fromCos := math.Sincos(from[1] * radians)
	toSin, toCos := math.Sincos(to[1] * radians)
	turnSin, turnCos := math.Sincos((to[0] - from[0]) * radians)
	north := fromCos*toSin - fromSin*toCos*turnCos
	east := toCos * turnSin
	angle := math.Atan2(math.Hypot(north, east), fromSin*toSin+fromCos*toCos*turnCos)
	bearing = math.Atan2(east, north) / radians
	if bearing < 0 {
		bearing += 360
	}
	return angle / radians * metresPerDegree, bearing
}

// CountryOf returns the English name of a country given by that name or by its
// code, in any case; false where it is neither.
func CountryOf(text string) (name string, ok bool) {
	c, ok := named()[strings.ToLower(text)]
	return c.Name, ok
}

// named has the countries by their names and codes in lower case.
var named = sync.OnceValue(func() map[string]CountryName {
	all := map[string]CountryName{}
	for _, c := range borders().countries {
		all[strings.ToLower(c.Name)] = c
		all[strings.ToLower(c.Code)] = c
	}
	return all
})

var sorted = sync.OnceValue(func() []CountryName {
	all := slices.Clone(borders().countries)
	sort.Slice(all, func(i, j int) bool { return sortName(all[i].Name) < sortName(all[j].Name) })
	return all
})

// sortName orders letters with marks among those without.
func sortName(name string) string {
	return strings.NewReplacer("Å", "A", "é", "e", "ã", "a", "í", "i", "ô", "o", "ç", "c").Replace(name)
}

// Countries returns all countries in the order of their names.
func Countries() []CountryName { return slices.Clone(sorted()) }

// SuggestPlace returns the place of a point, a line or a polygon: that of a point within it, in the
// country that most of its vertices are in.
func SuggestPlace(g orb.Geometry) Place {
	place, at := SuggestCountry(g, nil)
	place.FindCity(at)
	return place
}

// countCountries counts points by country, one of each step, and returns the country of
// most of them, 0 for none.
func (g *countryGrid) countCountries(points []orb.Point, step int) (count [256]int, most uint8) {
	for i := 0; i < len(points); i += step {
		id := g.countryAt(points[i])
		count[id]++
		if id != 0 && (most == 0 || count[id] > count[most]) {
			most = id
		}
	}
	return count, most
}

// SuggestCountry returns the place of a geometry without its city, and a point
// to find that by. The bound of its vertices is found where it is nil.
func SuggestCountry(g orb.Geometry, bound *orb.Bound) (place Place, at orb.Point) {
	if p, ok := g.(orb.Point); ok {
		return Country(p), p
	}
	points := verticesOf(g)
	if len(points) == 0 {
		return place, at
	}
	b := borders()
	if bound == nil {
		found := BoundOf(points)
		bound = &found
	}
	isNarrow := bound.Max[0]-bound.Min[0] <= 90
	at = representativePoint(g, points, isNarrow)
	if id, ok := b.grid.countryIn(*bound); ok && isNarrow {
		b.setCountry(&place, id)
		return place, at
	}
	// A thousand vertices tell as much as a million.
	step := max(len(points)/1000, 1)
	count, most := b.grid.countCountries(points, step)
	if id := b.grid.countryAt(at); most != 0 && id != most {
		for i := 0; i < len(points); i += step {
			if b.grid.countryAt(points[i]) == most {
				at = points[i]
				break
			}
		}
	}
	place = Country(at)
	for id := 1; id < len(count); id++ {
		place.Mixed = place.Mixed || count[id] > 0 && uint8(id) != most
	}
	return place, at
}

// verticesOf returns the vertices of a line, or of the boundary of a polygon.
func verticesOf(g orb.Geometry) []orb.Point {
	switch g := g.(type) {
	case orb.LineString:
		return g
	case orb.Polygon:
		if len(g) > 0 {
			return g[0]
		}
	}
	return nil
}
