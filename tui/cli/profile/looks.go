package profile

import (
	"fmt"

	"flightdesk/config"
	keys "flightdesk/tui/action"
	"flightdesk/tui/theme"
)

// OwnThemes returns the themes of a configuration.
func OwnThemes(c *config.Config) []theme.CustomTheme {
	themes := make([]theme.CustomTheme, len(c.UserThemes))
	for i, t := range c.UserThemes {
		themes[i] = theme.CustomTheme{Name: t.Name, Base: t.Base, Colours: t.Colours}
	}
	return themes
}

// faintThemes returns the colours of the user's themes that make texts hard to
// read, by line.
func faintThemes(c *config.Config) (faint config.Faults) {
	for i, own := range OwnThemes(c) {
		lines := c.UserThemes[i].Lines
		for _, f := range own.FaintTexts() {
			at := f.Token
			if lines[at] == 0 {
				at = f.Ground
			}
			problem := fmt.Sprintf("%s on %s has a contrast of %.1f; below %.1f text is hard to read",
				f.Token, f.Ground, f.Contrast, theme.Readable)
			faint = append(
				faint,
				config.Fault{
					File:    c.Path,
					Line:    lines[at],
					Key:     "themes." + own.Name + "." + at,
					Problem: problem,
				},
			)
		}
	}
	faint.SortByLine()
	return faint
}

// BindKeys gives the app the keys of a configuration. What does not hold comes
// back as [config.Faults], by line.
func BindKeys(c *config.Config) (undo func(), err error) {
	bindings := make([]keys.Binding, len(c.Keys))
	for i, b := range c.Keys {
		bindings[i] = bindingOf(b)
	}
	undo, wrong := keys.BindKeys(bindings)
	var faults config.Faults
	for _, f := range wrong {
		for _, b := range c.Keys {
			if b.Scope == string(f.Binding.Scope) && b.Action == string(f.Binding.Action) {
				faults = append(faults, keyFault(c, b, f.Problem))
			}
		}
	}
	if faults == nil {
		return undo, nil
	}
	faults.SortByLine()
	return undo, faults
}

func bindingOf(b config.KeyBinding) keys.Binding {
	return keys.Binding{Scope: keys.Scope(b.Scope), Action: keys.ID(b.Action), Keys: b.Keys}
}

func keyFault(c *config.Config, b config.KeyBinding, problem string) config.Fault {
	return config.Fault{File: c.Path, Line: b.Line, Key: "keys." + b.Scope + "." + b.Action, Problem: problem}
}

// earlierNames lists keys that are given to actions by names of earlier versions.
func earlierNames(c *config.Config) (list []config.Fault) {
	for _, b := range c.Keys {
		if current, renamed := keys.CurrentName(bindingOf(b)); renamed {
			problem := fmt.Sprintf(
				"is called keys.%s.%s now; the earlier name still works",
				current.Scope,
				current.Action,
			)
			list = append(list, keyFault(c, b, problem))
		}
	}
	return list
}
