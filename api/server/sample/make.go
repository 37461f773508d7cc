package sample

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/desk"
	"flightdesk/api/server/store"
)

const day = 24 * time.Hour

// maker fills in what the tables leave out, from a seed.
type maker struct {
	rng   *rand.Rand
	now   time.Time
	shift time.Duration // from now to when the world was first made, of which the ids are
}

func newMaker(seed uint64, now, first time.Time) *maker {
	return &maker{rand.New(rand.NewPCG(seed, 0x666c69676874)), now, first.Sub(now)}
}

func (m *maker) uuid(at time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], m.rng.Uint64())
	binary.BigEndian.PutUint64(b[8:], m.rng.Uint64())
	return desk.FormUUID(at.Add(m.shift), b)
}

// order tells one order of a table.
func (m *maker) order(a store.Account, o order) desk.PastOrder {
	created := m.now.Add(-time.Duration(o.daysAgo * float64(day)))
	start := midnight(created).Add(time.Duration(o.startIn) * day)
	past := desk.PastOrder{
		AccountUUID: a.UUID, UUID: m.uuid(created), Status: o.status, Created: created,
		Request: api.CreateOrderRequest{Order: api.OrderInput{
			CompanyName: a.CompanyName, OrderName: o.name, OrderType: api.SingleLocation, Sensors: o.sensors,
			Deliverables: o.deliverables, MissionObjective: o.objective, IndustryAssetType: o.asset,
			StartDate: api.At(start.Add(8 * time.Hour)),
			Deadline:  api.At(start.Add(time.Duration(o.days)*day + 17*time.Hour)),
		}},
	}
	if len(o.sites) > 1 {
		past.Request.Order.OrderType = api.MultiLocation
	}
	switch o.status {
	case api.OrderRejected, api.OrderNotFeasible:
		past.RejectionReason = &o.reason
	case api.OrderArchived:
		past.ArchiveReason, past.StatusBefore = &o.reason, &o.before
	}
	for i, s := range o.sites {
		location, area := s.shape.draw(m.rng)
		past.Request.Missions = append(past.Request.Missions, api.MissionInput{
			MissionName: s.name, MissionType: s.shape.kind(), Country: s.country, LocationLabel: s.label,
			AreaSize: area, LocationMap: location,
		})
		past.Missions = append(past.Missions, m.mission(o, s, i < o.ahead, created, start))
	}
	past.Updated = m.lastMove(o, past.Missions, created)
	return past
}

// mission tells what has become of a mission; one that is ahead is a step
// further than its order.
func (m *maker) mission(o order, s site, ahead bool, created, start time.Time) desk.PastMission {
	status := missionStatus(o)
	if ahead {
		all := api.MissionStatuses()
		for i := range all {
			if all[i] == status {
				status = all[i+1]
				break
			}
		}
	}
	past := desk.PastMission{UUID: m.uuid(created), Status: status, Updated: created}
	if s.city != "" {
		past.City = &s.city
	}
	switch status {
	case api.MissionAwaitingPilot, api.MissionCancelled:
		return past
	}
	operator := operators[m.rng.IntN(len(operators))]
	past.OperatorName = &operator
	past.Updated = created.Add(m.between(2*day, 4*day))
	switch status {
	case api.MissionFlightScheduled:
		past.FlightDate = midnight(m.now).Add(time.Duration(2+m.rng.IntN(8))*day + m.between(7*time.Hour, 14*time.Hour))
	case api.MissionDataDelivered, api.MissionCompleted:
		past.FlightDate = start.Add(m.between(7*time.Hour, 2*day))
		past.Updated = past.FlightDate.Add(m.between(2*day, 5*day))
	}
	if past.Updated.After(m.now) {
		past.Updated = m.now
	}
	return past
}

// missionStatus is that of the least advanced mission of an order.
func missionStatus(o order) api.MissionStatus {
	status := o.status
	if status == api.OrderArchived {
		status = o.before
	}
	switch status {
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

func (m *maker) lastMove(o order, missions []desk.PastMission, created time.Time) time.Time {
	last := created
	for _, mission := range missions {
		if mission.Updated.After(last) {
			last = mission.Updated
		}
	}
	if o.status != api.OrderBiddingWithQuote && last.Equal(created) {
		last = created.Add(m.between(4*time.Hour, day))
	}
	if last.After(m.now) {
		last = m.now
	}
	return last
}

// between returns a duration from a to b in whole quarters of an hour.
func (m *maker) between(a, b time.Duration) time.Duration {
	const quarter = 15 * time.Minute
	return a + time.Duration(m.rng.Int64N(int64((b-a)/quarter)+1))*quarter
}

func midnight(t time.Time) time.Time { return t.Truncate(day) }

// operators are the people who fly; the names are made up.
var operators = []string{
	"Jørgen Aasen", "Wanjiru Kamau", "Beatriz Nogueira", "Tomáš Dvořák", "Anneliese Möller", "Rafael Quispe",
	"Priya Raghunathan", "Łukasz Wiśniewski", "Mele Taufa", "Søren Bjerregaard", "佐藤 翔太", "Nadia El Amrani",
}
