package product_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata/product"
)

const none = -9999

// All that is measured of one place is the same in every file.
func TestFilesAgree(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]product.Mission{"area": field(), "line": corridor(), "mast": mast()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			terrain, surface := readChart(t, only(t, m, "digitalTerrainModel")), readChart(t, only(t, m, "digitalSurfaceModel"))
			checkSurface(t, terrain, surface)
			checkContours(t, m, terrain)
			checkCloud(t, m, terrain, surface)
			checkModel(t, m, terrain, surface)
		})
	}
}

func corridor() product.Mission {
	m := field()
	m.UUID, m.Type = "018f6b7e-0000-7000-8000-000000000003", api.MissionLinear
	m.Location = []api.Point{{Lat: -17.7308, Lng: 179.998}, {Lat: -17.7362, Lng: -179.9985}, {Lat: -17.7420, Lng: -179.996}}
	return m
}

func mast() product.Mission {
	m := field()
	m.UUID, m.Type = "018f6b7e-0000-7000-8000-000000000004", api.MissionAsset
	m.Location = []api.Point{{Lat: 84.2, Lng: -30.5}}
	return m
}

func checkSurface(t *testing.T, terrain, surface chart) {
	t.Helper()
	if terrain.width != surface.width || terrain.left != surface.left || terrain.top != surface.top || terrain.dx != surface.dx {
		t.Fatal("terrain and surface have different grids")
	}
	higher := 0
	for i := range terrain.values {
		low, high := terrain.values[i], surface.values[i]
		if (low == none) != (high == none) || high < low-0.001 || high > low+60 {
			t.Fatalf("the terrain is at %v, its surface at %v", low, high)
		}
		if high > low+1 {
			higher++
		}
	}
	if n := terrain.covered(none); higher == 0 || higher > n*3/4 {
		t.Errorf("something stands on %d of %d pixels", higher, n)
	}
}

// Contours are where the terrain model has their height.
func checkContours(t *testing.T, m product.Mission, terrain chart) {
	t.Helper()
	f := product.NewFrame(m.Location)
	vertices := 0
	for _, feature := range readContours(t, only(t, m, "topographicMap")).Features {
		var lines [][][2]float64
		if feature.Geometry.Type == "LineString" {
			lines = make([][][2]float64, 1)
			if err := json.Unmarshal(feature.Geometry.Coordinates, &lines[0]); err != nil {
				t.Fatal(err)
			}
		} else if err := json.Unmarshal(feature.Geometry.Coordinates, &lines); err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if len(line) < 2 {
				t.Errorf("a line of %d points", len(line))
			}
			for i, p := range line {
				if i > 0 && math.Abs(p[0]-line[i-1][0]) > 1 {
					t.Errorf("a line goes from %v to %v", line[i-1], p)
				}
				vertices++
				if math.Abs(p[0]) == 180 {
					continue // cut between two edges of the grid
				}
				e, n := f.Coordinates(f.Metres(api.Point{Lat: p[1], Lng: p[0]}))
				h, ok := terrain.between(e, n, none)
				if !ok || math.Abs(h-feature.Properties.Elevation) > 0.02 {
					t.Fatalf("the contour of %v m is at %v, where the terrain has %v, %v", feature.Properties.Elevation, p, h, ok)
				}
			}
		}
	}
	if vertices < 500 {
		t.Errorf("the contours have %d points", vertices)
	}
}

func checkCloud(t *testing.T, m product.Mission, terrain, surface chart) {
	t.Helper()
	points, epsg := readCloud(t, only(t, m, "LiDAR"))
	if epsg != terrain.epsg {
		t.Errorf("the cloud is in EPSG:%d, the terrain in %d", epsg, terrain.epsg)
	}
	classes := map[byte]int{}
	second := 0
	for _, p := range points {
		classes[p.class]++
		if p.number == 2 {
			second++
		}
		low, ok := terrain.between(p.x, p.y, none)
		if !ok {
			continue
		}
		high, _ := surface.between(p.x, p.y, none)
		switch {
		case p.class == 2 && math.Abs(p.z-low) > 0.35:
			t.Fatalf("ground at %.2f, %.2f is %.2f high, the terrain %.2f", p.x, p.y, p.z, low)
		case p.class != 2 && p.z < low-0.35 || p.z > max(high, low)+60:
			t.Fatalf("class %d at %.2f, %.2f is %.2f high, the terrain %.2f, the surface %.2f", p.class, p.x, p.y, p.z, low, high)
		}
	}
	if len(points) < 2500 || classes[2] < len(points)/5 || m.Type == api.MissionArea && (classes[5] == 0 || second == 0) {
		t.Errorf("%d points of the classes %v, %d second returns", len(points), classes, second)
	}
}

// A model's corners are on the surface. It is compared where nothing stands,
// since what does may end between the middles of pixels.
func checkModel(t *testing.T, m product.Mission, terrain, surface chart) {
	t.Helper()
	var doc gltf.Document
	if err := gltf.NewDecoder(bytes.NewReader(only(t, m, "_3dModel"))).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	extras, _ := doc.Asset.Extras.(map[string]any)
	origin, _ := extras["origin"].([]any)
	if len(origin) != 3 || extras["epsg"] != float64(surface.epsg) {
		t.Fatalf("extras are %v", doc.Asset.Extras)
	}
	positions, err := modeler.ReadPosition(&doc, doc.Accessors[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	all, off := 0, 0
	for _, p := range positions {
		e, n := origin[0].(float64)+float64(p[0]), origin[1].(float64)-float64(p[2])
		h, ok := surface.between(e, n, none)
		if low, _ := terrain.between(e, n, none); !ok || h > low+0.05 {
			continue
		}
		all++
		if math.Abs(h-origin[2].(float64)-float64(p[1])) > 0.5 {
			off++
		}
	}
	if all < 500 || off > all/10 {
		t.Errorf("%d of %d corners are off the surface", off, all)
	}
}

// The picture, the index and the spectrum show the same plants.
func TestPicturesAgree(t *testing.T) {
	t.Parallel()
	picture, index := readChart(t, only(t, field(), "_2dMap")), readChart(t, only(t, field(), "ndvi"))
	bands, heat := readChart(t, only(t, field(), "multispectral")), readChart(t, only(t, field(), "thermalMap"))
	if bands.bands != 5 || picture.bands != 4 {
		t.Fatalf("%d and %d bands", picture.bands, bands.bands)
	}
	checked, green, warm := 0, 0.0, [2][]float64{}
	for row := range index.height {
		for column := range index.width {
			v := index.at(column, row, 0)
			if v == none {
				continue
			}
			if v < -1 || v > 1 {
				t.Fatalf("an index of %v", v)
			}
			e, n := index.left+(float64(column)+0.5)*index.dx, index.top-(float64(row)+0.5)*index.dy
			i, j := int((e-picture.left)/picture.dx), int((picture.top-n)/picture.dy)
			if i < picture.width && j < picture.height && picture.at(i, j, 3) == 255 {
				if v > 0.75 {
					checked++
					green += picture.at(i, j, 1) - picture.at(i, j, 0)
				}
			}
			c := heat.at(min(column, heat.width-1), min(row, heat.height-1), 0)
			if c == none {
				continue
			}
			if v > 0.75 {
				warm[0] = append(warm[0], c)
			} else if v < 0.2 {
				warm[1] = append(warm[1], c)
			}
		}
	}
	if checked < 100 || green/float64(checked) < 5 {
		t.Errorf("%d places with plants are %.1f greener than red", checked, green/float64(checked))
	}
	if a, b := mean(warm[0]), mean(warm[1]); !(a > 10 && a < b && b < 50) {
		t.Errorf("plants have %.1f degrees, other ground %.1f", a, b)
	}
	compared, off := 0, 0.0
	for row := range bands.height {
		for column := range bands.width {
			red, near := bands.at(column, row, 2), bands.at(column, row, 4)
			if red == 65535 {
				continue
			}
			e, n := bands.left+(float64(column)+0.5)*bands.dx, bands.top-(float64(row)+0.5)*bands.dy
			i, j := int((e-index.left)/index.dx), int((index.top-n)/index.dy)
			ratio := (near - red) / (near + red)
			if ratio < -1 || ratio > 1 || red > 10_000 {
				t.Fatalf("red %v, near infrared %v", red, near)
			}
			if i < index.width && j < index.height && index.at(i, j, 0) != none {
				compared++
				off += math.Abs(index.at(i, j, 0) - ratio)
			}
		}
	}
	if compared < 5000 || off/float64(compared) > 0.06 {
		t.Errorf("the index is off the bands by %.3f on average in %d places", off/float64(compared), compared)
	}
}

func mean(values []float64) (m float64) {
	for _, v := range values {
		m += v / float64(len(values))
	}
	return m
}
