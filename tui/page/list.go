package page

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/widget"
)

// List is a page that lists objects of one kind. In a wide window it shows the details of the selected object next
// to the list. T should be a pointer type: the compiler generates the code of List only once for all pointer types.
type List[T any] struct {
	Base
	*Panes
	Grid *widget.Grid
	// InPlace is true while the details are shown instead of the list, in a narrow window.
	InPlace bool
	// Wanted is the ID of a row to select once it is loaded, or "".
	Wanted string
	Scroll widget.Scroll // scroll position of the details

	opt      ListOptions[T]
	loaded   loadedRows[T]
	filter   *RowFilter
	lastView listView
}

// listView is what the last view of a list has drawn.
type listView struct {
	rowsHeight int    // height of RowsView
	detailID   string // ID of the row with details
}

// NewList returns a page that lists the rows of a source.
func NewList[T any](base Base, source ListSource[T], opt ListOptions[T]) *List[T] {
	opt.setDefaults(base)
	p := &List[T]{
		Base:   base,
		opt:    opt,
		loaded: loadedRows[T]{source: source, state: source.State()},
		Grid:   widget.NewGrid(base.Env.Clock.Now, columns.ColumnSpecs(opt.Columns)...),
	}
	p.filter = NewRowFilter(p.Grid, opt.Example)
	var places []widget.ColumnPlace
	if readLayout(base.Env.Look.UIState, columnsKey, opt.Name, &places) {
		p.Grid.ArrangeColumns(places)
	}
	rowsPane := widget.Pane{Least: opt.Layout.MinListWidth, View: p.drawRowsPane}
	detailPane := widget.Pane{
		Least: opt.Layout.MinDetailWidth,
		View:  p.drawDetailPane,
		Of:    p.Grid.Selected,
	}
	p.Panes = NewPanes(base, opt.Name, rowsPane, detailPane)
	p.Map = NewSiteMap()
	p.fillTable()
	return p
}

// Title returns the page's name.
func (p *List[T]) Title() string { return p.opt.Title }

// CornerText returns the number of rows and their age.
func (p *List[T]) CornerText() string {
	state := p.Sync()
	now := p.Env.Clock.Now()
	if state.Offline {
		return AsOf(state.At, now, state.Err == nil)
	}
	isComplete := !state.At.IsZero()
	if !isComplete && len(state.Rows) == 0 {
		return TextIf(state.Err == nil, "loading…")
	}
	text := p.opt.countText(len(state.Rows))
	if p.opt.DescribeCount != nil {
		text = p.opt.DescribeCount(state.Rows)
	}
	if state.More || !isComplete {
		text += " loaded, more below"
	}
	if isComplete {
		text += " · refreshed " + format.Ago(state.At, now)
	}
	return p.Env.Look.JoinSort(p.Grid, text)
}

// LeadOf returns the text next to the page's title: the most important fact on the page. It returns the zero Lead if
// there is no such text.
func (p *List[T]) LeadOf() Lead {
	if p.opt.Lead == nil {
		return Lead{}
	}
	return p.opt.Lead()
}

// OnShow shows the current rows of the source.
func (p *List[T]) OnShow() tea.Cmd {
	p.Sync()
	return nil
}

// DataNeeds returns the data to read for the rows and for the details of the selected row.
func (p *List[T]) DataNeeds() []cache.Need {
	needs := p.loaded.needs()
	row, isSelected := p.selected()
	readsDetails := isSelected && p.opt.Needs != nil && p.IsSplit() && !p.Env.Clock.ScrollsPast()
	if readsDetails {
		needs = append(needs, p.opt.Needs(row)...)
	}
	return needs
}

// Update shows the current rows of the source, and handles keys while the filter is typed.
func (p *List[T]) Update(msg tea.Msg) tea.Cmd {
	p.Sync()
	if p.filter.Update(msg) {
		p.followSelection()
	}
	return nil
}

// Sync shows the current rows of the source, and returns its state.
func (p *List[T]) Sync() ListState[T] {
	if p.loaded.update() {
		p.fillTable()
	}
	if p.Wanted != "" && p.Grid.Select(p.Wanted) {
		p.Wanted = ""
	}
	p.loaded.loadNearEnd(p.Grid)
	return p.loaded.state
}

// fillTable passes the rows of the source to the table and the map.
func (p *List[T]) fillTable() {
	p.loaded.selectRows(p.opt.Problems.Has)
	if p.opt.Feature != nil {
		p.Map.Model.SetFeatures(p.opt.features(p.loaded.rows))
	}
	staysAtTop := p.opt.LoadsInParts && p.loaded.isFirst && p.Grid.Cursor() == 0
	p.Grid.SetSource(p.rowSource())
	if staysAtTop {
		p.Grid.Move(-p.Grid.Cursor())
	}
	p.followSelection()
}

// rowSource returns the rows for the grid. All rows are muted if they could not be refreshed.
func (p *List[T]) rowSource() widget.RowSource {
	rows := p.loaded.rows
	isOutdated := p.loaded.isOutdated()
	source := widget.RowSource{
		Len:  len(rows),
		ID:   func(i int) string { return p.opt.ID(rows[i]) },
		Cell: columns.CellsOf(p.opt.Columns, func(i int) T { return rows[i] }),
		Look: func(i int) (mark widget.Cell, muted bool) {
			isMuted := isOutdated || p.opt.Muted != nil && p.opt.Muted(rows[i])
			return p.opt.markOf(rows[i]), isMuted
		},
		SortedBy:   p.opt.Order.Column,
		SortTitle:  p.opt.Order.Title,
		Descending: p.opt.Order.Descending,
		More:       p.loaded.state.More,
		Loading:    p.loaded.state.Reading,
	}
	if p.opt.ChangeStamp != nil {
		source.Stamp = func(i int) string { return p.opt.ChangeStamp(rows[i]) }
	}
	if p.opt.Rule != nil {
		source.Rule, source.RuleAbove = p.opt.Rule(rows)
	}
	if p.opt.LoadsLater != nil {
		source.LoadsLater = func(i int) bool { return p.opt.LoadsLater(rows[i]) }
	}
	return source
}

// Rows returns the rows of the table, including the rows that the filter hides.
func (p *List[T]) Rows() []T {
	p.Sync()
	return p.loaded.rows
}

// Current returns the selected row, or nil.
func (p *List[T]) Current() T {
	row, _ := p.selected()
	return row
}

// selected returns the selected row; ok is false if there is none.
func (p *List[T]) selected() (row T, ok bool) {
	i, ok := p.Grid.Current()
	if !ok || i >= len(p.loaded.rows) {
		return row, false
	}
	return p.loaded.rows[i], true
}

// followSelection selects the feature of the selected row on the map, and asks for older rows if the
// selection is near the last row.
func (p *List[T]) followSelection() {
	p.loaded.loadNearEnd(p.Grid)
	row, ok := p.selected()
	if ok && p.opt.Feature != nil {
		p.Map.Select(p.opt.Feature(row).ID)
	}
}

// IsSplit reports whether the details are next to the list.
func (p *List[T]) IsSplit() bool {
	return p.opt.hasDetail() && p.Env.Look.Width >= p.opt.Layout.DetailsFrom
}

// hasMapBeside reports whether the map has the right side of the window, with the details below the rows.
func (p *List[T]) hasMapBeside() bool {
	look := &p.Env.Look
	return p.opt.Layout.MapBeside && p.IsSplit() && look.Width >= Wider && !look.Theme.Linear
}

// ShowsThirdPane reports whether there is a third pane next to the details.
func (p *List[T]) ShowsThirdPane() bool {
	return p.opt.ThirdPane != nil && p.IsSplit() && p.Env.Look.Width >= Wider
}

// ActionScopes returns the scopes of the list and its map. While the filter is typed it returns only
// the scope of the filter.
func (p *List[T]) ActionScopes() []action.Scope {
	p.Sync() // a key acts on the current rows, even if they are not drawn yet
	if p.IsTyping() {
		return []action.Scope{action.FilterLine}
	}
	scopes := []action.Scope{p.opt.Scope}
	scopes = append(scopes, p.opt.Also...)
	scopes = append(scopes, action.List, action.Table)
	if p.opt.Feature == nil || len(p.loaded.rows) == 0 {
		return scopes
	}
	isMapDrawn := p.IsSplit() || p.InPlace
	return p.Map.MapScopes(isMapDrawn, scopes...)
}

// HandleBack leaves the map, leaves the details, or clears the filter: it does the first of these that is possible.
// It returns false if none of them is possible.
func (p *List[T]) HandleBack() (tea.Cmd, bool) {
	if p.Map.Focused {
		p.Map.Focused = false
		return nil, true
	}
	if p.CoversList() {
		p.InPlace = false
		return nil, true
	}
	return nil, p.ClearFilter()
}

// CoversList reports whether the details are shown instead of the list.
func (p *List[T]) CoversList() bool { return p.InPlace && !p.IsSplit() }

// open opens the selected row. It performs the action Open of ListOptions.Actions if there is one and it is enabled.
// Without such an action it calls ListOptions.Open. If that is nil, too, it shows the details instead of the list.
func (p *List[T]) open() tea.Cmd {
	if act := FindAction(p.opt.Actions, action.Open); act != nil {
		if p.DisabledReason(action.Open) != "" {
			return nil
		}
		return act.Do(p.Current())
	}
	if p.opt.Open != nil {
		return p.opt.Open(p.Current())
	}
	p.InPlace = p.opt.hasDetail()
	return nil
}

// DisabledReason returns why an action is disabled, or "".
func (p *List[T]) DisabledReason(id action.ID) string {
	act := FindAction(p.opt.Actions, id)
	row, isSelected := p.selected()
	if !isSelected && id == action.Open && p.Grid.IsOnMore() {
		if p.loaded.state.Err != nil {
			return "more " + p.opt.Plural + " could not be loaded"
		}
		return "more " + p.opt.Plural + " are loading"
	}
	needsRow := id == action.Open || act != nil && !act.NeedsNoRow
	if !isSelected && needsRow {
		if p.Grid.Len() == 0 {
			return "no " + p.opt.Singular + " selected; none is listed"
		}
		return "no " + p.opt.Singular + " selected; select one"
	}
	if reason := act.DisabledReason(row); reason != "" {
		return reason
	}
	return p.table().disabledReason(id)
}

// IsUnlikely reports whether the user is unlikely to want an action on the selected row. The footer leaves the
// action out, although it is enabled.
func (p *List[T]) IsUnlikely(id action.ID) bool {
	if id == action.MapZoom && p.Map.zooms { // the map zooms to each selected row, so the user rarely pans it
		return true
	}
	row, ok := p.selected()
	return ok && FindAction(p.opt.Actions, id).IsUnlikely(row)
}

// HandleAction performs an action of the page, the map or the list.
func (p *List[T]) HandleAction(id action.ID) tea.Cmd {
	if act := FindAction(p.opt.Actions, id); act != nil {
		return act.Do(p.Current())
	}
	switch id {
	case action.Open:
		return p.open()
	case action.Refresh:
		return p.refresh()
	case action.ScrollDown:
		p.Scroll.Move(p.Scroll.HalfPage())
		return nil
	case action.ScrollUp:
		p.Scroll.Move(-p.Scroll.HalfPage())
		return nil
	}
	if p.Map.HandleAction(id) {
		p.Grid.Select(p.Map.Model.Selected())
		return nil
	}
	cmd := p.handleTableAction(id)
	p.followSelection()
	return cmd
}

// refresh reads the rows again.
func (p *List[T]) refresh() tea.Cmd {
	source := &p.loaded.source
	if source.Refresh != nil {
		return source.Refresh()
	}
	if source.Needs != nil {
		p.Env.Profile.Cache.RefreshNeeds(source.Needs(0)...)
	}
	return nil
}

// HandleMouse selects the clicked row in the list or on the map. A second click opens the row. The
// wheel moves the selection, or scrolls the details. A click on the divider starts to drag it.
func (p *List[T]) HandleMouse(m MouseInput) tea.Cmd {
	if m.Y < p.Head && m.Wheel == 0 {
		return nil
	}
	id, handled := p.HandlePaneMouse(m)
	m.Y -= p.Head
	if handled && p.Grid.Select(id) {
		p.followSelection()
		return nil
	}
	if handled || p.CoversList() {
		p.Scroll.Move(m.Wheel)
		return nil
	}
	if !p.table().click(m) {
		return nil
	}
	p.followSelection()
	if _, ok := p.selected(); ok && m.Double {
		return p.open()
	}
	return nil
}

// JumpTargets returns a target for each visible row: the user can click a row by typing the label of the row.
func (p *List[T]) JumpTargets() []JumpTarget {
	coversMap := p.Map.Focused && !p.IsSplit()
	if len(p.loaded.rows) == 0 || p.CoversList() || coversMap {
		return nil
	}
	return RowTargets(&p.Grid.Table, p.Head, p.HandleMouse)
}

// KnownPlaces returns an entry of the palette for each row, so that the user can find and open the row from any
// page. It returns nil if the list has no ListOptions.PaletteEntry.
func (p *List[T]) KnownPlaces() []KnownPlace {
	if p.opt.PaletteEntry == nil {
		return nil
	}
	places := make([]KnownPlace, len(p.loaded.rows))
	for i, row := range p.loaded.rows {
		name, kind := p.opt.PaletteEntry(row)
		places[i] = KnownPlace{
			Name: name,
			Kind: kind,
			Open: func() tea.Cmd { return p.opt.Open(row) },
		}
	}
	return places
}
