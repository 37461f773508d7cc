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
		{Title: "Queued", Width: 6, Right: true},
		{Title: "Downloaded", Width: 10, Right: true},
		{Title: "Missing", Width: 7, Right: true, Drop: 1},
		{Title: "Checked", Width: 11, Right: true, Drop: 2},
	}
}

// renderTotals renders a table with the totals of the orders, between two blank lines, in at most h lines. If there is
// no room for a row for each order, it adds up the orders that are not selected in one row. If there is no room for
// that either, it renders only the row for all orders, or returns nil.
func (p *Page) renderTotals(w, h int) []string {
	const otherLines = 3 // two blank lines and the titles
	room := h - otherLines
	rows := p.totalsRows(false)
	if len(rows) > room {
		rows = p.totalsRows(true)
	}
	if len(rows) > room {
		rows = rows[len(rows)-1:]
	}
	if len(rows) > room {
		return nil
	}
	table := widget.Table{Columns: fitColumns(totalsColumns(), rows), Static: true, HasDetails: true}
	rowID := strconv.Itoa
	table.SetRows(len(rows), rowID, func(i int) widget.Row { return rows[i] })
	drawn := table.View(p.Env.Look.Theme, w, len(rows)+1, false)
	return slices.Concat([]string{""}, format.SplitLines(drawn), []string{""})
}

// fitColumns returns columns that show the texts of rows in full if there is room. The first column, which has the
// names, is never narrower than its texts.
func fitColumns(columns []widget.Column, rows []widget.Row) []widget.Column {
	for i := range columns {
		column := &columns[i]
		for _, row := range rows {
			column.Longest = max(column.Longest, format.Width(row.Cells[i].Text))
		}
	}
	columns[0].Width = max(columns[0].Width, columns[0].Longest)
	return columns
}

// totalsRows returns a row for each order, and a last row for all orders. The orders that are not selected are muted.
// If isShort is true, one row has their sum. If there is only one order, the result has only the row for all orders.
func (p *Page) totalsRows(isShort bool) []widget.Row {
	orders := p.listing.totals
	selectedOrder := ""
	if r := p.Current(); r != nil {
		selectedOrder = r.Package.Order
	}
	var rows []widget.Row
	var others []deliveries.OrderTotals
	for i := range orders {
		order := &orders[i]
		if order.Order == "" || len(orders) == 1 {
			continue
		}
		isSelected := order.Order == selectedOrder
		if !isSelected && isShort {
			others = append(others, *order)
			continue
		}
		rows = append(rows, totalsRow(order.Order, &order.FileTotals, !isSelected))
	}
	if len(others) > 0 {
		sum := deliveries.SumTotals(others)
		rows = append(rows, totalsRow(format.Count(len(others), "more order"), &sum, true))
	}
	all := deliveries.SumTotals(orders)
	return append(rows, totalsRow(p.nameOfAll(), &all, false))
}

// nameOfAll returns the name of the row for all orders, which says whether all packages are loaded.
func (p *Page) nameOfAll() string {
	state := &p.packages.PackageListState
	if state.More || state.Partial || state.Err != nil {
		return "Loaded " + p.fetching.noun
	}
	return "All " + p.fetching.noun
}

// totalsRow returns the row of the totals with the given name.
func totalsRow(name string, totals *deliveries.FileTotals, isMuted bool) widget.Row {
	fresh := countCell(totals.New, theme.Text)
	queued := countCell(totals.Queued, theme.InProgress)
	downloaded := countCell(totals.Downloaded, theme.Text)
	missing := countCell(totals.Missing, theme.Attention)
	if totals.Missing > 0 {
		missing.Text = "! " + missing.Text
	}
	if totals.HasUnseen {
		unknown := widget.Cell{Text: "…", Role: theme.Muted}
		fresh = unknown
		queued = unknown
		downloaded = unknown
		missing = unknown
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
			sizeCell(totals),
			fresh,
			queued,
			downloaded,
			missing,
			checked,
		},
	}
}

// sizeCell returns a cell with the size of the files, or with the smallest size that they can have if some sizes
// are unknown.
func sizeCell(totals *deliveries.FileTotals) widget.Cell {
	size := format.Bytes(totals.Size)
	if !totals.HasUnknownSize {
		return widget.Cell{Text: size}
	}
	if totals.Size == 0 {
		return widget.Cell{Text: format.None, Role: theme.Muted}
	}
	return widget.Cell{Text: "≥ " + size}
}

// countCell returns a cell with a number, which is muted if it is 0.
func countCell(n int, role theme.Role) widget.Cell {
	if n == 0 {
		role = theme.Muted
	}
	return widget.Cell{Text: format.GroupInt(n), Role: role}
}
