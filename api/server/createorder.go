package server

import (
	"math"

	"flightdesk/api"
)

// createOrderBody is the body that places an order.
type createOrderBody struct {
	Order    orderBody   `json:"order" check:"required"`
	Missions missionList `json:"missions" check:"required"`
}

func (b *createOrderBody) checkMembers(r *bodyReader) {
	if b.Order.OrderType == api.SingleLocation && b.Missions.count > 1 {
		r.faultAt("missions", "singleLocation requires exactly one mission, not %d", b.Missions.count)
	}
}

type orderBody struct{ api.OrderInput }

func (b *orderBody) checkMembers(r *bodyReader) {
	r.checkPeriod(b.StartDate, b.Deadline, "deadline", "startDate")
}

// checkPeriod notes a period that ends before its beginning.
func (r *bodyReader) checkPeriod(from, to api.Time, end, beginning string) {
	if !from.IsZero() && !to.IsZero() && to.Before(from.Time) {
		r.faultAt(end, "must not be before %s", beginning)
	}
}

// missionList has the missions of an order, and how many there were with those
// beyond the limit.
type missionList struct {
	missions []api.MissionInput
	count    int
}

// readMissions reads the missions of an order.
func (r *bodyReader) readMissions(l *missionList) (err error) {
	area := 0.0
	l.count, err = r.readList(api.MaxMissions, func() error {
		var m missionBody
		err := r.readObject(&m)
		area += m.AreaSize
		l.missions = append(l.missions, m.MissionInput)
		return err
	})
	switch {
	case err != nil:
	case l.count == 0:
		r.noteFault("needs at least one mission")
	case l.count > api.MaxMissions:
		r.noteFault("has %d missions; the limit is %d", l.count, api.MaxMissions)
	case math.IsInf(area, 0):
		r.noteFault("has areas whose sum is too large")
	}
	return err
}

type missionBody struct{ api.MissionInput }

func (b *missionBody) checkMembers(r *bodyReader) {
	points, least := len(b.LocationMap), b.MissionType.MinPoints()
	if b.LocationMap == nil || points >= least {
		return
	}
	kind := string(b.MissionType)
	if kind == "" {
		kind = "mission"
	}
	r.faultAt("locationMap", "needs at least %d points for type %s, not %d", least, kind, points)
}
