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

// paletteDialog searches actions, orders, missions, profiles and themes, or some entries to
// choose from.
type paletteDialog struct {
	isChoice bool         // only the entries of list are searched
	orders   *cache.Cache // says whether orders are still loading; nil without a service
	list     func() paletteEntries
	// preview draws the app in a theme until another one is previewed; "" is the theme
	// that was chosen before.
	preview func(theme string)
	// filter returns the labels of orders and missions that match terms such as due:<friday.
	filter func(query string) map[string]bool
	// searchAccounts returns an entry that searches all accounts; ok is false if that is
	// not possible.
	searchAccounts func(query string) (entry paletteEntry, ok bool)
	// onRun is called with the label of an entry before the entry is run.
	onRun func(label string) tea.Cmd

	query   *widget.Input
	entries paletteEntries
	found   paletteEntries
	cursor  int
	scroll  widget.Scroll
}

// commandWidth is the width of action names.
const commandWidth = 16

// listEntries lists the entries and searches them from the beginning.
func (p *paletteDialog) listEntries() {
	p.entries = p.list()
	p.search()
}

// refreshEntries lists the entries again while data is being read; the selection stays.
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

// search finds the matching entries, best first.
func (p *paletteDialog) search() {
	query := p.query.Value()
	p.found = p.entries.findMatches(query)
	p.cursor = 0
	if strings.Contains(query, ":") && !p.isChoice {
		p.addFiltered(p.filter(query))
	}
	if e, ok := p.searchAccounts(query); ok && !p.isChoice {
		p.found = append(p.found, e)
	}
	p.scroll.ScrollToTop()
}

// addFiltered adds the entries with these labels that are not found yet.
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

// current returns the selected entry, an empty one if nothing is found.
func (p *paletteDialog) current() paletteEntry {
	if p.cursor >= len(p.found) {
		return paletteEntry{}
	}
	return p.found[p.cursor]
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
		p.preview("")
		return nil, true
	case "enter":
		return p.runEntry()
	}
	step := paletteMoves[name]
	if step == 0 && p.query.Changes(msg) {
		p.search()
	} else {
		p.cursor = max(0, min(len(p.found)-1, p.cursor+step))
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

// View renders the query and the matching entries.
func (p *paletteDialog) View(th *theme.Theme, w, h int) string {
	w = th.NarrowWidth(w, 96)
	rows := max(1, min(h-3, 14))
	lines := p.scroll.DrawRows(len(p.found), p.cursor, rows, th.RaisedStyle(theme.Muted), func(i int) string {
		return p.drawLine(th, i, w-4)
	})
	none := "  No matches. ctrl+u clears the search"
	title := fmt.Sprintf("%d of %d", min(len(p.found), len(p.entries)), len(p.entries))
	if !p.isChoice {
		isLoading, hasOlder := p.orders.LoadingOrders()
		if isLoading {
			none = "  No matches so far, loading orders…"
			title += " · loading…"
		} else if hasOlder {
			title += " · older orders not loaded"
		}
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
