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

func TestAFileWithoutAKnownPlaceIsANote(t *testing.T) {
	const unknown = "has a reference system that is not known, so its place is not checked"
	point := `"features":[{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[400000,5000000]}}]}`
	for _, c := range []struct{ name, content, note string }{
		{
			"plan.dxf", strings.NewReplacer("100.0", "1e20", "200.0", "1e20", "300.0", "-1e20", "400.0", "-1e20").Replace(drawing),
			"does not declare its extent",
		},
		{
			"tileset.json", `{"asset":{"version":"1.1"},"geometricError":1,"root":{"boundingVolume":{}}}`,
			"is a 3D Tiles tileset, whose place is not checked",
		},
		{"cameras.json", `{"cameras":[]}`, "is JSON without features, so it is not checked"},
		{"contours.geojson", `{"type":"FeatureCollection","features":[]}`, "has no features"},
		{"contours.json", `{"type":"FeatureCollection","features":[]}`, "has no features"},
		{"contours.geojson", `{"type":"FeatureCollection",` + point, unknown},
		{
			"contours.geojson",
			`{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:99999"}},` + point, unknown,
		},
	} {
		layer, err := vector.Read(t.Context(), c.name, strings.NewReader(c.content), int64(len(c.content)), nil)
		if err != nil || layer.HasBound || layer.Note != c.note {
			t.Errorf("%s is %+v, %v; it should say %q", c.name, layer, err, c.note)
		}
	}
	for name, content := range map[string]string{"cut.json": `{"asset":`, "other.geojson": `{"asset":{},"root":{}}`} {
		if layer, err := vector.Read(t.Context(), name, strings.NewReader(content), int64(len(content)), nil); err == nil {
			t.Errorf("%s is %+v", name, layer)
		}
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
