package geomap_test

import (
	"os"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/paulmach/orb"

	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
)

func TestMain(m *testing.M) {
	geomap.PreloadPlaces()
	os.Exit(m.Run())
}

// TestFrames compares maps with their golden text; run it with -update to write them.
func TestFrames(t *testing.T) {
	for _, c := range []struct {
		name  string
		w, h  int
		build func(m *geomap.Model)
	}{
		{"world 60x18", 60, 18, func(*geomap.Model) {}},
		{"world 80x24", 80, 24, func(*geomap.Model) {}},
		{"world 140x40", 140, 40, func(*geomap.Model) {}},
		{"world 200x60", 200, 60, func(*geomap.Model) {}},
		{"sites 60x18", 60, 18, func(m *geomap.Model) { m.SetFeatures(sites()) }},
		{"sites 80x24", 80, 24, func(m *geomap.Model) { m.SetFeatures(sites()); m.SetSelected("road") }},
		{"sites 140x40", 140, 40, func(m *geomap.Model) { m.SetFeatures(sites()); m.SetSelected("km3") }},
		{"sites 200x60", 200, 60, func(m *geomap.Model) { m.SetFeatures(sites()); m.SetSelected("pump") }},
		{"sites tiny", 20, 6, func(m *geomap.Model) { m.SetFeatures(sites()); m.SetSelected("km3") }},
		{"overview", 80, 24, func(m *geomap.Model) { m.SetFeatures(sites()); m.SetSelected("gate"); zoomOut(m, 11) }},
		{"site", 80, 24, func(m *geomap.Model) { m.SetFeatures(sites()); m.SetSelected("km4"); m.FitSelected() }},
		{"blocks", 80, 24, func(m *geomap.Model) { m.SetFeatures(sites()); m.Glyphs = geomap.Blocks; zoomOut(m, 11) }},
		{"ascii", 80, 24, func(m *geomap.Model) { m.SetFeatures(sites()); m.Glyphs = geomap.ASCII; m.SetSelected("km3") }},
		{"graticule", 80, 24, func(m *geomap.Model) { m.Graticule = true }},
		{"graticule near", 80, 24, func(m *geomap.Model) { m.Graticule = true; m.SetFeatures(sites()) }},
		{"orders", 58, 20, func(m *geomap.Model) { m.SetFeatures(orders()); m.SetSelected("freising") }},
		{"fiji", 80, 24, func(m *geomap.Model) {
			m.SetFeatures([]geomap.Feature{{ID: "f", Label: "Reefs", Geometry: orb.LineString{
				{177.3, -18.2}, {178.7, -18.3}, {-179.9, -16.4},
			}}})
		}},
		{"antarctica", 80, 36, func(m *geomap.Model) { m.SetFeatures(antarctica()) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := geomap.New()
			m.View(c.w, c.h)
			c.build(m)
			view := m.View(c.w, c.h)
			requireRectangle(t, view, c.w, c.h)
			golden.RequireEqual(t, view+"\n")
		})
	}
}

func zoomOut(m *geomap.Model, steps int) {
	for range steps {
		m.Zoom(1 / 1.5)
	}
}

// orders returns sites all over Germany, two of them next to each other.
func orders() []geomap.Feature {
	return []geomap.Feature{
		{ID: "elbe", Label: "Elbe levee", Geometry: orb.Point{9.4, 53.6}, Mark: '◆', Role: theme.Attention},
		{ID: "maas", Label: "Maasvlakte", Geometry: orb.Point{4.02, 51.96}, Mark: '◕', Role: theme.Good},
		{ID: "freising", Label: "Freising", Geometry: orb.Point{11.75, 48.4}, Mark: '◔', Role: theme.InProgress},
		{ID: "wien", Label: "Wien Lobau", Geometry: orb.Point{16.5, 48.18}, Mark: '◌', Role: theme.Pending},
		{ID: "tegel a", Label: "Tegel A", Geometry: orb.Point{13.29, 52.55}, Mark: '◎', Role: theme.InProgress},
		{ID: "tegel b", Label: "Tegel B", Geometry: orb.Point{13.28, 52.55}, Mark: '◎', Role: theme.InProgress},
		{ID: "harz", Label: "Harz forest", Geometry: orb.Point{10.6, 51.8}, Mark: '✗', Role: theme.Bad},
	}
}

func antarctica() []geomap.Feature {
	return []geomap.Feature{
		{ID: "v", Label: "Vostok", Geometry: orb.Point{106.8, -78.46}},
		{ID: "r", Label: "Rothera", Geometry: orb.Point{-68.1, -67.57}},
		{ID: "m", Label: "Mawson", Geometry: orb.Point{62.87, -67.6}},
		{ID: "s", Label: "Scott Base", Geometry: orb.Point{166.77, -77.85}},
	}
}
