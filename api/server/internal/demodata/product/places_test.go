package product_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/bep/imagemeta"

	"flightdesk/api"
)

// ring is an area around a point.
func ring(lat, lng, size float64, n int) []api.Point {
	var points []api.Point
	for i := range n {
		sin, cos := math.Sincos(float64(i) / float64(n) * 2 * math.Pi)
		points = append(points, api.Point{
			Lat: min(max(lat+size*sin, -90), 90), Lng: math.Remainder(lng+size*cos/max(0.1, math.Cos(lat*math.Pi/180)), 360),
		})
	}
	return points
}

func TestFilesAreLocatedAtTheMissionAnywhereOnEarth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		points []api.Point
		epsg   int
	}{
		{"across the antimeridian", ring(-17, 179.999, 0.003, 7), 32760},
		{"at the north pole", ring(89.999, 0, 0.0005, 7), 4326},
		{"at the south pole", []api.Point{{Lat: -90, Lng: 0}, {Lat: -89.99, Lng: 77}}, 4326},
		{"a land", ring(47, 8, 3, 7), 4326},
		{"across the antimeridian, large", ring(0, 180, 4, 7), 4326},
		{"half the world", []api.Point{{Lat: 80, Lng: -179}, {Lat: -80, Lng: -1}}, 4326},
		{"a mast", []api.Point{{Lat: 53.5, Lng: 9.9}}, 32632},
		{"an area of one point", []api.Point{{Lat: 1, Lng: 2}, {Lat: 1, Lng: 2}, {Lat: 1, Lng: 2}}, 32631},
		{"many points", ring(40, 20, 0.01, 20_000), 32634},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := field(kinds...)
			m.Location = c.points
			points := 0
			for name, content := range made(t, m, 0) {
				switch {
				case strings.HasSuffix(name, ".tif"):
					if chart := readChart(t, content); chart.epsg != c.epsg || chart.dx <= 0 || chart.dy <= 0 {
						t.Errorf("%s is in EPSG:%d with pixels of %v, %v", name, chart.epsg, chart.dx, chart.dy)
					}
				case strings.HasSuffix(name, ".las"):
					list, epsg := readCloud(t, content)
					points = len(list)
					if epsg != c.epsg {
						t.Errorf("%s is in EPSG:%d", name, epsg)
					}
				case strings.HasSuffix(name, ".geojson"):
					readContours(t, content)
				case strings.HasPrefix(name, "photo-"):
					tags, _ := described(t, content, imagemeta.JPEG)
					checkSpot(t, tags, c.points)
				}
			}
			if points < 500 {
				t.Errorf("%d points", points)
			}
		})
	}
}

// checkSpot compares a photo's position with the points of a mission.
func checkSpot(t *testing.T, tags imagemeta.Tags, points []api.Point) {
	t.Helper()
	lat, lng, err := tags.GetLatLong()
	nearest := math.Inf(1)
	for _, p := range points {
		nearest = min(nearest, math.Hypot(lat-p.Lat, math.Remainder(lng-p.Lng, 360)))
	}
	if err != nil || nearest > 1e-7 {
		t.Errorf("a photo is of %v, %v, %v degrees off: %v", lat, lng, nearest, err)
	}
}

// Maps, clouds and contours cover the mission and extend a little beyond it.
func TestMapsCoverTheMission(t *testing.T) {
	t.Parallel()
	// The box of the field in UTM zone 32, computed by PROJ.
	const west, south, east, north = 355838.006, 5642485.257, 356462.856, 5642915.388
	all := made(t, field("_2dMap", "thermalMap", "LiDAR", "topographicMap"), 0)
	const margin = 30
	check := func(name string, left, bottom, right, top, off float64) {
		if math.Abs(west-left-margin) > off || math.Abs(south-bottom-margin) > off ||
			math.Abs(right-east-margin) > off || math.Abs(top-north-margin) > off {
			t.Errorf("%s reaches from %.1f, %.1f to %.1f, %.1f", name, left, bottom, right, top)
		}
	}
	for _, name := range []string{"orthomosaic.tif", "thermal.tif"} {
		c := readChart(t, all[name])
		check(name, c.left, c.top-float64(c.height)*c.dy, c.left+float64(c.width)*c.dx, c.top, 0.1)
	}
	points, _ := readCloud(t, all["lidar.las"])
	low := points[0]
	high := points[0]
	for _, p := range points {
		low.x, low.y, high.x, high.y = min(low.x, p.x), min(low.y, p.y), max(high.x, p.x), max(high.y, p.y)
	}
	check("lidar.las", low.x, low.y, high.x, high.y, 16)
	box := [4]float64{180, 90, -180, -90}
	for _, p := range verticesOf(t, all["contours.geojson"]) {
		box = [4]float64{min(box[0], p[0]), min(box[1], p[1]), max(box[2], p[0]), max(box[3], p[1])}
	}
	for i, want := range [4]float64{6.94857, 50.91573, 6.95843, 50.92027} {
		if math.Abs(box[i]-want) > 3e-4 {
			t.Errorf("the contours are in %v", box)
		}
	}
}

// No part of a line goes around the world.
func TestContoursAreCutAtTheAntimeridian(t *testing.T) {
	t.Parallel()
	sides := [2]int{}
	features := readContours(t, only(t, corridor(), "topographicMap")).Features
	for _, f := range features {
		for _, line := range f.Geometry.Coordinates {
			for i, p := range line {
				if i > 0 && math.Abs(p[0]-line[i-1][0]) > 1 || math.Abs(p[0]) > 180 {
					t.Fatalf("a line reaches %v", p)
				}
				sides[int(1+math.Copysign(1, p[0]))/2]++
			}
		}
	}
	if sides[0] < 100 || sides[1] < 100 || len(features) < 10 {
		t.Errorf("%d features with vertices west and east of it: %v", len(features), sides)
	}
}

// Contours are valid JSON regardless of their length.
func TestContoursAreJSON(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{0, 300_000} {
		m := field("topographicMap")
		for name, content := range made(t, m, size) {
			if !json.Valid(content) {
				t.Errorf("%s of %d bytes is no JSON", name, size)
			}
		}
	}
}
