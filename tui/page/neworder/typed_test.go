package neworder_test

import (
	"os"
	"path/filepath"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestALinkCanBeTyped(t *testing.T) {
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
	d.Type("03/0")
	d.RequireText("→ not a date yet")
	d.Type("4")
	d.RequireText("can be 3 Apr 2027 or 4 Mar 2027; type 2027-04-03 ")
	d.Press("ctrl+u")
	d.Type("13/04/2027")
	d.RequireText("→ Tue 13 Apr 2027")
	d.SeesNot("4 Mar 2027")
	d.Press("ctrl+u")
	d.Type("KW 50")
	d.RequireText("→ Mon 7 Dec 2026")
	d.Press("tab")
	d.Type("KW 50")
	d.RequireText("→ Sun 13 Dec 2026", "Mon 7 Dec → Sun 13 Dec 2026, 7 days")
}

func TestTheReviewRepeatsTheWarningsOfItsSites(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("fields.csv", "name,country,wkt\nBow tie,Germany,\"POLYGON((9 53,9.01 53.01,9.01 53,9 53.02,9 53))\"\nField,Germany,\"POLYGON((9.02 53,9.03 53,9.03 53.01,9.02 53))\"\n")
	d.ToReview("fields")
	d.RequireText("✓ Ready to place", "! Bow tie, row 2: the boundary crosses itself", "! Bow tie ")
	d.SeesNot("! Field ")
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
