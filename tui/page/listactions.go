package page

import (
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/widget"
)

// handleTableAction performs an action of the filter or of the table. It also performs the action OnlyFailures,
// which lists only the rows with a problem, or all rows again.
func (p *List[T]) handleTableAction(id action.ID) tea.Cmd {
	if p.filter.HandleAction(id) {
		return nil
	}
	if id == action.OnlyFailures {
		p.loaded.onlyFailed = !p.loaded.onlyFailed
		p.fillTable()
		return nil
	}
	return p.table().handleAction(id)
}

// table returns the actions on the table of the list.
func (p *List[T]) table() tableActions {
	return tableActions{base: p.Base, grid: p.Grid, name: p.opt.Name, isPart: p.loaded.state.More}
}

// tableActions performs the actions that all tables have: moving, sorting, copying, exporting and
// arranging columns.
type tableActions struct {
	base   Base
	grid   *widget.Grid
	name   string // name of the list in settings and file names
	isPart bool   // the service has more rows than the table
}

// disabledReason returns why an action of the table is disabled, or "".
func (t tableActions) disabledReason(id action.ID) string {
	switch id {
	case action.CopyCell, action.CopyRow:
		_, isSelected := t.grid.Current()
		return TextIf(!isSelected, "no row selected")
	case action.CopyTable, action.Export:
		fitting, _ := t.grid.CountFitting()
		return TextIf(fitting == 0, "no rows")
	}
	return ""
}

// handleAction performs an action of the table.
func (t tableActions) handleAction(id action.ID) tea.Cmd {
	switch id {
	case action.SortNext:
		t.grid.SortNext(1)
	case action.SortPrev:
		t.grid.SortNext(-1)
	case action.SortReverse:
		t.grid.ReverseSort()
	case action.NextColumn:
		t.grid.MoveColumn(1)
	case action.PrevColumn:
		t.grid.MoveColumn(-1)
	case action.CopyCell:
		return t.copyCell()
	case action.CopyRow:
		return t.base.Env.Files.CopyText(t.grid.CopyRow(), "the row")
	case action.CopyTable:
		text, rows := t.grid.CopyTable()
		return t.base.Env.Files.CopyText(text, "the table, "+format.Count(rows, "row"))
	case action.Columns:
		t.chooseColumns()
	case action.Export:
		t.export()
	default:
		MoveList(&t.grid.Table, id)
	}
	return nil
}

// click handles a click or wheel turn on the table: it selects a row, sorts by the clicked column title, or moves
// the selection. It returns true if the selection may have changed.
func (t tableActions) click(m MouseInput) bool {
	if m.Wheel != 0 {
		t.grid.Move(m.Wheel)
		return true
	}
	if m.Y == 0 {
		t.grid.SortBy(m.X)
		return false
	}
	return t.grid.Click(m.Y)
}

// copyCell copies the text of the selected cell.
func (t tableActions) copyCell() tea.Cmd {
	text, title := t.grid.CopyCell()
	description := format.CutLine(text, 40)
	if description == "" {
		description = "an empty " + title
	}
	return t.base.Env.Files.CopyText(text, description)
}

// export asks for a file and writes the filtered and sorted rows to it.
func (t tableActions) export() {
	rows := t.grid.Export()
	count := format.Count(rows.Len(), "row")
	help := count + " shown"
	if t.isPart {
		help = count + " shown; more are not loaded yet"
	}
	job := ExportJob{
		Title:    "Export " + t.name,
		Help:     help + ", as CSV or .json",
		Noun:     count,
		WriteRaw: rows.Write,
		Write: func(to io.Writer, ending string) error {
			if strings.EqualFold(ending, ".json") {
				return rows.Write(to, ending)
			}
			return rows.WriteSheet(to)
		},
	}
	date := t.base.Env.Clock.Now().Format(time.DateOnly)
	PromptForFile(t.base, job, t.name+"-"+date+".csv")
}
