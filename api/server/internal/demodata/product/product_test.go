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
		UUID: "018f6b7e-0000-7000-8000-000000000001", Code: "MSN-1", Name: `Łąka & "Süd"`, Type: api.MissionArea,
		Location: []api.Point{
			{Lat: 50.9160, Lng: 6.9500},
			{Lat: 50.9165, Lng: 6.9580},
			{Lat: 50.9200, Lng: 6.9575},
			{Lat: 50.9190, Lng: 6.9490},
		},
		Deliverables: kinds, Operator: "Jørgen Aasen", Flown: time.Date(2026, 5, 4, 10, 20, 30, 0, time.UTC),
	}
}

// made makes the files of a mission, by their names.
func made(t testing.TB, m product.Mission, size int64) map[string][]byte {
	t.Helper()
	files, err := product.Files(m, size)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		var b bytes.Buffer
		n, err := f.WriteTo(&b)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if n != int64(b.Len()) || all[f.Name] != nil {
			t.Errorf("%s: %d bytes are said to be %d, or the name is given twice", f.Name, b.Len(), n)
		}
		all[f.Name] = b.Bytes()
	}
	return all
}

// only makes the one file of a kind.
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

func TestTheSameBytesEveryTime(t *testing.T) {
	t.Parallel()
	first, again := made(t, field(kinds...), 0), made(t, field(kinds...), 0)
	other := field("_2dMap", "digitalTerrainModel", "streamedData", "LiDAR")
	other.UUID = "018f6b7e-0000-7000-8000-000000000002"
	different := made(t, other, 0)
	if len(first) != len(kinds)+2 {
		t.Errorf("%d files are made of %d kinds", len(first), len(kinds))
	}
	total := 0
	for name, content := range first {
		total += len(content)
		if !bytes.Equal(content, again[name]) {
			t.Errorf("%s is made in two ways", name)
		}
		if len(content) > 160_000 {
			t.Errorf("%s has %d bytes", name, len(content))
		}
	}
	for name, content := range different {
		if bytes.Equal(content, first[name]) {
			t.Errorf("%s is the same for another mission", name)
		}
	}
	if total > 1_500_000 {
		t.Errorf("all kinds together have %d bytes", total)
	}
}

func TestEachKindHasItsFiles(t *testing.T) {
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

func TestReadingIsWriting(t *testing.T) {
	t.Parallel()
	files, err := product.Files(field("_2dMap", "LiDAR"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		var whole bytes.Buffer
		if _, err := f.WriteTo(&whole); err != nil {
			t.Fatal(err)
		}
		r := f.Open()
		read, err := io.ReadAll(io.MultiReader(io.LimitReader(r, 100), r))
		if err != nil || !bytes.Equal(read, whole.Bytes()) {
			t.Errorf("%s reads as %d bytes of %d, %v", f.Name, len(read), whole.Len(), err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		early := f.Open()
		if _, err := io.ReadFull(early, make([]byte, 10)); err != nil {
			t.Error(err)
		}
		_ = early.Close()
		if n, err := early.Read(make([]byte, 1<<20)); err == nil && n == 1<<20 {
			t.Error("a closed file is made on")
		}
	}
}

// A writer that takes no more ends the making with its own error.
func TestAFullDiskIsReported(t *testing.T) {
	t.Parallel()
	files, err := product.Files(field("jpg", "_2dMap", "_3dModel", "topographicMap", "streamedData", "raw", "LiDAR"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, err := f.WriteTo(&full{room: 1000}); err == nil || !strings.Contains(err.Error(), "no room") {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, fmt.Errorf("no room")
	}
	return len(b), nil
}

func TestWhatCannotBeMade(t *testing.T) {
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
	if _, err := product.Files(field("jpg"), product.MaxSize+1); err == nil {
		t.Error("a size beyond the largest is taken")
	}
}

// Files come near the size that is asked for.
func TestSizes(t *testing.T) {
	t.Parallel()
	const size = 200_000
	for _, kind := range kinds {
		all := made(t, field(kind), size)
		total := 0
		for _, content := range all {
			total += len(content)
		}
		if total < size*2/5 || total > size*2 {
			t.Errorf("%s has %d bytes in %d files", kind, total, len(all))
		}
	}
}

func BenchmarkFiles(b *testing.B) {
	sets := map[string][]api.Deliverable{"order": {"jpg", "_2dMap", "digitalSurfaceModel"}, "all": kinds}
	for _, kind := range kinds {
		sets[string(kind)] = []api.Deliverable{kind}
	}
	for name, set := range sets {
		b.Run(name, func(b *testing.B) {
			var n int64
			for b.Loop() {
				n = 0
				files, err := product.Files(field(set...), 0)
				if err != nil {
					b.Fatal(err)
				}
				for _, f := range files {
					size, err := f.WriteTo(io.Discard)
					if err != nil {
						b.Fatal(err)
					}
					n += size
				}
			}
			b.ReportMetric(float64(n), "bytes")
		})
	}
}
