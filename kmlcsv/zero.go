package kmlcsv

import (
	"slices"

	"github.com/paulmach/orb"
)

// zeroPosition is 0, 0, which programs write if they do not know a position.
var zeroPosition orb.Point

// isAtZero reports whether all points of a placemark are at exactly 0, 0.
func isAtZero(p *Placemark) bool {
	if point, isPoint := p.Geometry.(orb.Point); isPoint {
		return point == zeroPosition
	}
	// Nearly every geometry is decided by its first point; a bound would need all of them.
	points := p.Points()
	isElsewhere := func(at orb.Point) bool { return at != zeroPosition }
	return len(points) > 0 && !slices.ContainsFunc(points, isElsewhere)
}

func allAtZero(placemarks []Placemark) bool {
	for i := range placemarks {
		if !isAtZero(&placemarks[i]) {
			return false
		}
	}
	return true
}

// nearZero is how far from 0, 0 a site may be, in degrees, for a point at 0, 0 to be a
// site of the same survey. There is only sea within that distance.
const nearZero = 3

var aroundZero = orb.Bound{Min: orb.Point{-nearZero, -nearZero}, Max: orb.Point{nearZero, nearZero}}

// isNearZero reports whether a placemark reaches into the surroundings of 0, 0.
func isNearZero(p *Placemark) bool { return p.Geometry.Bound().Intersects(aroundZero) }

var zeroCorner = newError(CoordinatesMissing,
	"the coordinates of one of its corners are 0, 0, which means that its position is missing")

// lacksPosition reports whether some corners of a site are at 0, 0 and the others far from
// there.
func lacksPosition(corners []orb.Point) bool {
	zeroes := 0
	for _, p := range corners {
		switch {
		case p == zeroPosition:
			zeroes++
		case aroundZero.Contains(p):
			return false
		}
	}
	return zeroes > 0 && zeroes < len(corners)
}

// meansNoPosition reports whether points at 0, 0 are not sites: there are sites elsewhere
// and none near them.
func meansNoPosition(placemarks []Placemark) bool {
	zeroes := 0
	for i := range placemarks {
		if isAtZero(&placemarks[i]) {
			zeroes++
		}
	}
	if zeroes == 0 || zeroes == len(placemarks) {
		return false
	}
	// Bounds of large geometries take long: they are computed only for files that have a zero.
	for i := range placemarks {
		if p := &placemarks[i]; !isAtZero(p) && isNearZero(p) {
			return false
		}
	}
	return true
}

// dropZeroes removes points at 0, 0 if the file has sites elsewhere, and says so in a
// warning for each. Warnings about them go, the others keep their placemark.
func (b *resultBuilder) dropZeroes() {
	placemarks := b.res.Placemarks
	if !meansNoPosition(placemarks) {
		return
	}
	places := make([]int, len(placemarks)) // where each placemark goes, -1 for nowhere
	kept := placemarks[:0:0]
	var zeroes []Placemark
	for i := range placemarks {
		places[i] = -1
		if isAtZero(&placemarks[i]) {
			zeroes = append(zeroes, placemarks[i])
			continue
		}
		places[i] = len(kept)
		kept = append(kept, placemarks[i])
	}
	b.res.Placemarks = kept
	b.moveWarnings(places)
	for i := range zeroes {
		b.addWarning(Warning{
			Code: CoordinatesMissing, Line: zeroes[i].Line, Index: -1, Placemark: zeroes[i].Name, Skipped: true,
			Message: "its coordinates are 0, 0, which means no position beside sites elsewhere",
		})
	}
	for _, account := range b.zeroes {
		b.res.Accounts[account].Sites--
		b.res.Accounts[account].Skipped++
	}
}

// moveWarnings adapts the warnings to placemarks that moved to other indexes; the
// warnings about a placemark without a new index go.
func (b *resultBuilder) moveWarnings(places []int) {
	warnings := b.res.Warnings[:0]
	for _, w := range b.res.Warnings {
		if w.Index >= 0 {
			if places[w.Index] < 0 {
				continue
			}
			w.Index = places[w.Index]
		}
		warnings = append(warnings, w)
	}
	b.res.Warnings = warnings
}
