package quotes

import (
	"math"
	"slices"

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
func (c *ComparePage) toggleOthers() tea.Cmd {
	if c.joined {
		c.joinOrders(nil)
		return nil
	}
	c.search = true
	c.Cache.RefreshQuotes(true)
	return nil // until they are loaded
}

// joinOrders sets the other orders whose quotes are compared.
func (c *ComparePage) joinOrders(others []*api.OrderRecord) {
	c.others, c.joined = others, len(others) > 0
	clear(c.sheet.orders)
	if c.joined {
		for _, r := range slices.Concat([]*api.OrderRecord{c.record}, others) {
			c.sheet.orders[r.ID] = quoting.OrderName(r) + " " + r.OrderName
		}
	}
	c.setRecord(c.record)
}

// findOthers adds the orders with open quotes at this site once they are loaded.
func (c *ComparePage) findOthers() tea.Cmd {
	known := c.Cache.Quotes()
	_, state := c.Cache.Quoted.Get(cache.Account)
	loaded := !state.Loading && !state.IsUnread() && known.Left <= 0
	if !c.joined && !c.search || c.record == nil || !loaded {
		return nil
	}
	var found []*api.OrderRecord
	for _, r := range known.Listed {
		if r.ID != c.record.ID && middleDistance(c.record.LocationMap, r.LocationMap) <= sameSite {
			found = append(found, known.RecordOf(r))
		}
	}
	was := c.joined
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
	return page.ShowToast(theme.Good, "Including quotes of "+format.Count(len(c.others), "order", "orders")+" nearby")
}

// middleDistance returns the distance between the centres of two locations in metres.
func middleDistance(a, b []api.Point) float64 {
	from, ok := middlePoint(a)
	to, also := middlePoint(b)
	if !ok || !also {
		return math.Inf(1)
	}
	return geo.Distance(from, to)
}

func middlePoint(points []api.Point) (orb.Point, bool) {
	if len(points) == 0 {
		return orb.Point{}, false
	}
	ring := make(orb.MultiPoint, len(points))
	for i, p := range points {
		ring[i] = orb.Point{p.Lng, p.Lat}
	}
	return ring.Bound().Center(), true
}
