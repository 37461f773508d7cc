package orders

import (
	"cmp"
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// OrderPage is the page of one order.
type OrderPage struct {
	page.Detail
	detail *orderDetail
	acts   []page.Act[api.Order]
	code   string
	again  page.Question // loads the order, to order it again
	above  int           // lines above the missions in the last frame
}

// NewOrder returns the page of an order, known from a list or in full.
func NewOrder(env *page.Env, o *api.Order) *OrderPage {
	p := &OrderPage{code: o.OrderCode, detail: newOrderDetail(env)}
	p.Detail = page.NewDetail(
		env,
		"order",
		100,
		p.renderFacts,
		func(w, h int) string { return p.DrawMap(1, 0, w, h) },
	)
	p.Map = p.detail.smap
	p.detail.setOrder(o)
	p.acts = append(orderActs(p.Base, &p.again), []page.Act[api.Order]{
		{ID: action.Refresh, Do: func(*api.Order) tea.Cmd {
			p.Cache.RereadNeeds(p.DataNeeds()...)
			return nil
		}},
		{
			ID: action.Open,
			Off: func(o *api.Order) string {
				return page.TextIf(len(o.Missions) == 0, "its missions are still loading")
			},
			Do: func(o *api.Order) tea.Cmd {
				return p.OpenMission(cache.MissionOf(&o.Missions[p.detail.missions.Cursor()], o))
			},
		},
		{ID: action.ShowRecord, Off: p.recordRefusal, Do: p.showRecord},
		{ID: action.CopyCode, Do: func(o *api.Order) tea.Cmd {
			return p.CopyText(format.Clean(o.OrderCode), o.OrderCode)
		}},
	}...)
	return p
}

// orderActs returns what is done with an order in the list and on its page. The question
// loads an order to order it again.
func orderActs(b page.Base, again *page.Question) []page.Act[api.Order] {
	acts := []page.Act[api.Order]{
		{ID: action.ShowQuotes, Do: func(o *api.Order) tea.Cmd {
			return b.Open(quotes.NewCompare(b.Env, cache.OrderIdentity(o), nil))
		}},
		{ID: action.ShowTimeline, Do: func(o *api.Order) tea.Cmd {
			return b.OpenStory(timeline.StorySubject{Order: o.OrderCode}, "")
		}},
		{
			ID: action.ShowData,
			Do: func(o *api.Order) tea.Cmd { return b.Open(deliveries.NewDeliveriesOf(b.Env, o.OrderCode, "")) },
		},
		{
			ID:  action.NewOrder,
			Any: true,
			Do:  func(*api.Order) tea.Cmd { return b.NewOrder() },
		},
		{
			ID:  action.OrderAgain,
			Off: func(*api.Order) string { return page.TextIf(again.IsOpen(), "the order is still loading") },
			Do: func(o *api.Order) tea.Cmd {
				read := func(ctx context.Context) (*api.Order, error) { return b.Cache.Details.AskNow(ctx, o.OrderCode) }
				return page.AskInBackground(b, again, read, func(whole *api.Order, err error) tea.Cmd {
					if err != nil {
						return page.ShowToast(theme.Bad, "Order again: "+format.FaultText(err))
					}
					return b.OrderAgain(whole)
				})
			},
		},
	}
	for id, move := range moves {
		acts = append(acts, page.Act[api.Order]{
			ID:  id,
			Off: func(o *api.Order) string { return moveRefusal(b.Env, knownOrder(b.Cache, o), move) },
			Do:  func(o *api.Order) tea.Cmd { return confirmMove(b.Env, o, move) },
		})
	}
	return acts
}

// knownOrder returns an order with all details if they are loaded and current.
func knownOrder(c *cache.Cache, o *api.Order) *api.Order {
	if full, _ := c.Details.Get(o.OrderCode); full != nil && cache.OrderStamp(full) == cache.OrderStamp(o) {
		return full
	}
	return o
}

// Title returns the order's code.
func (p *OrderPage) Title() string { return p.code }

// DataNeeds requests the order and its record with the quotes. Without access to the v2
// API there is no record.
func (p *OrderPage) DataNeeds() []cache.Need {
	return []cache.Need{p.Cache.Details.NeedOf(p.code), p.Cache.Records.NeedOf(cache.OrderIdentity(p.detail.order))}
}

// OnShow takes the newest data of the cache.
func (p *OrderPage) OnShow() tea.Cmd {
	p.detail.showKnown(p.detail.order)
	p.State = p.detail.state
	p.followTable()
	return nil
}

// Update handles new data.
func (p *OrderPage) Update(msg tea.Msg) tea.Cmd {
	if _, read := msg.(page.ReadMsg); read {
		return p.OnShow()
	}
	return nil
}

// followTable selects the mission on the map that is selected in the table.
func (p *OrderPage) followTable() { p.Map.SetSelected(p.detail.missions.Selected()) }

// ActionScopes returns the page's scopes; the map's come first while it has focus.
func (p *OrderPage) ActionScopes() []action.Scope {
	return p.MapScopes(action.Order, action.List)
}

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (p *OrderPage) DisabledReason(id action.ID) string {
	return page.FindAct(p.acts, id).DisabledReason(p.detail.order)
}

// HandleAction performs an action of the order, or moves the map or the selection.
func (p *OrderPage) HandleAction(id action.ID) tea.Cmd {
	if act := page.FindAct(p.acts, id); act != nil {
		return act.Do(p.detail.order)
	}
	if p.Map.HandleAction(id) {
		p.detail.missions.Select(p.Map.Selected())
	} else {
		page.MoveList(&p.detail.missions.Table, id)
	}
	p.followTable()
	return nil
}

// JumpTargets returns the rows of the missions.
func (p *OrderPage) JumpTargets() []page.JumpTarget {
	if p.Map.Focused && p.Width < 100 {
		return nil // the map is shown instead
	}
	return page.RowTargets(&p.detail.missions.Table, p.above, p.HandleMouse)
}

// HandleMouse selects the mission that is clicked; the wheel zooms the map.
func (p *OrderPage) HandleMouse(m page.MouseInput) tea.Cmd {
	missions := p.detail.missions
	id, taken := p.TakeMouse(m)
	switch {
	case taken:
		missions.Select(id)
	case m.Wheel != 0:
		missions.Move(m.Wheel / 3)
	case !missions.Click(m.Y - p.above):
		return nil
	}
	p.followTable()
	if m.Double && !taken && p.DisabledReason(action.Open) == "" {
		return p.HandleAction(action.Open)
	}
	return nil
}

// View renders the facts and missions, with the map beside them, or instead of them
// while it has focus.
func (p *OrderPage) View(w, h int) string {
	if d := p.detail; p.State.Err != nil && len(d.order.Missions) == 0 {
		p.HideMap()
		return format.FitBox(d.renderAbout(w, h), w, h)
	}
	return p.DrawPage(w/2+1, w, h)
}

// renderFacts renders the order and its missions, which get the remaining lines.
func (p *OrderPage) renderFacts(w, h int) string {
	d := p.detail
	about := append(d.renderAbout(w, h-1-min(d.missions.Len()+1, 6)), "")
	p.above = min(len(about), h)
	box := format.FitBox(about, w, p.above)
	if rest := h - p.above; rest > 0 {
		box += "\n" + d.missions.View(p.Theme, w, rest, !d.smap.Focused)
	}
	return box
}

// showRecord shows all fields of the order's v2 record.
func (p *OrderPage) showRecord(*api.Order) tea.Cmd {
	facts := widget.Facts(columns.RecordFacts(p.detail.record, p.Units))
	return p.ShowFacts("Order in the v2 API", 16, facts...)
}

// recordRefusal returns why there is no v2 record to show, "" if there is one.
func (p *OrderPage) recordRefusal(*api.Order) string {
	_, state := p.Cache.Records.Get(cache.OrderIdentity(p.detail.order))
	switch {
	case p.detail.record != nil:
		return ""
	case state.Err != nil:
		return "not returned by the v2 API; press r"
	}
	return "still loading"
}

// moves maps actions to the changes of a placed order.
var moves = map[action.ID]api.OrderMove{
	action.CancelOrder:  api.MoveCancel,
	action.ArchiveOrder: api.MoveArchive,
	action.RejectOrder:  api.MoveReject,
}

// moveRefusal returns why a change of an order is not possible, "" if it is.
func moveRefusal(env *page.Env, o *api.Order, move api.OrderMove) string {
	if env.Cache.IsOnlyRecord(cache.OrderIdentity(o)) {
		return onlyRecord
	}
	return cmp.Or(env.PendingReason(o.UUID), commands.RefuseOrderMove(o, move))
}

// confirmMove opens the dialog that confirms a change of an order. No change can be
// undone once sent, so the user types the order's code, and a reason if the service
// requires one.
func confirmMove(env *page.Env, o *api.Order, move api.OrderMove) tea.Cmd {
	lines := []string{
		strings.TrimSpace(o.OrderCode + "  " + o.OrderName),
		format.OrderState(o.Status, env.QuotesOf(o.UUID)).Label,
		"",
		commands.DescribeOrderMove(move)[0],
	}
	end := env.UndoNote("then it is final")
	if move != api.MoveArchive {
		lines = append(lines, describeEffects(env, o)...)
		end = env.UndoNote("after that you would have to place a new order")
	}
	fields := []*widget.Field{widget.WordField("Order code", "type "+o.OrderCode+" to confirm", o.OrderCode)}
	reason := &widget.Field{
		Label: "Reason",
		Kind:  widget.LongField,
		Help:  "stored with the order",
	}
	if move.NeedsReason() {
		fields = []*widget.Field{reason, fields[0]}
		reason.Check = func(typed string) string { return page.TextIf(typed == "", "enter a reason") }
	}
	env.Overlay(&widget.FormDialog{
		Title: format.CapitalizeFirst(string(move)) + " order", Lines: append(lines, end),
		Yes: string(move) + " order", Form: widget.NewForm(api.MaxTextLength, env.Now, fields...),
		OnSave: func() tea.Cmd { return deferMove(env, o, move, reason.Value()) },
	})
	return nil
}

// describeEffects returns a line on the missions and flights that a change affects,
// none if the missions are unknown.
func describeEffects(env *page.Env, o *api.Order) []string {
	missions, flights, now := 0, 0, env.Now()
	var next *api.Mission
	for _, m := range withKnownMissions(env, o).Missions {
		if m.Status != api.MissionCancelled {
			missions++
		}
		if m.Status != api.MissionFlightScheduled || m.FlightDate.Before(now) {
			continue
		}
		if flights++; next == nil || m.FlightDate.Before(next.FlightDate.Time) {
			next = &m
		}
	}
	if missions == 0 {
		return nil
	}
	text := "Affects " + format.Count(missions, "mission")
	if next != nil {
		text += " and " + format.Count(flights, "planned flight") +
			", the next on " + env.Units.MomentAt(next.FlightDate.Time, now, cache.ZoneOf(next))
	}
	return []string{text + "."}
}

// deferMove sends a change after the time in which it can be undone.
func deferMove(env *page.Env, o *api.Order, move api.OrderMove, reason string) tea.Cmd {
	sender, code := env.ChangeSender(), o.OrderCode
	return env.Defer(page.HeldChange{
		Text: string(
			move,
		) + " " + code,
		Done: format.CapitalizeFirst(move.PastTense()) + " " + code,
		Of:   o.UUID,
		Send: func(ctx context.Context) error { return sender.MoveOrder(ctx, o, move, reason) },
	})
}
