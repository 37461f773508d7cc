package demodata

import (
	"fmt"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// makeOrder returns the order that a row of world.toml describes, with its missions, quotes and
// notices. Do not change the sequence of the steps: each step draws random numbers, so the demo
// world would change.
func (m *worldMaker) makeOrder(a store.Account, row demoOrder) domain.PastOrder {
	placed := m.daysAgo(row.DaysAgo)
	start := atMidnight(placed).Add(time.Duration(row.StartIn) * day)
	order := domain.PastOrder{
		AccountUUID: a.UUID,
		UUID:        m.newUUID(placed),
		Status:      row.Status,
		Created:     placed,
		Updated:     placed,
		Request:     api.CreateOrderRequest{Order: orderInput(a, row, start)},
	}
	setReason(row, &order)
	m.addMissions(row, &order, start)
	m.addQuotes(row, &order, a.Currency)
	m.addDetails(a, row, &order)
	m.setUpdated(row, &order)
	m.addNotices(a, row, &order)
	return order
}

// setReason sets why an order was rejected or archived.
func setReason(row demoOrder, order *domain.PastOrder) {
	switch row.Status {
	case api.OrderRejected, api.OrderNotFeasible:
		order.RejectionReason = &row.Reason
	case api.OrderArchived:
		order.ArchiveReason = &row.Reason
		order.StatusBefore = &row.Before
	}
}

// addMissions adds a mission for each site to an order and to the request that placed it. start is the day on which
// flights can start.
func (m *worldMaker) addMissions(row demoOrder, order *domain.PastOrder, start time.Time) {
	for i, site := range row.Sites {
		isAhead := i < row.Ahead
		order.Request.Missions = append(order.Request.Missions, m.missionInput(site))
		order.Missions = append(order.Missions, m.makeMission(row, site, isAhead, order.Created, start))
	}
}

// orderInput returns the order data of the request that placed an order. start is the day
// on which flights can start.
func orderInput(a store.Account, row demoOrder, start time.Time) api.OrderInput {
	orderType := api.SingleLocation
	if len(row.Sites) > 1 {
		orderType = api.MultiLocation
	}
	return api.OrderInput{
		CompanyName:       a.CompanyName,
		OrderName:         row.Name,
		OrderType:         orderType,
		Sensors:           row.Sensors,
		Deliverables:      row.Deliverables,
		MissionObjective:  row.Objective,
		IndustryAssetType: row.Asset,
		StartDate:         api.TimeOf(start.Add(8 * time.Hour)),
		Deadline:          api.TimeOf(start.Add(time.Duration(row.Days)*day + 17*time.Hour)),
	}
}

// missionInput returns the mission data of a request, for a mission at a site.
func (m *worldMaker) missionInput(site demoSite) api.MissionInput {
	location, area := site.drawLocation(m.rng)
	return api.MissionInput{
		MissionName:   site.Name,
		MissionType:   site.missionType(),
		Country:       site.Country,
		LocationLabel: site.Label,
		AreaSize:      area,
		LocationMap:   location,
	}
}

// makeRecordedOrder returns an order that has no missions. Only the v2 API shows the order.
func (m *worldMaker) makeRecordedOrder(a store.Account, row demoOrder) domain.PastOrder {
	order := m.makeOrder(a, row)
	for _, site := range order.Request.Missions {
		order.AreaSize += site.AreaSize
	}
	order.Code = row.Code
	order.Request.Missions = nil
	order.Missions = nil
	return order
}

// missionStatus returns the status of the least advanced mission of an order.
func missionStatus(row demoOrder) api.MissionStatus {
	switch row.orderStage() {
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

// setUpdated sets the time of an order's last change. Missions that were cancelled with the order get the same time.
func (m *worldMaker) setUpdated(row demoOrder, order *domain.PastOrder) {
	changed := lastMissionChange(order.Missions)
	if changed.After(order.Updated) {
		order.Updated = changed
	}
	order.Updated = m.notAfterNow(order.Updated.Add(m.timeToEnd(row.Status)))
	if row.Status == api.OrderArchived { // archiving leaves the missions as they are
		return
	}
	for i := range order.Missions {
		mission := &order.Missions[i]
		if mission.Status == api.MissionCancelled {
			mission.Updated = order.Updated
		}
	}
}

// lastMissionChange returns the time of the last change of any mission, or the zero time if there are no missions.
func lastMissionChange(missions []domain.PastMission) time.Time {
	var last time.Time
	for _, mission := range missions {
		if mission.Updated.After(last) {
			last = mission.Updated
		}
	}
	return last
}

// timeToEnd returns the time from the last change of an order's missions and quotes to the end of
// the order. It is 0 unless the order ended early, for instance because it was cancelled.
func (m *worldMaker) timeToEnd(status api.OrderStatus) time.Duration {
	switch status {
	case api.OrderRejected, api.OrderCancelled, api.OrderDeleted, api.OrderArchived:
		return m.durationBetween(4*time.Hour, 2*day)
	case api.OrderNotFeasible:
		return time.Hour
	default:
		return 0
	}
}

// addDetails adds details, such as a description and a contact, to about half of the orders. Orders
// with row.OtherMap, a type of map that is not among the products, always get details.
func (m *worldMaker) addDetails(a store.Account, row demoOrder, order *domain.PastOrder) {
	if m.oneIn(2) && row.OtherMap == "" {
		return
	}
	height := float64(60 + 10*m.rng.IntN(7))
	order.Details = &api.RecordDetails{
		Description: m.pickText(worldTables().Notes),
		PointOfContact: &api.PointOfContact{
			PocName:  a.ClientName,
			PocPhone: fmt.Sprintf("+999 %03d %04d", m.rng.IntN(1000), m.rng.IntN(10000)),
		},
		AdvancedOption: &api.AdvancedOption{FlightHeight: &height, GCP: m.oneIn(2)},
		OtherMapType:   row.OtherMap,
	}
}
