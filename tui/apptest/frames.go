package apptest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/tuitest"
)

// CompareMainFrames compares the current page with its golden files in all sizes. It is for the main
// state of a page, such as a list with rows.
func (d *Session) CompareMainFrames(t *testing.T, name string) {
	t.Helper()
	d.compareFrames(t, name, tuitest.Sizes)
}

// CompareFrames compares the current page with its golden files in the common sizes. In the other
// sizes it only checks that the screen fits.
func (d *Session) CompareFrames(t *testing.T, name string) {
	t.Helper()
	d.compareFrames(t, name, tuitest.CommonSizes)
}

// compareFrames draws the current page in every size. In the given sizes it compares the breadcrumbs and the page
// with the golden files. The other rows of the screen are not compared.
func (d *Session) compareFrames(t *testing.T, name string, sizes []tuitest.Size) {
	t.Helper()
	for _, size := range tuitest.Sizes {
		t.Run(fmt.Sprintf("%s-%dx%d", name, size.W, size.H), func(t *testing.T) {
			d.Resize(size.W, size.H)
			tuitest.RequireExact(t, name, d.View().Content, size.W, size.H)
			if slices.Contains(sizes, size) {
				d.compareFrame(t)
			}
		})
	}
	d.Resize(100, 30)
}

// compareFrame compares the current page with the golden file of the test.
func (d *Session) compareFrame(t *testing.T) {
	t.Helper()
	lines := strings.SplitAfter(d.Screen(), "\n")
	top, height := d.App.PageRows()
	pageLines := strings.Join(lines[top:top+height], "")
	golden.RequireEqual(t, lines[breadcrumbRow]+pageLines)
}

// breadcrumbRow is the row of the screen with the page's title and corner text.
const breadcrumbRow = 2
