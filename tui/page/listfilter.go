package page

import tea "charm.land/bubbletea/v2"

// IsTyping reports whether the user is typing the filter.
func (p *List[T]) IsTyping() bool { return p.filter.IsTyping() }

// Cursor returns the cursor in the filter, or nil if the user is not typing.
func (p *List[T]) Cursor() *tea.Cursor {
	if p.lastView.rowsHeight == 0 {
		return nil
	}
	return p.filter.Cursor(p.Head + p.lastView.rowsHeight - 1)
}

// ClearFilter removes the filter and reports whether there was one.
func (p *List[T]) ClearFilter() bool {
	hadFilter := p.filter.Clear()
	p.followSelection()
	return hadFilter
}

// ApplyFilter filters the rows as if the user had typed the query.
func (p *List[T]) ApplyFilter(query string) {
	p.filter.Apply(query)
	p.followSelection()
}

// FilterLine returns the line that shows the filter and the number of matching rows, or nil without
// a filter.
func (p *List[T]) FilterLine(w int) []string {
	return p.filter.Lines(p.Env.Look.Theme, TextIf(p.loaded.state.More, " loaded so far"), w)
}
