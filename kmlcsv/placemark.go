package kmlcsv

import "github.com/paulmach/orb"

// DefaultMaxBytes is the size of the largest file that is read unless
// [Options] say otherwise: 10 MiB, of a KMZ also what it inflates to.
const DefaultMaxBytes = 10 << 20

// DefaultMaxWarnings is how many warnings a result lists unless [Options] say
// otherwise.
const DefaultMaxWarnings = 5000

// Kind says what a placemark's geometry is surveyed as. Its values are those
// of the service's mission type.
type Kind string

// The kinds of placemark.
const (
	Area   Kind = "area"   // a polygon
	Linear Kind = "linear" // a line string
	Asset  Kind = "asset"  // a point
)

// Placemark is one site of a survey file.
type Placemark struct {
	Name    string // label, one line of at most 200 characters, never empty
	Country string // English short name, from the file or else suggested; "" where unknown
	City    string // likewise

	// Geometry is an orb.Point, an orb.LineString or an orb.Polygon. The first
	// ring of a polygon is its boundary, the others are holes; rings are closed.
	Geometry orb.Geometry

	Area   float64 // square metres on the ellipsoid, holes subtracted; 0 but for polygons
	Length float64 // metres on the ellipsoid; 0 but for line strings
	Line   int     // where it starts: line of a KML file, row of a CSV as a spreadsheet counts
}

// Kind returns what the geometry is surveyed as.
func (p Placemark) Kind() Kind {
	switch p.Geometry.(type) {
	case orb.Polygon:
		return Area
	case orb.LineString:
		return Linear
	default:
		return Asset
	}
}

// Points returns the vertices as an order carries them: of a polygon the
// boundary without its closing point, without holes. The result may share
// memory with the geometry.
func (p Placemark) Points() []orb.Point {
	switch g := p.Geometry.(type) {
	case orb.Point:
		return []orb.Point{g}
	case orb.LineString:
		return g
	case orb.Polygon:
		if len(g) == 0 || len(g[0]) == 0 {
			return nil
		}
		ring := g[0]
		if ring[0] == ring[len(ring)-1] {
			ring = ring[:len(ring)-1]
		}
		return ring
	default:
		return nil
	}
}
