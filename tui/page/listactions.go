package page

import (
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
)

// listDisabledReason returns why an action of the list is disabled, or "".
func (p *List[T]) listDisabledReason(id action.ID) string {
	switch id {
	case action.CopyCell, action.CopyRow:
		_, isSelected := p.Grid.Current()
		return TextIf(!isSelected, "no row selected")
	case action.CopyTable, action.Export:
		fitting, _ := p.Grid.CountFitting()
		return TextIf(fitting == 0, "no rows")
	}
	return ""
}

// handleListAction performs an action of the list.
func (p *List[T]) handleListAction(id action.ID) tea.Cmd {
	if p.filter.HandleAction(id) {
		return nil
	}
	switch id {
	case action.SortNext:
		p.Grid.SortNext(1)
	case action.SortPrev:
		p.Grid.SortNext(-1)
	case action.SortReverse:
		p.Grid.ReverseSort()
	case action.NextColumn:
		p.Grid.MoveColumn(1)
	case action.PrevColumn:
		p.Grid.MoveColumn(-1)
	case action.CopyCell:
		return p.copyCell()
	case action.CopyRow:
		return p.Env.Files.CopyText(p.Grid.CopyRow(), "the row")
	case action.CopyTable:
		text, rows := p.Grid.CopyTable()
		return p.Env.Files.CopyText(text, "the table, "+format.Count(rows, "row"))
	case action.Columns:
		p.chooseColumns()
	case action.Export:
		p.exportTable()
	case action.OnlyFailures:
		p.onlyFailed = !p.onlyFailed
		p.fillTable()
	default:
		MoveList(&p.Grid.Table, id)
	}
	return nil
}

// clickList handles a click or wheel turn on the list: it selects a row, sorts by the clicked
// column title, or moves the selection. It reports whether the selection may have changed.
func (p *List[T]) clickList(m MouseInput) bool {
	if m.Wheel != 0 {
		p.Grid.Move(m.Wheel)
		return true
	}
	if m.Y == 0 {
		p.Grid.SortBy(m.X)
		return false
	}
	return p.Grid.Click(m.Y)
}

// copyCell copies the text of the selected cell.
func (p *List[T]) copyCell() tea.Cmd {
	text, title := p.Grid.CopyCell()
	description := format.CutLine(text, 40)
	if description == "" {
		description = "an empty " + title
	}
	return p.Env.Files.CopyText(text, description)
}

// exportTable asks for a file and writes the filtered and sorted rows to it.
func (p *List[T]) exportTable() {
	rows := p.Grid.Export()
	count := format.Count(rows.Len(), "row")
	help := count + " shown"
	if p.state.More {
		help = count + " loaded so far"
	}
	job := ExportJob{
		Title:    "Export " + p.opt.Name,
		Help:     help + ", as CSV or .json",
		Says:     count,
		WriteRaw: rows.Write,
		Write: func(to io.Writer, ending string) error {
			if strings.EqualFold(ending, ".json") {
				return rows.Write(to, ending)
			}
			return rows.WriteSheet(to)
		},
	}
	date := p.Env.Clock.Now().Format(time.DateOnly)
	p.PromptForFile(job, p.opt.Name+"-"+date+".csv")
}
