package demodata

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata/product"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// worldFiles returns the files of each package and dataset.
func worldFiles(size int64) [][]store.File {
	var lists [][]store.File
	w := BuildWorld(noon, noon, WorldOptions{FileSize: size})
	for _, d := range w.Datasets {
		lists = append(lists, d.Files)
	}
	for _, o := range w.Orders {
		for _, m := range o.Missions {
			for _, p := range m.Packages {
				lists = append(lists, p.Files)
			}
		}
	}
	return lists
}

// The content of sample files has the listed size and is not stored.
func TestSampleFilesAreCreatedWhenOpened(t *testing.T) {
	kept := files.NewMemory(1)
	s := SampleStore{kept}
	for _, list := range append(worldFiles(0), worldFiles(200_000)[0]) {
		for _, f := range list {
			content, err := s.Open(t.Context(), f.Place)
			if err != nil {
				t.Fatalf("%s: %v", f.Place, err)
			}
			n, err := io.Copy(io.Discard, content)
			if err != nil || n != f.Size || content.Close() != nil {
				t.Errorf("%s: %d bytes, %v; listed are %d", f.Place, n, err, f.Size)
			}
		}
	}
	if kept.Len() != 0 {
		t.Errorf("%d files are kept", kept.Len())
	}
}

func TestOtherFilesComeFromTheStore(t *testing.T) {
	s := SampleStore{files.NewMemory(1 << 20)}
	at := worldFiles(0)[0][0].Place
	withoutDay := at[:strings.LastIndex(at, "-")]
	withoutIndex := withoutDay[:strings.LastIndex(withoutDay, "-")]
	for _, at := range []string{
		"other", "sample-", "sample-x-0-0", "sample-x", at + "0", at + "-1", at[:len(at)-1] + "-1", at[:len(at)-2],
		withoutIndex, withoutIndex + "-99", withoutIndex + "--1", withoutIndex + "-00", withoutDay + "-20261301",
	} {
		if _, err := s.Open(t.Context(), at); !errors.Is(err, files.ErrMissing) {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// Databases of earlier versions have keys without the day of the flight.
func TestKeysWithoutADayAreRead(t *testing.T) {
	at := worldFiles(0)[0][0].Place
	content, err := SampleStore{files.NewMemory(1)}.Open(t.Context(), at[:strings.LastIndex(at, "-")])
	if err != nil {
		t.Fatal(err)
	}
	photo, err := io.ReadAll(content)
	if err != nil || content.Close() != nil || !bytes.Contains(photo, []byte("2024:06:21")) {
		t.Errorf("%d bytes, %v", len(photo), err)
	}
}

// The photos of each mission are from the day of its flight.
func TestSampleFilesAreFromTheDayOfTheFlight(t *testing.T) {
	s := SampleStore{files.NewMemory(1)}
	for _, o := range BuildWorld(noon, noon, WorldOptions{}).Orders {
		for _, m := range o.Missions {
			if len(m.Packages) == 0 {
				continue
			}
			content, err := s.Open(t.Context(), m.Packages[0].Files[0].Place)
			if err != nil {
				t.Fatal(err)
			}
			photo, err := io.ReadAll(content)
			if err != nil || content.Close() != nil {
				t.Fatal(err)
			}
			if day := m.FlightDate.UTC().Format("2006:01:02"); !bytes.Contains(photo, []byte(day)) {
				t.Errorf("%s: the photo is not from %s", o.Request.Order.OrderName, day)
			}
		}
	}
}

func TestFilesOfAnotherSizeAreListed(t *testing.T) {
	const size = 200_000
	for _, list := range worldFiles(size) {
		sums := map[api.Deliverable]int64{}
		for _, f := range list {
			sums[f.Kind] += f.Size
		}
		for kind, sum := range sums {
			if sum < size*9/10 || sum > size {
				t.Errorf("%s: %d bytes of %s", list[0].Place, sum, kind)
			}
		}
	}
}

// The service has saved the digests of files that an earlier version created.
func TestFilesWithoutADayKeepTheirContent(t *testing.T) {
	open := func(place string) []byte {
		content, err := SampleStore{files.NewMemory(1)}.Open(t.Context(), place)
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(content)
		if err != nil || content.Close() != nil {
			t.Fatal(err)
		}
		return all
	}
	rasters := 0
	for id, source := range sampleSources() {
		old := product.Mission{Location: source.Location, Deliverables: source.Deliverables, FixedMargin: true}
		list, err := product.Files(old, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range list {
			if !strings.HasSuffix(f.Name, ".tif") {
				continue
			}
			rasters++
			content, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			want, err := io.ReadAll(content)
			if err != nil || content.Close() != nil {
				t.Fatal(err)
			}
			if place := (sampleKey{source: id, index: i}).String(); !bytes.Equal(open(place), want) {
				t.Errorf("%s has other content", place)
			}
		}
	}
	if rasters == 0 {
		t.Error("no raster was read")
	}
}

// Files without a day have the content of an earlier version.
func TestFilesOfTheDemoHaveADay(t *testing.T) {
	for _, list := range worldFiles(0) {
		for _, f := range list {
			if key, ok := parseSampleKey(f.Place); !ok || key.flown.IsZero() {
				t.Errorf("%s has no day", f.Place)
			}
		}
	}
}
