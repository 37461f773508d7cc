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

// firstRows is a table with the first rows of a file. A file without rows, such as KML, has its
// first sites in the table.
type firstRows struct {
	readResult
	table widget.Table
}

// fillTable fills the table for a height of h lines, which include the line with the titles.
func (r *firstRows) fillTable(h int) {
	most := max(1, h-1)
	if len(r.read.Result.Layout.Rows) > 0 {
		r.fillRows(most)
	} else {
		r.fillSites(most)
	}
}

// fillSites fills the table with the first sites, at most the given number.
func (r *firstRows) fillSites(most int) {
	sites := r.read.Result.Placemarks
	sites = sites[:min(len(sites), most)]
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
		site := &sites[i]
		return widget.Row{Cells: []widget.Cell{
			{Text: strconv.Itoa(site.Line), Role: theme.Muted},
			{Text: site.Name},
			{Text: coordinateOf(site.Points()[0])},
			{Text: strings.Trim(site.City+", "+site.Country, ", ")},
		}}
	})
}

// fillRows fills the table with at most the given number of rows of the file. The first row in the table is the row
// above the header if the header is not the first row of the file. The header is the selected row.
func (r *firstRows) fillRows(most int) {
	layout := &r.read.Result.Layout
	header := max(0, layout.HeaderRow-1)
	first := min(max(0, header-1), len(layout.Rows))
	last := min(first+most, len(layout.Rows))
	shown := layout.Rows[first:last]
	r.table.Columns = r.columnsOf(shown)
	r.table.SetRows(len(shown), strconv.Itoa, func(i int) widget.Row {
		return r.fileRow(first+i+1, shown[i])
	})
	r.table.Select(strconv.Itoa(header - first))
}

// columnsOf returns the columns of the table for rows of the file: the number of the row, and a
// column for each cell. A narrow table leaves out columns without a title.
func (r *firstRows) columnsOf(rows [][]string) []widget.Column {
	titles := r.columnTitles()
	columns := []widget.Column{{Title: "Row", Width: 3, Right: true}}
	for _, row := range rows {
		for i, cell := range row {
			if i+1 == len(columns) {
				columns = append(columns, newRowColumn(i, titles[i]))
			}
			column := &columns[i+1]
			column.Width = max(column.Width, min(16, format.Width(format.Clean(cell))))
		}
	}
	return columns
}

// newRowColumn returns the column of the table that shows cell i of each row of the file.
func newRowColumn(i int, title string) widget.Column {
	column := widget.Column{Title: title, Width: max(4, format.Width(title))}
	if title == "" {
		column.Drop = i + 1
	}
	return column
}

// columnTitles returns the titles of the columns whose meaning is known, such as "Latitude". The key is the index of
// the column in the file. For a file that is not a table, such as KML, the only title is "Name": the title of the
// attribute that names the sites.
func (r *firstRows) columnTitles() map[int]string {
	titles := map[int]string{}
	if !r.isTable() {
		layout := &r.read.Result.Layout
		titles[slices.Index(layout.Rows[0], layout.Name)] = "Name"
		return titles
	}
	columns := r.columns()
	for _, meaning := range columnMeanings {
		titles[*meaning.member(&columns)] = meaning.label
	}
	return titles
}

// fileRow returns the row of the table for a row of the file. The header has another color, rows
// above it are muted, and rows that were left out have a mark.
func (r *firstRows) fileRow(number int, cells []string) widget.Row {
	result := r.read.Result
	role := theme.Text
	if number == result.Layout.HeaderRow {
		role = theme.Accent
	}
	row := widget.Row{
		Cells: []widget.Cell{{Text: strconv.Itoa(number), Role: theme.Muted}},
		Muted: number < result.Layout.HeaderRow,
	}
	for _, cell := range cells {
		row.Cells = append(row.Cells, widget.Cell{Text: cell, Role: role})
	}
	isLeftOut := func(w kmlcsv.Warning) bool { return w.Skipped && w.Line == number }
	mark := page.TextIf(slices.ContainsFunc(result.Warnings, isLeftOut), "!")
	row.Mark = widget.Cell{Text: mark, Role: theme.Bad}
	return row
}

// isTable reports whether the file is a table with at least one row.
func (r *firstRows) isTable() bool {
	res := r.read.Result
	return res.Format == kmlcsv.FormatCSV && len(res.Layout.Rows) > 0
}

// columns returns the columns that the user chose, or the detected columns.
func (r *firstRows) columns() kmlcsv.Columns {
	if r.read.Options.Columns != nil {
		return *r.read.Options.Columns
	}
	return r.read.Result.Columns
}
