package operations

import (
	"cmp"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// orderParts lists the missions, quotes and completion notices of an order.
type orderParts struct {
	*page.List[*orderItem]
	d       *operationsPage
	uuid    string
	item    *orderItem // of the order, nil until it was read
	state   page.ListState[*orderItem]
	notices []ops.CompletionNotice
}

// newOrderPage returns the page of one order as Operations sees it, with a mission
// selected by ID.
func newOrderPage(from *operationsPage, uuid, selected string) *operationsPage {
	d := newOperationsPage(from.env, from.workList, timeline.ShortID(uuid))
	p := &orderParts{d: d, uuid: uuid}
	o := d.itemOptions(
		"desk-parts",
		columns.MakeColumns[*orderItem]("orderItems", nil),
		func(x *orderItem) *orderItem { return cmp.Or(x, p.item) },
	)
	o.Example, o.One, o.Many = "status:scheduled", "mission or quote", "missions and quotes"
	o.Scope, o.Head = action.OpsOrder, p.renderHead
	o.Empty = "The order has no missions."
	o.Acts = append(
		o.Acts,
		page.ResendAct(d.base, action.ResendNotice, "no failed completion notices", p.noticesOf))
	p.List = newListPane(d, page.ListSource[*orderItem]{
		State: p.readParts, Needs: p.partNeeds,
	}, o, func(*orderItem) inspectSubject { return p.item.inspected() })
	p.Wanted = selected
	d.addPane("Order", p)
	return d
}

// partNeeds requests the order and, once it is completed, its completion notices.
func (p *orderParts) partNeeds(int) []cache.Need {
	needs := []cache.Need{p.d.cache.Details.NeedOf(p.uuid)}
	if p.item != nil && p.item.Order.Status == api.OrderCompleted {
		needs = append(needs, p.d.cache.Notices.NeedOf(p.uuid))
	}
	return needs
}

// readParts returns the parts of the order, most urgent first: failed notices, quotes
// while bidding, then missions.
func (p *orderParts) readParts() page.ListState[*orderItem] {
	o, is := p.d.cache.Details.Get(p.uuid)
	notices, told := p.d.cache.Notices.Get(p.uuid)
	if is.Version+told.Version == p.state.Version {
		return p.state
	}
	p.notices, p.state = notices, page.ListState[*orderItem]{
		Version: is.Version + told.Version,
		At:      is.ReadAt,
		Err:     cmp.Or(is.Err, told.Err),
	}
	if o != nil {
		p.item, p.d.title = itemOfOrder(o, p.d.env.Clock.Now()), o.OrderCode
		p.state.Rows = partsOf(o, notices, p.d.env.Clock.Now())
	}
	return p.state
}

func partsOf(o *ops.Order, notices []ops.CompletionNotice, now time.Time) []*orderItem {
	var missions, quotes, told, failed []*orderItem
	for i := range o.Missions {
		missions = append(missions, itemOfMission(o, &o.Missions[i], now))
	}
	for i := range o.Quotes {
		quotes = append(quotes, itemOfQuote(o, &o.Quotes[i], now))
	}
	for i := range notices {
		to := &told
		if notices[i].Failed() {
			to = &failed
		}
		*to = append(*to, itemOfNotice(o, &notices[i]))
	}
	if o.Status == api.OrderBiddingWithQuote {
		missions, quotes = quotes, missions
	}
	return slices.Concat(failed, missions, quotes, told)
}

// noticesOf returns the selected completion notice, nil if another part is selected, and
// those that failed.
func (p *orderParts) noticesOf(x *orderItem) (u timeline.Undelivered) {
	if p.item == nil {
		return u
	}
	if x != nil && x.notice != nil {
		u.Selected = new(timeline.NoticeSending(x.notice, x.OrderCode))
	}
	u.Failures, u.Of = timeline.FailedNotices(p.notices, p.item.OrderCode), p.item.Code
	return u
}

// renderHead renders the order in one line above its parts.
func (p *orderParts) renderHead(w int) []string {
	if p.item == nil {
		return nil
	}
	th, x := p.d.env.Look.Theme, p.item
	return []string{format.FitEnds(" "+th.PaintRole(theme.Accent, x.Code)+"  "+th.PaintTitle(x.Name)+
		th.PaintMuted(
			"  "+p.d.companyName(x.AccountUID),
		), th.PaintRole(x.Status.Role, x.Status.Text)+" ", w)}
}
