package listpage

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
	"flightdesk/tui/widget/table"
)

// Options say what a page lists.
type Options[T any] struct {
	Title   string
	Name    string // of what is listed, for settings and file names
	Example string // of a filter
	One     string // of what is listed
	Many    string
	Scope   action.Scope
	Also    []action.Scope // of actions that several pages share
	Columns []columns.Column[T]
	ID      func(*T) string
	// Look is what marks a row and whether it is muted; nil for neither.
	Look func(*T) (mark table.Cell, muted bool)
	// Stamp changes when a row does; nil where changes are not marked.
	Stamp func(*T) string
	// Place is what the palette finds a row by, and what it is; nil for nothing.
	Place func(*T) (name, kind string)
	// About is what is said of a row beside the list; without one of these the
	// list has the window for itself.
	About func(*T) RowAbout
	// Lines are what is said of a row beside the list, in place of About, and
	// whether the map below them has something to show.
	Lines func(t *T, w, h int) (lines []string, place bool)
	// SplitDetail draws a row beside the list, in place of About and Lines.
	SplitDetail func(t *T, w, h int) string
	// From is the width from which on it is beside the list, where that needs
	// more than [Wide].
	From int
	// Third draws more of a row, beside the detail in a window that is [Wider];
	// nil for nothing. HasThird reports whether the service has it.
	Third    func(t *T, w, h int) string
	HasThird func() bool
	// Feature shows a row on the map, or what it belongs to, which rows that
	// follow each other share; nil for a page without one. With Zoom the map is
	// about the selected row.
	Feature func(*T) geomap.Feature
	Zoom    bool
	// Open is what enter does; nil shows what is beside the list in its place,
	// where the window is narrow.
	Open func(*T) tea.Cmd
	// Acts are the page's own actions.
	Acts []Act[T]
	// Empty is shown in place of rows where there are none: what is missing, and
	// what would be there, "" for nothing more. Keys are what can be done.
	Empty [2]string
	Keys  []RowKey
	// Blank is shown in place of rows, with why they could not be read or nil;
	// where it is nil or says nothing, that is the error or Empty.
	Blank func(err error, w int) []string
	// Problem says that rows could not be read, and which are shown all the same;
	// nil is [page.Problem].
	Problem func(err error, kept string, w int) []string
	// Head is above rows and detail, and Foot below the rows; nil for nothing.
	Head, Foot func(w int) []string
	// Below is the title of the detail below the rows, in a narrow window; nil
	// where it is not shown there.
	Below func(*T) string
}

// Act is an action on the selected row.
type Act[T any] struct {
	ID  action.ID
	Any bool            // it needs no row; Off and Do can get nil
	Off func(*T) string // why it is off, "" where it is on; nil where it is always on
	Do  func(*T) tea.Cmd
}

// RowKey is a key and what it does.
type RowKey struct{ Key, Text string }

// RowAbout is what is said of a row beside the list.
type RowAbout struct {
	Title, Text string
	Facts       []widget.Fact
	Place       bool // the map shows it
}

// factLabel is the cells of the labels of facts.
const factLabel = 12

// renderLines draws it, the text in a third of the height.
func (a *RowAbout) renderLines(th *theme.Theme, w, h int) []string {
	lines := []string{layout.CutLine(" "+layout.CleanText(th.Title, a.Title), w-1)}
	for _, part := range layout.Wrap(layout.Clean(a.Text), w-2) {
		lines = append(lines, " "+layout.CleanText(th.Style(theme.Text), part))
	}
	return append(append(lines[:min(len(lines), max(3, h/3))], ""), widget.WrapFacts(th, factLabel, w, a.Facts...)...)
}
