package apptest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/tuitest"
)

// CompareFrames compares what the page on the screen says of itself and draws, at
// every size, with what it was when it was last looked at and found good. Head
// and foot of the screen are the root's.
func (d *Session) CompareFrames(t *testing.T, name string) {
	t.Helper()
	for _, size := range tuitest.Sizes {
		t.Run(fmt.Sprintf("%s-%dx%d", name, size.W, size.H), func(t *testing.T) {
			d.Resize(size.W, size.H)
			lines := strings.SplitAfter(d.Screen(), "\n")
			top, height := d.App.PageRows()
			golden.RequireEqual(t, lines[placeRow]+strings.Join(lines[top:top+height], ""))
		})
	}
	d.Resize(100, 30)
}

// placeRow is the row of the screen that has the page's title and corner.
const placeRow = 2
