package neworder_test

import (
	"testing"

	"flightdesk/tui/apptest"
)

func TestTheSitesNameTheNextStepAndDescribeTheSelectedSite(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter")
	d.RequireText("] Next: Details   with 4 sites", "Place      Stade, Germany", "Position   53.6046 N 9.4776 E", "Points     4")
	d.Press("down", "down", "down", "down") // a site without coordinates
	d.RequireText("Note without a place", "File       elbe_levee.kml")
	d.SeesNot("Position  ", "Place  ")
}

func TestTheKeyForTheReviewHasOneName(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]")
	d.RequireText("Missing   ! Asset type", "ctrl+s Next: Review", "ctrl+s review")
	d.Press("]")
	d.RequireText("In this form, press ctrl+s for Review")
	d.SeesNot("no match")
}

func TestNoAssetTypeLooksSelectedBeforeTheUserSelectsOne(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]")
	d.RequireText("none selected · ←→ select, or type its name")
	d.SeesNot("masts and antennas")
	d.Press("right")
	d.RequireText("✓ Telecom", "masts and antennas")
}

func TestALeftDraftIsSaidToBeResumed(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]", "esc")
	d.RequireText("n on Home or in Orders continues it")
	d.Press("n")
	d.RequireText("Draft elbe levee resumed, 5 sites", "[3 Details]")
}

func TestNamesOfSitesAreNotCutBesideSpace(t *testing.T) {
	const name = "WEA 01 Nordfeld Repower Westhang"
	d := apptest.Open(t, 120, 35)
	d.WriteFile("turbines.csv", "name,lat,lon,country\n"+name+",53.89,9.12,Germany\nWEA 02,53.8955,9.126,Germany\n")
	d.Press("n")
	d.Type("turbines")
	d.Press("enter")
	d.RequireText("◦ "+name, "◦ asset")
	d.SeesNot("several sites", "area or line", "excluded")
	d.Press("]")
	d.Type("wind")
	d.Press("ctrl+s")
	d.RequireText(" "+name+"  ", "◦ "+name, "Asset  –  Germany")
}
