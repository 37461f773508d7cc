//go:build gdal

package product_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata/product"
)

// report is the output of gdalinfo for a raster.
type report struct {
	Size             []int
	CoordinateSystem struct{ Wkt string } `json:"coordinateSystem"`
	GeoTransform     []float64            `json:"geoTransform"`
	Wgs84Extent      struct{ Coordinates [][][2]float64 }
	Bands            []struct {
		Type        string
		Description string
		NoDataValue *float64 `json:"noDataValue"`
		Interpreted string   `json:"colorInterpretation"`
	}
}

// mast is a single point near the north pole.
func mast() product.Mission {
	m := field()
	m.Location = []api.Point{{Lat: 84.2, Lng: -30.5}}
	return m
}

func run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var faults bytes.Buffer
	cmd.Stderr = &faults
	out, err := cmd.Output()
	if err != nil || faults.Len() > 0 {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, faults.String())
	}
	return out
}

// GDAL reads every georeferenced file without a warning, at the location of the mission.
func TestGDALReadsTheFiles(t *testing.T) {
	t.Parallel()
	georeferenced := []api.Deliverable{
		"_2dMap", "digitalTerrainModel", "digitalSurfaceModel", "thermalMap", "ndvi", "multispectral", "hyperspectral",
		"topographicMap", product.ElevationMap,
	}
	for name, c := range map[string]struct {
		mission product.Mission
		epsg    string
	}{"area": {field(), `ID["EPSG",32632]`}, "line": {corridor(), `ID["EPSG",32701]`}, "mast": {mast(), `ID["EPSG",4326]`}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			m := c.mission
			m.Deliverables = georeferenced
			for name, content := range made(t, m, 0) {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, content, 0o600); err != nil {
					t.Fatal(err)
				}
				if strings.HasSuffix(name, ".geojson") {
					checkLayer(t, run(t, "ogrinfo", "-ro", "-al", "-so", path))
					continue
				}
				var r report
				if err := json.Unmarshal(run(t, "gdalinfo", "-json", "--config", "GDAL_PAM_ENABLED", "NO", path), &r); err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(r.CoordinateSystem.Wkt, c.epsg) {
					t.Errorf("%s is in %s", name, r.CoordinateSystem.Wkt)
				}
				checkExtent(t, name, m, r)
				run(t, "gdal_translate", "-q", "-of", "MEM", path, filepath.Join(dir, "copy"))
			}
		})
	}
}

func checkLayer(t *testing.T, out []byte) {
	t.Helper()
	for _, want := range []string{"Layer name: contours", "elevation: ", `ID["EPSG",4326]`} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("ogrinfo does not say %q:\n%s", want, out)
		}
	}
	if bytes.Contains(out, []byte("Feature Count: 0")) {
		t.Error("there are no contours")
	}
}

// checkExtent compares a raster's corners with the mission's points.
func checkExtent(t *testing.T, name string, m product.Mission, r report) {
	t.Helper()
	if len(r.Bands) == 0 || len(r.Size) != 2 || r.Size[0]*r.Size[1] < 400 || len(r.GeoTransform) != 6 {
		t.Fatalf("%s: %d bands, size %v, transform %v", name, len(r.Bands), r.Size, r.GeoTransform)
	}
	for _, corner := range r.Wgs84Extent.Coordinates[0] {
		nearest := math.Inf(1)
		for _, p := range m.Location {
			east := math.Remainder(corner[0]-p.Lng, 360) * math.Cos(p.Lat*math.Pi/180)
			nearest = min(nearest, math.Hypot(east, corner[1]-p.Lat))
		}
		if nearest > 0.007 {
			t.Errorf("%s: the corner %v is %.4f degrees from the mission", name, corner, nearest)
		}
	}
	for i, b := range r.Bands {
		if name == "orthomosaic.tif" {
			if want := []string{"Red", "Green", "Blue", "Alpha"}[i]; b.Type != "Byte" || b.Interpreted != want {
				t.Errorf("%s: band %d is %s %s", name, i+1, b.Type, b.Interpreted)
			}
		} else if b.NoDataValue == nil || b.Description == "" {
			t.Errorf("%s: band %d, %q, has no value for none", name, i+1, b.Description)
		}
	}
}
