package operations

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// listPane is a pane that lists things of one kind.
type listPane[T any] struct {
	*listpage.Page[T]
	d *operationsPage
}

// newListPane makes a pane of what a source knows.
func newListPane[T any](d *operationsPage, source listpage.Source[T], o listpage.Options[T]) *listPane[T] {
	o.Problem = d.renderProblem
	l := &listPane[T]{listpage.NewPage(d.Base, source, o), d}
	return l
}

// linesBeside draws lines beside the list.
func linesBeside[T any](of func(t *T, w int) []string) func(t *T, w, h int) string {
	return func(t *T, w, h int) string { return layout.FitBox(of(t, w), w, h) }
}

// showDetails shows one whole, where nothing stands beside the list.
func showDetails[T any](d *operationsPage, title string, about func(t *T, w int) []string) func(*T) tea.Cmd {
	return func(t *T) tea.Cmd {
		d.Overlay(&dialog.Reader{Theme: d.Theme, Title: title, Text: func(w int) []string { return about(t, w) }})
		return nil
	}
}

const labelWidth = 12

// renderFacts writes facts in lines of w cells; long values continue below.
func (d *operationsPage) renderFacts(w int, list ...widget.Fact) []string {
	return widget.WrapFacts(d.Theme, labelWidth, w, list...)
}
