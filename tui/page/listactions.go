package page

import (
	"cmp"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
)

// listRefusal says why an action of the list is off, "" where it is on.
func (p *List[T]) listRefusal(id action.ID) string {
	switch id {
	case action.CopyCell, action.CopyRow:
		_, row := p.Grid.Current()
		return TextIf(!row, "no row selected")
	case action.CopyTable, action.Export:
		fitting, _ := p.Grid.CountFitting()
		return TextIf(fitting == 0, "no rows")
	}
	return ""
}

// handleListAction performs an action of the list.
func (p *List[T]) handleListAction(id action.ID) tea.Cmd {
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
		MoveList(&g.Table, id)
	}
	return nil
}

// clickList selects a row, sorts by a column whose title is clicked, and moves with
// the wheel. It reports whether a row is selected by it.
func (p *List[T]) clickList(m MouseInput) bool {
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
func (p *List[T]) copySelection(id action.ID) tea.Cmd {
	switch id {
	case action.CopyRow:
		return p.Env.Files.CopyText(p.Grid.CopyRow(), "the row")
	case action.CopyCell:
		text, title := p.Grid.CopyCell()
		return p.Env.Files.CopyText(text, cmp.Or(format.CutLine(text, 40), "an empty "+title))
	default:
		text, rows := p.Grid.CopyTable()
		return p.Env.Files.CopyText(text, "the table, "+format.Count(rows, "row"))
	}
}

// exportTable asks for a file and writes what the table shows.
func (p *List[T]) exportTable() {
	rows := p.Grid.Export()
	count := format.Count(rows.Len(), "row")
	help := count + " shown"
	if p.state.More {
		help = count + " loaded so far"
	}
	p.AskForFile(ExportJob{
		Title: "Export " + p.opt.Name, Help: help + ", as CSV or .json", Says: count,
		Write: func(to io.Writer, ending string) error {
			if strings.EqualFold(ending, ".json") {
				return rows.Write(to, ending)
			}
			return rows.WriteSheet(to)
		},
		WriteRaw: rows.Write,
	}, p.opt.Name+"-"+p.Env.Clock.Now().Format(time.DateOnly)+".csv")
}
