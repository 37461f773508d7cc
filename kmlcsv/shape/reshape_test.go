package shape_test

import (
	"strings"
	"testing"

	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/shape"
)

// mixed is a file with two points, a line, an area and a row that cannot be read.
const mixed = "name,wkt\n" +
	"Mast,\"POINT(9.48 53.6)\"\n" +
	"Path,\"LINESTRING(9.48 53.6,9.49 53.61)\"\n" +
	"Broken,\"POINT(x)\"\n" +
	"Field,\"POLYGON((9 53,9.01 53.01,9.01 53,9 53.02,9 53))\"\n" +
	"Yard,\"POINT(9.5 53.6)\"\n"

func reshapeMixed(t *testing.T, text string) (*kmlcsv.Result, int, string, error) {
	t.Helper()
	res, err := kmlcsv.Parse([]byte(mixed), kmlcsv.Options{Name: "mixed.csv"})
	if err != nil || len(res.Placemarks) != 4 {
		t.Fatalf("%v, %v", res, err)
	}
	op, err := shape.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	unchanged, reason, err := op.Reshape(res)
	return res, unchanged, reason, err
}

func TestPlacemarksAreReshapedIfTheyFit(t *testing.T) {
	res, unchanged, reason, err := reshapeMixed(t, "rectangle 200x100")
	if err != nil || unchanged != 2 || reason != "Path: a rectangle is made from a point, not a line" {
		t.Fatalf("%d unchanged, %q, %v", unchanged, reason, err)
	}
	mast := res.Placemarks[0]
	checkSize(t, "the area of the mast", mast.Area, 20_000)
	if mast.Name != "Mast" || mast.Country != "Germany" || mast.Line != 2 || res.Placemarks[1].Kind() != kmlcsv.Linear {
		t.Errorf("%+v", res.Placemarks)
	}
	res, _, _, err = reshapeMixed(t, "corridor 40")
	if err != nil || res.Placemarks[1].Kind() != kmlcsv.Area {
		t.Errorf("%+v, %v", res.Placemarks, err)
	}
}

func TestWarningsFollowTheirPlacemarks(t *testing.T) {
	res, err := kmlcsv.Parse([]byte("name,wkt\n"+
		"Field,\"POLYGON((9 53,9.02 53,9.02 53.01,9 53.01,9 53))\"\nBow,\"POLYGON((9 53,9.01 53.01,9.01 53,9 53.02,9 53))\"\n"), kmlcsv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bow := res.Placemarks[1]
	res.Placemarks = res.Placemarks[:1]
	op := shape.Operation{Kind: shape.SplitKind, Area: 500_000}
	if _, _, err := op.Reshape(res); err != nil || len(res.Placemarks) != 3 || res.Placemarks[2].Name != "Field (3)" {
		t.Fatalf("%+v, %v", res.Placemarks, err)
	}
	res.Placemarks = append(res.Placemarks[:1:1], bow)
	res.Warnings = []kmlcsv.Warning{{Index: 1, Message: "of the bow", Fixed: &bow}, {Index: -1}}
	grow := shape.Operation{Kind: shape.GrowKind, Metres: 5}
	if _, _, err := grow.Reshape(res); err == nil || !strings.HasPrefix(err.Error(), "Bow: its boundary crosses itself") {
		t.Errorf("the error is %v", err)
	}
	hull := shape.Operation{Kind: shape.HullKind}
	if _, _, err := hull.Reshape(res); err != nil || len(res.Placemarks) != 1 || res.Placemarks[0].Name != "Hull of 2 sites" {
		t.Errorf("%+v, %v", res.Placemarks, err)
	}
	if res.Warnings[0].Index != 0 || res.Warnings[0].Fixed != nil || res.Warnings[1].Index != -1 {
		t.Errorf("%+v", res.Warnings)
	}
}

func TestAnOperationThatFitsNothingIsRefused(t *testing.T) {
	res, err := kmlcsv.Parse([]byte("name,lat,lng\nMast,53.6,9.48\n"), kmlcsv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = shape.Operation{Kind: shape.CorridorKind, Metres: 5}.Reshape(res)
	if err == nil || err.Error() != "no placemark fits: Mast: a corridor is made from a line, not a point" {
		t.Errorf("the error is %v", err)
	}
}
