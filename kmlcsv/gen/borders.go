package main

import (
	"cmp"
	"encoding/binary"
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
	Geometry struct {
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
	id        map[string]uint8 // code to position in countries, from 1
	borders   []border
}

func (w *world) readBorders(source []byte) {
	var file struct {
		Features []feature `json:"features"`
	}
	decode(source, &file)
	known := map[string]*country{}
	for _, f := range file.Features {
		// Kosovo has no official code; XK is what everybody uses.
		if p := f.Properties; p.ISO != "" && (p.Status == "" || p.ISO == "XK") {
			known[p.ISO] = &country{code: p.ISO, name: cmp.Or(names[p.ISO], p.Name)}
		}
	}
	for _, f := range file.Features {
		if c, ok := known[codeOf(&f, known)]; ok {
			c.area += areaOf(&f)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(known)) {
		if known[code].area > 0 {
			w.countries = append(w.countries, *known[code])
		}
	}
	slices.SortStableFunc(w.countries, func(a, b country) int { return cmp.Compare(a.area, b.area) })
	w.id = map[string]uint8{}
	for i, c := range w.countries {
		w.id[c.code] = uint8(i + 1)
	}
	w.trace(file.Features, known)
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

// toggle adds a country to those that an edge divides, or takes it out.
func toggle(sides []uint8, id uint8) []uint8 {
	if at := slices.Index(sides, id); at >= 0 {
		return slices.Delete(sides, at, at+1)
	}
	return append(sides, id)
}

// trace collects the edges that divide countries; an edge within a country divides none.
func (w *world) trace(features []feature, known map[string]*country) {
	var edges []edge // as they are run through
	divides := map[edge][]uint8{}
	for _, f := range features {
		id := w.id[codeOf(&f, known)]
		if id == 0 {
			continue
		}
		for _, polygon := range f.Geometry.Coordinates {
			for _, ring := range polygon {
				points := round(ring)
				for k := 1; k < len(points); k++ {
					edges = append(edges, edge{points[k-1], points[k]})
					e := newEdge(points[k-1], points[k])
					divides[e] = toggle(divides[e], id)
				}
			}
		}
	}
	for _, run := range edges {
		e := newEdge(run.a, run.b)
		if sides := divides[e]; len(sides) > 0 {
			w.borders = append(w.borders, newBorder(run, sides))
		}
		delete(divides, e)
	}
}

func round(ring [][2]float64) []point {
	out := make([]point, 0, len(ring))
	for _, p := range ring {
		out = append(out, point{int(math.Round(p[0] * 1e5)), int(math.Round(p[1] * 1e5))})
	}
	return slices.Compact(out)
}

// encode writes the number of countries; of each the code, the length of the
// name and the name; and the grid of their borders, whose chunks follow.
func (w *world) encode() [][]byte {
	b := binary.AppendUvarint(nil, uint64(len(w.countries)))
	for _, c := range w.countries {
		b = append(b, c.code...)
		b = append(b, byte(len(c.name)))
		b = append(b, c.name...)
	}
	index, chunks := gridOf(w.borders)
	return append([][]byte{append(b, index...)}, chunks...)
}
