package product

import (
	"math"
	"testing"

	"flightdesk/api"
	"flightdesk/kmlcsv/crs"
)

// The expected coordinates were computed by PROJ. They agree to a metre.
func TestCoordinatesMatchPROJ(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lat, lng    float64
		epsg        uint16
		east, north float64
	}{
		{50.9160, 6.9500, 32632, 355899.020627764, 5642485.25694759},
		{-17.7308, 179.999, 32760, 818079.357233835, 8037060.44320729},
		{0.001, -179.9, 32601, 177163.806005183, 110.672734179368},
		{83.9, -45.5, 32623, 494068.144609041, 9316955.89028667},
		{-79.9, 33.3, 32736, 505873.237957639, 1129560.54002038},
	} {
		s := locateSite([]api.Point{{Lat: c.lat, Lng: c.lng}})
		e := (s.ground.west + s.ground.east) / 2
		n := (s.ground.south + s.ground.north) / 2
		if s.epsg != c.epsg || math.Hypot(e-c.east, n-c.north) > 1 {
			t.Errorf("%v, %v is at %.4f, %.4f in EPSG:%d, not %.4f, %.4f in EPSG:%d", c.lat, c.lng, e, n, s.epsg, c.east, c.north, c.epsg)
		}
	}
}

func TestReferenceSystemDependsOnTheLocation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		points []api.Point
		epsg   uint16
	}{
		{"Cologne", []api.Point{{Lat: 50.9, Lng: 6.9}}, 32632},
		{"Hamburg to Bremen", []api.Point{{Lat: 53.5, Lng: 10}, {Lat: 53, Lng: 8.8}}, 32632},
		{"Fiji, across the antimeridian", []api.Point{{Lat: -16.8, Lng: 179.99}, {Lat: -16.8, Lng: -179.98}}, 32701},
		{"at the antimeridian", []api.Point{{Lat: 1, Lng: 180}}, 32660},
		{"at the antimeridian from the east", []api.Point{{Lat: 1, Lng: -180}}, 32601},
		{"at the equator", []api.Point{{Lat: 0, Lng: 33}}, 32636},
		{"the north pole", []api.Point{{Lat: 90, Lng: 0}}, 4326},
		{"around the south pole", []api.Point{{Lat: -89.9, Lng: 0}, {Lat: -89.9, Lng: 120}, {Lat: -89.9, Lng: -120}}, 4326},
		{"a continent", []api.Point{{Lat: 10, Lng: 0}, {Lat: 40, Lng: 30}}, 4326},
		{"both poles", []api.Point{{Lat: 90, Lng: 0}, {Lat: -90, Lng: 0}}, 4326},
	} {
		s := locateSite(c.points)
		if s.epsg != c.epsg {
			t.Errorf("%s is in EPSG:%d", c.name, s.epsg)
		}
		if !s.ground.isBox() || !s.degrees.isBox() {
			t.Errorf("%s is in %v or %v", c.name, s.ground, s.degrees)
		}
		if width := s.degrees.east - s.degrees.west; width <= 0 || width > 360 {
			t.Errorf("%s is %v degrees wide", c.name, width)
		}
	}
}

func (b siteBox) isBox() bool { return b.west < b.east && b.south < b.north }

func TestAFlawedRasterIsInDegreesOrMissesTheEast(t *testing.T) {
	t.Parallel()
	m := Mission{
		Location:  []api.Point{{Lat: 50.91, Lng: 6.95}, {Lat: 50.92, Lng: 6.97}},
		Partial:   []api.Deliverable{"_2dMap"},
		InDegrees: []api.Deliverable{"digitalSurfaceModel"},
	}
	whole := locateSite(m.Location)
	part := m.siteOf("_2dMap").ground
	width := whole.ground.east - whole.ground.west
	if missing := (whole.ground.east - part.east) / width; math.Abs(missing-0.12) > 1e-9 || part.west != whole.ground.west {
		t.Errorf("%.3f of the width is missing", missing)
	}
	if s := m.siteOf("digitalSurfaceModel"); s.epsg != 4326 || s.ground != whole.degrees {
		t.Errorf("it is in EPSG:%d, at %v", s.epsg, s.ground)
	}
	if s := m.siteOf("ndvi"); s != whole {
		t.Errorf("another raster is at %v", s)
	}
}

func TestAFixedMarginDoesNotGrowWithTheSite(t *testing.T) {
	t.Parallel()
	m := Mission{Location: []api.Point{{Lat: 50.91, Lng: 6.95}, {Lat: 50.92, Lng: 6.97}}}
	growing := m.siteOf("_2dMap").ground
	m.FixedMargin = true
	fixed := m.siteOf("_2dMap").ground
	west, _ := crs.ProjectUTM(32, false, 6.95, 50.91)
	if margin := west - fixed.west; math.Abs(margin-30) > 1 || fixed.west <= growing.west {
		t.Errorf("the margin is %.1f m", margin)
	}
}
