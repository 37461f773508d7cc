package places_test

import (
	"math"
	"testing"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/places"
)

func TestRepresentativePoints(t *testing.T) {
	ring := func(points ...float64) (r orb.Ring) {
		for i := 0; i < len(points); i += 2 {
			r = append(r, orb.Point{points[i], points[i+1]})
		}
		return r
	}
	field := ring(9.4, 53.6, 9.6, 53.6, 9.6, 53.7, 9.4, 53.7, 9.4, 53.6)
	for _, c := range []struct {
		name  string
		g     orb.Geometry
		at    orb.Point
		code  string
		mixed bool
	}{
		{"a point", orb.Point{13.4, 52.5}, orb.Point{13.4, 52.5}, "DE", false},
		{"a line of two", orb.LineString{{9.4, 53.6}, {9.5, 53.7}}, orb.Point{9.5, 53.7}, "DE", false},
		{"a line of three", orb.LineString{{9.4, 53.6}, {9.5, 53.7}, {9.6, 53.6}}, orb.Point{9.5, 53.7}, "DE", false},
		{"an area", orb.Polygon{field}, orb.Point{9.5, 53.65}, "DE", false},
		{"one that is not closed", orb.Polygon{field[:4]}, orb.Point{9.5, 53.65}, "DE", false},
		{"one with a hole beside its middle", orb.Polygon{field, ring(9.41, 53.61, 9.45, 53.61, 9.45, 53.65, 9.41, 53.61)}, orb.Point{9.5, 53.65}, "DE", false},
		{"one with a hole round its middle", orb.Polygon{field, ring(9.45, 53.62, 9.55, 53.62, 9.55, 53.68, 9.45, 53.68, 9.45, 53.62)}, orb.Point{9.4, 53.6}, "DE", false},
		{"one whose middle is outside", orb.Polygon{ring(9, 53, 9.4, 53, 9.4, 53.01, 9.01, 53.01, 9.01, 53.4, 9, 53.4, 9, 53)}, orb.Point{9, 53}, "DE", false},
		{"one without an area", orb.Polygon{ring(9, 53, 9.2, 53, 9.4, 53, 9, 53)}, orb.Point{9, 53}, "DE", false},
		{"one of two corners", orb.Polygon{ring(9, 53, 9.2, 53)}, orb.Point{9, 53}, "DE", false},
		{"one over the antimeridian", orb.Polygon{ring(179.9, -16.9, -179.7, -16.9, -179.7, -16.7, 179.9, -16.7, 179.9, -16.9)}, orb.Point{-179.9, -16.8}, "FJ", false},
		{"one whose middle is abroad", orb.LineString{{9.4, 53.6}, {7.5, 48.58}, {9.5, 53.7}}, orb.Point{9.4, 53.6}, "DE", true},
		{"one that ends abroad", orb.LineString{{7.5, 48.58}, {9.4, 53.6}, {9.5, 53.7}}, orb.Point{9.4, 53.6}, "DE", true},
		{"one as much at sea", orb.LineString{{-140, 44}, {-123, 44}, {-122, 44}, {-141, 44}}, orb.Point{-122, 44}, "US", false},
		{"one over half the world", orb.Polygon{ring(-60, -10, 60, -10, 60, 10, -60, 10, -60, -10)}, orb.Point{-60, -10}, "BR", false},
	} {
		place, at := places.SuggestCountry(c.g, nil)
		if math.Hypot(at[0]-c.at[0], at[1]-c.at[1]) > 1e-6 || place.Code != c.code || place.Mixed != c.mixed {
			t.Errorf("%s is in %q at %v, mixed %v; want %q at %v", c.name, place.Code, at, place.Mixed, c.code, c.at)
		}
	}
	if b, want := places.BoundOf([]orb.Point{{1, 2}, {3, -4}, {-5, 6}, {1, 2}}), (orb.Bound{Min: orb.Point{-5, -4}, Max: orb.Point{3, 6}}); b != want {
		t.Errorf("the bound is %v", b)
	}
}

// A city is returned up to a distance, and marked as far beyond another.
func TestACityHasAMaximumDistance(t *testing.T) {
	alice := orb.Point{133.88, -23.70} // nothing else is near Alice Springs
	north := func(km float64) orb.Point { return orb.Point{alice[0], alice[1] + km/111.195} }
	c, ok := places.CityAt(north(50), "AU")
	if !ok || c.Name != "Alice Springs" || math.Abs(c.Distance-50_000) > 1500 || c.Bearing > 3 && c.Bearing < 357 {
		t.Errorf("50 km north there is %+v", c)
	}
	if c, ok := places.CityAt(orb.Point{alice[0] + 0.3, alice[1]}, "AU"); !ok || math.Abs(c.Bearing-90) > 5 {
		t.Errorf("to the east there is %+v", c)
	}
	if c, ok := places.CityAt(orb.Point{alice[0] - 0.3, alice[1]}, "AU"); !ok || math.Abs(c.Bearing-270) > 5 {
		t.Errorf("to the west there is %+v", c)
	}
	for _, try := range []struct {
		km   float64
		city string
		far  bool
	}{{55, "Alice Springs", false}, {65, "Alice Springs", true}, {145, "Alice Springs", true}, {160, "", false}} {
		if p := places.Lookup(north(try.km)); p.Code != "AU" || p.City != try.city || p.IsFar != try.far {
			t.Errorf("%v km north is %+v", try.km, p)
		}
	}
	for metres, city := range map[float64]string{60_000: "Alice Springs", 40_000: "", 0: ""} {
		if p := places.LookupWithin(north(50), metres); p.City != city || p.IsFar {
			t.Errorf("50 km north, within %v m, is %+v", metres, p)
		}
	}
	if p := (places.Place{Code: "QQ"}); p.City != "" {
		t.Error(p)
	} else if p.FindCity(alice); p.City != "" {
		t.Errorf("of no country there is %+v", p)
	}
}

// A bound includes its edges, and cities with exactly the minimum population.
func TestBoundsIncludeTheirEdges(t *testing.T) {
	list := func(b orb.Bound, people int) (all []places.City) {
		places.EachCity(b, people, func(c places.City) bool { all = append(all, c); return true })
		return all
	}
	for _, c := range list(orb.Bound{Min: orb.Point{5, 45}, Max: orb.Point{25, 60}}, 1_000_000) {
		if got := list(c.Point.Bound(), c.Population); len(got) != 1 || got[0].Name != c.Name {
			t.Errorf("at %s there is %+v", c.Name, got)
		}
		if got := list(c.Point.Bound(), c.Population+1); got != nil {
			t.Errorf("larger than %s is %+v", c.Name, got)
		}
		for i, turn := range []float64{360, -360} {
			b := orb.Bound{Min: orb.Point{c.Point[0] + turn - 1e-9, c.Point[1]}, Max: orb.Point{c.Point[0] + turn + 1e-9, c.Point[1]}}
			if got := list(b, c.Population); len(got) != 1 || got[0].Name != c.Name {
				t.Errorf("%d turns from %s there is %+v", 1-2*i, c.Name, got)
			}
		}
	}
}

func TestCountriesAreFoundByNameAndCode(t *testing.T) {
	for text, want := range map[string]string{"de": "Germany", "DE": "Germany", "gERMANY": "Germany", "Deutschland": "", "QQ": "", "": "", "côte d'ivoire": "Côte d'Ivoire"} {
		if name, ok := places.CountryOf(text); name != want || ok != (want != "") {
			t.Errorf("%q is %q, %v", text, name, ok)
		}
	}
	for _, code := range []string{"", "D", "DEU", "@@", "[[", "A[", "[A", "@A", "A@"} {
		if name, ok := places.CountryOf(code); ok {
			t.Errorf("%q is %q", code, name)
		}
	}
}
