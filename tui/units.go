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
	look       *page.Look
	configured format.Units
	broadcast  func(tea.Msg) tea.Cmd
}

// use tells areas and times as the profile has it.
func (u *units) use() {
	units := u.configured
	var own ownUnits
	if u.look.UIState.Get(keptUnits, &own) && own.Against == units {
		units = own.Chosen
	}
	format.Use(units)
}

// said is what a choice means.
var said = map[string]string{
	string(format.BySize): "in m², hectares or km², by their size", string(format.Hectares): "in hectares",
	string(format.Km2): "in km²", string(format.Acres): "in acres",
	string(format.LocalClock): "by this machine's clock", string(format.SiteClock): "by the clock of the site",
}

// next chooses the next unit of areas, or the other clock.
func (u *units) next(id action.ID) tea.Cmd {
	units := format.Chosen()
	var text string
	if id == action.AreaUnits {
		units.Areas = after(format.AreaUnits(), units.Areas)
		text = "areas are told " + said[string(units.Areas)]
	} else {
		units.Times = after(format.Clocks(), units.Times)
		text = "flights are told " + said[string(units.Times)]
	}
	format.Use(units)
	u.look.UIState.Put(keptUnits, ownUnits{units, u.configured})
	return tea.Batch(u.broadcast(page.UnitsMsg{}), page.Keep(u.look), page.Toast(theme.Good, text))
}

// after is the one that follows another, the first one after the last.
func after[T comparable](all []T, one T) T { return all[(slices.Index(all, one)+1)%len(all)] }
