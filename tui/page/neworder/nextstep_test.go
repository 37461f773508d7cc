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

func TestTheDetailsNameTheNextMissingField(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]")
	d.RequireText("ctrl+s Next: Asset type")
	d.Type("wat")
	d.RequireText("ctrl+s Next: Review")
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
