package kmlcsv

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strings"
	"testing"

	"github.com/paulmach/orb"
)

const square = "10,50 10.01,50 10.01,50.01 10,50.01 10,50"

func TestParseRecognisesFormats(t *testing.T) {
	kml := `<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>A</name><Point><coordinates>10,50</coordinates></Point></Placemark></kml>`
	for name, c := range map[string]struct {
		data   string
		format Format
	}{
		"KML": {kml, FormatKML},
		"CSV": {"name,lat,lng\nA,50,10\n", FormatCSV},
	} {
		res, err := Parse([]byte(c.data), Options{})
		if err != nil || res.Format != c.format || len(res.Placemarks) != 1 {
			t.Fatalf("%s: %+v, %v", name, res, err)
		}
		p := res.Placemarks[0]
		if p.Name != "A" || p.Geometry != orb.Geometry(orb.Point{10, 50}) || p.Kind() != Asset {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestWarningsNameTheirPlacemark(t *testing.T) {
	res, err := Parse([]byte("name,lat,lng,x\nA,50,10,\nB,x,10,\nC,50,10,,z\n\"D\x01\",50,11,,z\n"), Options{NoPlaces: true})
	if err != nil || res.Skipped != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	got := ""
	for _, w := range res.Warnings {
		got += fmt.Sprint(w.Index, " ", w.Code, ", ")
	}
	if want := "-1 coordinates-unreadable, 1 extra-cells, 2 characters-dropped, 2 extra-cells, "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Beyond the limit, warnings are only counted.
func TestManyWarnings(t *testing.T) {
	data := "name,lat,lng\nA,50,10\n" + strings.Repeat("B,x,10\n", 6000)
	res, err := Parse([]byte(data), Options{NoPlaces: true})
	if err != nil || len(res.Warnings) != DefaultMaxWarnings+1 || res.Skipped != 6000 {
		t.Fatalf("%d warnings, %d skipped, %v", len(res.Warnings), res.Skipped, err)
	}
	few, err := Parse([]byte(data), Options{NoPlaces: true, MaxWarnings: 2})
	if err != nil || codesOf(few.Warnings) != "-coordinates-unreadable -coordinates-unreadable more-warnings" {
		t.Errorf("%v, %v", few, err)
	}
	if w := res.Warnings[DefaultMaxWarnings]; w.Code != MoreWarnings || w.Message != "1000 more warnings" {
		t.Errorf("%+v", w)
	}
}

// A file that was not understood has no result. A file without usable sites has one.
func TestErrorsWithAndWithoutAResult(t *testing.T) {
	for data, want := range map[string]bool{
		"<kml/>": true, "<kml": false, "a,b\n1,2\n": true, "lat,lng\n": true, "lat,lng\n\"1": false, "x,y\n1e6,2e6\n": true, "": false,
		"lat,lng\n95,100\n": true,
	} {
		res, err := Parse([]byte(data), Options{NoPlaces: true})
		if err == nil || (res != nil) != want {
			t.Errorf("%q: %v, %v", data, res, err)
		}
		if e := (*Error)(nil); !errors.As(err, &e) || e.isOf(TooLarge) {
			t.Errorf("%q: %v", data, err)
		}
	}
	if _, err := Parse([]byte("<kml/>"), Options{Format: FormatGeoJSON}); err == nil {
		t.Error("GeoJSON is not read")
	}
}

func TestCodesAreDistinct(t *testing.T) {
	seen := make(map[string]bool)
	file, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if seen[lit.Value] || lit.Value == `""` {
				t.Errorf("code %s is empty or comes twice", lit.Value)
			}
			seen[lit.Value] = true
		}
		return true
	})
}

func TestAPointMayHaveAFourthNumber(t *testing.T) {
	const kml = `<kml><Placemark><name>A</name><Point><coordinates>%s</coordinates></Point></Placemark></kml>`
	res, err := Parse([]byte(fmt.Sprintf(kml, "-122.08,37.42,0,20")), Options{NoPlaces: true})
	if err != nil || len(res.Placemarks) != 1 || res.Placemarks[0].Geometry != orb.Geometry(orb.Point{-122.08, 37.42}) {
		t.Fatal(res, err)
	}
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0].Message, "fourth number") {
		t.Error(res.Warnings)
	}
	if _, err := Parse([]byte(fmt.Sprintf(kml, "8,54,47,38")), Options{NoPlaces: true}); err == nil {
		t.Error("a decimal comma is read as longitude and latitude")
	}
}

func TestABrokenKMLFileIsNotReadAsCSV(t *testing.T) {
	_, err := Parse([]byte("kml xmlns=\"x\"\nplacemark\n"), Options{Name: "Sites.KML"})
	if err == nil || !strings.Contains(err.Error(), "not KML") {
		t.Error(err)
	}
	if _, err := Parse([]byte("name,lat,lng\nA,47.1,8.5\n"), Options{Name: "sites.kml"}); err != nil {
		t.Error("a CSV with a wrong ending is refused:", err)
	}
}

func TestColumnsOfExiftoolAndGridReferencesAreRead(t *testing.T) {
	const mgrs = "name,mgrs\nA,32TMT6540047100\nB,32T MT 65401 47101\n"
	if res, err := Parse([]byte(mgrs), Options{NoPlaces: true}); err != nil || len(res.Placemarks) != 2 {
		t.Error("a column of grid references:", res, err)
	}
	const csv = "SourceFile,GPSLatitude,GPSLongitude\nDJI_0001.JPG,\"8 deg 27' 55.22\"\" N\",\"98 deg 31' 12.60\"\" E\"\n"
	res, err := Parse([]byte(csv), Options{NoPlaces: true})
	if err != nil || len(res.Placemarks) != 1 || res.Placemarks[0].Name != "DJI_0001.JPG" {
		t.Fatal(res, err)
	}
	if p := res.Placemarks[0].Geometry.(orb.Point); math.Abs(p[1]-8.465339) > 1e-6 || math.Abs(p[0]-98.520167) > 1e-6 {
		t.Error(p)
	}
}

func TestHemispheresAreReadFromSeparateColumns(t *testing.T) {
	for csv, want := range map[string]orb.Point{
		"SourceFile,GPSLatitudeRef,GPSLatitude,GPSLongitudeRef,GPSLongitude\nA,South,\"33 deg 30' 0.00\"\"\",West,\"70 deg 15' 0.00\"\"\"\n":             {-70.25, -33.5},
		"SourceFile,GPSLatitudeRef,GPSLatitude,GPSLongitudeRef,GPSLongitude\nA,S,-33.5,E,70.25\n":                                                        {70.25, -33.5},
		"name,lat,latref,lng,lngref\nA,0,s,70.25,e\n":                                                                                                    {70.25, 0},
		"SourceFile,EXIF:GPSLatitude,EXIF:GPSLongitude,Composite:GPSLatitude,Composite:GPSLongitude\nA,33.5,70.25,33 deg 30' 0.00 S,70 deg 15' 0.00 W\n": {-70.25, -33.5},
	} {
		res, err := Parse([]byte(csv), Options{NoPlaces: true})
		if err != nil || len(res.Placemarks) != 1 || res.Placemarks[0].Geometry != orb.Geometry(want) || math.Signbit(res.Placemarks[0].Geometry.(orb.Point)[1]) != (want[1] < 0) {
			t.Errorf("%s: %v, %v", csv, res, err)
		}
	}
	for _, csv := range []string{"name,lat,latref,lng,lngref\nA,33.5,N,70.25,?\n", "name,lat,latref,lng,lngref\nA,33.5,N,70.25,\nB,33.5,N,-70.25,W\n"} {
		res, err := Parse([]byte(csv), Options{NoPlaces: true})
		if res == nil || res.Skipped != 1 || res.Warnings[0].Code != WrongHemisphere {
			t.Errorf("%s: a side is guessed: %v, %v", csv, res, err)
		}
	}
	res, err := Parse([]byte("name,lat,latref,lng,lngref\nA,33.5,S,7O.25,W\nB,33.5,S,70.25,W\n"), Options{NoPlaces: true})
	if err != nil || len(res.Warnings) != 1 || res.Warnings[0].Fixed != nil {
		t.Error("a fix that loses the side is offered:", res, err)
	}
}
