package tuitest

import "flightdesk/tui/theme"

// LoadTheme returns a theme by its name.
func LoadTheme(t TB, name string) *theme.Theme {
	t.Helper()
	th, err := theme.NamedTheme(name, true)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return th
}

// Themes are the names of two themes, with colour and without.
var Themes = []string{"dark", "none"}
