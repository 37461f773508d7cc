package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// RowFilter is the line below a table in which the user types a filter.
type RowFilter struct {
	grid   *widget.Grid
	line   *widget.Input
	typing bool
}

// NewRowFilter returns a filter for a table. The empty input line shows the example.
func NewRowFilter(grid *widget.Grid, example string) *RowFilter {
	f := &RowFilter{grid: grid, line: widget.NewInput(200)}
	f.line.Hint = "words, or column:value, such as " + example
	return f
}

// IsTyping reports whether the user is typing in the filter.
func (f *RowFilter) IsTyping() bool { return f.typing }

// Update handles a key or a paste while the user is typing in the filter. It returns false for other messages.
func (f *RowFilter) Update(msg tea.Msg) bool {
	if !f.typing {
		return false
	}
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		f.line.Update(msg)
		f.grid.ApplyFilter(f.line.Value())
		return true
	}
	return false
}

// HandleAction performs an action of the filter. It returns false if the action belongs to something else.
func (f *RowFilter) HandleAction(id action.ID) bool {
	switch id {
	case action.Filter:
		f.typing = true
	case action.ApplyFilter:
		f.typing = false
	case action.Complete:
		f.Apply(f.grid.CompleteQuery(f.line.Value()))
	default:
		return false
	}
	return true
}

// Clear removes the filter, and reports whether there was one.
func (f *RowFilter) Clear() bool {
	hadFilter := f.typing || f.grid.Query() != ""
	f.typing = false
	f.Apply("")
	return hadFilter
}

// Apply filters the rows as if the user had typed the query.
func (f *RowFilter) Apply(query string) {
	f.line.Set(query)
	f.grid.ApplyFilter(query)
}

// Cursor returns the cursor in the input line of the filter. y is the position of this line on the page. Cursor
// returns nil if the user is not typing in the filter.
func (f *RowFilter) Cursor(y int) *tea.Cursor {
	if !f.typing {
		return nil
	}
	return tea.NewCursor(3+f.line.CursorCell(), y)
}

// Lines renders the filter in one line of w cells, or returns nil without a filter. The line ends with the
// number of matching rows, followed by extent, for example "3 of 20 loaded so far". If rows match in columns
// that are out of view, it also names these columns.
func (f *RowFilter) Lines(th *theme.Theme, extent string, w int) []string {
	if !f.typing && f.grid.Query() == "" {
		return nil
	}
	fitting, of := f.grid.CountFitting()
	right := format.GroupInt(fitting) + " of " + format.GroupInt(of) + extent
	if hidden := f.grid.HiddenMatches(); len(hidden) > 0 {
		right += ", found in " + strings.Join(hidden, ", ")
	}
	typed := f.line.View(max(0, w-format.Width(right)-5), th.Style(theme.Text), th.Style(theme.Muted))
	left := " " + format.CleanText(th.Key, "/") + " " + typed
	return []string{format.FitEnds(left, th.PaintMuted(right)+" ", w)}
}

// renderFacets returns a line that suggests values for the column that the user is filtering by, each with the
// number of rows that have it. It returns "" if there are no values, or if the user is not typing.
func (f *RowFilter) renderFacets(th *theme.Theme, w int) string {
	if !f.typing {
		return ""
	}
	_, facets := f.grid.FindFacets(f.line.Value(), 8)
	if len(facets) == 0 {
		return ""
	}
	line := "  "
	for i, facet := range facets {
		value := format.CutLine(format.Clean(facet.Value), 24)
		part := " " + th.PaintText(value) + th.PaintMuted(" "+format.GroupInt(facet.Count)+" ")
		if i == 0 { // the tab key completes the term with the first value
			part += format.CleanText(th.Key, "tab") + " "
		}
		if format.Width(line)+format.Width(part) > w {
			break
		}
		line += part
	}
	return line
}
