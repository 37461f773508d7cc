package tui

import (
	"testing"

	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

func TestAutomaticThemeFollowsTheBackground(t *testing.T) {
	noEnvironment := &Terminal{}
	look := newAppearance(&Options{Theme: "auto", Terminal: noEnvironment})
	var drawn theme.Theme
	look.setBackground(true, &drawn)
	dark := drawn.PageColor()
	look.setBackground(false, &drawn)
	if drawn.PageColor() == dark {
		t.Error("a light background has the page colour of a dark one")
	}
	look.use("dark", &drawn)
	dark = drawn.PageColor()
	look.setBackground(true, &drawn)
	look.setBackground(false, &drawn)
	if look.isAuto() || drawn.PageColor() != dark {
		t.Error("a chosen theme follows the background")
	}
	look.use("no such theme", &drawn)
	if look.chosen != "dark" {
		t.Errorf("an unknown theme was chosen: %q", look.chosen)
	}
}

func TestNoThemesToChooseWithoutColours(t *testing.T) {
	look := newAppearance(&Options{Theme: "auto", Terminal: &Terminal{Environ: []string{"NO_COLOR=yes"}}})
	var drawn theme.Theme
	look.use("dark", &drawn)
	if look.chosen != "auto" || look.isAuto() || look.names() != nil {
		t.Errorf("%+v, themes %v", look, look.names())
	}
}

func TestChosenUnitsLastUntilTheConfigurationChanges(t *testing.T) {
	state := session.OpenUIState("")
	configured := format.Units{Areas: format.BySize, Times: format.SiteClock}
	if got := loadUnits(state, configured); got != configured {
		t.Errorf("without a choice the units are %+v", got)
	}
	chosen := format.Units{Areas: format.Km2, Times: format.LocalClock}
	state.Put(unitsKey, savedUnits{Chosen: chosen, Configured: configured})
	if got := loadUnits(state, configured); got != chosen {
		t.Errorf("the units are %+v, chosen were %+v", got, chosen)
	}
	changed := format.Units{Areas: format.Km2, Times: format.SiteClock}
	if got := loadUnits(state, changed); got != changed {
		t.Errorf("the units are %+v, configured are now %+v", got, changed)
	}
}
