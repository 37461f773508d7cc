package page

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
)

// columnsKey is what the columns of a list are kept under.
func columnsKey(name string) string { return "columns of " + name }

// ListOptions say what a page lists.
type ListOptions[T any] struct {
	Title   string
	Name    string // of what is listed, for settings and file names; "" is Many
	Example string // of a filter
	One     string // of what is listed
	Many    string // "" is the plural of One
	Scope   action.Scope
	Also    []action.Scope // of actions that several pages share
	Columns []columns.Column[T]
	ID      func(T) string // nil is its UUID
	// Failed reports whether something went wrong with a row, which marks it; b lists
	// these alone. Fine is said if there are none, unless Unsure says why there may be some.
	Failed func(T) bool
	Fine   string
	Unsure func() string       // "" if all is known; nil if it always is
	Mark   func(T) widget.Cell // marks a row otherwise; nil for nothing
	Muted  func(T) bool        // nil for none
	// Stamp changes when a row does; nil where changes are not marked.
	Stamp func(T) string
	// Place is what the palette finds a row by, and what it is; nil for nothing.
	Place func(T) (name, kind string)
	// About is what is said of a row beside the list; without one of these the
	// list has the window for itself.
	About func(T) RowAbout
	// Lines are what is said of a row beside the list, in place of About, and
	// whether the map below them has something to show.
	Lines func(t T, w, h int) (lines []string, place bool)
	// From is the width from which on it is beside the list; 0 is [Wide].
	From int
	// LeastRows and LeastDetail are the cells that both need, 0 for the usual ones; Share is the
	// list's share of the width in percent, 0 for what its columns need.
	LeastRows, LeastDetail int
	Share                  int
	// Third draws more of a row, beside the detail in a window that is [Wider];
	// nil for nothing. HasThird reports whether the service has it.
	Third    func(t T, w, h int) string
	HasThird func() bool
	// Feature shows a row on the map, or what it belongs to, which rows that
	// follow each other share; nil for a page without one.
	Feature func(T) geomap.Feature
	// FeatureParts returns what is drawn on the map together with the feature of a row;
	// nil for nothing.
	FeatureParts func(T) []geomap.Feature
	// Needs is what the detail of a row is made of, read while that is shown and the
	// list rests; nil for nothing.
	Needs func(T) []cache.Need
	// Open is what enter does; nil shows what is beside the list in its place,
	// where the window is narrow.
	Open func(T) tea.Cmd
	// Lead is the one thing that matters now; nil for none.
	Lead func() Lead
	// Acts are the page's own actions.
	Acts []Act[T]
	// Empty is shown in place of rows where there are none: a line with what is missing,
	// and maybe one with what would be there. Keys are what can be done.
	Empty string
	Keys  []RowKey
	// Blank is shown in place of rows, with why they could not be read or nil;
	// where it is nil or says nothing, that is the error or Empty.
	Blank func(err error, w int) []string
	// Problem says that rows could not be read, and which are shown all the same;
	// nil is RenderProblem.
	Problem func(err error, kept string, w int) []string
	// Head is above rows and detail in a third of the height at most, and Foot below the
	// rows; nil for nothing.
	Head, Foot func(w int) []string
	Stacked    bool // in a narrow window the detail is below the rows
}

// RowKey is a key and what it does.
type RowKey struct{ Key, Text string }

// RowAbout is what is said of a row beside the list.
type RowAbout struct {
	Title, Text string
	Facts       []widget.Fact
	Place       bool                    // the map shows it
	More        func(w, h int) []string // lines below, as many as there is room for; nil for none
}

// factLabel is the cells of the labels of facts.
const factLabel = 12

// renderLines draws it, the text in a third of the height.
func (a *RowAbout) renderLines(th *theme.Theme, w, h int) []string {
	lines := []string{format.CutLine(" "+th.PaintTitle(a.Title), w-1)}
	if a.Text != "" {
		lines = append(lines, th.PaintLines(theme.Text, " ", a.Text, w-2)...)
		lines = append(lines[:min(len(lines), max(3, h/3))], "")
	}
	lines = append(lines, widget.WrapFacts(th, factLabel, w, a.Facts...)...)
	if a.More != nil {
		lines = append(lines, a.More(w, h-len(lines))...)
	}
	return lines
}

// ListSource is where the rows of a page come from.
type ListSource[T any] struct {
	// ListState says what is known by now. It is asked for every frame.
	State func() ListState[T]
	// Needs names what the cache is to read while the page is shown, for as many
	// rows at least, where there are so many; nil for nothing.
	Needs func(rows int) []cache.Need
	// Refresh has all of it read again; nil where that is the first of the needs, if any.
	Refresh func() tea.Cmd
}

// ListState is what a source knows.
type ListState[T any] struct {
	Rows    []T       // replaced, never written to
	Version int       // changes when anything of it does
	At      time.Time // when they were read to the end; zero is never
	Err     error     // of the last reading
	More    bool      // there are older ones
	Reading bool
	Offline bool // an earlier run has read them; this one has no answer yet
}

// CachedSource returns a source that shows the list of a key of the cache.
func CachedSource[T any](of *cache.List[T], key string) ListSource[*T] {
	var state ListState[*T]
	return ListSource[*T]{
		State: func() ListState[*T] {
			list, now := of.Get(key)
			if now.Version != state.Version {
				state = ListState[*T]{
					Rows:    columns.Pointers(list.Items),
					Version: now.Version,
					At:      now.ReadAt,
					Err:     now.Err,
					More:    list.More,
					Offline: now.Offline,
				}
			}
			state.Reading = now.Loading
			return state
		},
		Needs: func(rows int) []cache.Need { return []cache.Need{of.NeedRows(key, rows)} },
	}
}
