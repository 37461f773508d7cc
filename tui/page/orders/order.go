package orders

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/quotes"
)

// Order is the page of one order.
type Order struct {
	page.Base
	detail *detail
	code   string
	state  cache.State
	again  page.Question // for the order, to place it again
	above  int           // lines above the missions in the last view
}

// NewOrder returns the page of an order that is known from a list, or in full.
func NewOrder(env *page.Env, o *api.Order) *Order {
	p := &Order{Base: page.NewBase(env), code: o.OrderCode, detail: newDetail(env)}
	p.detail.set(o)
	return p
}

// Title is the order's code.
func (p *Order) Title() string { return p.code }

// Corner tells the data's age.
func (p *Order) Corner() string {
	switch {
	case p.state.Unread():
		return "reading…"
	case p.state.ReadAt.IsZero():
		return ""
	default:
		return "refreshed " + format.Ago(p.state.ReadAt, p.Now())
	}
}

// uid is what the order's quotes are known by.
func (p *Order) uid() string { return cmp.Or(p.detail.order.UUID, p.code) }

// Needs are the order, and its quotes. A service without the v2 API,
// or a key that may not read it, has no more to tell.
func (p *Order) Needs() []cache.Need {
	return []cache.Need{p.Cache.Details.Of(p.code), p.Cache.Records.Of(p.uid())}
}

// Start shows what is known, which the cache keeps up to date.
func (p *Order) Start() tea.Cmd {
	if r, _ := p.Cache.Records.Get(p.uid()); r != nil {
		p.detail.record = r
	}
	o, state := p.Cache.Details.Get(p.code)
	if state.Version == p.state.Version {
		return nil
	}
	p.state = state
	switch {
	case state.Err != nil:
		p.detail.set(keptMissions(p.Env, p.detail.order))
	case o != nil:
		p.detail.set(o)
	}
	p.follow()
	return nil
}

// Update takes what was read.
func (p *Order) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.ReadMsg, page.KeptMsg:
		return p.Start()
	case repeatedAnswer:
		return begins(p.Env, msg)
	}
	return nil
}

// Disabled says which moves the order does not take.
func (p *Order) Disabled(id action.ID) string {
	if id == action.OrderAgain {
		return notAgain(p.detail.order, &p.again)
	}
	if id == action.ShowRecord && p.detail.record == nil {
		return p.noRecord()
	}
	if id == action.Open && len(p.detail.order.Missions) == 0 {
		return "its missions are still loading"
	}
	if move, is := moves[id]; is {
		return movable(p.Env, p.detail.order, move)
	}
	return ""
}

// follow selects on the map what is selected in the table.
func (p *Order) follow() {
	if missions := p.detail.order.Missions; len(missions) > 0 {
		p.detail.smap.SetSelected(missions[p.detail.table.Cursor()].UUID)
	}
}

// Scopes are the page's, with the map's first while that is in focus.
func (p *Order) Scopes() []action.Scope {
	return p.detail.smap.Scopes(p.Width >= 100, action.Order, action.List)
}

// Back leaves the map first.
func (p *Order) Back() bool {
	was := p.detail.smap.Focused
	p.detail.smap.Focused = false
	return was
}

// Do performs an action.
func (p *Order) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Refresh:
		p.Cache.Reread(p.Needs()...)
		return nil
	case action.Open:
		return p.openMission()
	case action.ShowStory:
		return p.OpenStory(timeline.Subject{Order: p.code}, "")
	case action.ShowRecord:
		p.showRecord()
		return nil
	case action.ShowData:
		return p.Open(deliveries.NewOf(p.Env, p.code, ""))
	case action.ShowQuotes:
		return p.Open(quotes.NewCompare(p.Env, p.uid(), p.detail.record))
	case action.CancelOrder, action.ArchiveOrder, action.RejectOrder:
		askMove(p.Env, p.detail.order, moves[id])
		return nil
	case action.CopyCode:
		return copyCode(p.Env, p.detail.order)
	case action.NewOrder:
		return p.NewOrder()
	case action.OrderAgain:
		return again(p.Base, &p.again, p.detail.order)
	}
	if p.detail.smap.Do(id) {
		if p.detail.table.Select(p.detail.smap.Selected()) {
			p.follow()
		}
		return nil
	}
	if page.Move(&p.detail.table, id) {
		p.follow()
	}
	return nil
}

// openMission opens the mission that is selected.
func (p *Order) openMission() tea.Cmd {
	o := p.detail.order
	return p.OpenMission(cache.MissionOf(&o.Missions[p.detail.table.Cursor()], o))
}

// Jumps are the missions.
func (p *Order) Jumps() []page.Jump {
	if p.detail.smap.Focused && p.Width < 100 {
		return nil // the map has their place
	}
	return page.Rows(&p.detail.table, 0, p.above, p.Mouse)
}

// Mouse selects a mission, and zooms the map with the wheel.
func (p *Order) Mouse(m page.Mouse) tea.Cmd {
	d := p.detail
	if left, shown := p.mapAt(); shown && m.X >= left {
		if id, ok := d.smap.Mouse(m, left, 0); ok && d.table.Select(id) {
			p.follow()
		}
		return nil
	}
	if m.Wheel != 0 {
		d.table.Move(m.Wheel / 3)
	} else if !d.table.Click(m.Y - p.above) {
		return nil
	}
	p.follow()
	if m.Double && len(d.order.Missions) > 0 {
		return p.openMission()
	}
	return nil
}

// Drag moves the map.
func (p *Order) Drag(m page.Mouse, over bool) tea.Cmd {
	p.detail.smap.Drag(m, over)
	return nil
}

// Point shows where the mouse is on the map.
func (p *Order) Point(m page.Mouse) {
	if left, shown := p.mapAt(); shown {
		p.detail.smap.Point(m, left, 0)
	}
}

// Points reports whether the map is shown.
func (p *Order) Points() bool {
	_, shown := p.mapAt()
	return shown
}

// mapAt is the column where the map begins, and whether it is shown.
func (p *Order) mapAt() (int, bool) {
	if p.Width < 100 {
		return 0, p.detail.smap.Focused
	}
	return p.Width/2 + 2, true
}

// View draws the order: facts and missions, and the map beside them, or in
// their place while it is in focus.
func (p *Order) View(w, h int) string {
	d := p.detail
	if p.state.Err != nil && len(d.order.Missions) == 0 {
		return layout.Box(append(append(d.head(w), ""), p.unread(w)...), w, h)
	}
	d.table.Margin = 0
	if !p.Theme.IsWide(w, 100) {
		if d.smap.Focused {
			return d.smap.View(p.Theme, w, h)
		}
		return p.facts(w, h)
	}
	left := w / 2
	d.table.Margin = 1
	return layout.Beside(p.Theme.Rule.Render("│"), p.facts(left+1, h), d.smap.View(p.Theme, w-left-2, h))
}

// facts draws head, timeline, fields and missions; the missions get what is
// left, and the fields go first where that is too little.
func (p *Order) facts(w, h int) string {
	d := p.detail
	lines := append(d.head(w), "")
	if tl := d.timeline(w); tl != nil {
		lines = append(append(lines, tl...), "")
	}
	var problem []string
	if p.state.Err != nil {
		read := p.state.ReadAt
		if read.IsZero() {
			read = p.Cache.Now().At // the missions are those that the fleet knows
		}
		problem = page.Problem(p.Theme, p.state.Err, "Showing data loaded "+format.Ago(read, p.Now()), "r", w)
	}
	need := min(d.table.Len()+1, 6) + len(problem)
	if story := quotes.Story(p.Theme, p.detail.record, p.Now(), w); len(story) > 0 && h-len(lines)-len(story)-1 >= min(need, 3+len(problem)) {
		lines = append(append(lines, story...), "")
	}
	if room := h - len(lines) - 1 - need; room > 0 {
		lines = append(append(lines, d.fitted(w, room)...), "")
	}
	lines = append(lines, problem...)
	lines = lines[:min(len(lines), h)]
	p.above = len(lines)
	box := layout.Box(lines, w, len(lines))
	if rest := h - len(lines); rest > 0 {
		box += "\n" + d.table.View(p.Theme, w, rest, !d.smap.Focused)
	}
	return box
}
