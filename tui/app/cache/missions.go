package cache

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv/places"
	"flightdesk/tui/format"
)

// Mission is a mission with its order. The points of its area are not stored, only their centre and hash.
type Mission struct {
	api.Mission
	Order  *api.Order `json:"-"`      // the order in the list of orders
	Centre *api.Point `json:"centre"` // nil if unknown
	Shape  uint64     `json:"shape"`  // [ShapeHash] of its points, 0 if unknown
}

// MissionOf returns a mission of the API with its order, and with the centre and the hash of its
// points.
func MissionOf(m *api.Mission, order *api.Order) *Mission {
	return &Mission{
		Mission: *m,
		Order:   order,
		Centre:  CentreOf(m.LocationMap),
		Shape:   ShapeHash(m.LocationMap),
	}
}

// Located returns the mission with a location. If the points of the mission are not stored, its
// centre is its only point.
func (m *Mission) Located() api.Mission {
	mission := m.Mission
	if m.Centre != nil && len(mission.LocationMap) == 0 {
		mission.LocationMap = []api.Point{*m.Centre}
	}
	return mission
}

// ofOrder returns a copy of the mission with its order.
func (m Mission) ofOrder(o *api.Order) *Mission {
	m.Order = o
	return &m
}

// MissionsOf returns the missions of an order, and whether and when they were read.
func (c *Cache) MissionsOf(o *api.Order) ([]*Mission, EntryState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.missions.entries[o.OrderCode]
	if e == nil {
		return nil, EntryState{}
	}
	missions := c.missions.valueOf(e)
	all := make([]*Mission, len(missions))
	for i, m := range missions {
		all[i] = m.ofOrder(o)
	}
	return all, e.currentState()
}

// MissionsState returns whether and when the missions of an order were read.
func (c *Cache) MissionsState(o *api.Order) EntryState {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.missions.entries[o.OrderCode]
	if e == nil {
		return EntryState{}
	}
	return e.currentState()
}

// NeedMissions returns a [Need] for the missions of an order from the list.
func (c *Cache) NeedMissions(o *api.Order) Need {
	return c.missions.NeedStamped(o.OrderCode, OrderStamp(o))
}

// AllOrders returns a [Need] for the account's orders, up to maxOrders.
func (c *Cache) AllOrders() Need { return c.Orders.NeedRows(Account, maxOrders) }

// AllMissions returns a [Need] for the account's orders and their missions. It includes old orders, up to
// maxMissionOrders.
func (c *Cache) AllMissions() Need {
	n := c.AllOrders()
	n.then = &c.missions.entryTable
	n.marked = c.wantAllMissions
	return n
}

func (c *Cache) wantAllMissions() {
	if c.missions.maxEnded == maxMissionOrders {
		return
	}
	c.missions.maxEnded = maxMissionOrders
	rows := c.Orders.valueOf(c.Orders.entryFor(Account))
	if !rows.fullyReadAt.IsZero() { // otherwise the missions are requested when the orders are read
		c.missions.requestRanked(rows.Items)
	}
	c.version++
}

// readMissions reads all missions of an order. If it fails, it returns the missions that
// were read before the error.
func readMissions(ctx context.Context, client *api.Client, code string) (all []Mission, err error) {
	page := func(ctx context.Context, opts api.ListOptions) (*api.Page[api.Mission], error) {
		return client.Missions.List(ctx, code, opts)
	}
	for got, err := range api.WalkList(ctx, 0, page) {
		if err != nil {
			return all, err
		}
		all = append(all, withoutPoints(got))
	}
	return all, nil
}

func withoutPoints(m *api.Mission) Mission {
	kept := *MissionOf(m, nil)
	kept.LocationMap = nil
	return kept
}

// CentreOf returns the centre of the bounding box of points, or nil if there are no points. The points
// may be on both sides of the antimeridian.
func CentreOf(points []api.Point) *api.Point {
	if len(points) == 0 {
		return nil
	}
	low := points[0]
	high := points[0]
	for _, p := range points {
		longitude := points[0].Lng + math.Remainder(p.Lng-points[0].Lng, 360)
		low.Lat = min(low.Lat, p.Lat)
		high.Lat = max(high.Lat, p.Lat)
		low.Lng = min(low.Lng, longitude)
		high.Lng = max(high.Lng, longitude)
	}
	return &api.Point{Lat: (low.Lat + high.Lat) / 2, Lng: math.Remainder((low.Lng+high.Lng)/2, 360)}
}

// SiteZone returns the time zone of the mission's site, or UTC if unknown.
func (m *Mission) SiteZone() *time.Location { return siteZone(m.Country, m.Centre) }

// ZoneOf returns the time zone of a mission's site, or UTC if unknown.
func ZoneOf(m *api.Mission) *time.Location { return siteZone(m.Country, CentreOf(m.LocationMap)) }

func siteZone(country string, at *api.Point) *time.Location {
	var point *orb.Point
	if at != nil {
		point = &orb.Point{at.Lng, at.Lat}
	}
	return cmp.Or(places.TimeZone(country, point), time.UTC)
}

// ShapeHash returns a hash of the points of an area, a line or single points, or 0 if there are no points.
// It does not depend on the sequence of the points. Coordinates are rounded to six decimals, about 10 cm,
// so that small deviations rarely change the hash.
func ShapeHash(points []api.Point) uint64 {
	var sum uint64
	n := len(points)
	if n > 1 && points[0] == points[n-1] {
		n-- // a closed ring
	}
	for _, p := range points[:n] {
		lat := uint64(int64(math.Round(p.Lat * 1e6)))
		lng := uint64(int64(math.Round(p.Lng * 1e6)))
		sum += mixBits(mixBits(lat) + lng*0x9e3779b97f4a7c15)
	}
	return sum
}

// mixBits spreads the bits of v, so that similar numbers have different hashes.
func mixBits(v uint64) uint64 {
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31 ^ 0x5bd1e9955bd1e995
}

// Durations after which a mission needs attention.
const (
	deadlineWarning = 3 * 24 * time.Hour // before the deadline, if the flight is not scheduled
	planningTimeout = 7 * 24 * time.Hour // without a flight date since the operator was assigned
	dataTimeout     = 3 * 24 * time.Hour // without data since the flight
)

// MissionTrouble is the reason why a mission is late or will be late.
type MissionTrouble struct {
	Text string
	Late bool // the deadline has passed
}

// IsEnded reports whether nothing is left to do for a mission: its data was delivered, or the mission
// or its order has ended.
func (m *Mission) IsEnded() bool {
	return m.Status.IsDelivered() || m.Status == api.MissionCancelled ||
		m.Order != nil && !m.Order.Status.IsLive()
}

// Deadline returns the order's deadline in a time zone, or the zero value if the order is unknown.
func (m *Mission) Deadline(zone *time.Location) api.DayOrTime {
	if m.Order == nil {
		return api.DayOrTime{}
	}
	return m.Order.Deadline.EndDay(zone)
}

// TroubleAt returns why a mission may miss its deadline; ok is false if there is no problem.
func (m *Mission) TroubleAt(now time.Time) (t MissionTrouble, ok bool) {
	if m.IsEnded() {
		return MissionTrouble{}, false
	}
	deadline := m.Deadline(now.Location())
	isLate := !deadline.IsZero() && now.After(deadline.End())
	if isLate {
		dueDay := deadline.NoonIn(now.Location())
		text := overdueText(dueDay, now) + ": " + m.overdueReason()
		return MissionTrouble{Text: text, Late: true}, true
	}
	text := m.delayText(deadline, now)
	return MissionTrouble{Text: text}, text != ""
}

// overdueReason returns why an overdue mission is not finished: its status, or that its order has no accepted quote
// yet.
func (m *Mission) overdueReason() string {
	isUndecided := m.Order != nil && m.Order.Status == api.OrderBiddingWithQuote
	if isUndecided && m.Status == api.MissionAwaitingPilot {
		return "No quote accepted"
	}
	return format.Status(m.Status).Label
}

// delayText returns why a mission may miss its deadline, or "". The deadline can be the zero value.
func (m *Mission) delayText(deadline api.DayOrTime, now time.Time) string {
	hasDeadline := !deadline.IsZero()
	dueDay := deadline.NoonIn(now.Location())
	flight := m.FlightDate.Time
	hasFlightDate := !flight.IsZero()
	isScheduled := m.Status == api.MissionFlightScheduled && hasFlightDate
	if isScheduled {
		if now.Sub(flight) > dataTimeout {
			return fmt.Sprintf("Flight date %s, no data yet", format.TimeUntil(flight, now))
		}
		if hasDeadline && flight.After(deadline.End()) {
			return fmt.Sprintf("Flight %s, after deadline %s", format.Day(flight, now), format.Day(dueDay, now))
		}
		return ""
	}
	isDueSoon := hasDeadline && deadline.End().Sub(now) < deadlineWarning
	if isDueSoon && hasFlightDate {
		return "Flight not scheduled, due " + format.TimeUntil(dueDay, now)
	}
	if isDueSoon {
		return "No flight date, due " + format.TimeUntil(dueDay, now)
	}
	mustPlan := m.Status == api.MissionPilotAssigned && !hasFlightDate
	unchanged := now.Sub(m.UpdatedAt.Time)
	if mustPlan && !m.UpdatedAt.IsZero() && unchanged > planningTimeout {
		return "No flight date, unchanged for " + format.Count(int(unchanged.Hours()/24), "day")
	}
	return ""
}

// overdueText returns a text such as "2 d overdue".
func overdueText(due, now time.Time) string {
	days := format.DaysUntil(due, now)
	if days >= 0 {
		return "Overdue since today"
	}
	return fmt.Sprintf("%d d overdue", -days)
}

// TroubledMission is a mission that is late or will be late.
type TroubledMission struct {
	*Mission

	Why MissionTrouble
}

// TroubledMissions returns the missions with a problem: late missions first, then by
// deadline.
func (v *CacheView) TroubledMissions(now time.Time) []TroubledMission {
	var all []TroubledMission
	for _, m := range v.Missions {
		if t, ok := m.TroubleAt(now); ok {
			all = append(all, TroubledMission{m, t})
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		x := &all[i]
		y := &all[j]
		if x.Why.Late != y.Why.Late {
			return x.Why.Late
		}
		return x.Deadline(now.Location()).End().Before(y.Deadline(now.Location()).End())
	})
	return all
}
