package ordering

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/api"
)

// NewSiteFrom returns a site made of others, with what they have in common.
func (d *Draft) NewSiteFrom(of []*Site, name string, g orb.Geometry) *Site {
	s := &Site{
		ID:       d.nextID(),
		Name:     name,
		City:     of[0].City,
		Type:     of[0].Type,
		Geometry: g,
		In:       true,
	}
	for _, other := range of {
		s.Country = cmp.Or(s.Country, other.Country)
	}
	if len(of) == 1 {
		s.Label = of[0].Label
	}
	s.MeasureSize()
	return s
}

// CommonName returns what names have in common at their beginning, as long as that
// is whole words; else the first one.
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

// ErrApart says that areas share no edge, so that only a boundary round all of
// them makes them one.
var ErrApart = errors.New("the areas share no edge")

// MergedShape is the shape of several sites together.
type MergedShape struct {
	Geometry orb.Geometry
	Gap      float64     // the longest gap between lines that was bridged, in metres
	Hull     orb.Polygon // with [ErrApart]: the boundary round all areas, nil where they enclose nothing
}

// MergeShapes makes one shape of several sites of one type: points are one
// asset, lines are joined at their nearest ends, areas that share edges have one
// boundary.
func MergeShapes(sites []*Site) (m MergedShape, err error) {
	switch sites[0].Type {
	case api.MissionArea:
		return mergeAreas(sites)
	case api.MissionLinear:
		lines := make([]orb.LineString, 0, len(sites))
		for _, s := range sites {
			lines = append(lines, orb.LineString(s.Points()))
		}
		m.Geometry, m.Gap = JoinLines(lines)
	default:
		var points orb.MultiPoint
		for _, s := range sites {
			points = append(points, s.Points()...)
		}
		m.Geometry = points
	}
	return m, nil
}

func mergeAreas(sites []*Site) (MergedShape, error) {
	areas := make([]orb.Polygon, 0, len(sites))
	var points []orb.Point
	for _, s := range sites {
		area, ok := s.ShapeOf().(orb.Polygon)
		if !ok {
			return MergedShape{}, errors.New(s.Name + " has no boundary")
		}
		areas, points = append(areas, area), append(points, area[0]...)
	}
	one, ok := JoinAreas(areas)
	if !ok {
		return MergedShape{Hull: ConvexHull(points)}, ErrApart
	}
	return MergedShape{Geometry: one}, nil
}

// ReplaceSites puts sites in the place of others.
func (d *Draft) ReplaceSites(old, with []*Site) {
	at := max(0, slices.Index(d.Sites, old[0]))
	d.Sites = slices.Insert(slices.Clone(d.Sites), at, with...)
	d.RemoveSites(old)
}
