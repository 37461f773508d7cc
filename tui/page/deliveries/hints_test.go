package deliveries_test

import (
	"testing"

	"flightdesk/tui/apptest"
)

func TestDownloadIsNotProposedAgainAfterTheDownload(t *testing.T) {
	x := openDeliveries(t, 140, 40)
	x.Press("5", "P")
	x.RequireText("no downloads; press f to start one")
	x.Press("F")
	x.until(t, "all files", idle)
	x.Press("P")
	x.RequireText("no downloads")
	x.SeesNot("press f to start one")
	x.Press("p")
	x.RequireText("not being downloaded")
	x.SeesNot("not being downloaded; press f")
}

func TestOnlyAMapThatDoesNotFollowTheSelectionOffersToZoomToIt(t *testing.T) {
	d := apptest.Open(t, 200, 60)
	d.Press("5")
	d.RequireText("+ zoom in")
	d.SeesNot("zoom to row") // the map zooms to each package that is selected
	d.Press("6")
	d.RequireText("zoom to row") // the map shows all datasets
}
