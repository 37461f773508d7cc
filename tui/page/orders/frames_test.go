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
	d.CompareMainFrames(t, "orders")
	d.Press("j", "j", "j", "j", "enter")
	d.CompareMainFrames(t, "order")
	d.Press("m", "+")
	d.CompareFrames(t, "order-map")
}

func TestFramesWithoutOrders(t *testing.T) {
	apptest.OpenAgainst(t, apptest.AnswerNothing).CompareFrames(t, "empty")
	apptest.OpenAgainst(t, apptest.AnswerBroken).CompareFrames(t, "trouble")
}

func TestFramesWhileReading(t *testing.T) {
	reading := apptest.OpenUnanswered(t, apptest.AnswerNothing)
	reading.CompareFrames(t, "loading")
	reading.Release()
	reading.RequireText("No orders yet.")
}
