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
	d.compareFrames(t, name, func(screen string) string {
		lines := strings.SplitAfter(screen, "\n")
		top, height := d.App.PageRows()
		return lines[placeRow] + strings.Join(lines[top:top+height], "")
	})
}

// placeRow is the row of the screen that has the page's title and corner.
const placeRow = 2

// WholeFrames compares the whole screen. Whatever changes in head or foot
// changes all of these: have few.
func (d *Session) WholeFrames(t *testing.T, name string) {
	t.Helper()
	d.compareFrames(t, name, func(screen string) string { return screen })
}

func (d *Session) compareFrames(t *testing.T, name string, part func(screen string) string) {
	t.Helper()
	for _, size := range tuitest.Sizes {
		t.Run(fmt.Sprintf("%s-%dx%d", name, size.W, size.H), func(t *testing.T) {
			d.Resize(size.W, size.H)
			golden.RequireEqual(t, part(d.Screen()))
		})
	}
	d.Resize(100, 30)
}
