package apptest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/tuitest"
)

// CompareFrames compares the current page in every size with its golden files. It compares the row of
// the breadcrumbs and the page, not the rest of the head and foot of the screen.
func (d *Session) CompareFrames(t *testing.T, name string) {
	t.Helper()
	for _, size := range tuitest.Sizes {
		t.Run(fmt.Sprintf("%s-%dx%d", name, size.W, size.H), func(t *testing.T) {
			d.Resize(size.W, size.H)
			lines := strings.SplitAfter(d.Screen(), "\n")
			top, height := d.App.PageRows()
			pageLines := strings.Join(lines[top:top+height], "")
			golden.RequireEqual(t, lines[breadcrumbRow]+pageLines)
		})
	}
	d.Resize(100, 30)
}

// breadcrumbRow is the row of the screen with the page's title and corner text.
const breadcrumbRow = 2
