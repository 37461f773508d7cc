package kmlcsv

import (
	"bytes"
	"testing"
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
