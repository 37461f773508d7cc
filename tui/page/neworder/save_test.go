package neworder_test

import (
	"os"
	"path/filepath"
	"testing"

	"flightdesk/kmlcsv"
	"flightdesk/tui/apptest"
)

// readSaved reads a file that the page has written.
func readSaved(t *testing.T, path string) []kmlcsv.Placemark {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	res, err := kmlcsv.Parse(data, kmlcsv.Options{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	return res.Placemarks
}

func TestSitesAreSavedWithTheirShapes(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter")
	for _, ending := range []string{".kml", ".geojson", ".csv"} {
		path := filepath.Join(t.TempDir(), "sites"+ending)
		d.Press("E")
		d.RequireText("Save sites", "4 sites of 5, as .kml, .geojson, .gpx or .csv")
		d.Press("ctrl+u")
		d.Type(path)
		d.Press("enter")
		d.RequireText("4 sites")
		saved := readSaved(t, path)
		if len(saved) != 4 || saved[0].Name != "Levee km 3" || saved[0].Area < 380_000 || saved[0].Country != "Germany" {
			t.Errorf("%s has %+v", ending, saved)
		}
	}
	d.Press("j", "shift+down", "E", "ctrl+u")
	one := filepath.Join(t.TempDir(), "one.gpx")
	d.Type(one)
	d.Press("enter")
	if saved := readSaved(t, one); len(saved) != 1 || saved[0].Name != "Levee km 4" {
		t.Errorf("the marked site is saved as %+v", saved)
	}
	d.Press("E", "ctrl+u")
	d.Type(filepath.Join(t.TempDir(), "sites.pdf"))
	d.Press("enter")
	d.RequireText("end the name with .kml, .geojson, .gpx or .csv")
}

func TestMergeJoinsTheNextRowOnly(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("mixed.csv", "name,wkt\nMast,\"POINT(11.7 48.4)\"\nPath,\"LINESTRING(11.7 48.4,11.71 48.41)\"\nYard,\"POINT(11.7001 48.4001)\"\n")
	d.Press("n")
	d.Type("mixed")
	d.Press("enter", "c")
	d.RequireText("merge: Mast is an asset, Path is a line; press t to change the type", "3 sites")
}
