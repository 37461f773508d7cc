package theme

import (
	"fmt"
	"image/color"
	"math"
	"slices"

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
	for token, value := range c.Colours {
		if !slices.Contains(tokenNames, token) && (len(token) <= 5 || token[:5] != "band_") {
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
