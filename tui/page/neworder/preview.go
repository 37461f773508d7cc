package neworder

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"flightdesk/kmlcsv"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// renderPreview draws the first rows of the file below what their columns mean, or else the
// first sites, and counts the sites.
func (d *importDialog) renderPreview(w, h int) []string {
	state := d.renderState(w)
	state = state[:min(len(state), max(1, h-3))]
	if len(d.read.Result.Layout.Rows) > 0 {
		d.fillRows(h - len(state))
	} else {
		d.fillSites(h - len(state))
	}
	if d.table.Len() == 0 {
		return state
	}
	return append(format.SplitLines(d.table.View(d.s.Env.Look.Theme, w, d.table.Len()+1, false)), state...)
}

// fillSites fills the table with the first sites of a file without rows.
func (d *importDialog) fillSites(h int) {
	sites := d.read.Result.Placemarks
	sites = sites[:min(len(sites), max(1, h-1))]
	if d.err != nil {
		sites = nil
	}
	d.table.Columns = []widget.Column{
		{Title: "Line", Width: 5, Right: true},
		{Title: "Site", Width: 24, Fill: 1},
		{Title: "Position", Width: 22},
		{Title: "Place", Width: 24, Drop: 1},
	}
	d.table.SetRows(len(sites), strconv.Itoa, func(i int) widget.Row {
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
func (d *importDialog) fillRows(h int) {
	res, columns, meaning := d.read.Result, d.columns(), map[int]string{}
	l, header := &res.Layout, max(0, res.Layout.HeaderRow-1)
	if d.isTable() {
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
	d.table.Columns = shown
	d.table.SetRows(len(rows), strconv.Itoa, func(i int) widget.Row { return rows[i] })
	d.table.Select(strconv.Itoa(header - first))
}

// renderState says which question is open, how many sites there are, or why there are none.
func (d *importDialog) renderState(w int) (lines []string) {
	add := func(role theme.Role, text string) {
		lines = append(lines, d.s.Env.Look.Theme.RaiseLines(role, w, text)...)
	}
	res, columns := d.read.Result, d.columns()
	question := d.openQuestion()
	switch {
	case d.asked.IsOpen():
		add(theme.Muted, "Reading…")
	case question != nil:
		add(theme.Attention, "? "+page.TextIf(question.Line > 0, "Row "+strconv.Itoa(question.Line)+": ")+format.Clean(question.Text))
	case d.err != nil && d.isTable() && !columns.HasLocation():
		add(theme.Bad, "! Select latitude and longitude, or a boundary")
	case d.err != nil:
		add(theme.Bad, "! "+strings.TrimPrefix(d.err.Error(), filepath.Base(d.read.Path)+": "))
	default:
		role, text := theme.Good, siteCount(len(res.Placemarks))
		if d.read.Pasted != "" {
			text += " pasted"
		}
		count, reason := d.read.LeftOut()
		if count != "" {
			role = theme.Attention
			text += "; " + count
		}
		if reason != "" {
			text += ": " + reason
		}
		add(role, text)
		p := &res.Placemarks[0]
		add(theme.Muted, "First: "+p.Name+", "+coordinateOf(p.Points()[0])+inBrackets(p.City, p.Country))
	}
	return lines
}
