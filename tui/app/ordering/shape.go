package ordering

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/shape"
)

// shapeAs returns points as the geometry of a mission of type t: a polygon for an area, a point or several
// points for an asset, or otherwise a line. It returns nil without points.
func shapeAs(t api.MissionType, points []orb.Point) orb.Geometry {
	if len(points) == 0 {
		return nil
	}
	if t == api.MissionArea && len(points) > 2 {
		return orb.Polygon{append(slices.Clone(orb.Ring(points)), points[0])}
	}
	if len(points) == 1 {
		return points[0]
	}
	if t == api.MissionAsset {
		return orb.MultiPoint(points)
	}
	return orb.LineString(points)
}

// MissionShape returns the geometry of a mission with the type t and the given points, which the API calls
// locationMap. It returns nil without points.
func MissionShape(t api.MissionType, points []api.Point) orb.Geometry {
	line := make([]orb.Point, len(points))
	for i, p := range points {
		line[i] = orb.Point{p.Lng, p.Lat}
	}
	return shapeAs(t, line)
}

// ShapeOf returns the geometry of the site, converted if the user has chosen another mission type, for
// instance from an area to a line.
func (s *Site) ShapeOf() orb.Geometry {
	if s.toPlacemark().Kind() == kmlcsv.Kind(s.Type) {
		return s.Geometry
	}
	return shapeAs(s.Type, s.Points())
}

// JoinLines joins lines at their nearest ends, reversing them if necessary. It also returns the
// longest gap between two lines in metres.
func JoinLines(lines []orb.LineString) (joined orb.LineString, gap float64) {
	left := slices.Clone(lines[1:])
	joined = lines[0]
	for len(left) > 0 {
		nearest := findJoin(joined, left[0])
		nearestIndex := 0
		for i := 1; i < len(left); i++ {
			join := findJoin(joined, left[i])
			if join.gap < nearest.gap {
				nearest = join
				nearestIndex = i
			}
		}
		joined = joinTwo(nearest.first, nearest.second)
		gap = max(gap, nearest.gap)
		left = slices.Delete(left, nearestIndex, nearestIndex+1)
	}
	return joined, gap
}

// lineJoin is a way to join two lines.
type lineJoin struct {
	first, second orb.LineString
	gap           float64
}

// findJoin returns the way to join two lines with the smallest gap.
func findJoin(a, b orb.LineString) lineJoin {
	reversed := b.Clone()
	reversed.Reverse()
	joins := []lineJoin{
		{first: a, second: b},
		{first: reversed, second: a},
		{first: a, second: reversed},
		{first: b, second: a},
	}
	for i := range joins {
		joins[i].gap = planeDistance(joins[i].first[len(joins[i].first)-1], joins[i].second[0])
	}
	return slices.MinFunc(joins, func(x, y lineJoin) int { return cmp.Compare(x.gap, y.gap) })
}

func planeDistance(a, b orb.Point) float64 { return kmlcsv.LengthOf(orb.LineString{a, b}) }

// joinTwo appends a line to another without repeating a shared point.
func joinTwo(a, b orb.LineString) orb.LineString {
	if a[len(a)-1] == b[0] {
		b = b[1:]
	}
	return slices.Concat(a, b)
}

// roundedCorner is the position of a corner, rounded to about 0.1 millimetres so that corners of adjacent
// areas are equal.
type roundedCorner [2]int64

func spotOf(p orb.Point) roundedCorner {
	return roundedCorner{int64(math.Round(p[0] * 1e9)), int64(math.Round(p[1] * 1e9))}
}

// boundaryEdge is a directed edge of a boundary.
type boundaryEdge struct{ from, to roundedCorner }

// sharedOutline collects the edges of adjacent areas that are not shared by two areas. Together they are
// the outline of the joined area. The value is the exact point at which the edge begins.
type sharedOutline map[boundaryEdge]orb.Point

// addBoundary adds the edges of a boundary. If o already has the same edge in the other direction, two
// areas meet at this edge. It is then inside the joined area, so that addBoundary removes it from o.
func (o sharedOutline) addBoundary(boundary orb.Ring) {
	ring := boundary.Clone()
	if ring.Orientation() == orb.CW {
		ring.Reverse()
	}
	for i := 1; i < len(ring); i++ {
		from := spotOf(ring[i-1])
		to := spotOf(ring[i])
		if _, inside := o[boundaryEdge{to, from}]; inside {
			delete(o, boundaryEdge{to, from})
		} else if from != to {
			o[boundaryEdge{from, to}] = ring[i-1]
		}
	}
}

// traceRings connects the edges to closed rings. It returns false if two rings touch in a corner, because
// it is then ambiguous which edges belong together.
func (o sharedOutline) traceRings(areas []orb.Polygon) (rings []orb.Ring, ok bool) {
	next := map[roundedCorner]roundedCorner{}
	for e := range o {
		if _, isShared := next[e.from]; isShared {
			return nil, false
		}
		next[e.from] = e.to
	}
	for _, area := range areas {
		for _, corner := range area[0] {
			if ring := o.traceRing(spotOf(corner), next); ring != nil {
				rings = append(rings, ring)
			}
		}
	}
	return rings, true
}

// traceRing follows the edges from a corner and returns them as a closed ring, or nil if no edge begins at
// the corner. The map next has the end of the edge that begins at a corner; traceRing deletes the edges
// that it follows.
func (o sharedOutline) traceRing(corner roundedCorner, next map[roundedCorner]roundedCorner) orb.Ring {
	var ring orb.Ring
	for {
		following, ok := next[corner]
		if !ok {
			break
		}
		ring = append(ring, o[boundaryEdge{corner, following}])
		delete(next, corner)
		corner = following
	}
	if ring == nil {
		return nil
	}
	return append(ring, ring[0])
}

// JoinAreas joins areas that share edges into one area. It returns false if the result is not a
// single area.
func JoinAreas(areas []orb.Polygon) (orb.Polygon, bool) {
	outline := sharedOutline{}
	var holes []orb.Ring
	for _, area := range areas {
		outline.addBoundary(area[0])
		holes = append(holes, area[1:]...)
	}
	rings, ok := outline.traceRings(areas)
	if !ok {
		return nil, false
	}
	var boundaries []orb.Ring
	for _, ring := range rings {
		if ring.Orientation() == orb.CW {
			holes = append(holes, ring)
		} else {
			boundaries = append(boundaries, ring)
		}
	}
	if len(boundaries) != 1 {
		return nil, false
	}
	return append(orb.Polygon{boundaries[0]}, holes...), true
}

// hullOf returns the convex hull of points. It returns nil if there is none, for instance because all
// points are on one line.
func hullOf(points []orb.Point) orb.Polygon {
	hull, err := shape.Hull(points)
	if err != nil {
		return nil
	}
	return hull
}

// CutLine cuts a line at its points into n parts of similar length, or fewer if it has too few
// points.
func CutLine(line orb.LineString, n int) []orb.LineString {
	n = min(n, len(line)-1)
	var parts []orb.LineString
	start := 0
	length := 0.0
	total := kmlcsv.LengthOf(line)
	for i := 1; i < len(line); i++ {
		length += planeDistance(line[i-1], line[i])
		partsLeft := n - len(parts) - 1 // after the current part
		if partsLeft <= 0 {
			continue
		}
		isLongEnough := length >= total*float64(len(parts)+1)/float64(n)
		needsAllPoints := len(line)-1-i == partsLeft
		if isLongEnough || needsAllPoints {
			parts = append(parts, line[start:i+1:i+1])
			start = i
		}
	}
	return append(parts, line[start:])
}

// NewSiteFrom returns a new site with the given name and geometry. City and type are those of the first of
// sites, and the country is the first that one of them has.
func (d *Draft) NewSiteFrom(sites []*Site, name string, g orb.Geometry) *Site {
	s := &Site{
		ID:       d.nextID(),
		Name:     name,
		City:     sites[0].City,
		Type:     sites[0].Type,
		Geometry: g,
		In:       true,
	}
	for _, other := range sites {
		if s.Country == "" {
			s.Country = other.Country
		}
	}
	if len(sites) == 1 {
		s.Label = sites[0].Label
	}
	s.MeasureSize()
	return s
}

// NewShapedSite returns a new site like [Draft.NewSiteFrom], but with the mission type that fits the
// geometry.
func (d *Draft) NewShapedSite(sites []*Site, name string, g orb.Geometry) *Site {
	s := d.NewSiteFrom(sites, name, g)
	placemark := kmlcsv.NewPlacemark(name, g)
	s.Geometry = placemark.Geometry
	s.Type = api.MissionType(placemark.Kind())
	s.MeasureSize()
	return s
}

// CommonName returns the common beginning of the sites' names if it consists of whole
// words, otherwise the first name.
func CommonName(sites []*Site) string {
	common := sites[0].Name
	for _, s := range sites[1:] {
		n := 0
		for n < len(common) && n < len(s.Name) && common[n] == s.Name[n] {
			n++
		}
		common = common[:n]
	}
	cut := strings.LastIndexAny(common, " (-,")
	if common == sites[0].Name {
		cut = len(common)
	}
	if cut < 3 {
		return sites[0].Name
	}
	return strings.TrimRight(common[:cut], " (-,")
}

// MergedShape is the geometry of several merged sites.
type MergedShape struct {
	Geometry orb.Geometry // nil for areas that share no edges
	Gap      float64      // longest gap between joined lines in metres
	Hull     orb.Polygon  // convex hull of areas that share no edges, or nil if it would be empty
}

// MergeShapes merges the geometries of sites with the same type: points become one asset,
// lines are joined at their nearest ends, and areas that share edges become one area.
func MergeShapes(sites []*Site) MergedShape {
	var lines []orb.LineString
	var points orb.MultiPoint
	for _, s := range sites {
		lines = append(lines, s.Points())
		points = append(points, s.Points()...)
	}
	switch sites[0].Type {
	case api.MissionArea:
		area, ok := joinSites(sites)
		if !ok {
			return MergedShape{Hull: hullOf(points)}
		}
		return MergedShape{Geometry: area}
	case api.MissionLinear:
		line, gap := JoinLines(lines)
		return MergedShape{Geometry: line, Gap: gap}
	default:
		return MergedShape{Geometry: points}
	}
}

// joinSites joins the areas of sites into one area. It returns false if that is not possible, or if
// a site is not an area.
func joinSites(sites []*Site) (orb.Polygon, bool) {
	var areas []orb.Polygon
	for _, s := range sites {
		area, ok := s.ShapeOf().(orb.Polygon)
		if !ok {
			return nil, false
		}
		areas = append(areas, area)
	}
	return JoinAreas(areas)
}

// Limits of the search for the nearest site.
const (
	maxNeighbours = 200 // earlier sites that a site is compared with
	maxCorners    = 300 // points of a site that are compared
)

// LargestGap returns the longest distance, in metres, from a site to the nearest of the sites
// before it. It compares the corners of the sites, not their edges.
func LargestGap(sites []*Site) float64 {
	gap := 0.0
	for i := 1; i < len(sites); i++ {
		nearest := math.Inf(1)
		for _, other := range sites[max(0, i-maxNeighbours):i] {
			nearest = min(nearest, siteDistance(sites[i], other))
		}
		gap = max(gap, nearest)
	}
	return gap
}

// siteDistance returns the shortest distance in metres between a corner of a and a corner of b.
func siteDistance(a, b *Site) float64 {
	shortest := math.Inf(1)
	for _, p := range someOf(a.Points()) {
		for _, q := range someOf(b.Points()) {
			shortest = min(shortest, planeDistance(p, q))
		}
	}
	return shortest
}

// someOf returns at most maxCorners of the points, evenly spread, to limit the number of comparisons.
func someOf(points []orb.Point) []orb.Point {
	if len(points) <= maxCorners {
		return points
	}
	spread := make([]orb.Point, maxCorners)
	for i := range spread {
		spread[i] = points[i*len(points)/maxCorners]
	}
	return spread
}

// SitePlacemarks returns sites as placemarks to write to a file. Sites without a geometry are
// left out; an asset of several points becomes a placemark for each of them.
func SitePlacemarks(sites []*Site) []kmlcsv.Placemark {
	var all []kmlcsv.Placemark
	add := func(s *Site, name string, g orb.Geometry) {
		p := kmlcsv.NewPlacemark(name, g)
		p.Country = s.Country
		p.City = s.City
		all = append(all, p)
	}
	for _, s := range sites {
		points, isSeveral := s.ShapeOf().(orb.MultiPoint)
		if s.Geometry == nil {
			continue
		}
		if !isSeveral {
			add(s, s.Name, s.ShapeOf())
		}
		for i, p := range points {
			add(s, fmt.Sprintf("%s (%d)", s.Name, i+1), p)
		}
	}
	return all
}

// ReplaceSites removes the old sites and inserts the replacements at the position of the first old site.
func (d *Draft) ReplaceSites(old, replacements []*Site) {
	index := max(0, slices.Index(d.Sites, old[0]))
	d.Sites = slices.Insert(slices.Clone(d.Sites), index, replacements...)
	d.RemoveSites(old)
}
