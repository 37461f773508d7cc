package kmlcsv

import (
	"runtime"
	"testing"

	"github.com/paulmach/orb"
)

// TestBoxedGeometries proves what boxed relies on: that the interfaces are in
// nothing different from converted values, and keep what they point to alive.
func TestBoxedGeometries(t *testing.T) {
	var b boxer
	boxes := make([]orb.Geometry, 0, 30_000)
	for i := range 10_000 {
		p := orb.Point{float64(i), -float64(i)}
		boxes = append(boxes, b.point(&p), b.line(orb.LineString{p, {1, 2}}), b.polygon(orb.Polygon{{p, {1, 2}, {3, 4}, p}}))
		if i%1000 == 0 {
			runtime.GC()
		}
	}
	runtime.GC()
	for i := range 10_000 {
		p := orb.Point{float64(i), -float64(i)}
		for k, want := range []orb.Geometry{p, orb.LineString{p, {1, 2}}, orb.Polygon{{p, {1, 2}, {3, 4}, p}}} {
			got := boxes[3*i+k]
			if !orb.Equal(got, want) || got.GeoJSONType() != want.GeoJSONType() {
				t.Fatalf("%T %v, want %T %v", got, got, want, want)
			}
		}
		if boxes[3*i] != orb.Geometry(p) {
			t.Fatalf("%v is not equal to %v as an interface", boxes[3*i], p)
		}
	}
	if likePoint != orb.Geometry(orb.Point{}) || likeLine.(orb.LineString) != nil || likePolygon.(orb.Polygon) != nil {
		t.Error("boxing changed the models that it copies")
	}
}
