package main

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// feature is a country, a territory or a region in borders.json.
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

// overrides are the countries that the United Nations and GeoNames assign to regions, by the Wikidata IDs of the
// regions. The source assigns a region to the country that controls it.
var overrides = map[string]string{
	"Q7835":  "UA", // Crimea
	"Q23681": "CY", // Northern Cyprus
}

// shortNames replace long names of the source, by the code of the country.
var shortNames = map[string]string{
	"BS": "Bahamas", "CN": "China", "CY": "Cyprus", "DK": "Denmark", "FM": "Micronesia",
	"GG": "Guernsey", "GM": "Gambia", "IE": "Ireland", "JE": "Jersey", "KN": "Saint Kitts and Nevis",
	"LC": "Saint Lucia", "MF": "Saint Martin", "BL": "Saint Barthélemy", "NL": "Netherlands",
	"ST": "São Tomé and Príncipe", "TL": "Timor-Leste", "US": "United States",
	"VC": "Saint Vincent and the Grenadines", "VI": "U.S. Virgin Islands",
	"UM": "U.S. Minor Outlying Islands", "GS": "South Georgia and the South Sandwich Islands",
}

// point is a position in hundred-thousandths of a degree.
type point struct{ x, y int }

// country is a country or a territory with an official code.
type country struct {
	code, name string
	area       float64 // approximate, in square degrees at the equator
}

// world has the countries, from the smallest to the largest, and their borders.
type world struct {
	countries []country
	id        map[string]uint8 // number of a country by its code, from 1
	borders   []border
}

// readBorders reads the countries and their borders from the source.
func (w *world) readBorders(source []byte) {
	var file struct {
		Features []feature `json:"features"`
	}
	decode(source, &file)
	known := countriesIn(file.Features)
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
	w.findBorders(file.Features, known)
}

// countriesIn returns the countries with an official code, by their codes. A country has the areas of all features that
// belong to it.
func countriesIn(features []feature) map[string]*country {
	known := map[string]*country{}
	for _, f := range features {
		p := f.Properties
		isOfficial := p.Status == "" || p.ISO == "XK" // Kosovo has no official code, and XK is generally used
		if p.ISO == "" || !isOfficial {
			continue
		}
		name := p.Name
		if short := shortNames[p.ISO]; short != "" {
			name = short
		}
		known[p.ISO] = &country{code: p.ISO, name: name}
	}
	for _, f := range features {
		if c, ok := known[codeOf(&f, known)]; ok {
			c.area += areaOf(&f)
		}
	}
	return known
}

// codeOf returns the official code for a feature: its own code, otherwise the code of the territory that it is a part
// of, otherwise the code of its country.
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

// areaOf returns the approximate area of a feature, in square degrees at the equator.
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

// edge is a segment of a boundary. As a key, its ends are in ascending order.
type edge struct{ a, b point }

// sorted returns the edge with its ends in ascending order.
func (e edge) sorted() edge {
	if e.b.x < e.a.x || e.b.x == e.a.x && e.b.y < e.a.y {
		return edge{e.b, e.a}
	}
	return e
}

// toggleSide adds a country to the sides of an edge, or removes it if it is already there. An edge between two parts
// of one country then has no sides and is not a border.
func toggleSide(sides []uint8, id uint8) []uint8 {
	if at := slices.Index(sides, id); at >= 0 {
		return slices.Delete(sides, at, at+1)
	}
	return append(sides, id)
}

// findBorders finds the edges that have different countries on their two sides, in the order of the features.
func (w *world) findBorders(features []feature, known map[string]*country) {
	var edges []edge            // in the direction of their rings
	sides := map[edge][]uint8{} // countries on the sides of each edge
	for _, f := range features {
		id := w.id[codeOf(&f, known)]
		if id == 0 {
			continue
		}
		for _, e := range edgesOf(&f) {
			edges = append(edges, e)
			sides[e.sorted()] = toggleSide(sides[e.sorted()], id)
		}
	}
	for _, e := range edges {
		if countries := sides[e.sorted()]; len(countries) > 0 {
			w.borders = append(w.borders, newBorder(e, countries))
		}
		delete(sides, e.sorted()) // the edge is listed once for each side
	}
}

// edgesOf returns the edges of all rings of a feature.
func edgesOf(f *feature) (edges []edge) {
	for _, polygon := range f.Geometry.Coordinates {
		for _, ring := range polygon {
			points := roundPoints(ring)
			for i := 1; i < len(points); i++ {
				edges = append(edges, edge{points[i-1], points[i]})
			}
		}
	}
	return edges
}

// roundPoints rounds the points of a ring to hundred-thousandths of a degree. It leaves out points that repeat the
// point before.
func roundPoints(ring [][2]float64) []point {
	out := make([]point, 0, len(ring))
	for _, p := range ring {
		out = append(out, point{int(math.Round(p[0] * 1e5)), int(math.Round(p[1] * 1e5))})
	}
	return slices.Compact(out)
}

// encode returns the countries and the grid of their borders as chunks. The first chunk has the number of countries,
// the code, the length of the name and the name of each country, and the index of the grid. The other chunks
// have the cells of the grid that borders cross.
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
