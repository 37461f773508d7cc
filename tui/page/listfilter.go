package page

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
)

// IsTyping reports whether the user is typing the filter.
func (p *List[T]) IsTyping() bool { return p.isTyping }

// Cursor returns the cursor in the filter, or nil if the user is not typing.
func (p *List[T]) Cursor() *tea.Cursor {
	if !p.isTyping || p.rowsHeight == 0 {
		return nil
	}
	return tea.NewCursor(3+p.filter.CursorCell(), p.Head+p.rowsHeight-1)
}

// ClearFilter removes the filter and reports whether there was one.
func (p *List[T]) ClearFilter() bool {
	hadFilter := p.isTyping || p.Grid.Query() != ""
	p.isTyping = false
	p.ApplyFilter("")
	return hadFilter
}

// ApplyFilter filters the rows as if the user had typed the query.
func (p *List[T]) ApplyFilter(query string) {
	p.filter.Set(query)
	p.Grid.ApplyFilter(query)
}

// FilterLine returns the line that shows the filter and the number of matching rows, or nil without
// a filter.
func (p *List[T]) FilterLine(w int) []string {
	if !p.isTyping && p.Grid.Query() == "" {
		return nil
	}
	extent := TextIf(p.state.More, " loaded so far")
	return []string{renderFilter(p.Env.Look.Theme, p.Grid, p.filter, extent, w)}
}

// filterFacets returns a line with values for the term that the user is typing, and how many rows
// have each value. It returns "" if there are none, or if the user is not typing.
func (p *List[T]) filterFacets(w int) string {
	if !p.isTyping {
		return ""
	}
	th := p.Env.Look.Theme
	_, facets := p.Grid.FindFacets(p.filter.Value(), 8)
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
