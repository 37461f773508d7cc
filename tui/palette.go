package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// paletteDialog finds what can be done and where one can go by a few letters.
type paletteDialog struct {
	th      *theme.Theme
	recent  *recentEntries
	offers  func() []paletteEntry
	filter  func(query string) map[string]bool // the labels that a query of columns leaves; nil without
	restore func()                             // ends a preview
	query   *widget.Field
	entries []paletteEntry
	texts   []string // what is searched of each entry, folded
	found   []int
	cursor  int
	scroll  widget.Scroll
	// anywhere is the entry that searches what is typed in all accounts; nil without.
	anywhere func(query string) (e paletteEntry, ok bool)
	learned  time.Time                 // when it took what is offered; zero takes it once only
	missing  func() (more, older bool) // whether more is being read, and whether older orders are not; nil for neither
}

func newPalette(
	th *theme.Theme,
	lately *recentEntries,
	hint string,
	offers func() []paletteEntry,
	restore func(),
) *paletteDialog {
	p := &paletteDialog{th: th, recent: lately, offers: offers, restore: restore, query: widget.NewField(200)}
	p.query.Hint = hint
	p.takeEntries()
	return p
}

// commandWidth is the width of the commands' names.
const commandWidth = 16

// takeEntries offers what there is now.
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

// learnTime is how long the palette offers what it has while more is read.
const learnTime = 200 * time.Millisecond

// learnEntries offers what was read meanwhile, some times a second and once that is
// all; what is marked stays marked.
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

// searchEntries lists what the query fits, best first. What harms or is off comes
// behind all others but where its name is what is typed; a term like due:<friday is for
// orders and missions.
func (p *paletteDialog) searchEntries() {
	query := p.query.Value()
	p.entries = p.entries[:len(p.texts)]
	p.found, p.cursor = findMatches(query, p.texts), 0
	if word, _, _ := strings.Cut(format.Fold(query), " "); word != "" {
		slices.SortStableFunc(p.found, func(x, y int) int { return p.penalty(x, word) - p.penalty(y, word) })
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

// penalty returns more than 0 for what harms or is off and whose name is not what is
// typed.
func (p *paletteDialog) penalty(i int, word string) int {
	if strings.HasPrefix(p.texts[i], word) { // which begins with the label
		return 0
	}
	return p.entries[i].listPlace()
}

// Update takes letters for the query, and keys to move and run.
func (p *paletteDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, isKey := msg.(tea.KeyPressMsg)
	name := ""
	if isKey {
		name = key.String()
	}
	switch name {
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
		before := p.query.Value()
		p.query.Update(msg)
		if p.query.Value() != before {
			p.searchEntries()
			p.previewTheme()
		}
	}
	return nil, false
}

// HandleClick runs the entry that is clicked.
func (p *paletteDialog) HandleClick(_, y int) (tea.Cmd, bool) {
	if i, ok := p.scroll.LineAt(y - 2); ok {
		p.cursor = i
		p.previewTheme()
		return p.chooseEntry()
	}
	return nil, false
}

// ScrollsWithWheel makes the wheel move in the entries.
func (p *paletteDialog) ScrollsWithWheel() {}

func (p *paletteDialog) moveMark(n int) {
	p.cursor = max(0, min(len(p.found)-1, p.cursor+n))
	p.previewTheme()
}

// previewTheme shows the marked entry's theme, or the one before.
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

// View draws the query and what it fits.
func (p *paletteDialog) View(w, h int) string {
	w = p.th.NarrowWidth(w, 96)
	th := p.th
	rows := max(1, min(h-3, 14))
	typed := p.query.View(w-6, th.RaisedStyle(theme.Text), th.RaisedStyle(theme.Muted))
	lines := []string{th.PaintRaised(theme.Accent, ": ") + strings.TrimRight(typed, " ")}
	draw := func(i int) string { return p.drawLine(i, w-4) }
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
	return dialog.DrawFrame(th, title, "enter run   esc back", lines, w)
}

func (p *paletteDialog) drawLine(i, w int) string {
	th := p.th
	e := p.entries[p.found[i]]
	style, mark := th.RaisedStyle, "  "
	if i == p.cursor {
		style, mark = th.SelectedStyle, th.SelectionMark()+" "
	}
	role, hint := theme.Text, e.hint
	if e.off != "" {
		role, hint = theme.Muted, "– "+e.off
	}
	hint = layout.CutLine(layout.Clean(hint), w/2)
	label, does := layout.Clean(e.label), ""
	if e.does != "" {
		label, does = layout.FitLeft(label, commandWidth), "  "+e.does
	}
	room := w - 4 - layout.Width(hint)
	label = layout.CutLine(label, room)
	does = layout.FitLeft(does, room-layout.Width(label))
	label = layout.CleanText(style(role), label)
	return layout.CleanText(style(theme.Accent), mark) + label + layout.CleanText(style(theme.Muted), does+"  "+hint)
}

// Cursor stands in the query.
func (p *paletteDialog) Cursor() *tea.Cursor { return tea.NewCursor(4+p.query.CursorCell(), 1) }

// maxRecent is how many entries the palette remembers, under keptRecent also
// from one run to the next.
const (
	maxRecent  = 8
	keptRecent = "recent"
)

// recentEntries are the labels of what was run from the palette, the last one first.
type recentEntries struct {
	look   *page.PageLook
	labels []string
}

func newRecentEntries(look *page.PageLook) recentEntries {
	r := recentEntries{look: look}
	look.UIState.Get(keptRecent, &r.labels)
	return r
}

// recentRank puts what was run lately first, but for what harms.
func (r *recentEntries) recentRank(e *paletteEntry) int {
	if i := slices.Index(r.labels, e.label); i >= 0 && !e.harms {
		return i
	}
	return maxRecent
}

// remember remembers what is run.
func (r *recentEntries) remember(label string) tea.Cmd {
	others := slices.DeleteFunc(r.labels, func(known string) bool { return known == label })
	r.labels = append([]string{label}, others[:min(len(others), maxRecent-1)]...)
	r.look.UIState.Put(keptRecent, r.labels)
	return page.KeepLook(r.look)
}

// findMatches returns which of the texts, which are folded, fit a query, best first; texts
// that fit equally well stay in their order. Each word of the query is to be found as
// it was typed, at the beginning of a word rather than within one. What only
// has the letters in their order comes after that, and only where they stand
// close together.
func findMatches(query string, texts []string) []int {
	words := strings.Fields(format.Fold(query))
	if len(words) == 0 {
		return allIndexes(len(texts))
	}
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
		if !known[m.Index] && isNear(m.MatchedIndexes) {
			matches = append(matches, match{m.Index, loose + m.MatchedIndexes[0]})
		}
	}
	slices.SortStableFunc(matches, func(x, y match) int { return x.rank - y.rank })
	found := make([]int, len(matches))
	for i, m := range matches {
		found[i] = m.text
	}
	return found
}

// loose is the rank of the best of those that only have the letters.
const loose = 1 << 20

// matchLiteral ranks a text that has all the words, the better the smaller.
func matchLiteral(words []string, text string) (rank int, ok bool) {
	for _, word := range words {
		at := strings.Index(text, word)
		if at < 0 {
			return 0, false
		}
		within := 2
		for from := at; ; {
			if from == 0 || !isLetter(text[:from]) {
				within, at = 1, from
				break
			}
			next := strings.Index(text[from+1:], word)
			if next < 0 {
				break
			}
			from += 1 + next
		}
		if at == 0 {
			within = 0
		}
		rank += within
	}
	return rank, true
}

// isLetter tells whether a text ends within a word.
func isLetter(before string) bool {
	last := []rune(before)
	r := last[len(last)-1]
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// isNear tells whether letters stand near enough to be meant together.
func isNear(at []int) bool {
	return len(at) > 2 && at[len(at)-1]-at[0] < 2*len(at)
}

func allIndexes(n int) []int {
	found := make([]int, n)
	for i := range found {
		found[i] = i
	}
	return found
}
