package geomap

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/glyph"
	"flightdesk/tui/layout"
)

// maxLabel is the longest label in cells; longer ones end in an ellipsis.
const maxLabel = 24

// cluster is what is drawn as one, in one cell or more.
type cluster struct {
	text  string
	width int
}

// clusters makes text harmless and takes it apart into cells, at most so many.
// Characters that control, format or reorder are left out.
func clusters(text string, most int) []cluster {
	if isPlain(text) {
		out := make([]cluster, len(text))
		for i := range text {
			out[i] = cluster{text[i : i+1], 1}
		}
		return shorten(out, most)
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
	}, layout.Reduce(strings.ToValidUTF8(text, "?")))
	text = strings.Join(strings.Fields(text), " ")
	out := split(text)
	if !sound(out) {
		// Something in it joins with what may stand beside it.
		out = split(strings.Map(func(r rune) rune {
			if r > unicode.MaxASCII {
				return '?'
			}
			return r
		}, text))
	}
	return shorten(out, most)
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

// split takes text apart into clusters of one or two cells.
func split(text string) []cluster {
	var out []cluster
	for text != "" {
		c, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if c == "" {
			break
		}
		text = text[len(c):]
		if width := layout.Width(c); width > 0 {
			out = append(out, cluster{c, width})
		}
	}
	return out
}

// sound reports whether clusters keep to their cells, alone and together,
// between the characters of a map and after being cut anywhere.
func sound(cs []cluster) bool {
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

func shorten(cs []cluster, most int) []cluster {
	if widthOf(cs) <= most {
		return cs
	}
	for len(cs) > 0 && widthOf(cs) > most-1 {
		cs = cs[:len(cs)-1]
	}
	for len(cs) > 0 && cs[len(cs)-1].text == " " {
		cs = cs[:len(cs)-1]
	}
	return append(cs[:len(cs):len(cs)], cluster{"…", 1})
}

func widthOf(cs []cluster) (w int) {
	for _, c := range cs {
		w += c.width
	}
	return w
}

// clusters returns a label in the characters of the map.
func (m *Model) clusters(cs []cluster) []cluster {
	if m.glyphs != ASCII {
		return cs
	}
	out := make([]cluster, 0, len(cs))
	for _, c := range cs {
		if len(c.text) == 1 {
			out = append(out, c)
			continue
		}
		char := glyph.Letter([]rune(c.text)[0])
		for range c.width {
			out = append(out, cluster{char, 1})
		}
	}
	return out
}
