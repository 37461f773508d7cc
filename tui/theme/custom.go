package theme

import (
	"fmt"
	"image/color"
	"math"

	"charm.land/lipgloss/v2"
)

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
	tokens.Bands = bandColors()
	for token, value := range c.Colours {
		into := tokens.tokenNamed(token)
		switch {
		case into != nil:
			*into = lipgloss.Color(value)
		case len(token) > 5 && token[:5] == "band_":
			tokens.Bands[token[5:]] = lipgloss.Color(value)
		default:
			return nil, fmt.Errorf("theme %s: unknown colour %q", c.Name, token)
		}
	}
	return buildTheme(c.Name, tokens), nil
}

// tokenNamed returns where a colour stands, by the name that the configuration has for
// it; nil for a band and what is not known.
func (t *Tokens) tokenNamed(name string) *color.Color {
	for i, role := range roleNames {
		if name == role {
			return &t.Roles[i]
		}
	}
	return map[string]*color.Color{
		"page": &t.Page, "raised": &t.Raised, "selected": &t.Selected, "chosen": &t.Chosen, "rule": &t.Rule, "band_text": &t.BandText,
	}[name]
}

// Readable is the least contrast between a text and its ground (WCAG 2, AA).
const Readable = 4.5

// FaintText is a text of a theme that is hard to read.
type FaintText struct {
	Token, Ground string  // as the configuration calls them
	Contrast      float64 // from 1 to 21
}

// names of the roles and the grounds, as the configuration has them.
var (
	roleNames   = [roles]string{"text", "muted", "accent", "wait", "you", "moving", "good", "bad"}
	groundNames = [...]string{"page", "raised", "selected"}
)

// FaintTexts returns the texts of the user's theme that the colours it names make hard
// to read, each on the ground where it is hardest.
func (c CustomTheme) FaintTexts() []FaintText {
	t, err := c.buildTheme(true)
	if err != nil {
		return nil
	}
	tokens := &t.tokens
	var faints []FaintText
	note := func(token, ground string, fg, bg color.Color, worst *FaintText) {
		if c.Colours[token] == "" && c.Colours[ground] == "" || fg == nil || bg == nil {
			return
		}
		if k := ContrastRatio(fg, bg); k < Readable && (worst.Token == "" || k < worst.Contrast) {
			*worst = FaintText{token, ground, k}
		}
	}
	for i, role := range roleNames {
		var worst FaintText
		for k, ground := range []color.Color{tokens.Page, tokens.Raised, tokens.Selected} {
			note(role, groundNames[k], tokens.Roles[i], ground, &worst)
		}
		if worst.Token != "" {
			faints = append(faints, worst)
		}
	}
	for _, band := range []string{"live", "test", "demo"} {
		var worst FaintText
		note("band_text", "band_"+band, tokens.BandText, tokens.Bands[band], &worst)
		if worst.Token != "" {
			faints = append(faints, worst)
		}
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
