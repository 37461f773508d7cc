package product_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata/product"
)

var kinds = append(api.Deliverables(), product.ElevationMap)

// field is an area of about 20 hectares in Cologne.
func field(kinds ...api.Deliverable) product.Mission {
	return product.Mission{
		Location: []api.Point{
			{Lat: 50.9160, Lng: 6.9500},
			{Lat: 50.9165, Lng: 6.9580},
			{Lat: 50.9200, Lng: 6.9575},
			{Lat: 50.9190, Lng: 6.9490},
		},
		Deliverables: kinds, Flown: time.Date(2026, 5, 4, 10, 20, 30, 0, time.UTC),
	}
}

// corridor is a line across the antimeridian.
func corridor() product.Mission {
	m := field()
	m.Location = []api.Point{{Lat: -17.7308, Lng: 179.998}, {Lat: -17.7362, Lng: -179.9985}, {Lat: -17.7420, Lng: -179.996}}
	return m
}

// made returns the generated files of a mission by name.
func made(t testing.TB, m product.Mission, size int64) map[string][]byte {
	t.Helper()
	files, err := product.Files(m, size)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil || r.Close() != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if f.Size != int64(len(content)) || all[f.Name] != nil {
			t.Errorf("%s: %d bytes are said to be %d, or the name is given twice", f.Name, len(content), f.Size)
		}
		all[f.Name] = content
	}
	return all
}

// only returns the only file of a kind.
func only(t testing.TB, m product.Mission, kind api.Deliverable) []byte {
	t.Helper()
	m.Deliverables = []api.Deliverable{kind}
	all := made(t, m, 0)
	if len(all) != 1 {
		t.Fatalf("%s has %d files", kind, len(all))
	}
	for _, content := range all {
		return content
	}
	return nil
}

// Fixtures are copied and never overwritten.
func TestFilesAreTheSameEveryTime(t *testing.T) {
	t.Parallel()
	first := made(t, field(kinds...), 0)
	elsewhere := corridor()
	elsewhere.Deliverables = kinds
	different := made(t, elsewhere, 0)
	again := made(t, field(kinds...), 0)
	total := 0
	for name, content := range first {
		total += len(content)
		if !bytes.Equal(content, again[name]) {
			t.Errorf("%s is made in two ways", name)
		}
		placeless := strings.HasSuffix(name, ".glb") || strings.HasSuffix(name, ".avi")
		if bytes.Equal(content, different[name]) != placeless {
			t.Errorf("%s is the same for another mission: %t", name, !placeless)
		}
	}
	if len(first) != len(kinds)+2 || total > 1_200_000 {
		t.Errorf("%d files of %d bytes are made of %d kinds", len(first), total, len(kinds))
	}
}

func TestEachDeliverableHasFiles(t *testing.T) {
	t.Parallel()
	files, err := product.Files(field(kinds...), 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, fmt.Sprint(f.Kind, " ", f.Name, " ", f.MediaType))
	}
	want := `jpg photo-0001.jpg image/jpeg
jpg photo-0002.jpg image/jpeg
jpg photo-0003.jpg image/jpeg
_2dMap orthomosaic.tif image/tiff
_3dMap 3d-map.glb model/gltf-binary
_3dModel model.glb model/gltf-binary
digitalTerrainModel dtm.tif image/tiff
digitalSurfaceModel dsm.tif image/tiff
topographicMap contours.geojson application/geo+json
thermalMap thermal.tif image/tiff
ndvi ndvi.tif image/tiff
multispectral multispectral.tif image/tiff
hyperspectral hyperspectral.tif image/tiff
streamedData clip.avi video/vnd.avi
raw raw-0001.dng image/x-adobe-dng
panoramas panorama-0001.jpg image/jpeg
LiDAR lidar.las application/vnd.las
pointCloud point-cloud.las application/vnd.las
elevationMap elevation.geojson application/geo+json`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s", text)
	}
}

func TestInvalidMissionsAreRefused(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*product.Mission){
		"no location":       func(m *product.Mission) { m.Location = nil },
		"no place on earth": func(m *product.Mission) { m.Location[0].Lat = 91 },
		`"hologram"`:        func(m *product.Mission) { m.Deliverables = []api.Deliverable{"hologram"} },
	} {
		m := field("jpg")
		change(&m)
		if _, err := product.Files(m, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, size := range []int64{-1, product.MaxSize + 1} {
		if _, err := product.Files(field("jpg"), size); err == nil {
			t.Errorf("a size of %d bytes is taken", size)
		}
	}
}

// Each kind of file has the requested size, except for rounding to whole parts.
func TestFilesHaveTheRequestedSize(t *testing.T) {
	t.Parallel()
	const size = 200_002
	for _, kind := range kinds {
		total := 0
		for _, content := range made(t, field(kind), size) {
			total += len(content)
		}
		if total < size-16 || total > size {
			t.Errorf("%s has %d bytes", kind, total)
		}
	}
	files, err := product.Files(field("LiDAR"), product.MaxSize)
	if err != nil || files[0].Size != product.MaxSize {
		t.Fatalf("%+v, %v", files, err)
	}
	r, err := files[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	if end, err := r.Seek(-3, io.SeekEnd); err != nil || end != product.MaxSize-3 {
		t.Errorf("at %d, %v", end, err)
	}
	if rest, err := io.ReadAll(r); err != nil || !bytes.Equal(rest, make([]byte, 3)) {
		t.Errorf("it ends with % x, %v", rest, err)
	}
}
