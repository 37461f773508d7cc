package kmlcsv

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/paulmach/orb"
)

func TestTemplateRoundTrip(t *testing.T) {
	res, err := Parse(Template(), Options{NoPlaces: true})
	if err != nil || len(res.Warnings) > 0 || len(res.Placemarks) != 3 {
		t.Fatalf("%+v, %v", res, err)
	}
	var out bytes.Buffer
	if err := WriteCSV(&out, res.Placemarks); err != nil || out.String() != string(Template()) {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// checkRoundTrip writes placemarks as KML and as CSV and reads them again.
func checkRoundTrip(t *testing.T, ps []Placemark) {
	t.Helper()
	for _, w := range []struct {
		format Format
		write  func(io.Writer, []Placemark) error
	}{{FormatKML, WriteKML}, {FormatCSV, WriteCSV}} {
		var out bytes.Buffer
		if err := w.write(&out, ps); err != nil || strings.Contains(out.String(), "<ExtendedData></") {
			t.Fatalf("%s: %v\n%s", w.format, err, out.String())
		}
		res, err := Parse(out.Bytes(), Options{NoPlaces: true, MaxBytes: 1 << 30})
		if err != nil || res.Format != w.format || len(res.Placemarks) != len(ps) || res.Skipped > 0 {
			t.Fatalf("%s: %d placemarks, %v\n%s", w.format, len(ps), err, out.String())
		}
		for i, got := range res.Placemarks {
			want := ps[i]
			if got.Name != want.Name || got.Country != want.Country || got.City != want.City || !orb.Equal(got.Geometry, want.Geometry) ||
				got.Area != want.Area || got.Length != want.Length {
				t.Fatalf("%s: placemark %d is %+v, was %+v\n%s", w.format, i, got, want, out.String())
			}
		}
	}
	var out bytes.Buffer
	if err := WriteGeoJSON(&out, ps); err != nil {
		t.Fatal(err)
	}
	checkGeoJSON(t, out.Bytes(), ps)
}

func checkGeoJSON(t *testing.T, data []byte, ps []Placemark) {
	t.Helper()
	var collection struct {
		Type     string
		Features []struct {
			Type       string
			Properties struct {
				LocationLabel, Country, City, MissionType string
				AreaSize, Length                          float64
			}
			Geometry json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &collection); err != nil || collection.Type != "FeatureCollection" || len(collection.Features) != len(ps) {
		t.Fatalf("%v\n%s", err, data)
	}
	for i, f := range collection.Features {
		want, p := ps[i], f.Properties
		if f.Type != "Feature" || p.LocationLabel != want.Name || p.Country != want.Country || p.City != want.City ||
			p.MissionType != string(want.Kind()) || p.AreaSize != want.Area || p.Length != want.Length {
			t.Fatalf("feature %d is %+v, was %+v", i, f, want)
		}
		figures, problem := geoJSONCell(f.Geometry)
		if problem != nil || len(figures) != 1 {
			t.Fatalf("geometry %s: %s", f.Geometry, problem)
		}
		points := figures[0].points
		switch g := want.Geometry.(type) {
		case orb.Point:
			if points[0] != g {
				t.Errorf("%v, was %v", points, g)
			}
		case orb.LineString:
			if !orb.LineString(points).Equal(g) {
				t.Errorf("%v, was %v", points, g)
			}
		case orb.Polygon:
			if back := orb.Ring(points).Clone(); !back.Equal(g[0]) {
				back.Reverse()
				if !back.Equal(g[0]) || g[0].Orientation() == orb.CCW {
					t.Errorf("%v, was %v", points, g)
				}
			}
			if len(figures[0].holes) != len(g)-1 {
				t.Errorf("%d holes, were %d", len(figures[0].holes), len(g)-1)
			}
		}
	}
}

func TestRoundTrip(t *testing.T) {
	hole := orb.Ring{{10.002, 50.002}, {10.004, 50.002}, {10.004, 50.004}, {10.002, 50.002}}
	outer := orb.Ring{{10, 50}, {10.01, 50}, {10.01, 50.01}, {10, 50.01}, {10, 50}}
	ps := []Placemark{
		NewPlacemark("Köln & Söhne <1>", orb.Point{6.9603, 50.9375}),
		NewPlacemark(`"quoted", with; commas|bars`, orb.Point{-0.1, -89.99999999999999}),
		NewPlacemark("=HYPERLINK(1)", orb.Point{math.Nextafter(180, 0), 5e-324}),
		NewPlacemark("'=x", orb.Point{1e-7, 1}),
		NewPlacemark("-5", orb.Point{0, 1}),
		NewPlacemark("line", orb.LineString{{179.9, 1}, {-179.9, 1}, {-179.8, 1.123456789012345}}),
		NewPlacemark("field", orb.Polygon{outer}),
		NewPlacemark("field, the other way", orb.Polygon{outer, hole}),
		NewPlacemark("clockwise", orb.Polygon{{{0, 0}, {0, 1}, {1, 1}, {0, 0}}}),
		NewPlacemark("&amp; ]]> &lt;", orb.Point{1, 2}),
	}
	for i := range ps {
		if i%2 == 0 {
			ps[i].Country, ps[i].City = "Côte d'Ivoire", "@home, \"x\""
		}
	}
	checkRoundTrip(t, ps)
}

// A KML file is unchanged if it is converted to CSV and back.
func TestRoundTripOfFiles(t *testing.T) {
	for seed := range uint64(300) {
		res, err := Parse([]byte(randomDocument(seed)), Options{NoPlaces: true})
		if err == nil {
			checkRoundTrip(t, res.Placemarks)
		}
	}
}

func TestNew(t *testing.T) {
	open := orb.Ring{{10, 50}, {10.01, 50}, {10.01, 50.01}}
	p := NewPlacemark("  a\n\x1b b ", orb.Polygon{open})
	if p.Name != "a b" || p.Kind() != Area || len(p.Geometry.(orb.Polygon)[0]) != 4 || len(open) != 3 || p.Area < 398e3 || p.Area > 399e3 {
		t.Errorf("%+v", p)
	}
	if p := NewPlacemark(" ", orb.LineString{{10, 50}, {10, 51}}); p.Name == "" || p.Kind() != Linear || p.Length < 111e3 || p.Length > 112e3 || p.Area != 0 {
		t.Errorf("%+v", p)
	}
}

// short fails after a number of bytes, like a full disk.
type full int

func (f *full) Write(b []byte) (int, error) {
	if *f -= full(len(b)); *f < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

func TestWritersReportErrors(t *testing.T) {
	many := make([]Placemark, 1000)
	for i := range many {
		many[i] = NewPlacemark("a", orb.Point{1, 2})
	}
	for name, write := range map[string]func(io.Writer, []Placemark) error{"KML": WriteKML, "CSV": WriteCSV, "GeoJSON": WriteGeoJSON} {
		disk := full(5000)
		if err := write(&disk, many); err == nil {
			t.Errorf("%s: no error from a full disk", name)
		}
		err := write(io.Discard, []Placemark{{Name: "x"}})
		if err == nil || !strings.Contains(err.Error(), `"x"`) {
			t.Errorf("%s: no geometry: %v", name, err)
		}
	}
}
