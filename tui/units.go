package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// keptUnits is the key under which the chosen units are saved.
const keptUnits = "units"

// ownUnits are the units chosen with keys and the configured ones at that time. A
// change of the configuration overrides the choice.
type ownUnits struct{ Chosen, Against format.Units }

// loadUnits returns the units chosen with keys, or else the configured ones.
func loadUnits(state *session.UIState, configured format.Units) format.Units {
	var own ownUnits
	if state.Get(keptUnits, &own) && own.Against == configured {
		return own.Chosen
	}
	return configured
}

// nextAreaUnit switches to the next unit of areas.
func (a *App) nextAreaUnit() tea.Cmd {
	units := a.env.Units
	all := format.AreaUnits()
	current := max(0, slices.Index(all, units.Areas))
	units.Areas = all[(current+1)%len(all)]
	return a.useUnits(units, "Areas in "+areaUnitName(units.Areas))
}

func areaUnitName(unit format.AreaUnit) string {
	switch unit {
	case format.BySize:
		return "m², hectares or km², by size"
	case format.Km2:
		return "km²"
	default:
		return string(unit)
	}
}

// nextClock switches to the other clock.
func (a *App) nextClock() tea.Cmd {
	units := a.env.Units
	if units.Times == format.SiteClock {
		units.Times = format.LocalClock
	} else {
		units.Times = format.SiteClock
	}
	return a.useUnits(units, "Flights in "+string(units.Times)+" time")
}

// useUnits switches to units, saves them, and shows what was chosen.
func (a *App) useUnits(units format.Units, text string) tea.Cmd {
	a.env.Units = units
	a.env.UIState.Put(keptUnits, ownUnits{units, a.opts.Units})
	return tea.Batch(a.pages.broadcast(page.UnitsMsg{}), a.env.KeepLook(), page.ShowToast(theme.Good, text))
}
