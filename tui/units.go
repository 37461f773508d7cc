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
func (ws *workspace) nextAreaUnit() tea.Cmd {
	units := ws.env.Look.Units
	all := format.AreaUnits()
	current := max(0, slices.Index(all, units.Areas))
	units.Areas = all[(current+1)%len(all)]
	return ws.useUnits(units, "Areas in "+areaUnitName(units.Areas))
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
func (ws *workspace) nextClock() tea.Cmd {
	units := ws.env.Look.Units
	if units.Times == format.SiteClock {
		units.Times = format.LocalClock
	} else {
		units.Times = format.SiteClock
	}
	return ws.useUnits(units, "Flights in "+string(units.Times)+" time")
}

// useUnits switches to units, saves them, and shows what was chosen.
func (ws *workspace) useUnits(units format.Units, text string) tea.Cmd {
	ws.env.Look.Units = units
	ws.env.Look.UIState.Put(keptUnits, ownUnits{units, ws.opts.Units})
	return tea.Batch(ws.pages.broadcast(page.UnitsMsg{}), ws.env.Look.KeepLook(), page.ShowToast(theme.Good, text))
}
