package geomap_test

import (
	"fmt"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/tui/widget/geomap"
)

func Example() {
	m := geomap.New()
	m.SetFeatures([]geomap.Feature{
		{ID: "field", Label: "Field", Geometry: orb.Polygon{{{0, 0}, {0.02, 0}, {0.02, 0.01}, {0, 0.01}, {0, 0}}}},
		{ID: "gate", Label: "Gate", Geometry: orb.Point{0.03, 0}, Mark: '◎'},
	})
	m.Glyphs = geomap.ASCII
	m.SetSelected("field")
	for line := range strings.Lines(m.View(28, 6)) {
		fmt.Println(strings.TrimRight(line, " \n"))
	}
	if id, ok := m.FeatureAt(10, 2); ok {
		fmt.Println(id)
	}
	// Output:
	// |""""""""""""""+
	//   | . . . . . . .|
	//   |. . . . . . . |
	//   |______________+       @
	//  +-----+ 1 km
	// field
}
