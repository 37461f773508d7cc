package theme

import (
	"image/color"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// DetectProfile returns how many colours a terminal shows, by what it and its environment
// say. GNU screen as TERM=screen has eight and replaces all others by the nearest
// of them, which can be nobody's ground and text.
func DetectProfile(out io.Writer, env []string) colorprofile.Profile {
	profile := colorprofile.Detect(out, env)
	if profile > colorprofile.ANSI && slices.Contains(env, "TERM=screen") &&
		slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "STY=") }) {
		return colorprofile.ANSI
	}
	return profile
}

// ForProfile returns the theme as a terminal with fewer colours can show it. Nearest
// colours would not do: with sixteen of them different roles fall together, and
// nobody knows what the terminal's user made of them.
func (t *Theme) ForProfile(profile colorprofile.Profile, isDark bool) *Theme {
	switch {
	case t.tokens.Plain || profile == colorprofile.TrueColor:
		return t
	case profile == colorprofile.ANSI256 && (t.Name == "dark" || t.Name == "light"):
		return buildTheme(t.Name, tokens256(t.Name == "dark"))
	case profile == colorprofile.ANSI256:
		return t
	case profile == colorprofile.ANSI:
		return buildTheme(t.Name, tokens16(isDark))
	default:
		return buildTheme(t.Name, Tokens{Plain: true})
	}
}

// tokens256 returns the themes dark and light in the fixed colours of the
// 256-colour palette: greys are of its grey ramp, and the selection is no band's
// colour.
func tokens256(isDark bool) Tokens {
	if isDark {
		return parseTokens("255 249 117 152 221 183 114 217 #0d1117 234 237 58 240 231 88 58 23")
	}
	return parseTokens("235 239 24 60 94 55 22 124 #ffffff 255 254 229 250 231 88 58 23")
}

// tokens16 uses only those of the sixteen colours that are readable on a dark
// ground in the palettes of xterm, VTE, the Linux console and Solarized. On a
// light ground there is none, so that attributes carry the meaning there.
func tokens16(isDark bool) Tokens {
	if !isDark {
		return Tokens{Sixteen: true}
	}
	return Tokens{Sixteen: true, Colours: map[string]color.Color{
		"accent": lipgloss.Color("14"), "in_progress": lipgloss.Color("6"), "good": lipgloss.Color("2"),
	}}
}

// sixteenStyle tells the roles apart by attributes as well: what failed is
// reversed, what needs a decision underlined.
func sixteenStyle(r Role, c color.Color) lipgloss.Style {
	s := lipgloss.NewStyle()
	if c != nil {
		s = s.Foreground(c)
	}
	switch r {
	case Attention:
		return s.Bold(true).Underline(true).UnderlineSpaces(false)
	case Bad:
		return s.Bold(true).Reverse(true)
	case Accent:
		return s.Bold(true)
	}
	return s
}

// sixteenSelected returns the style of a role on the selected row, which is reversed.
// It underlines nothing: the library would leave out the spaces.
func sixteenSelected(r Role) lipgloss.Style {
	return lipgloss.NewStyle().Reverse(true).Bold(r == Attention || r == Bad)
}
