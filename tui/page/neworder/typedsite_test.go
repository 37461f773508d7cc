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
	d.RequireText("New site", "Coordinates, a map link or WKT")
	d.Type(`N 53° 36' 4.3", E 9° 28' 55.6"`)
	d.RequireText("→ 53.6012 N 9.4821 E (Stade, Germany)", "Germany")
	d.Press("enter")
	d.RequireText("[2 Sites]", "1 site, 1 included", "Stade")
	d.Press("i")
	d.Type("53.61 9.49; 53.62 9.49; 53.62 9.5")
	d.RequireText("→ a boundary: 3 points (Stade, Germany)", "Stade 2")
	d.Press("tab", "ctrl+u")
	d.Type("Polder")
	d.Press("enter")
	d.RequireText("2 sites, 2 included", "Polder", "Area")
	d.Press("]")
	d.Type("wat")
	d.Press("ctrl+s", "S", "enter")
	o := d.NewestOrder()
	if o.OrderName != "Stade" || len(o.Missions) != 2 || o.Missions[0].LocationMap[0].Lat < 53.6 || o.Missions[1].MissionName != "Polder" ||
		o.Missions[1].MissionType != api.MissionArea || *o.Missions[1].AreaSize < 300_000 {
		t.Errorf("%+v", o)
	}
}

func TestCoordinatesAreTypedAndPastedInsteadOfAPath(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("47.3769, 8.5417")
	d.RequireText("enter adds this site")
	d.Press("enter")
	d.RequireText("New site", "Zürich, Switzerland")
	d.Press("enter")
	d.RequireText("[2 Sites]", "1 site")
	d.Press("[")
	d.Paste("https://www.google.com/maps/@46.948,7.4474,15z")
	d.RequireText("New site", "→ the centre of the link's map: 46.9480 N 7.4474 E", "Bern")
	d.Press("enter")
	d.RequireText("2 sites")
	d.Paste("MULTIPOINT (8.1 47.1, 8.2 47.2)")
	d.RequireText("2 sites")
	d.Press("enter")
	d.RequireText("4 sites", "(1)", "(2)")
	d.Paste("no such thing")
	d.RequireText("Not a path or coordinates")
	d.Press("i")
	d.Type("47.1")
	d.Press("enter")
	d.RequireText("! the longitude is missing")
	if shown := strings.Count(d.Screen(), "the longitude is missing"); shown != 1 {
		t.Errorf("the error is shown %d times", shown)
	}
	d.Press("esc")
	d.RequireText("4 sites")
}

func TestAPointOnTheMapIsASite(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "m")
	d.RequireText("╋")
	d.Press("l", "i")
	d.RequireText("New site", "Place        53.6", ", 9.4", "E (Stade, Germany)")
	d.Press("enter")
	d.RequireText("6 sites", "Stade")
	d.Press("m")
	d.SeesNot("╋")
	click := tea.MouseClickMsg{X: 116, Y: 8, Button: tea.MouseLeft}
	d.Send(click)
	d.Send(click)
	d.RequireText("New site", "Place        53.6")
}

func TestASiteThatCouldNotBeReadGetsAPlace(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("sites.csv", "name,lat,lng\nGood,48.4,11.7\nBad,48.4O,11.8\n")
	d.Press("n")
	d.Type("sites")
	d.Press("enter", "!")
	d.RequireText("2 sites, 1 included", "row 3: the latitude is ambiguous")
	d.Press("e")
	d.Type("48.40, 11.8")
	d.RequireText("→ 48.4000 N 11.8000 E")
	d.Press("enter")
	d.RequireText("2 sites, 2 included")
	d.SeesNot("ambiguous")
	d.Press("x") // reloading the file keeps the typed place
	d.RequireText("2 sites, 2 included", "Bad")
	d.Press("x", "G", "e")
	d.RequireText("48.4, 11.8")
}

func TestSitesAreMergedAndSplit(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("sites.csv", "name,lat,lng\nMast (north),48.4,11.7\nMast (south),48.5,11.8\nYard,48.6,11.9\n")
	d.Press("n")
	d.Type("sites")
	d.Press("enter", "c")
	d.RequireText("Merge Mast (north) and Mast (south)", "They are 13.36 km apart.")
	d.Press("esc")
	d.RequireText("3 sites, 3 included")
	d.Press("c", "enter")
	d.RequireText("2 sites, 2 included", "▸ ✓   Mast   ", "Merged Mast (north) and Mast (south) · u to undo")
	d.Press("t")
	d.RequireText("Line", "13.3")
	d.Press("s")
	d.RequireText("split: a line needs a point between its ends to split")
	d.Press("t", "s")
	d.RequireText("3 sites, 3 included", "Mast (1)", "Mast (2)")
	d.Press("u")
	d.RequireText("2 sites", "Undone: split Mast")
	d.Press("j", "c")
	d.RequireText("merge: no next row; press V to mark the sites to merge")
}

func TestMergingAreasThatDoNotTouchAsksFirst(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("areas.csv", "name,wkt\n"+
		"West,\"POLYGON((11 48,11.01 48,11.01 48.01,11 48.01,11 48))\"\nEast,\"POLYGON((11.01 48,11.02 48,11.02 48.01,11.01 48.01,11.01 48))\"\n"+
		"Far,\"POLYGON((11.04 48,11.05 48,11.05 48.01,11.04 48.01,11.04 48))\"\n")
	d.Press("n")
	d.Type("areas")
	d.Press("enter", "c")
	d.RequireText("2 sites, 2 included", "165.9 ", "83.0 ")
	d.Press("g", "shift+down", "shift+down", "c")
	d.RequireText("Merge West and Far", "apart.", "These areas do not join into one", "encloses 414.9 ha; separately they", "cover 248.9 ha")
	d.Press("enter")
	d.RequireText("1 site, 1 included", "414.9 ha")
	d.Press("s")
	d.RequireText("Shape of West", "Largest part", "17 areas · 414.9 ha")
	d.Press("esc", "t", "s")
	d.RequireText("Split West", "Parts        2", "of similar length")
	d.Press("enter")
	d.RequireText("2 sites", "West (1)", "West (2)")
	d.Press("u", "u", "u", "u", "u", "u")
	d.RequireText("Nothing to undo")
}

func TestSeveralSitesAreChangedAtOnce(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("sea.csv", "name,lat,lng\nA,20.1,-40.1\nB,20.2,-40.2\nC,20.3,-40.3\n") // far out at sea
	d.Press("n")
	d.Type("sea")
	d.Press("enter")
	d.RequireText("3 sites, 3 included")
	d.Press("shift+down", "shift+down", "space")
	d.RequireText("3 sites, 1 included", "Excluded A and B · u to undo")
	d.Press("esc", "]")
	d.RequireText("[2 Sites]", "Set country: C")
	d.Type("portu")
	d.Press("enter")
	d.RequireText("[3 Details]")
	d.Press("ctrl+b", "ctrl+a", "ctrl+a", "ctrl+a", "]")
	d.RequireText("Set country: A and B")
	d.Press("enter")
	d.RequireText("country required")
	d.Type("Sp")
	d.Press("backspace", "backspace")
	d.Type("spa")
	d.Press("enter")
	d.RequireText("[3 Details]")
	d.Press("ctrl+b")
	d.RequireText("Spain", "Portugal")
	d.Press("G", "e")
	d.Type(strings.Repeat("x", 201))
	d.RequireText("too long: 201 of 200 characters")
}

func TestSeveralFilesAreDroppedPastedAndMarked(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	a, b := filepath.Join(d.Options.Folder, "elbe_levee.kml"), filepath.Join(d.Options.Folder, "pylons.csv")
	spaced := d.WriteFile("two words.csv", "name,lat,lng\nSpaced,48.4,11.7\n")
	d.Press("n")
	d.Paste("'" + a + "' " + strings.ReplaceAll(spaced, " ", `\ `) + " ")
	d.RequireText("[2 Sites]", "elbe_levee.kml · two w", "6 sites")
	d.Paste("file://" + b)
	d.RequireText("12 sites")
	d.Paste(a + "\n" + filepath.Join(d.Options.Folder, "missing.kml") + "\n")
	d.RequireText("1 file not read", "missing.kml: no such file")
	d.Press("esc")
	d.RequireText("12 sites")
	d.Press("ctrl+x", "enter", "shift+down", "shift+down")
	d.RequireText("✓ elbe_levee.kml", "✓ harbour.kml", "2 files marked · enter to open")
	d.Press("enter")
	d.RequireText("[2 Sites]", "elbe_levee.kml · harb")
}

func TestADraftOfTypedSitesSurvivesARestart(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.Open(t, 120, 36, keep)
	d.Press("n", "ctrl+n")
	d.Type("MULTIPOINT (9.1 53.1, 9.2 53.2)")
	d.Press("enter", "c", "enter")
	d.RequireText("1 site, 1 included")
	d.Close()
	next := apptest.Open(t, 120, 36, keep)
	next.Press("n")
	next.RequireText("1 site, 1 included")
	next.Press("s")
	next.RequireText("2 sites, 2 included")
}
