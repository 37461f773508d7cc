package picture

import (
	"fmt"
	"image"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// Graphics is what a terminal shows pictures with.
type Graphics int

// The graphics.
const (
	Blocks Graphics = iota // half blocks, in any terminal
	// Kitty is kitty's protocol with placeholders: characters that stand where
	// the terminal is to draw the picture, and that are moved, covered and
	// erased as any other.
	Kitty
)

// MayHave reports whether the environment tells of a terminal that may have
// graphics: only that is to be asked for its version.
func MayHave(getenv func(string) string) bool {
	name := getenv("TERM")
	if getenv("TMUX") != "" || strings.HasPrefix(name, "screen") || strings.HasPrefix(name, "tmux") {
		return false // what is between does not let pictures through
	}
	return name == "xterm-kitty" || name == "xterm-ghostty" || getenv("TERM_PROGRAM") == "ghostty" ||
		getenv("KITTY_WINDOW_ID") != ""
}

// GraphicsOf returns the graphics of a terminal by its answer to the question
// for its version, like "kitty(0.35.2)". Placeholders came to kitty with 0.28.
func GraphicsOf(version string) Graphics {
	name, rest, _ := strings.Cut(strings.ToLower(version), "(")
	switch {
	case strings.HasPrefix(name, "ghostty"):
		return Kitty
	case name != "kitty":
		return Blocks
	}
	var major, minor int
	if _, err := fmt.Sscanf(rest, "%d.%d", &major, &minor); err != nil || major == 0 && minor < 28 {
		return Blocks
	}
	return Kitty
}

const (
	largeSide = 1024 // pixels of what a terminal is sent
	// imageID is what the terminal knows the picture by; placeholders have it as
	// their colour.
	imageID = 31
	// mostCells is how many columns and rows can be numbered.
	mostCells = 297
)

// encodeForTerminal returns what has the terminal keep an image.
func encodeForTerminal(img image.Image) (string, error) {
	var text strings.Builder
	err := kitty.EncodeGraphics(
		&text,
		img,
		&kitty.Options{
			Format:       kitty.PNG,
			Transmission: kitty.Direct,
			ID:           imageID,
			Quiet:        2,
			Chunk:        true,
		},
	)
	return text.String(), err
}

// SendToTerminal has the terminal keep the picture, in place of the one before; "" where
// it was not read for that.
func (p *Picture) SendToTerminal() string { return p.sent }

// PlaceIn has the terminal draw the picture that it keeps into placeholders for w
// by h cells, as large as it fits.
func (p *Picture) PlaceIn(w, h int) string {
	if p.sent == "" || w <= 0 || h <= 0 {
		return ""
	}
	p.placed = [2]int{w, h}
	columns, rows := p.cellExtent(w, h)
	o := kitty.Options{
		Action:           kitty.Put,
		ID:               imageID,
		PlacementID:      1,
		Quiet:            2,
		VirtualPlacement: true,
		Columns:          columns,
		Rows:             rows,
	}
	return ansi.KittyGraphics(nil, o.Options()...)
}

// ForgetPicture has the terminal drop the picture.
func ForgetPicture() string {
	o := kitty.Options{
		Action:          kitty.Delete,
		Delete:          kitty.DeleteID,
		DeleteResources: true,
		ID:              imageID,
		Quiet:           2,
	}
	return ansi.KittyGraphics(nil, o.Options()...)
}

// cellExtent returns how many of w by h cells the picture takes, where a cell is twice
// as high as it is wide.
func (p *Picture) cellExtent(w, h int) (columns, rows int) {
	w, h = min(w, mostCells), min(h, mostCells)
	columns, rows = fitWithin(p.Width, p.Height, w, 2*h)
	return columns, (rows + 1) / 2
}

// placeholderLines returns the lines of characters that the terminal draws on.
func (p *Picture) placeholderLines(w, h int) []string {
	columns, rows := p.cellExtent(w, h)
	style := lipgloss.NewStyle().Foreground(ansi.IndexedColor(imageID))
	lines := make([]string, 0, h)
	for range (h - rows) / 2 {
		lines = append(lines, "")
	}
	for y := range rows {
		var line strings.Builder
		for x := range columns {
			line.WriteRune(kitty.Placeholder)
			line.WriteRune(kitty.Diacritic(y))
			line.WriteRune(kitty.Diacritic(x))
		}
		lines = append(lines, strings.Repeat(" ", (w-columns)/2)+style.Render(line.String()))
	}
	return lines
}
