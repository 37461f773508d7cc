package listpage

import (
	"fmt"
	"strings"

	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// ViewLoading draws the table as it will be, before there are rows.
func (l *List) ViewLoading(w, h int) string {
	ghost := table.Table{Columns: l.Grid.Columns}
	row := table.Row{Cells: make([]table.Cell, len(ghost.Columns))}
	for i, c := range ghost.Columns {
		row.Cells[i] = table.Cell{Text: strings.Repeat("░", max(2, min(c.Width*4/5, 16))), Role: theme.Muted}
	}
	ghost.SetRows(min(8, h), func(i int) string { return fmt.Sprint(i) }, func(int) table.Row { return row })
	return ghost.View(l.base.Theme, w, h, false)
}
