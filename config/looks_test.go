package config_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"flightdesk/config"
)

func TestLoadReadsThemesAndKeys(t *testing.T) {
	c, err := load(t, world(t, nil), `theme = "harbour"

[themes.harbour]
base = "light"
accent = "#00695C"
[themes.night]

[keys.orders]
refresh = ["r", "f5"]
new-order = "ctrl+n"
[keys.everywhere]
help = "shift+f1"
`)
	if err != nil {
		t.Fatal(err)
	}
	themes := []config.UserTheme{
		{Name: "harbour", Base: config.Light, Colours: map[string]string{"accent": "#00695C"}, Lines: map[string]int{"accent": 5}},
		{Name: "night", Base: config.Dark, Colours: map[string]string{}, Lines: map[string]int{}},
	}
	keys := []config.KeyBinding{
		{Scope: "orders", Action: "refresh", Keys: []string{"r", "f5"}, Line: 9},
		{Scope: "orders", Action: "new-order", Keys: []string{"ctrl+n"}, Line: 10},
		{Scope: "everywhere", Action: "help", Keys: []string{"shift+f1"}, Line: 12},
	}
	if diff := cmp.Diff(themes, c.UserThemes) + cmp.Diff(keys, c.Keys); diff != "" || c.Theme != "harbour" {
		t.Errorf("theme %s, -want +got\n%s", c.Theme, diff)
	}
}

func TestFaultsOfThemesAndKeys(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"colour", "[themes.a]\naccent = \"red\"\n", []string{"2: themes.a.accent: not a valid colour"}},
		{"token", "[themes.a]\nacent = \"#000000\"\n", []string{"2: themes.a.acent: unknown key; did you mean accent"}},
		{"base", "[themes.a]\nbase = \"none\"\n", []string{"2: themes.a.base: unknown base; use dark"}},
		{"name of the app's", "[themes.dark]\n", []string{"1: themes.dark: not a valid theme name"}},
		{"unknown theme", "theme = \"b\"\n[themes.a]\n", []string{"1: theme: unknown theme; use auto, dark, light, high-contrast, none, a"}},
		{"no key", "[keys.a]\nb = \"ctrl\"\n", []string{`2: keys.a.b: "ctrl" is not a key`}},
		{"two letters", "[keys.a]\nb = \"gg\"\n", []string{`2: keys.a.b: "gg" is not a key`}},
		{"shifted letter", "[keys.a]\nb = \"shift+r\"\n", []string{"2: keys.a.b: use R"}},
		{"large letter with ctrl", "[keys.a]\nb = \"ctrl+R\"\n", []string{"2: keys.a.b: use ctrl+r"}},
		{"number", "[keys.a]\nb = 1\n", []string{"2: keys.a.b: expected a key such as"}},
		{"list with a number", "[keys.a]\nb = [\"r\", 1]\n", []string{"2: keys.a.b: expected a key such as"}},
		{"empty list", "[keys.a]\nb = []\n", []string{"2: keys.a.b: empty list"}},
		{"twice", "[keys.a]\nb = [\"r\", \"r\"]\n", []string{"2: keys.a.b: r is listed twice"}},
		{"no scope", "[keys]\nb = \"r\"\n", []string{"2: keys.b: expected a table [keys.b], not text"}},
		{"control character", "[keys.a]\nb = \"\\u001b\"\n", []string{`2: keys.a.b: "\x1b" is not a key`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := world(t, nil)
			_, err := load(t, env, tt.text)
			checkFaults(t, filepath.Join(env.Dirs.Config, "config.toml"), err, tt.want)
		})
	}
}
