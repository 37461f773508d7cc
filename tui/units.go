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

// useUnits tells areas and times as the profile has it.
func (a *App) useUnits() {
	units := a.opts.Units
	var own ownUnits
	if a.env.UIState.Get(keptUnits, &own) && own.Against == units {
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

// tell performs what is about how and what the app tells.
func (a *App) tell(id action.ID) tea.Cmd {
	switch id {
	case action.AreaUnits, action.SiteTimes:
		return a.tellOtherwise(id)
	case action.News:
		return a.showNews()
	}
	return nil
}

// tellOtherwise goes on to the next unit of areas, or the other clock.
func (a *App) tellOtherwise(id action.ID) tea.Cmd {
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
	a.env.UIState.Put(keptUnits, ownUnits{units, a.opts.Units})
	return tea.Batch(a.stacks.broadcast(page.UnitsMsg{}), page.Keep(&a.env.Look), page.Toast(theme.Good, text))
}

// after is the one that follows another, the first one after the last.
func after[T comparable](all []T, one T) T { return all[(slices.Index(all, one)+1)%len(all)] }
