package tui_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/tuitest"
)

// sizes are the windows that every screen is looked at in.
var sizes = [][2]int{{60, 18}, {80, 24}, {140, 40}, {200, 60}}

// frames compares the screen at every size with what it was when it was last
// looked at and found good.
func (d *desk) frames(t *testing.T, name string) {
	t.Helper()
	d.framesAt(t, name, sizes)
}

func (d *desk) framesAt(t *testing.T, name string, sizes [][2]int) {
	t.Helper()
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
			d.Resize(size[0], size[1])
			golden.RequireEqual(t, d.Screen())
		})
	}
	d.Resize(100, 30)
}

func TestFrames(t *testing.T) {
	d := open(t, 100, 30)
	d.Resize(140, 40)
	d.Advance(time.Second) // the selection rests, and its order is read
	d.frames(t, "orders")
	d.Press("j", "j", "j", "j", "enter")
	d.frames(t, "order")
	d.Press("m", "+")
	d.frames(t, "order-map")
	d.Press("esc", "?")
	d.frames(t, "help")
	d.Press("esc", "esc", "n")
	d.frames(t, "new-sites")
	d.Type("elbe")
	d.Press("enter")
	d.frames(t, "new-missions")
	d.Press("e")
	d.frames(t, "new-edit")
	d.Press("esc", "]", "tab", "tab")
	d.frames(t, "new-order")
	d.Press("tab", "tab", "tab")
	d.Type("water")
	d.Press("ctrl+s")
	d.frames(t, "new-review")
	d.Press("S")
	d.frames(t, "new-question")
	d.Press("enter")
	d.frames(t, "placed")
}

func TestFramesWithoutOrders(t *testing.T) {
	against(t, nothing).frames(t, "empty")
	against(t, broken).frames(t, "trouble")
}

func TestFramesWhileReading(t *testing.T) {
	d := tuitest.New(t)
	d.Hold()
	web := httptest.NewServer(http.HandlerFunc(nothing))
	t.Cleanup(web.Close)
	reading := launch(t, d, web.URL, "fd_test_key", "ACME Geo GmbH", 100, 30)
	reading.frames(t, "loading")
	reading.Release()
	reading.Sees("No orders yet.")
}
