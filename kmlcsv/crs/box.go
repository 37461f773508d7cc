package crs

import (
	"math"
	"sort"
)

// Box is an area between two meridians and two parallels, in degrees. If East is less than West, the box crosses the
// antimeridian.
type Box struct{ West, South, East, North float64 }

// Contains reports whether a position is in the box.
func (b Box) Contains(lng, lat float64) bool { return b.within(lng, lat, 0) }

// Near reports whether a position is in the box, or outside it by at most the given number of degrees.
func (b Box) Near(lng, lat, degrees float64) bool { return b.within(lng, lat, degrees) }

func (b Box) within(lng, lat, margin float64) bool {
	if !(b.South-margin <= lat && lat <= b.North+margin) {
		return false
	}
	if b.width()+2*margin >= 360 {
		return true
	}
	west := b.West - margin
	return math.Mod(lng-west+720, 360) <= b.width()+2*margin
}

func (b Box) width() float64 {
	if b.East < b.West {
		return b.East - b.West + 360
	}
	return b.East - b.West
}

// size returns a number that is proportional to the area of the box on a sphere.
func (b Box) size() float64 {
	return b.width() * (math.Sin(b.North*radian) - math.Sin(b.South*radian))
}

// overlap returns the size of the area that both boxes cover, in the unit of method size. It is 0 if they do not
// overlap.
func (b Box) overlap(o Box) float64 {
	south := math.Max(b.South, o.South)
	north := math.Min(b.North, o.North)
	if south >= north {
		return 0
	}
	width := 0.0
	for _, turn := range []float64{-360, 0, 360} {
		west := math.Max(b.West, o.West+turn)
		east := math.Min(b.West+b.width(), o.West+turn+o.width())
		width += math.Max(east-west, 0)
	}
	return width * (math.Sin(north*radian) - math.Sin(south*radian))
}

// Centre returns the middle of the box.
func (b Box) Centre() (lng, lat float64) {
	return math.Remainder(b.West+b.width()/2, 360), (b.South + b.North) / 2
}

// sortByArea sorts systems by the size of their areas of use, smallest first.
func sortByArea(found []*System) {
	sort.SliceStable(found, func(i, j int) bool { return found[i].area.size() < found[j].area.size() })
}
