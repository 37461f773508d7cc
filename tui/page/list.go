package page

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
)

const (
	nearEnd = 10  // rows from the last one at which older ones are wanted
	further = 100 // so many
)

// List is a page that lists things of one kind, with the selected one beside
// the list in a wide window. T is a pointer to such a thing: for all types of
// pointers there is one code of the list in the program.
type List[T any] struct {
	Base
	*Panes
	Grid *widget.Grid
	// InPlace is while the detail is shown in place of the list, where the
	// window is narrow.
	InPlace bool

	opt    ListOptions[T]
	source ListSource[T]
	state  ListState[T] // of the source
	rows   []T          // as the table shows them
	failed bool         // those alone that failed
	wanted int          // rows
	height int          // of the rows, with what is said of them

	Scroll widget.Scroll // of what is said of a row
	said   string        // the row that it was said of last
	// Wanted is a row to select as soon as it is there, "" for none.
	Wanted string

	line   *widget.Input // the filter
	typing bool
}

// NewList makes a page of what a source knows.
func NewList[T any](base Base, source ListSource[T], opt ListOptions[T]) *List[T] {
	opt.Columns = columns.ScreenColumns(opt.Columns)
	p := &List[T]{
		Base: base, opt: opt, source: source,
		Grid: widget.NewGrid(base.Env.Clock.Now, columns.ColumnSpecs(opt.Columns)...), line: widget.NewInput(200),
	}
	p.opt.Many = cmp.Or(opt.Many, format.Plural(opt.One))
	p.opt.Name = cmp.Or(opt.Name, p.opt.Many)
	if opt.ID == nil {
		uuid := columns.MakeColumns[T]("ids", nil)[0].Value
		p.opt.ID = func(t T) string { return uuid(t).Text }
	}
	if opt.Problem == nil {
		p.opt.Problem = base.Env.Look.RenderProblem
	}
	p.line.Hint = "words, or column:value, such as " + opt.Example
	var places []widget.ColumnPlace
	if base.Env.Look.UIState.Get(columnsKey(p.opt.Name), &places) {
		p.Grid.ArrangeColumns(places)
	}
	p.Panes = NewPanes(base, p.opt.Name,
		widget.Pane{Least: cmp.Or(opt.LeastRows, 50), View: p.RowsView},
		widget.Pane{
			Least: cmp.Or(opt.LeastDetail, 40),
			View:  p.drawSelected(p.drawDetail),
			Of:    p.Grid.Selected,
		})
	p.Map = NewSiteMap()
	p.state = source.State()
	p.fillTable()
	return p
}

// Title returns the page's name.
func (p *List[T]) Title() string { return p.opt.Title }

// CornerText counts the rows and tells their age.
func (p *List[T]) CornerText() string {
	s := p.Sync()
	switch {
	case s.Offline:
		return AsOf(s.At, p.Env.Clock.Now(), s.Err == nil)
	case s.At.IsZero() && len(s.Rows) == 0 && s.Err == nil:
		return "loading…"
	case s.At.IsZero() && len(s.Rows) == 0:
		return ""
	}
	text := format.Count(len(s.Rows), p.opt.One, p.opt.Many)
	if s.More || s.At.IsZero() {
		text += " loaded, more below"
	}
	if s.At.IsZero() {
		return text
	}
	return text + " · refreshed " + format.Ago(s.At, p.Env.Clock.Now())
}

// LeadOf returns the one thing that matters now.
func (p *List[T]) LeadOf() Lead {
	if p.opt.Lead == nil {
		return Lead{}
	}
	return p.opt.Lead()
}

// OnShow shows what is known, which the cache keeps up to date.
func (p *List[T]) OnShow() tea.Cmd {
	p.Sync()
	return nil
}

// DataNeeds returns the rows, and older ones where the selection comes near the last.
func (p *List[T]) DataNeeds() []cache.Need {
	if grid := p.Grid; p.state.More && grid.Cursor() >= grid.Len()-nearEnd {
		p.wanted = len(p.state.Rows) + further
	}
	var needs []cache.Need
	if p.source.Needs != nil {
		needs = p.source.Needs(p.wanted)
	}
	resting := p.Env.Clock.IsScrolling == nil || !p.Env.Clock.IsScrolling()
	if t, is := p.selected(); is && p.opt.Needs != nil && resting && p.IsSplit() {
		needs = append(needs, p.opt.Needs(t)...)
	}
	return needs
}

// Update takes what was read, and keys while the filter is typed.
func (p *List[T]) Update(msg tea.Msg) tea.Cmd {
	p.Sync()
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if p.typing {
			p.line.Update(msg)
			p.Grid.ApplyFilter(p.line.Value())
			p.followOnMap()
		}
	}
	return nil
}

// Sync shows what the source knows by now, as drawing does.
func (p *List[T]) Sync() ListState[T] {
	before := p.state
	p.state = p.source.State()
	if p.state.Version != before.Version || p.state.Reading != before.Reading && p.state.More {
		p.fillTable()
	}
	if p.Wanted != "" && p.Grid.Select(p.Wanted) {
		p.Wanted = ""
	}
	return p.state
}

// fillTable gives table and map their rows.
func (p *List[T]) fillTable() {
	rows := p.state.Rows
	if p.failed {
		rows = slices.DeleteFunc(slices.Clone(rows), func(t T) bool { return !p.opt.Failed(t) })
	}
	p.rows = rows
	if p.opt.Feature != nil {
		features := make([]geomap.Feature, 0, len(rows))
		for i := range rows {
			f := p.opt.Feature(rows[i])
			isNew := i == 0 || f.ID != p.opt.Feature(rows[i-1]).ID
			if f.Geometry != nil && isNew {
				features = append(features, f)
				if p.opt.FeatureParts != nil {
					features = append(features, p.opt.FeatureParts(rows[i])...)
				}
			}
		}
		p.Map.Model.SetFeatures(features)
	}
	old := p.state.Err != nil || p.state.Offline
	source := widget.RowSource{
		Len:  len(rows),
		ID:   func(i int) string { return p.opt.ID(rows[i]) },
		Cell: columns.CellsOf(p.opt.Columns, func(i int) T { return rows[i] }),
		Look: func(i int) (mark widget.Cell, muted bool) {
			switch {
			case p.opt.Mark != nil:
				mark = p.opt.Mark(rows[i])
			case p.opt.Failed != nil && p.opt.Failed(rows[i]):
				mark = widget.Cell{Text: "!", Role: theme.Bad}
			}
			return mark, old || p.opt.Muted != nil && p.opt.Muted(rows[i])
		},
		More: p.state.More, Loading: p.state.Reading,
	}
	if p.opt.Stamp != nil {
		source.Stamp = func(i int) string { return p.opt.Stamp(rows[i]) }
	}
	p.Grid.SetSource(source)
	p.followOnMap()
}

// Rows returns all rows, also those that the filter hides.
func (p *List[T]) Rows() []T {
	p.Sync()
	return p.rows
}

// Current returns the selected row, nil for none.
func (p *List[T]) Current() T {
	row, _ := p.selected()
	return row
}

func (p *List[T]) selected() (row T, is bool) {
	i, is := p.Grid.Current()
	if is = is && i < len(p.rows); is {
		row = p.rows[i]
	}
	return row, is
}

// followOnMap selects on the map what is selected in the list.
func (p *List[T]) followOnMap() {
	if t, is := p.selected(); is && p.opt.Feature != nil {
		p.Map.Select(p.opt.Feature(t).ID)
	}
}

// hasDetail reports whether there is something to say of a row beside the list.
func (p *List[T]) hasDetail() bool {
	return p.opt.About != nil || p.opt.Lines != nil
}

// IsSplit reports whether what there is to say of a row is beside the list.
func (p *List[T]) IsSplit() bool {
	return p.hasDetail() && p.Env.Look.Width >= cmp.Or(p.opt.From, Wide)
}

// HasThird reports whether there is a third pane: a page that has one, in a window that
// is [Wider], with something for it.
func (p *List[T]) HasThird() bool {
	return p.opt.Third != nil && p.IsSplit() && p.Env.Look.Width >= Wider && p.opt.HasThird()
}

// ActionScopes returns the page's.
func (p *List[T]) ActionScopes() []action.Scope {
	p.Sync() // a key is about what is there by now, drawn or not
	if p.typing {
		return []action.Scope{action.FilterLine}
	}
	scopes := slices.Concat([]action.Scope{p.opt.Scope}, p.opt.Also, []action.Scope{action.List, action.Table})
	if p.opt.Feature == nil || len(p.rows) == 0 {
		return scopes
	}
	return p.Map.MapScopes(p.IsSplit() || p.InPlace, scopes...)
}

// HandleBack leaves the map or the detail, then clears the filter.
func (p *List[T]) HandleBack() bool {
	switch {
	case p.Map.Focused:
		p.Map.Focused = false
	case p.CoversList():
		p.InPlace = false
	default:
		return p.ClearFilter()
	}
	return true
}

// CoversList reports whether the detail is shown in place of the list.
func (p *List[T]) CoversList() bool { return p.InPlace && !p.IsSplit() }

func (p *List[T]) open() tea.Cmd {
	switch act := FindAct(p.opt.Acts, action.Open); {
	case act != nil && p.DisabledReason(action.Open) == "":
		return act.Do(p.Current())
	case act == nil && p.opt.Open != nil:
		return p.opt.Open(p.Current())
	case act == nil:
		p.InPlace = p.hasDetail()
	}
	return nil
}

// DisabledReason says why an action is off.
func (p *List[T]) DisabledReason(id action.ID) string {
	act := FindAct(p.opt.Acts, id)
	t, is := p.selected()
	switch {
	case !is && id == action.Open && p.Grid.IsOnMore():
		return "more " + p.opt.Many + " are loading"
	case !is && (id == action.Open || act != nil && !act.Any):
		return "no " + p.opt.One + " selected; select one"
	}
	return cmp.Or(act.DisabledReason(t), p.listRefusal(id))
}

// IsUnlikely reports whether an action of the row is on, but not offered in the footer.
func (p *List[T]) IsUnlikely(id action.ID) bool {
	t, is := p.selected()
	return is && FindAct(p.opt.Acts, id).IsUnlikely(t)
}

// HandleAction performs an action.
func (p *List[T]) HandleAction(id action.ID) tea.Cmd {
	if act := FindAct(p.opt.Acts, id); act != nil {
		return act.Do(p.Current())
	}
	switch id {
	case action.Open:
		return p.open()
	case action.Refresh:
		if p.source.Refresh != nil {
			return p.source.Refresh()
		}
		if p.source.Needs != nil {
			p.Env.Profile.Cache.RereadNeeds(p.source.Needs(0)[0])
		}
		return nil
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
	cmd := p.handleListAction(id)
	p.followOnMap()
	return cmd
}

// HandleMouse selects a row, in the list or on the map, opens it with a second click,
// moves with the wheel, and takes hold of the divider.
func (p *List[T]) HandleMouse(m MouseInput) tea.Cmd {
	if m.Y < p.Head && m.Wheel == 0 {
		return nil
	}
	id, taken := p.TakeMouse(m)
	m.Y -= p.Head
	switch {
	case taken && p.Grid.Select(id):
		p.followOnMap()
	case m.Wheel != 0 && (taken || p.CoversList()):
		p.Scroll.Move(m.Wheel)
	case !taken && !p.CoversList() && p.clickList(m):
		p.followOnMap()
		if _, is := p.selected(); is && m.Double {
			return p.open()
		}
	}
	return nil
}

// JumpTargets returns the rows on the screen.
func (p *List[T]) JumpTargets() []JumpTarget {
	if len(p.rows) == 0 || p.CoversList() || !p.IsSplit() && p.Map.Focused {
		return nil // something else has their place
	}
	return RowTargets(&p.Grid.Table, p.Head, p.HandleMouse)
}

// KnownPlaces returns the rows.
func (p *List[T]) KnownPlaces() []KnownPlace {
	if p.opt.Place == nil {
		return nil
	}
	places := make([]KnownPlace, len(p.rows))
	for i, t := range p.rows {
		name, kind := p.opt.Place(t)
		places[i] = KnownPlace{
			Name: name,
			Kind: kind,
			Open: func() tea.Cmd { return p.opt.Open(t) },
		}
	}
	return places
}
