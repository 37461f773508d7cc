package theme_test

import (
	"testing"

	"charm.land/lipgloss/v2"

	"flightdesk/tui/theme"
)

func TestAThemeOfTheUsersChangesItsColoursOnly(t *testing.T) {
	own := []theme.CustomTheme{{Name: "harbour", Base: "light", Colours: map[string]string{
		"accent": "#00695c", "page": "#fafafa", "band_live": "#111111", "rule": "#123456",
	}}}
	th, err := theme.NamedOrCustom(own, "harbour", true)
	if err != nil {
		t.Fatal(err)
	}
	light, err := theme.NamedTheme("light", true)
	if err != nil {
		t.Fatal(err)
	}
	if th.Name != "harbour" || th.PageColor() != lipgloss.Color("#fafafa") || th.Style(theme.Accent).LipglossStyle().GetForeground() != lipgloss.Color("#00695c") ||
		th.Rule.LipglossStyle().GetForeground() != lipgloss.Color("#123456") || th.BandStyle("live").LipglossStyle().GetBackground() != lipgloss.Color("#111111") {
		t.Error("a colour is not taken")
	}
	if th.Style(theme.Bad).LipglossStyle().GetForeground() != light.Style(theme.Bad).LipglossStyle().GetForeground() || th.BandStyle("test").LipglossStyle().GetBackground() != light.BandStyle("test").LipglossStyle().GetBackground() {
		t.Error("another colour has changed")
	}
	if light.BandStyle("live").LipglossStyle().GetBackground() == th.BandStyle("live").LipglossStyle().GetBackground() {
		t.Error("the base has changed, too")
	}
	if dark, err := theme.NamedOrCustom(own, "dark", true); err != nil || dark.Name != "dark" {
		t.Errorf("the app's own: %v", err)
	}
	own[0].Colours = map[string]string{"colour": "#000000"}
	if _, err := theme.NamedOrCustom(own, "harbour", true); err == nil {
		t.Error("a colour that is not known is taken")
	}
}
