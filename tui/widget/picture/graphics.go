package picture

import (
	"fmt"
	"image"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// Graphics is how a terminal displays pictures.
type Graphics int

// The ways to display pictures.
const (
	Blocks Graphics = iota // half blocks, in any terminal
	// Kitty is kitty's protocol with placeholders: the terminal draws the picture over
	// characters, which can be moved, covered and erased like any other text.
	Kitty
)

// MayHave reports whether the terminal may be able to show pictures, according to its environment variables. Ask
// the terminal for its version only if MayHave returns true; see [GraphicsOf].
func MayHave(getenv func(string) string) bool {
	name := getenv("TERM")
	if getenv("TMUX") != "" || strings.HasPrefix(name, "screen") || strings.HasPrefix(name, "tmux") {
		return false // multiplexers do not pass pictures through
	}
	isKitty := name == "xterm-kitty" || getenv("KITTY_WINDOW_ID") != ""
	isGhostty := name == "xterm-ghostty" || getenv("TERM_PROGRAM") == "ghostty"
	return isKitty || isGhostty
}

// GraphicsOf returns the graphics of a terminal by its reply to a version query, such as
// "kitty(0.35.2)". Kitty supports placeholders since version 0.28.
func GraphicsOf(version string) Graphics {
	name, rest, _ := strings.Cut(strings.ToLower(version), "(")
	if strings.HasPrefix(name, "ghostty") {
		return Kitty
	}
	if name != "kitty" {
		return Blocks
	}
	var major, minor int
	if _, err := fmt.Sscanf(rest, "%d.%d", &major, &minor); err != nil {
		return Blocks
	}
	if major == 0 && minor < 28 {
		return Blocks
	}
	return Kitty
}

const (
	largeSide = 1024 // maximum width and height of images sent to the terminal
	// imageID identifies the picture in the terminal. Placeholders encode it as their
	// colour.
	imageID = 31
	// maxCells is the maximum number of columns and rows that placeholders can encode.
	maxCells = 297
)

// encodeForTerminal returns the escape sequence that uploads an image to the terminal.
func encodeForTerminal(img image.Image) (string, error) {
	options := &kitty.Options{
		Format:       kitty.PNG,
		Transmission: kitty.Direct,
		ID:           imageID,
		Quiet:        2,
		Chunk:        true,
	}
	var text strings.Builder
	err := kitty.EncodeGraphics(&text, img, options)
	return text.String(), err
}

// SendToTerminal returns the escape sequence that uploads the picture to the terminal and
// replaces the previous one. It is "" if the terminal has no graphics.
func (p *Picture) SendToTerminal() string { return p.upload }

// PlaceIn returns the escape sequence that displays the uploaded picture in placeholders. The picture has at most w
// by h cells.
func (p *Picture) PlaceIn(w, h int) string {
	if p.upload == "" || w <= 0 || h <= 0 {
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

// ForgetPicture returns the escape sequence that deletes the picture from the terminal.
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

// cellExtent returns how many of w by h cells the picture covers, if a cell is twice as
// high as it is wide.
func (p *Picture) cellExtent(w, h int) (columns, rows int) {
	w = min(w, maxCells)
	h = min(h, maxCells)
	columns, rows = fitWithin(p.Width, p.Height, w, 2*h)
	return columns, (rows + 1) / 2
}

// placeholderLines returns lines of placeholder characters. The terminal draws the picture in their
// place.
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
