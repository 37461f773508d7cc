package deliveries

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/widget/geomap"
)

// featuresMost is how many features of a GeoJSON are drawn.
const featuresMost = 2000

// geoSummary is a GeoJSON as it is looked at.
type geoSummary struct {
	features []geomap.Feature
	lines    []string
}

// geoJSON is a document, a feature or a geometry: whichever it is, it has some
// of these.
type geoJSON struct {
	Type        string                     `json:"type"`
	Features    []geoJSON                  `json:"features"`
	Geometry    *geoJSON                   `json:"geometry"`
	Geometries  []geoJSON                  `json:"geometries"`
	Coordinates json.RawMessage            `json:"coordinates"`
	Properties  map[string]json.RawMessage `json:"properties"`
}

func seeGeo(f io.Reader) (*fileView, error) {
	text, cut, err := readStart(f, geoMost)
	switch {
	case err != nil:
		return nil, err
	case cut:
		return nil, fmt.Errorf("too large to preview (maximum %s); press o to open the file", format.Bytes(geoMost))
	}
	var doc geoJSON
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("not valid GeoJSON: %s", layout.Clean(err.Error()))
	}
	all := doc.Features
	if doc.Type != "FeatureCollection" {
		all = []geoJSON{doc}
	}
	g, kinds, names := &geoSummary{}, map[string]int{}, map[string]bool{}
	for i := range all {
		geometry := all[i].Geometry
		if geometry == nil && all[i].Type != "Feature" {
			geometry = &all[i]
		}
		if geometry == nil {
			continue
		}
		kinds[geometry.Type]++
		for name := range all[i].Properties {
			names[name] = true
		}
		if shape := geometry.toGeometry(); shape != nil && len(g.features) < featuresMost {
			g.features = append(g.features, geomap.Feature{ID: fmt.Sprint(i), Geometry: shape})
		}
	}
	if len(g.features) == 0 {
		return nil, errors.New("no geometry to draw")
	}
	g.describeFeatures(kinds, names)
	about := format.Count(len(all), "feature", "features")
	if len(all) > featuresMost {
		about += fmt.Sprintf(", the first %d drawn", featuresMost)
	}
	return &fileView{geo: g, about: about}, nil
}

// describeFeatures writes what the features are.
func (g *geoSummary) describeFeatures(kinds map[string]int, names map[string]bool) {
	parts := make([]string, 0, len(kinds))
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		parts = append(parts, fmt.Sprintf("%s %d", kind, kinds[kind]))
	}
	g.lines = []string{strings.Join(parts, " · ")}
	if len(names) > 0 {
		g.lines = append(g.lines, "with "+strings.Join(slices.Sorted(maps.Keys(names)), ", "))
	}
}

// toGeometry returns what a geometry draws as, nil where it cannot be read.
func (g *geoJSON) toGeometry() orb.Geometry {
	switch g.Type {
	case "Point":
		return readGeometry(g, func(p []float64) orb.Geometry { return toPoint(p) })
	case "MultiPoint":
		return readGeometry(g, func(p [][]float64) orb.Geometry { return orb.MultiPoint(toPoints(p)) })
	case "LineString":
		return readGeometry(g, func(p [][]float64) orb.Geometry { return orb.LineString(toPoints(p)) })
	case "MultiLineString":
		return readGeometry(g, func(lines [][][]float64) orb.Geometry {
			var all orb.MultiLineString
			for _, l := range lines {
				all = append(all, toPoints(l))
			}
			return all
		})
	case "Polygon":
		return readGeometry(g, func(rings [][][]float64) orb.Geometry { return toPolygon(rings) })
	case "MultiPolygon":
		return readGeometry(g, func(polygons [][][][]float64) orb.Geometry {
			var all orb.MultiPolygon
			for _, p := range polygons {
				all = append(all, toPolygon(p))
			}
			return all
		})
	case "GeometryCollection":
		var all orb.Collection
		for i := range g.Geometries {
			if one := g.Geometries[i].toGeometry(); one != nil {
				all = append(all, one)
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

// readGeometry reads coordinates of a depth.
func readGeometry[T any](g *geoJSON, make func(T) orb.Geometry) orb.Geometry {
	var coordinates T
	if json.Unmarshal(g.Coordinates, &coordinates) != nil {
		return nil
	}
	shape := make(coordinates)
	if isEmptyShape(shape) {
		return nil
	}
	return shape
}

// isEmptyShape reports whether there is nothing to draw of a geometry, or of a part.
func isEmptyShape(shape orb.Geometry) bool {
	switch s := shape.(type) {
	case orb.MultiPoint:
		return len(s) == 0
	case orb.LineString:
		return len(s) == 0
	case orb.Polygon:
		return len(s) == 0
	case orb.MultiLineString:
		return len(s) == 0 || slices.ContainsFunc(s, func(l orb.LineString) bool { return len(l) == 0 })
	case orb.MultiPolygon:
		return len(s) == 0 || slices.ContainsFunc(s, func(p orb.Polygon) bool { return len(p) == 0 })
	}
	return false
}

func toPoint(p []float64) orb.Point {
	if len(p) < 2 {
		return orb.Point{}
	}
	return orb.Point{p[0], p[1]}
}

func toPoints(list [][]float64) []orb.Point {
	all := make([]orb.Point, 0, len(list))
	for _, p := range list {
		if len(p) >= 2 {
			all = append(all, toPoint(p))
		}
	}
	return all
}

func toPolygon(rings [][][]float64) orb.Polygon {
	var all orb.Polygon
	for _, r := range rings {
		if ring := toPoints(r); len(ring) > 2 {
			all = append(all, ring)
		}
	}
	return all
}
