package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
)

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

// FilterLine returns the line at the foot while there is a filter.
func (p *List[T]) FilterLine(w int) []string {
	if !p.typing && p.Grid.Query() == "" {
		return nil
	}
	extent := TextIf(p.state.More, " loaded so far")
	return []string{renderFilter(p.Env.Look.Theme, p.Grid, p.line, extent, w)}
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
