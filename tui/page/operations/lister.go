package operations

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/table"
)

// lister is a pane that lists things of one kind, with the one that is selected
// beside it in a wide window.
type lister[T any] struct {
	d     *operations
	list  *listpage.List
	split *listpage.SplitDetail
	scope action.Scope // its own
	items []*T
	at    time.Time // when they were read
	err   error
	asked page.Question

	load    func(ctx context.Context) ([]T, error) // nil where something else reads
	id      func(*T) string
	columns []columns.Column[T]
	look    func(*T) (mark table.Cell, muted bool)
	stamp   func(*T) string
	open    func(*T) tea.Cmd // what enter does, nil for nothing
	// beside draws the selected one into a pane, nil for none.
	beside func(t *T, w int) []string
	empty  func(w int) []string // what stands there where nothing is listed
	things [2]string            // what they are called, one and many
	margin bool                 // something else stands at the right
	note   func() string        // stands below the list, "" for nothing
	wishes int                  // of the world\'s, when it was read last
}

// newLister makes a pane. The name is what is listed, in one word.
func newLister[T any](d *operations, scope action.Scope, name, example string, all []columns.Column[T]) *lister[T] {
	l := &lister[T]{d: d, scope: scope, columns: all}
	l.list = listpage.New(d.Base, name, example, columns.Specs(all)...)
	l.split = listpage.NewSplitView(l.list, l.listView, func(w, h int) string {
		t := l.current()
		if t == nil {
			return layout.Box(nil, w, h)
		}
		return layout.Box(l.beside(t, w), w, h)
	})
	l.split.Share(58, 50, 38)
	return l
}

type listAnswer[T any] = page.Answer[[]T]

// long is from how many rows on a list is not read with every look.
const long = 200

func (l *lister[T]) read() tea.Cmd {
	young := len(l.items) >= long && l.err == nil && l.d.Now().Sub(l.at) < calm && l.wishes == l.d.world.wishes
	if l.load == nil || l.asked.Open() || young {
		return nil
	}
	l.wishes = l.d.world.wishes
	return page.Ask(l.d.Base, &l.asked, l.load)
}

func (l *lister[T]) take(msg tea.Msg) (tea.Cmd, bool) {
	if got, ok := msg.(listAnswer[T]); ok && got.Of(&l.asked) {
		if got.Take() {
			if l.err = got.Err; l.err == nil {
				l.set(listpage.Pointers(got.Value), l.d.Now())
			} else {
				l.rows()
			}
		}
		return nil, true
	}
	return l.list.Update(msg)
}

// set shows what was read.
func (l *lister[T]) set(items []*T, at time.Time) {
	l.items, l.at, l.err = items, at, nil
	l.rows()
}

// mirror takes what something else has read, and what went wrong with it.
func (l *lister[T]) mirror(items []T, read time.Time, err error) {
	if changed := !read.Equal(l.at) || (l.err == nil) != (err == nil); changed {
		l.items, l.at, l.err = listpage.Pointers(items), read, err
		l.rows()
	}
	l.err = err
}

func (l *lister[T]) rows() {
	items, failed := l.items, l.err != nil
	source := table.Source{
		Len:  len(items),
		ID:   func(i int) string { return l.id(items[i]) },
		Cell: columns.Cells(l.columns, func(i int) *T { return items[i] }),
		Look: func(i int) (mark table.Cell, muted bool) {
			if l.look != nil {
				mark, muted = l.look(items[i])
			}
			return mark, muted || failed
		},
	}
	if l.stamp != nil {
		source.Stamp = func(i int) string { return l.stamp(items[i]) }
	}
	l.list.Grid.Set(source)
}

// current is the selected one, nil for none.
func (l *lister[T]) current() *T {
	if i, ok := l.list.Grid.Current(); ok && i < len(l.items) {
		return l.items[i]
	}
	return nil
}

func (l *lister[T]) scopes() []action.Scope { return l.list.Scopes(l.scope) }
func (l *lister[T]) typing() bool           { return l.list.Typing() }
func (l *lister[T]) cursor() *tea.Cursor    { return l.list.Cursor() }
func (l *lister[T]) back() bool             { return l.list.Clear() }

func (l *lister[T]) disabled(id action.ID) string {
	if id == action.Open && l.current() == nil {
		return "there is no " + l.things[0]
	}
	return l.list.Disabled(id)
}

func (l *lister[T]) do(id action.ID) (tea.Cmd, bool) {
	if id == action.Open && l.open != nil {
		return l.open(l.current()), true
	}
	return l.list.Do(id)
}

// mouse selects a row and opens it with a second click.
func (l *lister[T]) mouse(m page.Mouse) tea.Cmd {
	if l.isSplit() && l.split.Mouse(m, l.d.Width) {
		return nil
	}
	if l.list.Mouse(m) && m.Double && l.current() != nil && l.open != nil {
		return l.open(l.current())
	}
	return nil
}

// drag moves the divider between the list and the selected one.
func (l *lister[T]) drag(m page.Mouse, over bool) tea.Cmd { return l.split.Drag(m, over) }

// isSplit reports whether the selected one is shown beside the list.
func (l *lister[T]) isSplit() bool { return l.beside != nil && l.d.Width >= wide }

func (l *lister[T]) jumps() []page.Jump {
	if len(l.items) == 0 {
		return nil
	}
	return page.Rows(&l.list.Grid.Table, 0, 0, l.mouse)
}

func (l *lister[T]) view(w, h int) string {
	switch {
	case len(l.items) == 0 && l.err != nil:
		return layout.Box(l.d.problem(l.err, "", w), w, h)
	case len(l.items) == 0 && !l.at.IsZero():
		return layout.Box(l.empty(w), w, h)
	case len(l.items) == 0:
		return l.list.Loading(w, h)
	case l.beside != nil && w >= wide:
		return l.split.View(l.d.Theme, w, h)
	}
	return l.listView(w, h)
}

func (l *lister[T]) listView(w, h int) string {
	var foot []string
	if l.err != nil {
		kept := format.Count(len(l.items), l.things[0], l.things[1]) + ", read " + format.Ago(l.at, l.d.Now())
		foot = l.d.problem(l.err, kept, w)
	}
	if l.note != nil && l.note() != "" {
		foot = append(foot, layout.Text(l.d.Theme.Style(theme.Muted), layout.Cut(" "+l.note(), w)))
	}
	l.list.Grid.Margin = 0
	if l.isSplit() || l.margin {
		l.list.Grid.Margin = 1
	}
	return l.list.View(w, h, true, foot...)
}

// whole shows the selected one whole, where nothing stands beside the list.
func (l *lister[T]) whole(title string) func(*T) tea.Cmd {
	return func(t *T) tea.Cmd {
		l.d.Overlay(&dialog.Reader{Theme: l.d.Theme, Title: title, Text: func(w int) []string { return l.beside(t, w) }})
		return nil
	}
}

const labelWidth = 12

// facts writes facts in lines of w cells; long values continue below.
func (d *operations) facts(w int, list ...widget.Fact) []string {
	return widget.WrapFacts(d.Theme, labelWidth, w, list...)
}
