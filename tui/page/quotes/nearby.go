package quotes

import (
	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/geo"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// sameSite is the largest distance in metres between two orders at the same site.
const sameSite = 2_000

// toggleOthers adds the quotes of other orders at this site, or removes them.
func (c *ComparePage) toggleOthers(*offer) tea.Cmd {
	if len(c.others) > 0 {
		c.joinOrders(nil)
		return nil
	}
	c.search = true
	c.Cache.RefreshQuotes(true)
	return nil // until they are loaded
}

// joinOrders sets the other orders whose quotes are compared.
func (c *ComparePage) joinOrders(others []*api.OrderRecord) {
	c.others = others
	c.sheet.OrderNames = map[string]string{}
	for _, r := range others {
		c.sheet.OrderNames[r.ID], c.sheet.OrderNames[c.sheet.Order.ID] = quoting.FullName(
			r,
		), quoting.FullName(
			c.sheet.Order,
		)
	}
	c.setRecord(c.sheet.Order)
}

// findOthers adds the orders with open quotes at this site once they are loaded.
func (c *ComparePage) findOthers() tea.Cmd {
	known := c.Cache.Quotes()
	_, state := c.Cache.Quoted.Get(cache.Account)
	loaded := !state.Loading && !state.IsUnread() && known.Left <= 0
	was := len(c.others) > 0
	if !was && !c.search || c.sheet.Order == nil || !loaded {
		return nil
	}
	var found []*api.OrderRecord
	for _, r := range known.Listed {
		if r.ID != c.sheet.Order.ID && isSameSite(r, c.sheet.Order) {
			found = append(found, known.RecordOf(r))
		}
	}
	c.search = false
	switch {
	case known.ReadFault() != nil && !was:
		what, _ := labels.ExplainError(known.ReadFault())
		return page.ShowToast(theme.Bad, "Nearby orders: "+what)
	case len(found) == 0 && !was:
		return page.ShowToast(theme.Text, "No open quotes within 2 km")
	}
	c.joinOrders(found)
	if was {
		return nil
	}
	return page.ShowToast(
		theme.Good,
		"Including quotes of "+format.Count(len(c.others), "order")+" nearby",
	)
}

// isSameSite reports whether two orders are at the same site.
func isSameSite(x, y *api.OrderRecord) bool {
	here, there := cache.CentreOf(x.LocationMap), cache.CentreOf(y.LocationMap)
	return here != nil && there != nil &&
		geo.Distance(orb.Point{here.Lng, here.Lat}, orb.Point{there.Lng, there.Lat}) <= sameSite
}
