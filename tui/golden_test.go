package tui_test

import (
	"testing"
	"time"

	"flightdesk/tui/apptest"
)

// What pages draw is compared where they are tested; this is what the root
// draws around them, and over them.
func TestFramesOfTheWholeScreen(t *testing.T) {
	d := apptest.Open(t, 140, 40)
	d.Advance(time.Second) // the selection rests, and its order is read
	d.WholeFrames(t, "orders")
	d.Press("?")
	d.WholeFrames(t, "help")
}
