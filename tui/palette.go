package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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

// paletteDialog searches actions, orders, missions, profiles and themes.
type paletteDialog struct {
	recent  *recentEntries
	offers  func() []paletteEntry
	filter  func(query string) map[string]bool // returns the labels that match a query of columns; may be nil
	restore func()                             // ends the preview of a theme
	query   *widget.Input
	entries []paletteEntry
	texts   []string // folded search text of each entry
	found   []int
	cursor  int
	scroll  widget.Scroll
	// anywhere returns the entry that searches all accounts; may be nil.
	anywhere func(query string) (e paletteEntry, ok bool)
	learned  time.Time                 // time of the last refresh; zero for no refreshes
	missing  func() (more, older bool) // more data is being read; older orders are not loaded
}

func newPalette(
	lately *recentEntries,
	hint string,
	offers func() []paletteEntry,
	restore func(),
) *paletteDialog {
	p := &paletteDialog{recent: lately, offers: offers, restore: restore, query: widget.NewInput(200)}
	p.query.Hint = hint
	p.takeEntries()
	return p
}

// commandWidth is the width of action names.
const commandWidth = 16

// takeEntries loads the entries.
func (p *paletteDialog) takeEntries() {
	p.entries = p.offers()
	slices.SortStableFunc(
		p.entries,
		func(x, y paletteEntry) int { return p.recent.recentRank(&x) - p.recent.recentRank(&y) },
	)
	p.texts = make([]string, len(p.entries))
	for i, e := range p.entries {
		p.texts[i] = e.searchText()
	}
	p.searchEntries()
}

// learnTime is the shortest time between two refreshes while data is being read.
const learnTime = 200 * time.Millisecond

// learnEntries refreshes the entries at most once a learnTime, and at the end of
// reading; the selection stays.
func (p *paletteDialog) learnEntries(now time.Time, all bool) {
	if p.learned.IsZero() || !all && now.Sub(p.learned) < learnTime {
		return
	}
	p.learned = now
	marked, scroll := "", p.scroll
	if p.cursor < len(p.found) {
		marked = p.entries[p.found[p.cursor]].label
	}
	p.takeEntries()
	for i, e := range p.found {
		if p.entries[e].label == marked {
			p.cursor, p.scroll = i, scroll
			break
		}
	}
}

// searchEntries finds the matching entries, best first. Harmful and disabled
// actions come last unless their name is typed; terms such as due:<friday match
// orders and missions by column.
func (p *paletteDialog) searchEntries() {
	query := p.query.Value()
	p.entries = p.entries[:len(p.texts)]
	p.found, p.cursor = findMatches(query, p.texts), 0
	if word, _, _ := strings.Cut(format.Fold(query), " "); word != "" {
		slices.SortStableFunc(
			p.found,
			func(x, y int) int { return p.rankPenalty(x, word) - p.rankPenalty(y, word) },
		)
	}
	if p.filter != nil && strings.Contains(query, ":") {
		names := p.filter(query)
		for i, e := range p.entries {
			if names[e.label] && !slices.Contains(p.found, i) {
				p.found = append(p.found, i)
			}
		}
	}
	if p.anywhere != nil {
		if e, ok := p.anywhere(query); ok {
			p.found, p.entries = append(p.found, len(p.entries)), append(p.entries, e)
		}
	}
	p.scroll.ScrollToTop()
}

// rankPenalty returns the rank of an entry that is harmful or disabled and not named
// by the first word.
func (p *paletteDialog) rankPenalty(i int, word string) int {
	if strings.HasPrefix(p.texts[i], word) { // the text begins with the label
		return 0
	}
	return p.entries[i].listPlace()
}

// Update edits the query, moves the selection and runs entries.
func (p *paletteDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch widget.KeyName(msg) {
	case "esc", "ctrl+p":
		p.restore()
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
func (p *paletteDialog) previewTheme() {
	p.restore()
	if p.cursor < len(p.found) {
		if show := p.entries[p.found[p.cursor]].show; show != nil {
			show()
		}
	}
}

func (p *paletteDialog) chooseEntry() (tea.Cmd, bool) {
	if p.cursor >= len(p.found) {
		return nil, false
	}
	e := p.entries[p.found[p.cursor]]
	if e.off != "" {
		return page.ShowToast(theme.Attention, e.off), false
	}
	p.restore()
	return tea.Batch(p.recent.remember(e.label), e.run()), true
}

// View renders the query and the matching entries.
func (p *paletteDialog) View(th *theme.Theme, w, h int) string {
	w = th.NarrowWidth(w, 96)
	rows := max(1, min(h-3, 14))
	lines := []string{widget.DrawSearch(th, ": ", p.query, w)}
	draw := func(i int) string { return p.drawLine(th, i, w-4) }
	lines = append(lines, p.scroll.DrawRows(len(p.found), p.cursor, rows, th.RaisedStyle(theme.Muted), draw)...)
	var loading, older bool
	if p.missing != nil {
		loading, older = p.missing()
	}
	none := "  No matches. ctrl+u clears the search"
	title := fmt.Sprintf("%d of %d", min(len(p.found), len(p.texts)), len(p.texts))
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
	e := p.entries[p.found[i]]
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

// maxRecent is the number of recently run entries that are remembered; keptRecent
// is the key they are saved under.
const (
	maxRecent  = 8
	keptRecent = "recent"
)

// recentEntries are the labels of recently run entries, newest first.
type recentEntries struct {
	look   *page.PageLook
	labels []string
}

// recentRank returns the position of an entry among the recent ones. Harmful
// entries are never ranked first.
func (r *recentEntries) recentRank(e *paletteEntry) int {
	if i := slices.Index(r.labels, e.label); i >= 0 && !e.harms {
		return i
	}
	return maxRecent
}

// remember records that an entry was run.
func (r *recentEntries) remember(label string) tea.Cmd {
	others := slices.DeleteFunc(r.labels, func(known string) bool { return known == label })
	r.labels = append([]string{label}, others[:min(len(others), maxRecent-1)]...)
	r.look.UIState.Put(keptRecent, r.labels)
	return r.look.KeepLook()
}

// findMatches returns the indexes of the texts that match a query, best first;
// equal matches keep their order. The texts must be folded. A match has every
// word of the query, better at the beginning of a word than within one. Texts
// that only have the letters in order come last, and only if these are close
// together.
func findMatches(query string, texts []string) []int {
	words := strings.Fields(format.Fold(query))
	type match struct{ text, rank int }
	var matches []match
	known := make([]bool, len(texts))
	for i, text := range texts {
		var rank int
		if rank, known[i] = matchLiteral(words, text); known[i] {
			matches = append(matches, match{i, rank})
		}
	}
	for _, m := range fuzzy.Find(strings.Join(words, ""), texts) {
		at := m.MatchedIndexes // close together
		if !known[m.Index] && len(at) > 2 && at[len(at)-1]-at[0] < 2*len(at) {
			matches = append(matches, match{m.Index, loose + at[0]})
		}
	}
	slices.SortStableFunc(matches, func(x, y match) int { return x.rank - y.rank })
	found := make([]int, len(matches))
	for i, m := range matches {
		found[i] = m.text
	}
	return found
}

// loose is the rank of the best text that only has the letters in order.
const loose = 1 << 20

// matchLiteral ranks a text that has all the words; smaller is better.
func matchLiteral(words []string, text string) (rank int, ok bool) {
	for _, word := range words {
		at, within := strings.Index(text, word), 2
		if at < 0 {
			return 0, false
		}
		for from := at; from >= 0; {
			before, _ := utf8.DecodeLastRuneInString(text[:from])
			if from == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
				within = min(from, 1)
				break
			}
			next := strings.Index(text[from+1:], word)
			if next < 0 {
				break
			}
			from += 1 + next
		}
		rank += within
	}
	return rank, true
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
	show  func() // previews the entry while it is selected
}

// searchText returns the folded search text, which begins with the label.
func (e *paletteEntry) searchText() string { return format.Fold(e.label + " " + e.does + " " + e.more) }

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
