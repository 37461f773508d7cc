package ordering

import (
	"math"
	"testing"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv"
)

func square(x, y float64) orb.Polygon {
	return orb.Polygon{{{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}, {x, y}}}
}

func TestLinesAreJoinedAtTheirNearestEnds(t *testing.T) {
	a, b, c := orb.LineString{{1, 0}, {0, 0}}, orb.LineString{{1, 0}, {2, 0}}, orb.LineString{{3, 0}, {2.001, 0}}
	line, gap := JoinLines([]orb.LineString{a, b, c})
	if len(line) != 5 || line[0] != (orb.Point{0, 0}) && line[0] != (orb.Point{3, 0}) || gap < 110 || gap > 112 {
		t.Errorf("%v, gap %v", line, gap)
	}
	if a[0] != (orb.Point{1, 0}) || c[0] != (orb.Point{3, 0}) {
		t.Error("the lines themselves were turned")
	}
}

func TestAreasThatShareEdgesBecomeOne(t *testing.T) {
	turned := orb.Polygon{{{1, 0}, {1, 1}, {2, 1}, {2, 0}, {1, 0}}} // clockwise
	one, ok := JoinAreas([]orb.Polygon{square(0, 0), turned, square(0, 1)})
	if want := 3 * kmlcsv.AreaOf(square(0, 0)); !ok || len(one) != 1 || math.Abs(kmlcsv.AreaOf(one)-want) > want/1000 {
		t.Errorf("%v, %v", one, ok)
	}
	var round []orb.Polygon
	for i := range 9 {
		if i != 4 {
			round = append(round, square(float64(i%3), float64(i/3)))
		}
	}
	if ring, ok := JoinAreas(round); !ok || len(ring) != 2 {
		t.Errorf("eight round a ninth are %v, %v, want a boundary with a hole", ring, ok)
	}
	for name, apart := range map[string][]orb.Polygon{
		"apart": {square(0, 0), square(5, 0)}, "in a corner": {square(0, 0), square(1, 1)},
	} {
		if one, ok := JoinAreas(apart); ok {
			t.Errorf("%s: %v", name, one)
		}
	}
}

func TestTheHullContainsAllPoints(t *testing.T) {
	points := []orb.Point{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5, 0.5}, {0.5, 0}}
	if h := hullOf(points); len(h[0]) != 5 || math.Abs(kmlcsv.AreaOf(h)-kmlcsv.AreaOf(square(0, 0))) > 1 {
		t.Errorf("%v", h)
	}
	if h := hullOf([]orb.Point{{179.5, 0}, {-179.5, 0}, {-179.5, 1}, {179.5, 1}}); math.Abs(kmlcsv.AreaOf(h)-kmlcsv.AreaOf(square(0, 0))) > 1e7 {
		t.Errorf("across the antimeridian it is %v", h)
	}
	if h := hullOf([]orb.Point{{0, 0}, {0, 1}, {0, 2}}); h != nil {
		t.Errorf("of points on a line it is %v", h)
	}
}

func TestALineIsCutAtItsPoints(t *testing.T) {
	line := orb.LineString{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {4.1, 0}}
	for n, want := range map[int][]int{1: {6}, 2: {4, 3}, 3: {3, 2, 3}, 5: {2, 2, 2, 2, 2}, 99: {2, 2, 2, 2, 2}} {
		parts := CutLine(line, n)
		sum := 0.0
		for i, p := range parts {
			sum += kmlcsv.LengthOf(p)
			if len(parts) == len(want) && len(p) != want[i] {
				t.Errorf("%d: part %d has %d points", n, i, len(p))
			}
			if i > 0 && p[0] != parts[i-1][len(parts[i-1])-1] {
				t.Errorf("%d: part %d does not begin where the one before ends", n, i)
			}
		}
		if len(parts) != len(want) || math.Abs(sum-kmlcsv.LengthOf(line)) > 1e-6 {
			t.Errorf("%d: %v", n, parts)
		}
	}
}
