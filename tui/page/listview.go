package page

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// View draws the page.
func (p *List[T]) View(w, h int) string {
	var head []string
	if p.opt.Head != nil {
		head = p.opt.Head(w)
		head = head[:min(len(head), max(1, h/3))]
	}
	p.Head = min(len(head), max(0, h-1))
	if p.Head == 0 {
		return p.body(w, h)
	}
	return format.FitBox(head, w, p.Head) + "\n" + p.body(w, h-p.Head)
}

// body returns the page below its head.
func (p *List[T]) body(w, h int) string {
	p.HidePanes()
	switch s := p.Sync(); {
	case len(p.rows) == 0 && (s.Err != nil || !s.At.IsZero()):
		return format.FitBox(p.blank(w), w, h)
	case len(p.rows) == 0:
		return p.viewLoading(w, h)
	case p.IsSplit():
		return p.drawSplit(w, h)
	case p.Map.Focused:
		return p.DrawMap(0, 0, w, h)
	case p.opt.Stacked && h >= leastStacked:
		return p.stacked(w, h)
	case p.InPlace && !p.typing: // a filter is typed below the list
		return p.Panes.Split.Panes[1].View(w, h)
	}
	return p.RowsView(w, h)
}

// leastStacked is the height from which on the detail is below the rows.
const leastStacked = 10

// stacked draws the rows, and what they leave of the height, two fifths at
// least, for the detail.
func (p *List[T]) stacked(w, h int) string {
	top := min(max(len(p.rows)+2, h/3), h-max(5, h*2/5))
	rows := p.RowsView(w, top)
	if _, is := p.selected(); !is {
		return rows + "\n" + format.FitBox(nil, w, h-top)
	}
	title := p.Env.Look.Theme.Rule.Render("─ ") + p.Env.Look.Theme.PaintTitle(format.CapitalizeFirst(p.opt.One))
	return rows + "\n" + format.FitLeft(title, w) + "\n" + p.Panes.Split.Panes[1].View(w, h-top-1)
}

// blank returns what stands in place of rows.
func (p *List[T]) blank(w int) []string {
	err := p.state.Err
	if p.opt.Blank != nil {
		if lines := p.opt.Blank(err, w); lines != nil {
			return lines
		}
	}
	switch {
	case err != nil:
		return p.opt.Problem(err, "", w)
	case p.failed && p.opt.Unsure != nil && p.opt.Unsure() != "":
		lines := append([]string{""}, p.Env.Look.Theme.PaintLines(theme.Attention, " ? ", p.opt.Unsure(), w-4)...)
		return append(lines, "", " "+p.Env.Look.Theme.PaintHint("b", "shows all"))
	case p.failed:
		fine := p.Env.Look.Theme.PaintRole(theme.Good, " ✓ "+p.opt.Fine)
		return []string{"", fine, "", " " + p.Env.Look.Theme.PaintHint("b", "shows all")}
	}
	none, more, _ := strings.Cut(p.opt.Empty, "\n")
	lines := []string{"", p.Env.Look.Theme.PaintText(" " + none), ""}
	if more != "" {
		lines = append(lines, p.Env.Look.Theme.PaintLines(theme.Muted, " ", more, w-2)...)
	}
	for _, k := range p.opt.Keys {
		lines = append(lines, " "+p.Env.Look.Theme.PaintHint(k.Key, k.Text))
	}
	return lines
}

// footLines returns what there is to say of the rows.
func (p *List[T]) footLines(w int) (foot []string) {
	if p.opt.Foot != nil {
		foot = p.opt.Foot(w)
	}
	if p.failed {
		foot = append(
			foot,
			p.Env.Look.Theme.PaintRole(theme.Attention, " problems only · ")+p.Env.Look.Theme.PaintHint("b", "shows all"),
		)
	}
	if s := p.Sync(); s.Err != nil {
		kept := p.KeptText(format.Count(len(s.Rows), p.opt.One, p.opt.Many), s.At)
		foot = p.opt.Problem(s.Err, kept, w)
	}
	return foot
}

const (
	// Wide is the width from which on a list and its detail are side by side.
	Wide = 120
	// Wider is the width from which on there is room for one pane more.
	Wider = 160
)

// leastThird are the cells that a third pane needs.
const leastThird = 24

// drawSplit draws the list and what is said of its row beside it, in a wider window with
// a third pane. The list gets its share, or the cells that its columns need, half of them
// at least, as far as the other panes keep what they need.
func (p *List[T]) drawSplit(w, h int) string {
	panes, rest := p.Split.Panes[:2], w
	if p.HasThird() {
		third := widget.Pane{
			Cells: w / 5, Least: leastThird, View: p.drawSelected(p.opt.Third), Of: p.Grid.Selected,
		}
		panes, rest = append(panes, third), w-w/5-1
	}
	panes[0].Cells = (w*p.opt.Share + 50) / 100
	if p.opt.Share == 0 {
		panes[0].Cells = max(rest/2, min(p.Grid.WantedWidth(), rest-1-panes[1].Least))
	}
	p.Split.Panes = panes
	return p.DrawPanes(w, h)
}

// drawSelected draws the selected row as the page does, nothing without one.
func (p *List[T]) drawSelected(draw func(t T, w, h int) string) func(w, h int) string {
	return func(w, h int) string {
		if t, is := p.selected(); is {
			return draw(t, w, h)
		}
		return format.FitBox(nil, w, h)
	}
}

// drawDetail draws what is said of a row, and the map below it.
func (p *List[T]) drawDetail(t T, w, h int) string {
	var lines []string
	var place bool
	if p.opt.Lines != nil {
		lines, place = p.opt.Lines(t, w, h)
	} else {
		about := p.opt.About(t)
		lines, place = about.renderLines(p.Env.Look.Theme, w, h), about.Place
	}
	if rest := h - len(lines) - 1; place && rest >= 4 && !p.Env.Look.Theme.Linear {
		lines = append(lines, p.Env.Look.Theme.Rule.Render(strings.Repeat("─", w)))
		lines = append(lines, format.SplitLines(p.DrawMap(1, len(lines), w, rest))...)
	}
	if id := p.opt.ID(t); id != p.said { // another one is read from its beginning
		p.said = id
		p.Scroll.ScrollToTop()
	}
	return format.FitBox(p.Scroll.View(lines, h, p.Env.Look.Theme.Style(theme.Muted)), w, h)
}

// chooseColumns opens the dialog in which columns are chosen and ordered. What it
// does is shown behind it at once.
func (p *List[T]) chooseColumns() {
	type doing = func(at int) (tea.Cmd, bool)
	grid, before, places := p.Grid, p.Grid.ColumnPlaces(), p.Grid.ColumnPlaces()
	show := func(places []widget.ColumnPlace) (tea.Cmd, bool) {
		grid.ArrangeColumns(places)
		grid.RefreshRows()
		return nil, false
	}
	l := &widget.ListDialog{
		Title: "Columns of " + p.opt.Name, Most: 50, Ticks: 6,
		Hint: "space on/off  J K move  enter save",
		Rows: func() []widget.ListRow { return columnRows(grid, places) },
	}
	move := func(n int) doing {
		return func(at int) (tea.Cmd, bool) {
			l.At = max(0, min(at+n, len(places)-1))
			places[at], places[l.At] = places[l.At], places[at]
			return show(places)
		}
	}
	l.Take = func(at int) (tea.Cmd, bool) { // the last one stays
		places[at].Off = !places[at].Off
		if !slices.ContainsFunc(places, func(c widget.ColumnPlace) bool { return !c.Off }) {
			places[at].Off = false
		}
		return show(places)
	}
	l.Keys = map[string]doing{
		"J": move(1), "shift+down": move(1), "K": move(-1), "shift+up": move(-1), "space": l.Take,
		"R": func(int) (tea.Cmd, bool) {
			cmd, done := show(nil)
			places = grid.ColumnPlaces()
			return cmd, done
		},
		"esc": func(int) (tea.Cmd, bool) {
			cmd, _ := show(before)
			return cmd, true
		},
		"enter": func(int) (tea.Cmd, bool) {
			p.Env.Look.UIState.Put(columnsKey(p.opt.Name), places)
			return p.Env.Look.KeepLook(), true
		},
	}
	p.Env.Nav.Overlay(l)
}

// columnRows returns the columns as rows of a dialog, with those that have no room.
func columnRows(grid *widget.Grid, places []widget.ColumnPlace) []widget.ListRow {
	rows := make([]widget.ListRow, len(places))
	for i, c := range places {
		title := grid.ColumnTitle(c.Name)
		rows[i] = widget.ListRow{Text: "✓ " + title}
		if c.Off {
			rows[i] = widget.ListRow{Text: "  " + title, Role: theme.Muted}
		} else if !grid.InView(c.Name) {
			rows[i].Right = "no room"
		}
	}
	return rows
}

// RowsView draws the table into exactly h lines of w cells, with what there is to
// say of filter, changes and rows at its foot.
func (p *List[T]) RowsView(w, h int) string {
	p.height = h
	p.Grid.UseUnits(p.Env.Look.Units)
	th, foot := p.Env.Look.Theme, p.footLines(w)
	foot = foot[:min(len(foot), h/2)]
	if hint := p.filterFacets(w); hint != "" && h > 6 {
		foot = append(foot, hint)
	}
	filter := p.FilterLine(w)
	foot = append(foot, filter...)
	if filter == nil && p.Grid.HasChanges() && h > 12 && !th.Linear {
		foot = append(
			foot,
			" "+th.PaintRole(theme.Accent, "┃")+th.PaintMuted(" new or changed in the last minute"),
		)
	}
	rows := max(0, h-len(foot))
	// Beside something else the terminal cannot move the rows for itself: each
	// turn by one writes them all.
	p.Grid.Leap = w < p.Env.Look.Width && p.Env.Clock.IsScrolling != nil && p.Env.Clock.IsScrolling()
	body := p.Grid.View(th, w, rows, !p.Map.Focused)
	if fitting, of := p.Grid.CountFitting(); fitting == 0 && of > 0 && rows > 1 {
		none := " No matching " + p.opt.Many + "; " + format.CleanText(th.Key, "esc") + " clears the filter"
		body = format.FitBox([]string{format.SplitLines(body)[0], "", none}, w, rows)
	}
	if len(foot) == 0 {
		return body
	}
	return format.FitBox(append(format.SplitLines(body), foot...), w, h)
}

// viewLoading draws the table as it will be, before there are rows.
func (p *List[T]) viewLoading(w, h int) string {
	ghost := widget.Table{Columns: slices.Clone(p.Grid.Columns)}
	row := widget.Row{Cells: make([]widget.Cell, len(ghost.Columns))}
	for i := range ghost.Columns {
		c := &ghost.Columns[i]
		c.Longest = 0
		row.Cells[i] = widget.Cell{Text: strings.Repeat("░", max(2, min(c.Width*4/5, 16))), Role: theme.Muted}
	}
	ghost.SetRows(
		min(8, h),
		func(i int) string { return fmt.Sprint(i) },
		func(int) widget.Row { return row },
	)
	return ghost.View(p.Env.Look.Theme, w, h, false)
}
