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
	"flightdesk/tui/page/connect"
	"flightdesk/tui/page/inspect"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/widget"
)

// openPalette opens the palette, and loads the missions that are not loaded yet.
func (a *App) openPalette() tea.Cmd {
	profile := &a.ws.env.Profile
	if profile.Client != nil {
		profile.Cache.Prefetch(profile.Cache.AllMissions())
	}
	hint := "type an action, an order, a profile or a theme"
	if profile.Ops != nil {
		hint = "type an action, a code, ID, company, e-mail, key ending or file"
	}
	p := a.newPalette(hint)
	p.list = func() paletteEntries { return a.paletteEntries().sortRecentFirst(a.ws.recent) }
	p.listEntries()
	a.ws.dialogs.push(p)
	return nil
}

// chooseProfile opens a palette of the other profiles. The environment and the host of each profile are
// loaded in the background and then shown.
func (a *App) chooseProfile() tea.Cmd {
	var notes map[string]string
	p := a.newPalette("type a profile")
	p.isChoice = true
	p.list = func() paletteEntries {
		entries := profileEntries(a.otherProfiles(), notes, a.connect)
		entries.prepare()
		return entries.sortRecentFirst(a.ws.recent)
	}
	p.listEntries()
	a.ws.dialogs.push(p)
	return a.loadProfileNotes(func(loaded map[string]string) {
		notes = loaded
		p.refreshEntries()
	})
}

// loadProfileNotes loads a note on each of the other profiles in the background, and then calls use. A note
// has the environment and the host, such as "Test · desk.example". notes maps the names of the profiles to
// their notes. loadProfileNotes returns nil if there is no configuration.
func (a *App) loadProfileNotes(use func(notes map[string]string)) tea.Cmd {
	if a.setup == nil {
		return nil
	}
	names := a.otherProfiles()
	load := a.setup.Current
	return func() tea.Msg {
		notes := map[string]string{}
		for _, name := range names {
			account, err := load(name)
			if err == nil {
				notes[name] = connect.DescribeAccount(&account)
			}
		}
		return doMsg{do: func() tea.Cmd {
			use(notes)
			return nil
		}}
	}
}

// showChoices opens a palette of these entries.
func (a *App) showChoices(entries paletteEntries, hint string) {
	entries.prepare()
	p := a.newPalette(hint)
	p.isChoice = true
	p.list = func() paletteEntries { return entries.sortRecentFirst(a.ws.recent) }
	p.listEntries()
	a.ws.dialogs.push(p)
}

// newPalette returns a palette without entries. hint is shown while the query is empty.
func (a *App) newPalette(hint string) *paletteDialog {
	env := a.ws.env
	themeBefore := a.look.chosen
	p := &paletteDialog{
		cache: env.Profile.Cache,
		preview: func(name string) {
			if name == "" {
				name = themeBefore
			}
			a.look.use(name, env.Look.Theme)
		},
		filter: func(query string) map[string]bool { return filterLabels(env, query) },
		searchAccounts: func(query string) (paletteEntry, bool) {
			return a.ws.search.entry(query, a.showChoices)
		},
		onRun: a.saveRecent,
		query: widget.NewInput(200),
	}
	p.query.Hint = " " + hint // the cursor is on the blank
	return p
}

// saveRecent adds the label of an entry that the user runs to the recent entries, and saves them.
func (a *App) saveRecent(label string) tea.Cmd {
	a.ws.recent.add(label)
	a.ws.env.Look.UIState.Put(recentKey, a.ws.recent)
	return a.ws.env.Look.SaveUIState()
}

// paletteEntries returns the entries of the palette: the actions of the current page, the orders,
// missions and other places, the other profiles, and the themes.
func (a *App) paletteEntries() paletteEntries {
	actions := actionEntries(action.ActionsOf(a.activeScopes()...), a.disabledReason, a.performAction)
	entries := slices.Concat(actions, a.placeEntries())
	if log, isPlace := decisionLogEntry(&a.ws); isPlace && !actions.hasLabel(log.label) {
		entries = append(entries, log)
	}
	entries.prepare()
	return entries
}

// decisionLogEntry returns the entry that opens the decision log from any page; ok is false if the profile lacks
// Quotes.
func decisionLogEntry(ws *workspace) (entry paletteEntry, ok bool) {
	if ws.missingReason(action.GoQuotes) != "" {
		return paletteEntry{}, false
	}
	act, _ := action.ByID(action.Decisions, action.QuoteInbox)
	entry = describeAction(act)
	entry.hint = "Quotes"
	entry.run = func() tea.Cmd { return ws.env.Nav.Open(quotes.NewDecisions(ws.env)) }
	return entry, true
}

// placeEntries returns the entries of the palette that do not depend on the current page: the orders, missions and
// other places, the other profiles, and the themes.
func (a *App) placeEntries() paletteEntries {
	useTheme := func(name string) { a.look.use(name, a.ws.env.Look.Theme) }
	return slices.Concat(
		monthEntries(&a.ws),
		pageEntries(a.ws.env, a.ws.pages.allPages()),
		profileEntries(a.otherProfiles(), nil, a.connect),
		themeEntries(a.look.names(), useTheme),
	)
}

// monthEntries returns the entry that opens the month calendar of the section Missions. It returns nil if the
// profile does not have that section.
func monthEntries(ws *workspace) paletteEntries {
	if ws.missingReason(action.GoMissions) != "" {
		return nil
	}
	return paletteEntries{{
		label: "Month",
		does:  "Flights, deadlines and expiries by day",
		hint:  "Missions",
		run:   ws.showMonth,
	}}
}

// profileEntries returns entries that switch to a profile. notes maps the names of profiles to their
// descriptions. A profile may have no description.
func profileEntries(names []string, notes map[string]string, connect func(name string) tea.Cmd) paletteEntries {
	var entries paletteEntries
	for _, name := range names {
		hint := "profile"
		if notes[name] != "" {
			hint = notes[name]
		}
		entries = append(entries, paletteEntry{
			label: "profile: " + name,
			hint:  hint,
			run:   func() tea.Cmd { return connect(name) },
		})
	}
	return entries
}

// themeEntries returns entries that switch to a theme.
func themeEntries(names []string, use func(name string)) paletteEntries {
	var entries paletteEntries
	for _, name := range names {
		entries = append(entries, paletteEntry{
			label: "theme: " + name,
			hint:  "live preview",
			theme: name,
			run: func() tea.Cmd {
				use(name)
				return nil
			},
		})
	}
	return entries
}

// actionEntries returns entries that perform actions. It leaves out the actions that move within a list or a map, and the
// action that opens the palette.
func actionEntries(
	actions []action.Action, disabledReason func(action.Action) string, perform func(action.Action) tea.Cmd,
) paletteEntries {
	var entries paletteEntries
	for _, act := range actions {
		if act.Scope == action.List || act.Scope == action.Map || act.ID == action.Palette {
			continue
		}
		e := describeAction(act)
		e.off = disabledReason(act)
		e.run = func() tea.Cmd { return perform(act) }
		entries = append(entries, e)
	}
	return entries
}

// describeAction returns an entry with the title and the description of an action. If the action opens a
// section, the entry has only the description, such as "Go to Orders", because the title would repeat it.
func describeAction(act action.Action) paletteEntry {
	e := paletteEntry{
		label: format.CapitalizeFirst(act.Title),
		does:  act.Help,
		hint:  act.KeyLabels(),
		harms: act.IsHarmful(),
	}
	opensSection := strings.HasPrefix(act.Help, "Go to ")
	if opensSection {
		e.label = act.Help
		e.does = ""
		e.more = act.Title
	}
	return e
}

// placeList collects the places of the palette: orders, missions and others, and the timelines of
// the orders and missions.
type placeList struct {
	places    paletteEntries
	timelines paletteEntries
	labels    map[string]bool // labels of places
	show      func(page.Route) tea.Cmd
}

// add adds a place unless there is one with the same label.
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

// pageEntries returns entries that open the loaded orders and missions, the places that the
// pages offer, and the timelines.
func pageEntries(env *page.Env, pages []page.Page) paletteEntries {
	list := placeList{labels: map[string]bool{}, show: env.Nav.Show}
	loaded := env.Profile.Cache.Now()
	for i := range loaded.Orders {
		o := &loaded.Orders[i]
		list.addSubject(orderEntry(env, o), inspect.SubjectOf(o))
	}
	for _, m := range loaded.Missions {
		subject := timeline.StorySubject{Order: m.Order.OrderCode, Mission: m.UUID}
		list.addSubject(missionEntry(env, m), subject)
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

// orderEntry returns the entry that opens an order.
func orderEntry(env *page.Env, o *api.Order) paletteEntry {
	state := format.OrderState(o.Status, env.QuotesOf(o.UUID))
	return paletteEntry{
		label: orderLabel(o),
		more:  state.Label + " " + state.Wire,
		hint:  state.Glyph + " order",
		run:   func() tea.Cmd { return env.Nav.Show(page.OrderRoute{Order: o}) },
	}
}

// missionEntry returns the entry that opens a mission. The word "late" finds late missions.
func missionEntry(env *page.Env, m *cache.Mission) paletteEntry {
	state := env.StateOf(m)
	more := state.Label + " " + state.Wire
	if trouble, ok := m.TroubleAt(env.Clock.Now()); ok && trouble.Late {
		more += " late"
	}
	return paletteEntry{
		label: missionLabel(m),
		more:  more,
		hint:  state.Glyph + " mission",
		run:   func() tea.Cmd { return env.Nav.Show(page.MissionRoute{Mission: m}) },
	}
}

func orderLabel(o *api.Order) string { return o.OrderCode + "  " + o.OrderName }

func missionLabel(m *cache.Mission) string { return m.MissionCode + "  " + m.MissionName }

// filterLabels returns the labels of the orders and missions that match a query, as a set. The query has the
// syntax of the filters in the lists of orders and missions.
func filterLabels(env *page.Env, query string) map[string]bool {
	loaded := env.Profile.Cache.Now()
	labels := map[string]bool{}
	for _, o := range filterRows(env, query, columns.Orders(env.QuotesOf), columns.Pointers(loaded.Orders)) {
		labels[orderLabel(o)] = true
	}
	for _, m := range filterRows(env, query, columns.MissionsOfOrders(env.Clock.Now, env.StateOf), loaded.Missions) {
		labels[missionLabel(m)] = true
	}
	return labels
}

// filterRows returns the rows that match a query. Terms of the query, such as due:<friday, can
// refer to the columns by name.
func filterRows[T any](env *page.Env, query string, cols []columns.Column[T], rows []T) []T {
	grid := widget.NewGrid(env.Clock.Now, columns.ColumnSpecs(cols)...)
	grid.UseUnits(env.Look.Units)
	grid.SetSource(widget.RowSource{
		Len:  len(rows),
		ID:   strconv.Itoa,
		Cell: columns.CellsOf(cols, func(i int) T { return rows[i] }),
	})
	grid.ApplyFilter(query)
	var found []T
	for _, i := range grid.FilteredRows() {
		found = append(found, rows[i])
	}
	return found
}
