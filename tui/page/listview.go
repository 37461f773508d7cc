package page

import (
	"slices"
	"strconv"
	"strings"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

const (
	// Wide is the smallest window width with the details next to the list.
	Wide = 120
	// Wider is the smallest window width with a third pane.
	Wider = 160
	// minStackedHeight is the smallest height with the details below the rows.
	minStackedHeight = 10
	// minThirdWidth is the minimum width of a third pane.
	minThirdWidth = 24
)

// View draws the page into exactly h lines of w cells.
func (p *List[T]) View(w, h int) string {
	var head []string
	if p.opt.RenderHead != nil {
		head = p.opt.RenderHead(w)
	}
	p.Head = min(len(head), max(1, h/3), max(0, h-1))
	if p.Head == 0 {
		return p.drawBody(w, h)
	}
	return format.FitBox(head[:p.Head], w, p.Head) + "\n" + p.drawBody(w, h-p.Head)
}

// drawBody draws the page below its head.
func (p *List[T]) drawBody(w, h int) string {
	p.HidePanes()
	p.Sync()
	if len(p.loaded.rows) == 0 {
		if p.loaded.wasRead() {
			return format.FitBox(p.drawEmpty(w), w, h)
		}
		return drawLoading(p.Env.Look.Theme, p.Grid, w, h)
	}
	if p.IsSplit() {
		return p.drawSplit(w, h)
	}
	if p.Map.Focused {
		return p.DrawMap(0, 0, w, h)
	}
	if p.opt.Layout.Stacked && h >= minStackedHeight {
		return p.drawStacked(w, h, len(p.loaded.rows)+2)
	}
	if p.InPlace && !p.IsTyping() { // the filter is typed below the list
		return p.detailPane().View(w, h)
	}
	return p.RowsView(w, h)
}

// detailPane returns the pane with the details of the selected row.
func (p *List[T]) detailPane() *widget.Pane { return &p.Split.Panes[1] }

// drawRowsPane draws the left pane: the rows, and below them the details if the map has the right pane.
func (p *List[T]) drawRowsPane(w, h int) string {
	if !p.hasMapBeside() || h < minStackedHeight {
		return p.RowsView(w, h)
	}
	linesPerRow := 2 // names can be wrapped
	return p.drawStacked(w, h, linesPerRow*len(p.loaded.rows)+3)
}

// drawDetailPane draws the right pane: the details of the selected row, or the map.
func (p *List[T]) drawDetailPane(w, h int) string {
	if p.hasMapBeside() {
		return p.DrawMap(1, 0, w, h)
	}
	return p.drawSelected(p.drawDetail)(w, h)
}

// drawStacked draws the rows above the details, in h lines. The rows get top lines, but the details keep at least two
// fifths of the height. Without a map beside them, the rows get at least a third of the height.
func (p *List[T]) drawStacked(w, h, top int) string {
	if !p.hasMapBeside() {
		top = max(top, h/3)
	}
	top = min(top, h-max(5, h*2/5))
	rows := p.RowsView(w, top)
	if _, ok := p.selected(); !ok {
		return rows + "\n" + format.FitBox(nil, w, h-top)
	}
	th := p.Env.Look.Theme
	title := th.Rule.Render("─ ") + th.PaintTitle(format.CapitalizeFirst(p.opt.Singular))
	details := p.drawSelected(p.drawDetail)(w, h-top-1)
	return rows + "\n" + format.FitLeft(title, w) + "\n" + details
}

// drawEmpty returns the lines of a page without rows: the error of the last read or, if there is none, the text of
// Empty with the keys that the user can press.
func (p *List[T]) drawEmpty(w int) []string {
	if p.opt.RenderEmpty != nil {
		if lines := p.opt.RenderEmpty(p.loaded.state.Err, w); lines != nil {
			return lines
		}
	}
	if p.loaded.state.Err != nil {
		return p.opt.RenderError(p.loaded.state.Err, "", w)
	}
	th := p.Env.Look.Theme
	if p.loaded.onlyFailed {
		return p.opt.drawNoProblems(th, &p.loaded, w)
	}
	missing, explanation, _ := strings.Cut(p.opt.emptyText(), "\n")
	lines := []string{"", th.PaintText(" " + missing), ""}
	if explanation != "" {
		lines = append(lines, th.PaintLines(theme.Muted, " ", explanation, w-2)...)
	}
	for _, row := range p.opt.Keys {
		if key := p.enabledKey(row.Action); key != "" {
			lines = append(lines, " "+th.PaintHint(key, row.Text))
		}
	}
	return lines
}

// enabledKey returns the label of an action's key, or "" if the action is disabled.
func (p *List[T]) enabledKey(id action.ID) string {
	if p.DisabledReason(id) != "" {
		return ""
	}
	return p.Env.Profile.KeyOf(id, p.opt.keyScopes()...)
}

// footLines returns the lines below the rows, which are about the rows. An error of the last read replaces all
// other lines.
func (p *List[T]) footLines(w int) []string {
	state := p.Sync()
	if state.Err != nil {
		count := p.opt.countText(len(state.Rows))
		return p.opt.RenderError(state.Err, p.KeptText(count, state.At), w)
	}
	var foot []string
	if p.opt.RenderFoot != nil {
		foot = p.opt.RenderFoot(w)
	}
	if p.loaded.onlyFailed {
		th := p.Env.Look.Theme
		foot = append(foot, th.PaintRole(theme.Attention, " problems only · ")+p.opt.showAllHint(th))
	}
	return foot
}

// drawSplit draws the list and the details next to each other, with a third pane if there is one.
func (p *List[T]) drawSplit(w, h int) string {
	p.setPaneWidths(w)
	return p.DrawPanes(w, h)
}

// DetailsColumn returns the first column of the details next to the list, in a window of w cells.
func (p *List[T]) DetailsColumn(w int) int {
	p.Sync()
	p.setPaneWidths(w)
	return p.Split.LayoutPanes(w)[1].At
}

// setPaneWidths chooses which panes are next to each other, and sets the widths that they should have in a window
// of w cells.
func (p *List[T]) setPaneWidths(w int) {
	p.Split.Panes = p.Split.Panes[:2]
	if p.hasMapBeside() {
		mostForRows := w * 7 / 10
		p.Split.Panes[0].Cells = max(w/2, min(p.Grid.WantedWidth(), mostForRows))
		return
	}
	room := w // for the list and the details
	if p.ShowsThirdPane() {
		width := w / 5
		p.Split.Panes = append(p.Split.Panes, widget.Pane{
			Cells: width,
			Least: minThirdWidth,
			View:  p.drawSelected(p.opt.ThirdPane),
			Of:    p.Grid.Selected,
		})
		room = w - width - 1
	}
	wanted := min(p.Grid.WantedWidth(), room-1-p.detailPane().Least)
	p.Split.Panes[0].Cells = p.opt.Layout.listWidth(w, room, wanted)
}

// drawSelected returns a function for the view of a pane: it draws the selected row with draw, or blank lines if no
// row is selected.
func (p *List[T]) drawSelected(draw func(row T, w, h int) string) func(w, h int) string {
	return func(w, h int) string {
		row, ok := p.selected()
		if !ok {
			return format.FitBox(nil, w, h)
		}
		return draw(row, w, h)
	}
}

// drawDetail draws the details of a row. If the row is on the map and there is room, it draws the map below the
// details.
func (p *List[T]) drawDetail(row T, w, h int) string {
	th := p.Env.Look.Theme
	lines, hasPlace := p.opt.detailLines(p.Env.Look.Theme, row, w, h)
	room := h - len(lines) - 1
	if hasPlace && room >= 4 && !th.Linear && !p.hasMapBeside() {
		lines = append(lines, th.Rule.Render(strings.Repeat("─", w)))
		lines = append(lines, format.SplitLines(p.DrawMap(1, len(lines), w, room))...)
	}
	id := p.opt.ID(row)
	if id != p.lastView.detailID {
		p.lastView.detailID = id
		p.Scroll.ScrollToTop()
	}
	return format.FitBox(p.Scroll.View(lines, h, th.Style(theme.Muted)), w, h)
}

// RowsView draws the table into exactly h lines of w cells. The foot is below the table: the filter, an explanation
// of the marks for changed rows, and lines about the rows. If there is room between table and foot, the lines of
// ListOptions.RenderSpare are there.
func (p *List[T]) RowsView(w, h int) string {
	p.lastView.rowsHeight = h
	p.prepareGrid(w)
	foot := p.drawFoot(w, h)
	spare := p.drawSpare(w, h-len(foot))
	below := slices.Concat(spare, foot)
	if len(spare) > 0 && p.opt.SpareAtRows {
		const otherLines = 2 // the titles of the columns, and the line about hidden columns
		blank := max(0, h-len(below)-p.Grid.RowLines()-otherLines)
		below = slices.Concat(spare, make([]string, blank), foot)
	}
	rows := max(0, h-len(below))
	body := p.Grid.View(p.Env.Look.Theme, w, rows, !p.Map.Focused)
	matching, total := p.Grid.CountFitting()
	if matching == 0 && total > 0 && rows > 1 {
		noun := p.opt.Plural
		if p.loaded.state.More {
			noun += " loaded so far"
		}
		body = drawNoMatches(p.Env.Look.Theme, body, noun, w, rows)
	}
	if len(below) == 0 {
		return body
	}
	return format.FitBox(append(format.SplitLines(body), below...), w, h)
}

// prepareGrid sets the options of the grid before it is drawn in w cells: the units, whether it scrolls in larger
// steps, and whether the page has details.
func (p *List[T]) prepareGrid(w int) {
	p.Grid.UseUnits(p.Env.Look.Units)
	// If something is next to the table, the terminal cannot scroll the rows by itself, and each
	// step writes all of them. The table then scrolls in larger steps.
	isNarrower := w < p.Env.Look.Width
	p.Grid.Leap = isNarrower && p.Env.Clock.ScrollsPast()
	p.Grid.HasDetails = p.IsSplit() || p.opt.Layout.Stacked
}

// drawFoot returns the lines below the rows in a list of h lines.
func (p *List[T]) drawFoot(w, h int) []string {
	th := p.Env.Look.Theme
	foot := p.footLines(w)
	foot = foot[:min(len(foot), h/2)]
	facets := p.filter.renderFacets(th, w)
	if facets != "" && h > 6 {
		foot = append(foot, facets)
	}
	filter := p.FilterLine(w)
	explainsChanges := filter == nil && p.Grid.HasChanges() && h > 12 && !th.Linear
	if explainsChanges {
		mark := th.PaintRole(theme.Accent, "┃")
		foot = append(foot, " "+mark+th.PaintMuted(" new or changed in the last minute"))
	}
	return append(foot, filter...)
}

// drawSpare returns the lines of ListOptions.RenderSpare, or nil if the table leaves no room for them. h is the
// number of lines for the table and the spare lines together. The table needs a line for its titles, one or two
// lines for each row, a line about hidden columns, and a blank line.
func (p *List[T]) drawSpare(w, h int) []string {
	const otherLines = 3
	th := p.Env.Look.Theme
	isFull := p.Grid.Len()+otherLines >= h
	if p.opt.RenderSpare == nil || isFull || th.Linear {
		return nil
	}
	p.Grid.View(th, w, h, !p.Map.Focused) // decides which rows need two lines
	spare := h - p.Grid.RowLines() - otherLines
	if spare <= 0 {
		return nil
	}
	return p.opt.RenderSpare(w, spare)
}

// drawNoMatches draws the message that no row matches the filter, below the column titles, which are the first line
// of drawnTable. plural is the noun for rows.
func drawNoMatches(th *theme.Theme, drawnTable, plural string, w, h int) string {
	header := format.SplitLines(drawnTable)[0]
	key := format.CleanText(th.Key, action.KeyOf(action.Back, action.Everywhere))
	text := " No matching " + plural + "; " + key + " clears the filter"
	return format.FitBox([]string{header, "", text}, w, h)
}

// drawLoading draws a table with placeholders, before rows are loaded.
func drawLoading(th *theme.Theme, grid *widget.Grid, w, h int) string {
	table := widget.Table{Columns: slices.Clone(grid.Columns)}
	row := widget.Row{Cells: make([]widget.Cell, len(table.Columns))}
	for i := range table.Columns {
		column := &table.Columns[i]
		column.Longest = 0
		width := max(2, min(column.Width*4/5, 16))
		row.Cells[i] = widget.Cell{Text: strings.Repeat("░", width), Role: theme.Muted}
	}
	rowID := strconv.Itoa
	table.SetRows(min(8, h), rowID, func(int) widget.Row { return row })
	return table.View(th, w, h, false)
}
