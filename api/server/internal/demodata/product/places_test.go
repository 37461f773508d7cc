package product_test

import (
	"bytes"
	"image/jpeg"
	"math"
	"testing"

	"github.com/bep/imagemeta"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata/product"
)

// Missions of every type, anywhere, have files with something in them.
func TestMissionsAnywhere(t *testing.T) {
	t.Parallel()
	ring := func(lat, lng, size float64) []api.Point {
		var points []api.Point
		for i := range 7 {
			sin, cos := math.Sincos(float64(i) / 7 * 2 * math.Pi)
			points = append(points, api.Point{
				Lat: min(max(lat+size*sin, -90), 90), Lng: math.Remainder(lng+size*cos/max(0.1, math.Cos(lat*math.Pi/180)), 360),
			})
		}
		return points
	}
	many := make([]api.Point, 20_000)
	for i := range many {
		sin, cos := math.Sincos(float64(i) / 20_000 * 2 * math.Pi)
		many[i] = api.Point{Lat: 40 + 0.01*sin, Lng: 20 + 0.01*cos}
	}
	for _, c := range []struct {
		name   string
		kind   api.MissionType
		points []api.Point
		epsg   int
	}{
		{"across the antimeridian", api.MissionArea, ring(-17, 180, 0.003), 32760},
		{"at the north pole", api.MissionArea, ring(89.999, 0, 0.0005), 5041},
		{"at the south pole", api.MissionLinear, []api.Point{{Lat: -90, Lng: 0}, {Lat: -89.99, Lng: 77}}, 5042},
		{"a land", api.MissionArea, ring(47, 8, 3), 4326},
		{"across the antimeridian, large", api.MissionArea, ring(0, 180, 4), 4326},
		{"half the world", api.MissionLinear, []api.Point{{Lat: 80, Lng: -179}, {Lat: -80, Lng: -1}}, 4326},
		{"a mast", api.MissionAsset, []api.Point{{Lat: 53.5, Lng: 9.9}}, 32632},
		{"masts far apart", api.MissionAsset, []api.Point{{Lat: 53.5, Lng: 9.9}, {Lat: 53.55, Lng: 9.99}}, 32632},
		{"a type to come", "volume", []api.Point{{Lat: 53.5, Lng: 9.9}}, 32632},
		{"an area of one point", api.MissionArea, []api.Point{{Lat: 1, Lng: 2}, {Lat: 1, Lng: 2}, {Lat: 1, Lng: 2}}, 32631},
		{"many points", api.MissionArea, many, 32634},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := field("jpg", "digitalTerrainModel", "ndvi", "topographicMap", "LiDAR", "_3dModel")
			m.Type, m.Location = c.kind, c.points
			all := made(t, m, 0)
			for _, name := range []string{"dtm.tif", "ndvi.tif"} {
				chart := readChart(t, all[name])
				if n := chart.covered(none); chart.epsg != c.epsg || n < 2 {
					t.Errorf("%s is in EPSG:%d with %d pixels", name, chart.epsg, n)
				}
			}
			points, epsg := readCloud(t, all["lidar.las"])
			if epsg != c.epsg || len(points) < 20 {
				t.Errorf("%d points in EPSG:%d", len(points), epsg)
			}
			readContours(t, all["contours.geojson"])
			if _, err := jpeg.Decode(bytes.NewReader(all["photo-0002.jpg"])); err != nil {
				t.Error(err)
			}
			tags, _ := described(t, all["photo-0002.jpg"], imagemeta.JPEG)
			lat, lng, err := tags.GetLatLong()
			f := product.NewGround(c.kind, c.points)
			x, y := f.Metres(api.Point{Lat: lat, Lng: lng})
			if err != nil || x < f.MinX-1 || x > f.MaxX+1 || y < f.MinY-1 || y > f.MaxY+1 {
				t.Errorf("the photo is of %v, %v, %v", lat, lng, err)
			}
		})
	}
}
