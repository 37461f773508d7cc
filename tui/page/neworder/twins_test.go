package neworder_test

import (
	"testing"
	"time"

	"flightdesk/tui/apptest"
)

func TestSitesThatAreOrderedAlreadyAreMarked(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.ToReview("elbe")
	d.SeesNot("same location")
	d.Press("S", "enter")
	first := d.NewestOrder()
	d.Advance(time.Minute) // the orders that were read are outdated then
	d.Press("esc", "n")
	d.Type("elbe")
	d.Press("enter")
	d.RequireText("▸=✓   Levee km 3", first.Missions[0].MissionCode, "same location as "+first.Missions[0].MissionCode, "4 known =")
	d.Press("e", "ctrl+u")
	d.Type("Deich")
	d.Press("enter")
	d.RequireText("same location as "+first.Missions[0].MissionCode+" of", "as Levee")
	d.Press("space", "k") // an excluded site is not a duplicate
	d.RequireText("▸ –   Deich")
	d.Press("]")
	d.Type("wat")
	d.Press("ctrl+s")
	d.RequireText("[4 Review]", "= 3 sites ordered or drafted already; see Sites")

	d.Press("esc", "a")
	d.RequireText("again", "4 sites, 4 included") // ordering again is not reported as a duplicate
	d.SeesNot("same location")
	d.Press("ctrl+l")
	d.RequireText("Other drafts", "5 sites")
}

func TestDuplicateSitesAreMarked(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("a.csv", "name,lat,lng\nMast,48.4,11.7\nOther,48.5,11.8\n")
	d.WriteFile("b.csv", "name,lat,lng\nTwice,48.4000000001,11.7\n")
	d.Press("n")
	d.Type("a.csv")
	d.Press("enter", "[")
	d.Type("b.csv")
	d.Press("enter")
	d.RequireText("▸\"✓   Twice", "\" same location as Mast in this draft", "1 duplicate \"")
	d.Press("ctrl+l", "n", "esc", "n")
	d.Type("a.csv")
	d.Press("enter")
	d.RequireText("2 sites, 2 included", "▸=✓   Mast", "= same location in draft a.csv")
}
