package main

import (
	"slices"
	"testing"
)

// Two countries side by side: arc 0 is the border, arcs 1 and 2 are coasts.
const twoCountries = `{
  "transform": {"scale": [0.01, 0.01], "translate": [10, 50]},
  "arcs": [[[100,0],[0,100]], [[100,100],[-100,0],[0,-100],[100,0]], [[100,0],[100,0],[0,100],[-100,0]]],
  "objects": {"countries": {"geometries": [
    {"type": "Polygon", "arcs": [[0, 1]]},
    {"type": "MultiPolygon", "arcs": [[[2, -1]]]}]}}}`

func TestSharedArcsAreBorders(t *testing.T) {
	lines := readLines([]byte(twoCountries))
	var borders []bool
	for _, l := range lines {
		borders = append(borders, l.border)
	}
	if !slices.Equal(borders, []bool{true, false, false}) {
		t.Errorf("borders are %v", borders)
	}
	if want := []point{{1100, 5000}, {1100, 5100}}; !slices.Equal(lines[0].points, want) {
		t.Errorf("the border is %v, want %v", lines[0].points, want)
	}
	if got := encodeLines(lines[:1]); !slices.Equal(got, []byte{1, 2<<1 | 1, 0x98, 0x11, 0x90, 0x4e, 0, 0xc8, 1}) {
		t.Errorf("encoded as % x", got)
	}
}

func TestArcsContinueBeyondTheAntimeridianAndHaveNoSeams(t *testing.T) {
	got := cutArc([][2]float64{{179, 0}, {-179, 1}, {-178, 1}, {-178, 1.001}})
	if len(got) != 1 || !slices.Equal(got[0], []point{{17900, 0}, {18100, 100}, {18200, 100}}) {
		t.Errorf("across the antimeridian: %v", got)
	}
	got = cutArc([][2]float64{{178, 0}, {180, 1}, {-180, 2}, {-179, 2}})
	if len(got) != 2 || got[1][0] != (point{-18000, 200}) {
		t.Errorf("along the antimeridian: %v", got)
	}
	if got = cutArc([][2]float64{{0, -70}, {0, -90}, {10, -90}}); len(got) != 0 {
		t.Errorf("to the pole: %v", got)
	}
}
