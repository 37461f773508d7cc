package main

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// feature is one of borders.json.
type feature struct {
	Properties struct {
		ISO      string   `json:"iso1A2"`
		Status   string   `json:"isoStatus"`
		Wikidata string   `json:"wikidata"`
		Name     string   `json:"nameEn"`
		Country  string   `json:"country"`
		Groups   []string `json:"groups"`
	} `json:"properties"`
	Geometry *struct {
		Coordinates [][][][2]float64 `json:"coordinates"`
	} `json:"geometry"`
}

// The file follows who is in control; these follow the United Nations, as
// GeoNames does.
var overrides = map[string]string{
	"Q7835":  "UA", // Crimea
	"Q23681": "CY", // Northern Cyprus
}

// names are short where the file's are long.
var names = map[string]string{
	"BS": "Bahamas", "CN": "China", "CY": "Cyprus", "DK": "Denmark", "FM": "Micronesia",
	"GG": "Guernsey", "GM": "Gambia", "IE": "Ireland", "JE": "Jersey", "KN": "Saint Kitts and Nevis",
	"LC": "Saint Lucia", "MF": "Saint Martin", "BL": "Saint Barthélemy", "NL": "Netherlands",
	"ST": "São Tomé and Príncipe", "TL": "Timor-Leste", "US": "United States",
	"VC": "Saint Vincent and the Grenadines", "VI": "U.S. Virgin Islands",
	"UM": "U.S. Minor Outlying Islands", "GS": "South Georgia and the South Sandwich Islands",
}

// point is a position in hundred-thousandths of a degree.
type point struct{ x, y int }

type country struct {
	code, name string
	area       float64 // square degrees at the equator, roughly
}

// world is the countries, from the smallest to the largest, and what divides
// them.
type world struct {
	countries []country
	id        map[string]int // code to position in countries
	arcs      []arc
}

// arc is a run of points with country a on one side and b, or with -1 none, on
// the other.
type arc struct {
	a, b   int
	points []point
}

func readBorders(src []byte) (*world, error) {
	var file struct {
		Features []feature `json:"features"`
	}
	if err := json.Unmarshal(src, &file); err != nil {
		return nil, err
	}
	known := map[string]*country{}
	for _, f := range file.Features {
		p := f.Properties
		// Kosovo has no official code; XK is what everybody uses.
		if p.ISO == "" || p.Status != "" && p.ISO != "XK" {
			continue
		}
		name := p.Name
		if short, ok := names[p.ISO]; ok {
			name = short
		}
		known[p.ISO] = &country{code: p.ISO, name: name}
	}
	codes := make([]string, len(file.Features))
	for i, f := range file.Features {
		if f.Geometry == nil {
			continue
		}
		codes[i] = codeOf(&f, known)
		if c, ok := known[codes[i]]; ok {
			c.area += areaOf(&f)
		}
	}
	w := &world{id: map[string]int{}}
	for _, code := range slices.Sorted(maps.Keys(known)) {
		if known[code].area > 0 {
			w.countries = append(w.countries, *known[code])
		}
	}
	slices.SortStableFunc(w.countries, func(a, b country) int { return cmp.Compare(a.area, b.area) })
	if len(w.countries) > 254 {
		return nil, fmt.Errorf("%d countries, want at most 254: a byte holds their number", len(w.countries))
	}
	for i, c := range w.countries {
		w.id[c.code] = i
	}
	return w, w.trace(file.Features, codes)
}

// codeOf returns the official code of what a feature belongs to: its own, else
// that of a territory it is part of, else its country's.
func codeOf(f *feature, known map[string]*country) string {
	p := f.Properties
	if code, ok := overrides[p.Wikidata]; ok {
		return code
	}
	for _, code := range append([]string{p.ISO}, p.Groups...) {
		if _, ok := known[code]; ok {
			return code
		}
	}
	return p.Country
}

func areaOf(f *feature) (area float64) {
	for _, polygon := range f.Geometry.Coordinates {
		for _, ring := range polygon {
			for i := 1; i < len(ring); i++ {
				a, b := ring[i-1], ring[i]
				area += (b[0] - a[0]) * (math.Sin(a[1]*math.Pi/180) + math.Sin(b[1]*math.Pi/180)) / 2
			}
		}
	}
	return math.Abs(area) * 180 / math.Pi
}

// edge is two neighbouring points in ascending order.
type edge struct{ a, b point }

func newEdge(a, b point) edge {
	if b.x < a.x || b.x == a.x && b.y < a.y {
		a, b = b, a
	}
	return edge{a, b}
}

// sides are the countries that an edge divides; an edge within a country has
// none.
type sides []int

func (s *sides) toggle(id int) {
	if at := slices.Index(*s, id); at >= 0 {
		*s = slices.Delete(*s, at, at+1)
	} else {
		*s = append(*s, id)
	}
}

// trace collects the edges that divide countries into arcs.
func (w *world) trace(features []feature, codes []string) error {
	var rings [][]point
	divides := map[edge]*sides{}
	for i, f := range features {
		id, ok := w.id[codes[i]]
		if f.Geometry == nil || !ok {
			continue
		}
		for _, polygon := range f.Geometry.Coordinates {
			for _, ring := range polygon {
				points := round(ring)
				rings = append(rings, points)
				for k := 1; k < len(points); k++ {
					e := newEdge(points[k-1], points[k])
					if divides[e] == nil {
						divides[e] = &sides{}
					}
					divides[e].toggle(id)
				}
			}
		}
	}
	for _, ring := range rings {
		for k := 1; k < len(ring); k++ {
			e := newEdge(ring[k-1], ring[k])
			s := *divides[e]
			*divides[e] = nil
			switch len(s) {
			case 0:
			case 1:
				w.extend(s[0], -1, ring[k-1], ring[k])
			case 2:
				w.extend(s[0], s[1], ring[k-1], ring[k])
			default:
				return fmt.Errorf("%d countries meet at the edge %v, want at most 2", len(s), e)
			}
		}
	}
	return nil
}

// extend adds an edge to the last arc, or to a new one if it does not go on
// from there.
func (w *world) extend(a, b int, from, to point) {
	if n := len(w.arcs); n > 0 {
		last := &w.arcs[n-1]
		if last.a == a && last.b == b && last.points[len(last.points)-1] == from {
			last.points = append(last.points, to)
			return
		}
	}
	w.arcs = append(w.arcs, arc{a, b, []point{from, to}})
}

func round(ring [][2]float64) []point {
	out := make([]point, 0, len(ring))
	for _, p := range ring {
		q := point{int(math.Round(p[0] * 1e5)), int(math.Round(p[1] * 1e5))}
		if len(out) == 0 || out[len(out)-1] != q {
			out = append(out, q)
		}
	}
	return out
}

// encode writes the number of countries; of each the code, the length of the
// name and the name; and the grid of their borders.
func (w *world) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(len(w.countries)))
	for _, c := range w.countries {
		b = append(b, c.code...)
		b = append(b, byte(len(c.name)))
		b = append(b, c.name...)
	}
	return append(b, gridOf(w.borders())...)
}
