package neworder_test

import (
	"testing"

	"flightdesk/tui/apptest"
)

func TestTheServicesReadingOfAFileIsShown(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("masts.csv", "name,lat,lng\nOne,53.60,9.48\nTwo,53.61,9.49\n")
	d.Press("n")
	d.Type("masts")
	d.Press("enter", "r")
	d.RequireText("Read by the service", "masts.csv", "2 placemarks; the service reads 2, no differences")
	d.Press("esc", "x", "r") // latitude and longitude are swapped by flightdesk, not by the service
	d.RequireText("with 6 differences", "point 1 at 9.4800000, 53.6000000", "point 1 at 53.6000000, 9.4800000")
}
