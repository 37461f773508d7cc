package geomap

import (
	"cmp"
	"image/color"
	"strings"
	"sync"
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

// textCluster is what is drawn as one, in one cell or more.
type textCluster struct {
	text  string
	width int
}

// cleanClusters makes text harmless and takes it apart into cells, at most so many.
func cleanClusters(text string, most int) []textCluster {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.C, r) { // joiners; what they join is drawn one by one
			return -1
		}
		return r
	}, strings.Join(strings.Fields(format.Clean(text)), " "))
	out := splitClusters(text)
	if len(out) != len(text) && !keepsToCells(out) {
		// Something in it joins with what may stand beside it.
		out = splitClusters(strings.Map(func(r rune) rune {
			if r > unicode.MaxASCII {
				return '?'
			}
			return r
		}, text))
	}
	return shortenClusters(out, most)
}

// splitClusters takes text apart into clusters of one or two cells.
func splitClusters(text string) []textCluster {
	var out []textCluster
	for text != "" {
		c := text[:1]
		if text[0] >= utf8.RuneSelf || len(text) > 1 && text[1] >= utf8.RuneSelf { // else it is a letter alone
			c, _ = ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		}
		text = text[len(c):]
		if width := format.Width(c); width > 0 {
			out = append(out, textCluster{c, width})
		}
	}
	return out
}

// keepsToCells reports whether clusters keep to their cells, alone and together,
// between the characters of a map and after being cut anywhere.
func keepsToCells(cs []textCluster) bool {
	var all strings.Builder
	total := 0
	for _, c := range cs {
		if format.Width("⠿"+c.text+"⠿") != c.width+2 {
			return false
		}
		all.WriteString(c.text)
		total += c.width
	}
	return format.Width(all.String()) == total
}

func shortenClusters(cs []textCluster, most int) []textCluster {
	if widthOf(cs) <= most {
		return cs
	}
	for len(cs) > 0 && widthOf(cs) > most-1 {
		cs = cs[:len(cs)-1]
	}
	for len(cs) > 0 && cs[len(cs)-1].text == " " {
		cs = cs[:len(cs)-1]
	}
	return append(cs[:len(cs):len(cs)], textCluster{"…", 1})
}

func widthOf(cs []textCluster) (w int) {
	for _, c := range cs {
		w += c.width
	}
	return w
}

// glyphTable has a character for each pattern of dots, where bit 2 row + column stands
// for a dot.
type glyphTable [256]string

var (
	brailleTable = sync.OnceValue(makeBraille)
	blocksTable  = sync.OnceValue(makeBlocks)
)

func makeBraille() *glyphTable {
	g := &glyphTable{" "}
	for pattern := 1; pattern < len(g); pattern++ {
		g[pattern] = string(theme.BrailleDots(pattern))
	}
	return g
}

// makeBlocks joins two rows of dots to one of quadrants.
func makeBlocks() *glyphTable {
	quadrants := []rune(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")
	g := &glyphTable{}
	for pattern := range g {
		upper, lower := pattern&0x0f, pattern>>4
		at := (upper|upper>>2)&3 | (lower|lower>>2)&3<<2
		g[pattern] = string(quadrants[at])
	}
	return g
}

// defaultMark is drawn for a feature that has none.
const defaultMark = '●'

// drawASCII returns text of a map in ASCII.
func drawASCII(text string) string { return theme.Bytes.DrawText(strings.ReplaceAll(text, "·", ".")) }

// markText returns what a mark is drawn as.
func markText(mark rune) textCluster { return textCluster{string(cmp.Or(mark, defaultMark)), 1} }
