package deliveries_test

import "testing"

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
