package theme

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"flightdesk/tui/format"
)

// DetectProfile returns how many colours a terminal has, according to its output and environment. With
// TERM=screen it returns at most sixteen colours: GNU screen has only eight, and replaces other colours by
// the nearest of them, which may make text unreadable.
func DetectProfile(out io.Writer, env []string) colorprofile.Profile {
	profile := colorprofile.Detect(out, env)
	isScreenVariable := func(variable string) bool { return strings.HasPrefix(variable, "STY=") }
	isScreen := slices.Contains(env, "TERM=screen") && slices.ContainsFunc(env, isScreenVariable)
	if isScreen && profile > colorprofile.ANSI {
		return colorprofile.ANSI
	}
	return profile
}

// ForProfile returns the theme for a terminal with fewer colours. For sixteen colours and for no colours, it returns a
// theme that was made for them. It does not use the nearest available colours: different roles would look the same, and
// users can redefine the sixteen colours.
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

// tokens256 returns the dark or light theme in the 256-colour palette. The greys are from the grey ramp of the palette.
// The selected row has another colour than the band, which is the first row of the screen.
func tokens256(isDark bool) Tokens {
	if isDark {
		return parseTokens("255 249 117 152 221 183 114 217 #0d1117 234 237 58 240 231 88 58 23")
	}
	return parseTokens("235 239 24 60 94 55 22 124 #ffffff 255 254 229 250 231 88 58 23")
}

// tokens16 returns a theme for sixteen colours. On a dark background it uses the colours that are
// readable in the palettes of xterm, VTE, the Linux console and Solarized. On a light background none
// of the colours is readable in all of these palettes, so it uses only attributes.
func tokens16(isDark bool) Tokens {
	if !isDark {
		return Tokens{Sixteen: true}
	}
	colours := map[string]color.Color{
		"accent":      lipgloss.Color("14"),
		"in_progress": lipgloss.Color("6"),
		"good":        lipgloss.Color("2"),
	}
	return Tokens{Sixteen: true, Colours: colours}
}

// sixteenStyle returns the style of a role with sixteen colours. Bold, underline and reverse also tell roles
// apart: errors are reversed, and texts that need attention are underlined.
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

// sixteenSelected returns the style of a role on the selected row, which is reversed. It
// has no underline, because the library would not underline the spaces.
func sixteenSelected(r Role) lipgloss.Style {
	return lipgloss.NewStyle().Reverse(true).Bold(r == Attention || r == Bad)
}

// CustomTheme is a theme of the user: a base theme with other colours.
type CustomTheme struct {
	Name    string
	Base    string            // dark, light or high-contrast
	Colours map[string]string // #rrggbb by token: page, raised, text, band_live
}

// NamedOrCustom returns the custom theme with the given name. If there is none, it returns the result of
// NamedTheme.
func NamedOrCustom(custom []CustomTheme, name string, isDark bool) (*Theme, error) {
	for _, c := range custom {
		if c.Name == name {
			return c.buildTheme(isDark)
		}
	}
	return NamedTheme(name, isDark)
}

func (c CustomTheme) buildTheme(isDark bool) (*Theme, error) {
	base, err := NamedTheme(c.Base, isDark)
	if err != nil {
		return nil, err
	}
	tokens := base.tokens
	for token, value := range c.Colours {
		if !slices.Contains(tokenNames, token) && !strings.HasPrefix(token, "band_") {
			return nil, fmt.Errorf("theme %s: unknown colour %q", c.Name, token)
		}
		tokens.Colours[token] = lipgloss.Color(value)
	}
	return buildTheme(c.Name, tokens), nil
}

// Readable is the minimum contrast between text and background (WCAG 2, AA).
const Readable = 4.5

// FaintText is a text of a theme that is hard to read.
type FaintText struct {
	Token, Ground string  // names in the configuration
	Contrast      float64 // from 1 to 21
}

// FaintTexts returns the texts that are hard to read because of the user's colours, each with its
// worst background.
func (c CustomTheme) FaintTexts() []FaintText {
	t, err := c.buildTheme(true)
	if err != nil {
		return nil
	}
	var faints []FaintText
	for _, role := range tokenNames[:roles] {
		if faint, ok := c.worstGround(t, role, "page", "raised", "selected"); ok {
			faints = append(faints, faint)
		}
	}
	for _, band := range []string{"band_live", "band_test", "band_demo"} {
		if faint, ok := c.worstGround(t, "band_text", band); ok {
			faints = append(faints, faint)
		}
	}
	return faints
}

// worstGround returns the background on which a text is hardest to read. ok is false if the text is
// readable on all backgrounds. It skips a background if the user has chosen neither its colour nor
// the colour of the text.
func (c CustomTheme) worstGround(t *Theme, token string, grounds ...string) (worst FaintText, ok bool) {
	worst.Contrast = Readable
	for _, ground := range grounds {
		text := t.tokens.Colours[token]
		background := t.tokens.Colours[ground]
		isCustom := c.Colours[token] != "" || c.Colours[ground] != ""
		if !isCustom || text == nil || background == nil {
			continue
		}
		contrast := ContrastRatio(text, background)
		if contrast < worst.Contrast {
			worst = FaintText{Token: token, Ground: ground, Contrast: contrast}
			ok = true
		}
	}
	return worst, ok
}

// ContrastRatio returns the contrast of two colours, from 1 to 21 (WCAG 2).
func ContrastRatio(a, b color.Color) float64 {
	x, y := relativeLuminance(a), relativeLuminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func relativeLuminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	return 0.2126*linearChannel(r) + 0.7152*linearChannel(g) + 0.0722*linearChannel(b)
}

func linearChannel(v uint32) float64 {
	f := float64(v) / 0xffff
	if f <= 0.04045 {
		return f / 12.92
	}
	return math.Pow((f+0.055)/1.055, 2.4)
}

// PaintRole cleans text and paints it in the colour of a role.
func (t *Theme) PaintRole(r Role, text string) string { return format.CleanText(t.roles[r], text) }

// PaintText paints normal text.
func (t *Theme) PaintText(text string) string { return t.PaintRole(Text, text) }

// PaintMuted paints muted text.
func (t *Theme) PaintMuted(text string) string { return t.PaintRole(Muted, text) }

// PaintTitle paints a title.
func (t *Theme) PaintTitle(text string) string { return format.CleanText(t.Title, text) }

// PaintHint paints a key and its action.
func (t *Theme) PaintHint(key, does string) string {
	return format.CleanText(t.Key, key) + t.PaintMuted(" "+does)
}

// PaintRaised paints text of a role in a dialog.
func (t *Theme) PaintRaised(r Role, text string) string { return format.CleanText(t.raised[r], text) }

// RaiseLines wraps texts to w cells and paints the lines for a dialog.
func (t *Theme) RaiseLines(r Role, w int, texts ...string) []string {
	var lines []string
	for _, text := range texts {
		for _, line := range format.Wrap(text, w) {
			lines = append(lines, t.PaintRaised(r, line))
		}
	}
	return lines
}

// PaintLines wraps text to w cells and paints each line after an indent.
func (t *Theme) PaintLines(r Role, indent, text string, w int) []string {
	lines := format.Wrap(text, w)
	for i, line := range lines {
		lines[i] = indent + t.PaintRole(r, line)
	}
	return lines
}

// PaintTitleLines wraps the title of a pane of w cells, and paints each line after a space.
func (t *Theme) PaintTitleLines(title string, w int) []string {
	lines := format.Wrap(title, w-2)
	for i, line := range lines {
		lines[i] = " " + t.PaintTitle(line)
	}
	return lines
}
