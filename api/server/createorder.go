package server

import (
	"math"

	"flightdesk/api"
)

// readCreateOrder reads the body that places an order, and reports its faults
// after those given. All the rules of form are here; the enumerations and
// limits are package api's.
func readCreateOrder(body []byte, faults []api.FieldError) (req api.CreateOrderRequest, err error) {
	err = readJSON(body, faults, func(r *reader) error {
		missions := -1
		err := r.object(
			member{"order", func() error { return r.order(&req.Order) }},
			member{"missions", func() (err error) {
				missions, err = r.missions(&req.Missions)
				return err
			}},
		)
		if req.Order.OrderType == api.SingleLocation && missions > 1 {
			r.faultAt("missions", "singleLocation requires exactly one mission, not %d", missions)
		}
		return err
	})
	return req, err
}

func (r *reader) order(o *api.OrderInput) error {
	err := r.object(
		member{"companyName", func() error { return r.name(&o.CompanyName) }},
		member{"orderName", func() error { return r.name(&o.OrderName) }},
		member{"orderType", func() error { return choice(r, api.OrderTypes(), &o.OrderType) }},
		member{"sensors", func() error {
			n, err := choices(r, api.Sensors(), &o.Sensors)
			if n == 0 && err == nil {
				r.fault("needs at least one sensor")
			}
			return err
		}},
		member{"deliverables", func() error {
			_, err := choices(r, api.Deliverables(), &o.Deliverables)
			return err
		}},
		member{"missionObjective", func() error { return choice(r, api.MissionObjectives(), &o.MissionObjective) }},
		member{"industryAssetType", func() error { return choice(r, api.IndustryAssetTypes(), &o.IndustryAssetType) }},
		member{"startDate", func() error { return r.date(&o.StartDate) }},
		member{"deadline", func() error { return r.date(&o.Deadline) }},
	)
	if !o.StartDate.IsZero() && !o.Deadline.IsZero() && o.Deadline.Before(o.StartDate.Time) {
		r.faultAt("deadline", "must not be before startDate")
	}
	return err
}

func (r *reader) missions(into *[]api.MissionInput) (n int, err error) {
	area := 0.0
	n, err = r.list(api.MaxMissions, func() error {
		var m api.MissionInput
		err := r.mission(&m)
		area += m.AreaSize
		*into = append(*into, m)
		return err
	})
	switch {
	case err != nil:
	case n == 0:
		r.fault("needs at least one mission")
	case n > api.MaxMissions:
		r.fault("has %d missions; the limit is %d", n, api.MaxMissions)
	case math.IsInf(area, 0):
		r.fault("has areas whose sum is too large")
	}
	return n, err
}

func (r *reader) mission(m *api.MissionInput) error {
	points := -1
	err := r.object(
		member{"missionName", func() error { return r.name(&m.MissionName) }},
		member{"missionType", func() error { return choice(r, api.MissionTypes(), &m.MissionType) }},
		member{"country", func() error { return r.name(&m.Country) }},
		member{"locationLabel", func() error { return r.name(&m.LocationLabel) }},
		member{"areaSize", func() error { return r.number(0, math.MaxFloat64, &m.AreaSize) }},
		member{"locationMap", func() (err error) {
			points, err = r.points(&m.LocationMap)
			return err
		}},
	)
	if least := m.MissionType.MinPoints(); points >= 0 && points < least {
		kind := string(m.MissionType)
		if kind == "" {
			kind = "mission"
		}
		r.faultAt("locationMap", "needs at least %d points for type %s, not %d", least, kind, points)
	}
	return err
}

func (r *reader) points(into *[]api.Point) (n int, err error) {
	var p api.Point
	members := []member{
		{"lat", func() error { return r.number(-90, 90, &p.Lat) }},
		{"lng", func() error { return r.number(-180, 180, &p.Lng) }},
	}
	n, err = r.list(api.MaxPoints, func() error {
		p = api.Point{}
		err := r.object(members...)
		*into = append(*into, p)
		return err
	})
	if err == nil && n > api.MaxPoints {
		r.fault("has %d points; the limit is %d", n, api.MaxPoints)
	}
	return n, err
}
