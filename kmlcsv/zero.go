package kmlcsv

import (
	"slices"

	"github.com/paulmach/orb"
)

// zeroPosition is 0, 0, which programs write for an unknown position.
var zeroPosition orb.Point

// isAtZero reports whether all points of a placemark are at exactly 0, 0.
func isAtZero(p *Placemark) bool {
	if point, isPoint := p.Geometry.(orb.Point); isPoint {
		return point == zeroPosition
	}
	// Usually the first point decides. A bound would need all points.
	points := p.Points()
	isElsewhere := func(point orb.Point) bool { return point != zeroPosition }
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

// nearZero is the distance from 0, 0 in degrees within which another site makes a point at 0, 0 plausible.
// There is only sea within that distance.
const nearZero = 3

var aroundZero = orb.Bound{Min: orb.Point{-nearZero, -nearZero}, Max: orb.Point{nearZero, nearZero}}

// isNearZero reports whether a placemark reaches within nearZero degrees of 0, 0.
func isNearZero(p *Placemark) bool { return p.Geometry.Bound().Intersects(aroundZero) }

var zeroCorner = newError(CoordinatesMissing,
	"the coordinates of one of its corners are 0, 0, which means that its position is missing")

// lacksPosition reports whether some corners of a site are at 0, 0 and the others are far from it.
func lacksPosition(corners []orb.Point) bool {
	zeroes := 0
	for _, p := range corners {
		if p == zeroPosition {
			zeroes++
		} else if aroundZero.Contains(p) {
			return false
		}
	}
	return zeroes > 0 && zeroes < len(corners)
}

// meansNoPosition reports whether points at 0, 0 are not sites: there are other sites, and none of them is
// near 0, 0.
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
	// Bounds of large geometries are slow, so they are only computed for files with a point at 0, 0.
	for i := range placemarks {
		p := &placemarks[i]
		if !isAtZero(p) && isNearZero(p) {
			return false
		}
	}
	return true
}

// dropZeroes removes points at 0, 0 that are not sites. Each removed point gets a warning instead of its
// earlier warnings.
func (b *resultBuilder) dropZeroes() {
	placemarks := b.res.Placemarks
	if !meansNoPosition(placemarks) {
		return
	}
	places := make([]int, len(placemarks)) // new index of each placemark, -1 if it is removed
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

// moveWarnings sets the indexes of warnings to the new indexes of their placemarks. It removes the warnings
// of placemarks whose new index is negative.
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
