package operations

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// lister is a pane that lists things of one kind: a list page with rows that the
// desk reads.
type lister[T any] struct {
	*listpage.Page[T]
	d      *operations
	rows   listpage.State[T]
	asked  page.Question
	load   func(ctx context.Context) ([]T, error) // nil where something else reads
	wishes int                                    // of the world's, when it was read last
}

// newLister makes a pane.
func newLister[T any](d *operations, o listpage.Options[T], load func(ctx context.Context) ([]T, error)) *lister[T] {
	l := &lister[T]{d: d, load: load}
	o.Problem = d.problem
	l.Page = listpage.NewPage(d.Base, listpage.Source[T]{State: func() listpage.State[T] { return l.rows }}, o)
	l.Detail.Share(58, 50, 38)
	return l
}

type listAnswer[T any] = page.Answer[[]T]

// long is from how many rows on a list is not read with every look.
const long = 200

func (l *lister[T]) read() tea.Cmd {
	young := len(l.rows.Rows) >= long && l.rows.Err == nil && l.d.Now().Sub(l.rows.At) < calm && l.wishes == l.d.world.wishes
	if l.load == nil || l.asked.Open() || young {
		return nil
	}
	l.wishes = l.d.world.wishes
	return page.Ask(l.d.Base, &l.asked, l.load)
}

func (l *lister[T]) take(msg tea.Msg) (tea.Cmd, bool) {
	if got, ok := msg.(listAnswer[T]); ok && got.Of(&l.asked) {
		switch {
		case !got.Take():
		case got.Err != nil:
			l.fail(got.Err)
		default:
			l.set(listpage.Pointers(got.Value), l.d.Now())
		}
		return nil, true
	}
	return l.List.Update(msg)
}

// set shows what was read.
func (l *lister[T]) set(rows []*T, at time.Time) {
	l.rows = listpage.State[T]{Rows: rows, At: at, Version: l.rows.Version + 1}
	l.Sync()
}

// fail keeps the rows, and shows why they could not be read again.
func (l *lister[T]) fail(err error) {
	l.rows.Err = err
	l.rows.Version++
}

// mirror takes what something else has read, and what went wrong with it.
func (l *lister[T]) mirror(rows []T, read time.Time, err error) {
	switch {
	case !read.Equal(l.rows.At):
		l.set(listpage.Pointers(rows), read)
		l.rows.Err = err
	case (l.rows.Err == nil) != (err == nil):
		l.fail(err)
	}
}

// lines draws lines beside the list.
func lines[T any](of func(t *T, w int) []string) func(t *T, w, h int) string {
	return func(t *T, w, h int) string { return layout.Box(of(t, w), w, h) }
}

// whole shows one whole, where nothing stands beside the list.
func whole[T any](d *operations, title string, about func(t *T, w int) []string) func(*T) tea.Cmd {
	return func(t *T) tea.Cmd {
		d.Overlay(&dialog.Reader{Theme: d.Theme, Title: title, Text: func(w int) []string { return about(t, w) }})
		return nil
	}
}

// note is a line below a list, "" for none.
func (d *operations) note(text func() string) func(w int) []string {
	return func(w int) []string {
		if text() == "" {
			return nil
		}
		return []string{layout.Text(d.Theme.Style(theme.Muted), layout.Cut(" "+text(), w))}
	}
}

const labelWidth = 12

// facts writes facts in lines of w cells; long values continue below.
func (d *operations) facts(w int, list ...widget.Fact) []string {
	return widget.WrapFacts(d.Theme, labelWidth, w, list...)
}
