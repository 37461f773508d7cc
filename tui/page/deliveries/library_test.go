package deliveries_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

func TestADatasetIsFetchedLikeADelivery(t *testing.T) {
	x := openDeliveries(t, 140, 40)
	_, err := x.ops.Datasets.Add(t.Context(), x.account, ops.DatasetInput{
		DatasetName: "Harz canopy\x1b[2J", Categories: []string{"Forest"}, SDGGoals: []string{"Life on land"}, LocationLabel: "Goslar",
		LocationMap:   []api.Point{{Lat: 51.9, Lng: 10.4}, {Lat: 51.9, Lng: 10.5}, {Lat: 51.8, Lng: 10.5}},
		DateCompleted: api.DateOf(time.Date(2026, 10, 3, 0, 0, 0, 0, time.UTC)),
	},
		api.FileInput{Name: "canopy.csv", FileDataType: "jpg", Content: strings.NewReader("tree;height\nfir;31\nbeech;28\n")},
		api.FileInput{Name: "dtm.tif", FileDataType: "digitalTerrainModel", Content: strings.NewReader(strings.Repeat("t", 5000))})
	if err != nil {
		t.Fatal(err)
	}
	x.Press("6")
	x.RequireText("Harz canopy␛[2J", "Forest", "Life on land", "Goslar", "3 Oct")
	x.Press("enter")
	x.RequireText("Library › Harz canopy", "canopy.csv", "dtm.tif", "5.0 kB", "2 new files")
	x.Press("j", "f")
	x.until(t, "one file", idle)
	x.Press("enter")
	x.RequireText("no preview of .csv files; o opens the file")
	x.Press("esc", "f")
	x.until(t, "the other", idle)
	x.RequireText("✓")
	x.Press("esc")
	x.RequireText("✓ 2")
	x.Close()
	x.start(t, x.Client, 140, 40) // the next run has an empty queue
	x.Press("6")
	x.RequireText("✓ 2")
	x.SeesNot("New")
	found, err := filepath.Glob(filepath.Join(x.folder, "library", "*", "*.tif"))
	if err != nil || len(found) != 1 {
		t.Fatalf("found %v, %v", found, err)
	}
	if info, err := os.Stat(found[0]); err != nil || info.Size() != 5000 || strings.ContainsRune(found[0], '\x1b') {
		t.Errorf("%q is %+v, %v", found[0], info, err)
	}
	if err := os.Remove(found[0]); err != nil {
		t.Fatal(err)
	}
	x.Press("2", "6")
	x.RequireText("1 of 2")
}
