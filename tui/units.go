package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// keptUnits is the name under which is kept how areas and times are told.
const keptUnits = "units"

// ownUnits are what was chosen with the keys, against what the configuration
// said then. Once that says something else, it holds again.
type ownUnits struct{ Chosen, Against format.Units }

// units are how a profile has areas and times told.
type units struct {
	look       *page.PageLook
	configured format.Units
	broadcast  func(tea.Msg) tea.Cmd
}

// useUnits tells areas and times as the profile has it.
func (u *units) useUnits() {
	units := u.configured
	var own ownUnits
	if u.look.UIState.Get(keptUnits, &own) && own.Against == units {
		units = own.Chosen
	}
	format.UseUnits(units)
}

// said is what a choice means.
var said = map[string]string{
	string(format.BySize): "m², hectares or km², by size", string(format.Hectares): "hectares",
	string(format.Km2): "km²", string(format.Acres): "acres",
	string(format.LocalClock): "local time", string(format.SiteClock): "site time",
}

// nextUnit chooses the next unit of areas, or the other clock.
func (u *units) nextUnit(id action.ID) tea.Cmd {
	units := format.ChosenUnits()
	var text string
	if id == action.AreaUnits {
		units.Areas = nextAfter(format.AreaUnits(), units.Areas)
		text = "Areas in " + said[string(units.Areas)]
	} else {
		units.Times = nextAfter(format.AllClocks(), units.Times)
		text = "Flights in " + said[string(units.Times)]
	}
	format.UseUnits(units)
	u.look.UIState.Put(keptUnits, ownUnits{units, u.configured})
	return tea.Batch(u.broadcast(page.UnitsMsg{}), page.KeepLook(u.look), page.ShowToast(theme.Good, text))
}

// nextAfter returns the one that follows another, the first one after the last.
func nextAfter[T comparable](all []T, one T) T { return all[(slices.Index(all, one)+1)%len(all)] }
