package geomap

import (
	"strings"
	"unicode"
	"unicode/utf8"

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
func cleanClusters(text string, most int) []textCluster {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.C, r) { // joiners; what they join is drawn one by one
			return -1
		}
		return r
	}, strings.Join(strings.Fields(layout.Clean(text)), " "))
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
