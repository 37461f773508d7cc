package demodata_test

import (
	"io/fs"
	"testing"

	"flightdesk/api/server/internal/demodata"
	"flightdesk/kmlcsv"
)

func TestSurveyFilesReadAsTheirDescriptionSays(t *testing.T) {
	want := map[string]struct{ placemarks, warnings int }{
		"harbour.kml": {4, 0}, "elbe_levee.kml": {4, 1}, "pylons.csv": {6, 0}, "masts.csv": {2, 1},
	}
	files, err := fs.ReadDir(demodata.Surveys(), ".")
	if err != nil || len(files) != len(want) {
		t.Fatalf("%d files, %v; want %d", len(files), err, len(want))
	}
	for _, f := range files {
		data, err := fs.ReadFile(demodata.Surveys(), f.Name())
		if err != nil {
			t.Fatal(err)
		}
		res, err := kmlcsv.Parse(data, kmlcsv.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if w := want[f.Name()]; len(res.Placemarks) != w.placemarks || len(res.Warnings) != w.warnings {
			t.Errorf("%s: %d placemarks and warnings %v, want %+v", f.Name(), len(res.Placemarks), res.Warnings, w)
		}
	}
}
