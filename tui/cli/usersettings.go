package cli

import (
	"fmt"

	"flightdesk/config"
	keys "flightdesk/tui/action"
	"flightdesk/tui/theme"
)

// ownThemes returns the themes that the user defines in a configuration.
func ownThemes(c *config.Config) []theme.CustomTheme {
	themes := make([]theme.CustomTheme, len(c.UserThemes))
	for i, t := range c.UserThemes {
		themes[i] = theme.CustomTheme{
			Name:    t.Name,
			Base:    t.Base,
			Colours: t.Colours,
		}
	}
	return themes
}

// findFaintColours returns a fault for each colour in the user's themes that makes texts hard to read. The
// faults are sorted by line.
func findFaintColours(c *config.Config) config.Faults {
	var faults config.Faults
	for i, own := range ownThemes(c) {
		lines := c.UserThemes[i].Lines
		for _, faint := range own.FaintTexts() {
			colour := faint.Token
			if lines[colour] == 0 {
				colour = faint.Ground // the user's theme only sets the background
			}
			faults = append(faults, config.Fault{
				File: c.Path,
				Line: lines[colour],
				Key:  "themes." + own.Name + "." + colour,
				Problem: fmt.Sprintf("%s on %s has a contrast of %.1f; below %.1f text is hard to read",
					faint.Token, faint.Ground, faint.Contrast, theme.Readable),
			})
		}
	}
	faults.SortByLine()
	return faults
}

// bindKeys assigns the keys of a configuration to the actions of the app. Invalid bindings are returned
// as [config.Faults], sorted by line. undo restores the keys.
func bindKeys(c *config.Config) (undo func(), err error) {
	undo, invalid := keys.BindKeys(bindingsOf(c))
	if len(invalid) == 0 {
		return undo, nil
	}
	var faults config.Faults
	for _, f := range invalid {
		faults = append(faults, keyFault(c, f.Binding, f.Problem))
	}
	faults.SortByLine()
	return undo, faults
}

// bindingsOf returns the key bindings of a configuration.
func bindingsOf(c *config.Config) []keys.Binding {
	var all []keys.Binding
	for _, b := range c.Keys {
		all = append(all, keys.Binding{
			Scope:  keys.Scope(b.Scope),
			Action: keys.ID(b.Action),
			Keys:   b.Keys,
			Line:   b.Line,
		})
	}
	return all
}

func keyFault(c *config.Config, b keys.Binding, problem string) config.Fault {
	return config.Fault{
		File:    c.Path,
		Line:    b.Line,
		Key:     fmt.Sprintf("keys.%s.%s", b.Scope, b.Action),
		Problem: problem,
	}
}

// renamedActions returns a fault for each key binding that calls an action by its name in an earlier version. The
// faults are warnings: earlier names still work.
func renamedActions(c *config.Config) []config.Fault {
	var faults []config.Fault
	for _, binding := range bindingsOf(c) {
		current, isRenamed := keys.UpdateNames(binding)
		if !isRenamed {
			continue
		}
		problem := fmt.Sprintf("is called keys.%s.%s now; the earlier name still works", current.Scope, current.Action)
		faults = append(faults, keyFault(c, binding, problem))
	}
	return faults
}
