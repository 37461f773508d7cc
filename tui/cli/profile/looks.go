package profile

import (
	"fmt"
	"slices"
	"strings"

	"flightdesk/config"
	keys "flightdesk/tui/action"
	"flightdesk/tui/theme"
)

// OwnThemes returns the themes of a configuration.
func OwnThemes(c *config.Config) []theme.CustomTheme {
	themes := make([]theme.CustomTheme, len(c.UserThemes))
	for i, t := range c.UserThemes {
		themes[i] = theme.CustomTheme{Name: t.Name, Base: string(t.Base), Colours: t.Colours}
	}
	return themes
}

// faintThemes returns the colours of the user's themes that make texts hard to
// read, by line.
func faintThemes(c *config.Config) []config.Fault {
	var faint []config.Fault
	own := OwnThemes(c)
	for i, t := range c.UserThemes {
		for _, f := range own[i].FaintTexts() {
			at := f.Token
			if t.Lines[at] == 0 {
				at = f.Ground
			}
			faint = append(faint, config.Fault{
				File: c.Path,
				Line: t.Lines[at],
				Key:  "themes." + t.Name + "." + at,
				Problem: fmt.Sprintf(
					"%s on %s has a contrast of %.1f; below %.1f text is hard to read",
					f.Token,
					f.Ground,
					f.Contrast,
					theme.Readable,
				),
			})
		}
	}
	slices.SortStableFunc(faint, func(x, y config.Fault) int { return x.Line - y.Line })
	return faint
}

// BindKeys gives the app the keys of a configuration. What does not hold comes
// back as [config.Faults], by line.
func BindKeys(c *config.Config) (undo func(), err error) {
	bindings := make([]keys.Binding, len(c.Keys))
	for i, b := range c.Keys {
		bindings[i] = keys.Binding{Scope: keys.Scope(b.Scope), Action: keys.ID(b.Action), Keys: b.Keys}
	}
	undo, wrong := keys.BindKeys(bindings)
	var faults config.Faults
	for _, f := range wrong {
		faults = append(faults, config.Fault{
			File:    c.Path,
			Line:    lineOf(c, f.Binding),
			Key:     "keys." + string(f.Binding.Scope) + "." + string(f.Binding.Action),
			Problem: f.Problem,
		})
	}
	if len(faults) > 0 {
		slices.SortStableFunc(faults, func(x, y config.Fault) int { return x.Line - y.Line })
		return undo, faults
	}
	return undo, nil
}

// earlierNames lists keys that are given to actions by names of earlier versions.
func earlierNames(c *config.Config) (list []config.Fault) {
	for _, b := range c.Keys {
		current, renamed := keys.CurrentName(keys.Binding{Scope: keys.Scope(b.Scope), Action: keys.ID(b.Action)})
		if renamed {
			list = append(list, config.Fault{
				File: c.Path,
				Line: b.Line,
				Key:  "keys." + b.Scope + "." + b.Action,
				Problem: fmt.Sprintf(
					"is called keys.%s.%s now; the earlier name still works",
					current.Scope,
					current.Action,
				),
			})
		}
	}
	return list
}

func lineOf(c *config.Config, b keys.Binding) int {
	for _, known := range c.Keys {
		if known.Scope == string(b.Scope) && known.Action == string(b.Action) {
			return known.Line
		}
	}
	return 0
}

// shownTheme is a theme of the user's, as config show prints it.
type shownTheme struct {
	Name    string            `json:"name"`
	Base    config.Theme      `json:"base"`
	Colours map[string]string `json:"colours"`
}

// shownKeys are the keys of an action.
type shownKeys struct {
	Scope  string   `json:"scope"`
	Action string   `json:"action"`
	Keys   []string `json:"keys"`
}

func (s *Configuration) showLooks(c *config.Config) {
	for _, t := range c.UserThemes {
		s.Themes = append(s.Themes, shownTheme{t.Name, t.Base, t.Colours})
	}
	for _, b := range c.Keys {
		s.Keys = append(s.Keys, shownKeys{b.Scope, b.Action, b.Keys})
	}
}

// looksText writes themes and keys as TOML.
func (s *Configuration) looksText(b *strings.Builder) {
	for _, t := range s.Themes {
		fmt.Fprintf(b, "\n[themes.%s]\n", tomlKey(t.Name))
		writeRow(b, "base", string(t.Base), nil)
		for _, token := range config.Tokens {
			writeRow(b, token, t.Colours[token], nil)
		}
	}
	scope := ""
	for _, k := range s.Keys {
		if k.Scope != scope {
			fmt.Fprintf(b, "\n[keys.%s]\n", tomlKey(k.Scope))
			scope = k.Scope
		}
		fmt.Fprintf(b, "%s = [%s]\n", tomlKey(k.Action), strings.Join(quoteAll(k.Keys), ", "))
	}
}
