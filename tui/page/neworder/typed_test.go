package neworder_test

import (
	"os"
	"path/filepath"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestALinkIsTypedAsItIsPasted(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("https://maps.google.com/?q=52.52,13.405")
	d.RequireText("enter adds this site")
	d.SeesNot("no such file")
	d.Press("enter")
	d.RequireText("New site", "Berlin, Germany")
}

func TestADateShowsWhatItMeansWhileItIsTyped(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]", "tab")
	d.Type("03/04")
	d.RequireText("→ not a date yet")
	d.Type("/2027")
	d.RequireText("can be 3 Apr 2027 or 4 Mar 2027; type 2027-04-03 ")
	d.Press("ctrl+u")
	d.Type("13/04/2027")
	d.RequireText("→ Tue 13 Apr 2027")
	d.SeesNot("4 Mar 2027")
}

func TestADraftResumesAtItsRowAndFolder(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.Open(t, 120, 36, keep)
	path := filepath.Join(t.TempDir(), "north.csv")
	if err := os.WriteFile(path, []byte(north), 0o600); err != nil {
		t.Fatal(err)
	}
	d.Press("n")
	d.Paste(path)
	d.Press("enter", "G")
	d.RequireText("▸ ✓   North 3")
	d.Close()
	next := apptest.Open(t, 120, 36, func(o *tui.Options) { o.Drafts = drafts })
	next.Press("n")
	next.RequireText("[2 Sites]", "▸ ✓   North 3")
	next.Press("[")
	next.RequireText(filepath.Dir(path)+"/", "▸ north.csv")
}
