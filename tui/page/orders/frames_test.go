package orders_test

import (
	"testing"
	"time"

	"flightdesk/tui/apptest"
)

func TestFramesOfOrders(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Resize(140, 40)
	d.Advance(time.Second) // the selection rests, and its order is read
	d.Frames(t, "orders")
	d.Press("j", "j", "j", "j", "enter")
	d.Frames(t, "order")
	d.Press("m", "+")
	d.Frames(t, "order-map")
}

func TestFramesWithoutOrders(t *testing.T) {
	apptest.Against(t, apptest.Nothing).Frames(t, "empty")
	apptest.Against(t, apptest.Broken).Frames(t, "trouble")
}

func TestFramesWhileReading(t *testing.T) {
	reading := apptest.Unanswered(t, apptest.Nothing)
	reading.Frames(t, "loading")
	reading.Release()
	reading.Sees("No orders yet.")
}
