package theme_test

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"charm.land/lipgloss/v2"

	"flightdesk/tui/theme"
)

// Text must be readable on the page, in overlays and on the selected row.
func TestEveryRoleIsReadableOnEveryGround(t *testing.T) {
	for _, name := range []string{"dark", "light", "high-contrast"} {
		for _, isDark := range []bool{true, false} {
			th, err := theme.NamedTheme(name, isDark)
			if err != nil {
				t.Fatal(err)
			}
			for role := theme.Text; role <= theme.Bad; role++ {
				for ground, style := range map[string]struct{ fg, bg color.Color }{
					"the page":         {th.Style(role).LipglossStyle().GetForeground(), th.PageColor()},
					"an overlay":       {th.RaisedStyle(role).LipglossStyle().GetForeground(), th.RaisedStyle(role).LipglossStyle().GetBackground()},
					"the selected row": {th.SelectedStyle(role).LipglossStyle().GetForeground(), th.SelectedStyle(role).LipglossStyle().GetBackground()},
				} {
					if c := theme.ContrastRatio(style.fg, style.bg); c < theme.Readable {
						t.Errorf("%s: role %d on %s has a contrast of %.1f", name, role, ground, c)
					}
				}
			}
		}
	}
}

func TestWithoutColourRolesDifferByShape(t *testing.T) {
	th, err := theme.NamedTheme("none", true)
	if err != nil {
		t.Fatal(err)
	}
	if th.PageColor() != nil {
		t.Error("the page has a colour")
	}
	if !th.Style(theme.Attention).LipglossStyle().GetBold() || !th.Style(theme.Bad).LipglossStyle().GetBold() || !th.Style(theme.Muted).LipglossStyle().GetFaint() {
		t.Error("you, bad and muted are not told apart")
	}
	if !th.SelectedStyle(theme.Text).LipglossStyle().GetReverse() {
		t.Error("the selected row is not reversed")
	}
}

func TestNames(t *testing.T) {
	for _, name := range theme.ThemeNames() {
		if _, err := theme.NamedTheme(name, true); err != nil {
			t.Error(err)
		}
	}
	if _, err := theme.NamedTheme("neon", true); err == nil {
		t.Error("a theme that is not known is taken")
	}
	bright, err := theme.NamedTheme("auto", false)
	if err != nil || bright.Name != "light" {
		t.Errorf("auto on a light terminal is %v, %v", bright, err)
	}
}

// The figures are those of the definition's own examples.
func TestContrast(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want float64
	}{
		{"#000000", "#ffffff", 21}, {"#ffffff", "#ffffff", 1}, {"#767676", "#ffffff", 4.54}, {"#ff0000", "#ffffff", 4.0},
	} {
		if got := theme.ContrastRatio(lipgloss.Color(tt.a), lipgloss.Color(tt.b)); math.Abs(got-tt.want) > 0.01 {
			t.Errorf("%s on %s has %.3f, want %.2f", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestFaintsAreOfColoursThatTheUserChose(t *testing.T) {
	for _, tt := range []struct {
		colours map[string]string
		want    []string
	}{
		{nil, nil},
		{map[string]string{"muted": "#808890", "band_live": "#000000", "rule": "#0d1117"}, []string{"muted selected"}},
		{map[string]string{"selected": "#e6edf3"}, []string{
			"text selected", "muted selected", "accent selected", "pending selected", "attention selected",
			"in_progress selected", "good selected", "bad selected",
		}},
		{map[string]string{"band_text": "#303030"}, []string{
			"band_text band_live", "band_text band_test", "band_text band_demo",
		}},
	} {
		var got []string
		for _, f := range (theme.CustomTheme{Name: "own", Base: "dark", Colours: tt.colours}).FaintTexts() {
			got = append(got, f.Token+" "+f.Ground)
			if f.Contrast < 1 || f.Contrast >= theme.Readable {
				t.Errorf("%s on %s has %.1f", f.Token, f.Ground, f.Contrast)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("of %v %q are faint, want %q", tt.colours, got, tt.want)
		}
	}
}
