package listpage

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// columnsKey is what the columns of a list are kept under.
func columnsKey(name string) string { return "columns of " + name }

// IsTyping returns while the filter is typed.
func (p *Page[T]) IsTyping() bool { return p.typing }

// Cursor stands in the filter while that is typed, nil else.
func (p *Page[T]) Cursor() *tea.Cursor {
	if !p.typing || p.height == 0 {
		return nil
	}
	return tea.NewCursor(3+p.line.CursorCell(), p.head+p.height-1)
}

// ClearFilter takes the filter away and reports whether there was one.
func (p *Page[T]) ClearFilter() bool {
	was := p.typing || p.Grid.Query() != ""
	p.typing = false
	p.ApplyFilter("")
	return was
}

// ApplyFilter filters as if the query had been typed.
func (p *Page[T]) ApplyFilter(query string) {
	p.line.Set(query)
	p.Grid.ApplyFilter(query)
}

// listRefusal says why an action of the list is off, "" where it is on.
func (p *Page[T]) listRefusal(id action.ID) string {
	fitting, _ := p.Grid.CountFitting()
	_, row := p.Grid.Current()
	switch id {
	case action.CopyCell, action.CopyRow:
		if !row {
			return "no row selected"
		}
	case action.CopyTable, action.Export:
		if fitting == 0 {
			return "no rows"
		}
	}
	return ""
}

// handleListAction performs an action of the list.
func (p *Page[T]) handleListAction(id action.ID) tea.Cmd {
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
		page.MoveList(&g.Table, id)
	}
	return nil
}

// clickList selects a row, sorts by a column whose title is clicked, and moves with
// the wheel. It reports whether a row is selected by it.
func (p *Page[T]) clickList(m page.MouseInput) bool {
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
func (p *Page[T]) copySelection(id action.ID) tea.Cmd {
	switch id {
	case action.CopyRow:
		if text, ok := p.Grid.CopyRow(); ok {
			return p.CopyText(text, "the row")
		}
	case action.CopyCell:
		if text, title, ok := p.Grid.CopyCell(); ok {
			return p.CopyText(text, cmp.Or(layout.CutLine(text, 40), "an empty "+title))
		}
	case action.CopyTable:
		text, rows := p.Grid.CopyTable()
		return p.CopyText(text, "the table, "+format.Count(rows, "row"))
	}
	return nil
}

// drawList draws the table into exactly h lines of w cells, with what there is to
// say of filter, changes and rows at its foot, above the lines of foot.
func (p *Page[T]) drawList(w, h int, focused bool, foot ...string) string {
	p.height = h
	p.Grid.UseUnits(p.Units)
	th := p.Theme
	foot = foot[:min(len(foot), h/2)]
	if hint := p.filterFacets(w); hint != "" && h > 6 {
		foot = append(foot, hint)
	}
	switch {
	case p.typing || p.Grid.Query() != "":
		foot = append(foot, p.filterLine(w))
	case p.Grid.HasChanges() && h > 12 && !th.Linear:
		foot = append(
			foot,
			" "+th.PaintRole(theme.Accent, "┃")+th.PaintMuted(" new or changed in the last minute"),
		)
	}
	rows := max(0, h-len(foot))
	// Beside something else the terminal cannot move the rows for itself: each
	// turn by one writes them all.
	p.Grid.Leap = w < p.Width && p.IsScrolling != nil && p.IsScrolling()
	body := p.Grid.View(th, w, rows, focused)
	if fitting, of := p.Grid.CountFitting(); fitting == 0 && of > 0 && rows > 1 {
		none := " " + "No matching " + p.opt.Many + "; " + layout.CleanText(
			th.Key,
			"esc",
		) + " clears the filter"
		body = layout.FitBox([]string{layout.SplitLines(body)[0], "", none}, w, rows)
	}
	if len(foot) == 0 {
		return body
	}
	return layout.FitBox(append(layout.SplitLines(body), foot...), w, h)
}

// filterLine returns the line at the foot while there is a filter.
func (p *Page[T]) filterLine(w int) string {
	th := p.Theme
	fitting, of := p.Grid.CountFitting()
	right := format.GroupInt(fitting) + " of " + format.GroupInt(of)
	if p.Grid.HasMore() {
		right += " loaded so far"
	}
	room := max(0, w-layout.Width(right)-5)
	line := " " + layout.CleanText(
		th.Key,
		"/",
	) + " " + p.line.View(
		room,
		th.Style(theme.Text),
		th.Style(theme.Muted),
	)
	return layout.FitEnds(line, th.PaintMuted(right)+" ", w)
}

// filterFacets returns the values that the term being typed can have, with the rows that
// have them.
func (p *Page[T]) filterFacets(w int) string {
	if !p.typing {
		return ""
	}
	th := p.Theme
	_, facets := p.Grid.FindFacets(p.line.Value(), 8)
	if len(facets) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("  ")
	for i, f := range facets {
		part := " " + th.PaintText(layout.CutLine(layout.Clean(f.Value), 24)) +
			th.PaintMuted(" "+format.GroupInt(f.Count)+" ")
		if i == 0 {
			part += layout.CleanText(th.Key, "tab") + " "
		}
		if layout.Width(b.String())+layout.Width(part) > w {
			break
		}
		b.WriteString(part)
	}
	return b.String()
}
