package operations

import (
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
	d       *paneTools
	uuid    string
	item    *orderItem // the order itself, nil until it is loaded
	state   page.ListState[*orderItem]
	notices []ops.CompletionNotice
}

// newOrderPage returns the page of one order as Operations sees it. wanted is the ID of the mission, quote
// or notice to select at first, or "".
func newOrderPage(from *paneTools, uuid, wanted string) *operationsPage {
	d := from.forPage()
	parts := &orderParts{d: d, uuid: uuid}
	cols := columns.MakeColumns("orderItems", columns.Values[*orderItem]{
		"operator":   (*orderItem).remarkCell,
		"flightDate": d.dateCell,
		"permission": (*orderItem).permissionCell,
	})
	subject := func(row *orderItem) *orderItem {
		if row == nil { // the order has no parts, so actions change the order itself
			return parts.item
		}
		return row
	}
	options := d.itemOptions("operations-order", cols, subject)
	options.Example = "status:scheduled"
	options.Singular = "part" // a mission, a quote or a completion notice
	options.Scope = action.OpsOrder
	options.RenderHead = parts.renderHead
	options.Empty = "The order has no missions or quotes."
	resend := page.ResendAction(d.base, action.ResendNotice, "no failed completion notices", parts.undelivered)
	options.Actions = append(options.Actions, resend)
	source := page.ListSource[*orderItem]{State: parts.readParts, Needs: parts.partNeeds}
	inspected := func(*orderItem) inspectSubject { return parts.item.inspected() } // the order, for all rows
	parts.List = newListPane(d, source, options, inspected)
	parts.Wanted = wanted

	orderPage := &operationsPage{tools: d}
	orderPage.addPane("Order", parts)
	return orderPage
}

// Title returns the code of the order, or a part of its ID until the order is loaded.
func (p *orderParts) Title() string {
	if p.item == nil {
		return timeline.ShortID(p.uuid)
	}
	return p.item.OrderCode
}

// dateCell returns the flight date of a mission, or the date on which a quote expires.
func (d *paneTools) dateCell(x *orderItem) columns.Cell {
	if x.mission == nil && x.quote == nil {
		return columns.Cell{}
	}
	return columns.TextCell(format.Moment(x.date().Time, d.env.Clock.Now()))
}

// partNeeds returns the data that the page needs: the order and, once it is completed or archived, its
// completion notices.
func (p *orderParts) partNeeds(int) []cache.Need {
	needs := []cache.Need{p.d.cache.Details.NeedOf(p.uuid)}
	if p.hasNotices() {
		needs = append(needs, p.d.cache.Notices.NeedOf(p.uuid))
	}
	return needs
}

// hasNotices reports whether the order may have completion notices, which are sent when an order is completed. It
// returns true for an archived order, because the order may have been completed before.
func (p *orderParts) hasNotices() bool {
	return p.item != nil &&
		(p.item.Order.Status == api.OrderCompleted || p.item.Order.Status == api.OrderArchived)
}

// noticesUnknown returns why the completion notices of the order are not known, or "" if they are.
func (p *orderParts) noticesUnknown() string {
	_, state := p.d.cache.Notices.Get(p.uuid)
	if p.item == nil {
		_, state = p.d.cache.Details.Get(p.uuid)
	} else if !p.hasNotices() {
		return ""
	}
	if state.IsUnread() {
		return "the completion notices are still loading"
	}
	if state.Err != nil {
		return "the completion notices could not be loaded; press " + action.KeyOf(action.Refresh, action.Ops)
	}
	return ""
}

// readParts returns the parts of the order.
func (p *orderParts) readParts() page.ListState[*orderItem] {
	order, orderState := p.d.cache.Details.Get(p.uuid)
	notices, noticesState := p.d.cache.Notices.Get(p.uuid)
	version := orderState.Version + noticesState.Version
	if version == p.state.Version {
		return p.state
	}
	p.notices = notices
	p.state = page.ListState[*orderItem]{
		Version: version,
		At:      orderState.ReadAt,
		Err:     orderState.Err,
	}
	if p.state.Err == nil {
		p.state.Err = noticesState.Err
	}
	if order != nil {
		now := p.d.env.Clock.Now()
		p.item = itemOfOrder(order, now)
		p.state.Rows = partsOf(order, notices, now)
	}
	return p.state
}

// partsOf returns the parts of an order, most urgent first: failed notices, missions, quotes, and notices that were
// sent. While the order is open for quotes, the quotes are before the missions.
func partsOf(o *ops.Order, notices []ops.CompletionNotice, now time.Time) []*orderItem {
	var missions, quotes, failed, sent []*orderItem
	for i := range o.Missions {
		missions = append(missions, itemOfMission(o, &o.Missions[i], now))
	}
	for i := range o.Quotes {
		quotes = append(quotes, itemOfQuote(o, &o.Quotes[i], now))
	}
	for i := range notices {
		item := itemOfNotice(o, &notices[i])
		if notices[i].Failed() {
			failed = append(failed, item)
		} else {
			sent = append(sent, item)
		}
	}
	if o.Status == api.OrderBiddingWithQuote {
		return slices.Concat(failed, quotes, missions, sent)
	}
	return slices.Concat(failed, missions, quotes, sent)
}

// undelivered returns the selected completion notice, if one is selected, and all notices of the order that failed.
func (p *orderParts) undelivered(selected *orderItem) timeline.Undelivered {
	if p.item == nil {
		return timeline.Undelivered{Unknown: p.noticesUnknown()}
	}
	u := timeline.Undelivered{
		Unknown:  p.noticesUnknown(),
		Failures: timeline.FailedNotices(p.notices, p.item.OrderCode),
		Of:       p.item.Code,
	}
	if selected != nil && selected.notice != nil {
		u.Selected = new(timeline.NoticeSending(selected.notice, selected.OrderCode))
	}
	return u
}

// renderHead renders the order in one line above its parts.
func (p *orderParts) renderHead(w int) []string {
	if p.item == nil {
		return nil
	}
	th := p.d.env.Look.Theme
	x := p.item
	name := " " + th.PaintRole(theme.Accent, x.Code) + "  " + th.PaintTitle(x.Name) +
		th.PaintMuted("  "+p.d.service.companyName(x.AccountUID))
	status := th.PaintRole(x.Status.Role, x.Status.Text) + " "
	if notAccepted := p.notAcceptedText(); notAccepted != "" {
		status += th.PaintMuted("· " + notAccepted + " ")
	}
	return []string{format.FitEnds(name, status, w)}
}

// notAcceptedText returns how many deliveries of a completed order are not accepted yet, or "".
func (p *orderParts) notAcceptedText() string {
	o := p.item.Order
	if o.Status != api.OrderCompleted {
		return ""
	}
	missions := make([]api.Mission, len(o.Missions))
	for i := range o.Missions {
		missions[i] = o.Missions[i].Mission
	}
	return columns.NotAccepted(missions)
}
