package neworder

import (
	"slices"
	"strconv"
	"strings"

	"flightdesk/kmlcsv"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// firstRows is a table of the first rows or sites of a file that was read.
type firstRows struct {
	fileQuestion
	table widget.Table
}

// fillTable fills h lines of the table with the first rows below what their columns mean, or
// with the first sites of a file without rows.
func (r *firstRows) fillTable(h int) {
	if len(r.read.Result.Layout.Rows) > 0 {
		r.fillRows(h)
	} else {
		r.fillSites(h)
	}
}

// fillSites fills the table with the first sites of a file without rows.
func (r *firstRows) fillSites(h int) {
	sites := r.read.Result.Placemarks
	sites = sites[:min(len(sites), max(1, h-1))]
	if r.err != nil {
		sites = nil
	}
	r.table.Columns = []widget.Column{
		{Title: "Line", Width: 5, Right: true},
		{Title: "Site", Width: 24, Fill: 1},
		{Title: "Position", Width: 22},
		{Title: "Place", Width: 24, Drop: 1},
	}
	r.table.SetRows(len(sites), strconv.Itoa, func(i int) widget.Row {
		p := &sites[i]
		return widget.Row{Cells: []widget.Cell{
			{Text: strconv.Itoa(p.Line), Role: theme.Muted},
			{Text: p.Name},
			{Text: coordinateOf(p.Points()[0])},
			{Text: strings.Trim(p.City+", "+p.Country, ", ")},
		}}
	})
}

// fillRows fills the table with the rows around the header that fit into h lines.
func (r *firstRows) fillRows(h int) {
	res, columns, meaning := r.read.Result, r.columns(), map[int]string{}
	l, header := &res.Layout, max(0, res.Layout.HeaderRow-1)
	if r.isTable() {
		for i, column := range columnsByMeaning(&columns) {
			meaning[*column] = columnMeanings[i].label
		}
	} else if len(l.Rows) > 0 {
		meaning[slices.Index(l.Rows[0], l.Name)] = "Name"
	}
	first := min(max(0, header-1), len(l.Rows))
	lines := l.Rows[first:min(len(l.Rows), first+max(1, h-1))]
	shown := []widget.Column{{Title: "Row", Width: 3, Right: true}}
	rows := make([]widget.Row, len(lines))
	for i, line := range lines {
		number, role := first+i+1, theme.Text
		if number == l.HeaderRow {
			role = theme.Accent
		}
		isSkipped := func(w kmlcsv.Warning) bool { return w.Skipped && w.Line == number }
		mark := page.TextIf(slices.ContainsFunc(res.Warnings, isSkipped), "!")
		cells := []widget.Cell{{Text: strconv.Itoa(number), Role: theme.Muted}}
		for k, cell := range line {
			if k+1 == len(shown) {
				column := widget.Column{Title: meaning[k], Width: max(4, format.Width(meaning[k]))}
				if column.Title == "" {
					column.Drop = k + 1
				}
				shown = append(shown, column)
			}
			shown[k+1].Width = max(shown[k+1].Width, min(16, format.Width(format.Clean(cell))))
			cells = append(cells, widget.Cell{Text: cell, Role: role})
		}
		rows[i] = widget.Row{
			Cells: cells,
			Mark:  widget.Cell{Text: mark, Role: theme.Bad},
			Muted: number < l.HeaderRow,
		}
	}
	r.table.Columns = shown
	r.table.SetRows(len(rows), strconv.Itoa, func(i int) widget.Row { return rows[i] })
	r.table.Select(strconv.Itoa(header - first))
}
