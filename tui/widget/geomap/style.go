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

// cellInk is the kind of the dots or the text in a cell, such as a coast or a label. It determines the colour. If
// dots of several kinds are in a cell, mixInk decides which kind the cell gets.
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
	inkBoxed // label of the selected feature
	inkChrome
	inks
)

// cellTint is the background of a cell.
type cellTint uint8

const (
	tintNone cellTint = iota
	tintFill
	tintSelected
	tints
)

// rank returns the drawing order of an ink: dots of a higher rank replace dots of a lower
// rank, and dots of the same rank are combined.
func (i cellInk) rank() uint8 {
	if i <= inkGraticule {
		return uint8(i)
	}
	if i <= inkCoast {
		return 2
	}
	return 3
}

// roleInks maps the role of a feature to its ink.
var roleInks = [...]cellInk{
	theme.Text:       inkFeature,
	theme.Accent:     inkFeature,
	theme.Muted:      inkMuted,
	theme.Pending:    inkWait,
	theme.Attention:  inkYou,
	theme.InProgress: inkMoving,
	theme.Good:       inkGood,
	theme.Bad:        inkBad,
}

// inkPalette has the escape sequences before and after a run of cells, by the ink and the tint of the run.
type inkPalette struct {
	on, off [inks][tints]string
	dotted  bool // a selected area is filled with dots, because the theme has no tint for it
}

// newInkPalette returns the escape sequences of a theme. If th is nil, the map is drawn without colours.
func newInkPalette(th *theme.Theme) inkPalette {
	if th == nil {
		return inkPalette{dotted: true}
	}
	fill, selected := th.TintColors() // nil for no background
	backgrounds := [tints]color.Color{tintFill: fill, tintSelected: selected}
	p := inkPalette{dotted: selected == nil}
	for ink, style := range inkStyles(th) {
		for tint, background := range backgrounds {
			before, after := escapesOf(style, background)
			p.on[ink][tint] = before
			p.off[ink][tint] = after
		}
	}
	return p
}

// inkStyles returns the style of each ink. Cells without ink have no style.
func inkStyles(th *theme.Theme) [inks]theme.Style {
	return [inks]theme.Style{
		inkGraticule: th.Rule,
		inkBorder:    th.Rule,
		inkCoast:     th.Coast,
		inkMuted:     th.Style(theme.Muted),
		inkFeature:   th.Style(theme.Accent),
		inkGood:      th.Style(theme.Good),
		inkWait:      th.Style(theme.Pending),
		inkMoving:    th.Style(theme.InProgress),
		inkYou:       th.Style(theme.Attention),
		inkBad:       th.Style(theme.Bad),
		inkSelected:  th.Style(theme.Attention),
		inkCity:      th.Style(theme.Muted),
		inkLabel:     th.Style(theme.Text),
		inkBoxed:     th.SelectedStyle(theme.Attention),
		inkChrome:    th.Style(theme.Muted),
	}
}

// escapesOf returns the escape sequences before and after a text in a style. If background is not nil, it replaces
// the background of the style.
func escapesOf(style theme.Style, background color.Color) (before, after string) {
	look := style.LipglossStyle()
	if background != nil {
		look = look.Background(background)
	}
	const text = "x"
	before, after, _ = strings.Cut(look.Render(text), text)
	return before, after
}

const (
	// maxFullLabel is the maximum width of a label where the map has room for it.
	maxFullLabel = 48
	// maxShortLabel is the maximum width of a label if the map must have room for other labels. Longer labels end
	// with an ellipsis.
	maxShortLabel = 24
)

// labelTexts are the texts of a label, the best first: the full text, and a short text if the full one is long.
type labelTexts []string

func newLabelTexts(label string) labelTexts {
	full := cleanLabel(label, maxFullLabel)
	short := cleanLabel(label, maxShortLabel)
	if short == full {
		return labelTexts{full}
	}
	return labelTexts{full, short}
}

// cleanLabel removes control characters and cuts the text to a number of cells. It replaces characters that would
// join with their neighbours.
func cleanLabel(text string, limit int) string {
	text = strings.Join(strings.Fields(format.Clean(text)), " ")
	text = strings.Map(removeControl, text)
	isASCII := utf8.RuneCountInString(text) == len(text)
	if !isASCII && !hasFixedWidth(text) {
		text = strings.Map(replaceNonASCII, text)
	}
	cut := format.CutLine(text, limit)
	if cut == text {
		return text
	}
	return strings.TrimRight(strings.TrimSuffix(cut, "…"), " ") + "…"
}

// removeControl is a mapping for strings.Map: it removes control characters and joiners by returning
// -1. Characters that a joiner connected are then drawn one after another.
func removeControl(r rune) rune {
	if unicode.Is(unicode.C, r) {
		return -1
	}
	return r
}

func replaceNonASCII(r rune) rune {
	if r > unicode.MaxASCII {
		return '?'
	}
	return r
}

// clustersOf yields the grapheme clusters of a text with their widths.
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

// hasFixedWidth reports whether each grapheme cluster of the text has the same width wherever it is drawn. Some
// characters combine with their neighbours and then have another width.
func hasFixedWidth(text string) bool {
	total := 0
	for c, width := range clustersOf(text) {
		if format.Width("⠿"+c+"⠿") != width+2 {
			return false
		}
		total += width
	}
	return format.Width(text) == total
}

// glyphOf returns the character for a pattern of dots. The dot in a row and column is bit
// 2*row + column.
func (g Glyphs) glyphOf(dots uint8) rune {
	if dots == 0 {
		return ' '
	}
	if g != Blocks {
		return theme.BrailleDots(int(dots))
	}
	// Two rows of dots are one row of quadrants.
	upper := dots & 0x0f
	lower := dots >> 4
	upper = (upper | upper>>2) & 3
	lower = (lower | lower>>2) & 3
	return quadrants[upper|lower<<2]
}

var quadrants = []rune(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")

// defaultMark marks features without a mark.
const defaultMark = "●"

// clusterMark marks several features at a place if they differ in mark or colour, or have no mark. No status has
// this mark.
const clusterMark = "■"

// drawASCII converts the text of a map to ASCII.
func drawASCII(text string) string { return theme.Bytes.DrawText(strings.ReplaceAll(text, "·", ".")) }
