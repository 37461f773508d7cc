package fetch

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"flightdesk/api"
)

// legacy is a v2 API with links to a storage.
func (s *storage) legacy() *api.Client {
	links := func(asked []string) map[string]any {
		files, _ := s.list(s.t.Context())
		base, processed := []string{}, map[string][]string{}
		for _, f := range files {
			link := strings.Replace(f.URL, "?", "/"+f.Name+"?", 1)
			switch {
			case f.Product == "jpg" && len(asked) == 0:
				base = append(base, link)
			case f.Product != "jpg" && (len(asked) == 0 || slices.Contains(asked, string(f.Product))):
				processed[string(f.Product)] = append(processed[string(f.Product)], link)
			}
		}
		return map[string]any{"baseFiles": base, "processedData": processed}
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ FileDataType []string }
		text, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(text, &body)
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(r.URL.Path, "library") && len(body.FileDataType) > api.MaxLibraryFilters {
			http.Error(w, "{}", http.StatusBadRequest)
			return
		}
		files, _ := json.Marshal(links(body.FileDataType))
		if strings.Contains(r.URL.Path, "library") && len(body.FileDataType) == 0 {
			files = []byte(strings.Replace(string(files), `"processedData"`, `"other"`, 1))
		}
		fmt.Fprintf(w, `{"id":"one","orderCode":"ORD-7","orderName":"Harbour","datasetName":"Harbour: 2025/26","deliveryFiles":%s}`, files)
	}))
	s.t.Cleanup(service.Close)
	transport := NewTransport(nil)
	s.t.Cleanup(transport.CloseIdleConnections)
	c, err := api.NewClient(service.URL+"/api/v1/public", api.WithKey("key"), api.WithLegacyURL(service.URL+"/api/v2"), api.WithTransport(transport))
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func linkedStorage(t *testing.T) *storage {
	return newStorage(t,
		&object{name: "a.jpg", product: "jpg", content: []byte("first")},
		&object{name: "a.jpg", product: "jpg", content: []byte("second")},
		&object{name: "map.tif", product: "_2dMap", content: []byte("the map")},
		&object{name: "cloud.laz", product: "LiDAR", content: []byte("points")},
		&object{name: "heights.tif", product: "hyperspectral", content: []byte("bands")},
	)
}

func TestRecord(t *testing.T) {
	s := linkedStorage(t)
	p, err := Record(t.Context(), s.legacy(), "one")
	if err != nil || len(p.Files) != 5 || p.Files[0].Size != -1 {
		t.Fatalf("%+v, %v", p, err)
	}
	s.expire()
	d := queue(t, "", nil)
	items := d.fetch(p)
	for i, want := range []string{"a.jpg", "a (2).jpg", "cloud.laz", "map.tif", "heights.tif"} {
		if path := filepath.Join(d.dir, "ORD-7", "record", want); !slices.ContainsFunc(items, func(it Item) bool { return it.Path == path && it.State == Done }) {
			t.Errorf("%d: no %s in %+v", i, path, items)
		}
	}
	if items[0].Verified != ByReprDigest || items[0].Size != 5 || items[1].Size != 6 {
		t.Errorf("%+v", items[:2])
	}
	// Probe gets sizes and modification times from the server.
	again, err := p.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ages, err := d.Probe(t.Context(), again)
	if err != nil || again[0].Size != 5 || !ages[0].Equal(s.objects[0].modified) {
		t.Errorf("%+v, %v, %v", again[0], ages, err)
	}
	again[0].Size, again[0].URL = -1, s.URL+"/nothing"
	if ages, err := d.Probe(t.Context(), again); err != nil || again[0].Size != -1 || !ages[0].IsZero() {
		t.Errorf("%+v, %v, %v", again[0], ages, err)
	}
}

func TestDataset(t *testing.T) {
	s := linkedStorage(t)
	p, err := Dataset(t.Context(), s.legacy(), "one")
	if err != nil || len(p.Files) != 5 {
		t.Fatalf("%+v, %v", p, err)
	}
	d := queue(t, "", nil)
	d.states(d.fetch(p), Done)
	if want := filepath.Join(d.dir, "library", "Harbour_ 2025-26", "a.jpg"); d.Snapshot()[0].Path != want {
		t.Errorf("%s, want %s", d.Snapshot()[0].Path, want)
	}
}

// Files of a record beyond those in packages are counted, because names repeat.
func TestWithout(t *testing.T) {
	of := func(names ...string) (p Package) {
		for _, name := range names {
			product, name, _ := strings.Cut(name, "/")
			p.Files = append(p.Files, File{Product: api.Deliverable(product), Name: name})
		}
		return p
	}
	record := of("jpg/a.jpg", "jpg/a.jpg", "_2dMap/a.jpg", "_2dMap/map.tif")
	left := record.WithoutFilesOf(of("jpg/a.jpg"), of("_2dMap/map.tif", "LiDAR/cloud.laz"))
	if len(left.Files) != 2 || !reflect.DeepEqual(left.Files[0], record.Files[1]) || !reflect.DeepEqual(left.Files[1], record.Files[2]) || len(record.Files) != 4 {
		t.Errorf("%+v", left.Files)
	}
}

// A link that is signed for GET rejects HEAD.
func TestProbeWorksForLinksThatOnlyAllowGET(t *testing.T) {
	s := newStorage(t, file("map.tif", 300_000))
	d := queue(t, "", nil)
	for name, c := range map[string]struct {
		head  int
		whole bool // the server does not support ranges
		size  int64
	}{
		"refused":                {http.StatusForbidden, false, 300_000},
		"not known":              {http.StatusMethodNotAllowed, false, 300_000},
		"refused, and no ranges": {http.StatusForbidden, true, 300_000},
		"gone":                   {http.StatusNotFound, false, -1},
	} {
		s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
			if r.Method == http.MethodHead {
				w.WriteHeader(c.head)
				return true
			}
			if c.whole {
				r.Header.Del("Range")
			}
			s.give(w, r, o)
			return true
		})
		files := s.delivery().Files
		files[0].Size = -1
		ages, err := d.Probe(t.Context(), files)
		if err != nil || files[0].Size != c.size || (c.size > 0) != ages[0].Equal(s.objects[0].modified) {
			t.Errorf("%s: %d, %v, %v", name, files[0].Size, ages, err)
		}
	}
	if n := s.bytes(); n > 400_000 {
		t.Errorf("%d bytes were sent", n)
	}
}
