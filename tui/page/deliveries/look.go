package deliveries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/picture"
)

// previewFile reads the selected picture, to be looked at.
func (p *Page) previewFile() tea.Cmd {
	path, name := p.selectedPath()
	dir, graphics, th := p.Downloads.Dir(), p.Graphics, p.Theme
	return page.AskInBackground(p.Base, &p.previews, func(context.Context) (*pictureView, error) {
		if !isPicture(path) {
			end := layout.CutLine(layout.Clean(filepath.Ext(path)), 12)
			return nil, fmt.Errorf("%s: no preview of %s files; o opens the file", name, end)
		}
		image, err := readPicture(dir, path, graphics, picture.MaxPixels)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; o opens it", name, err)
		}
		return &pictureView{theme: th, name: name, image: image}, nil
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
		return page.ShowToast(theme.Attention, layout.Clean(err.Error()))
	}
	p.viewer = view
	p.Overlay(p.viewer)
	return p.viewer.drawGraphics(view.image.SendToTerminal(), p.Width, p.Height)
}

// pictureView is the dialog of a picture.
type pictureView struct {
	theme *theme.Theme
	name  string
	image *picture.Picture
	shut  bool
}

// drawsGraphics reports whether the terminal itself draws the picture.
func (v *pictureView) drawsGraphics() bool {
	return v.image.SendToTerminal() != "" && v.theme.Name != "none"
}

// drawGraphics has a terminal with graphics draw the picture in a window of w by h cells,
// after it was told something first: of a dialog the terminal leaves two cells at each
// side, and of those the frame takes as many.
func (v *pictureView) drawGraphics(first string, w, h int) tea.Cmd {
	if v.shut || !v.drawsGraphics() {
		return nil
	}
	return tea.Raw(first + v.image.PlaceIn(max(1, w-8), max(1, h-6)))
}

// Update closes.
func (v *pictureView) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	switch key.String() {
	case "esc", "q", "enter":
		v.shut = true
		if v.drawsGraphics() {
			return tea.Raw(picture.ForgetPicture()), true
		}
		return nil, true
	}
	return nil, false
}

// View draws the box.
func (v *pictureView) View(th *theme.Theme, w, h int) string {
	title := layout.CutMiddle(layout.Clean(v.name), 40) + "  " + pixelText(v.image) + " · " + v.image.Format
	if v.image.Values != nil {
		title += " · " + measuredText(v.image.Values)
	}
	box := v.image.View(max(1, w-4), max(1, h-2), th.Name == "none")
	return dialog.DrawFrame(th, title, "esc close", layout.SplitLines(box), w)
}

// Cursor returns nil.
func (v *pictureView) Cursor() *tea.Cursor { return nil }
