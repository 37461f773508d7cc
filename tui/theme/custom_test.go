package theme_test

import (
	"testing"

	"charm.land/lipgloss/v2"

	"flightdesk/tui/theme"
)

func TestAThemeOfTheUsersChangesItsColoursOnly(t *testing.T) {
	own := []theme.Custom{{Name: "harbour", Base: "light", Colours: map[string]string{
		"accent": "#00695c", "page": "#fafafa", "band_live": "#111111", "rule": "#123456",
	}}}
	th, err := theme.With(own, "harbour", true)
	if err != nil {
		t.Fatal(err)
	}
	light, err := theme.Named("light", true)
	if err != nil {
		t.Fatal(err)
	}
	if th.Name != "harbour" || th.Page() != lipgloss.Color("#fafafa") || th.Style(theme.Accent).Look().GetForeground() != lipgloss.Color("#00695c") ||
		th.Rule.Look().GetForeground() != lipgloss.Color("#123456") || th.Band("live").Look().GetBackground() != lipgloss.Color("#111111") {
		t.Error("a colour is not taken")
	}
	if th.Style(theme.Bad).Look().GetForeground() != light.Style(theme.Bad).Look().GetForeground() || th.Band("test").Look().GetBackground() != light.Band("test").Look().GetBackground() {
		t.Error("another colour has changed")
	}
	if light.Band("live").Look().GetBackground() == th.Band("live").Look().GetBackground() {
		t.Error("the base has changed, too")
	}
	if dark, err := theme.With(own, "dark", true); err != nil || dark.Name != "dark" {
		t.Errorf("the app's own: %v", err)
	}
	own[0].Colours = map[string]string{"colour": "#000000"}
	if _, err := theme.With(own, "harbour", true); err == nil {
		t.Error("a colour that is not known is taken")
	}
}
