package checking

import (
	"cmp"
	"math"
	"slices"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/simplify"

	"flightdesk/api"
)

// MissingPart is a part of a mission that is not covered.
type MissingPart struct {
	Size    float64     `json:"size"`
	Unit    string      `json:"unit,omitempty"`   // "m²", "m" or "points"
	Where   string      `json:"where"`            // such as "in the north-east"
	Center  api.Point   `json:"center"`           // middle of the part
	Outline []api.Point `json:"outline,omitzero"` // of a part of an area
}

// Describe returns the size and the place of a part, such as "0.4 ha in the north-east".
func (p *MissingPart) Describe() string {
	if p.Unit == "" {
		return p.Where
	}
	return describeSize(p.Unit, p.Size) + " " + p.Where
}

const (
	outlineSteps = 400    // outlines are simplified; they may deviate by the mission's extent divided by outlineSteps
	maxParts     = 20     // maximum number of listed parts
	leastPart    = 0.0005 // minimum size of a listed part, as a share of the mission
	leastCell    = 4      // minimum size of a listed part of an area, in samples
)

// missingParts returns the largest parts of the mission that are not covered, at most maxParts. count
// also includes the parts that are not returned.
func (c *coverage) missingParts() (list []MissingPart, count int) {
	var groups [][]int
	if c.target.inside == nil {
		groups = c.runs()
	} else {
		groups = c.target.components(func(i int) bool { return !c.covered[i] })
	}
	t := c.target
	slices.SortStableFunc(groups, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	for _, group := range groups {
		isSmall := float64(len(group)) < leastPart*float64(t.count) || t.inside != nil && len(group) < leastCell
		if isSmall {
			break
		}
		count++
		if count <= maxParts {
			list = append(list, c.describePart(group))
		}
	}
	return list, count
}

// runs returns the uncovered samples of a line or of points in groups. Successive samples of a line
// are one group. Of separate points, each point is one group.
func (c *coverage) runs() (groups [][]int) {
	_, isLine := c.target.shape.(orb.LineString)
	isOpen := false
	for i, covered := range c.covered {
		if covered {
			isOpen = false
			continue
		}
		if !isOpen || !isLine {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], i)
		isOpen = true
	}
	return groups
}

// components divides the samples of an area for which isMember returns true into groups of adjacent samples.
func (t *target) components(isMember func(i int) bool) (groups [][]int) {
	seen := make([]bool, len(t.inside))
	isOpen := func(i int) bool { return t.inside[i] && isMember(i) && !seen[i] }
	for first := range t.inside {
		if !isOpen(first) {
			continue
		}
		seen[first] = true
		group := []int{first}
		for next := 0; next < len(group); next++ { // the group grows while its samples are visited
			for _, neighbour := range t.neighbours(group[next]) {
				if isOpen(neighbour) {
					seen[neighbour] = true
					group = append(group, neighbour)
				}
			}
		}
		groups = append(groups, group)
	}
	return groups
}

// neighbours returns the indexes of the samples left, right, below and above sample i of an area.
func (t *target) neighbours(i int) []int {
	neighbours := make([]int, 0, 4)
	column := i % t.width
	if column > 0 {
		neighbours = append(neighbours, i-1)
	}
	if column < t.width-1 {
		neighbours = append(neighbours, i+1)
	}
	if i >= t.width {
		neighbours = append(neighbours, i-t.width)
	}
	if i+t.width < len(t.inside) {
		neighbours = append(neighbours, i+t.width)
	}
	return neighbours
}

// spot returns the position of sample i.
func (t *target) spot(i int) orb.Point {
	if t.inside == nil {
		return t.spots[i]
	}
	return t.position(i%t.width, i/t.width)
}

// describePart returns the size, position and outline of a group of samples that are not covered.
func (c *coverage) describePart(group []int) MissingPart {
	t := c.target
	middle := orb.Point{}
	for _, i := range group {
		p := t.spot(i)
		middle[0] += p.Lon() / float64(len(group))
		middle[1] += p.Lat() / float64(len(group))
	}
	g := MissingPart{
		Size:   t.size * float64(len(group)) / float64(t.count),
		Unit:   t.unit(),
		Where:  t.direction(middle),
		Center: api.Point{Lat: middle.Lat(), Lng: math.Remainder(middle.Lon(), 360)},
	}
	if t.inside != nil {
		g.Outline = t.outline(group)
	}
	return g
}

// direction returns in which part of the mission a position is, such as "in the north-east".
func (t *target) direction(at orb.Point) string {
	bound := t.shape.Bound()
	narrow := math.Cos(bound.Center().Lat() * math.Pi / 180)
	east := (at.Lon() - bound.Center().Lon()) * narrow
	north := at.Lat() - bound.Center().Lat()
	half := max((bound.Max.Lon()-bound.Min.Lon())*narrow, bound.Max.Lat()-bound.Min.Lat()) / 2
	if math.Hypot(east, north) < 0.2*half {
		return "in the middle"
	}
	winds := [8]string{"east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east"}
	sector := int(math.Round(math.Atan2(north, east)/(math.Pi/4))+8) % 8
	return "in the " + winds[sector]
}

// outline returns the outer boundary of a group of adjacent samples of an area.
func (t *target) outline(group []int) []api.Point {
	ring := t.traceOutline(group)
	bound := t.shape.Bound()
	side := max(bound.Max.Lon()-bound.Min.Lon(), bound.Max.Lat()-bound.Min.Lat())
	tolerance := max(t.step.Lon(), t.step.Lat(), side/outlineSteps)
	reduced := simplify.DouglasPeucker(tolerance).Ring(ring)
	points := make([]api.Point, len(reduced))
	for i, p := range reduced {
		points[i] = api.Point{
			Lat: math.Round(p.Lat()*degreeDigits) / degreeDigits,
			Lng: math.Round(math.Remainder(p.Lon(), 360)*degreeDigits) / degreeDigits,
		}
	}
	return points
}

// traceOutline returns the boundary of a group of samples as a closed ring. It walks along the edges
// of the samples with the group on its left, starting below the lowest sample.
func (t *target) traceOutline(group []int) orb.Ring {
	walk := outlineWalk{target: t, isMember: make(map[int]bool, len(group)), step: gridStep{x: 1}}
	for _, i := range group {
		walk.isMember[i] = true
	}
	lowest := slices.Min(group)
	startX := lowest % t.width
	startY := lowest / t.width
	walk.x = startX
	walk.y = startY
	maxEdges := 4 * len(group)
	ring := orb.Ring{walk.corner()}
	for range maxEdges {
		walk.x += walk.step.x
		walk.y += walk.step.y
		if walk.x == startX && walk.y == startY {
			break
		}
		ring = append(ring, walk.corner())
		walk.turn()
	}
	return append(ring, ring[0])
}

// outlineWalk is the state of a walk along the boundary of a group of samples, where each sample is a square.
type outlineWalk struct {
	target   *target
	isMember map[int]bool // samples of the group
	x, y     int          // current corner: the lower left corner of the sample in column x and row y
	step     gridStep     // the direction of the next edge
}

// gridStep is the direction of a step: 1 to the right or up, -1 to the left or down, 0 for the other axis.
type gridStep struct{ x, y int }

// corner returns the position of the current corner.
func (w *outlineWalk) corner() orb.Point {
	return orb.Point{
		w.target.origin.Lon() + float64(w.x)*w.target.step.Lon(),
		w.target.origin.Lat() + float64(w.y)*w.target.step.Lat(),
	}
}

// turn chooses the direction of the next step, so that the group stays on the left of the walk.
func (w *outlineWalk) turn() {
	left := gridStep{-w.step.y, w.step.x}
	right := gridStep{w.step.y, -w.step.x}
	if !w.hasMemberAt(left) {
		w.step = left
	} else if w.hasMemberAt(right) {
		w.step = right
	}
}

// hasMemberAt reports whether the group has the sample ahead on the given side of the walk.
func (w *outlineWalk) hasMemberAt(side gridStep) bool {
	// The middle of the sample is half a step along the edge and half a step to the side.
	column := w.x + (w.step.x+side.x-1)/2
	row := w.y + (w.step.y+side.y-1)/2
	isInside := column >= 0 && row >= 0 && column < w.target.width && row < w.target.height
	return isInside && w.isMember[row*w.target.width+column]
}
