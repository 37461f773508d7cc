package listpage

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/exportdialog"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/table"
)

// Listing is a table on a page. The page hands it messages, actions and the
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
	file   *exportdialog.Saver
}

// New makes a listing of a page. The name is what is listed, in one word; under
// it the columns are kept as they were chosen. The example is of a filter.
func New(base page.Base, name, example string, columns ...table.Column) *List {
	l := &List{base: base, name: name, file: exportdialog.New(base), Grid: table.NewGrid(base.Now, columns...), line: widget.NewField(200), units: format.Chosen()}
	l.Grid.ParseDate = format.ParseDate
	l.line.Hint = "words, or column:value, such as " + example
	l.Empty = "No matching rows; "
	var places []table.Place
	if base.UIState != nil && base.UIState.Get(l.key(), &places) {
		l.Grid.Arrange(places)
	}
	return l
}

func (l *List) key() string { return "columns of " + l.name }

// Scopes are those of a list, behind the page's own; while the filter is typed
// its alone.
func (l *List) Scopes(own ...action.Scope) []action.Scope {
	if l.typing {
		return []action.Scope{action.FilterLine}
	}
	return append(own, action.List, action.Table)
}

// Typing is while the filter is typed.
func (l *List) Typing() bool { return l.typing }

// Cursor stands in the filter while that is typed, nil else.
func (l *List) Cursor() *tea.Cursor {
	if !l.typing || l.height == 0 {
		return nil
	}
	return tea.NewCursor(3+l.line.CursorCell(), l.height-1)
}

// Clear takes the filter away and reports whether there was one.
func (l *List) Clear() bool {
	if !l.typing && l.Grid.Query() == "" {
		return false
	}
	l.typing = false
	l.line.Set("")
	l.Grid.Filter("")
	return true
}

// Search filters as if the query had been typed.
func (l *List) Search(query string) {
	l.line.Set(query)
	l.Grid.Filter(query)
}

// Disabled says why an action is off, "" where it is on.
func (l *List) Disabled(id action.ID) string {
	fitting, _ := l.Grid.Fitting()
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

// Do performs an action of a list and reports whether it was one.
func (l *List) Do(id action.ID) (tea.Cmd, bool) {
	s := l.Grid
	switch id {
	case action.Filter:
		l.typing = true
	case action.KeepFilter:
		l.typing = false
	case action.Complete:
		l.line.Set(s.Complete(l.line.Value()))
		s.Filter(l.line.Value())
	case action.SortNext:
		s.Turn(1)
	case action.SortPrev:
		s.Turn(-1)
	case action.SortReverse:
		s.Reverse()
	case action.NextColumn:
		s.MoveColumn(1)
	case action.PrevColumn:
		s.MoveColumn(-1)
	case action.CopyCell, action.CopyRow, action.CopyTable:
		return l.copy(id), true
	case action.Columns:
		l.base.Overlay(newChooser(l))
	case action.Export:
		l.export()
	default:
		return nil, page.Move(&s.Table, id)
	}
	return nil, true
}

// Update takes keys and pastes while the filter is typed, and answers of its
// own, and reports whether it was one of these.
func (l *List) Update(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	if cmd, taken = l.file.Update(msg); taken {
		return cmd, true
	}
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if !l.typing {
			return nil, false
		}
		l.line.Update(msg)
		l.Grid.Filter(l.line.Value())
		return nil, true
	}
	return nil, false
}

// Mouse selects a row, sorts by a column whose title is clicked, and moves with
// the wheel. It reports whether a row is selected by it.
func (l *List) Mouse(m page.Mouse) bool {
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

// copy puts a cell, a row or the table into the clipboard.
func (l *List) copy(id action.ID) tea.Cmd {
	switch id {
	case action.CopyRow:
		if text, ok := l.Grid.CopyRow(); ok {
			return page.Copy(&l.base.Files, text, "the row")
		}
	case action.CopyCell:
		if text, title, ok := l.Grid.CopyCell(); ok {
			return page.Copy(&l.base.Files, text, cmp.Or(layout.Cut(text, 40), "an empty "+title))
		}
	case action.CopyTable:
		text, rows := l.Grid.CopyTable()
		return page.Copy(&l.base.Files, text, "the table, "+format.Count(rows, "row", "rows"))
	}
	return nil
}

// View draws the table into exactly h lines of w cells, with what there is to
// say of filter, changes and rows at its foot, above the lines of foot.
func (l *List) View(w, h int, focused bool, foot ...string) string {
	l.height = h
	if u := format.Chosen(); u != l.units {
		l.units = u
		l.Grid.Rewrite()
	}
	th := l.base.Theme
	foot = foot[:min(len(foot), h/2)]
	if hint := l.facets(w); hint != "" && h > 6 {
		foot = append(foot, hint)
	}
	switch {
	case l.typing || l.Grid.Query() != "":
		foot = append(foot, l.filterLine(w))
	case l.Grid.Changed() && h > 12 && !th.Linear:
		foot = append(foot, " "+layout.Text(th.Style(theme.Accent), "┃")+layout.Text(th.Style(theme.Muted), " new or changed in the last minute"))
	}
	rows := max(0, h-len(foot))
	// Beside something else the terminal cannot move the rows for itself: each
	// turn by one writes them all.
	l.Grid.Leap = w < l.base.Width && l.base.IsScrolling != nil && l.base.IsScrolling()
	body := l.Grid.View(th, w, rows, focused)
	if fitting, of := l.Grid.Fitting(); fitting == 0 && of > 0 && rows > 1 {
		none := " " + l.Empty + layout.Text(th.Key, "esc") + " clears the filter"
		body = layout.Box([]string{layout.Lines(body)[0], "", none}, w, rows)
	}
	if len(foot) == 0 {
		return body
	}
	return layout.Box(append(layout.Lines(body), foot...), w, h)
}

// filterLine is the line at the foot while there is a filter.
func (l *List) filterLine(w int) string {
	th := l.base.Theme
	fitting, of := l.Grid.Fitting()
	right := format.Group(float64(fitting), 0) + " of " + format.Group(float64(of), 0)
	if l.Grid.HasMore() {
		right += " loaded so far"
	}
	room := max(0, w-layout.Width(right)-5)
	line := " " + layout.Text(th.Key, "/") + " " + l.line.View(room, th.Style(theme.Text), th.Style(theme.Muted))
	return layout.Ends(line, layout.Text(th.Style(theme.Muted), right)+" ", w)
}

// facets are the values that the term being typed can have, with the rows that
// have them.
func (l *List) facets(w int) string {
	if !l.typing {
		return ""
	}
	th := l.base.Theme
	_, facets := l.Grid.Facets(l.line.Value(), 8)
	if len(facets) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("  ")
	for i, f := range facets {
		part := " " + layout.Text(th.Style(theme.Text), layout.Cut(layout.Clean(f.Value), 24)) +
			layout.Text(th.Style(theme.Muted), " "+format.Group(float64(f.Count), 0)+" ")
		if i == 0 {
			part += layout.Text(th.Key, "tab") + " "
		}
		if layout.Width(b.String())+layout.Width(part) > w {
			break
		}
		b.WriteString(part)
	}
	return b.String()
}
