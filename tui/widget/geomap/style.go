package geomap

import (
	"image/color"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// cellInk is what a cell's dots or text were drawn as; of several, the highest
// colours the cell.
type cellInk uint8

const (
	inkNone cellInk = iota
	inkGraticule
	inkBorder
	inkCoast
	inkMuted
	inkFeature
	inkGood
	inkWait
	inkMoving
	inkYou
	inkBad
	inkSelected
	inkCity
	inkLabel
	inkBoxed // label of the selected one
	inkChrome
	inks
)

// cellTint is what a cell's background is.
type cellTint uint8

const (
	tintNone cellTint = iota
	tintFill
	tintSelected
	tints
)

// rank groups inks: dots of a higher rank replace those below, dots of the
// same rank join.
func (i cellInk) rank() uint8 {
	switch {
	case i <= inkGraticule:
		return uint8(i)
	case i <= inkCoast:
		return 2
	}
	return 3
}

// roleInks are the inks of features by the role of the theme that they are drawn in.
var roleInks = [...]cellInk{
	theme.Text: inkFeature, theme.Accent: inkFeature, theme.Muted: inkMuted, theme.Pending: inkWait,
	theme.Attention: inkYou, theme.InProgress: inkMoving, theme.Good: inkGood, theme.Bad: inkBad,
}

// inkPalette is the styles as the escape sequences around a run of cells.
type inkPalette struct {
	on, off [inks][tints]string
	dotted  bool // the selected fill has no background of its own: it is filled with dots
}

// newInkPalette returns the colours of a theme; nil draws without any.
func newInkPalette(th *theme.Theme) inkPalette {
	p := inkPalette{dotted: true}
	if th == nil {
		return p
	}
	styles := [inks]theme.Style{
		inkGraticule: th.Rule, inkBorder: th.Rule, inkCoast: th.Coast,
		inkCity: th.Style(theme.Muted), inkChrome: th.Style(theme.Muted), inkLabel: th.Style(theme.Text),
		inkSelected: th.Style(theme.Attention), inkBoxed: th.SelectedStyle(theme.Attention),
	}
	for role, ink := range roleInks {
		styles[ink] = th.Style(theme.Role(role)) // of text and accent, the latter
	}
	var backs [tints]color.Color
	backs[tintFill], backs[tintSelected] = th.TintColors()
	p.dotted = backs[tintSelected] == nil
	for i, style := range styles {
		for t, back := range backs {
			look := style.LipglossStyle()
			if back != nil {
				look = look.Background(back)
			}
			p.on[i][t], p.off[i][t], _ = strings.Cut(look.Render("x"), "x")
		}
	}
	return p
}

// maxLabel is the longest label in cells; longer ones end in an ellipsis.
const maxLabel = 24

// cleanLabel makes text harmless, with every cluster of its characters in cells of its
// own, and cuts it to so many cells.
func cleanLabel(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.C, r) { // joiners; what they join is drawn one by one
			return -1
		}
		return r
	}, strings.Join(strings.Fields(format.Clean(text)), " "))
	if utf8.RuneCountInString(text) != len(text) && !keepsToCells(text) {
		// Something in it joins with what may stand beside it.
		text = strings.Map(func(r rune) rune {
			if r > unicode.MaxASCII {
				return '?'
			}
			return r
		}, text)
	}
	if cut := format.CutLine(text, most); cut != text {
		return strings.TrimRight(strings.TrimSuffix(cut, "…"), " ") + "…"
	}
	return text
}

// clustersOf takes text apart into clusters of one or two cells, with their widths.
func clustersOf(text string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for text != "" {
			c, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
			text = text[len(c):]
			if width := format.Width(c); width > 0 && !yield(c, width) {
				return
			}
		}
	}
}

// keepsToCells reports whether clusters keep to their cells, alone and together,
// between the characters of a map and after being cut anywhere.
func keepsToCells(text string) bool {
	total := 0
	for c, width := range clustersOf(text) {
		if format.Width("⠿"+c+"⠿") != width+2 {
			return false
		}
		total += width
	}
	return format.Width(text) == total
}

// glyphOf returns the character for a pattern of dots, where bit 2 row + column stands
// for a dot.
func (g Glyphs) glyphOf(dots uint8) rune {
	switch {
	case dots == 0:
		return ' '
	case g == Blocks: // two rows of dots are one of quadrants
		upper, lower := dots&0x0f, dots>>4
		return quadrants[(upper|upper>>2)&3|(lower|lower>>2)&3<<2]
	}
	return theme.BrailleDots(int(dots))
}

var quadrants = []rune(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")

// defaultMark is drawn for a feature that has none.
const defaultMark = "●"

// drawASCII returns text of a map in ASCII.
func drawASCII(text string) string { return theme.Bytes.DrawText(strings.ReplaceAll(text, "·", ".")) }
