package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// RowFilter is the line below a table in which the table is filtered.
type RowFilter struct {
	grid   *widget.Grid
	line   *widget.Input
	typing bool
}

// NewRowFilter returns the filter of a table. The example of a filter is shown while
// nothing is typed.
func NewRowFilter(grid *widget.Grid, example string) *RowFilter {
	f := &RowFilter{grid: grid, line: widget.NewInput(200)}
	f.line.Hint = "words, or column:value, such as " + example
	return f
}

// IsTyping reports whether the filter is being typed.
func (f *RowFilter) IsTyping() bool { return f.typing }

// Update handles a key or a paste while the filter is typed.
func (f *RowFilter) Update(msg tea.Msg) {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if f.typing {
			f.line.Update(msg)
			f.grid.ApplyFilter(f.line.Value())
		}
	}
}

// HandleAction performs an action of the filter, and reports whether it was one.
func (f *RowFilter) HandleAction(id action.ID) bool {
	switch id {
	case action.Filter:
		f.typing = true
	case action.ApplyFilter:
		f.typing = false
	case action.Complete:
		f.setQuery(f.grid.CompleteQuery(f.line.Value()))
	default:
		return false
	}
	return true
}

// Clear removes the filter, and reports whether there was one.
func (f *RowFilter) Clear() bool {
	was := f.typing || f.grid.Query() != ""
	f.typing = false
	f.setQuery("")
	return was
}

func (f *RowFilter) setQuery(query string) {
	f.line.Set(query)
	f.grid.ApplyFilter(query)
}

// Cursor returns the cursor in the filter, which is in line y of the page; nil if the filter
// is not typed.
func (f *RowFilter) Cursor(y int) *tea.Cursor {
	if !f.typing {
		return nil
	}
	return tea.NewCursor(3+f.line.CursorCell(), y)
}

// Lines renders the filter in w cells, or nothing if there is none.
func (f *RowFilter) Lines(th *theme.Theme, w int) []string {
	if !f.typing && f.grid.Query() == "" {
		return nil
	}
	return []string{renderFilter(th, f.grid, f.line, "", w)}
}

// renderFilter renders a filter with the number of rows that match, and the columns out of
// view in which they match. The extent says that more rows can be loaded.
func renderFilter(th *theme.Theme, grid *widget.Grid, line *widget.Input, extent string, w int) string {
	fitting, of := grid.CountFitting()
	right := format.GroupInt(fitting) + " of " + format.GroupInt(of) + extent
	if hidden := grid.HiddenMatches(); len(hidden) > 0 {
		right += ", found in " + strings.Join(hidden, ", ")
	}
	typed := line.View(max(0, w-format.Width(right)-5), th.Style(theme.Text), th.Style(theme.Muted))
	left := " " + format.CleanText(th.Key, "/") + " " + typed
	return format.FitEnds(left, th.PaintMuted(right)+" ", w)
}
