package product

import (
	"math"
	"testing"

	"flightdesk/api"
)

// The coordinates are those of PROJ.
func TestCoordinatesAreThoseOfPROJ(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lat, lng    float64
		epsg        int
		east, north float64
	}{
		{50.9160, 6.9500, 32632, 355899.020627764, 5642485.25694759},
		{50.9160, 6.9500, 32631, 777625.049062503, 5647917.44321769},
		{-17.7308, 179.999, 32760, 818079.357233835, 8037060.44320729},
		{0.001, -179.9, 32601, 177163.806005183, 110.672734179368},
		{83.9, -45.5, 32623, 494068.144609041, 9316955.89028667},
		{-79.9, 33.3, 32736, 505873.237957639, 1129560.54002038},
		{84.5, 10, 5041, 2106113.16389029, 1398202.34280688},
		{-85, -120, 5042, 1518959.78834277, 1722271.30430866},
	} {
		f := Frame{EPSG: c.epsg, unit: [2]float64{1, 1}, centre: float64(c.epsg%100*6 - 183)}
		p := api.Point{Lat: c.lat, Lng: c.lng}
		x, y := f.Metres(p)
		if e, n := f.Coordinates(x, y); math.Hypot(e-c.east, n-c.north) > 1e-4 {
			t.Errorf("%v is at %.4f, %.4f in EPSG:%d, not %.4f, %.4f", p, e, n, c.epsg, c.east, c.north)
		}
		if back := f.Point(x, y); math.Abs(back.Lat-p.Lat) > 1e-9 || math.Abs(back.Lng-p.Lng) > 1e-9 {
			t.Errorf("%v comes back as %v", p, back)
		}
	}
}

func TestReferenceSystems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		points []api.Point
		epsg   int
	}{
		{"Cologne", []api.Point{{Lat: 50.9, Lng: 6.9}}, 32632},
		{"Hamburg to Bremen", []api.Point{{Lat: 53.5, Lng: 10}, {Lat: 53, Lng: 8.8}}, 32632},
		{"Fiji, across the antimeridian", []api.Point{{Lat: -16.8, Lng: 179.99}, {Lat: -16.8, Lng: -179.98}}, 32701},
		{"at the antimeridian", []api.Point{{Lat: 1, Lng: 180}}, 32660},
		{"at the antimeridian from the east", []api.Point{{Lat: 1, Lng: -180}}, 32601},
		{"at the equator", []api.Point{{Lat: 0, Lng: 33}}, 32636},
		{"the north pole", []api.Point{{Lat: 90, Lng: 0}}, 5041},
		{"around the south pole", []api.Point{{Lat: -89.9, Lng: 0}, {Lat: -89.9, Lng: 120}, {Lat: -89.9, Lng: -120}}, 5042},
		{"a continent", []api.Point{{Lat: 10, Lng: 0}, {Lat: 40, Lng: 30}}, 4326},
		{"both poles", []api.Point{{Lat: 90, Lng: 0}, {Lat: -90, Lng: 0}}, 4326},
	} {
		f := NewFrame(c.points)
		if f.EPSG != c.epsg {
			t.Errorf("%s is in EPSG:%d", c.name, f.EPSG)
		}
		for _, p := range c.points {
			back := f.Point(f.Metres(p))
			if off := math.Remainder(back.Lng-p.Lng, 360) * math.Cos(p.Lat*radian); math.Hypot(off, back.Lat-p.Lat) > 1e-8 {
				t.Errorf("%s: %v comes back as %v", c.name, p, back)
			}
			if back.Lng < -180 || back.Lng >= 180 {
				t.Errorf("%s: a longitude of %v", c.name, back.Lng)
			}
		}
	}
}

func ground(kind api.MissionType, metres ...[2]float64) *Ground {
	f := NewFrame([]api.Point{{Lat: 50.9, Lng: 6.9}})
	var points []api.Point
	for _, m := range metres {
		points = append(points, f.Point(m[0], m[1]))
	}
	return NewGround(kind, points)
}

func TestCoveredAreas(t *testing.T) {
	t.Parallel()
	disc := math.Pi * corridorHalf * corridorHalf
	for _, c := range []struct {
		name string
		g    *Ground
		area float64
	}{
		{"a square", ground(api.MissionArea, [2]float64{0, 0}, [2]float64{100, 0}, [2]float64{100, 100}, [2]float64{0, 100}), 10_000},
		{"an hourglass", ground(api.MissionArea, [2]float64{0, 0}, [2]float64{100, 100}, [2]float64{0, 100}, [2]float64{100, 0}), 5_000},
		{"a line", ground(api.MissionLinear, [2]float64{0, 0}, [2]float64{300, 400}), 500*2*corridorHalf + disc},
		{"a line there and back", ground(api.MissionLinear, [2]float64{0, 0}, [2]float64{300, 0}, [2]float64{0, 0}), 300*2*corridorHalf + disc},
		{"a line without length", ground(api.MissionLinear, [2]float64{0, 0}, [2]float64{0, 0}), disc},
		{"an asset", ground(api.MissionAsset, [2]float64{0, 0}), 4 * assetHalf * assetHalf},
		{"two assets apart", ground(api.MissionAsset, [2]float64{0, 0}, [2]float64{900, 500}), 8 * assetHalf * assetHalf},
		{"the same asset twice", ground(api.MissionAsset, [2]float64{0, 0}, [2]float64{0, 0}), 4 * assetHalf * assetHalf},
		{"an area without any", ground(api.MissionArea, [2]float64{0, 0}, [2]float64{300, 0}, [2]float64{150, 0}), 300*2*corridorHalf + disc},
	} {
		if math.Abs(c.g.Area-c.area) > 0.03*c.area {
			t.Errorf("%s covers %.0f m², not %.0f", c.name, c.g.Area, c.area)
		}
		grid := c.g.Grid(5000, 0.01)
		n := 0
		for row := range grid.Height {
			grid.Columns(row, func(column int) {
				if column < 0 || column >= grid.Width {
					t.Fatalf("%s: column %d of %d", c.name, column, grid.Width)
				}
				n++
			})
		}
		if n < 2500 || n > 7500 {
			t.Errorf("%s has %d pixels", c.name, n)
		}
		if covered := float64(n) * grid.Pixel * grid.Pixel; math.Abs(covered-c.area) > 0.04*c.area {
			t.Errorf("the pixels of %s cover %.0f m², not %.0f", c.name, covered, c.area)
		}
	}
}

// What is far narrower than a pixel still has some.
func TestNothingIsTooNarrow(t *testing.T) {
	t.Parallel()
	for name, g := range map[string]*Ground{
		"a long line":   NewGround(api.MissionLinear, []api.Point{{Lat: 10, Lng: 10}, {Lat: 50, Lng: 100}}),
		"far assets":    NewGround(api.MissionAsset, []api.Point{{Lat: 10, Lng: 10}, {Lat: 50, Lng: 100}}),
		"a sliver":      ground(api.MissionArea, [2]float64{0, 0}, [2]float64{40_000, 30_000}, [2]float64{40_000, 30_030}),
		"from the pole": NewGround(api.MissionArea, []api.Point{{Lat: 90, Lng: 0}, {Lat: 80, Lng: 10}, {Lat: 80, Lng: -170}}),
	} {
		grid := g.Grid(4000, 0.01)
		n := 0
		for row := range grid.Height {
			grid.Columns(row, func(int) { n++ })
		}
		if n < 2 || grid.Width*grid.Height > 40*4000+2*(grid.Width+grid.Height) {
			t.Errorf("%s has %d pixels of %d by %d", name, n, grid.Width, grid.Height)
		}
	}
}
