package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// paletteDialog searches entries by their texts and runs the selected entry. As the palette it
// lists actions, orders, missions, profiles and themes. As a choice it lists only the entries to
// choose from, such as the profiles.
type paletteDialog struct {
	isChoice bool         // cache, filter and searchAccounts are not used
	cache    *cache.Cache // reports which orders and missions are loaded
	list     func() paletteEntries
	// preview draws the app in the named theme until the next call. "" stands for the theme with which the
	// palette was opened.
	preview func(theme string)
	// filter returns the labels of orders and missions that match terms such as due:<friday.
	filter func(query string) map[string]bool
	// searchAccounts returns an entry that searches all accounts; ok is false if the user
	// cannot search them.
	searchAccounts func(query string) (entry paletteEntry, ok bool)
	// onRun is called with the label of an entry before the entry runs.
	onRun func(label string) tea.Cmd

	query   *widget.Input
	entries paletteEntries // all entries
	found   paletteEntries // the entries that match the query, best first
	// searches is 1 if the last found entry is the search of all accounts, otherwise 0. That entry is not in
	// entries.
	searches int
	cursor   int // index of the selected entry in found
	scroll   widget.Scroll
}

// actionWidth is the number of cells of an action's title, which its description follows.
const actionWidth = 16

// listEntries lists the entries, finds the matching ones and selects the first.
func (p *paletteDialog) listEntries() {
	p.entries = p.list()
	p.search()
}

// refreshEntries lists the entries again after new data was read. The same entry stays selected.
func (p *paletteDialog) refreshEntries() {
	selected := p.current().label
	scroll := p.scroll
	p.listEntries()
	i := slices.IndexFunc(p.found, func(e paletteEntry) bool { return e.label == selected })
	if i >= 0 {
		p.cursor = i
		p.scroll = scroll
	}
}

// search finds the entries that match the query, and selects the best match.
func (p *paletteDialog) search() {
	query := p.query.Value()
	p.found = p.entries.findMatches(query)
	p.cursor = 0
	p.scroll.ScrollToTop()
	if !p.isChoice && strings.Contains(query, ":") {
		p.addFiltered(p.filter(query))
	}
	p.searches = 0
	if p.isChoice {
		return
	}
	if e, ok := p.searchAccounts(query); ok {
		p.found = append(p.found, e)
		p.searches = 1
	}
}

// addFiltered adds the entries with these labels to the found entries, each once.
func (p *paletteDialog) addFiltered(labels map[string]bool) {
	for _, e := range p.found {
		delete(labels, e.label)
	}
	for _, e := range p.entries {
		if labels[e.label] {
			p.found = append(p.found, e)
		}
	}
}

// current returns the selected entry, or an empty entry if nothing is found.
func (p *paletteDialog) current() paletteEntry {
	if p.cursor >= len(p.found) {
		return paletteEntry{}
	}
	return p.found[p.cursor]
}

// paletteMoves maps the keys that move the selection to the number of entries to move.
var paletteMoves = map[string]int{
	"down":      1,
	"ctrl+n":    1,
	"tab":       1,
	"pgdown":    10,
	"up":        -1,
	"shift+tab": -1,
	"pgup":      -10,
}

// Update edits the query, moves the selection and runs the selected entry. If that entry is a
// theme, the app is drawn in it.
func (p *paletteDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	name := widget.KeyName(msg)
	switch name {
	case "esc", "ctrl+p":
		p.preview("")
		return nil, true
	case "enter":
		return p.runEntry()
	}
	step, isMove := paletteMoves[name]
	if isMove {
		p.cursor = max(0, min(len(p.found)-1, p.cursor+step))
	} else if p.query.Changes(msg) {
		p.search()
	}
	p.preview(p.current().theme)
	return nil, false
}

// HandleClick runs the clicked entry.
func (p *paletteDialog) HandleClick(_, y int) (tea.Cmd, bool) {
	i, ok := p.scroll.LineAt(y - 2)
	if !ok {
		return nil, false
	}
	p.cursor = i
	return p.runEntry()
}

// runEntry runs the selected entry, or shows why it is disabled.
func (p *paletteDialog) runEntry() (tea.Cmd, bool) {
	e := p.current()
	if e.off != "" {
		return page.ShowToast(theme.Attention, e.off), false
	}
	if e.run == nil {
		return nil, false
	}
	p.preview("")
	return tea.Batch(p.onRun(e.label), e.run()), true
}

const (
	paletteWidth    = 96 // maximum width of the palette
	maxPaletteRows  = 14 // maximum number of entries shown at once
	paletteBorders  = 2  // lines of the upper and the lower border
	paletteQuery    = 1  // line of the query
	paletteSideRoom = 4  // cells of both side borders, with a blank next to each
)

// View renders the query and the matching entries.
func (p *paletteDialog) View(th *theme.Theme, w, h int) string {
	w = th.NarrowWidth(w, paletteWidth)
	rows := max(1, min(h-paletteBorders-paletteQuery, maxPaletteRows))
	missing := p.missingText()
	entryWidth := w - paletteSideRoom
	cutTexts := p.drawCutTexts(th, entryWidth)
	cutTexts = cutTexts[:min(len(cutTexts), rows-1)]
	lines := []string{widget.DrawSearch(th, ": ", p.query, w)}
	lines = append(lines, p.drawFound(th, entryWidth, rows-len(cutTexts), missing)...)
	lines = append(lines, cutTexts...)
	for len(lines) < paletteQuery+rows {
		lines = append(lines, "")
	}
	return widget.DrawDialog(th, p.title(missing), "enter run   esc back", lines, w)
}

// missingText describes the orders or missions that the palette cannot find because they are not loaded. It returns
// "" if all are loaded.
func (p *paletteDialog) missingText() string {
	if p.isChoice {
		return ""
	}
	if p.cache.AreOrdersLoading() {
		return "loading…"
	}
	loaded := p.cache.Now()
	if len(loaded.Orders) == 0 && loaded.Err != nil {
		return "orders not loaded"
	}
	if loaded.More {
		return "older orders not loaded"
	}
	if loaded.Err != nil {
		return "orders not refreshed"
	}
	if loaded.Left > 0 || loaded.Faults > 0 {
		return "missions of " + format.Count(loaded.Left+loaded.Faults, "order") + " not loaded"
	}
	return ""
}

// title returns the title of the dialog, such as "Palette · 3 of 120": the number of found entries and the
// number of all entries. missing says what is not loaded.
func (p *paletteDialog) title(missing string) string {
	name := "Palette"
	if p.isChoice {
		name = "Choose"
	}
	title := fmt.Sprintf("%s · %d of %d", name, len(p.found), len(p.entries)+p.searches)
	if missing != "" {
		return title + " · " + missing
	}
	return title
}

// drawFound renders the found entries in at most rows lines of w cells, or a message if nothing is
// found. missing says what is not loaded.
func (p *paletteDialog) drawFound(th *theme.Theme, w, rows int, missing string) []string {
	if len(p.found) > 0 {
		drawEntry := func(i int) string { return p.drawEntry(th, i, w) }
		return p.scroll.DrawRows(len(p.found), p.cursor, rows, th.RaisedStyle(theme.Muted), drawEntry)
	}
	text := "No matches. ctrl+u clears the search"
	if missing != "" {
		text = "No matches so far; " + missing
	}
	return []string{th.PaintRaised(theme.Muted, "  "+text)}
}

// drawEntry renders the i-th found entry in w cells: its label and description, and its hint at the right.
func (p *paletteDialog) drawEntry(th *theme.Theme, i, w int) string {
	e := p.found[i]
	style := th.RaisedStyle
	mark := entryIndent
	if i == p.cursor {
		style = th.SelectedStyle
		mark = th.SelectionMark() + " "
	}
	role := theme.Text
	if e.off != "" {
		role = theme.Muted
	}
	label, description, hint := fitEntry(e, w-format.Width(mark))
	return style(theme.Accent).Render(mark) +
		style(role).Render(label) +
		style(theme.Muted).Render(description+hint)
}

const (
	entryIndent = "  " // in front of an entry, or its selection mark and a blank
	hintGap     = "  " // between the description and the hint of an entry
)

// hintOf returns the text at the right of an entry: its hint, or the reason why it is disabled.
func hintOf(e paletteEntry) string {
	if e.off != "" {
		return "– " + e.off
	}
	return format.Clean(e.hint)
}

// fitEntry returns the label, the description and the hint of an entry, which together fill w cells. The hint gets at
// most half of them.
func fitEntry(e paletteEntry, w int) (label, description, hint string) {
	hint = hintGap + format.CutLine(hintOf(e), w/2)
	room := w - format.Width(hint)
	label = format.Clean(e.label)
	if e.does != "" {
		label = format.FitLeft(label, actionWidth)
		description = "  " + e.does
	}
	label = format.CutLine(label, room)
	return label, format.FitLeft(description, room-format.Width(label)), hint
}

// drawCutTexts renders the texts of the selected entry that are cut in its line: its label with its description, and
// its hint. It returns nil if no text is cut.
func (p *paletteDialog) drawCutTexts(th *theme.Theme, w int) []string {
	e := p.current()
	label, description, hint := fitEntry(e, w-format.Width(th.SelectionMark()+" "))
	isCut := func(shown, whole string) bool { return format.Width(strings.TrimSpace(shown)) < format.Width(whole) }
	var texts []string
	if isCut(label, format.Clean(e.label)) || isCut(description, e.does) {
		texts = append(texts, strings.TrimSpace(format.Clean(e.label)+"  "+e.does))
	}
	if isCut(hint, hintOf(e)) {
		texts = append(texts, hintOf(e))
	}
	var lines []string
	for _, text := range texts {
		for _, line := range format.Wrap(text, w-2*format.Width(entryIndent)) {
			lines = append(lines, th.PaintRaised(theme.Text, entryIndent+entryIndent+line))
		}
	}
	return lines
}

// Cursor returns the cursor of the query.
func (p *paletteDialog) Cursor() *tea.Cursor { return widget.SearchCursor(p.query) }
