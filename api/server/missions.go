package server

import (
	"strconv"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
	"flightdesk/kmlcsv/places"
)

// findMission returns the mission whose UUID is in the path of a request. In the public API, the
// mission must belong to the caller. In the operations API, it can belong to any account.
func (b *handlerBase) findMission(x *exchange) (store.Mission, error) {
	_, m, err := b.domain.Missions.Find(x.r.Context(), x.caller, x.uuid())
	return m, err
}

func (h *publicHandlers) listPlanning(x *exchange, m store.Mission) (handlerAnswer, error) {
	list := shownList{"planning/" + strconv.FormatInt(m.ID, 10), 0, "planning of " + m.Code + ", newest first"}
	return answerList(h.handlerBase, x, list, m.ID, wirePlanning)
}

func wirePlanning(p store.Planning) api.PlanningEntry {
	return api.PlanningEntry{
		Version:          p.Version,
		SchedulingStatus: p.Status,
		FlightDate:       timeInZone(p.FlightDate, p.FlightZone),
		ScheduledBy:      p.ScheduledBy,
		Note:             p.Note,
		CreatedAt:        api.TimeOf(p.Created),
	}
}

// timeInZone returns a time with the UTC offset that the client sent, in seconds.
func timeInZone(t time.Time, offset int) api.Time {
	if offset == 0 || t.IsZero() {
		return api.TimeOf(t)
	}
	return api.TimeOf(t.In(time.FixedZone("", offset)))
}

func (h *publicHandlers) getPermission(x *exchange, m store.Mission) (handlerAnswer, error) {
	p, permit, err := h.domain.Missions.Permission(x.r.Context(), m)
	return answerWith("flight permission of "+m.Code, h.wirePermission(x, m, p, permit), err)
}

func (b *handlerBase) wirePermission(
	x *exchange, m store.Mission, p store.Permission, permit *store.File,
) api.FlightPermission {
	wire := api.FlightPermission{
		MissionUID: m.UUID,
		Status:     p.Status,
		Authority:  p.Authority,
		Reference:  p.Reference,
		ValidFrom:  timeInZone(p.ValidFrom, p.FromZone),
		ValidTo:    timeInZone(p.ValidTo, p.ToZone),
		UpdatedAt:  api.TimeOf(p.Updated),
	}
	if permit != nil {
		link := b.linkTo(x, *permit)
		wire.PermitFileURL = &link
	}
	return wire
}

func (h *publicHandlers) listMissions(x *exchange, order store.Order) (handlerAnswer, error) {
	list := shownList{"missions/" + strconv.FormatInt(order.ID, 10), 0, "missions of " + order.Code}
	wire := func(m store.Mission) api.Mission { return wireMission(order, m) }
	return answerList(h.handlerBase, x, list, order.ID, wire)
}

// wireMission returns a mission as the public API shows it.
func wireMission(o store.Order, m store.Mission) api.Mission {
	return api.Mission{
		UUID:          m.UUID,
		MissionCode:   m.Code,
		Status:        m.Status,
		OrderUID:      o.UUID,
		OrderCode:     o.Code,
		MissionName:   m.Name,
		MissionType:   m.Type,
		Country:       m.Country,
		City:          m.City,
		LocationLabel: m.LocationLabel,
		AreaSize:      &m.AreaSize,
		LocationMap:   m.LocationMap,
		OperatorName:  m.OperatorName,
		FlightDate:    timeInZone(m.FlightDate, m.FlightZone),
		CreatedAt:     api.TimeOf(m.Created.UTC()),
		UpdatedAt:     api.TimeOf(m.Updated.UTC()),
	}
}

// cityOf suggests a city for a mission from the coordinates of its location.
func cityOf(kind api.MissionType, location []api.Point) string {
	points := make([]orb.Point, len(location))
	for i, p := range location {
		points[i] = orb.Point{p.Lng, p.Lat}
	}
	switch kind {
	case api.MissionArea:
		return places.SuggestPlace(orb.Polygon{append(points, points[0])}).City
	case api.MissionLinear:
		return places.SuggestPlace(orb.LineString(points)).City
	default:
		return places.Lookup(points[0]).City
	}
}
