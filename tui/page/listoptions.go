package page

import (
	"cmp"
	"fmt"
	"slices"
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

// columnsKey is what the columns of a list are kept under.
func columnsKey(name string) string { return "columns of " + name }

// IsTyping returns while the filter is typed.
func (p *List[T]) IsTyping() bool { return p.typing }

// Cursor stands in the filter while that is typed, nil else.
func (p *List[T]) Cursor() *tea.Cursor {
	if !p.typing || p.height == 0 {
		return nil
	}
	return tea.NewCursor(3+p.line.CursorCell(), p.Head+p.height-1)
}

// ClearFilter takes the filter away and reports whether there was one.
func (p *List[T]) ClearFilter() bool {
	was := p.typing || p.Grid.Query() != ""
	p.typing = false
	p.ApplyFilter("")
	return was
}

// ApplyFilter filters as if the query had been typed.
func (p *List[T]) ApplyFilter(query string) {
	p.line.Set(query)
	p.Grid.ApplyFilter(query)
}

// listRefusal says why an action of the list is off, "" where it is on.
func (p *List[T]) listRefusal(id action.ID) string {
	switch id {
	case action.CopyCell, action.CopyRow:
		_, row := p.Grid.Current()
		return TextIf(!row, "no row selected")
	case action.CopyTable, action.Export:
		fitting, _ := p.Grid.CountFitting()
		return TextIf(fitting == 0, "no rows")
	}
	return ""
}

// handleListAction performs an action of the list.
func (p *List[T]) handleListAction(id action.ID) tea.Cmd {
	switch g := p.Grid; id {
	case action.Filter:
		p.typing = true
	case action.ApplyFilter:
		p.typing = false
	case action.Complete:
		p.ApplyFilter(g.CompleteQuery(p.line.Value()))
	case action.SortNext:
		g.SortNext(1)
	case action.SortPrev:
		g.SortNext(-1)
	case action.SortReverse:
		g.ReverseSort()
	case action.NextColumn:
		g.MoveColumn(1)
	case action.PrevColumn:
		g.MoveColumn(-1)
	case action.CopyCell, action.CopyRow, action.CopyTable:
		return p.copySelection(id)
	case action.Columns:
		p.chooseColumns()
	case action.Export:
		p.exportTable()
	case action.OnlyFailures:
		p.failed = !p.failed
		p.fillTable()
	default:
		MoveList(&g.Table, id)
	}
	return nil
}

// clickList selects a row, sorts by a column whose title is clicked, and moves with
// the wheel. It reports whether a row is selected by it.
func (p *List[T]) clickList(m MouseInput) bool {
	switch {
	case m.Wheel != 0:
		p.Grid.Move(m.Wheel)
		return true
	case m.Y == 0:
		p.Grid.SortBy(m.X)
		return false
	default:
		return p.Grid.Click(m.Y)
	}
}

// copySelection puts a cell, a row or the table into the clipboard.
func (p *List[T]) copySelection(id action.ID) tea.Cmd {
	switch id {
	case action.CopyRow:
		return p.Env.Files.CopyText(p.Grid.CopyRow(), "the row")
	case action.CopyCell:
		text, title := p.Grid.CopyCell()
		return p.Env.Files.CopyText(text, cmp.Or(format.CutLine(text, 40), "an empty "+title))
	default:
		text, rows := p.Grid.CopyTable()
		return p.Env.Files.CopyText(text, "the table, "+format.Count(rows, "row"))
	}
}

// RowsView draws the table into exactly h lines of w cells, with what there is to
// say of filter, changes and rows at its foot.
func (p *List[T]) RowsView(w, h int) string {
	p.height = h
	p.Grid.UseUnits(p.Env.Look.Units)
	th, foot := p.Env.Look.Theme, p.footLines(w)
	foot = foot[:min(len(foot), h/2)]
	if hint := p.filterFacets(w); hint != "" && h > 6 {
		foot = append(foot, hint)
	}
	filter := p.FilterLine(w)
	foot = append(foot, filter...)
	if filter == nil && p.Grid.HasChanges() && h > 12 && !th.Linear {
		foot = append(
			foot,
			" "+th.PaintRole(theme.Accent, "┃")+th.PaintMuted(" new or changed in the last minute"),
		)
	}
	rows := max(0, h-len(foot))
	// Beside something else the terminal cannot move the rows for itself: each
	// turn by one writes them all.
	p.Grid.Leap = w < p.Env.Look.Width && p.Env.Clock.IsScrolling != nil && p.Env.Clock.IsScrolling()
	body := p.Grid.View(th, w, rows, !p.Map.Focused)
	if fitting, of := p.Grid.CountFitting(); fitting == 0 && of > 0 && rows > 1 {
		none := " No matching " + p.opt.Many + "; " + format.CleanText(th.Key, "esc") + " clears the filter"
		body = format.FitBox([]string{format.SplitLines(body)[0], "", none}, w, rows)
	}
	if len(foot) == 0 {
		return body
	}
	return format.FitBox(append(format.SplitLines(body), foot...), w, h)
}

// FilterLine returns the line at the foot while there is a filter.
func (p *List[T]) FilterLine(w int) []string {
	if !p.typing && p.Grid.Query() == "" {
		return nil
	}
	th := p.Env.Look.Theme
	fitting, of := p.Grid.CountFitting()
	right := format.GroupInt(fitting) + " of " + format.GroupInt(of)
	if p.state.More {
		right += " loaded so far"
	}
	typed := p.line.View(max(0, w-format.Width(right)-5), th.Style(theme.Text), th.Style(theme.Muted))
	line := " " + format.CleanText(th.Key, "/") + " " + typed
	return []string{format.FitEnds(line, th.PaintMuted(right)+" ", w)}
}

// filterFacets returns the values that the term being typed can have, with the rows that
// have them.
func (p *List[T]) filterFacets(w int) string {
	if !p.typing {
		return ""
	}
	th := p.Env.Look.Theme
	_, facets := p.Grid.FindFacets(p.line.Value(), 8)
	if len(facets) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("  ")
	for i, f := range facets {
		part := " " + th.PaintText(format.CutLine(format.Clean(f.Value), 24)) +
			th.PaintMuted(" "+format.GroupInt(f.Count)+" ")
		if i == 0 {
			part += format.CleanText(th.Key, "tab") + " "
		}
		if format.Width(b.String())+format.Width(part) > w {
			break
		}
		b.WriteString(part)
	}
	return b.String()
}

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
	// these alone. Fine is said where there are none.
	Failed func(T) bool
	Fine   string
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

// exportTable asks for a file and writes what the table shows.
func (p *List[T]) exportTable() {
	rows := p.Grid.Export()
	count := format.Count(rows.Len(), "row")
	help := count + " shown"
	if p.state.More {
		help = count + " loaded so far"
	}
	p.AskForFile(ExportJob{
		Title: "Export " + p.opt.Name, Help: help + ", as CSV or .json", Says: count,
		Write: rows.Write,
	}, p.opt.Name+"-"+p.Env.Clock.Now().Format(time.DateOnly)+".csv")
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

// viewLoading draws the table as it will be, before there are rows.
func (p *List[T]) viewLoading(w, h int) string {
	ghost := widget.Table{Columns: slices.Clone(p.Grid.Columns)}
	row := widget.Row{Cells: make([]widget.Cell, len(ghost.Columns))}
	for i := range ghost.Columns {
		c := &ghost.Columns[i]
		c.Longest = 0
		row.Cells[i] = widget.Cell{Text: strings.Repeat("░", max(2, min(c.Width*4/5, 16))), Role: theme.Muted}
	}
	ghost.SetRows(
		min(8, h),
		func(i int) string { return fmt.Sprint(i) },
		func(int) widget.Row { return row },
	)
	return ghost.View(p.Env.Look.Theme, w, h, false)
}
