package deliveries

import (
	"slices"
	"strconv"

	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// totalsColumns are the columns of the totals.
func totalsColumns() []widget.Column {
	return []widget.Column{
		{Title: "Totals", Width: 10, Fill: 1},
		{Title: "Packages", Width: 8, Right: true, Drop: 3},
		{Title: "Files", Width: 6, Right: true},
		{Title: "Size", Width: 9, Right: true},
		{Title: "New", Width: 6, Right: true},
		{Title: "Downloaded", Width: 10, Right: true},
		{Title: "Missing", Width: 7, Right: true, Drop: 1},
		{Title: "Checked", Width: 11, Right: true, Drop: 2},
	}
}

// renderTotals renders a table with the totals of each order and of all orders, in at most h lines. The orders without
// the selected row are muted. If not all orders fit, only the order of the selected row has a line.
func (p *Page) renderTotals(w, h int) []string {
	const otherLines = 4 // two blank lines, the titles, and the line of all orders
	all := deliveries.SumTotals(p.listing.totals)
	selectedOrder := ""
	if r := p.Current(); r != nil {
		selectedOrder = r.Package.Order
	}
	var rows []widget.Row
	isSingle := len(p.listing.totals) == 1
	fit := len(p.listing.totals)+otherLines <= h
	for i := range p.listing.totals {
		order := &p.listing.totals[i]
		isSelected := order.Order == selectedOrder
		if order.Order != "" && !isSingle && (fit || isSelected) {
			rows = append(rows, totalsRow(order.Order, &order.FileTotals, !isSelected))
		}
	}
	rows = append(rows, totalsRow("All "+p.fetching.noun, &all, false))
	if len(rows)+otherLines-1 > h {
		return nil
	}
	table := widget.Table{Columns: totalsColumns(), Static: true, HasDetails: true}
	rowID := strconv.Itoa
	table.SetRows(len(rows), rowID, func(i int) widget.Row { return rows[i] })
	drawn := table.View(p.Env.Look.Theme, w, len(rows)+1, false)
	return slices.Concat([]string{""}, format.SplitLines(drawn), []string{""})
}

// totalsRow returns the row of the totals with the given name.
func totalsRow(name string, totals *deliveries.FileTotals, isMuted bool) widget.Row {
	size := format.Bytes(totals.Size)
	if totals.HasUnknownSize {
		size = "≥ " + size
	}
	missing := countCell(totals.Missing, theme.Attention)
	if totals.Missing > 0 {
		missing.Text = "! " + missing.Text
	}
	checked := countCell(totals.Checked, theme.Text)
	if totals.Problems > 0 {
		checked = widget.Cell{Text: format.Count(totals.Problems, "problem"), Role: theme.Bad}
	}
	return widget.Row{
		Muted: isMuted,
		Cells: []widget.Cell{
			{Text: name},
			countCell(totals.Packages, theme.Text),
			countCell(totals.Files, theme.Text),
			{Text: size},
			countCell(totals.New, theme.Text),
			countCell(totals.Downloaded, theme.Text),
			missing,
			checked,
		},
	}
}

// countCell returns a cell with a number, which is muted if it is 0.
func countCell(n int, role theme.Role) widget.Cell {
	if n == 0 {
		role = theme.Muted
	}
	return widget.Cell{Text: format.GroupInt(n), Role: role}
}
