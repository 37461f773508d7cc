package deliveries

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/picture"
)

// readPicture reads a picture in a folder below dir. It fails if the picture has more than maxPixels.
func readPicture(dir, path string, g picture.Graphics, maxPixels int) (image *picture.Picture, err error) {
	path, err = localPath(dir, path, false)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return picture.ReadUpTo(f, g, maxPixels)
}

// pictureView is the dialog that previews a picture.
type pictureView struct {
	name  string
	image *picture.Picture
	raw   bool // the terminal draws the picture with its graphics protocol
	shut  bool // the dialog was closed
}

// drawGraphics sends escape sequences to a terminal that can draw graphics: first prefix, then the sequence that draws
// the picture in a window of w by h cells. The picture is 8 cells narrower than the window: on both sides, the margin
// of the dialog and its frame take 2 cells each.
func (v *pictureView) drawGraphics(prefix string, w, h int) tea.Cmd {
	if v.shut || !v.raw {
		return nil
	}
	return tea.Raw(prefix + v.image.PlaceIn(max(1, w-8), max(1, h-6)))
}

// Update closes the dialog on esc, q and enter, and removes the picture from the terminal.
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

// View draws the dialog: a title with the size and format of the picture, and the picture.
func (v *pictureView) View(th *theme.Theme, w, h int) string {
	title := format.CutMiddle(format.Clean(v.name), 40) + "  " + pixelText(v.image) + " · " + v.image.Format
	if v.image.Values != nil {
		title += " · " + measuredText(v.image.Values)
	}
	box := v.image.View(max(1, w-4), max(1, h-2), th.Name == "none")
	return widget.DrawDialog(th, title, "esc close", format.SplitLines(box), w)
}

// Cursor returns nil: the dialog has no text cursor.
func (v *pictureView) Cursor() *tea.Cursor { return nil }

// isPicture reports whether a file can be previewed, judging by its extension.
func isPicture(path string) bool {
	return slices.Contains(
		strings.Fields(".jpg .jpeg .png .tif .tiff .webp"),
		strings.ToLower(filepath.Ext(path)),
	)
}

// pixelText returns the width and height of a picture, such as "4,000 × 3,000 px".
func pixelText(p *picture.Picture) string {
	return format.GroupInt(p.Width) + " × " + format.GroupInt(p.Height) + " px"
}

// measuredText returns the range of a raster's values and what they measure, if that is known.
func measuredText(v *picture.RasterValues) string {
	text := format.GroupDigits(v.Low, 2) + " to " + format.GroupDigits(v.High, 2)
	if v.What != "" {
		text += " · " + v.What
	}
	return text
}
