package tui

import (
	"cmp"
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
	"flightdesk/tui/widget"
)

// openPalette opens the palette, and loads the missions that it does not know yet.
func (a *App) openPalette() tea.Cmd {
	if a.ws.env.Profile.Client != nil {
		a.ws.env.Profile.Cache.WantNeeds(a.ws.env.Profile.Cache.AllMissions())
	}
	hint := "type an action, an order, a profile or a theme"
	if a.ws.env.Profile.Ops != nil {
		hint = "type an action, or what a ticket names: a code, ID, company, e-mail, key ending or file"
	}
	return a.showPalette(hint)
}

// chooseProfile opens a palette of the profiles alone.
func (a *App) chooseProfile() tea.Cmd {
	a.showChoices(a.paletteEntries(true), "type a profile")
	return nil
}

// showChoices opens a palette of some entries alone.
func (a *App) showChoices(entries paletteEntries, hint string) {
	p := a.newPalette(hint)
	p.isChoice = true
	p.list = func() paletteEntries { return entries.sortRecentFirst(a.ws.recent) }
	p.listEntries()
	a.ws.dialogs.push(p)
}

func (a *App) showPalette(hint string) tea.Cmd {
	p := a.newPalette(hint)
	p.list = func() paletteEntries { return a.paletteEntries(false).sortRecentFirst(a.ws.recent) }
	p.listEntries()
	a.ws.dialogs.push(p)
	return nil
}

// newPalette returns a palette that lists nothing yet.
func (a *App) newPalette(hint string) *paletteDialog {
	env := a.ws.env
	themeBefore := a.look.chosen
	p := &paletteDialog{
		orders:  env.Profile.Cache,
		preview: func(name string) { a.look.use(cmp.Or(name, themeBefore), env.Look.Theme) },
		filter:  func(query string) map[string]bool { return filterNames(env, query) },
		searchAccounts: func(query string) (paletteEntry, bool) {
			return a.ws.accountsEntry(query, a.showChoices)
		},
		onRun: a.saveRecent,
		query: widget.NewInput(200),
	}
	p.query.Hint = hint
	return p
}

// saveRecent records that an entry of the palette was run.
func (a *App) saveRecent(label string) tea.Cmd {
	a.ws.recent.add(label)
	a.ws.env.Look.UIState.Put(keptRecent, a.ws.recent)
	return a.ws.env.Look.KeepLook()
}

// paletteEntries returns all actions available now and every place to go to, or the other
// profiles alone.
func (a *App) paletteEntries(profilesOnly bool) paletteEntries {
	entries := profileEntries(a.otherProfiles(), a.connect)
	if !profilesOnly {
		entries = slices.Concat(
			actionEntries(action.ActionsOf(a.activeScopes()...), a.disabledReason, a.performAction),
			placeEntries(a.ws.env, a.ws.pages.allPages()),
			entries,
			themeEntries(a.look.names(), func(name string) { a.look.use(name, a.ws.env.Look.Theme) }),
		)
	}
	entries.prepare()
	return entries
}

// profileEntries returns entries that switch to a profile.
func profileEntries(names []string, connect func(name string) tea.Cmd) (entries paletteEntries) {
	for _, name := range names {
		entries = append(entries, paletteEntry{
			label: "profile: " + name,
			hint:  "profile",
			run:   func() tea.Cmd { return connect(name) },
		})
	}
	return entries
}

// themeEntries returns the themes, previewed while selected.
func themeEntries(names []string, use func(name string)) (entries paletteEntries) {
	for _, name := range names {
		entries = append(entries, paletteEntry{
			label: "theme: " + name,
			hint:  "live preview",
			theme: name,
			run:   func() tea.Cmd { use(name); return nil },
		})
	}
	return entries
}

// actionEntries returns entries that perform actions.
func actionEntries(
	actions []action.Action, disabledReason func(action.Action) string, perform func(action.Action) tea.Cmd,
) (entries paletteEntries) {
	for _, act := range actions {
		if act.Scope == action.List || act.Scope == action.Map || act.ID == action.Palette {
			continue // moving is left to the keys
		}
		e := paletteEntry{
			label: format.CapitalizeFirst(act.Title),
			does:  act.Help,
			hint:  act.KeyLabels(),
			off:   disabledReason(act),
			harms: act.IsHarmful(),
			run:   func() tea.Cmd { return perform(act) },
		}
		if strings.HasPrefix(act.Help, "Go to ") {
			e.label = act.Help
			e.does = ""
			e.more = act.Title
		}
		entries = append(entries, e)
	}
	return entries
}

// placeList collects places for the palette, each once, and the timelines of orders and
// missions.
type placeList struct {
	places    paletteEntries
	timelines paletteEntries
	labels    map[string]bool
	show      func(page.Route) tea.Cmd
}

func (l *placeList) add(e paletteEntry) {
	if !l.labels[e.label] {
		l.labels[e.label] = true
		l.places = append(l.places, e)
	}
}

// addSubject adds an order or a mission, and its timeline.
func (l *placeList) addSubject(e paletteEntry, subject timeline.StorySubject) {
	l.add(e)
	l.timelines = append(l.timelines, paletteEntry{
		label: "Timeline of " + e.label,
		hint:  "timeline",
		run:   func() tea.Cmd { return l.show(page.StoryRoute{Subject: subject}) },
	})
}

// placeEntries returns all loaded orders and missions, the places that pages know, and the
// timelines, each once.
func placeEntries(env *page.Env, pages []page.Page) paletteEntries {
	list := placeList{labels: map[string]bool{}, show: env.Nav.Show}
	loaded := env.Profile.Cache.Now()
	for i := range loaded.Orders {
		o := &loaded.Orders[i]
		state := format.OrderState(o.Status, env.QuotesOf(o.UUID))
		list.addSubject(paletteEntry{
			label: orderName(o),
			more:  state.Label + " " + state.Wire,
			hint:  state.Glyph + " order",
			run:   func() tea.Cmd { return env.Nav.Show(page.OrderRoute{Order: o}) },
		}, inspect.SubjectOf(o))
	}
	for _, m := range loaded.Missions {
		state := format.Status(m.Status)
		late := ""
		if trouble, ok := m.TroubleAt(env.Clock.Now()); ok && trouble.Late {
			late = " late"
		}
		list.addSubject(paletteEntry{
			label: missionName(m),
			more:  state.Label + " " + state.Wire + late,
			hint:  state.Glyph + " mission",
			run:   func() tea.Cmd { return env.Nav.Show(page.MissionRoute{Mission: m}) },
		}, timeline.StorySubject{Order: m.Order.OrderCode, Mission: m.UUID})
	}
	for _, p := range pages {
		guide, ok := p.(page.PlaceGuide)
		if !ok {
			continue
		}
		for _, place := range guide.KnownPlaces() {
			list.add(paletteEntry{label: place.Name, hint: place.Kind, run: place.Open})
		}
	}
	return append(list.places, list.timelines...)
}

func orderName(o *api.Order) string { return o.OrderCode + "  " + o.OrderName }

func missionName(m *cache.Mission) string { return m.MissionCode + "  " + m.MissionName }

// filterNames returns the names of orders and missions that match a filter, as in
// their lists.
func filterNames(env *page.Env, query string) map[string]bool {
	loaded := env.Profile.Cache.Now()
	names := map[string]bool{}
	for _, o := range filterRows(env, query, columns.Orders(env.QuotesOf), columns.Pointers(loaded.Orders)) {
		names[orderName(o)] = true
	}
	for _, m := range filterRows(env, query, columns.MissionsOfOrders(env.Clock.Now), loaded.Missions) {
		names[missionName(m)] = true
	}
	return names
}

// filterRows returns the rows that match a filter.
func filterRows[T any](env *page.Env, query string, of []columns.Column[T], rows []T) (found []T) {
	grid := widget.NewGrid(env.Clock.Now, columns.ColumnSpecs(of)...)
	grid.UseUnits(env.Look.Units)
	cells := columns.CellsOf(of, func(i int) T { return rows[i] })
	grid.SetSource(widget.RowSource{
		Len:  len(rows),
		ID:   strconv.Itoa,
		Cell: cells,
	})
	grid.ApplyFilter(query)
	for _, i := range grid.FilteredRows() {
		found = append(found, rows[i])
	}
	return found
}
