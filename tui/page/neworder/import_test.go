package neworder_test

import (
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

const (
	oddCSV   = "Mast;no. a;no. b;note\nFreising;48,40;11,74;near the river\nErding;48,31;11,91;\nMoos;48,3x;11,9;\n"
	gridCSV  = "name,Ost,Nord\nDepot,512345.1,5403210.2\nYard,512399.0,5403290.9\n"
	titleCSV = "Sites 2026,,\nClient: ACME,,\n\nSite,Breite,Laenge\nAlpha,48.71,9.11\nGamma,48.73,\n"
	plots    = `{"type":"FeatureCollection","features":[
		{"type":"Feature","properties":{"id":7,"name":"North","owner":"Meier"},"geometry":{"type":"Point","coordinates":[9.48,53.6]}},
		{"type":"Feature","properties":{"id":8,"name":"South","owner":"Huber"},"geometry":{"type":"Point","coordinates":[9.49,53.6]}}]}`
)

func TestTheImportAsksForUnknownColumns(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.WriteFile("odd.csv", oddCSV)
	d.Press("n")
	d.Type("odd")
	d.Press("enter")
	d.RequireText("Import odd.csv", "Longitude    no. b", "Name         Mast", "Freising  48,40     11,74",
		"2 sites; 1 of 3 rows left out: row 4: the latitude is not a number: 48,3x", "ctrl+w warnings", "First: Freising, 48.4000 N 11.7400 E (Freising, Germany)")
	d.Press("left", "left")
	d.RequireText("✓ –", "! Select latitude and longitude, or a boundary")
	d.Press("enter")
	d.RequireText("Import odd.csv") // no column can be used without an answer
	d.Press("esc")
	d.RequireText("[1 Files]", "! odd.csv: ", "ctrl+g choose how it is read")
	d.Press("ctrl+g", "right", "tab", "left") // b and a in the other order
	d.RequireText("First: Freising, 11.7400 N 48.4000 E (", "Somalia")
	d.Press("enter")
	d.RequireText("[2 Sites]", "3 sites, 2 included", "Somalia")
	d.Press("x")
	d.RequireText("3 sites, 2 included", "Germany")
	d.Press("ctrl+g", "shift+tab", "shift+tab", "shift+tab", "shift+tab", "shift+tab", "shift+tab")
	d.RequireText(" ▸ Header row")
	d.Type("2")
	d.RequireText("1 site; 1 of 2 rows left out")
	d.Press("esc")
	d.RequireText("3 sites, 2 included")
}

func TestAnswersAreRememberedForFilesWithTheSameHeader(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.Open(t, 120, 35, keep)
	d.WriteFile("grid.csv", gridCSV)
	d.Press("n")
	d.Type("grid")
	d.Press("enter")
	d.RequireText(" ▸ System", "EPSG:25832  near Stuttgart", "? In which reference system are the coordinates?", "enter choose")
	d.SeesNot("First: ", "✓")
	d.Press("enter")
	d.RequireText("✓ EPSG:25832", "2 sites", "First: Depot, 48.7818 N 9.1680 E (Stuttgart, Germany)", "enter import")
	d.Press("tab")
	d.Type("nonsense")
	d.RequireText(`no reference system is called "nonsense"`)
	d.Press("ctrl+u")
	d.Type("25833")
	d.RequireText("15.1680 E (Vitis, Austria)")
	d.Press("enter")
	d.RequireText("[2 Sites]", "2 sites, 2 included", "Austria")
	d.Close()

	again := apptest.Open(t, 120, 35, keep)
	again.WriteFile("june.csv", strings.ReplaceAll(gridCSV, "Depot", "Hall"))
	again.Press("n", "ctrl+l", "n")
	again.Type("june")
	again.Press("enter")
	again.RequireText("[2 Sites]", "Hall", "Austria", "Added 2 sites of june.csv, read as you chose for its header")
	again.Press("ctrl+g")
	again.RequireText("Import june.csv", "✓ EPSG:25833")

	again.Press("esc")
	again.WriteFile("july.csv", gridCSV+"Silo;x;5375000\n")
	again.Press("a")
	again.Type("july")
	again.Press("enter")
	again.RequireText("Added 2 sites, 1 of 3 rows left out, read as you chose for its header · W why")
}

func TestTheNamesOfFeaturesAreChosen(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.WriteFile("plots.geojson", plots)
	d.Press("n")
	d.Type("plots")
	d.Press("enter")
	d.RequireText("North", "South")
	d.Press("ctrl+g")
	d.RequireText("Import plots.geojson", "✓ name", "Meier", "First: North")
	d.Type("owner")
	d.RequireText("First: Meier")
	d.Press("enter")
	d.RequireText("2 sites, 2 included", "Meier", "Huber")
	d.SeesNot("North")
}

func TestFilesOfSeveralKindsAreDroppedAtOnce(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	paths := []string{
		d.WriteFile("odd.csv", oddCSV), d.WriteFile("plots.geojson", plots), d.WriteFile("broken.kml", "<kml"),
		d.WriteFile("grid.csv", gridCSV), filepath.Join(d.Options.Folder, "elbe_levee.kml"),
	}
	d.Press("n")
	d.Paste(strings.Join(paths, "\n"))
	d.RequireText("Import odd.csv")
	d.Press("enter")
	d.RequireText("Import grid.csv")
	d.Press("enter", "enter")
	d.RequireText("1 file not read", "broken.kml: ")
	d.Press("esc")
	d.RequireText("[2 Sites]", "12 sites, 10 included", "North", "Levee km 3", "Freising", "Depot")
}

func TestTheSeparatorOfATableIsChosen(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.WriteFile("title.csv", titleCSV)
	d.Press("n")
	d.Type("title")
	d.Press("enter", "ctrl+g", "shift+tab", "shift+tab", "shift+tab", "shift+tab", "shift+tab")
	d.RequireText(" ▸ Separator", "✓ comma", "Header row   4", "1 site; 1 of 2 rows left out: row 6: the longitude is empty")
	d.Press("right")
	d.RequireText("✓ semicolon", "! Select latitude and longitude, or a boundary")
	d.Press("left")
	d.RequireText("✓ comma", "1 site; 1 of 2 rows left out")
}

func TestFramesOfTheImport(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.WriteFile("odd.csv", oddCSV)
	d.WriteFile("grid.csv", gridCSV)
	d.WriteFile("plots.geojson", plots)
	for _, name := range []string{"odd", "grid", "plots"} {
		d.Press("n")
		d.Type(name)
		d.Press("enter")
		if name == "plots" {
			d.Press("ctrl+g")
		}
		d.CompareFrames(t, name)
		if name == "grid" {
			d.Press("enter")
		}
		d.Press("enter", "ctrl+x", "enter", "esc")
	}
}
