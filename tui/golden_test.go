package tui_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// The goldens of pages are in their packages. These goldens have the parts that the root draws
// around the pages and over them.
func TestFramesOfTheWholeScreen(t *testing.T) {
	d := apptest.Open(t, 140, 40)
	d.Advance(time.Second) // the selection rests, and its order is read
	for _, name := range []string{"orders", "help"} {
		for _, size := range tuitest.Sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size.W, size.H), func(t *testing.T) {
				d.Resize(size.W, size.H)
				golden.RequireEqual(t, d.Screen())
			})
		}
		d.Resize(100, 30)
		d.Press("?")
	}
}
