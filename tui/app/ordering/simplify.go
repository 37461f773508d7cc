package ordering

import (
	"fmt"
	"math"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/simplify"

	"flightdesk/api"
	"flightdesk/kmlcsv"
)

// offerThinner offers, for every place with more points than a mission takes,
// the same one with fewer. It is for the background.
func offerThinner(res *kmlcsv.Result) {
	if res == nil {
		return
	}
	for i := range res.Placemarks {
		p := &res.Placemarks[i]
		n := len(p.Points())
		if n <= api.MaxPoints {
			continue
		}
		fixed, how := thinOut(*p)
		res.Warnings = append(res.Warnings, kmlcsv.Warning{
			Line: p.Line, Index: i, Placemark: p.Name, Fixed: &fixed, Fix: how,
			Message: fmt.Sprintf("%s points; a mission has at most %s", groupDigits(n), groupDigits(api.MaxPoints)),
		})
	}
}

// thinOut leaves out those points that change the shape least, and says by how
// much that changes its size.
func thinOut(p kmlcsv.Placemark) (kmlcsv.Placemark, string) {
	before, what := p.Area, "area"
	g := orb.Clone(p.Geometry)
	switch shape := g.(type) {
	case orb.Polygon:
		shape[0] = simplify.VisvalingamKeep(api.MaxPoints).Ring(shape[0]) // the closing point counts with them
		g = shape
	case orb.LineString:
		before, what = p.Length, "length"
		g = simplify.VisvalingamKeep(api.MaxPoints).LineString(shape)
	}
	fixed := kmlcsv.NewPlacemark(p.Name, g)
	fixed.Country, fixed.City, fixed.Line = p.Country, p.City, p.Line
	change := math.Abs(fixed.Area+fixed.Length-before) / before * 100
	return fixed, fmt.Sprintf("simplifies to %s points; the %s changes by %.3f%%", groupDigits(len(fixed.Points())), what, change)
}
