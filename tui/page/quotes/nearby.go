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

// sameSite is how far apart, in metres, the places of two orders may be to be
// one site.
const sameSite = 2_000

// withOthers compares the quotes of other orders at this site, too, or leaves
// them out again.
func (c *ComparePage) withOthers() tea.Cmd {
	if c.joined {
		c.joinOrders(nil)
		return nil
	}
	c.search = true
	c.Cache.RefreshQuotes(true)
	return nil // until they are read
}

// joinOrders compares the quotes of these orders, too.
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

// takeOthers compares the orders with open quotes at this site, once they are
// known.
func (c *ComparePage) takeOthers() tea.Cmd {
	known := c.Cache.Quotes()
	if _, state := c.Cache.Quoted.Get(
		cache.Account,
	); !c.joined && !c.search || c.record == nil || state.Loading || state.IsUnread() ||
		known.Left > 0 {
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

// middleDistance returns how far apart the middles of two locations are, in metres.
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
