package neworder_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/app/session"
	"flightdesk/tui/apptest"
)

func TestFilesPreviewsTheSelectedFile(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("pair.csv", "Name;Lat;Lon\nA;47,80;7,66\nB;47,81;x\n")
	d.Press("n")
	d.RequireText("elbe_levee.kml", "5 sites, 4 included · 74.6 ha · 1.34 km · 1 point", "near Stade, Germany", "1 of 5 placemarks left out")
	d.Type("pair")
	d.RequireText("2 sites, 1 included", "near Badenweiler, Germany", "1 of 2 rows left out", "Latitude", "47,80")
	d.SeesNot("74.6 ha")
	d.Press("ctrl+u")
	d.Type("/nowhere/")
	d.SeesNot("1 site", "Badenweiler")
}

func TestAPreviewShowsTheQuestionAboutAFile(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("grid.csv", "Standort;Rechtswert;Hochwert\nA;399876;5295120\nB;401200;5297300\n")
	d.WriteFile("broken.kml", "<kml><Document>")
	d.Press("n")
	d.Type("grid")
	d.RequireText("? In which reference system are the coordinates?", "enter asks how it is read")
	d.Press("ctrl+u")
	d.Type(d.Options.Folder + "/broken")
	d.RequireText("broken.kml", " ! ")
}

func TestAPreviewNeverDelaysAKey(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Hold()
	d.Press("down")
	d.RequireText("harbour.kml", "Reading…")
	d.Press("down", "up", "up")
	d.Release()
	d.RequireText("elbe_levee.kml", "74.6 ha")
	d.SeesNot("Reading…")
}

func TestAFileIsOpenedWhileItsPreviewIsRead(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("bad.csv", "name,lat,lng\nMast,x,y\n")
	d.Press("n")
	d.Hold()
	d.Type("bad")
	d.Press("enter")
	d.Release()
	d.RequireText("bad.csv")
	d.SeesNot("canceled", "Reading…")
	d.Press("esc", "ctrl+u")
	d.Type(d.Options.Folder + "/elbe")
	d.RequireText("74.6 ha")
}

func TestThePreviewIsBelowTheFilesInANarrowWindow(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("n")
	d.RequireText("▸ elbe_levee.kml", "5 sites, 4 included · 74.6 ha", "1 of 5 placemarks left out")
	d.Resize(60, 18)
	d.RequireText("▸ elbe_levee.kml")
	d.SeesNot("74.6 ha")
	d.Resize(120, 36)
	d.RequireText("74.6 ha")
}

// withSamples starts the app in a folder without survey files.
func withSamples(t *testing.T) func(*tui.Options) {
	return func(o *tui.Options) {
		o.Samples = o.Folder
		o.Folder = t.TempDir()
		if err := os.MkdirAll(filepath.Join(o.Folder, "projects", "old"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func TestASampleIsSelectedAndPreviewedIfThereIsNoOtherFile(t *testing.T) {
	d := apptest.Open(t, 120, 36, withSamples(t))
	d.Press("n")
	d.RequireText("▸ sample files/elbe_levee.kml", "5 sites, 4 included · 74.6 ha", "1 of 5 placemarks left out")
	d.Type("https://")
	d.SeesNot("sample files/")
	d.Press("ctrl+u")
	d.RequireText("sample files/harbour.kml")
	d.Type("harb")
	d.RequireText("▸ sample files/harbour.kml")
	d.Press("enter")
	d.RequireText("[2 Sites]", "harbour.kml")
	d.Press("a")
	d.Paste(d.Options.Folder + "/projects/")
	d.RequireText("▸ old/") // a sample is not selected where the user browses
	d.SeesNot("sample files/elbe_levee.kml")
}

func TestAFolderIsPreviewedWithItsSurveyFiles(t *testing.T) {
	d := apptest.Open(t, 120, 36, withSamples(t))
	d.Press("n", "up")
	d.RequireText("▸ sample files/", "4 survey files", "enter opens the folder", "pylons.csv")
	d.Press("down", "down", "down", "down", "down", "down")
	d.RequireText("▸ projects/", "No survey files, 1 folder")
	if err := os.RemoveAll(filepath.Join(d.Options.Folder, "projects")); err != nil {
		t.Fatal(err)
	}
	d.Press("up", "down")
	d.RequireText("▸ projects/", " ! ", "no such file")
}

func TestRecentFilesAreOnTop(t *testing.T) {
	views := session.OpenUIState("")
	keep := func(o *tui.Options) { o.UIState = views }
	far := t.TempDir()
	path := filepath.Join(far, "far.csv")
	if err := os.WriteFile(path, []byte("name,lat,lng\nMast,48.4,11.7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := apptest.Open(t, 120, 36, keep)
	d.Press("n")
	d.Paste(path)
	d.Press("enter")
	d.RequireText("[2 Sites]")
	d.Close()

	next := apptest.Open(t, 120, 36, keep)
	next.Press("n")
	next.RequireText("far.csv", "▸ elbe_levee.kml")
	for range 10 {
		next.Press("up")
	}
	next.RequireText("1 site", "near Freising, Germany")
	next.Press("enter")
	next.RequireText("[2 Sites]", "Mast")
	next.Close()

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	last := apptest.Open(t, 120, 36, keep)
	last.Press("n")
	last.RequireText("▸ elbe_levee.kml")
	last.SeesNot("far.csv")
}

func TestSitesInTheClipboardAreOnTop(t *testing.T) {
	text := pastedList(200, "\n")
	d := apptest.Open(t, 120, 36, func(o *tui.Options) {
		o.ReadClipboard = func() (string, error) { return text, nil }
	})
	d.Press("n")
	d.RequireText("clipboard: 200 sites", "▸ elbe_levee.kml")
	for range 10 {
		d.Press("up")
	}
	d.RequireText("▸ clipboard: 200 sites", "Clipboard", "200 sites", "near Leinfelden-Echterdingen")
	d.Press("tab", "shift+down") // there is no path to complete, and no file to mark
	d.SeesNot("1 file marked")
	for range 10 {
		d.Press("up")
	}
	d.Press("enter")
	d.RequireText("Import pasted text", "200 sites pasted")
}

func TestAClipboardWithoutSitesIsNotShown(t *testing.T) {
	for _, text := range []string{"", "secret-password-1", "/home/anna/sites.kml", strings.Repeat("47.1, 8.1\n", 200_000)} {
		d := apptest.Open(t, 120, 36, func(o *tui.Options) {
			o.ReadClipboard = func() (string, error) { return text, nil }
		})
		d.Press("n")
		d.SeesNot("clipboard:", "secret")
		d.Close()
	}
	d := apptest.Open(t, 120, 36, func(o *tui.Options) {
		o.ReadClipboard = func() (string, error) { return "", fmt.Errorf("no display") }
	})
	d.Press("n")
	d.SeesNot("clipboard:", "no display")
}
