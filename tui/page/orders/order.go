package orders

import (
	"cmp"
	"context"
	"time"

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
	read   time.Time
	err    error
	asked  page.Question
	quotes page.Question
	again  page.Question // for the order, to place it again
	polls  int
	above  int // lines above the missions in the last view
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
	case p.asked.Open():
		return "reading…"
	case p.read.IsZero():
		return ""
	default:
		return "refreshed " + format.Ago(p.read, p.Now())
	}
}

// Start reads the order, and then now and again while it is on the screen.
func (p *Order) Start() tea.Cmd {
	p.polls++
	return tea.Batch(p.refresh(), p.readQuotes(), page.Later(p.Base, poll, pollMsg{p.polls}))
}

type recordAnswer = page.Answer[*api.OrderRecord]

// readQuotes reads the order's quotes. A service without the second generation,
// or a key that may not read it, has no more to tell.
func (p *Order) readQuotes() tea.Cmd {
	id := cmp.Or(p.detail.order.UUID, p.code)
	return page.Ask(p.Base, &p.quotes, func(ctx context.Context) (*api.OrderRecord, error) {
		return p.Client.Records.Get(ctx, id)
	})
}

func (p *Order) refresh() tea.Cmd {
	return page.Ask(p.Base, &p.asked, func(ctx context.Context) (*api.Order, error) {
		return p.Client.Orders.Get(ctx, p.code)
	})
}

// Update takes the answer.
func (p *Order) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case fullAnswer:
		if !msg.Take() {
			return nil
		}
		if p.err = msg.Err; p.err == nil {
			p.read = p.Now()
			p.detail.set(msg.Value)
		} else {
			p.detail.set(keptMissions(p.Env, p.detail.order))
		}
		p.follow()
	case repeatedAnswer:
		return begins(p.Env, msg)
	case recordAnswer:
		if msg.Take() && msg.Err == nil {
			p.detail.record = msg.Value
		}
	case pollMsg:
		if msg.number == p.polls && p.Shown() {
			return tea.Batch(p.refresh(), p.readQuotes(), page.Later(p.Base, poll, msg))
		}
	case page.SentMsg:
		return tea.Batch(p.refresh(), p.readQuotes())
	}
	return nil
}

// Disabled says which moves the order does not take.
func (p *Order) Disabled(id action.ID) string {
	if id == action.OrderAgain {
		return notAgain(p.detail.order, &p.again)
	}
	if id == action.Open && len(p.detail.order.Missions) == 0 {
		return "its missions are not read yet"
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
		return tea.Batch(p.refresh(), p.readQuotes())
	case action.Open:
		return p.openMission()
	case action.ShowStory:
		return p.OpenStory(timeline.Subject{Order: p.code}, "")
	case action.ShowData:
		return p.Open(deliveries.NewOf(p.Env, p.code, ""))
	case action.ShowQuotes:
		return p.Open(quotes.NewCompare(p.Env, cmp.Or(p.detail.order.UUID, p.code), p.detail.record))
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
	if p.err != nil && len(d.order.Missions) == 0 {
		lines := append(d.head(w), "")
		return layout.Box(append(lines, page.Problem(p.Theme, p.err, "", "r", w)...), w, h)
	}
	d.table.Margin = 0
	if w < 100 {
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
	if p.err != nil {
		read := p.read
		if read.IsZero() {
			read = p.Cache.Now().At // the missions are those that the fleet knows
		}
		problem = page.Problem(p.Theme, p.err, "the order as read "+format.Ago(read, p.Now()), "r", w)
	}
	need := min(d.table.Len()+1, 6) + len(problem)
	if story := quotes.Story(p.Theme, p.detail.record, p.Now(), w); len(story) > 0 && h-len(lines)-len(story)-1 >= min(need, 3+len(problem)) {
		lines = append(append(lines, story...), "")
	}
	if room := h - len(lines) - 1 - need; room > 0 {
		facts := d.facts("", w)
		lines = append(append(lines, facts[:min(len(facts), room)]...), "")
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
