package listpage

import (
	"io"
	"strings"
	"time"

	"flightdesk/tui/format"
	"flightdesk/tui/page/exportdialog"
	"flightdesk/tui/widget/table"
)

// exportTable asks for a file and writes what the table shows.
func (l *List) exportTable() {
	rows := l.Grid.Export()
	count := format.Count(rows.Len(), "row", "rows")
	help := count + " shown"
	if l.Grid.HasMore() {
		help = count + " loaded so far"
	}
	l.file.AskForFile(exportdialog.ExportJob{
		Title: "Export " + l.name, Help: help + ", as CSV or .json", Says: count,
		Write: func(to io.Writer, ending string) error {
			if strings.EqualFold(ending, ".json") {
				return rows.Write(to, table.JSON)
			}
			return rows.Write(to, table.CSV)
		},
	}, l.name+"-"+l.base.Now().Format(time.DateOnly)+".csv")
}
