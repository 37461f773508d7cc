package operations

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/layout"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// listPane is a pane that lists things of one kind.
type listPane[T any] struct {
	*listpage.Page[T]
	subject func(*T) inspectSubject
}

// inspectSubject is an account, and perhaps an order or a mission of it, whose
// timeline can be opened.
type inspectSubject struct {
	account string // "" for nothing
	of      timeline.StorySubject
}

// newListPane makes a pane of what a source knows; subject says whose the selected
// row is, and gets nil where none is.
func newListPane[T any](d *operationsPage, source listpage.Source[T], o listpage.Options[T], subject func(*T) inspectSubject) *listPane[T] {
	o.Problem = d.renderProblem
	return &listPane[T]{listpage.NewPage(d.Base, source, o), subject}
}

// inspected returns what the timeline is opened of.
func (l *listPane[T]) inspected() inspectSubject { return l.subject(l.Current()) }

// inAccount returns the subject of rows that are all of one account.
func inAccount[T any](a *api.Account) func(*T) inspectSubject {
	return func(*T) inspectSubject { return inspectSubject{account: a.UUID} }
}

// orderSubject returns the subject of an order, nil for none.
func orderSubject(o *api.OpsOrder) (s inspectSubject) {
	if o != nil {
		s.account, s.of.Order = o.AccountUID, o.OrderCode
	}
	return s
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
