package theme

import (
	"image/color"
	"math"
)

// Readable is the least contrast between a text and its ground (WCAG 2, AA).
const Readable = 4.5

// Faint is a text of a theme that is hard to read.
type Faint struct {
	Token, Ground string  // as the configuration calls them
	Contrast      float64 // from 1 to 21
}

// names of the roles and the grounds, as the configuration has them.
var (
	roleNames   = [roles]string{"text", "muted", "accent", "wait", "you", "moving", "good", "bad"}
	groundNames = [...]string{"page", "raised", "selected"}
)

// Faints are the texts of the user's theme that the colours it names make hard
// to read, each on the ground where it is hardest.
func (c Custom) Faints() []Faint {
	t, err := c.theme(true)
	if err != nil {
		return nil
	}
	tokens := &t.tokens
	var faints []Faint
	note := func(token, ground string, fg, bg color.Color, worst *Faint) {
		if c.Colours[token] == "" && c.Colours[ground] == "" || fg == nil || bg == nil {
			return
		}
		if k := Contrast(fg, bg); k < Readable && (worst.Token == "" || k < worst.Contrast) {
			*worst = Faint{token, ground, k}
		}
	}
	for i, role := range roleNames {
		var worst Faint
		for k, ground := range []color.Color{tokens.Page, tokens.Raised, tokens.Selected} {
			note(role, groundNames[k], tokens.Roles[i], ground, &worst)
		}
		if worst.Token != "" {
			faints = append(faints, worst)
		}
	}
	for _, band := range []string{"live", "test", "demo"} {
		var worst Faint
		note("band_text", "band_"+band, tokens.BandText, tokens.Bands[band], &worst)
		if worst.Token != "" {
			faints = append(faints, worst)
		}
	}
	return faints
}

// Contrast is that of two colours, from 1 to 21 (WCAG 2).
func Contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func linear(v uint32) float64 {
	f := float64(v) / 0xffff
	if f <= 0.04045 {
		return f / 12.92
	}
	return math.Pow((f+0.055)/1.055, 2.4)
}
