package demodata

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

const day = 24 * time.Hour

// worldMaker creates the parts of the world that are not in world.toml, with random numbers.
// Each account and each order has its own worldMaker, so that adding an account or an order
// does not change the others.
type worldMaker struct {
	rng *rand.Rand
	now time.Time
	// shift is the duration from now to the time at which the world was first created. UUIDs
	// contain times, which are shifted by it.
	shift time.Duration
}

// newWorldMaker returns a worldMaker whose random numbers depend only on the names. The names
// identify the account or the order that it makes. now is the time for which the world is
// created, and first the time at which it was first created.
func newWorldMaker(now, first time.Time, names ...string) *worldMaker {
	const flight = 0x666c69676874 // "flight" in ASCII
	hash := fnv.New64a()
	for _, name := range names {
		_, _ = hash.Write(append([]byte(name), 0)) // never fails
	}
	return &worldMaker{
		rng:   rand.New(rand.NewPCG(hash.Sum64(), flight)),
		now:   now,
		shift: first.Sub(now),
	}
}

func (m *worldMaker) newUUID(at time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], m.rng.Uint64())
	binary.BigEndian.PutUint64(b[8:], m.rng.Uint64())
	return domain.FormUUID(at.Add(m.shift), b)
}

// makeOrder returns the order that is described by o.
func (m *worldMaker) makeOrder(a store.Account, o demoOrder) domain.PastOrder {
	created := m.daysAgo(o.DaysAgo)
	start := atMidnight(created).Add(time.Duration(o.StartIn) * day)
	past := domain.PastOrder{
		AccountUUID: a.UUID,
		UUID:        m.newUUID(created),
		Status:      o.Status,
		Created:     created,
		Updated:     created,
		Request:     api.CreateOrderRequest{Order: orderInput(a, o, start)},
	}
	switch o.Status {
	case api.OrderRejected, api.OrderNotFeasible:
		past.RejectionReason = &o.Reason
	case api.OrderArchived:
		past.ArchiveReason = &o.Reason
		past.StatusBefore = &o.Before
	}
	for i, s := range o.Sites {
		isAhead := i < o.Ahead
		past.Request.Missions = append(past.Request.Missions, m.missionInput(s))
		past.Missions = append(past.Missions, m.makeMission(o, s, isAhead, created, start))
	}
	m.addQuotes(o, &past, a.Currency)
	m.addDetails(a, o, &past)
	m.setUpdated(o, &past)
	m.addNotices(a, o, &past)
	return past
}

// orderInput returns the order data of the request that placed the order o. start is the day
// on which flights can start.
func orderInput(a store.Account, o demoOrder, start time.Time) api.OrderInput {
	orderType := api.SingleLocation
	if len(o.Sites) > 1 {
		orderType = api.MultiLocation
	}
	return api.OrderInput{
		CompanyName:       a.CompanyName,
		OrderName:         o.Name,
		OrderType:         orderType,
		Sensors:           o.Sensors,
		Deliverables:      o.Deliverables,
		MissionObjective:  o.Objective,
		IndustryAssetType: o.Asset,
		StartDate:         api.TimeOf(start.Add(8 * time.Hour)),
		Deadline:          api.TimeOf(start.Add(time.Duration(o.Days)*day + 17*time.Hour)),
	}
}

// missionInput returns the mission data of a request, for a mission at a site.
func (m *worldMaker) missionInput(s demoSite) api.MissionInput {
	location, area := s.drawLocation(m.rng)
	return api.MissionInput{
		MissionName:   s.Name,
		MissionType:   s.missionType(),
		Country:       s.Country,
		LocationLabel: s.Label,
		AreaSize:      area,
		LocationMap:   location,
	}
}

// makeRecordedOrder returns an order that has no missions. Only the v2 API shows the order.
func (m *worldMaker) makeRecordedOrder(a store.Account, o demoOrder) domain.PastOrder {
	past := m.makeOrder(a, o)
	for _, site := range past.Request.Missions {
		past.AreaSize += site.AreaSize
	}
	past.Code = o.Code
	past.Request.Missions = nil
	past.Missions = nil
	return past
}

// missionStatus returns the status of the least advanced mission of an order.
func missionStatus(o demoOrder) api.MissionStatus {
	switch o.orderStage() {
	case api.OrderBiddingWithQuote, api.OrderPendingOperator:
		return api.MissionAwaitingPilot
	case api.OrderOperatorAssigned:
		return api.MissionPilotAssigned
	case api.OrderFlyingDateSet:
		return api.MissionFlightScheduled
	case api.OrderCompleted:
		return api.MissionDataDelivered
	default:
		return api.MissionCancelled
	}
}

// orderStage returns the status of an order. For an archived order, it is the status before
// archiving.
func (o demoOrder) orderStage() api.OrderStatus {
	if o.Status == api.OrderArchived {
		return o.Before
	}
	return o.Status
}

// setUpdated sets the time of an order's last change: the time of the last change of any of its
// missions, or a later time if the order ended early. Missions that were cancelled with the
// order get the same time.
func (m *worldMaker) setUpdated(o demoOrder, past *domain.PastOrder) {
	for _, mission := range past.Missions {
		if mission.Updated.After(past.Updated) {
			past.Updated = mission.Updated
		}
	}
	switch o.Status {
	case api.OrderRejected, api.OrderCancelled, api.OrderDeleted, api.OrderArchived:
		past.Updated = m.notAfterNow(past.Updated.Add(m.durationBetween(4*time.Hour, 2*day)))
	case api.OrderNotFeasible:
		past.Updated = m.notAfterNow(past.Updated.Add(time.Hour))
	}
	if o.Status == api.OrderArchived { // archiving leaves the missions as they are
		return
	}
	for i := range past.Missions {
		mission := &past.Missions[i]
		if mission.Status == api.MissionCancelled {
			mission.Updated = past.Updated
		}
	}
}

// daysAgo returns the time that is a number of days before now.
func (m *worldMaker) daysAgo(days float64) time.Time {
	return m.now.Add(-time.Duration(days * float64(day)))
}

// notAfterNow returns t, but not after now.
func (m *worldMaker) notAfterNow(t time.Time) time.Time {
	if t.After(m.now) {
		return m.now
	}
	return t
}

// durationBetween returns a random duration from a to b in steps of 15 minutes.
func (m *worldMaker) durationBetween(a, b time.Duration) time.Duration {
	const step = 15 * time.Minute
	steps := int64((b - a) / step)
	return a + time.Duration(m.rng.Int64N(steps+1))*step
}

// oneIn returns true with a probability of 1/n.
func (m *worldMaker) oneIn(n int) bool { return m.rng.IntN(n) == 0 }

// pickText returns a random element of a list.
func (m *worldMaker) pickText(list []string) string { return list[m.rng.IntN(len(list))] }

// atMidnight returns the start of the day of t in UTC.
func atMidnight(t time.Time) time.Time { return t.Truncate(day) }

// timeBetween returns the time at a fraction of the way from one time to another.
func timeBetween(from, to time.Time, numerator, denominator int64) time.Time {
	return from.Add(to.Sub(from) * time.Duration(numerator) / time.Duration(denominator))
}

// addDetails adds details to every second order, and to all orders with a type of map that is
// not among the products.
func (m *worldMaker) addDetails(a store.Account, o demoOrder, past *domain.PastOrder) {
	if m.oneIn(2) && o.OtherMap == "" {
		return
	}
	height := float64(60 + 10*m.rng.IntN(7))
	past.Details = &api.RecordDetails{
		Description: m.pickText(worldTables().Notes),
		PointOfContact: &api.PointOfContact{
			PocName:  a.ClientName,
			PocPhone: fmt.Sprintf("+999 %03d %04d", m.rng.IntN(1000), m.rng.IntN(10000)),
		},
		AdvancedOption: &api.AdvancedOption{FlightHeight: &height, GCP: m.oneIn(2)},
		OtherMapType:   o.OtherMap,
	}
}
