package deliveries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/picture"
)

// previewFile reads the selected picture, to be looked at.
func (p *Page) previewFile(r *row) tea.Cmd {
	path, name := p.pathOf(r), r.Name()
	dir, graphics, plain := p.Env.Profile.Downloads.Dir(), p.Env.Look.Graphics, p.Env.Look.Theme.Name == "none"
	return page.AskInBackground(p.Base, &p.previews, func(context.Context) (*pictureView, error) {
		if !isPicture(path) {
			end := format.CutLine(format.Clean(filepath.Ext(path)), 12)
			return nil, fmt.Errorf("%s: no preview of %s files; o opens the file", name, end)
		}
		image, err := readPicture(dir, path, graphics, picture.MaxPixels)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; o opens it", name, err)
		}
		raw := !plain && image.SendToTerminal() != ""
		return &pictureView{name: name, image: image, raw: raw}, nil
	}, p.showRead)
}

// readPicture reads a picture below dir unless it has more pixels.
func readPicture(dir, path string, g picture.Graphics, pixels int) (image *picture.Picture, err error) {
	if path, err = localPath(dir, path, false); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return picture.ReadUpTo(f, g, pixels)
}

// showRead shows what was read.
func (p *Page) showRead(view *pictureView, err error) tea.Cmd {
	if err != nil {
		return page.ShowToast(theme.Attention, format.Clean(err.Error()))
	}
	p.viewer = view
	p.Env.Nav.Overlay(p.viewer)
	return p.viewer.drawGraphics(view.image.SendToTerminal(), p.Env.Look.Width, p.Env.Look.Height)
}

// pictureView is the dialog of a picture.
type pictureView struct {
	name  string
	image *picture.Picture
	raw   bool // the terminal itself draws it
	shut  bool
}

// drawGraphics has a terminal with graphics draw the picture in a window of w by h cells,
// after it was told something first: of a dialog the terminal leaves two cells at each
// side, and of those the frame takes as many.
func (v *pictureView) drawGraphics(first string, w, h int) tea.Cmd {
	if v.shut || !v.raw {
		return nil
	}
	return tea.Raw(first + v.image.PlaceIn(max(1, w-8), max(1, h-6)))
}

// Update closes.
func (v *pictureView) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch widget.KeyName(msg) {
	case "esc", "q", "enter":
		v.shut = true
		if v.raw {
			return tea.Raw(picture.ForgetPicture()), true
		}
		return nil, true
	}
	return nil, false
}

// View draws the box.
func (v *pictureView) View(th *theme.Theme, w, h int) string {
	title := format.CutMiddle(format.Clean(v.name), 40) + "  " + pixelText(v.image) + " · " + v.image.Format
	if v.image.Values != nil {
		title += " · " + measuredText(v.image.Values)
	}
	box := v.image.View(max(1, w-4), max(1, h-2), th.Name == "none")
	return widget.DrawDialog(th, title, "esc close", format.SplitLines(box), w)
}

// Cursor returns nil.
func (v *pictureView) Cursor() *tea.Cursor { return nil }

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

// glancedPath returns the path of the selected file, or the first of the selected run,
// where that is a picture that is here and there is room beside the table; else
// "".
func (p *Page) glancedPath() string {
	r := p.Current()
	if r == nil || r.IsPackage() || p.Env.Look.Width < page.Wide {
		return ""
	}
	if s := r.Package.FileState(p.Env.Profile.Downloads, r.File); s.Step == deliveries.Here && isPicture(s.Path) {
		return s.Path
	}
	return ""
}

// watchSelection has the selected picture read once it has been selected for a moment.
func (p *Page) watchSelection() tea.Cmd {
	path := p.glancedPath()
	if path == p.glancePath {
		return nil
	}
	p.glancePath, p.glance = path, nil
	if path == "" {
		return nil
	}
	return p.DoLater(glanceAfter, func() tea.Cmd { return p.glanceAt(path) })
}

// glanceAt reads the picture if it is the selected one still.
func (p *Page) glanceAt(path string) tea.Cmd {
	if p.glancePath != path {
		return nil
	}
	dir := p.Env.Profile.Downloads.Dir()
	return page.AskInBackground(p.Base, &p.glancing, func(context.Context) (*picture.Picture, error) {
		return readPicture(dir, path, picture.Blocks, glancePixels)
	}, func(image *picture.Picture, _ error) tea.Cmd { // nothing is said of one that cannot be read: v says why
		if p.glancePath == path {
			p.glance = image
		}
		return nil
	})
}

// withGlance draws the selected picture below lines about its file, where it was read,
// there is room, and the map is not what one moves.
func (p *Page) withGlance(lines []string, w, h int) []string {
	img := p.glance
	if img == nil || p.Map.Focused || p.glancePath != p.glancedPath() || h-len(lines)-2 < glanceLeast {
		return lines
	}
	facts := []widget.Fact{widget.Text("Picture", pixelText(img))}
	if img.Values != nil {
		facts = append(facts, widget.Text("Values", measuredText(img.Values)))
	}
	lines = append(append(lines, widget.FactLines(p.Env.Look.Theme, factLabel, w, facts...)...), "")
	for _, line := range format.SplitLines(img.View(max(1, w-2), h-len(lines), p.Env.Look.Theme.Name == "none")) {
		lines = append(lines, " "+line)
	}
	return lines
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
