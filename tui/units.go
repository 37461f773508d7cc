package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// unitsKey is the key under which the chosen units are saved.
const unitsKey = "units"

// savedUnits has the units that the user chose with keys, and the units that were configured at that time. If
// the configured units change later, the user's choice is dropped.
type savedUnits struct {
	Chosen     format.Units
	Configured format.Units `json:"Against"`
}

// loadUnits returns the units that the user chose with keys, or otherwise the configured units.
func loadUnits(state *session.UIState, configured format.Units) format.Units {
	var saved savedUnits
	if state.Get(unitsKey, &saved) && saved.Configured == configured {
		return saved.Chosen
	}
	return configured
}

// nextAreaUnit switches to the next area unit.
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

// nextClock switches between the site's time and the local time for flights.
func (ws *workspace) nextClock() tea.Cmd {
	units := ws.env.Look.Units
	if units.Times == format.SiteClock {
		units.Times = format.LocalClock
	} else {
		units.Times = format.SiteClock
	}
	return ws.useUnits(units, "Flights in "+string(units.Times)+" time")
}

// useUnits switches to units, saves them, and shows a text.
func (ws *workspace) useUnits(units format.Units, text string) tea.Cmd {
	ws.env.Look.Units = units
	ws.env.Look.UIState.Put(unitsKey, savedUnits{Chosen: units, Configured: ws.opts.Units})
	return tea.Batch(
		ws.pages.broadcast(page.UnitsMsg{}),
		ws.env.Look.SaveUIState(),
		page.ShowToast(theme.Good, text),
	)
}
