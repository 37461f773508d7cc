package neworder_test

import (
	"testing"

	"flightdesk/tui/apptest"
)

const (
	titledCSV = "Rheintal Solar GmbH\nStand: 24.11.2026\n\nStandort;Rechtswert;Hochwert;Hinweis\n" +
		"Müllheim Süd;399 876,5;5 295 120,25;x\nBadenweiler;401 200,5;5 297 300,0;y\n"
	zoneCSV = "UTM zone 32;;\nName;Easting;Northing\nA;512345;5400000\nB;512400;5400100\n"
	pairCSV = "Mast 1,48.71,9.11\nMast 2,48.717,9.121\n"
	ovalCSV = "Site;Lat;Long\nA;48.71;9.11 O\nB;48.72;9.12 O\n"
	// cyrillicCSV has a header and a name in windows-1251.
	cyrillicCSV = "\xc8\xec\xff;\xd8\xe8\xf0\xee\xf2\xe0;\xc4\xee\xeb\xe3\xee\xf2\xe0\n\xcc\xe0\xf7\xf2\xe0;48,71;9,11\n"
)

// openImport opens a file in the import dialog of a new order.
func openImport(t *testing.T, name, content string) *apptest.Session {
	t.Helper()
	d := apptest.Open(t, 120, 40)
	d.WriteFile(name, content)
	d.Press("n")
	d.Type(name)
	d.Press("enter")
	return d
}

func TestTheImportKeepsTheLayoutThatTheReaderFound(t *testing.T) {
	d := openImport(t, "titled.csv", titledCSV)
	d.RequireText("Import titled.csv", " ▸ System", "EPSG:25832  near Badenweiler", "Latitude     Hochwert", "Longitude    Rechtswert",
		"Name         Standort", "Header row   4", "Separator    semicolon", "? In which reference system are the coordinates?")
	d.Press("enter")
	d.RequireText("✓ EPSG:25832", "Header row   4", "2 sites", "First: Müllheim Süd, 47.8016 N 7.6629 E (Badenweiler, Germany)")
	d.Press("tab", "tab", "tab", "tab", "tab", "tab")
	d.RequireText(" ▸ Country")
	d.Press("right", "right", "right", "right")
	d.RequireText("✓ Hinweis", "Header row   4", "2 sites", "N 7.6629 E (x)")
	d.Press("enter")
	d.RequireText("[2 Sites]", "2 sites, 2 included", "Müllheim Süd")
}

func TestAnOpenQuestionHasNoDefaultAnswer(t *testing.T) {
	for _, one := range []struct{ name, content, question, first, second string }{
		{"zone.csv", zoneCSV, "? UTM zone 32 is named without a hemisphere. Which one is it?", "(Stuttgart, Germany)", "47.7529 S"},
		{"oval.csv", ovalCSV, "? Does O mean east or west?", "48.7100 N 9.1100 E", "48.7100 N 9.1100 W"},
	} {
		t.Run(one.name, func(t *testing.T) {
			d := openImport(t, one.name, one.content)
			d.RequireText("Import "+one.name, one.question, "enter choose")
			d.SeesNot("✓", "First: ")
			d.Press("tab", "enter") // the question gets the focus; nothing is chosen
			d.RequireText(one.question)
			d.SeesNot("✓", "First: ")
			d.Press("enter")
			d.RequireText("First: A, ", one.first, "enter import")
			d.Press("right")
			d.SeesNot(one.first)
			d.Press("left", "enter")
			d.RequireText("[2 Sites]", "2 sites, 2 included")
		})
	}
}

func TestAnUnknownReferenceSystemCanBeTyped(t *testing.T) {
	d := openImport(t, "far.csv", "name,Ost,Nord\nDepot,9912345.1,9403210.2\n")
	d.RequireText("Import far.csv", " ▸ Other system", "? In which reference system are the coordinates?")
	d.Press("enter", "right", "left")
	d.RequireText(" ▸ Other system", "? In which reference system are the coordinates?")
	d.Type("3857")
	d.RequireText("1 site", "First: Depot, ")
}

func TestAnAnswerIsShownAfterReloadingTheFile(t *testing.T) {
	d := openImport(t, "zone.csv", zoneCSV)
	d.Press("enter", "enter")
	d.RequireText("[2 Sites]", "2 sites, 2 included")
	d.Press("ctrl+g")
	d.RequireText("Import zone.csv", "✓ northern", "2 sites")
	d.Press("right")
	d.RequireText("✓ southern", "First: A, ", " S ")
}

func TestOneKeySwapsLatitudeAndLongitude(t *testing.T) {
	d := openImport(t, "pair.csv", pairCSV)
	d.RequireText("[2 Sites]", "2 sites, 2 included", "in this order")
	d.Press("ctrl+g")
	d.RequireText("✓ latitude first  near Leinfelden-Echterdingen, Germany", "longitude first  in Somalia", "ctrl+x swap")
	d.Press("ctrl+x")
	d.RequireText("✓ longitude first", "First: Mast 1, 9.1100 N 48.7100 E")
	d.Press("enter")
	d.RequireText("2 sites, 2 included", "Somalia")
	d.Press("u")
	d.RequireText("Germany")
}

func TestAKMLFileIsSwappedInTheImport(t *testing.T) {
	d := apptest.Open(t, 120, 40)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "ctrl+g")
	d.RequireText("Import elbe_levee.kml", " ▸ Axis order   ✓ as in the file", "Site", "Position", "5 sites")
	d.Press("ctrl+x")
	d.RequireText("✓ swapped", "First: Levee km 3, 9.")
}

func TestTheEncodingIsChosen(t *testing.T) {
	d := openImport(t, "cyrillic.csv", cyrillicCSV)
	d.RequireText("[2 Sites]", "Мачта")
	d.Press("ctrl+g")
	d.RequireText(" ▸ Encoding", "✓ windows-1251", "First: Мачта, 48.7100 N 9.1100 E")
	d.Type("windows-1252")
	d.RequireText("✓ windows-1252")
	d.SeesNot("First: Мачта")
}

func TestRowsThatAreLeftOutAreCountedAndListed(t *testing.T) {
	d := openImport(t, "bad.csv", "Name;Lat;Lon\nA;48.71;9.11\nB;x;9.12\nC;48.73;\n")
	d.RequireText("[2 Sites]", "Added 1 site, 2 of 3 rows left out · W why · u to undo")
	d.Press("W")
	d.RequireText("Reading of the files", "bad.csv", "4 rows: 1 read, 2 left out, 1 without data",
		"row 3: the latitude is not a number: x", "row 4: the longitude is empty")
	d.Press("esc", "ctrl+g")
	d.RequireText("1 site; 2 of 3 rows left out: row 3: the latitude is not a number: x", "ctrl+w warnings")
	d.Press("ctrl+w")
	d.RequireText("Reading of bad.csv", "Row 3", "Row 4", "the longitude is empty")
	d.Press("esc")
	d.RequireText("Import bad.csv")
}

func TestFramesOfTheQuestions(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.WriteFile("titled.csv", titledCSV)
	d.WriteFile("zone.csv", zoneCSV)
	d.Press("n")
	for _, name := range []string{"titled", "zone"} {
		d.Type(name)
		d.Press("enter")
		d.CompareFrames(t, name)
		d.Press("enter")
		d.CompareFrames(t, name+"-answered")
		d.Press("esc", "ctrl+u")
	}
	d.Paste("Hello,\n\nMast 1: 48.7101, 9.1101\nMast 2: 48.7111, 9.1111\n48.7O11, 9.11 11\n\nRegards\n")
	d.CompareFrames(t, "mail")
}
