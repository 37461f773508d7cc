package geomap

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/layout"
)

// maxLabel is the longest label in cells; longer ones end in an ellipsis.
const maxLabel = 24

// textCluster is what is drawn as one, in one cell or more.
type textCluster struct {
	text  string
	width int
}

// cleanClusters makes text harmless and takes it apart into cells, at most so many.
// Characters that control, format or reorder are left out.
func cleanClusters(text string, most int) []textCluster {
	if isPlain(text) {
		out := make([]textCluster, len(text))
		for i := range text {
			out[i] = textCluster{text[i : i+1], 1}
		}
		return shortenClusters(out, most)
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || unicode.Is(unicode.Zs, r):
			return ' '
		case r == unicode.ReplacementChar || unicode.In(r, unicode.C, unicode.Zl, unicode.Zp):
			return -1
		default:
			return r
		}
	}, layout.ReduceClusters(strings.ToValidUTF8(text, "?")))
	text = strings.Join(strings.Fields(text), " ")
	out := splitClusters(text)
	if !keepsToCells(out) {
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

// isPlain reports whether text is ASCII, and what clusters would make of it.
func isPlain(text string) bool {
	space := true
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c > '~' || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return text == "" || !space
}

// splitClusters takes text apart into clusters of one or two cells.
func splitClusters(text string) []textCluster {
	var out []textCluster
	for text != "" {
		c, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if c == "" {
			break
		}
		text = text[len(c):]
		if width := layout.Width(c); width > 0 {
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
		if layout.Width("⠿"+c.text+"⠿") != c.width+2 {
			return false
		}
		all.WriteString(c.text)
		total += c.width
	}
	return layout.Width(all.String()) == total
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
