package deliveries

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/picture"
)

const (
	// glanceAfter is how long a picture must be selected before it is read.
	glanceAfter = 150 * time.Millisecond
	// glancePixels is the number of pixels of the largest picture that is read without being opened.
	glancePixels = 24_000_000
	// glanceLeast is the least height, in lines, of a picture in the details.
	glanceLeast = 6
)

// glance reads the picture of the selected file and draws it in the details next to the table.
type glance struct {
	path    string           // path of the selected picture; "" if no picture is selected
	picture *picture.Picture // nil if it was not read or cannot be drawn
	loading page.Request
}

// selectPath selects the picture at path, and schedules its reading after [glanceAfter].
func (g *glance) selectPath(b page.Base, path string) tea.Cmd {
	if path == g.path {
		return nil
	}
	g.path = path
	g.picture = nil
	if path == "" {
		return nil
	}
	return b.DoLater(glanceAfter, func() tea.Cmd { return g.readPicture(b, path) })
}

// readPicture reads the picture at path, unless another file was selected in the meantime. It reports no error: if
// the user opens the picture, the preview says why it cannot be read.
func (g *glance) readPicture(b page.Base, path string) tea.Cmd {
	if g.path != path {
		return nil
	}
	dir := b.Env.Profile.Downloads.Dir()
	read := func(context.Context) (*picture.Picture, error) {
		return readPicture(dir, path, picture.Blocks, glancePixels)
	}
	show := func(image *picture.Picture, _ error) tea.Cmd {
		if g.path == path {
			g.picture = image
		}
		return nil
	}
	return page.RunInBackground(b, &g.loading, read, show)
}

// appendTo returns lines with the picture below them, in at most h lines. It returns lines alone
// if the picture was not read, or fewer than [glanceLeast] lines are left.
func (g *glance) appendTo(lines []string, th *theme.Theme, w, h int) []string {
	if g.picture == nil || h-len(lines)-2 < glanceLeast {
		return lines
	}
	facts := []widget.Fact{widget.Text("Picture", pixelText(g.picture))}
	if g.picture.Values != nil {
		facts = append(facts, widget.Text("Values", measuredText(g.picture.Values)))
	}
	lines = append(lines, widget.FactLines(th, factLabel, w, facts...)...)
	lines = append(lines, "")
	drawn := g.picture.View(max(1, w-2), h-len(lines), th.Name == "none")
	for _, line := range format.SplitLines(drawn) {
		lines = append(lines, " "+line)
	}
	return lines
}

// pictureAt returns the path of the picture to show in the details of row r. If r is a run of numbered photos, this is
// the first photo. It returns "" if r is nil or a package, or if its file is not a picture or not downloaded. It also
// returns "" if the window is too narrow to show details next to the table.
func pictureAt(env *page.Env, r *row) string {
	if r == nil || r.IsPackage() || env.Look.Width < page.Wide {
		return ""
	}
	state := r.Package.FileState(env.Profile.Downloads, r.File)
	if state.Status != deliveries.Here || !isPicture(state.Path) {
		return ""
	}
	return state.Path
}

// follow makes the details show the picture of the selected row. r may be nil.
func (g *glance) follow(b page.Base, r *row) tea.Cmd { return g.selectPath(b, pictureAt(b.Env, r)) }

// isAt reports whether the details already show the picture of the selected row. For a row without a picture, it
// reports whether the details show no picture.
func (g *glance) isAt(env *page.Env, r *row) bool { return g.path == pictureAt(env, r) }
