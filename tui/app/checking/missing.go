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
	Size    float64     `json:"size"`             // m² of an area, m of a line, or number of points
	Where   string      `json:"where"`            // such as "in the north-east"
	Center  api.Point   `json:"center"`           // middle of the part
	Outline []api.Point `json:"outline,omitzero"` // of a part of an area
}

const (
	// outlineSteps is the exactness of outlines: a part of the extent of the mission.
	outlineSteps = 400
	maxParts     = 20
	leastPart    = 0.0005 // share of the target of a part that is listed
	leastCell    = 4      // samples of a part that is listed
)

// missingParts returns the largest parts that are not covered. count is the number of all parts that are
// large enough to be listed.
func (c *coverage) missingParts() (list []MissingPart, count int) {
	var groups [][]int
	if c.target.inside == nil {
		groups = c.runs()
	} else {
		groups = c.components()
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

// runs returns the groups of successive spots that are not covered. Points are groups of their own.
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

// components returns the groups of adjacent samples of an area that are not covered.
func (c *coverage) components() (groups [][]int) {
	t := c.target
	seen := make([]bool, len(c.covered))
	isOpen := func(i int) bool { return t.inside[i] && !c.covered[i] && !seen[i] }
	for first := range c.covered {
		if !isOpen(first) {
			continue
		}
		seen[first] = true
		group := []int{first}
		for next := 0; next < len(group); next++ {
			i := group[next]
			column := i % t.width
			neighbours := [4]int{i - 1, i + 1, i - t.width, i + t.width}
			isThere := [4]bool{column > 0, column < t.width-1, i >= t.width, i+t.width < len(seen)}
			for k, n := range neighbours {
				if isThere[k] && isOpen(n) {
					seen[n] = true
					group = append(group, n)
				}
			}
		}
		groups = append(groups, group)
	}
	return groups
}

// spot returns the position of a sample.
func (t *target) spot(i int) orb.Point {
	if t.inside == nil {
		return t.spots[i]
	}
	return t.position(i%t.width, i/t.width)
}

// describePart measures a group of samples.
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
		Where:  t.direction(middle),
		Center: api.Point{Lat: middle.Lat(), Lng: math.Remainder(middle.Lon(), 360)},
	}
	if t.inside != nil {
		g.Outline = c.outline(group)
	}
	return g
}

// direction returns where a position is in the target, such as "in the north-east".
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

// outline returns the outer boundary of adjacent samples of an area.
func (c *coverage) outline(group []int) []api.Point {
	t := c.target
	isMember := make(map[int]bool, len(group))
	for _, i := range group {
		isMember[i] = true
	}
	// Walk around the group with it on the left, starting below its lowest sample.
	start := slices.Min(group)
	ring := orb.Ring{}
	x, y := start%t.width, start/t.width // lower left corner of the start
	dx, dy := 1, 0
	has := func(column, row int) bool {
		isInside := column >= 0 && row >= 0 && column < t.width && row < t.height
		return isInside && isMember[row*t.width+column]
	}
	// beside reports whether the sample to the left (1) or to the right (-1) of the next edge is a member.
	beside := func(sign int) bool {
		column, row := x, y
		if dx < 0 || dy > 0 && sign > 0 || dy < 0 && sign < 0 {
			column--
		}
		if dy < 0 || dx < 0 && sign > 0 || dx > 0 && sign < 0 {
			row--
		}
		return has(column, row)
	}
	startX, startY := x, y
	for range 4*len(group) + 4 {
		ring = append(ring, orb.Point{
			t.origin.Lon() + float64(x)*t.step.Lon(),
			t.origin.Lat() + float64(y)*t.step.Lat(),
		})
		x += dx
		y += dy
		if x == startX && y == startY {
			break
		}
		if !beside(1) { // the group ends to the left: turn left
			dx, dy = -dy, dx
		} else if beside(-1) { // the group continues to the right: turn right
			dx, dy = dy, -dx
		}
	}
	ring = append(ring, ring[0])
	bound := t.shape.Bound()
	side := max(bound.Max.Lon()-bound.Min.Lon(), bound.Max.Lat()-bound.Min.Lat())
	tolerance := max(t.step.Lon(), t.step.Lat(), side/outlineSteps)
	reduced := simplify.DouglasPeucker(tolerance).Ring(ring)
	points := make([]api.Point, len(reduced))
	for i, p := range reduced {
		points[i] = api.Point{Lat: p.Lat(), Lng: math.Remainder(p.Lon(), 360)}
	}
	return points
}
