package orders_test

import (
	"testing"
	"time"

	"flightdesk/tui/apptest"
)

// The page of an order shows all that the v2 API has of it.
func TestTheRecordOfAnOrderIsShown(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Advance(time.Second)
	d.Press("enter", "v")
	d.RequireText("Order in the v2 API", "E-mail", "Deadline", "Products")
	d.Press("esc")
	d.SeesNot("Order in the v2 API")
}
