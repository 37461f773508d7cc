package tuitest

import "flightdesk/tui/theme"

// Theme returns a theme by its name.
func Theme(t TB, name string) *theme.Theme {
	t.Helper()
	th, err := theme.Named(name, true)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return th
}

// Themes are the names of two themes, with colour and without.
var Themes = []string{"dark", "none"}
