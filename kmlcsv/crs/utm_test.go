package crs

import (
	"math"
	"testing"
)

func TestProjectUTMAgreesWithTheRegistry(t *testing.T) {
	for _, c := range []struct {
		zone     int
		south    bool
		lng, lat float64
	}{
		{32, false, 9.1, 48.7},
		{1, false, -179.9, 12},
		{60, true, 178, -41},
		{36, true, 36.8, -1.2},
	} {
		x, y := ProjectUTM(c.zone, c.south, c.lng, c.lat)
		wantX, wantY, err := UTM(c.zone, c.south).FromWGS84(c.lng, c.lat)
		if err != nil || math.Hypot(x-wantX, y-wantY) > 1e-6 {
			t.Errorf("zone %d: %v, %v, not %v, %v (%v)", c.zone, x, y, wantX, wantY, err)
		}
	}
}
