package tui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
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
	app *App // of which it is a part

	alone   bool   // profiles alone
	theme   string // when it was opened, to end the preview of another one
	query   *widget.Input
	entries paletteEntries
	found   paletteEntries
	cursor  int
	scroll  widget.Scroll
}

// openPalette opens the palette, and has the missions read that it does not know yet.
func (a *App) openPalette() tea.Cmd {
	if a.env.Client != nil {
		a.env.Cache.WantNeeds(a.env.Cache.AllMissions())
	}
	return a.search(false, "type an action, an order, a profile or a theme")
}

// chooseProfile opens a palette of the profiles alone.
func (a *App) chooseProfile() tea.Cmd { return a.search(true, "type a profile") }

func (a *App) search(alone bool, hint string) tea.Cmd {
	p := &paletteDialog{
		app:   a,
		alone: alone,
		theme: a.look.chosen,
		query: widget.NewInput(200),
	}
	p.query.Hint = hint
	p.takeEntries()
	a.dialogs.push(p)
	return nil
}

// commandWidth is the width of action names.
const commandWidth = 16

// takeEntries loads the entries, those that were run lately first, unless they are harmful.
func (p *paletteDialog) takeEntries() {
	p.entries = p.app.paletteEntries(p.alone)
	rank := func(i int) int {
		e := &p.entries[i]
		if recent := slices.Index(p.app.recent, e.label); recent >= 0 && !e.harms {
			return recent
		}
		return maxRecent + e.listPlace()
	}
	sort.SliceStable(p.entries, func(i, j int) bool { return rank(i) < rank(j) })
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

// searchEntries finds the matching entries, best first. Terms such as due:<friday match
// orders and missions by column.
func (p *paletteDialog) searchEntries() {
	query := p.query.Value()
	p.found, p.cursor = p.entries.findMatches(query), 0
	if strings.Contains(query, ":") {
		names := p.app.filterNames(query)
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

// paletteMoves are how many entries keys move by.
var paletteMoves = map[string]int{
	"down": 1, "ctrl+n": 1, "tab": 1, "pgdown": 10, "up": -1, "shift+tab": -1, "pgup": -10,
}

// Update edits the query, moves the selection and runs entries. The theme of the selected
// entry is previewed.
func (p *paletteDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	name := widget.KeyName(msg)
	switch name {
	case "esc", "ctrl+p":
		p.app.look.use(p.theme, p.app.env.Theme)
		return nil, true
	case "enter":
		return p.chooseEntry()
	}
	if step := paletteMoves[name]; step == 0 && p.query.Changes(msg) {
		p.searchEntries()
	} else {
		p.cursor = max(0, min(len(p.found)-1, p.cursor+step))
	}
	p.app.look.use(cmp.Or(p.current().theme, p.theme), p.app.env.Theme)
	return nil, false
}

// HandleClick runs the clicked entry.
func (p *paletteDialog) HandleClick(_, y int) (tea.Cmd, bool) {
	i, ok := p.scroll.LineAt(y - 2)
	if !ok {
		return nil, false
	}
	p.cursor = i
	return p.chooseEntry()
}

func (p *paletteDialog) chooseEntry() (tea.Cmd, bool) {
	switch e := p.current(); {
	case e.off != "":
		return page.ShowToast(theme.Attention, e.off), false
	case e.run != nil:
		p.app.look.use(p.theme, p.app.env.Theme)
		return tea.Batch(p.app.rememberEntry(e.label), e.run()), true
	}
	return nil, false
}

// View renders the query and the matching entries.
func (p *paletteDialog) View(th *theme.Theme, w, h int) string {
	w = th.NarrowWidth(w, 96)
	rows := max(1, min(h-3, 14))
	lines := p.scroll.DrawRows(len(p.found), p.cursor, rows, th.RaisedStyle(theme.Muted), func(i int) string {
		return p.drawLine(th, i, w-4)
	})
	none := "  No matches. ctrl+u clears the search"
	title := fmt.Sprintf("%d of %d", min(len(p.found), len(p.entries)), len(p.entries))
	switch loading, older := p.app.env.Cache.LoadingOrders(); {
	case p.alone:
	case loading:
		none, title = "  No matches so far, loading orders…", title+" · loading…"
	case older:
		title += " · older orders not loaded"
	}
	if len(p.found) == 0 {
		lines = []string{th.PaintRaised(theme.Muted, none)}
	}
	lines = append(lines, make([]string, rows-len(lines))...)
	search := widget.DrawSearch(th, ": ", p.query, w)
	return widget.DrawDialog(th, title, "enter run   esc back", append([]string{search}, lines...), w)
}

func (p *paletteDialog) drawLine(th *theme.Theme, i, w int) string {
	e := p.found[i]
	style, mark := th.RaisedStyle, "  "
	if i == p.cursor {
		style, mark = th.SelectedStyle, th.SelectionMark()+" "
	}
	role, hint := theme.Text, format.Clean(e.hint)
	if e.off != "" {
		role, hint = theme.Muted, "– "+e.off
	}
	hint = format.CutLine(hint, w/2)
	label, does := format.Clean(e.label), ""
	if e.does != "" {
		label, does = format.FitLeft(label, commandWidth), "  "+e.does
	}
	room := w - 4 - format.Width(hint)
	label = format.CutLine(label, room)
	does = format.FitLeft(does, room-format.Width(label))
	behind := style(theme.Muted).Render(does + "  " + hint)
	return style(theme.Accent).Render(mark) + style(role).Render(label) + behind
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

// paletteEntries returns all actions available now and every place to go to, or the other
// profiles alone.
func (a *App) paletteEntries(profilesAlone bool) paletteEntries {
	all := a.profileEntries()
	if !profilesAlone {
		all = slices.Concat(a.actionEntries(), a.placeEntries(), all, a.themeEntries())
	}
	for i := range all {
		e := &all[i]
		e.text = foldWords(e.label + " " + e.does + " " + e.more)
	}
	return all
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

// loose is the rank of the best text that only has the letters in order, last what what is
// harmful or disabled ranks behind.
const loose, last = 1 << 20, 1 << 30

// findMatches returns the entries that match a query, best first; equal matches keep their
// order. A match has every word of the query, better at the beginning of a word than within
// one. Texts that only have the letters in order come after these, and only if the letters
// are close together. Harmful and disabled actions come last unless their name is typed.
func (all paletteEntries) findMatches(query string) (found paletteEntries) {
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
	for i := range ranks {
		if len(words) > 0 && !strings.HasPrefix(all[i].text, words[0]) {
			ranks[i] += last * all[i].listPlace()
		}
	}
	better := func(x, y int) int { return cmp.Or(ranks[x]-ranks[y], x-y) }
	for _, i := range slices.SortedFunc(maps.Keys(ranks), better) {
		found = append(found, all[i])
	}
	return found
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

// isNamed reports whether the folded text is the label, its code or the code's number.
func (e *paletteEntry) isNamed(typed string) bool {
	label := format.Fold(e.label)
	code, _, _ := strings.Cut(label, " ")
	return label == typed || code == typed || strings.HasSuffix(code, "-"+typed)
}

// actionEntries returns the actions.
func (a *App) actionEntries() (entries []paletteEntry) {
	for _, act := range action.ActionsOf(a.activeScopes()...) {
		if act.Scope == action.List || act.Scope == action.Map || act.ID == action.Palette {
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
func (a *App) placeEntries() []paletteEntry {
	var entries, timelines []paletteEntry
	seen := map[string]bool{}
	add := func(e paletteEntry) {
		if !seen[e.label] {
			seen[e.label] = true
			entries = append(entries, e)
		}
	}
	addSubject := func(e paletteEntry, of timeline.StorySubject) {
		add(e)
		open := func() tea.Cmd { return a.env.Show(page.StoryRoute{Subject: of}) }
		timelines = append(timelines, paletteEntry{
			label: "Timeline of " + e.label,
			hint:  "timeline",
			run:   open,
		})
	}
	known := a.env.Cache.Now()
	for i := range known.Orders {
		o := &known.Orders[i]
		st := format.OrderState(o.Status, a.env.QuotesOf(o.UUID))
		addSubject(paletteEntry{
			label: orderName(o),
			more:  st.Label + " " + st.Wire,
			hint:  st.Glyph + " order",
			run:   func() tea.Cmd { return a.env.Show(page.OrderRoute{Order: o}) },
		}, inspect.SubjectOf(o))
	}
	for _, m := range known.Missions {
		st, late := format.Status(m.Status), ""
		if t, ok := m.TroubleAt(a.env.Now()); ok && t.Late {
			late = " late"
		}
		addSubject(paletteEntry{
			label: missionName(m),
			more:  st.Label + " " + st.Wire + late,
			hint:  st.Glyph + " mission",
			run:   func() tea.Cmd { return a.env.Show(page.MissionRoute{Mission: m}) },
		}, timeline.StorySubject{Order: m.Order.OrderCode, Mission: m.UUID})
	}
	for _, p := range a.pages.allPages() {
		if guide, ok := p.(page.PlaceGuide); ok {
			for _, place := range guide.KnownPlaces() {
				add(paletteEntry{
					label: place.Name,
					hint:  place.Kind,
					run:   place.Open,
				})
			}
		}
	}
	return append(entries, timelines...)
}

func orderName(o *api.Order) string { return o.OrderCode + "  " + o.OrderName }

func missionName(m *cache.Mission) string { return m.MissionCode + "  " + m.MissionName }

// filterNames returns the names of orders and missions that match a filter, as in
// their lists.
func (a *App) filterNames(query string) map[string]bool {
	known, names := a.env.Cache.Now(), map[string]bool{}
	for _, o := range filterRows(a.env, query, columns.Orders(a.env.QuotesOf), columns.Pointers(known.Orders)) {
		names[orderName(o)] = true
	}
	for _, m := range filterRows(a.env, query, columns.MissionsOfOrders(a.env.Now), known.Missions) {
		names[missionName(m)] = true
	}
	return names
}

// filterRows returns the rows that match a filter.
func filterRows[T any](env *page.Env, query string, of []columns.Column[T], rows []T) (found []T) {
	grid := widget.NewGrid(env.Now, columns.ColumnSpecs(of)...)
	grid.UseUnits(env.Units)
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

// themeEntries returns the themes, previewed while selected.
func (a *App) themeEntries() (entries []paletteEntry) {
	for _, name := range a.look.names() {
		run := func() tea.Cmd { a.look.use(name, a.env.Theme); return nil }
		e := paletteEntry{
			label: "theme: " + name,
			hint:  "live preview",
			theme: name,
			run:   run,
		}
		entries = append(entries, e)
	}
	return entries
}
