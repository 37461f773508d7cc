package ordering_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/app/ordering"
)

// reads compares the reading of a file with a response of the service.
func reads(t *testing.T, name, file string, status int, answer string) (*ordering.ServiceReading, string, error) {
	t.Helper()
	asked := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	client, err := api.NewClient(s.URL, api.WithKey("k"), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	r, err := ordering.CompareReadings(t.Context(), client, []byte(file), kmlcsv.Options{Name: name})
	return r, asked, err
}

const mastsCSV = "name,lat,lng,country,city\nOne,53.60,9.48,Germany,Stade\nTwo,53.61,9.49,Germany,Stade\nThree,53.62,9.50,Germany,Stade\n"

func TestTheReadingOfTheServiceIsCompared(t *testing.T) {
	r, asked, err := reads(t, "masts.csv", mastsCSV, 200, `{"success": true, "message": "1 row skipped", "data": {"placemarks": [
		{"locationLabel": "Four", "country": "Germany", "city": "Stade", "locationMap": [{"lat": 1, "lng": 2}]},
		{"locationLabel": "Two", "country": "Germany", "city": "Buxtehude", "locationMap": [{"lat": 53.61, "lng": 9.4900005}]},
		{"locationLabel": "1", "country": "Germany", "city": "Stade", "locationMap": [{"lat": 53.60, "lng": 9.48}]}]}}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []ordering.ReadingDifference{
		{"One", "name", "One", "1"},
		{"Two", "city", "Stade", "Buxtehude"},
		{"Two", "points", "point 1 at 53.6100000, 9.4900000", "point 1 at 53.6100000, 9.4900005"},
		{"Three", "name", "Three", "Four"},
		{"Three", "points", "point 1 at 53.6200000, 9.5000000", "point 1 at 1.0000000, 2.0000000"},
	}
	if asked != "/csv/parse" || r.Here != 3 || r.Service != 3 || r.Message != "1 row skipped" || !slices.Equal(r.Differences, want) {
		t.Errorf("%s: %+v", asked, r)
	}
	if !strings.HasSuffix(r.CountSummary(), "with 5 differences") {
		t.Error(r.CountSummary())
	}
}

func TestAFormatThatTheServiceDoesNotReadIsNotSent(t *testing.T) {
	for name, file := range map[string]string{
		"s.geojson": `{"type":"Point","coordinates":[9.48,53.6]}`,
		"s.gpkg":    "SQLite format 3\x00",
		"s.xlsx":    "PK\x03\x04",
	} {
		r, asked, err := reads(t, name, file, 500, "")
		if err != nil || asked != "" || !strings.HasSuffix(r.CountSummary(), "not sent; the service reads only KML, KMZ and CSV") {
			t.Error(name, asked, r, err)
		}
	}
}

func TestTheOtherFilesOfAShapefileAreRead(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.shp", "a.dbf", "a.PRJ", "b.dbf", "c.gpkg", "c.gpkg-wal"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := new(ordering.FileReader).ReadBeside(filepath.Join(folder, "a.shp"))
	if len(got) != 2 || string(got[".dbf"]) != "a.dbf" || string(got[".prj"]) != "a.PRJ" {
		t.Errorf("%q", got)
	}
	if got := new(ordering.FileReader).ReadBeside(filepath.Join(folder, "c.gpkg")); string(got["-wal"]) != "c.gpkg-wal" {
		t.Errorf("%q", got)
	}
	if got := new(ordering.FileReader).ReadBeside("-"); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// A ring that the service closes is equal to the open ring. A placemark that one side does not read
// is a difference.
func TestAClosedRingIsNoDifferenceAndAMissingPlacemarkIs(t *testing.T) {
	file := `<kml><Placemark><name>Levee</name><Polygon><outerBoundaryIs><LinearRing><coordinates>9.57,53.58 9.58,53.58 9.58,53.59 9.57,53.58` +
		`</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark><Placemark><name>Mast</name><Point><coordinates>9.5,53.5</coordinates></Point></Placemark></kml>`
	r, asked, err := reads(t, "sites.kml", file, 200, `{"success": true, "message": "", "data": {"placemarks": [
		{"locationLabel": "Levee", "country": "Germany", "city": "Stade", "locationMap": [{"lat": 53.58, "lng": 9.57}, {"lat": 53.58, "lng": 9.58},
		{"lat": 53.59, "lng": 9.58}, {"lat": 53.58, "lng": 9.57}]}]}}`)
	if err != nil || asked != "/kml/parse" {
		t.Fatalf("%s: %v", asked, err)
	}
	for _, d := range r.Differences {
		if d.What == "points" {
			t.Errorf("%+v", d)
		}
	}
	if last := r.Differences[len(r.Differences)-1]; last != (ordering.ReadingDifference{"Mast", "placemark", "1 point", ""}) {
		t.Errorf("%+v", r.Differences)
	}
}

func TestAFileThatTheServiceRejectsIsNoError(t *testing.T) {
	r, _, err := reads(t, "masts.csv", mastsCSV, 400, `{"success": false, "message": "no column lon", "data": null}`)
	if err != nil || !r.Refused || r.Message != "no column lon" || r.CountSummary() != "3 placemarks; the service rejects the file" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, _, err = reads(t, "masts.csv", mastsCSV, 403, `{"success": false, "message": "the key lacks orders:write"}`); err == nil {
		t.Error("a key that is refused is no comparison")
	}
}

func TestPastedTextIsReadLikeAFile(t *testing.T) {
	draft := ordering.NewDraft()
	name := draft.NewPastedName()
	read, err := new(ordering.FileReader).ReadPasted(t.Context(), name, "A\t48.71\t9.11\r\nB\tx\t9.12\r\nC\t48.73\t9.13\r\n", kmlcsv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	count, reason := read.LeftOut()
	if count != "1 of 3 rows left out" || !strings.HasPrefix(reason, "row 2: ") {
		t.Errorf("%q, %q", count, reason)
	}
	draft.AddFile(ordering.FileRead{Path: "/surveys/a.csv", Result: read.Result})
	draft.AddFile(read)
	if got := draft.LastFolder(); got != "/surveys" {
		t.Errorf("last folder is %q", got)
	}
	if got := draft.NewPastedName(); got == name {
		t.Errorf("the name %q is used twice", got)
	}
	again, err := new(ordering.FileReader).ReadWith(t.Context(), draft.FindFile(name).Reading(), kmlcsv.Options{SwapLatLng: true})
	if err != nil || again.Result.Placemarks[0].Points()[0].Lat() != 9.11 {
		t.Errorf("%+v, %v", again.Result, err)
	}
}

func TestAccountsAreDescribed(t *testing.T) {
	got := ordering.DescribeAccount(kmlcsv.Account{Unit: "geometry", Total: 1200, Sites: 1100, Skipped: 90, Other: 10})
	if want := "1,200 geometries: 1,100 read, 90 left out, 10 without data"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestReadingASurveyFileEndsWithItsContext(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	const text = "name,lat,lng\nA,48.71,9.11\nB,48.72,9.12\n"
	path := filepath.Join(t.TempDir(), "sites.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	drafts := ordering.NewDrafts(t.TempDir())
	file := ordering.File{Path: path}
	for name, read := range map[string]func() (ordering.FileRead, error){
		"file": func() (ordering.FileRead, error) {
			return new(ordering.FileReader).ReadFile(ended, path, kmlcsv.Options{})
		},
		"pasted": func() (ordering.FileRead, error) {
			return new(ordering.FileReader).ReadPasted(ended, "a", text, kmlcsv.Options{})
		},
		"again": func() (ordering.FileRead, error) {
			return new(ordering.FileReader).ReadWith(ended, file.Reading(), kmlcsv.Options{})
		},
		"draft":        func() (ordering.FileRead, error) { return drafts.ReadFile(ended, path, nil) },
		"draft pasted": func() (ordering.FileRead, error) { return drafts.ReadPasted(ended, "a", text, nil) },
	} {
		if got, err := read(); !errors.Is(err, context.Canceled) || got.Result != nil {
			t.Errorf("%s: %v, %v", name, got.Result, err)
		}
	}
	if _, err := ordering.CompareReadings(ended, nil, []byte(text), kmlcsv.Options{Name: "a.csv"}); !errors.Is(err, context.Canceled) {
		t.Errorf("compared: %v", err)
	}
}
