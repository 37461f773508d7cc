package quotes

import (
	"context"
	"math"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/geo"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// sameSite is how far apart, in metres, the places of two orders may be to be
// one site.
const sameSite = 2_000

type besideAnswer = page.Answer[[]*api.OrderRecord]

// withOthers compares the quotes of other orders at this site, too, or leaves
// them out again.
func (c *Compare) withOthers() tea.Cmd {
	if c.joined {
		c.beside.Drop()
		c.join(nil)
		return nil
	}
	return c.readBeside()
}

// join compares the quotes of these orders, too.
func (c *Compare) join(others []*api.OrderRecord) {
	c.others, c.joined = others, len(others) > 0
	clear(c.sheet.orders)
	if c.joined {
		for _, r := range slices.Concat([]*api.OrderRecord{c.record}, others) {
			c.sheet.orders[r.ID] = quoting.OrderName(r) + " " + r.OrderName
		}
	}
	c.set(c.record)
}

// readBeside reads the orders with open quotes at this site.
func (c *Compare) readBeside() tea.Cmd {
	here, own, client := c.record.LocationMap, c.record.ID, c.Client
	return page.Ask(c.Base, &c.beside, func(ctx context.Context) ([]*api.OrderRecord, error) {
		var found []*api.OrderRecord
		for r, err := range client.Records.All(ctx, api.RecordListOptions{Status: api.RecordQuoteReceived}) {
			if err != nil {
				return nil, err
			}
			if r.ID == own || distance(here, r.LocationMap) > sameSite {
				continue
			}
			full, err := client.Records.Get(ctx, r.ID)
			if err != nil {
				return nil, err
			}
			found = append(found, full)
		}
		return found, nil
	})
}

func (c *Compare) takeBeside(msg besideAnswer) tea.Cmd {
	if !msg.Take() {
		return nil
	}
	was := c.joined
	switch {
	case msg.Err != nil:
		what, _ := labels.Explain(msg.Err)
		return page.Toast(theme.Bad, "orders of this site: "+what)
	case len(msg.Value) == 0 && !was:
		return page.Toast(theme.Text, "no other order within 2 km has open quotes")
	}
	c.join(msg.Value)
	if was {
		return nil
	}
	return page.Toast(theme.Good, "with the quotes of "+format.Count(len(c.others), "other order", "other orders")+" at this site")
}

// distance is how far apart the middles of two locations are, in metres.
func distance(a, b []api.Point) float64 {
	from, ok := middle(a)
	to, also := middle(b)
	if !ok || !also {
		return math.Inf(1)
	}
	return geo.Distance(from, to)
}

func middle(points []api.Point) (orb.Point, bool) {
	if len(points) == 0 {
		return orb.Point{}, false
	}
	ring := make(orb.MultiPoint, len(points))
	for i, p := range points {
		ring[i] = orb.Point{p.Lng, p.Lat}
	}
	return ring.Bound().Center(), true
}
