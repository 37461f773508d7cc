package kmlcsv

import (
	"testing"

	"github.com/paulmach/orb"
)

const square = "10,50 10.01,50 10.01,50.01 10,50.01 10,50"

func TestParseTellsFormats(t *testing.T) {
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

func TestCodesAreDistinct(t *testing.T) {
	seen := make(map[Code]bool)
	for _, c := range Codes() {
		if c == "" || seen[c] {
			t.Errorf("code %q is empty or comes twice", c)
		}
		seen[c] = true
	}
}
