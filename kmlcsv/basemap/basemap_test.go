package basemap_test

import (
	"math"
	"sync"
	"testing"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/basemap"
)

// nearest returns the distance in degrees from p to the nearest line of a kind.
func nearest(level basemap.Level, kind basemap.Kind, p orb.Point) float64 {
	best := math.Inf(1)
	for _, l := range basemap.Lines(level) {
		if l.Kind != kind {
			continue
		}
		for _, q := range l.Points {
			best = min(best, math.Hypot(p[0]-q[0], p[1]-q[1]))
		}
	}
	return best
}

func TestKnownCoastsAndBordersExist(t *testing.T) {
	for _, c := range []struct {
		name string
		kind basemap.Kind
		at   orb.Point
	}{
		{"Land's End", basemap.Coast, orb.Point{-5.71, 50.07}},
		{"Cape Agulhas", basemap.Coast, orb.Point{20.0, -34.83}},
		{"Rhine at Strasbourg", basemap.Border, orb.Point{7.80, 48.58}},
		{"Finland and Russia", basemap.Border, orb.Point{31.58, 62.91}},
	} {
		if d := nearest(basemap.Region, c.kind, c.at); d > 0.25 {
			t.Errorf("%s: nearest point of 1:50 million is %.2f° away", c.name, d)
		}
		if d := nearest(basemap.World, c.kind, c.at); d > 1.5 {
			t.Errorf("%s: nearest point of 1:110 million is %.2f° away", c.name, d)
		}
	}
	if d := nearest(basemap.Region, basemap.Border, orb.Point{-30, 40}); d < 5 {
		t.Errorf("a border in mid-Atlantic, %.2f° away", d)
	}
}

func TestNeighbouringPointsAreClose(t *testing.T) {
	for level := basemap.World; level <= basemap.Region; level++ {
		across := 0
		for i, l := range basemap.Lines(level) {
			if len(l.Points) < 2 || l.Bound != l.Points.Bound() {
				t.Fatalf("level %d line %d: %d points, bound %v", level, i, len(l.Points), l.Bound)
			}
			if l.Bound.Max[0] > 180.01 || l.Bound.Min[0] < -180.01 {
				across++
			}
			if l.Bound.Min[1] < -89.9 || l.Bound.Max[1] > 84 {
				t.Errorf("level %d line %d reaches a pole: %v", level, i, l.Bound)
			}
			for j, p := range l.Points[1:] {
				if q := l.Points[j]; math.Abs(p[0]-q[0]) > 20 || math.Abs(p[0]) > 180 && math.Abs(p[0]) == math.Abs(q[0]) && p[1] == q[1] {
					t.Errorf("level %d line %d jumps from %v to %v", level, i, q, p)
				}
			}
		}
		if across == 0 {
			t.Errorf("level %d: no line crosses the antimeridian; Chukotka's and Antarctica's do", level)
		}
	}
}

func TestSizeAndDetail(t *testing.T) {
	points := func(level basemap.Level) (n int) {
		for _, l := range basemap.Lines(level) {
			n += len(l.Points)
		}
		return n
	}
	if n := points(basemap.World); n < 5_000 || n > 9_000 {
		t.Errorf("1:110 million has %d points", n)
	}
	if n := points(basemap.Region); n < 60_000 || n > 90_000 {
		t.Errorf("1:50 million has %d points", n)
	}
	if len(basemap.Lines(200)) != len(basemap.Lines(basemap.Region)) {
		t.Error("a level beyond the last is not the last")
	}
}

func TestConcurrentFirstUse(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if len(basemap.Lines(basemap.Level(i%2))) == 0 {
				t.Error("no lines")
			}
		})
	}
	wg.Wait()
}
