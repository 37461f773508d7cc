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

// worldMaker creates what the tables leave out. Each account and each order has separate
// random numbers, so that adding one does not change the others.
type worldMaker struct {
	rng   *rand.Rand
	now   time.Time
	shift time.Duration // from now to when the world was first created; UUIDs contain that time
}

// newWorldMaker returns a maker for the object with the names.
func newWorldMaker(now, first time.Time, names ...string) *worldMaker {
	hash := fnv.New64a()
	for _, name := range names {
		_, _ = hash.Write(append([]byte(name), 0)) // never fails
	}
	return &worldMaker{rand.New(rand.NewPCG(hash.Sum64(), 0x666c69676874)), now, first.Sub(now)}
}

func (m *worldMaker) newUUID(at time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], m.rng.Uint64())
	binary.BigEndian.PutUint64(b[8:], m.rng.Uint64())
	return domain.FormUUID(at.Add(m.shift), b)
}

// makeOrder returns the order for a row of a table.
func (m *worldMaker) makeOrder(a store.Account, o demoOrder) domain.PastOrder {
	created := m.now.Add(-time.Duration(o.DaysAgo * float64(day)))
	start := atMidnight(created).Add(time.Duration(o.StartIn) * day)
	past := domain.PastOrder{
		AccountUUID: a.UUID, UUID: m.newUUID(created), Status: o.Status, Created: created,
		Request: api.CreateOrderRequest{Order: api.OrderInput{
			CompanyName: a.CompanyName, OrderName: o.Name, OrderType: api.SingleLocation, Sensors: o.Sensors,
			Deliverables: o.Deliverables, MissionObjective: o.Objective, IndustryAssetType: o.Asset,
			StartDate: api.TimeOf(start.Add(8 * time.Hour)),
			Deadline:  api.TimeOf(start.Add(time.Duration(o.Days)*day + 17*time.Hour)),
		}},
	}
	if len(o.Sites) > 1 {
		past.Request.Order.OrderType = api.MultiLocation
	}
	switch o.Status {
	case api.OrderRejected, api.OrderNotFeasible:
		past.RejectionReason = &o.Reason
	case api.OrderArchived:
		past.ArchiveReason = &o.Reason
		past.StatusBefore = &o.Before
	}
	past.Updated = created
	for i, s := range o.Sites {
		location, area := s.drawLocation(m.rng)
		past.Request.Missions = append(past.Request.Missions, api.MissionInput{
			MissionName: s.Name, MissionType: s.missionType(), Country: s.Country, LocationLabel: s.Label,
			AreaSize: area, LocationMap: location,
		})
		past.Missions = append(past.Missions, m.makeMission(o, s, i < o.Ahead, created, start))
	}
	m.addQuotes(o, &past, a.Currency)
	m.addDetails(a, o, &past)
	m.setUpdated(o, &past)
	m.addNotices(a, o, &past)
	return past
}

// makeRecordedOrder returns an order without missions, which only the v2 API has.
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

// orderStage returns the status of an order; for an archived order, the status before.
func (o demoOrder) orderStage() api.OrderStatus {
	if o.Status == api.OrderArchived {
		return o.Before
	}
	return o.Status
}

// setUpdated sets when an order last changed: with a mission, or later by itself.
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
	if o.Status == api.OrderArchived {
		return
	}
	for i := range past.Missions {
		mission := &past.Missions[i]
		if mission.Status == api.MissionCancelled { // together with the order
			mission.Updated = past.Updated
		}
	}
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
	const quarter = 15 * time.Minute
	return a + time.Duration(m.rng.Int64N(int64((b-a)/quarter)+1))*quarter
}

// oneIn returns true with a probability of 1/n.
func (m *worldMaker) oneIn(n int) bool { return m.rng.IntN(n) == 0 }

// pickText returns a random element of a list.
func (m *worldMaker) pickText(list []string) string { return list[m.rng.IntN(len(list))] }

func atMidnight(t time.Time) time.Time { return t.Truncate(day) }

// addDetails adds details to every second order, and to orders with another type of map.
func (m *worldMaker) addDetails(a store.Account, o demoOrder, past *domain.PastOrder) {
	if m.oneIn(2) && o.OtherMap == "" {
		return
	}
	height := float64(60 + 10*m.rng.IntN(7))
	past.Details = &api.RecordDetails{
		Description: m.pickText(worldTables().Notes),
		PointOfContact: &api.PointOfContact{
			PocName: a.ClientName, PocPhone: fmt.Sprintf("+999 %03d %04d", m.rng.IntN(1000), m.rng.IntN(10000)),
		},
		AdvancedOption: &api.AdvancedOption{FlightHeight: &height, GCP: m.oneIn(2)},
		OtherMapType:   o.OtherMap,
	}
}
