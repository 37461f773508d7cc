package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/inspect"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// paletteEntry is a line of the palette.
type paletteEntry struct {
	label string // searched
	does  string // searched, shown behind the label
	more  string // searched, not shown
	hint  string // shown at the right: a key or a kind
	off   string // why it is disabled
	harms bool   // listed after other matches
	run   func() tea.Cmd
	show  func() // previews the entry while it is selected
}

// searchText returns the folded search text, which begins with the label.
func (e *paletteEntry) searchText() string { return format.Fold(e.label + " " + e.does + " " + e.more) }

// actionEntries returns the actions, with harmful and then disabled ones last.
func (a *App) actionEntries() []paletteEntry {
	var entries []paletteEntry
	for _, act := range action.ActionsOf(a.activeScopes()...) {
		if act.Scope == action.List || act.Scope == action.Map || act.ID == action.Palette ||
			!isThere(a.env, act) {
			continue // moving is left to the keys
		}
		e := paletteEntry{
			label: format.CapitalizeFirst(act.Title),
			does:  act.Help,
			hint:  act.KeyLabels(),
			off:   a.disabledReason(act),
			harms: act.IsHarmful(),
			run:   func() tea.Cmd { return a.performAction(act) },
		}
		if strings.HasPrefix(act.Help, "Go to ") {
			e.label, e.does, e.more = act.Help, "", act.Title
		}
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(x, y paletteEntry) int { return x.listPlace() - y.listPlace() })
	return entries
}

// listPlace returns 0 for normal entries, 1 for harmful and 2 for disabled ones.
func (e *paletteEntry) listPlace() int {
	switch {
	case e.off != "":
		return 2
	case e.harms:
		return 1
	default:
		return 0
	}
}

// placeEntries returns the places that pages know, all loaded orders and
// missions, and their timelines, each once.
func placeEntries(env *page.Env, pages []page.Page) []paletteEntry {
	var entries, timelines []paletteEntry
	seen := map[string]bool{}
	add := func(e paletteEntry) {
		kind := e.hint[strings.LastIndexByte(e.hint, ' ')+1:] // without the glyph
		if key := kind + " " + e.label; !seen[key] {
			seen[key] = true
			entries = append(entries, e)
		}
	}
	addSubject := func(e paletteEntry, of timeline.StorySubject) {
		add(e)
		open := func() tea.Cmd { return env.OpenStory(of, "") }
		timelines = append(
			timelines,
			paletteEntry{label: "Timeline of " + e.label, hint: "timeline", run: open},
		)
	}
	if env.Cache != nil {
		known := env.Cache.Now()
		for i := range known.Orders {
			o := &known.Orders[i]
			st := format.OrderState(o.Status, env.QuotesOf(o.UUID))
			addSubject(paletteEntry{
				label: orderName(o),
				more:  st.Label + " " + st.Wire,
				hint:  st.Glyph + " order",
				run:   func() tea.Cmd { return env.OpenOrder(o) },
			}, inspect.SubjectOf(o))
		}
		for _, m := range known.Missions {
			st, late := format.Status(m.Status), ""
			if t, ok := m.TroubleAt(env.Now()); ok && t.Late {
				late = " late"
			}
			addSubject(paletteEntry{
				label: missionName(m),
				more:  st.Label + " " + st.Wire + late,
				hint:  st.Glyph + " mission",
				run:   func() tea.Cmd { return env.OpenMission(m) },
			}, timeline.StorySubject{Order: m.Order.OrderCode, Mission: m.UUID})
		}
	}
	for _, p := range pages {
		if guide, ok := p.(page.PlaceGuide); ok {
			for _, place := range guide.KnownPlaces() {
				add(paletteEntry{label: place.Name, hint: place.Kind, run: place.Open})
			}
		}
	}
	return append(entries, timelines...)
}

func orderName(o *api.Order) string { return o.OrderCode + "  " + o.OrderName }

func missionName(m *cache.Mission) string { return m.MissionCode + "  " + m.MissionName }

// filterNames returns the names of orders and missions that match a filter, as in
// their lists.
func filterNames(env *page.Env, query string) map[string]bool {
	if env.Cache == nil {
		return nil
	}
	known, names := env.Cache.Now(), map[string]bool{}
	addMatches(env, names, query, columns.Orders(env.QuotesOf), page.Pointers(known.Orders), orderName)
	addMatches(env, names, query, columns.MissionsOfOrders(env.Now), known.Missions, missionName)
	return names
}

// addMatches adds the names of the rows that match a filter.
func addMatches[T any](
	env *page.Env, names map[string]bool, query string, of []columns.Column[T], rows []*T, name func(*T) string,
) {
	grid := widget.NewGrid(env.Now, columns.ColumnSpecs(of)...)
	grid.UseUnits(env.Units)
	cells := columns.CellsOf(of, func(i int) *T { return rows[i] })
	grid.SetSource(widget.RowSource{Len: len(rows), ID: strconv.Itoa, Cell: cells})
	grid.ApplyFilter(query)
	for _, i := range grid.FilteredRows() {
		names[name(rows[i])] = true
	}
}

// themeEntries returns the themes, previewed while selected.
func (p *appearance) themeEntries() []paletteEntry {
	if p.noColor {
		return nil
	}
	var entries []paletteEntry
	names := theme.ThemeNames()
	for _, own := range p.themes {
		names = append(names, own.Name)
	}
	for _, name := range names {
		show := func() { p.useTheme(name) }
		run := func() tea.Cmd { show(); return nil }
		entries = append(
			entries,
			paletteEntry{label: "theme: " + name, hint: "live preview", show: show, run: run},
		)
	}
	return entries
}
