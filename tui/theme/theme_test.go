package theme_test

import (
	"image/color"
	"math"
	"testing"

	"flightdesk/tui/theme"
)

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		f := float64(v) / 0xffff
		if f <= 0.03928 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

// Text must be readable on the page, in overlays and on the selected row.
func TestEveryRoleIsReadableOnEveryGround(t *testing.T) {
	for _, name := range []string{"dark", "light", "high-contrast"} {
		for _, isDark := range []bool{true, false} {
			th, err := theme.Named(name, isDark)
			if err != nil {
				t.Fatal(err)
			}
			for role := theme.Text; role <= theme.Bad; role++ {
				for ground, style := range map[string]struct{ fg, bg color.Color }{
					"the page":         {th.Style(role).GetForeground(), th.Page()},
					"an overlay":       {th.Raised(role).GetForeground(), th.Raised(role).GetBackground()},
					"the selected row": {th.Selected(role).GetForeground(), th.Selected(role).GetBackground()},
				} {
					if c := contrast(style.fg, style.bg); c < 4.5 {
						t.Errorf("%s: role %d on %s has a contrast of %.1f", name, role, ground, c)
					}
				}
			}
		}
	}
}

func TestWithoutColourRolesDifferByShape(t *testing.T) {
	th, err := theme.Named("none", true)
	if err != nil {
		t.Fatal(err)
	}
	if th.Page() != nil {
		t.Error("the page has a colour")
	}
	if !th.Style(theme.You).GetBold() || !th.Style(theme.Bad).GetBold() || !th.Style(theme.Muted).GetFaint() {
		t.Error("you, bad and muted are not told apart")
	}
	if !th.Selected(theme.Text).GetReverse() {
		t.Error("the selected row is not reversed")
	}
}

func TestNames(t *testing.T) {
	for _, name := range theme.Names() {
		if _, err := theme.Named(name, true); err != nil {
			t.Error(err)
		}
	}
	if _, err := theme.Named("neon", true); err == nil {
		t.Error("a theme that is not known is taken")
	}
	bright, err := theme.Named("auto", false)
	if err != nil || bright.Name != "light" {
		t.Errorf("auto on a light terminal is %v, %v", bright, err)
	}
}
