package quotes

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
)

const staleAfter = 15 * time.Second // older data is shown with its age

// Section is the "Quotes" section of the app.
var Section = page.Section{
	Go: action.GoQuotes, Name: "Quotes", Short: "Quo",
	First: func(env *page.Env) page.Page { return NewInbox(env) },
}

// QuoteInbox is the page of orders with open quotes, soonest expiry first.
type QuoteInbox struct {
	*listpage.Page[api.OrderRecord]
	known  cache.OpenQuotes
	orders []*api.OrderRecord           // sorted like the rows
	boards map[string]*quoting.OfferSet // by order ID, for orders loaded in full
	next   *quoting.Offer               // next to expire, of all orders
	mapped *api.Order                   // on the map
}

// NewInbox returns the page of open quotes.
func NewInbox(env *page.Env) *QuoteInbox {
	p := &QuoteInbox{boards: map[string]*quoting.OfferSet{}}
	base := page.NewBase(env)
	p.Page = listpage.NewPage(base, p.inboxSource(env.Cache), listpage.Options[api.OrderRecord]{
		Title:   "Quotes",
		Name:    "quotes",
		Example: "price:<5000 or levee",
		One:     "order",
		Many:    "orders",
		Scope:   action.QuoteInbox,
		Columns: p.inboxColumns(env.Now),
		ID:      func(r *api.OrderRecord) string { return r.ID },
		Look:    p.rowLook,
		Stamp:   p.recordStamp,
		Place: func(r *api.OrderRecord) (string, string) {
			return quoting.OrderName(r) + "  " + r.OrderName, "◆ quotes"
		},
		Lines: p.renderLines,
		Open:  func(r *api.OrderRecord) tea.Cmd { return env.Open(NewCompare(env, r.ID, p.known.Full[r.ID])) },
		Empty: [2]string{"No open quotes.", "Quotes appear here once the service has reviewed an order."},
		Keys:  []listpage.RowKey{{Key: "i", Text: "decision log"}},
		Foot:  p.renderFault,
	})
	p.updateFromCache()
	return p
}

// inboxSource returns the orders with open quotes, all with their quotes.
func (p *QuoteInbox) inboxSource(c *cache.Cache) listpage.Source[api.OrderRecord] {
	return listpage.Source[api.OrderRecord]{
		State: func() listpage.State[api.OrderRecord] {
			k := &p.known
			return listpage.State[api.OrderRecord]{
				Rows:    p.orders,
				Version: k.Version,
				At:      k.At,
				Err:     k.Err,
				Offline: k.Kept,
			}
		},
		Needs: func(int) []cache.Need { return []cache.Need{c.AllQuotes()} },
		Refresh: func() tea.Cmd {
			c.RefreshQuotes(true)
			return nil
		},
	}
}

// CornerText returns the number of orders to decide, and the age of the data.
func (p *QuoteInbox) CornerText() string {
	k := &p.known
	if k.At.IsZero() || k.Kept {
		return p.Page.CornerText()
	}
	open := p.countUndecided()
	text := format.Count(open, "order", "orders") + " to decide"
	if n := len(p.orders) - open; n > 0 {
		text += fmt.Sprintf(" · %d expired", n)
	}
	if k.Left > 0 {
		text += fmt.Sprintf(" · quotes of %d of %d loaded", len(p.orders)-k.Left, len(p.orders))
	}
	return text + " · refreshed " + format.Ago(k.At, p.Now())
}

// OnShow takes the newest quotes of the cache.
func (p *QuoteInbox) OnShow() tea.Cmd {
	p.updateFromCache()
	return nil
}

// Update handles new data and messages of the list.
func (p *QuoteInbox) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.KeptMsg, page.ReadMsg:
		p.updateFromCache()
	}
	return p.Page.Update(msg)
}

// CountsSeconds reports whether to redraw every second, because a quote expires soon.
func (p *QuoteInbox) CountsSeconds() bool {
	if p.next != nil && !p.next.ExpiryDate.After(p.Now()) {
		p.next = p.soonestQuote()
	}
	return expiresSoon(p.next, p.Now())
}

// expiresSoon reports whether a quote, nil for none, expires soon enough to count its
// seconds.
func expiresSoon(o *quoting.Offer, now time.Time) bool {
	return o != nil && api.UrgencyOf(o.ExpiryDate, now) != api.NotUrgent
}

// updateFromCache takes the newest quotes of the cache.
func (p *QuoteInbox) updateFromCache() {
	k := p.Cache.Quotes()
	if k.Version == p.known.Version {
		return
	}
	boards := make(map[string]*quoting.OfferSet, len(k.Full))
	for id, r := range k.Full {
		if b := p.boards[id]; b != nil && p.known.Full[id] == r {
			boards[id] = b
			continue
		}
		b := quoting.NewSet(r, p.Now())
		boards[id] = &b
	}
	p.known, p.boards = k, boards
	p.orders = p.sortByExpiry(k.Listed)
	p.next = p.soonestQuote()
	p.updateBadge()
}

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (p *QuoteInbox) DisabledReason(id action.ID) string {
	if id == action.ShowOrder {
		id = action.Open
	}
	return p.Page.DisabledReason(id)
}

func (p *QuoteInbox) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.ShowOrder:
		return openOrder(p.Base, p.Current())
	case action.Decisions:
		return p.Open(NewDecisions(p.Env))
	}
	return p.Page.HandleAction(id)
}

// renderFault explains why the quotes of the selected order could not be loaded.
func (p *QuoteInbox) renderFault(w int) []string {
	if r := p.Current(); r != nil && p.known.Faults[r.ID] != nil {
		return page.RenderProblem(p.Theme, p.known.Faults[r.ID], "", "r", w)
	}
	return nil
}

// DataNeeds requests the quotes and, unless the list is scrolling, the missions of the
// selected order that are shown.
func (p *QuoteInbox) DataNeeds() []cache.Need {
	needs, r := p.Page.DataNeeds(), p.Current()
	if r != nil && r.OrderCode != "" && p.IsSplit() && (p.IsScrolling == nil || !p.IsScrolling()) {
		needs = append(needs, p.Cache.Details.NeedOf(r.OrderCode))
	}
	return needs
}

// renderLines renders the quotes of the selected order as bars, and puts its missions
// on the map once they are loaded.
func (p *QuoteInbox) renderLines(r *api.OrderRecord, w, h int) ([]string, bool) {
	o, _ := p.Cache.Details.Get(r.OrderCode)
	if o != nil && o != p.mapped {
		p.mapped = o
		p.Detail.Map.SetFeatures(sitemap.MissionFeatures(o.Missions))
		p.Detail.Map.FitAll()
	}
	return p.renderBars(r, w, h), o != nil && len(o.Missions) > 0
}

// renderBars renders the quotes of an order as bars.
func (p *QuoteInbox) renderBars(r *api.OrderRecord, w, h int) []string {
	th := p.Theme
	lines := []string{
		" " + th.PaintRole(theme.Accent, quoting.OrderName(r)) + "  " + th.PaintTitle(r.OrderName),
		th.PaintMuted(" " + r.CompanyName), "",
	}
	b := p.boards[r.ID]
	if b == nil {
		return lines
	}
	room := max(1, (h-len(lines)-5)/2)
	lines = append(
		lines,
		drawChart(th, "Price", b.Open, "cheapest", w, room, func(o *quoting.Offer) (float64, string, bool) {
			price, ok := o.Price()
			return price, o.PriceText(), ok
		})...)
	lines = append(
		append(lines, ""),
		drawChart(th, "Delivery", b.Open, "fastest", w, room, func(o *quoting.Offer) (float64, string, bool) {
			return float64(o.DeliveryBy.Count), o.DeliveryBy.String(), o.DeliveryBy.Known
		})...)
	if lines = append(lines, ""); len(b.OpenOffers(p.Now())) == 0 && len(b.Open) > 0 {
		return append(lines, renderExpired(th, w)...)
	}
	return append(lines, " "+th.PaintHint("enter", "compare and decide"))
}
