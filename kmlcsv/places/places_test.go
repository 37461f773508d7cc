package places_test

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/places"
)

// sample is a position whose country is known.
type sample struct {
	at   orb.Point
	code string
}

func samples(tb testing.TB, file string) []sample {
	tb.Helper()
	f, err := os.Open(file)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	var out []sample
	for _, row := range rows[1:] {
		lon, err := strconv.ParseFloat(row[0], 64)
		if err != nil {
			tb.Fatal(err)
		}
		lat, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, sample{orb.Point{lon, lat}, row[2]})
	}
	return out
}

// TestCountryOfSamples measures the countries: on every 27th of GeoNames'
// 135,233 places (99.95 % of all are right), and on 2,000 points at sea 0.5 to
// 12 km off a coast of Natural Earth, where no other country's is within three
// times that distance.
func TestCountryOfSamples(t *testing.T) {
	for file, least := range map[string]float64{"testdata/geonames.csv": 0.998, "testdata/offshore.csv": 0.98} {
		all := samples(t, file)
		right := 0
		for _, s := range all {
			if code := places.Country(s.at).Code; code == s.code {
				right++
			}
		}
		share := float64(right) / float64(len(all))
		t.Logf("%s: %d of %d right, %.2f %%", file, right, len(all), 100*share)
		if share < least {
			t.Errorf("%s: %.2f %% right, want %.1f %%", file, 100*share, 100*least)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		name       string
		at         orb.Point
		code, city string
	}{
		{"either side of the Rhine at Basel", orb.Point{7.59, 47.56}, "CH", "Basel"},
		{"the other", orb.Point{7.66, 47.612}, "DE", "Lörrach"},
		{"Grand Canyon", orb.Point{-112.1, 36.1}, "US", "Grand Canyon"},
		{"an outback town", orb.Point{117.79, -22.69}, "AU", "Tom Price"},
		{"a city that is a state", orb.Point{103.85, 1.29}, "SG", "Singapore"},
		{"Crimea", orb.Point{34.1, 45.0}, "UA", "Simferopol"},
		{"Northern Cyprus", orb.Point{33.32, 35.34}, "CY", "Kyrenia"},
		{"Kosovo", orb.Point{21.16, 42.66}, "XK", "Pristina"},
		{"Taveuni, west of the antimeridian", orb.Point{179.95, -16.8}, "FJ", "Labasa"},
		{"Taveuni, east of it", orb.Point{-179.95, -16.8}, "FJ", "Labasa"},
		{"the same, said otherwise", orb.Point{180.05, -16.8}, "FJ", "Labasa"},
		{"on the antimeridian", orb.Point{180, -16.8}, "FJ", "Labasa"},
		{"Chukotka, farPenalty it", orb.Point{-179, 66.35}, "RU", "Egvekinot"},
		{"south pole", orb.Point{0, -90}, "AQ", ""},
		{"north pole", orb.Point{0, 90}, "", ""},
		{"mid-Pacific", orb.Point{-140, 35}, "", ""},
		{"no number", orb.Point{math.NaN(), 10}, "", ""},
		{"no latitude", orb.Point{10, 91}, "", ""},
		{"infinite", orb.Point{math.Inf(1), 10}, "", ""},
	} {
		got := places.Lookup(c.at)
		if got.Code != c.code || got.City != c.city {
			t.Errorf("%s: %q %q, want %q %q", c.name, got.Code, got.City, c.code, c.city)
		}
		if name, _ := places.CountryOf(c.code); got.Country != name {
			t.Errorf("%s: country %q, want %q", c.name, got.Country, name)
		}
	}
}

func TestCityAtReturnsDistanceAndBearing(t *testing.T) {
	c, _ := places.CityAt(orb.Point{11.715, 48.42}, "DE")
	if c.Name != "Freising" || math.Abs(c.Distance-3076) > 5 || math.Abs(c.Bearing-305.4) > 0.1 {
		t.Errorf("north west of Freising is %q, %.0f m, %.0f°", c.Name, c.Distance, c.Bearing)
	}
}

func TestCountryIncludesWaters(t *testing.T) {
	if code := places.Country(orb.Point{-124.8, 44.6}).Code; code != "US" {
		t.Errorf("60 km off Oregon is %q", code)
	}
	if code := places.Country(orb.Point{-135, 44.6}).Code; code != "" {
		t.Errorf("850 km off Oregon is %q", code)
	}
}

func TestCityAt(t *testing.T) {
	geneva := orb.Point{6.11, 46.235}
	if c, ok := places.CityAt(geneva, "FR"); !ok || c.Code != "FR" {
		t.Errorf("by Geneva airport, French: %+v", c)
	}
	if c, ok := places.CityAt(geneva, ""); !ok || c.Code != "CH" || c.Population < 1000 {
		t.Errorf("by Geneva airport, any: %+v", c)
	}
	for _, code := range []string{"QQ", "de", "DEU", "D", "\x00\x00", "ÄÖ"} {
		if c, ok := places.CityAt(geneva, code); ok {
			t.Errorf("a city in %q: %+v", code, c)
		}
	}
	if c, ok := places.CityAt(orb.Point{-30, -30}, ""); ok {
		t.Errorf("a city in the South Atlantic: %+v", c)
	}
}

// TestPositionsNearTownsHaveTheirNames looks up positions at a distance from known towns.
func TestPositionsNearTownsHaveTheirNames(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		people   int
		from, to float64 // km
		least    float64
	}{{5000, 0, 1, 0.96}, {5000, 1, 3, 0.83}, {1_000_000, 3, 10, 0.91}} {
		var towns []places.City
		places.EachCity(orb.Bound{Min: orb.Point{-180, -60}, Max: orb.Point{180, 70}}, c.people, func(c places.City) bool {
			towns = append(towns, c)
			return true
		})
		right := 0
		all := 0
		for range 3000 {
			town := towns[r.IntN(len(towns))]
			far := c.from + (c.to-c.from)*r.Float64()
			bearing := 2 * math.Pi * r.Float64()
			at := orb.Point{
				town.Point[0] + far*math.Sin(bearing)/111.2/math.Cos(town.Point[1]*math.Pi/180),
				town.Point[1] + far*math.Cos(bearing)/111.2,
			}
			if got, ok := places.CityAt(at, town.Code); ok && got.Name == town.Name {
				right++
			}
			all++
		}
		share := float64(right) / float64(all)
		t.Logf("%d people and more, %v to %v km away: %.1f %% recalled", c.people, c.from, c.to, 100*share)
		if share < c.least {
			t.Errorf("%d people, %v to %v km: %.3f recalled, want %.2f", c.people, c.from, c.to, share, c.least)
		}
	}
}

func TestSuggest(t *testing.T) {
	square := func(x, y, d float64) orb.Polygon {
		return orb.Polygon{{{x, y}, {x + d, y}, {x + d, y + d}, {x, y + d}, {x, y}}}
	}
	for _, c := range []struct {
		name  string
		g     orb.Geometry
		code  string
		mixed bool
	}{
		{"a point", orb.Point{13.4, 52.5}, "DE", false},
		{"a field", square(9.4, 53.6, 0.05), "DE", false},
		{"most of it in Germany", orb.LineString{{7.9, 48.5}, {7.85, 48.55}, {7.82, 48.58}, {7.7, 48.58}}, "DE", true},
		{"over the antimeridian", orb.Polygon{{{179.9, -16.9}, {-179.9, -16.9}, {-179.9, -16.7}, {179.9, -16.7}, {179.9, -16.9}}}, "FJ", false},
		{"a frame with a hole in it", append(square(9.4, 53.6, 0.05), square(9.41, 53.61, 0.03)[0]), "DE", false},
		{"on the rowsAround seas and on land", orb.LineString{{-140, 44}, {-123, 44}, {-122, 44}}, "US", false},
		{"nothing", nil, "", false},
		{"an empty polygon", orb.Polygon{}, "", false},
		{"no numbers", orb.LineString{{math.NaN(), 1}, {math.Inf(1), 2}}, "", false},
	} {
		got := places.SuggestPlace(c.g)
		if got.Code != c.code || got.Mixed != c.mixed {
			t.Errorf("%s: %+v, want %s, mixed %v", c.name, got, c.code, c.mixed)
		}
		if c.code != "" && got.City == "" {
			t.Errorf("%s: no city", c.name)
		}
	}
}

func TestCountries(t *testing.T) {
	all := places.Countries()
	if len(all) != 250 {
		t.Errorf("%d countries, want the 249 of ISO 3166-1 and Kosovo", len(all))
	}
	seen := map[string]bool{}
	for _, c := range all {
		if len(c.Code) != 2 || c.Name == "" || seen[c.Name] || seen[c.Code] {
			t.Errorf("odd or twice: %+v", c)
		}
		seen[c.Name] = true
		seen[c.Code] = true
		if name, _ := places.CountryOf(c.Code); name != c.Name {
			t.Errorf("the name of %s is %q, want %q", c.Code, name, c.Name)
		}
	}
	for _, name := range []string{"Germany", "United Kingdom", "United States", "China", "Netherlands", "Czechia", "Côte d'Ivoire"} {
		if !seen[name] {
			t.Errorf("no %s", name)
		}
	}
	if i := slices.Index(all, places.CountryName{Code: "AX", Name: "Åland Islands"}); i < 0 || i > 20 {
		t.Errorf("Åland is number %d, not among the first", i)
	}
	all[0].Name = "changed"
	if places.Countries()[0].Name == "changed" {
		t.Error("a caller can change the list")
	}
}

func TestCitiesOfABound(t *testing.T) {
	names := func(b orb.Bound, people int) (out []string) {
		places.EachCity(b, people, func(c places.City) bool {
			out = append(out, c.Name)
			return true
		})
		return out
	}
	got := names(orb.Bound{Min: orb.Point{5, 45}, Max: orb.Point{15, 55}}, 1_000_000)
	for _, name := range []string{"Berlin", "Hamburg", "Munich", "Milan", "Prague"} {
		if !slices.Contains(got, name) {
			t.Errorf("%s is not among %v", name, got)
		}
	}
	if slices.Contains(got, "Freising") || slices.Contains(got, "Paris") {
		t.Errorf("too small or outside: %v", got)
	}
	fiji := names(orb.Bound{Min: orb.Point{177, -19}, Max: orb.Point{185, -12}}, 1000)
	if !slices.Contains(fiji, "Suva") || !slices.Contains(fiji, "Mata-Utu") {
		t.Errorf("round the antimeridian: %v", fiji)
	}
	if again := names(orb.Bound{Min: orb.Point{177, -19}, Max: orb.Point{-175, -12}}, 1000); !slices.Equal(again, fiji) {
		t.Errorf("the same bound, said otherwise: %v", again)
	}
	all := len(names(orb.Bound{Min: orb.Point{-180, -90}, Max: orb.Point{180, 90}}, 0))
	if wide := len(names(orb.Bound{Min: orb.Point{-900, -100}, Max: orb.Point{900, 100}}, 0)); all < 100_000 || wide != all {
		t.Errorf("%d cities in the world, %d in more than it", all, wide)
	}
	n := 0
	places.EachCity(orb.Bound{Min: orb.Point{-180, -90}, Max: orb.Point{180, 90}}, 0, func(places.City) bool {
		n++
		return n < 3
	})
	if n != 3 {
		t.Errorf("told to stop after 3, it went on to %d", n)
	}
	if got := names(orb.Bound{Min: orb.Point{math.NaN(), 0}, Max: orb.Point{1, math.NaN()}}, 0); got != nil {
		t.Errorf("of no bound: %v", got)
	}
	if got := names(orb.Bound{Min: orb.Point{-180, -90}, Max: orb.Point{180, 90}}, math.MaxInt); got != nil {
		t.Errorf("larger than any: %v", got)
	}
}

func TestNamesCanBeDisplayed(t *testing.T) {
	places.EachCity(orb.Bound{Min: orb.Point{-180, -90}, Max: orb.Point{180, 90}}, 0, func(c places.City) bool {
		if c.Name == "" || strings.ContainsFunc(c.Name, func(r rune) bool { return r < ' ' || r == 0xfffd || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("a city is called %q", c.Name)
		}
		return true
	})
}

func TestEmbeddedSize(t *testing.T) {
	n := int64(0)
	for _, file := range []string{"borders.bin", "cities.bin", "zones.bin", "../basemap/basemap.bin"} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		n += info.Size()
	}
	if n > 3_500_000 {
		t.Errorf("with the base map %d bytes are embedded, want at most 3,500,000", n)
	}
	if !strings.Contains(places.Attribution, "GeoNames") || !strings.Contains(places.Attribution, "CC BY 4.0") {
		t.Error("GeoNames asks to be named with its licence")
	}
}

func TestConcurrentUse(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if p := places.Lookup(orb.Point{13.4, 52.5}); p.City != "Berlin" {
				t.Errorf("the middle of Berlin is %+v", p)
			}
		})
	}
	wg.Go(places.PreloadData)
	wg.Wait()
}

func TestCountryDoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { places.Country(orb.Point{7.6, 47.6}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCountry(b *testing.B) {
	for name, file := range map[string]string{"land": "testdata/geonames.csv", "offshore": "testdata/offshore.csv"} {
		b.Run(name, func(b *testing.B) {
			all := samples(b, file)
			places.Country(all[0].at)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				places.Country(all[i%len(all)].at)
			}
		})
	}
}

func BenchmarkCityAt(b *testing.B) {
	all := samples(b, "testdata/geonames.csv")
	places.CityAt(all[0].at, all[0].code)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		places.CityAt(all[i%len(all)].at, all[i%len(all)].code)
	}
}

func BenchmarkSuggest(b *testing.B) {
	field := orb.Polygon{{{9.4, 53.6}, {9.45, 53.6}, {9.45, 53.65}, {9.4, 53.65}, {9.4, 53.6}}}
	b.ReportAllocs()
	for b.Loop() {
		places.SuggestPlace(field)
	}
}
