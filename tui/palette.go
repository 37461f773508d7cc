package tui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

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

// paletteDialog searches actions, orders, missions, profiles and themes, or profiles alone.
type paletteDialog struct {
	app     *App
	offers  func() []paletteEntry
	alone   bool   // profiles alone
	theme   string // when it was opened, to end the preview of another one
	query   *widget.Input
	entries paletteEntries
	found   paletteEntries
	cursor  int
	scroll  widget.Scroll
}

// newPalette returns the palette, or one of the profiles alone.
func newPalette(a *App, profilesAlone bool) *paletteDialog {
	p := &paletteDialog{
		app:    a,
		offers: a.paletteEntries,
		theme:  a.opts.Theme,
		query:  widget.NewInput(200),
	}
	p.query.Hint = "type an action, an order, a profile or a theme"
	if profilesAlone {
		p.alone, p.offers, p.query.Hint = true, a.profileEntries, "type a profile"
	}
	p.takeEntries()
	return p
}

// commandWidth is the width of action names.
const commandWidth = 16

// takeEntries loads the entries, those that were run lately first, unless they are harmful.
func (p *paletteDialog) takeEntries() {
	rank := func(e paletteEntry) int {
		if i := slices.Index(p.app.recent, e.label); i >= 0 && !e.harms {
			return i
		}
		return maxRecent
	}
	p.entries = p.offers()
	slices.SortStableFunc(p.entries, func(x, y paletteEntry) int { return rank(x) - rank(y) })
	p.entries.foldTexts()
	p.searchEntries()
}

// learnEntries refreshes the entries while data is being read; the selection stays.
func (p *paletteDialog) learnEntries() {
	marked, scroll := p.current().label, p.scroll
	p.takeEntries()
	if i := slices.IndexFunc(p.found, func(e paletteEntry) bool { return e.label == marked }); i >= 0 {
		p.cursor, p.scroll = i, scroll
	}
}

// searchEntries finds the matching entries, best first. Harmful and disabled
// actions come last unless their name is typed; terms such as due:<friday match
// orders and missions by column.
func (p *paletteDialog) searchEntries() {
	query := p.query.Value()
	p.found, p.cursor = p.entries.findMatches(query), 0
	if word, _, _ := strings.Cut(strings.TrimSpace(foldWords(query)), " "); word != "" {
		slices.SortStableFunc(p.found, func(x, y paletteEntry) int { return x.rankPenalty(word) - y.rankPenalty(word) })
	}
	if strings.Contains(query, ":") {
		names := filterNames(p.app.env, query)
		for _, e := range p.found {
			delete(names, e.label)
		}
		for _, e := range p.entries {
			if names[e.label] {
				p.found = append(p.found, e)
			}
		}
	}
	if e, ok := p.app.anywhereEntry(query); ok && !p.alone {
		p.found = append(p.found, e)
	}
	p.scroll.ScrollToTop()
}

// current returns the selected entry, an empty one where none is.
func (p *paletteDialog) current() (e paletteEntry) {
	if p.cursor < len(p.found) {
		e = p.found[p.cursor]
	}
	return e
}

// Update edits the query, moves the selection and runs entries.
func (p *paletteDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch widget.KeyName(msg) {
	case "esc", "ctrl+p":
		p.app.useTheme(p.theme)
		return nil, true
	case "enter":
		return p.chooseEntry()
	case "down", "ctrl+n", "tab":
		p.moveMark(1)
	case "up", "shift+tab":
		p.moveMark(-1)
	case "pgdown":
		p.moveMark(10)
	case "pgup":
		p.moveMark(-10)
	default:
		if p.query.Changes(msg) {
			p.searchEntries()
			p.previewTheme()
		}
	}
	return nil, false
}

// HandleClick runs the clicked entry.
func (p *paletteDialog) HandleClick(_, y int) (tea.Cmd, bool) {
	if i, ok := p.scroll.LineAt(y - 2); ok {
		p.cursor = i
		p.previewTheme()
		return p.chooseEntry()
	}
	return nil, false
}

func (p *paletteDialog) moveMark(n int) {
	p.cursor = max(0, min(len(p.found)-1, p.cursor+n))
	p.previewTheme()
}

// previewTheme shows the theme of the selected entry.
func (p *paletteDialog) previewTheme() { p.app.useTheme(cmp.Or(p.current().theme, p.theme)) }

func (p *paletteDialog) chooseEntry() (tea.Cmd, bool) {
	switch e := p.current(); {
	case e.off != "":
		return page.ShowToast(theme.Attention, e.off), false
	case e.run != nil:
		p.app.useTheme(p.theme)
		return tea.Batch(p.app.rememberEntry(e.label), e.run()), true
	}
	return nil, false
}

// View renders the query and the matching entries.
func (p *paletteDialog) View(th *theme.Theme, w, h int) string {
	w = th.NarrowWidth(w, 96)
	rows := max(1, min(h-3, 14))
	lines := []string{widget.DrawSearch(th, ": ", p.query, w)}
	draw := func(i int) string { return p.drawLine(th, i, w-4) }
	lines = append(lines, p.scroll.DrawRows(
		len(p.found),
		p.cursor,
		rows,
		th.RaisedStyle(theme.Muted),
		draw,
	)...)
	var loading, older bool
	if of := p.app.env.Cache; of != nil && !p.alone {
		loading, older = of.LoadingOrders()
	}
	none := "  No matches. ctrl+u clears the search"
	title := fmt.Sprintf("%d of %d", min(len(p.found), len(p.entries)), len(p.entries))
	switch {
	case loading:
		none, title = "  No matches so far, loading orders…", title+" · loading…"
	case older:
		title += " · older orders not loaded"
	}
	if len(p.found) == 0 {
		lines = append(lines, th.PaintRaised(theme.Muted, none))
	}
	for len(lines) <= rows {
		lines = append(lines, "")
	}
	return widget.DrawDialog(th, title, "enter run   esc back", lines, w)
}

func (p *paletteDialog) drawLine(th *theme.Theme, i, w int) string {
	e := p.found[i]
	style, mark := th.RaisedStyle, "  "
	if i == p.cursor {
		style, mark = th.SelectedStyle, th.SelectionMark()+" "
	}
	role, hint := theme.Text, e.hint
	if e.off != "" {
		role, hint = theme.Muted, "– "+e.off
	}
	hint = format.CutLine(format.Clean(hint), w/2)
	label, does := format.Clean(e.label), ""
	if e.does != "" {
		label, does = format.FitLeft(label, commandWidth), "  "+e.does
	}
	room := w - 4 - format.Width(hint)
	label = format.CutLine(label, room)
	does = format.FitLeft(does, room-format.Width(label))
	label = format.CleanText(style(role), label)
	return format.CleanText(
		style(theme.Accent),
		mark,
	) + label + format.CleanText(
		style(theme.Muted),
		does+"  "+hint,
	)
}

// Cursor returns the cursor of the query.
func (p *paletteDialog) Cursor() *tea.Cursor { return widget.SearchCursor(p.query) }

// maxRecent is the number of recently run entries that are remembered, newest first;
// keptRecent is the key they are saved under.
const (
	maxRecent  = 8
	keptRecent = "recent"
)

// rememberEntry records that an entry was run.
func (a *App) rememberEntry(label string) tea.Cmd {
	others := slices.DeleteFunc(a.recent, func(known string) bool { return known == label })
	a.recent = append([]string{label}, others[:min(len(others), maxRecent-1)]...)
	a.env.UIState.Put(keptRecent, a.recent)
	return a.env.KeepLook()
}

// paletteEntries are searched by their texts.
type paletteEntries []paletteEntry

// Len returns the number of entries.
func (all paletteEntries) Len() int { return len(all) }

// String returns the folded search text of an entry, which begins with its label.
func (all paletteEntries) String(i int) string { return all[i].text }

// foldTexts makes the search texts.
func (all paletteEntries) foldTexts() {
	for i := range all {
		e := &all[i]
		e.text = foldWords(e.label + " " + e.does + " " + e.more)
	}
}

// foldWords folds the letters and digits of a text, with blanks for everything else.
func foldWords(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return ' '
	}, format.Fold(text))
}

// loose is the rank of the best text that only has the letters in order.
const loose = 1 << 20

// findMatches returns the entries that match a query, best first; equal matches keep their
// order. A match has every word of the query, better at the beginning of a word than within
// one. Texts that only have the letters in order come last, and only if these are close
// together.
func (all paletteEntries) findMatches(query string) paletteEntries {
	words, ranks := strings.Fields(foldWords(query)), map[int]int{}
	for i, e := range all {
		if rank := rankWords(words, e.text); rank >= 0 {
			ranks[i] = rank
		}
	}
	for _, m := range fuzzy.FindFrom(strings.Join(words, ""), all) {
		at := m.MatchedIndexes // close together
		if _, known := ranks[m.Index]; !known && len(at) > 2 && at[len(at)-1]-at[0] < 2*len(at) {
			ranks[m.Index] = loose + at[0]
		}
	}
	found := slices.SortedFunc(maps.Keys(ranks), func(x, y int) int { return cmp.Or(ranks[x]-ranks[y], x-y) })
	entries := make(paletteEntries, len(found))
	for i, at := range found {
		entries[i] = all[at]
	}
	return entries
}

// rankWords ranks a text that has all the words, smaller is better; others are -1.
func rankWords(words []string, text string) (rank int) {
	for _, word := range words {
		switch {
		case strings.HasPrefix(text, word):
		case strings.Contains(text, " "+word):
			rank++
		case strings.Contains(text, word):
			rank += 2
		default:
			return -1
		}
	}
	return rank
}

// paletteEntry is a line of the palette.
type paletteEntry struct {
	label string // searched
	does  string // searched, shown behind the label
	more  string // searched, not shown
	hint  string // shown at the right: a key or a kind
	off   string // why it is disabled
	harms bool   // listed after other matches
	run   func() tea.Cmd
	theme string // that is previewed while it is selected
	text  string // what is searched, folded
}

// rankPenalty returns the rank of an entry that is harmful or disabled and not named
// by the first word.
func (e *paletteEntry) rankPenalty(word string) int {
	if strings.HasPrefix(e.text, word) {
		return 0
	}
	return e.listPlace()
}

// isNamed reports whether the folded text is the label, its code or the code's number.
func (e *paletteEntry) isNamed(typed string) bool {
	label := format.Fold(e.label)
	code, _, _ := strings.Cut(label, " ")
	return label == typed || code == typed || strings.HasSuffix(code, "-"+typed)
}

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
	addMatches(
		env,
		names,
		query,
		columns.Orders(env.QuotesOf),
		page.Pointers(known.Orders),
		orderName,
	)
	addMatches(
		env,
		names,
		query,
		columns.MissionsOfOrders(env.Now),
		known.Missions,
		missionName,
	)
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
func (a *App) themeEntries() (entries []paletteEntry) {
	if a.opts.noColor() {
		return nil
	}
	names := theme.ThemeNames()
	for _, own := range a.opts.Themes {
		names = append(names, own.Name)
	}
	for _, name := range names {
		run := func() tea.Cmd { a.useTheme(name); return nil }
		entries = append(entries, paletteEntry{
			label: "theme: " + name,
			hint:  "live preview",
			theme: name,
			run:   run,
		})
	}
	return entries
}
