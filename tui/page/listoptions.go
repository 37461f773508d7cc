package page

import (
	"strings"
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

// columnsKey returns the key in the UI state for the columns of the list with the given name: their order,
// and which are hidden.
func columnsKey(name string) string { return "columns of " + name }

// ListOptions configures a List. Functions may be nil unless their comment says otherwise.
type ListOptions[T any] struct {
	Title    string
	Name     string // name of the list in settings and file names; "" uses Plural
	Example  string // example of a filter
	Singular string // noun for a row
	Plural   string // noun for several rows; "" uses the regular plural of Singular
	// DescribeCount returns the text for the number of rows. Nil uses the number and the noun, such as "17 orders".
	DescribeCount func(rows []T) string
	Scope         action.Scope
	Also          []action.Scope // further scopes whose actions the page has, such as a scope that several pages share
	Columns       []columns.Column[T]
	ID            func(T) string // returns the ID of a row; nil uses the row's member UUID
	Order         RowOrder       // order of the rows in the source

	// Problems finds the rows with a problem. The list marks these rows, and the action OnlyFailures shows only these
	// rows. If Scope has that action, Problems.Has must not be nil.
	Problems RowProblems[T]
	Mark     func(T) widget.Cell // returns the mark of a row, instead of the mark of a problem
	Muted    func(T) bool        // reports whether a row is muted
	// Rule returns the text of a horizontal line between two rows, such as "now" between past and future rows. The
	// line is drawn above rows[below]. If Rule is nil, there is no line.
	Rule        func(rows []T) (text string, below int)
	ChangeStamp func(T) string // returns a text that changes with the row, to mark changed rows
	// LoadsLater reports whether a row can be loaded after the rows below it. Without this option, the list would
	// mark such a row as new when it appears above known rows.
	LoadsLater func(T) bool

	// PaletteEntry returns the entry of a row in the palette, the dialog that finds objects from any page: the text
	// that is searched, and the kind of the object. A list with PaletteEntry also needs Open.
	PaletteEntry func(T) (name, kind string)

	// Details returns the details of a row, which are shown next to the list. If Details and
	// RenderDetails are nil the list has no details.
	Details func(T) RowDetails
	// RenderDetails draws the details of a row. It is used instead of Details if it is not nil. hasPlace is true if
	// the row is on the map, which is then drawn below the details.
	RenderDetails func(row T, w, h int) (lines []string, hasPlace bool)
	// ThirdPane draws a third pane for a row, to the right of the details. It is shown in a window of at least
	// [Wider] cells.
	ThirdPane func(row T, w, h int) string
	Layout    ListLayout
	// Feature returns the feature of a row on the map. Rows next to each other can share a feature, for example the
	// files of a package. If Feature is nil, the page has no map.
	Feature func(T) geomap.Feature
	// FeatureParts returns features that are drawn together with the feature of a row.
	FeatureParts func(T) []geomap.Feature
	// Needs returns the data that the cache should read for the details of a row. The data is read
	// while the details are shown and the user is not scrolling.
	Needs func(T) []cache.Need

	// Open opens a row on enter. If Open is nil, enter shows the details instead of the list in a narrow window.
	Open    func(T) tea.Cmd
	Lead    func() Lead // returns the most important fact on the page
	Actions []Action[T] // the page's own actions

	// Empty is shown if there are no rows. Its first line says what is missing, such as "No orders yet.". An
	// optional second line describes the rows that the page would list. The list draws Keys below Empty.
	Empty string
	// EmptyNow returns the current text to show instead of Empty. Nil uses Empty, whose text is fixed.
	EmptyNow func() string
	Keys     []RowKey // keys that the empty list shows
	// RenderEmpty draws a page without rows. err is the error of the last read, or nil. If
	// RenderEmpty returns nil, the error or Empty is shown.
	RenderEmpty func(err error, w int) []string
	// RenderError draws an error of the last read. kept describes the rows that are still shown.
	// If RenderError is nil, [PageLook.RenderProblem] is used.
	RenderError func(err error, kept string, w int) []string
	// RenderHead draws lines above the list and the details, at most a third of the height.
	// RenderFoot draws lines below the rows.
	RenderHead, RenderFoot func(w int) []string
	// LoadsInParts is true if rows that are loaded later can be above rows that were loaded before. Until all rows
	// are loaded, the list then keeps the first row selected if the user has not moved the selection.
	LoadsInParts bool
	// RenderSpare draws at most h lines between the rows and RenderFoot, where the list would be blank. It is not
	// called if the rows need all lines.
	RenderSpare func(w, h int) []string
	// SpareAtRows places the lines of RenderSpare directly below the rows, not at the foot of the list.
	SpareAtRows bool
}

// RowOrder is the order in which a source returns its rows. Unless the user sorts the list, the title of Column
// shows this order.
type RowOrder struct {
	Column     string // name of the column by which the rows are sorted, or ""
	Title      string // describes the order if no column has it, such as "Order placed"
	Descending bool
}

// JoinSort puts the column by which a grid is sorted in front of a corner text, if the header of the grid does not show
// it. With a linear theme it returns the text unchanged.
func (l *PageLook) JoinSort(grid *widget.Grid, text string) string {
	sort := grid.HiddenSort()
	if sort == "" || grid.Len() < 2 || l.Theme.Linear {
		return text
	}
	return sort + " · " + text
}

// RowProblems finds the rows of a list that have a problem.
type RowProblems[T any] struct {
	Has  func(T) bool // reports whether a row has a problem; nil if the list has no such rows
	None string       // text shown if no row has a problem
	// Unsure returns a text that replaces None if some rows were not checked for problems, for example because they
	// are not loaded. It returns "" if all rows were checked.
	Unsure func() string
}

// ListLayout says how a list and its details divide the window.
type ListLayout struct {
	// DetailsFrom is the smallest window width that shows the details next to the list; 0 means [Wide].
	DetailsFrom int
	Stacked     bool // in a narrower window the details are below the rows
	// MapBeside says that the map has the right side of a window from [Wider] on. The details are then below the
	// rows.
	MapBeside bool
	// MinListWidth and MinDetailWidth are the minimum widths of the list and of the details; 0 means 50 and 40.
	MinListWidth, MinDetailWidth int
	// ListPercent is the share of the window width that the list gets, in percent. 0 gives the list the width that
	// its columns need.
	ListPercent int
}

// setDefaults replaces zero values by their defaults.
func (o *ListOptions[T]) setDefaults(base Base) {
	o.Columns = columns.ScreenColumns(o.Columns)
	if o.Plural == "" {
		o.Plural = format.Plural(o.Singular)
	}
	if o.Name == "" {
		o.Name = o.Plural
	}
	if o.ID == nil {
		uuid := columns.MakeColumns[T]("ids", nil)[0].Value
		o.ID = func(row T) string { return uuid(row).Text }
	}
	if o.RenderError == nil {
		scopes := append([]action.Scope{o.Scope}, o.Also...)
		o.RenderError = func(err error, kept string, w int) []string {
			return base.Env.Look.RenderProblem(err, kept, w, scopes...)
		}
	}
	o.Layout.setDefaults()
}

// setDefaults replaces zero widths by their defaults.
func (l *ListLayout) setDefaults() {
	if l.DetailsFrom == 0 {
		l.DetailsFrom = Wide
	}
	if l.MinListWidth == 0 {
		l.MinListWidth = 50
	}
	if l.MinDetailWidth == 0 {
		l.MinDetailWidth = 40
	}
}

// features returns the features of the rows for the map, each feature once. A feature that several rows share is
// returned for the first of these rows.
func (o *ListOptions[T]) features(rows []T) []geomap.Feature {
	features := make([]geomap.Feature, 0, len(rows))
	previousID := ""
	for i, row := range rows {
		feature := o.Feature(row)
		isShared := i > 0 && feature.ID == previousID
		previousID = feature.ID
		if feature.Geometry == nil || isShared {
			continue
		}
		features = append(features, feature)
		if o.FeatureParts != nil {
			features = append(features, o.FeatureParts(row)...)
		}
	}
	return features
}

// markOf returns the cell with the mark of a row: the result of Mark, or otherwise "!" if the row has a problem.
func (o *ListOptions[T]) markOf(row T) widget.Cell {
	if o.Mark != nil {
		return o.Mark(row)
	}
	if o.Problems.Has != nil && o.Problems.Has(row) {
		return widget.Cell{Text: "!", Role: theme.Bad}
	}
	return widget.Cell{}
}

// countText returns a number of rows with their noun, such as "17 orders".
func (o *ListOptions[T]) countText(n int) string { return format.Count(n, o.Singular, o.Plural) }

// keyScopes returns the scopes in which the list looks up the keys that its texts mention.
func (o *ListOptions[T]) keyScopes() []action.Scope {
	scopes := append([]action.Scope{o.Scope}, o.Also...)
	return append(scopes, action.List, action.Table, action.Everywhere)
}

// emptyText returns the text that is shown if there are no rows.
func (o *ListOptions[T]) emptyText() string {
	if o.EmptyNow != nil {
		return o.EmptyNow()
	}
	return o.Empty
}

// drawNoProblems returns the lines that replace the rows when only rows with a problem are listed and no row has
// one.
func (o *ListOptions[T]) drawNoProblems(th *theme.Theme, loaded *loadedRows[T], w int) []string {
	loadedText := "" // if all rows are loaded
	if loaded.isPartial() {
		loadedText = o.countText(len(loaded.state.Rows))
	}
	return append(o.Problems.drawNone(th, loadedText, w), "", " "+o.showAllHint(th))
}

// showAllHint returns the hint with the key that shows the rows without problems again.
func (o *ListOptions[T]) showAllHint(th *theme.Theme) string {
	return th.PaintHint(action.KeyOf(action.OnlyFailures, o.keyScopes()...), "shows all")
}

// hasDetail reports whether the list has details of rows.
func (o *ListOptions[T]) hasDetail() bool {
	return o.Details != nil || o.RenderDetails != nil
}

// detailLines returns the details of a row. hasPlace says that the map shows the row.
func (o *ListOptions[T]) detailLines(th *theme.Theme, row T, w, h int) (lines []string, hasPlace bool) {
	if o.RenderDetails != nil {
		return o.RenderDetails(row, w, h)
	}
	about := o.Details(row)
	return about.renderLines(th, w, h), about.Place
}

// drawNone returns the lines that are shown if no row has a problem. loaded is the number of loaded rows,
// such as "20 orders", or "" if all rows are loaded.
func (p *RowProblems[T]) drawNone(th *theme.Theme, loaded string, w int) []string {
	unsure := ""
	if p.Unsure != nil {
		unsure = p.Unsure()
	}
	if unsure == "" && loaded != "" {
		unsure = strings.TrimSuffix(p.None, ".") + " among the " + loaded + " loaded so far."
	}
	lines := []string{""}
	if unsure != "" {
		lines = append(lines, th.PaintLines(theme.Attention, " ? ", unsure, w-4)...)
	} else {
		lines = append(lines, th.PaintRole(theme.Good, " ✓ "+p.None))
	}
	return lines
}

// listWidth returns the width of the list in a window of w cells. If ListPercent is set, the list gets this percentage
// of w. Otherwise it gets the wanted width, which its columns need, but at least half of room. room is the number of
// cells that the list and the details share.
func (l *ListLayout) listWidth(w, room, wanted int) int {
	if l.ListPercent > 0 {
		return (w*l.ListPercent + 50) / 100 // rounded
	}
	return max(room/2, wanted)
}

// RowKey is a key that a list shows while the list is empty, with a text about the action of the key. The key is not
// shown if the action is disabled.
type RowKey struct {
	Action action.ID
	Text   string
}

// RowDetails has the details of a row.
type RowDetails struct {
	Title, Text string
	Facts       []widget.Fact
	Place       bool                    // the map shows the row
	More        func(w, h int) []string // draws at most h lines below the facts; may be nil
}

// factLabel is the width of the labels of facts.
const factLabel = 12

// renderLines draws the details. The title and the text get at most a third of the height.
func (a *RowDetails) renderLines(th *theme.Theme, w, h int) []string {
	lines := th.PaintTitleLines(a.Title, w)
	if a.Text != "" {
		lines = append(lines, th.PaintLines(theme.Text, " ", a.Text, w-2)...)
	}
	lines = lines[:min(len(lines), max(3, h/3))]
	if a.Text != "" {
		lines = append(lines, "")
	}
	lines = append(lines, widget.WrapFacts(th, factLabel, w, a.Facts...)...)
	if a.More != nil {
		lines = append(lines, a.More(w, h-len(lines))...)
	}
	return lines
}

// ListSource provides the rows of a List.
type ListSource[T any] struct {
	// State returns the current rows. It is called for every frame, so it must be fast.
	State func() ListState[T]
	// Needs returns the data that the cache should read while the page is shown. The data should suffice for at least
	// minRows rows. Needs is nil if the rows do not come from the cache.
	Needs func(minRows int) []cache.Need
	// Refresh reads the rows again. If Refresh is nil, the list reads the data of Needs again.
	Refresh func() tea.Cmd
}

// ListState has the rows of a source and how current they are.
type ListState[T any] struct {
	Rows    []T       // never modified; a new state has a new slice
	Version int       // changes whenever another field changes, except Reading
	At      time.Time // when the rows were last read completely; zero if they never were
	Err     error     // error of the last read
	More    bool      // the service has older rows
	Reading bool      // the rows are being read
	Offline bool      // the rows are from an earlier run; the service has not responded yet
}

// CachedSource returns a source with the rows of the cached list that has the given key.
func CachedSource[T any](lists *cache.List[T], key string) ListSource[*T] {
	var state ListState[*T]
	update := func() ListState[*T] {
		list, entry := lists.Get(key)
		if entry.Version != state.Version {
			state = ListState[*T]{
				Rows:    columns.Pointers(list.Items),
				Version: entry.Version,
				At:      entry.ReadAt,
				Err:     entry.Err,
				More:    list.More,
				Offline: entry.Offline,
			}
		}
		state.Reading = entry.Loading
		return state
	}
	needs := func(rows int) []cache.Need { return []cache.Need{lists.NeedRows(key, rows)} }
	return ListSource[*T]{State: update, Needs: needs}
}
