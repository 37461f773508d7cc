package deliveries

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/picture"
)

const (
	// glanceAfter is how long a picture stays selected until it is read.
	glanceAfter = 150 * time.Millisecond
	// glancePixels is how large a picture may be to be read unasked.
	glancePixels = 24_000_000
	glanceLeast  = 6 // lines
)

// isPicture reports whether a file of a name can be drawn.
func isPicture(path string) bool {
	return slices.Contains(
		strings.Fields(".jpg .jpeg .png .tif .tiff .webp"),
		strings.ToLower(filepath.Ext(path)),
	)
}

// pictureGlance is the picture of the selected file, in the detail beside the table.
type pictureGlance struct {
	path    string           // of the file that was read
	image   *picture.Picture // nil where it cannot be drawn
	awaited string           // path of the file that is to be read if it stays selected
	reading page.Question
}

// glancedPath returns the path of the selected file, or the first of the selected run,
// where that is a picture that is here and there is room beside the table; else
// "".
func (p *Page) glancedPath() string {
	r := p.Current()
	if r == nil || r.IsPackage() || p.Width < listpage.Wide {
		return ""
	}
	if s := r.Package.FileState(p.Downloads, r.File); s.Step == deliveries.Here && isPicture(s.Path) {
		return s.Path
	}
	return ""
}

// watchSelection has the selected picture read once it has been selected for a moment.
func (p *Page) watchSelection() tea.Cmd {
	path := p.glancedPath()
	if path == "" || path == p.glance.path || path == p.glance.awaited {
		return nil
	}
	p.glance.awaited = path
	return page.DoLater(p.Base, glanceAfter, func() tea.Cmd { return p.glanceAt(path) })
}

// glanceAt reads the picture if it is the selected one still.
func (p *Page) glanceAt(path string) tea.Cmd {
	if p.glance.awaited != path {
		return nil
	}
	p.glance.awaited = ""
	if p.glancedPath() != path {
		return nil
	}
	dir := p.Downloads.Dir()
	return page.AskInBackground(p.Base, &p.glance.reading, func(context.Context) (*picture.Picture, error) {
		return readPicture(dir, path, picture.Blocks, glancePixels)
	}, func(image *picture.Picture, _ error) tea.Cmd { // nothing is said of one that cannot be read: v says why
		p.glance.path, p.glance.image = path, image
		return nil
	})
}

// withGlance draws the selected picture below the facts of its file, where it
// was read, there is room, and the map is not what one moves.
func (p *Page) withGlance(lines []string, w, h int) (all []string, drawn bool) {
	img := p.glance.image
	if img == nil || p.Detail.Map.Focused || p.glance.path != p.glancedPath() || h-len(lines)-2 < glanceLeast {
		return lines, false
	}
	facts := []widget.Fact{widget.Text("Picture", pixelText(img))}
	if img.Values != nil {
		facts = append(facts, widget.Text("Values", measuredText(img.Values)))
	}
	lines = append(append(lines, widget.FactLines(p.Theme, 10, w, facts...)...), "")
	for _, line := range layout.SplitLines(img.View(max(1, w-2), h-len(lines), p.Theme.Name == "none")) {
		lines = append(lines, " "+line)
	}
	return lines, true
}

// pixelText writes the size of a picture.
func pixelText(p *picture.Picture) string {
	return format.GroupInt(p.Width) + " × " + format.GroupInt(p.Height) + " px"
}

// measuredText writes between which values a raster is, and of what.
func measuredText(v *picture.RasterValues) string {
	text := format.GroupDigits(v.Low, 2) + " to " + format.GroupDigits(v.High, 2)
	if v.What != "" {
		text += " · " + v.What
	}
	return text
}
