package neworder_test

import (
	"fmt"
	"strings"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

// pastedList returns lines with positions, with a line break of a terminal between them.
func pastedList(n int, lineBreak string) string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("48.%04d, 9.%04d", 7101+i, 1101+i)
	}
	return strings.Join(lines, lineBreak)
}

func TestAPastedListOpensTheImportWithAllSites(t *testing.T) {
	for _, lineBreak := range []string{"\n", "\r", "\r\n", "\x1b[13;1u"} {
		d := apptest.Open(t, 120, 36)
		d.Press("n")
		d.Paste(pastedList(200, lineBreak))
		d.RequireText("Import pasted text", "200 sites pasted", "Axis order", "✓ latitude first  near Leinfelden-Echterdingen")
		d.Press("enter")
		d.RequireText("[2 Sites]", "200 sites, 200 included", "Added 200 sites of pasted text")
		d.Press("u")
		d.RequireText("0 sites")
		d.Close()
	}
}

func TestAPastedListIsAddedToTheSites(t *testing.T) {
	d := twoFiles(t)
	d.Paste(pastedList(3, "\r"))
	d.RequireText("Import pasted text", "3 sites pasted")
	d.Press("enter")
	d.RequireText("9 sites")
	d.Paste("Mast 1\t48.71\t9.11\nMast 2\t48.72\t9.12\n")
	d.RequireText("Import pasted text 2", "2 sites pasted")
	d.Press("enter")
	d.RequireText("11 sites", "Mast 1", "Mast 2")
	d.Press("d")
	d.RequireText("9 sites", "Removed pasted text 2")
	d.Press("u", "u")
	d.RequireText("9 sites")
}

func TestEveryKindOfPastedTextIsRead(t *testing.T) {
	for name, one := range map[string]struct{ text, sites, name string }{
		"rows of a spreadsheet":  {"Name\tLat\tLon\nAlpha\t48.71\t9.11\nBeta\t48.72\t9.12\n", "2 sites pasted", "Alpha"},
		"a row of a spreadsheet": {"Alpha\t48.71\t9.11\n", "1 site pasted", "Alpha"},
		"a mail":                 {"Hello,\n\nMast 1: 48.7101, 9.1101\nMast 2: 48.7111, 9.1111\n\nRegards\n", "2 sites pasted", "Mast 1"},
		"a line of a mail":       {"Mast 1: 48.7101, 9.1101", "1 site pasted", "Mast 1"},
		"map links": {
			"https://maps.google.com/?q=52.52,13.405\nhttps://www.openstreetmap.org/?mlat=52.51&mlon=13.39\n",
			"2 sites pasted", "Berlin",
		},
		"well-known text": {"POINT (9.11 48.71)\nPOLYGON ((9.1 48.7, 9.2 48.7, 9.2 48.8, 9.1 48.7))\n", "2 sites pasted", "Placemark 2"},
		"GeoJSON":         {plots, "2 sites pasted", "North"},
		"KML": {
			`<kml><Document><Placemark><name>Yard</name><Point><coordinates>9.11,48.71</coordinates></Point></Placemark></Document></kml>`,
			"1 site pasted", "Yard",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := apptest.Open(t, 120, 40)
			d.Press("n")
			d.Paste(one.text)
			d.RequireText("Import pasted text", one.sites, one.name)
			d.Press("enter")
			d.RequireText("[2 Sites]", one.name)
		})
	}
}

func TestAPastedTextWithoutSitesIsExplained(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Paste("first\nsecond\n")
	d.RequireText("[1 Files]", "! no coordinates in the pasted text")
	d.SeesNot("New site", "Import pasted text")
	d.Press("ctrl+u")
	d.Paste("https://maps.app.goo.gl/AbCdEf123")
	d.RequireText("A short link holds no position; open it and paste the")
	d.Press("enter")
	d.RequireText("! a short link holds no position")
	d.SeesNot("no such file")
}

func TestAShortLinkOnSitesIsExplained(t *testing.T) {
	d := twoFiles(t)
	d.Paste("https://maps.app.goo.gl/AbCdEf123")
	d.RequireText("A short link holds no position")
	d.Paste("no such thing")
	d.RequireText("Not a path or coordinates")
}

func TestAPieceOfAPathIsPastedIntoThePath(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Paste("elbe")
	d.RequireText("surveys/elbe", "▸ elbe_levee.kml")
}

func TestAPastedTextIsReadInAnotherWay(t *testing.T) {
	d := apptest.Open(t, 120, 40)
	d.Press("n")
	d.Paste(pastedList(3, "\n"))
	d.Press("ctrl+x")
	d.RequireText("✓ longitude first", "9.1101 N 48.7101 E", "Somalia")
	d.Press("ctrl+x")
	d.RequireText("✓ latitude first", "48.7101 N 9.1101 E")
	d.Press("enter")
	d.RequireText("3 sites, 3 included")
	d.Press("ctrl+g", "shift+tab", "shift+tab", "shift+tab")
	d.RequireText(" ▸ Rows")
	d.Press("right", "right")
	d.RequireText("✓ corners of one area", "1 site pasted")
	d.Press("enter")
	d.RequireText("1 site, 1 included", "Area")
	d.Press("r")
	d.RequireText("the service reads files only; save the text to a file")
}

func TestTheFilesPageSaysWhatCanBePasted(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.RequireText("Type or paste a path, coordinates, map links, table rows, WKT, GeoJSON, KML or the text of a mail")
	d.Resize(60, 18)
	d.RequireText("Type or paste a path, coordinates, map links, table rows")
}

func TestAPastedTextIsReadAgainFromAKeptDraft(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.Open(t, 120, 40, keep)
	d.Press("n")
	d.Paste(pastedList(3, "\n"))
	d.Press("enter")
	d.RequireText("3 sites, 3 included")
	d.Close()

	next := apptest.Open(t, 120, 40, keep)
	next.Press("n")
	next.RequireText("[2 Sites]", "3 sites, 3 included")
	next.Press("ctrl+g")
	next.RequireText("Import pasted text", "3 sites pasted", "✓ latitude first")
	next.Press("ctrl+x", "enter")
	next.RequireText("3 sites, 3 included", "Somalia")
	next.Press("[")
	next.RequireText("surveys/")
}
