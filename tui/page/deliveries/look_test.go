package deliveries

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGeoJSONOfAllKindsIsRead(t *testing.T) {
	s, err := seeGeo(strings.NewReader("\ufeff" + `{"type":"FeatureCollection","features":[
		{"type":"Feature","properties":{"height":3,"name":"a"},"geometry":{"type":"LineString","coordinates":[[4,51],[5,52,7]]}},
		{"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]]]}},
		{"type":"Feature","geometry":{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"Point","coordinates":"x"}]}},
		{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[]]}},
		{"type":"Feature","geometry":{"type":"MultiLineString","coordinates":[[[1]],[]]}},
		{"type":"Feature","geometry":null}]}`))
	if err != nil || len(s.geo.features) != 3 || s.about != "6 features" {
		t.Fatalf("%+v, %v", s, err)
	}
	if text := strings.Join(s.geo.lines, "\n"); !strings.Contains(text, "LineString 1") || !strings.Contains(text, "with height, name") {
		t.Errorf("it says %q", text)
	}
	for _, bad := range []string{"", "[]", `{"type":"FeatureCollection"}`, `{"type":"Point","coordinates":{}}`, `{"type":"Polygon","coordinates":[[[1,2]]]}`, "{"} {
		if s, err := seeGeo(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is %+v", bad, s.geo)
		}
	}
}

func TestTextIsCutAndCleaned(t *testing.T) {
	s, err := seeText(strings.NewReader("a\x1b[31mb\r\n\tc\xff\n" + strings.Repeat("x\n", textMost)))
	if err != nil || s.lines[0] != "a␛[31mb" || s.lines[1] != "    c�" || s.about != "first 65.5 kB" {
		t.Errorf("%q, %+v, %v", s.lines[:2], s.about, err)
	}
	if _, err := seeText(strings.NewReader("a\x00b")); err == nil {
		t.Error("bytes are text")
	}
}

func TestACSVStandsInColumns(t *testing.T) {
	s, err := seeCSV(strings.NewReader("name,height\n\"fir, old\",31\nbeech\n"))
	if err != nil || len(s.lines) != 3 || s.lines[1] != "fir, old  31" || s.about != "2 rows" {
		t.Errorf("%q, %q, %v", s.lines, s.about, err)
	}
}

func TestOnlyWhatIsBelowTheFolderIsOpened(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(dir, "a.jpg"), filepath.Join(out, "b.jpg")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(out, "b.jpg"), filepath.Join(dir, "link.jpg")); err != nil {
		t.Fatal(err)
	}
	var opened []string
	opener := func(path string) error { opened = append(opened, path); return nil }
	for _, path := range []string{filepath.Join(out, "b.jpg"), filepath.Join(dir, "..", "x"), filepath.Join(dir, "link.jpg"), filepath.Join(dir, "gone.jpg"), "-version", "http://example.com/a.jpg"} {
		if got, err := openLocal(dir, path, false, opener); err == nil {
			t.Errorf("%s is opened as %s", path, got)
		}
	}
	if len(opened) > 0 {
		t.Errorf("opened %v", opened)
	}
	for path, folder := range map[string]bool{filepath.Join(dir, "a.jpg"): false, dir: true, filepath.Join(dir, "gone.jpg"): true} {
		if _, err := openLocal(dir, path, folder, opener); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := openLocal(dir, filepath.Join(dir, "a.jpg"), false, func(string) error { return errors.New("no") }); err == nil {
		t.Error("a program that does not start is no fault")
	}
}
