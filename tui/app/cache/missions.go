package cache

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv/places"
	"flightdesk/tui/format"
)

// Mission is a mission with the order that it belongs to. Its shape is not
// kept, only where it is.
type Mission struct {
	api.Mission
	Order  *api.Order // as the list has it
	Centre api.Point
	Placed bool   // it has a Centre
	Shape  uint64 // of its points, 0 where they are not known; see [Shape]
}

// MissionOf returns a mission of an order that was read by itself.
func MissionOf(m *api.Mission, of *api.Order) *Mission {
	one := &Mission{Mission: *m, Order: of, Shape: ShapeHash(m.LocationMap)}
	if c := CentreOf(m.LocationMap); c != nil {
		one.Centre, one.Placed = *c, true
	}
	return one
}

// Located returns the mission with its centre as its shape, if it has no shape.
func (m *Mission) Located() api.Mission {
	one := m.Mission
	if m.Placed && len(one.LocationMap) == 0 {
		one.LocationMap = []api.Point{m.Centre}
	}
	return one
}

// orderMissions are those of one order.
type orderMissions struct {
	list    []api.Mission
	centres []*api.Point
	shapes  []uint64
}

func (k *orderMissions) allMissions() []api.Mission {
	if k == nil {
		return nil
	}
	return k.list
}

// missionAt returns the i-th one.
func (k *orderMissions) missionAt(i int, of *api.Order) *Mission {
	m := &Mission{Mission: k.list[i], Order: of}
	if i < len(k.shapes) {
		m.Shape = k.shapes[i]
	}
	if c := k.centres[i]; c != nil {
		m.Centre, m.Placed = *c, true
	}
	return m
}

// MissionsOf returns the missions of an order as they were read last, and how that
// stands.
func (c *Cache) MissionsOf(o *api.Order) ([]*Mission, EntryState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.missions.entries[orderID{o.UUID, o.OrderCode}]
	if e == nil {
		return nil, EntryState{}
	}
	all := make([]*Mission, len(e.value.allMissions()))
	for i := range all {
		all[i] = e.value.missionAt(i, o)
	}
	return all, e.currentState()
}

// NeedMissions returns the need of the missions of an order as it is listed.
func (c *Cache) NeedMissions(o *api.Order) Need {
	return c.missions.NeedStamped(orderID{o.UUID, o.OrderCode}, OrderStamp(o))
}

// AllOrders returns the need of the orders that are listed, up to [mostOrders].
func (c *Cache) AllOrders() Need { return c.Orders.NeedRows(Account, mostOrders) }

// AllMissions returns the need of all orders and of their missions, also of those that
// are over; up to [mostRead] of them.
func (c *Cache) AllMissions() Need {
	return allMissions{need[string, ListRows[api.Order]]{of: c.Orders, keys: []string{Account}, depth: mostOrders}}
}

type allMissions struct {
	need[string, ListRows[api.Order]]
}

func (n allMissions) mark(limit time.Duration, force bool) {
	n.need.mark(limit, force)
	if c := n.of.cache; c.over < mostRead {
		c.over = mostRead
		if rows := c.Orders.entryFor(Account).value; !rows.whole.IsZero() { // or that comes once they are read
			c.rank(rows.Items)
		}
		c.version++
	}
}

func (n allMissions) pick() func(context.Context) {
	if job := n.need.pick(); job != nil {
		return job
	}
	return n.of.cache.missions.pick()
}

func (n allMissions) loading() bool {
	return n.need.loading() || n.of.cache.missions.countWaiting() > 0
}

// readMissions reads the missions of an order, all its pages.
func readMissions(ctx context.Context, of orderID, list listRequest[api.Mission]) (*orderMissions, error) {
	k := &orderMissions{}
	for opts := (api.ListOptions{}); ; {
		got, err := list(ctx, of.code, opts)
		if err != nil {
			return nil, err
		}
		k.list = append(k.list, got.Items...)
		cursor := nextCursor(got, opts.Cursor)
		if cursor == "" || strings.HasPrefix(cursor, nowhere) || cursor == opts.Cursor || len(got.Items) == 0 {
			break
		}
		opts.Cursor = cursor
	}
	for i := range k.list {
		m := &k.list[i]
		k.centres, k.shapes = append(k.centres, CentreOf(m.LocationMap)), append(k.shapes, ShapeHash(m.LocationMap))
		m.LocationMap = nil
	}
	return k, nil
}

// CentreOf returns the middle of the box around points, the short way round the
// world; nil without points.
func CentreOf(points []api.Point) *api.Point {
	if len(points) == 0 {
		return nil
	}
	low, high := points[0], points[0]
	for _, p := range points {
		p.Lng = nearestLongitude(p.Lng, points[0].Lng)
		low.Lat, high.Lat = min(low.Lat, p.Lat), max(high.Lat, p.Lat)
		low.Lng, high.Lng = min(low.Lng, p.Lng), max(high.Lng, p.Lng)
	}
	return &api.Point{Lat: (low.Lat + high.Lat) / 2, Lng: nearestLongitude((low.Lng+high.Lng)/2, 0)}
}

// nearestLongitude returns a longitude as it is written within half a turn of another.
func nearestLongitude(lng, to float64) float64 {
	switch {
	case lng-to > 180:
		return lng - 360
	case to-lng > 180:
		return lng + 360
	default:
		return lng
	}
}

// FlightZone returns the time zone that flights and permissions of the mission are told
// in: nil for the user's own, or by choice that of the site, and UTC where that
// is not known.
func (m *Mission) FlightZone() *time.Location {
	if format.ChosenUnits().Times != format.SiteClock {
		return nil
	}
	if !m.Placed {
		return timeZone(m.Country, nil)
	}
	return timeZone(m.Country, &orb.Point{m.Centre.Lng, m.Centre.Lat})
}

// ZoneOf returns Zone of a mission that was read by itself.
func ZoneOf(m *api.Mission) *time.Location {
	if format.ChosenUnits().Times != format.SiteClock {
		return nil
	}
	if len(m.LocationMap) == 0 {
		return timeZone(m.Country, nil)
	}
	return timeZone(m.Country, &orb.Point{m.LocationMap[0].Lng, m.LocationMap[0].Lat})
}

func timeZone(country string, at *orb.Point) *time.Location {
	if z := places.TimeZone(country, at); z != nil {
		return z
	}
	return time.UTC
}

// InFlightZone returns a time in the zone that the mission's flights are told in.
func (m *Mission) InFlightZone(t, now time.Time) time.Time {
	if z := m.FlightZone(); z != nil {
		return t.In(z)
	}
	return t.In(now.Location())
}

// ShapeHash returns a number that is the same for the same points, wherever a boundary
// begins and whichever way it goes round, and as good as never for others. It
// is 0 without points. Points are the same to about a decimetre.
func ShapeHash(points []api.Point) uint64 {
	var sum uint64
	n := len(points)
	if n > 1 && points[0] == points[n-1] {
		n-- // a closed ring
	}
	for _, p := range points[:n] {
		lat, lng := uint64(int64(math.Round(p.Lat*1e6))), uint64(int64(math.Round(p.Lng*1e6)))
		sum += mixBits(mixBits(lat) + lng*0x9e3779b97f4a7c15)
	}
	return sum
}

// mixBits spreads the bits of a number over all of it.
func mixBits(v uint64) uint64 {
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31 ^ 0x5bd1e9955bd1e995
}
