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
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/table"
)

// List is a table on a page. The page hands it messages, actions and the
// mouse first, and draws it.
type List struct {
	Grid *table.Grid
	// Empty is drawn in place of the rows where the filter leaves none.
	Empty string

	base   page.Base
	name   string // of what is listed, for settings and file names
	line   *widget.Field
	typing bool
	height int          // of the last view
	units  format.Units // that the sheet is written in
}

// New makes a listing of a page. The name is what is listed, in one word; under
// it the columns are kept as they were chosen. The example is of a filter.
func New(base page.Base, name, example string, columns ...table.Column) *List {
	l := &List{
		base:  base,
		name:  name,
		Grid:  table.NewGrid(base.Now, columns...),
		line:  widget.NewField(200),
		units: format.ChosenUnits(),
	}
	l.line.Hint = "words, or column:value, such as " + example
	l.Empty = "No matching rows; "
	var places []table.ColumnPlace
	if base.UIState != nil && base.UIState.Get(l.stateKey(), &places) {
		l.Grid.ArrangeColumns(places)
	}
	return l
}

func (l *List) stateKey() string { return "columns of " + l.name }

// ListScopes returns those of a list, behind the page's own; while the filter is typed
// its alone.
func (l *List) ListScopes(own ...action.Scope) []action.Scope {
	if l.typing {
		return []action.Scope{action.FilterLine}
	}
	return append(own, action.List, action.Table)
}

// IsTyping returns while the filter is typed.
func (l *List) IsTyping() bool { return l.typing }

// Cursor stands in the filter while that is typed, nil else.
func (l *List) Cursor() *tea.Cursor {
	if !l.typing || l.height == 0 {
		return nil
	}
	return tea.NewCursor(3+l.line.CursorCell(), l.height-1)
}

// ClearFilter takes the filter away and reports whether there was one.
func (l *List) ClearFilter() bool {
	if !l.typing && l.Grid.Query() == "" {
		return false
	}
	l.typing = false
	l.line.Set("")
	l.Grid.ApplyFilter("")
	return true
}

// SearchFor filters as if the query had been typed.
func (l *List) SearchFor(query string) {
	l.line.Set(query)
	l.Grid.ApplyFilter(query)
}

// DisabledReason says why an action is off, "" where it is on.
func (l *List) DisabledReason(id action.ID) string {
	fitting, _ := l.Grid.CountFitting()
	_, row := l.Grid.Current()
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

// HandleAction performs an action of a list and reports whether it was one.
func (l *List) HandleAction(id action.ID) (tea.Cmd, bool) {
	s := l.Grid
	switch id {
	case action.Filter:
		l.typing = true
	case action.ApplyFilter:
		l.typing = false
	case action.Complete:
		l.line.Set(s.CompleteQuery(l.line.Value()))
		s.ApplyFilter(l.line.Value())
	case action.SortNext:
		s.SortNext(1)
	case action.SortPrev:
		s.SortNext(-1)
	case action.SortReverse:
		s.ReverseSort()
	case action.NextColumn:
		s.MoveColumn(1)
	case action.PrevColumn:
		s.MoveColumn(-1)
	case action.CopyCell, action.CopyRow, action.CopyTable:
		return l.copySelection(id), true
	case action.Columns:
		l.base.Overlay(newColumnChooser(l))
	case action.Export:
		l.exportTable()
	default:
		return nil, page.MoveList(&s.Table, id)
	}
	return nil, true
}

// Update takes keys and pastes while the filter is typed, and reports whether it was one of
// these.
func (l *List) Update(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if l.typing {
			l.line.Update(msg)
			l.Grid.ApplyFilter(l.line.Value())
			return true
		}
	}
	return false
}

// HandleMouse selects a row, sorts by a column whose title is clicked, and moves with
// the wheel. It reports whether a row is selected by it.
func (l *List) HandleMouse(m page.MouseInput) bool {
	switch {
	case m.Wheel != 0:
		l.Grid.Move(m.Wheel)
		return true
	case m.Y == 0:
		l.Grid.SortBy(m.X)
		return false
	default:
		return l.Grid.Click(m.Y)
	}
}

// copySelection puts a cell, a row or the table into the clipboard.
func (l *List) copySelection(id action.ID) tea.Cmd {
	switch id {
	case action.CopyRow:
		if text, ok := l.Grid.CopyRow(); ok {
			return page.CopyText(&l.base.FileAccess, text, "the row")
		}
	case action.CopyCell:
		if text, title, ok := l.Grid.CopyCell(); ok {
			return page.CopyText(&l.base.FileAccess, text, cmp.Or(layout.CutLine(text, 40), "an empty "+title))
		}
	case action.CopyTable:
		text, rows := l.Grid.CopyTable()
		return page.CopyText(&l.base.FileAccess, text, "the table, "+format.Count(rows, "row", "rows"))
	}
	return nil
}

// View draws the table into exactly h lines of w cells, with what there is to
// say of filter, changes and rows at its foot, above the lines of foot.
func (l *List) View(w, h int, focused bool, foot ...string) string {
	l.height = h
	if u := format.ChosenUnits(); u != l.units {
		l.units = u
		l.Grid.RewriteCells()
	}
	th := l.base.Theme
	foot = foot[:min(len(foot), h/2)]
	if hint := l.filterFacets(w); hint != "" && h > 6 {
		foot = append(foot, hint)
	}
	switch {
	case l.typing || l.Grid.Query() != "":
		foot = append(foot, l.filterLine(w))
	case l.Grid.HasChanges() && h > 12 && !th.Linear:
		foot = append(foot, " "+th.PaintRole(theme.Accent, "┃")+th.PaintMuted(" new or changed in the last minute"))
	}
	rows := max(0, h-len(foot))
	// Beside something else the terminal cannot move the rows for itself: each
	// turn by one writes them all.
	l.Grid.Leap = w < l.base.Width && l.base.IsScrolling != nil && l.base.IsScrolling()
	body := l.Grid.View(th, w, rows, focused)
	if fitting, of := l.Grid.CountFitting(); fitting == 0 && of > 0 && rows > 1 {
		none := " " + l.Empty + layout.CleanText(th.Key, "esc") + " clears the filter"
		body = layout.FitBox([]string{layout.SplitLines(body)[0], "", none}, w, rows)
	}
	if len(foot) == 0 {
		return body
	}
	return layout.FitBox(append(layout.SplitLines(body), foot...), w, h)
}

// filterLine returns the line at the foot while there is a filter.
func (l *List) filterLine(w int) string {
	th := l.base.Theme
	fitting, of := l.Grid.CountFitting()
	right := format.GroupDigits(float64(fitting), 0) + " of " + format.GroupDigits(float64(of), 0)
	if l.Grid.HasMore() {
		right += " loaded so far"
	}
	room := max(0, w-layout.Width(right)-5)
	line := " " + layout.CleanText(th.Key, "/") + " " + l.line.View(room, th.Style(theme.Text), th.Style(theme.Muted))
	return layout.FitEnds(line, th.PaintMuted(right)+" ", w)
}

// filterFacets returns the values that the term being typed can have, with the rows that
// have them.
func (l *List) filterFacets(w int) string {
	if !l.typing {
		return ""
	}
	th := l.base.Theme
	_, facets := l.Grid.FindFacets(l.line.Value(), 8)
	if len(facets) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("  ")
	for i, f := range facets {
		part := " " + th.PaintText(layout.CutLine(layout.Clean(f.Value), 24)) +
			th.PaintMuted(" "+format.GroupDigits(float64(f.Count), 0)+" ")
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
