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

// Attribution names the sources, as their licences require where the data is shown.
const Attribution = "City names: GeoNames (geonames.org), CC BY 4.0. " +
	"Country borders: country-coder contributors, ISC licence."

// Place describes where a position is.
type Place struct {
	Country string // English short name; "" for none
	Code    string // ISO 3166-1 alpha-2 code of the country, "" for none

	City  string // "" if there is none within 150 km
	IsFar bool   // the city is more than 60 km away

	Mixed bool // only for the place of a geometry: some vertices are in other countries

	number uint8 // number of the country, 0 for none
}

// CountryName is a country's code and name.
type CountryName struct {
	Code string // ISO 3166-1 alpha-2; XK for Kosovo
	Name string // English short name
}

// City is a populated place.
type City struct {
	Name       string
	Code       string    // code of its country
	Population int       // accurate to 2 per cent
	Point      orb.Point // centre, to a thousandth of a degree
	Distance   float64   // metres from the requested position; 0 from EachCity
	Bearing    float64   // degrees clockwise from north, from the centre to the requested position
}

// PreloadData loads the cities and the borders. Without it, the first call of another function loads them and takes
// longer than later calls.
func PreloadData() {
	cities()
	named()
}

// Lookup returns the country and city of a position.
func Lookup(p orb.Point) Place {
	var place Place
	place.FindCountry(p)
	place.FindCity(p)
	return place
}

// LookupWithin is like [Lookup], but only finds cities within a distance in metres.
func LookupWithin(p orb.Point, metres float64) Place {
	var place Place
	place.FindCountry(p)
	place.findCity(p, metres/1000, metres/1000)
	return place
}

// Country returns the country at a position, without a city. Waters of a country count up to about 300 km from its
// coast. Where the waters of several countries overlap, they are divided between the neighbours. Lakes count as land.
// Within a kilometre of a border the result may be wrong.
func Country(p orb.Point) Place {
	var place Place
	place.FindCountry(p)
	return place
}

// FindCountry sets the country of a place that has no country yet. It is like [Country], but faster, because it does
// not copy the place.
func (p *Place) FindCountry(at orb.Point) {
	b := borders()
	b.setCountry(p, b.grid.countryAt(at))
}

// setCountry sets the country of a place. number is the number of the country, 0 for none. It sets each field
// separately, because copying a new Place would take a sixth of the time of Country.
func (d *borderData) setCountry(place *Place, number uint8) {
	if number == 0 {
		return
	}
	c := &d.countries[number-1]
	place.Code = c.Code
	place.Country = c.Name
	place.number = number
}

// FindCity sets the city of a place. It looks for a city in the country of the place, near the position at.
func (p *Place) FindCity(at orb.Point) { p.findCity(at, nearKilometres, farKilometres) }

func (p *Place) findCity(at orb.Point, near, far float64) {
	if p.number == 0 {
		return
	}
	if s := cities().findCity(at, p.number, near, far); s.city >= 0 {
		p.City = s.table.cityName(s.city)
		p.IsFar = s.best >= farPenalty
	}
}

// CityAt returns the town that people would name for a position: the nearest town within 60 km, otherwise the nearest
// within 150 km. Large cities count as up to 20 km nearer. code is the code of the country of the town. If it is "",
// the town can be in any country. The second result is false if there is no town.
func CityAt(p orb.Point, code string) (City, bool) {
	number := borders().numbers[code]
	if number == 0 && code != "" {
		return City{}, false
	}
	s := cities().findCity(p, number, nearKilometres, farKilometres)
	if s.city < 0 {
		return City{}, false
	}
	c := s.table.cityAt(s.city, s.cell)
	c.Distance, c.Bearing = distanceAndBearing(c.Point, s.position)
	return c, true
}

// distanceAndBearing returns the distance in metres and the bearing in degrees along the great circle. The functions
// of orb/geo would compute the same sines twice and add 100 ns to a lookup.
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

// CountryOf returns the English name of a country. text is a name or a code of the country; case is ignored. ok is
// false if no country has it.
func CountryOf(text string) (name string, ok bool) {
	c, ok := named()[strings.ToLower(text)]
	return c.Name, ok
}

// named has the countries. The keys are their names and their codes in lower case.
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

// sortName returns a name in the form by which names are sorted, without accents.
func sortName(name string) string {
	return strings.NewReplacer("Å", "A", "é", "e", "ã", "a", "í", "i", "ô", "o", "ç", "c").Replace(name)
}

// Countries returns all countries sorted by name.
func Countries() []CountryName { return slices.Clone(sorted()) }

// SuggestPlace returns the place of a point, a line or a polygon. Its country is the country with most of the
// vertices. Its city is near a point of the geometry in that country.
func SuggestPlace(g orb.Geometry) Place {
	place, at := SuggestCountry(g, nil)
	place.FindCity(at)
	return place
}

// countCountries counts the points in each country. It only looks at every step-th point. most is the country with the
// most points, or 0.
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

// SuggestCountry returns the place of a geometry without its city. at is the point near which [Place.FindCity] should
// search for the city. bound is the bound of the vertices. If it is nil, SuggestCountry computes it.
func SuggestCountry(g orb.Geometry, bound *orb.Bound) (place Place, at orb.Point) {
	if p, isPoint := g.(orb.Point); isPoint {
		return Country(p), p
	}
	points := verticesOf(g)
	if len(points) == 0 {
		return Place{}, orb.Point{}
	}
	if bound == nil {
		computed := BoundOf(points)
		bound = &computed
	}
	isNarrow := bound.Max[0]-bound.Min[0] <= maxNarrow
	at = representativePoint(g, points, isNarrow)
	if isNarrow {
		b := borders()
		if country, isOnly := b.grid.countryIn(*bound); isOnly {
			b.setCountry(&place, country)
			return place, at
		}
	}
	return mostFrequent(points, at)
}

// mostFrequent returns the country with most of the points, and a point in it: the preferred point if it is in the
// country, otherwise the first of the points. It looks at about a thousand of the points, which are enough.
func mostFrequent(points []orb.Point, preferred orb.Point) (place Place, at orb.Point) {
	grid := &borders().grid
	step := max(len(points)/1000, 1)
	count, most := grid.countCountries(points, step)
	at = preferred
	if most != 0 && grid.countryAt(at) != most {
		at = grid.firstIn(most, points, step)
	}
	place = Country(at)
	place.Mixed = hasOthers(&count, most)
	return place, at
}

// maxNarrow is a width in degrees. If the longitudes of a geometry differ by at most this width, the geometry does not
// cross the antimeridian, because longitudes jump between 180 and -180 there.
const maxNarrow = 90

// firstIn returns the first point that is in a country. It only looks at every step-th point. At least one of these
// must be in the country.
func (g *countryGrid) firstIn(country uint8, points []orb.Point, step int) orb.Point {
	i := 0
	for g.countryAt(points[i]) != country {
		i += step
	}
	return points[i]
}

// hasOthers reports whether points were counted in any country other than most.
func hasOthers(count *[256]int, most uint8) bool {
	for id := 1; id < len(count); id++ {
		if count[id] > 0 && uint8(id) != most {
			return true
		}
	}
	return false
}

// verticesOf returns the vertices of a line, or of the outer ring of a polygon.
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
