package orders

import (
	"cmp"
	"context"
	"net/http"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// OrderPage is the page of one order.
type OrderPage struct {
	detail.Page
	detail *orderDetail
	code   string
	again  page.Question // loads the order, to order it again
	above  int           // lines above the missions in the last frame
}

// NewOrder returns the page of an order, known from a list or in full.
func NewOrder(env *page.Env, o *api.Order) *OrderPage {
	p := &OrderPage{code: o.OrderCode, detail: newOrderDetail(env)}
	p.Page = detail.NewPage(env, "order", 100, p.renderFacts, func(w, h int) string { return p.DrawMap(1, 0, w, h) })
	p.Map = p.detail.smap
	p.detail.setOrder(o)
	return p
}

// Title returns the order's code.
func (p *OrderPage) Title() string { return p.code }

// recordKey returns the key of the order's record in the cache.
func (p *OrderPage) recordKey() string { return cmp.Or(p.detail.order.UUID, p.code) }

// DataNeeds requests the order and its record with the quotes. Without access to the v2
// API there is no record.
func (p *OrderPage) DataNeeds() []cache.Need {
	return []cache.Need{p.Cache.Details.NeedOf(p.code), p.Cache.Records.NeedOf(p.recordKey())}
}

// OnShow takes the newest data of the cache.
func (p *OrderPage) OnShow() tea.Cmd {
	if r, _ := p.Cache.Records.Get(p.recordKey()); r != nil {
		p.detail.record = r
	}
	o, state := p.Cache.Details.Get(p.code)
	if state.Version == p.State.Version {
		return nil
	}
	p.State = state
	switch {
	case state.Err != nil:
		p.detail.setOrder(withKnownMissions(p.Env, p.detail.order))
	case o != nil:
		p.detail.setOrder(o)
	}
	p.followTable()
	return nil
}

// Update handles new data and the order loaded to order again.
func (p *OrderPage) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.ReadMsg, page.KeptMsg:
		return p.OnShow()
	case repeatedAnswer:
		return beginDraft(p.Env, msg)
	}
	return nil
}

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (p *OrderPage) DisabledReason(id action.ID) string {
	if id == action.OrderAgain {
		return repeatRefusal(p.detail.order, &p.again)
	}
	if id == action.ShowRecord && p.detail.record == nil {
		return p.noRecord()
	}
	if id == action.Open && len(p.detail.order.Missions) == 0 {
		return "its missions are still loading"
	}
	if move, is := moves[id]; is {
		return moveRefusal(p.Env, p.detail.order, move)
	}
	return ""
}

// followTable selects the mission on the map that is selected in the table.
func (p *OrderPage) followTable() {
	if missions := p.detail.order.Missions; len(missions) > 0 {
		p.Map.SetSelected(missions[p.detail.table.Cursor()].UUID)
	}
}

// ActionScopes returns the page's scopes; the map's come first while it has focus.
func (p *OrderPage) ActionScopes() []action.Scope {
	return p.MapScopes(action.Order, action.List)
}

func (p *OrderPage) HandleAction(id action.ID) tea.Cmd {
	if cmd, done := handleOrder(p.Base, &p.again, p.detail.order, id); done {
		return cmd
	}
	switch id {
	case action.Refresh:
		p.Cache.RereadNeeds(p.DataNeeds()...)
		return nil
	case action.Open:
		return p.openMission()
	case action.ShowRecord:
		p.showRecord()
		return nil
	case action.CopyCode:
		return copyCode(p.Env, p.detail.order)
	}
	if p.Map.HandleAction(id) {
		if p.detail.table.Select(p.Map.Selected()) {
			p.followTable()
		}
		return nil
	}
	if page.MoveList(&p.detail.table, id) {
		p.followTable()
	}
	return nil
}

// openMission opens the selected mission.
func (p *OrderPage) openMission() tea.Cmd {
	o := p.detail.order
	return p.OpenMission(cache.MissionOf(&o.Missions[p.detail.table.Cursor()], o))
}

// JumpTargets returns the rows of the missions.
func (p *OrderPage) JumpTargets() []page.JumpTarget {
	if p.Map.Focused && p.Width < 100 {
		return nil // the map is shown instead
	}
	return page.RowTargets(&p.detail.table, 0, p.above, p.HandleMouse)
}

// HandleMouse selects the mission that is clicked; the wheel zooms the map.
func (p *OrderPage) HandleMouse(m page.MouseInput) tea.Cmd {
	missions := &p.detail.table
	if id, taken := p.TakeMouse(m); taken {
		if missions.Select(id) {
			p.followTable()
		}
		return nil
	}
	if m.Wheel != 0 {
		missions.Move(m.Wheel / 3)
	} else if !missions.Click(m.Y - p.above) {
		return nil
	}
	p.followTable()
	if m.Double && len(p.detail.order.Missions) > 0 {
		return p.openMission()
	}
	return nil
}

// View renders the facts and missions, with the map beside them, or instead of them
// while it has focus.
func (p *OrderPage) View(w, h int) string {
	d := p.detail
	if p.State.Err != nil && len(d.order.Missions) == 0 {
		p.HideMap()
		return layout.FitBox(append(append(d.renderHead(w), ""), p.renderUnread(w)...), w, h)
	}
	return p.DrawPage(w/2+1, w, h)
}

// renderFacts renders head, timeline, fields and missions. The missions get the
// remaining lines; if these are too few, the fields are left out first.
func (p *OrderPage) renderFacts(w, h int) string {
	d := p.detail
	d.table.Margin = 0
	if p.Apart {
		d.table.Margin = 1
	}
	lines := append(d.renderHead(w), "")
	if tl := d.renderTimeline(w); tl != nil {
		lines = append(append(lines, tl...), "")
	}
	var problem []string
	if p.State.Err != nil {
		read := p.State.ReadAt
		if read.IsZero() {
			read = p.Cache.Now().At // the missions come from the list of all missions
		}
		problem = page.RenderProblem(p.Theme, p.State.Err, "Showing data loaded "+format.Ago(read, p.Now()), "r", w)
	}
	need := min(d.table.Len()+1, 6) + len(problem)
	story := quotes.RenderStory(p.Theme, p.detail.record, p.Now(), w)
	if len(story) > 0 && h-len(lines)-len(story)-1 >= min(need, 3+len(problem)) {
		lines = append(append(lines, story...), "")
	}
	if room := h - len(lines) - 1 - need; room > 0 {
		lines = append(append(lines, d.renderFitted(w, room)...), "")
	}
	lines = append(lines, problem...)
	lines = lines[:min(len(lines), h)]
	p.above = len(lines)
	box := layout.FitBox(lines, w, len(lines))
	if rest := h - len(lines); rest > 0 {
		box += "\n" + d.table.View(p.Theme, w, rest, !d.smap.Focused)
	}
	return box
}

// repeated is an order loaded in full, to start a new one from.
type repeated struct{ order *api.Order }

type repeatedAnswer = page.QuestionAnswer[repeated]

// repeatOrder loads the order with all its missions.
func repeatOrder(b page.Base, q *page.Question, o *api.Order) tea.Cmd {
	code := o.OrderCode
	return page.AskInBackground(b, q, func(ctx context.Context) (repeated, error) {
		whole, err := b.Cache.Details.AskNow(ctx, code)
		return repeated{whole}, err
	})
}

// beginDraft starts a new draft from the loaded order.
func beginDraft(env *page.Env, msg repeatedAnswer) tea.Cmd {
	switch {
	case !msg.TakeAnswer():
		return nil
	case msg.Err != nil:
		what, advice := labels.ExplainError(msg.Err)
		return page.ShowToast(theme.Bad, "Order again: "+what+" "+advice)
	}
	return env.OrderAgain(msg.Value.order)
}

// repeatRefusal returns why the order cannot be ordered again, "" if it can.
func repeatRefusal(o *api.Order, q *page.Question) string {
	switch {
	case o == nil:
		return "no order"
	case q.IsOpen():
		return "the order is still loading"
	}
	return ""
}

// recordLabel is the width of field labels of a v2 record.
const recordLabel = 16

// showRecord shows all fields of the order's v2 record.
func (p *OrderPage) showRecord() {
	th, r := p.Theme, p.detail.record
	p.Overlay(&dialog.Reader{Theme: th, Title: "Order in the v2 API", Text: func(w int) []string {
		return widget.BoxFacts(th, recordLabel, w, widget.Facts(columns.RecordFacts(r))...)
	}})
}

// noRecord returns why there is no v2 record to show.
func (p *OrderPage) noRecord() string {
	if _, state := p.Cache.Records.Get(p.recordKey()); state.Err != nil {
		return "not returned by the v2 API; press r"
	}
	return "still loading"
}

// renderUnread renders what the v2 API knows of an order that could not be loaded, or
// the error.
func (p *OrderPage) renderUnread(w int) []string {
	r, err := p.detail.record, p.State.Err
	if r == nil {
		return page.RenderProblem(p.Theme, err, "", "r", w)
	}
	lines := page.RenderProblem(p.Theme, err, "the order in the v2 API", "r", w)
	if isOnlyRecord(err) {
		lines = []string{
			layout.CutLine(" "+p.Theme.PaintMuted("This order exists only in the v2 API, without missions."), w),
		}
	}
	return append(
		append(lines, ""),
		widget.WrapFacts(p.Theme, recordLabel, w, widget.Facts(columns.RecordFacts(r))...)...)
}

// isOnlyRecord reports whether the public API does not know an order, or denies access
// to it.
func isOnlyRecord(err error) bool {
	return api.IsStatus(err, http.StatusNotFound, http.StatusForbidden)
}

// withKnownMissions returns the order with the missions known from the list of all
// missions, each at its centre, if it has none itself.
func withKnownMissions(env *page.Env, o *api.Order) *api.Order {
	if o == nil || len(o.Missions) > 0 || env.Cache == nil {
		return o
	}
	whole := *o
	for _, m := range env.Cache.Now().Missions {
		if m.Order.UUID != o.UUID {
			continue
		}
		one := m.Mission
		if m.Placed {
			one.LocationMap = []api.Point{m.Centre}
		}
		whole.Missions = append(whole.Missions, one)
	}
	if len(whole.Missions) == 0 {
		return o
	}
	return &whole
}
