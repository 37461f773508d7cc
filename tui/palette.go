package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// entry is a line of the palette.
type entry struct {
	label string // what is searched
	more  string // what is searched, too, and not shown
	hint  string // at the right: a key, or what it is
	off   string // why it cannot be run
	run   func() tea.Cmd
	show  func() // previews it while it is marked
}

// palette finds what can be done and where one can go by a few letters.
type palette struct {
	app     *App
	query   *widget.Field
	entries []entry
	texts   []string // what is searched of each entry
	found   []int
	cursor  int
	top     int
	restore func()
	places  bool      // it offers orders and missions, of which more may be read
	built   time.Time // when it took those that were read
}

// maxRecent is how many entries the palette remembers, under keptRecent also
// from one run to the next.
const (
	maxRecent  = 8
	keptRecent = "recent"
)

func newPalette(a *App) *palette {
	p := newPaletteOf(a, a.allEntries(), "an action, an order, a profile, a theme")
	p.places, p.built = true, a.env.Now()
	return p
}

// openPalette opens the palette, and has read what it offers.
func (a *App) openPalette() tea.Cmd {
	a.dialogs = append(a.dialogs, newPalette(a))
	if a.env.Cache != nil {
		a.env.Cache.Refresh(false)
	}
	return nil
}

func (a *App) allEntries() []entry {
	return slices.Concat(a.actionEntries(), a.placeEntries(), a.profileEntries(), a.themeEntries())
}

func newPaletteOf(a *App, entries []entry, hint string) *palette {
	p := &palette{app: a, query: widget.NewField(200)}
	p.query.Hint = hint
	before := a.appearance.name
	p.restore = func() { a.appearance.use(before) }
	p.take(entries)
	return p
}

// take offers the entries.
func (p *palette) take(entries []entry) {
	a := p.app
	slices.SortStableFunc(entries, func(x, y entry) int { return a.rank(x) - a.rank(y) })
	p.entries, p.texts = entries, make([]string, len(entries))
	for i, e := range entries {
		p.texts[i] = e.label + " " + e.more
	}
	p.search()
}

// learn has an open palette offer what was read meanwhile, some times a second
// and once that is all.
func (a *App) learn(all bool) {
	if len(a.dialogs) == 0 {
		return
	}
	p, ok := a.dialogs[len(a.dialogs)-1].(*palette)
	if now := a.env.Now(); ok && p.places && (all || now.Sub(p.built) >= learnTime) {
		p.built = now
		p.learn()
	}
}

// learnTime is how long the palette offers what it has while more is read.
const learnTime = 200 * time.Millisecond

// learn takes what is known by now; what is marked stays marked.
func (p *palette) learn() {
	marked, top := "", p.top
	if p.cursor < len(p.found) {
		marked = p.entries[p.found[p.cursor]].label
	}
	p.take(p.app.allEntries())
	for i, e := range p.found {
		if p.entries[e].label == marked {
			p.cursor, p.top = i, top
			break
		}
	}
}

// rank puts what was run lately first.
func (a *App) rank(e entry) int {
	if i := slices.Index(a.recent, e.label); i >= 0 {
		return i
	}
	return maxRecent
}

// actionEntries are the actions that hold now, the disabled ones with why.
func (a *App) actionEntries() []entry {
	p := a.stacks.top()
	var entries []entry
	for _, act := range action.In(a.scopes()...) {
		if act.Scope == action.List || act.Scope == action.Map || act.ID == action.Palette || !isThere(a.env, act) {
			continue // moving is done with keys
		}
		entries = append(entries, entry{
			label: act.Help, more: act.Title, hint: act.KeyLabels(), off: a.off(act),
			run: func() tea.Cmd {
				if act.Scope == action.Everywhere {
					return a.do(act.ID)
				}
				return p.Do(act.ID)
			},
		})
	}
	return entries
}

// placeEntries are what can be gone to: what the pages on the stack know, and
// all orders and missions that were read, each once.
func (a *App) placeEntries() []entry {
	var entries []entry
	seen := map[string]bool{}
	add := func(p page.Place) {
		kind := p.Kind[strings.LastIndexByte(p.Kind, ' ')+1:] // without its glyph
		if key := kind + " " + p.Name; !seen[key] {
			seen[key] = true
			entries = append(entries, entry{label: p.Name, hint: p.Kind, run: p.Open})
		}
	}
	for _, p := range a.stacks.all() {
		if guide, ok := p.(page.Guide); ok {
			for _, place := range guide.Places() {
				add(place)
			}
		}
	}
	if a.env.Cache == nil {
		return entries
	}
	known := a.env.Cache.Now()
	for i := range known.Orders {
		o := &known.Orders[i]
		add(page.Place{
			Name: o.OrderCode + "  " + o.OrderName, Kind: labels.OrderStatus(o.Status).Glyph + " order",
			Open: func() tea.Cmd { return a.env.OpenOrder(o) },
		})
	}
	for _, m := range known.Missions {
		add(page.Place{
			Name: m.MissionCode + "  " + m.MissionName, Kind: labels.MissionStatus(m.Status).Glyph + " mission",
			Open: func() tea.Cmd { return a.env.OpenMission(m) },
		})
	}
	return entries
}

// themeEntries are the themes; each is shown while it is marked.
func (a *App) themeEntries() []entry {
	if a.appearance.noColor {
		return nil
	}
	var entries []entry
	names := theme.Names()
	for _, own := range a.appearance.themes {
		names = append(names, own.Name)
	}
	for _, name := range names {
		use := func() { a.appearance.use(name) }
		entries = append(entries, entry{label: "theme: " + name, hint: "shown while marked", show: use, run: func() tea.Cmd {
			use()
			return nil
		}})
	}
	return entries
}

// profileEntries are the other profiles.
func (a *App) profileEntries() []entry {
	var entries []entry
	for _, name := range a.opts.Profiles {
		if name != a.opts.Profile {
			entries = append(entries, entry{label: "profile: " + name, hint: "profile", run: func() tea.Cmd { return a.switchTo(name) }})
		}
	}
	return entries
}

// search lists what the query fits, best first.
func (p *palette) search() {
	p.found, p.cursor, p.top = find(p.query.Value(), p.texts), 0, 0
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
	if i := p.top + y - 2; y >= 2 && i < len(p.found) {
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
	a := p.app
	a.recent = slices.DeleteFunc(a.recent, func(label string) bool { return label == e.label })
	a.recent = append([]string{e.label}, a.recent[:min(len(a.recent), maxRecent-1)]...)
	a.env.UIState.Put(keptRecent, a.recent)
	return tea.Batch(page.Keep(&a.env.Look), e.run()), true
}

// View draws the query and what it fits.
func (p *palette) View(w, h int) string {
	w = min(w, 96)
	th := p.app.env.Theme
	rows := max(1, min(h-3, 14))
	p.top = max(0, min(p.top, p.cursor))
	if p.cursor >= p.top+rows {
		p.top = p.cursor - rows + 1
	}
	lines := []string{layout.Text(th.Raised(theme.Accent), ": ") + strings.TrimRight(p.query.View(w-6, th.Raised(theme.Text), th.Raised(theme.Muted)), " ")}
	for i := p.top; i < min(len(p.found), p.top+rows); i++ {
		lines = append(lines, p.line(i, w-4))
	}
	for len(lines) <= rows {
		lines = append(lines, "")
	}
	title := fmt.Sprintf("%d of %d", len(p.found), len(p.entries))
	return dialog.Frame(th, title, "enter run   esc close", lines, w)
}

func (p *palette) line(i, w int) string {
	th := p.app.env.Theme
	e := p.entries[p.found[i]]
	style, mark := th.Raised, "  "
	if i == p.cursor {
		style, mark = th.Selected, "▸ "
	}
	role, hint := theme.Text, e.hint
	if e.off != "" {
		role, hint = theme.Muted, "– "+e.off
	}
	hint = layout.Cut(layout.Clean(hint), w/2)
	label := layout.Left(layout.Clean(e.label), w-4-layout.Width(hint))
	return layout.Text(style(theme.Accent), mark) + layout.Text(style(role), label) + layout.Text(style(theme.Muted), "  "+hint)
}

// Cursor stands in the query.
func (p *palette) Cursor() *tea.Cursor { return tea.NewCursor(4+p.query.CursorCell(), 1) }
