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

// CustomTheme is a theme of the user's: one of the app's with other colours.
type CustomTheme struct {
	Name    string
	Base    string            // dark, light or high-contrast
	Colours map[string]string // #rrggbb by token: page, raised, text, band_live
}

// NamedOrCustom returns [Named], and knows the user's own themes besides.
func NamedOrCustom(own []CustomTheme, name string, isDark bool) (*Theme, error) {
	for _, c := range own {
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

// Readable is the least contrast between a text and its ground (WCAG 2, AA).
const Readable = 4.5

// FaintText is a text of a theme that is hard to read.
type FaintText struct {
	Token, Ground string  // as the configuration calls them
	Contrast      float64 // from 1 to 21
}

// FaintTexts returns the texts of the user's theme that the colours it names make hard
// to read, each on the ground where it is hardest.
func (c CustomTheme) FaintTexts() (faints []FaintText) {
	t, err := c.buildTheme(true)
	if err != nil {
		return nil
	}
	note := func(token string, grounds ...string) {
		worst := FaintText{Contrast: Readable}
		for _, ground := range grounds {
			fg, bg := t.tokens.Colours[token], t.tokens.Colours[ground]
			if c.Colours[token] == "" && c.Colours[ground] == "" || fg == nil || bg == nil {
				continue
			}
			if k := ContrastRatio(fg, bg); k < worst.Contrast {
				worst = FaintText{token, ground, k}
			}
		}
		if worst.Token != "" {
			faints = append(faints, worst)
		}
	}
	for _, role := range tokenNames[:roles] {
		note(role, "page", "raised", "selected")
	}
	for _, band := range []string{"band_live", "band_test", "band_demo"} {
		note("band_text", band)
	}
	return faints
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

// PaintRole makes text harmless and gives it the colour of a role.
func (t *Theme) PaintRole(r Role, text string) string { return format.CleanText(t.roles[r], text) }

// PaintText paints what is to be read.
func (t *Theme) PaintText(text string) string { return t.PaintRole(Text, text) }

// PaintMuted paints what is said beside that.
func (t *Theme) PaintMuted(text string) string { return t.PaintRole(Muted, text) }

// PaintTitle paints the title of a part.
func (t *Theme) PaintTitle(text string) string { return format.CleanText(t.Title, text) }

// PaintHint paints a key and, after it, what the key does.
func (t *Theme) PaintHint(key, does string) string {
	return format.CleanText(t.Key, key) + t.PaintMuted(" "+does)
}

// PaintRaised paints text of a role on a raised ground: that of dialogs.
func (t *Theme) PaintRaised(r Role, text string) string { return format.CleanText(t.raised[r], text) }

// RaiseLines wraps texts into w cells and paints their lines on a raised ground.
func (t *Theme) RaiseLines(r Role, w int, texts ...string) (lines []string) {
	for _, text := range texts {
		for _, line := range format.Wrap(text, w) {
			lines = append(lines, t.PaintRaised(r, line))
		}
	}
	return lines
}

// PaintLines wraps text into w cells and paints its lines, each after an indent.
func (t *Theme) PaintLines(r Role, indent, text string, w int) []string {
	lines := format.Wrap(text, w)
	for i, line := range lines {
		lines[i] = indent + t.PaintRole(r, line)
	}
	return lines
}
