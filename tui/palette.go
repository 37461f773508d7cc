package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// palette finds what can be done and where one can go by a few letters.
type palette struct {
	th      *theme.Theme
	recent  *recent
	offers  func() []entry
	filter  func(query string) map[string]bool // the labels that a query of columns leaves; nil without
	restore func()                             // ends a preview
	query   *widget.Field
	entries []entry
	texts   []string // what is searched of each entry, folded
	found   []int
	cursor  int
	scroll  widget.Scroll
	// anywhere is the entry that searches what is typed in all accounts; nil without.
	anywhere func(query string) (e entry, ok bool)
	learned  time.Time                 // when it took what is offered; zero takes it once only
	missing  func() (more, older bool) // whether more is being read, and whether older orders are not; nil for neither
}

func newPalette(th *theme.Theme, lately *recent, hint string, offers func() []entry, restore func()) *palette {
	p := &palette{th: th, recent: lately, offers: offers, restore: restore, query: widget.NewField(200)}
	p.query.Hint = hint
	p.take()
	return p
}

// commandWidth is the width of the commands' names.
const commandWidth = 16

// take offers what there is now.
func (p *palette) take() {
	p.entries = p.offers()
	slices.SortStableFunc(p.entries, func(x, y entry) int { return p.recent.rank(&x) - p.recent.rank(&y) })
	p.texts = make([]string, len(p.entries))
	for i, e := range p.entries {
		p.texts[i] = e.searched()
	}
	p.search()
}

// learnTime is how long the palette offers what it has while more is read.
const learnTime = 200 * time.Millisecond

// learn offers what was read meanwhile, some times a second and once that is
// all; what is marked stays marked.
func (p *palette) learn(now time.Time, all bool) {
	if p.learned.IsZero() || !all && now.Sub(p.learned) < learnTime {
		return
	}
	p.learned = now
	marked, scroll := "", p.scroll
	if p.cursor < len(p.found) {
		marked = p.entries[p.found[p.cursor]].label
	}
	p.take()
	for i, e := range p.found {
		if p.entries[e].label == marked {
			p.cursor, p.scroll = i, scroll
			break
		}
	}
}

// search lists what the query fits, best first. What harms or is off comes
// behind all others but where its name is what is typed; a term like due:<friday is for
// orders and missions.
func (p *palette) search() {
	query := p.query.Value()
	p.entries = p.entries[:len(p.texts)]
	p.found, p.cursor = find(query, p.texts), 0
	if word, _, _ := strings.Cut(format.Fold(query), " "); word != "" {
		slices.SortStableFunc(p.found, func(x, y int) int { return p.behind(x, word) - p.behind(y, word) })
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
	p.scroll.Home()
}

// behind is more than 0 for what harms or is off and whose name is not what is
// typed.
func (p *palette) behind(i int, word string) int {
	if strings.HasPrefix(p.texts[i], word) { // which begins with the label
		return 0
	}
	return p.entries[i].place()
}

// Update takes letters for the query, and keys to move and run.
func (p *palette) Update(msg tea.Msg) (tea.Cmd, bool) {
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
		return p.choose()
	case "down", "ctrl+n", "tab":
		p.move(1)
	case "up", "shift+tab":
		p.move(-1)
	case "pgdown":
		p.move(10)
	case "pgup":
		p.move(-10)
	default:
		before := p.query.Value()
		p.query.Update(msg)
		if p.query.Value() != before {
			p.search()
			p.preview()
		}
	}
	return nil, false
}

// Click runs the entry that is clicked.
func (p *palette) Click(_, y int) (tea.Cmd, bool) {
	if i, ok := p.scroll.At(y - 2); ok {
		p.cursor = i
		p.preview()
		return p.choose()
	}
	return nil, false
}

// Turns makes the wheel move in the entries.
func (p *palette) Turns() {}

func (p *palette) move(n int) {
	p.cursor = max(0, min(len(p.found)-1, p.cursor+n))
	p.preview()
}

// preview shows the marked entry's theme, or the one before.
func (p *palette) preview() {
	p.restore()
	if p.cursor < len(p.found) {
		if show := p.entries[p.found[p.cursor]].show; show != nil {
			show()
		}
	}
}

func (p *palette) choose() (tea.Cmd, bool) {
	if p.cursor >= len(p.found) {
		return nil, false
	}
	e := p.entries[p.found[p.cursor]]
	if e.off != "" {
		return page.Toast(theme.Attention, e.off), false
	}
	p.restore()
	return tea.Batch(p.recent.add(e.label), e.run()), true
}

// View draws the query and what it fits.
func (p *palette) View(w, h int) string {
	w = p.th.Narrowed(w, 96)
	th := p.th
	rows := max(1, min(h-3, 14))
	lines := []string{layout.Text(th.Raised(theme.Accent), ": ") + strings.TrimRight(p.query.View(w-6, th.Raised(theme.Text), th.Raised(theme.Muted)), " ")}
	lines = append(lines, p.scroll.Rows(len(p.found), p.cursor, rows, th.Raised(theme.Muted), func(i int) string { return p.line(i, w-4) })...)
	var loading, older bool
	if p.missing != nil {
		loading, older = p.missing()
	}
	none, title := "  No matches. ctrl+u clears the search", fmt.Sprintf("%d of %d", min(len(p.found), len(p.texts)), len(p.texts))
	switch {
	case loading:
		none, title = "  No matches so far, loading orders…", title+" · loading…"
	case older:
		title += " · older orders not loaded"
	}
	if len(p.found) == 0 {
		lines = append(lines, layout.Text(th.Raised(theme.Muted), none))
	}
	for len(lines) <= rows {
		lines = append(lines, "")
	}
	return dialog.Frame(th, title, "enter run   esc back", lines, w)
}

func (p *palette) line(i, w int) string {
	th := p.th
	e := p.entries[p.found[i]]
	style, mark := th.Raised, "  "
	if i == p.cursor {
		style, mark = th.Selected, th.Pointer()+" "
	}
	role, hint := theme.Text, e.hint
	if e.off != "" {
		role, hint = theme.Muted, "– "+e.off
	}
	hint = layout.Cut(layout.Clean(hint), w/2)
	label, does := layout.Clean(e.label), ""
	if e.does != "" {
		label, does = layout.Left(label, commandWidth), "  "+e.does
	}
	room := w - 4 - layout.Width(hint)
	label = layout.Cut(label, room)
	does = layout.Left(does, room-layout.Width(label))
	return layout.Text(style(theme.Accent), mark) + layout.Text(style(role), label) + layout.Text(style(theme.Muted), does+"  "+hint)
}

// Cursor stands in the query.
func (p *palette) Cursor() *tea.Cursor { return tea.NewCursor(4+p.query.CursorCell(), 1) }
