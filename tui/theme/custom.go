package theme

import (
	"fmt"
	"image/color"

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
