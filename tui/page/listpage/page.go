package listpage

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
	"flightdesk/tui/widget/table"
)

const (
	nearEnd    = 10 // rows from the last one at which older ones are read
	staleAfter = 30 * time.Second
)

// Source is where the rows of a page come from.
type Source[T any] interface {
	// Refresh reads what is newest, unless that is under way.
	Refresh() tea.Cmd
	// Older reads what is missing behind the last row; nil for nothing.
	Older() tea.Cmd
	// Take takes an answer, and reports whether it was one.
	Take(msg tea.Msg) (cmd tea.Cmd, taken bool)
	// State says what is known, and what is being done.
	State() State[T]
}

// Known is a source that reads nothing: it says what is known by now.
type Known[T any] func() State[T]

// Refresh reads nothing.
func (Known[T]) Refresh() tea.Cmd { return nil }

// Older reads nothing.
func (Known[T]) Older() tea.Cmd { return nil }

// Take takes nothing.
func (Known[T]) Take(tea.Msg) (tea.Cmd, bool) { return nil, false }

// State says what is known.
func (k Known[T]) State() State[T] { return k() }

// State is what a source knows.
type State[T any] struct {
	Rows    []*T      // replaced, never written to
	Version int       // changes when rows do that no answer has brought
	At      time.Time // when they were read; zero is never
	Err     error     // of the last reading
	More    bool      // there are older ones
	Reading bool
	Loading bool // of them
}

// Options say what a page lists.
type Options[T any] struct {
	Title   string
	Name    string // of what is listed, for settings and file names
	Example string // of a filter
	One     string // of what is listed
	Many    string
	Scope   action.Scope
	Columns []columns.Column[T]
	ID      func(*T) string
	// Look is what marks a row; nil for nothing.
	Look func(*T) table.Cell
	// About is what is said of a row beside the list.
	About func(*T) About
	// Beside draws a row beside the list, in place of what About says.
	Beside func(t *T, w, h int) string
	// Feature shows a row on the map; nil for a page without one.
	Feature func(*T) geomap.Feature
	// Open is what enter does; nil shows what is beside the list in its place,
	// where the window is narrow.
	Open func(*T) tea.Cmd
	// Empty is shown in place of rows where there are none: what is missing, and
	// what would be there.
	Empty [2]string
	// Blank is shown in place of rows, with why they could not be read or nil;
	// nil for Empty and the error.
	Blank func(err error, w int) []string
	// Foot is below the rows; nil for nothing.
	Foot func() []string
	Poll time.Duration // between readings while the page is shown, 0 for none
}

// About is what is said of a row beside the list.
type About struct {
	Title, Text string
	Facts       []widget.Fact
	Place       bool // the map shows it
}

// factLabel is the cells of the labels of facts.
const factLabel = 12

// lines draws it, the text in a third of the height.
func (a *About) lines(th *theme.Theme, w, h int) []string {
	lines := []string{layout.Cut(" "+layout.Text(th.Title, a.Title), w-1)}
	for _, part := range layout.Wrap(layout.Clean(a.Text), w-2) {
		lines = append(lines, " "+layout.Text(th.Style(theme.Text), part))
	}
	return append(append(lines[:min(len(lines), max(3, h/3))], ""), widget.FactLines(th, factLabel, w, a.Facts...)...)
}

// Page is a page that lists things of one kind, with the selected one beside
// the list in a wide window.
type Page[T any] struct {
	page.Base
	List   *List
	Detail *SplitDetail
	// InPlace is while the detail is shown in place of the list, where the
	// window is narrow.
	InPlace bool

	opt    Options[T]
	source Source[T]
	state  State[T] // as the table shows it
	polls  int
}

// pollMsg asks for newer rows, of the newest start.
type pollMsg struct{ number int }

// NewPage makes a page of what a source knows.
func NewPage[T any](base page.Base, source Source[T], opt Options[T]) *Page[T] {
	p := &Page[T]{Base: base, opt: opt, source: source}
	p.List = New(base, opt.Name, opt.Example, columns.Specs(opt.Columns)...)
	p.List.Empty = "No " + opt.One + " has all of that; "
	p.Detail = NewSplitDetail(p.List, p.RowsView, func(w, h int) ([]string, bool) {
		t := p.Current()
		if t == nil {
			return nil, false
		}
		about := opt.About(t)
		return about.lines(base.Theme, w, h), about.Place
	})
	if opt.Beside != nil {
		p.Detail.panes.Panes[1].View = p.beside
	}
	p.state = source.State()
	p.fill()
	return p
}

// Title is the page's name.
func (p *Page[T]) Title() string { return p.opt.Title }

// Corner counts the rows and tells their age.
func (p *Page[T]) Corner() string {
	s := p.sync()
	switch {
	case s.Reading:
		return "reading…"
	case s.At.IsZero():
		return ""
	}
	count := format.Count(len(s.Rows), p.opt.One, p.opt.Many)
	if s.More {
		count += " read, more below"
	}
	return count + " · refreshed " + format.Ago(s.At, p.Now())
}

// Start reads the rows where that was not done just now.
func (p *Page[T]) Start() tea.Cmd {
	var next tea.Cmd
	if p.polls++; p.opt.Poll > 0 {
		next = page.Later(p.Base, p.opt.Poll, pollMsg{p.polls})
	}
	if s := p.sync(); s.Reading || s.Err == nil && !s.At.IsZero() && p.Now().Sub(s.At) < staleAfter {
		return next
	}
	return tea.Batch(next, p.source.Refresh())
}

// Update takes answers.
func (p *Page[T]) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(pollMsg); ok {
		if msg.number != p.polls || !p.Shown() {
			return nil
		}
		return tea.Batch(p.source.Refresh(), page.Later(p.Base, p.opt.Poll, msg))
	}
	if cmd, taken := p.source.Take(msg); taken {
		p.state = p.source.State()
		p.fill()
		return cmd
	}
	cmd, taken := p.List.Update(msg)
	if taken {
		p.follow()
	}
	return cmd
}

// sync shows what the source knows by now.
func (p *Page[T]) sync() State[T] {
	before := p.state
	p.state = p.source.State()
	if p.state.Version != before.Version || (p.state.Err == nil) != (before.Err == nil) {
		p.fill()
	}
	return p.state
}

// fill gives table and map their rows.
func (p *Page[T]) fill() {
	rows := p.state.Rows
	if p.opt.Feature != nil {
		features := make([]geomap.Feature, len(rows))
		for i := range rows {
			features[i] = p.opt.Feature(rows[i])
		}
		p.Detail.Map.SetFeatures(features)
	}
	failed := p.state.Err != nil
	p.List.Grid.Set(table.Source{
		Len:  len(rows),
		ID:   func(i int) string { return p.opt.ID(rows[i]) },
		Cell: columns.Cells(p.opt.Columns, func(i int) *T { return rows[i] }),
		Look: func(i int) (mark table.Cell, muted bool) {
			if p.opt.Look != nil {
				mark = p.opt.Look(rows[i])
			}
			return mark, failed
		},
		More: p.state.More, Loading: p.state.Loading,
	})
	p.follow()
}

// Current is the selected row, nil for none.
func (p *Page[T]) Current() *T {
	if i, ok := p.List.Grid.Current(); ok && i < len(p.state.Rows) {
		return p.state.Rows[i]
	}
	return nil
}

// follow selects on the map what is selected in the list.
func (p *Page[T]) follow() {
	if t := p.Current(); t != nil {
		p.Detail.Map.SetSelected(p.opt.ID(t))
	}
}

// Scopes are the page's.
func (p *Page[T]) Scopes() []action.Scope {
	p.sync() // a key is about what is there by now, drawn or not
	if p.List.Typing() || p.opt.Feature == nil {
		return p.List.Scopes(p.opt.Scope)
	}
	return p.Detail.Map.Scopes(p.Width >= Wide, p.List.Scopes(p.opt.Scope)...)
}

// Typing is while the filter is typed.
func (p *Page[T]) Typing() bool { return p.List.Typing() }

// Cursor stands in the filter while that is typed.
func (p *Page[T]) Cursor() *tea.Cursor { return p.List.Cursor() }

// Filter shows the rows that have all terms of a query.
func (p *Page[T]) Filter(query string) { p.List.Search(query) }

// Back leaves the map or the detail, then clears the filter.
func (p *Page[T]) Back() bool {
	switch {
	case p.Detail.Map.Focused:
		p.Detail.Map.Focused = false
	case p.CoversList():
		p.InPlace = false
	default:
		return p.List.Clear()
	}
	return true
}

// CoversList reports whether the detail is shown in place of the list.
func (p *Page[T]) CoversList() bool { return p.InPlace && p.Width < Wide }

func (p *Page[T]) open() tea.Cmd {
	if p.opt.Open == nil {
		p.InPlace = true
		return nil
	}
	return p.opt.Open(p.Current())
}

// Disabled says why an action is off.
func (p *Page[T]) Disabled(id action.ID) string {
	if id == action.Open && p.Current() == nil {
		return "there is no " + p.opt.One
	}
	return p.List.Disabled(id)
}

// Do performs an action.
func (p *Page[T]) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return p.open()
	case action.Refresh:
		return p.source.Refresh()
	}
	if p.Detail.Map.Do(id) {
		return nil
	}
	cmd, done := p.List.Do(id)
	if !done {
		return nil
	}
	p.follow()
	grid := p.List.Grid
	if s := p.sync(); s.More && !s.Loading && s.Err == nil && grid.Query() == "" && grid.Cursor() >= grid.Len()-nearEnd {
		return tea.Batch(cmd, p.source.Older())
	}
	return cmd
}

// Mouse selects a row, opens it with a second click, moves with the wheel, and
// takes hold of the divider.
func (p *Page[T]) Mouse(m page.Mouse) tea.Cmd {
	if !p.Detail.Mouse(m, p.Width) && p.List.Mouse(m) {
		p.follow()
		if m.Double && p.Current() != nil {
			return p.open()
		}
	}
	return nil
}

// Point shows where the mouse is on the map.
func (p *Page[T]) Point(m page.Mouse) { p.Detail.Point(m, p.Width) }

// Drag moves the map, or the divider between list and detail.
func (p *Page[T]) Drag(m page.Mouse, over bool) tea.Cmd { return p.Detail.Drag(m, over) }

// Jumps are the rows on the screen.
func (p *Page[T]) Jumps() []page.Jump {
	if len(p.state.Rows) == 0 || p.CoversList() || p.Width < Wide && p.Detail.Map.Focused {
		return nil // something else has their place
	}
	return page.Rows(&p.List.Grid.Table, 0, 0, p.Mouse)
}

// View draws the page.
func (p *Page[T]) View(w, h int) string {
	switch s := p.sync(); {
	case len(s.Rows) == 0 && p.opt.Blank != nil && (s.Err != nil || !s.At.IsZero()):
		return layout.Box(p.opt.Blank(s.Err, w), w, h)
	case len(s.Rows) == 0 && s.Err != nil:
		return layout.Box(page.Problem(p.Theme, s.Err, "", "r", w), w, h)
	case len(s.Rows) == 0 && !s.At.IsZero():
		title, hint := layout.Text(p.Theme.Style(theme.Text), " "+p.opt.Empty[0]), layout.Text(p.Theme.Style(theme.Muted), " "+p.opt.Empty[1])
		return layout.Box([]string{"", title, "", hint}, w, h)
	case len(s.Rows) == 0:
		return p.List.Loading(w, h)
	case w >= Wide:
		return p.Detail.View(p.Theme, w, h)
	case p.Detail.Map.Focused:
		return p.Detail.Map.View(p.Theme, w, h)
	case p.InPlace && !p.List.Typing(): // a filter is typed below the list
		return p.beside(w, h)
	}
	return p.RowsView(w, h)
}

// beside draws the selected row as the page does.
func (p *Page[T]) beside(w, h int) string {
	t := p.Current()
	if t == nil {
		return layout.Box(nil, w, h)
	}
	return p.opt.Beside(t, w, h)
}

// RowsView draws the list alone.
func (p *Page[T]) RowsView(w, h int) string {
	var foot []string
	if p.opt.Foot != nil {
		foot = p.opt.Foot()
	}
	if s := p.sync(); s.Err != nil {
		kept := format.Count(len(s.Rows), p.opt.One, p.opt.Many) + ", read " + format.Ago(s.At, p.Now())
		foot = page.Problem(p.Theme, s.Err, kept, "r", w)
	}
	return p.Detail.Rows(w, h, p.Width, foot...)
}
