package neworder_test

import (
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestAnOrderIsMadeByHand(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n", "ctrl+n")
	d.Sees("New site", "Coordinates, a map link or WKT")
	d.Type(`N 53° 36' 4.3", E 9° 28' 55.6"`)
	d.Sees("→ 53.6012 N 9.4821 E (Stade, Germany)", "Germany")
	d.Press("enter")
	d.Sees("[2 Sites]", "1 site, 1 included", "Stade")
	d.Press("i")
	d.Type("53.61 9.49; 53.62 9.49; 53.62 9.5")
	d.Sees("→ a boundary: 3 points (Stade, Germany)", "Stade 2")
	d.Press("tab", "ctrl+u")
	d.Type("Polder")
	d.Press("enter")
	d.Sees("2 sites, 2 included", "Polder", "Area")
	d.Press("]", "shift+tab", "shift+tab", "shift+tab")
	d.Type("wat")
	d.Press("ctrl+s", "S", "enter")
	o := d.Newest()
	if o.OrderName != "Stade" || len(o.Missions) != 2 || o.Missions[0].LocationMap[0].Lat < 53.6 || o.Missions[1].MissionName != "Polder" ||
		o.Missions[1].MissionType != api.MissionArea || *o.Missions[1].AreaSize < 300_000 {
		t.Errorf("%+v", o)
	}
}

func TestCoordinatesAreTypedAndPastedInThePlaceOfAFile(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("47.3769, 8.5417")
	d.Sees("enter adds this site")
	d.Press("enter")
	d.Sees("New site", "Zürich, Switzerland")
	d.Press("enter")
	d.Sees("[2 Sites]", "1 site")
	d.Press("[")
	d.Paste("https://www.google.com/maps/@46.948,7.4474,15z")
	d.Sees("New site", "→ the centre of the link's map: 46.9480 N 7.4474 E", "Bern")
	d.Press("enter")
	d.Sees("2 sites")
	d.Paste("MULTIPOINT (8.1 47.1, 8.2 47.2)")
	d.Sees("2 sites")
	d.Press("enter")
	d.Sees("4 sites", "(1)", "(2)")
	d.Paste("no such thing")
	d.Sees("Not a path or coordinates")
	d.Press("i")
	d.Type("47.1")
	d.Press("enter")
	d.Sees("! Place", "the longitude is missing")
	d.Press("esc")
	d.Sees("4 sites")
}

func TestAPointOnTheMapIsASite(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "m")
	d.Sees("╋")
	d.Press("l", "i")
	d.Sees("New site", "Place        53.6", ", 9.4", "E (Stade, Germany)")
	d.Press("enter")
	d.Sees("6 sites", "Stade")
	d.Press("m")
	d.SeesNot("╋")
	click := tea.MouseClickMsg{X: 116, Y: 8, Button: tea.MouseLeft}
	d.Send(click)
	d.Send(click)
	d.Sees("New site", "Place        53.6")
}

func TestASiteThatCouldNotBeReadIsGivenItsPlace(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Write("sites.csv", "name,lat,lng\nGood,48.4,11.7\nBad,48.4O,11.8\n")
	d.Press("n")
	d.Type("sites")
	d.Press("enter", "!")
	d.Sees("2 sites, 1 included", "row 3: the latitude is ambiguous")
	d.Press("e")
	d.Type("48.40, 11.8")
	d.Sees("→ 48.4000 N 11.8000 E")
	d.Press("enter")
	d.Sees("2 sites, 2 included")
	d.SeesNot("ambiguous")
	d.Press("x") // reading the file anew keeps what was given by hand
	d.Sees("2 sites, 2 included", "Bad")
	d.Press("x", "G", "e")
	d.Sees("48.4, 11.8")
}

func TestSitesAreMergedAndSplit(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Write("sites.csv", "name,lat,lng\nMast (north),48.4,11.7\nMast (south),48.5,11.8\nYard,48.6,11.9\n")
	d.Press("n")
	d.Type("sites")
	d.Press("enter", "c")
	d.Sees("2 sites, 2 included", "▸ ✓   Mast   ", "Merged Mast (north) and Mast (south) · u to undo")
	d.Press("t")
	d.Sees("Line", "13.3")
	d.Press("s")
	d.Sees("split: a line needs a point between its ends to split")
	d.Press("t", "s")
	d.Sees("3 sites, 3 included", "Mast (1)", "Mast (2)")
	d.Press("u")
	d.Sees("2 sites", "Undone: split Mast")
	d.Press("j", "c")
	d.Sees("merge: no next site of this type; press V to mark the sites to merge")
}

func TestAreasAreMergedWhereTheyTouchAndElseAskedAbout(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Write("areas.csv", "name,wkt\n"+
		"West,\"POLYGON((11 48,11.01 48,11.01 48.01,11 48.01,11 48))\"\nEast,\"POLYGON((11.01 48,11.02 48,11.02 48.01,11.01 48.01,11.01 48))\"\n"+
		"Far,\"POLYGON((11.04 48,11.05 48,11.05 48.01,11.04 48.01,11.04 48))\"\n")
	d.Press("n")
	d.Type("areas")
	d.Press("enter", "c")
	d.Sees("2 sites, 2 included", "165.9 ", "83.0 ")
	d.Press("g", "shift+down", "shift+down", "c")
	d.Sees("Merge 2 areas", "These areas share no edge", "encloses 414.8 ha; separately they", "cover 248.9 ha")
	d.Press("enter")
	d.Sees("1 site, 1 included", "414.8 ha")
	d.Press("s")
	d.Sees("split: an area cannot be split")
	d.Press("t", "s")
	d.Sees("Split West", "Parts        2", "of similar length")
	d.Press("enter")
	d.Sees("2 sites", "West (1)", "West (2)")
	d.Press("u", "u", "u", "u", "u", "u")
	d.Sees("Nothing to undo")
}

func TestSeveralSitesAreChangedAtOnce(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Write("sea.csv", "name,lat,lng\nA,20.1,-40.1\nB,20.2,-40.2\nC,20.3,-40.3\n") // far out at sea
	d.Press("n")
	d.Type("sea")
	d.Press("enter")
	d.Sees("3 sites, 3 included")
	d.Press("shift+down", "shift+down", "space")
	d.Sees("3 sites, 1 included", "Excluded 2 sites · u to undo")
	d.Press("esc", "]")
	d.Sees("[2 Sites]", "Set country: C")
	d.Type("portu")
	d.Press("enter")
	d.Sees("[3 Details]")
	d.Press("ctrl+b", "ctrl+a", "ctrl+a", "ctrl+a", "]")
	d.Sees("Set country: A and B")
	d.Press("enter")
	d.Sees("country required")
	d.Type("Sp")
	d.Press("backspace", "backspace")
	d.Type("spa")
	d.Press("enter")
	d.Sees("[3 Details]")
	d.Press("ctrl+b")
	d.Sees("Spain", "Portugal")
	d.Press("G", "e")
	d.Type(strings.Repeat("x", 201))
	d.Sees("too long: 201 of 200 characters")
}

func TestSeveralFilesAreDroppedPastedAndMarked(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	a, b := filepath.Join(d.Options.Folder, "elbe_levee.kml"), filepath.Join(d.Options.Folder, "pylons.csv")
	spaced := d.Write("two words.csv", "name,lat,lng\nSpaced,48.4,11.7\n")
	d.Press("n")
	d.Paste("'" + a + "' " + strings.ReplaceAll(spaced, " ", `\ `) + " ")
	d.Sees("[2 Sites]", "elbe_levee.kml · two w", "6 sites")
	d.Paste("file://" + b)
	d.Sees("12 sites")
	d.Paste(a + "\n" + filepath.Join(d.Options.Folder, "missing.kml") + "\n")
	d.Sees("1 file not read", "missing.kml: no such file")
	d.Press("esc")
	d.Sees("12 sites")
	d.Press("ctrl+x", "enter", "shift+down", "shift+down")
	d.Sees("✓ elbe_levee.kml", "✓ harbour.kml", "2 files marked · enter to open")
	d.Press("enter")
	d.Sees("[2 Sites]", "elbe_levee.kml · harb")
}

func TestADraftByHandOutlastsTheApp(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.Open(t, 120, 36, keep)
	d.Press("n", "ctrl+n")
	d.Type("MULTIPOINT (9.1 53.1, 9.2 53.2)")
	d.Press("enter", "c")
	d.Sees("1 site, 1 included")
	d.Close()
	next := apptest.Open(t, 120, 36, keep)
	next.Press("n")
	next.Sees("1 site, 1 included")
	next.Press("s")
	next.Sees("2 sites, 2 included")
}
