package places

import (
	"encoding/binary"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/paulmach/orb"
)

// TestGridAgreesWithCountingBorders compares with a slow method: a position is inside a
// country if the number of its borders west of the position is odd.
func TestGridAgreesWithCountingBorders(t *testing.T) {
	d := loadBorders()
	g := &d.grid
	edges := g.borders()
	r := rand.New(rand.NewPCG(7, 8))
	slow := func(x, y int64) uint8 {
		var inside [256]bool
		for _, e := range edges {
			isLeft := (e.bx-e.ax)*(y-e.ay)-(e.by-e.ay)*(x-e.ax) > 0
			if (e.ay > y) == (e.by > y) || isLeft == (e.by > e.ay) {
				continue
			}
			for _, id := range e.countries {
				inside[id] = !inside[id]
			}
		}
		for id := 1; id < len(inside); id++ {
			if inside[id] {
				return uint8(id)
			}
		}
		return 0
	}
	for i := range 4000 {
		p := orb.Point{360*r.Float64() - 180, 180*r.Float64() - 90}
		if e := edges[r.IntN(len(edges))]; i%2 == 0 { // near a border
			p = orb.Point{
				float64(e.ax)/unitsPerDegree - 180 + 0.02*r.NormFloat64(),
				max(min(float64(e.ay)/unitsPerDegree-90+0.02*r.NormFloat64(), 90), -90),
			}
		}
		x, y, ok := gridUnits(p)
		if !ok {
			t.Fatalf("%v is no position", p)
		}
		if got, want := g.countryAt(p), slow(x, y); got != want {
			t.Fatalf("%v: %d, want %d of %d", p, got, want, len(d.countries))
		}
	}
}

// cellBorder is a border of one or two countries.
type cellBorder struct {
	ax, ay, bx, by int64
	countries      [2]uint8 // 0 for none
}

// borders returns the borders of all cells, each once.
func (g *countryGrid) borders() []cellBorder {
	all := map[cellBorder]bool{}
	number := binary.LittleEndian.Uint16
	for at := range int64(rows * columns) {
		id, cell, edges := g.cellAt(at%columns*unitsPerCell, at/columns*unitsPerCell)
		if id != hasBorders {
			continue
		}
		ids := g.sets[int(number(cell[8:]))*maxIDs:][:maxIDs]
		for ; len(edges) > 0; edges = edges[edgeSize:] {
			var ends [4]int64
			for i := range ends {
				ends[i] = int64(binary.LittleEndian.Uint32(edges[4*i:]))
			}
			b := cellBorder{ax: ends[0], ay: ends[1], bx: ends[2], by: ends[3]}
			changes := number(edges[16:])
			for i := range b.countries {
				if changes != 0 {
					b.countries[i] = ids[bits.TrailingZeros16(changes)]
					changes &= changes - 1
				}
			}
			all[b] = true
		}
	}
	return slices.Collect(maps.Keys(all))
}

// TestFindCityAgreesWithAFullSearch compares with going through all cities.
func TestABoundWithoutABorderHasOneCountry(t *testing.T) {
	d := loadBorders()
	g := &d.grid
	bound := func(west, south, east, north float64) orb.Bound {
		return orb.Bound{Min: orb.Point{west, south}, Max: orb.Point{east, north}}
	}
	for name, tt := range map[string]struct {
		bound orb.Bound
		ok    bool
	}{
		"inland":                    {bound(9.51, 51.01, 9.99, 51.49), true},
		"at sea":                    {bound(-30.4, 40.1, -30.1, 40.4), true},
		"a point":                   {bound(9.7, 51.2, 9.7, 51.2), true},
		"two columns of cells":      {bound(9.4, 51.01, 9.6, 51.4), false},
		"two rows of cells":         {bound(9.51, 50.9, 9.6, 51.1), false},
		"farPenalty the pole":       {bound(9.51, 89.9, 9.6, 90.1), false},
		"farPenalty the other pole": {bound(9.51, -90.1, 9.6, -89.9), false},
		"Bodensee, three of them":   {bound(9.51, 47.01, 9.99, 47.49), false},
	} {
		id, ok := g.countryIn(tt.bound)
		if ok != tt.ok || ok && id != g.countryAt(tt.bound.Max) {
			t.Errorf("%s: %d, %v", name, id, ok)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	edges := g.borders()
	found := 0
	for range 2000 { // near a border
		e := edges[r.IntN(len(edges))]
		x := float64(e.ax)/unitsPerDegree - 180 + 0.05*r.NormFloat64()
		y := float64(e.ay)/unitsPerDegree - 90 + 0.05*r.NormFloat64()
		b := bound(x, y, x+0.02, y+0.02)
		id, ok := g.countryIn(b)
		if !ok {
			continue
		}
		found++
		for range 10 {
			p := orb.Point{x + 0.02*r.Float64(), y + 0.02*r.Float64()}
			if got := g.countryAt(p); got != id {
				t.Fatalf("%v in %v: %d, not %d", p, b, got, id)
			}
		}
	}
	if found < 200 || found > 1800 {
		t.Errorf("%d of 2000 bounds have one country", found)
	}
}

// TestFindCityAgreesWithAFullSearch compares with a search of all cities.
func TestFindCityAgreesWithAFullSearch(t *testing.T) {
	c := cities()
	r := rand.New(rand.NewPCG(9, 10))
	var points []orb.Point
	for range 60 {
		i := r.IntN(len(c.lengths))
		p := c.cityAt(i, c.cellOf(i)).Point
		points = append(points, orb.Point{p[0] + r.NormFloat64(), max(min(p[1]+r.NormFloat64(), 90), -90)})
		points = append(points, orb.Point{p[0] + 3*r.NormFloat64(), max(min(p[1]+3*r.NormFloat64(), 90), -90)})
		points = append(points, orb.Point{360*r.Float64() - 180, 180*r.Float64() - 90})
	}
	points = append(points, orb.Point{179.999, -16.8}, orb.Point{-179.999, -16.8}, orb.Point{15, 78}, orb.Point{0, 89.99})
	for _, p := range points {
		id := borders().grid.countryAt(p)
		cos := max(math.Cos(p[1]*math.Pi/180), 0.001)
		best := math.Inf(1)
		seen := -1
		for _, farthest := range [...]float64{60, 150} {
			for cell := range rows * columns {
				for i := c.starts[c.cellRank(int64(cell))]; i < c.starts[c.cellRank(int64(cell)+1)]; i++ {
					at := townAt(c.towns[int(i)*townSize:])
					if id != 0 && at.country != id {
						continue
					}
					lon := float64(at.x)/1000 - 180
					lat := float64(cell/columns*milliPerCell+int(at.y))/1000 - 90
					d := math.Hypot(math.Remainder(lon-p[0], 360)*cos, lat-p[1]) * kmPerDegree
					if s := d - bonuses[at.population]; d <= farthest && s < best {
						best = s
						seen = int(i)
					}
				}
			}
			if seen >= 0 {
				break
			}
		}
		s := c.findCity(p, id, nearKilometres, farKilometres)
		if s.city != seen {
			t.Errorf("%v: city %d, want %d", p, s.city, seen)
		}
		if seen >= 0 && s.cell != c.cellOf(seen) {
			t.Errorf("%v: city %d in cell %d, want %d", p, s.city, s.cell, c.cellOf(seen))
		}
	}
}

// cellOf returns the cell of a city.
func (t *cityTable) cellOf(city int) int {
	return sort.Search(rows*columns-1, func(cell int) bool { return int(t.starts[t.cellRank(int64(cell)+1)]) > city })
}

func TestMemoryUseIsLimited(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	b := loadBorders()
	c := loadCities()
	runtime.GC()
	runtime.ReadMemStats(&after)
	used := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("%.1f MB", float64(used)/1e6)
	if used > 1e6 {
		t.Errorf("the data takes %d bytes of memory, want at most 1 MB", used)
	}
	runtime.KeepAlive(b)
	runtime.KeepAlive(c)
}

// BenchmarkFirstUse loads the data and looks up one position, which should take at most 5
// ms.
func BenchmarkFirstUse(b *testing.B) {
	for b.Loop() {
		d := loadBorders()
		c := loadCities()
		at := orb.Point{9.7, 47.5} // near three countries
		c.cityName(c.findCity(at, d.grid.countryAt(at), nearKilometres, farKilometres).city)
	}
}

// BenchmarkWholeWorld inflates all chunks.
func BenchmarkWholeWorld(b *testing.B) {
	for b.Loop() {
		for _, chunk := range loadBorders().grid.mixed {
			chunk()
		}
		for _, chunk := range loadCities().names {
			chunk()
		}
	}
}

func TestEmbeddedZonesMatchTheLibrary(t *testing.T) {
	zones := embeddedZones()
	for code, of := range zonesOf() {
		for _, name := range []string{of.main, of.islands} {
			if name != "" && zones[name] == nil {
				t.Errorf("%s: %s is not embedded", code, name)
			}
		}
	}
	july := time.Date(2026, time.July, 1, 12, 0, 0, 0, time.UTC)
	for name, data := range zones {
		location, err := time.LoadLocationFromTZData(name, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, offset := july.In(location).Zone(); name == "Europe/Berlin" && offset != 2*60*60 {
			t.Errorf("Berlin in July is %d s ahead", offset)
		}
	}
	if _, err := LoadZone("Europe/Atlantis"); err == nil {
		t.Error("a zone that is none was loadedZones")
	}
}

func FuzzLookup(f *testing.F) {
	f.Add(7.6, 47.6)
	f.Add(180.0, 90.0)
	f.Add(-1e300, -90.0)
	f.Fuzz(func(t *testing.T, lon, lat float64) {
		p := Lookup(orb.Point{lon, lat})
		if p.City != "" && p.Code == "" || p.IsFar && p.City == "" {
			t.Errorf("%v %v: %+v", lon, lat, p)
		}
	})
}

// TestBlocksWithoutNearCitiesHaveNone compares with a search without the table of blocks.
func TestBlocksWithoutNearCitiesHaveNone(t *testing.T) {
	table := *loadCities()
	everywhere := table
	everywhere.near = slices.Repeat([]uint64{math.MaxUint64}, len(table.near))
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for i := range 40_000 {
		p := orb.Point{r.Float64()*360 - 180, r.Float64()*180 - 90}
		switch i % 4 {
		case 0: // at the antimeridian
			p[0] = math.Copysign(180-r.Float64()*4, p[0])
		case 1: // at the poles
			p[1] = math.Copysign(90-r.Float64()*25, p[1])
		}
		got := table.findCity(p, 0, nearKilometres, farKilometres)
		want := everywhere.findCity(p, 0, nearKilometres, farKilometres)
		if got.city != want.city {
			t.Fatalf("%v: city %d, want %d", p, got.city, want.city)
		}
		if want.city >= 0 {
			found++
		}
	}
	if found < 5000 {
		t.Errorf("only %d positions have a city", found)
	}
}
