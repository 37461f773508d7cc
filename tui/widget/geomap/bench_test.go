package geomap_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/paulmach/orb"

	"flightdesk/tui/widget/geomap"
)

// fields returns polygons in Germany with a number of vertices.
func fields(n, vertices int, size float64) []geomap.Feature {
	r := rand.New(rand.NewPCG(3, 4))
	out := make([]geomap.Feature, n)
	for i := range out {
		x, y := 6+9*r.Float64(), 47.5+7*r.Float64()
		ring := make(orb.Ring, vertices+1)
		for k := range vertices {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(vertices))
			d := size * (0.95 + 0.05*r.Float64())
			ring[k] = orb.Point{x + d*cos*1.5, y + d*sin}
		}
		ring[vertices] = ring[0]
		out[i] = geomap.Feature{ID: fmt.Sprint(i), Label: fmt.Sprint("Field ", i), Geometry: orb.Polygon{ring}}
	}
	return out
}

// BenchmarkView draws a frame of 200 by 60 cells.
func BenchmarkView(b *testing.B) {
	for _, c := range []struct {
		name string
		size float64
		zoom float64
	}{{"marks", 0.005, 1}, {"outlines", 0.2, 1}, {"overlapping", 1, 1}, {"near", 0.08, 4}, {"world", 0.08, 0.02}} {
		b.Run(c.name, func(b *testing.B) {
			m := geomap.New()
			m.SetTheme(colours())
			m.SetFeatures(fields(2000, 60, c.size))
			m.View(200, 60)
			m.Zoom(c.zoom)
			b.ReportAllocs()
			for b.Loop() {
				m.Pan(0.001, 0)
				m.View(200, 60)
			}
		})
	}
}

// BenchmarkUnchanged returns a cached frame.
func BenchmarkUnchanged(b *testing.B) {
	m := geomap.New()
	m.SetFeatures(fields(2000, 60, 0.08))
	for b.Loop() {
		m.View(200, 60)
	}
}

// BenchmarkSelect selects many features in turn.
func BenchmarkSelect(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := geomap.New()
			m.SetFeatures(fields(n, 60, 0.01))
			m.View(140, 40)
			b.ReportAllocs()
			for b.Loop() {
				m.SelectNext(1)
				m.View(140, 40)
			}
		})
	}
}
