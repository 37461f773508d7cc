package vector_test

import (
	"bytes"
	"strings"
	"testing"

	"flightdesk/tui/app/checking/vector"
)

const (
	lines = `{"type":"FeatureCollection","features":[
		{"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[[6.95,50.91],[6.96,50.92]]}},
		{"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[[6.94,50.90],[6.95,50.91]]}}]}`
	drawing = "  0\nSECTION\n  2\nHEADER\n  9\n$EXTMIN\n 10\n100.0\n 20\n200.0\n  9\n$EXTMAX\n 10\n300.0\n 20\n400.0\n  0\nENDSEC\n"
)

func TestFeaturesHaveAnExtent(t *testing.T) {
	layer, err := vector.Read(t.Context(), "contours.geojson", strings.NewReader(lines), int64(len(lines)), nil)
	if err != nil || layer.Features != 2 || !layer.HasBound || layer.Bound.Min != [2]float64{6.94, 50.90} {
		t.Errorf("it is %+v, %v", layer, err)
	}
}

func TestADrawingHasAnExtentWithoutASystem(t *testing.T) {
	layer, err := vector.Read(t.Context(), "plan.dxf", strings.NewReader(drawing), int64(len(drawing)), nil)
	want := "extends from 100, 200 to 300, 400, and does not name its reference system"
	if err != nil || layer.HasBound || layer.Note != want {
		t.Errorf("it is %+v, %v", layer, err)
	}
}

// Whatever a file declares, it is read or refused.
func FuzzRead(f *testing.F) {
	f.Add("plan.dxf", []byte(drawing))
	f.Add("contours.geojson", []byte(lines))
	f.Fuzz(func(t *testing.T, name string, file []byte) {
		_, _ = vector.Read(t.Context(), name, bytes.NewReader(file), int64(len(file)), nil)
	})
}
