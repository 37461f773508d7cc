package operations

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// lister is a pane that lists things of one kind.
type lister[T any] struct {
	*listpage.Page[T]
	d *operations
}

// newLister makes a pane of what a source knows.
func newLister[T any](d *operations, source listpage.Source[T], o listpage.Options[T]) *lister[T] {
	o.Problem = d.problem
	l := &lister[T]{listpage.NewPage(d.Base, source, o), d}
	return l
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

const labelWidth = 12

// facts writes facts in lines of w cells; long values continue below.
func (d *operations) facts(w int, list ...widget.Fact) []string {
	return widget.WrapFacts(d.Theme, labelWidth, w, list...)
}
