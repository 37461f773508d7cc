package kmlcsv

import (
	"slices"

	"github.com/paulmach/orb"
)

// zeroPosition is the position 0, 0. Many programs write it if a position is not known.
var zeroPosition orb.Point

// isAtZero reports whether all points of a placemark are at exactly 0, 0.
func isAtZero(p *Placemark) bool {
	if point, isPoint := p.Geometry.(orb.Point); isPoint {
		return point == zeroPosition
	}
	// Usually the first point decides, so computing a bound of all points would be slower.
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

// nearZero is a distance in degrees. Within this distance of 0, 0 there is only sea. If a site is that near, a point
// at 0, 0 is plausible.
const nearZero = 3

var aroundZero = orb.Bound{Min: orb.Point{-nearZero, -nearZero}, Max: orb.Point{nearZero, nearZero}}

// isNearZero reports whether a part of a placemark is within nearZero degrees of 0, 0.
func isNearZero(p *Placemark) bool { return p.Geometry.Bound().Intersects(aroundZero) }

var zeroCorner = newError(CoordinatesMissing,
	"the coordinates of one of its corners are 0, 0, which means that its position is missing")

// lacksPosition reports whether some corners of a site have no position: they are at 0, 0, and all other corners are
// more than nearZero degrees away.
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

// meansNoPosition reports whether 0, 0 means an unknown position in a file: some placemarks are at 0, 0, and no other
// placemark is near it.
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

// dropZeroes removes the placemarks at 0, 0 if 0, 0 means an unknown position. For each of them, a warning that it was
// skipped replaces its other warnings.
func (b *resultBuilder) dropZeroes() {
	placemarks := b.res.Placemarks
	if !b.hasZero || !meansNoPosition(placemarks) {
		return
	}
	var kept, removed []Placemark
	newIndexes := make([]int, len(placemarks)) // new index for each old index; -1 if the placemark is removed
	for i := range placemarks {
		if isAtZero(&placemarks[i]) {
			newIndexes[i] = -1
			removed = append(removed, placemarks[i])
		} else {
			newIndexes[i] = len(kept)
			kept = append(kept, placemarks[i])
		}
	}
	b.res.Placemarks = kept
	b.res.moveWarnings(newIndexes)
	b.warnZeroes(removed)
	b.skipZeroRecords()
}

// warnZeroes warns that the placemarks at 0, 0 were skipped.
func (b *resultBuilder) warnZeroes(removed []Placemark) {
	for i := range removed {
		b.addWarning(Warning{
			Code: CoordinatesMissing, Line: removed[i].Line, Index: -1, Placemark: removed[i].Name, Skipped: true,
			Message: "its coordinates are 0, 0, which means no position beside sites elsewhere",
		})
	}
}

// skipZeroRecords corrects Result.Accounts after dropZeroes has removed placemarks. The accounts have counted the
// records of these placemarks as sites. skipZeroRecords counts these records as skipped instead.
func (b *resultBuilder) skipZeroRecords() {
	for _, account := range b.zeroes {
		b.res.Accounts[account].Sites--
		b.res.Accounts[account].Skipped++
	}
}

// moveWarnings updates the indexes of placemarks in warnings after placemarks were removed. newIndexes has the new
// index for each old index. -1 means that the placemark was removed; moveWarnings then removes its warnings too.
func (r *Result) moveWarnings(newIndexes []int) {
	kept := r.Warnings[:0]
	for _, w := range r.Warnings {
		hasPlacemark := w.Index >= 0
		if hasPlacemark {
			w.Index = newIndexes[w.Index]
		}
		wasRemoved := hasPlacemark && w.Index < 0
		if !wasRemoved {
			kept = append(kept, w)
		}
	}
	r.Warnings = kept
}
