package server

import (
	"math"

	"flightdesk/api"
)

// readCreateOrder reads the body that places an order, and reports its faults
// after those given. All the rules of form are here; the enumerations and
// limits are package api's.
func readCreateOrder(body []byte, faults []api.FieldError) (req api.CreateOrderRequest, err error) {
	err = readJSON(body, faults, func(r *bodyReader) error {
		missions := -1
		err := r.readObject(
			bodyMember{"order", func() error { return r.readOrder(&req.Order) }},
			bodyMember{"missions", func() (err error) {
				missions, err = r.readMissions(&req.Missions)
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

func (r *bodyReader) readOrder(o *api.OrderInput) error {
	err := r.readObject(
		bodyMember{"companyName", func() error { return r.readName(&o.CompanyName) }},
		bodyMember{"orderName", func() error { return r.readName(&o.OrderName) }},
		bodyMember{"orderType", func() error { return readChoice(r, api.OrderTypes(), &o.OrderType) }},
		bodyMember{"sensors", func() error {
			n, err := readChoices(r, api.Sensors(), &o.Sensors)
			if n == 0 && err == nil {
				r.noteFault("needs at least one sensor")
			}
			return err
		}},
		bodyMember{"deliverables", func() error {
			_, err := readChoices(r, api.Deliverables(), &o.Deliverables)
			return err
		}},
		bodyMember{"missionObjective", func() error { return readChoice(r, api.MissionObjectives(), &o.MissionObjective) }},
		bodyMember{"industryAssetType", func() error { return readChoice(r, api.IndustryAssetTypes(), &o.IndustryAssetType) }},
		bodyMember{"startDate", func() error { return r.readDate(&o.StartDate) }},
		bodyMember{"deadline", func() error { return r.readDate(&o.Deadline) }},
	)
	if !o.StartDate.IsZero() && !o.Deadline.IsZero() && o.Deadline.Before(o.StartDate.Time) {
		r.faultAt("deadline", "must not be before startDate")
	}
	return err
}

func (r *bodyReader) readMissions(into *[]api.MissionInput) (n int, err error) {
	area := 0.0
	n, err = r.readList(api.MaxMissions, func() error {
		var m api.MissionInput
		err := r.readMission(&m)
		area += m.AreaSize
		*into = append(*into, m)
		return err
	})
	switch {
	case err != nil:
	case n == 0:
		r.noteFault("needs at least one mission")
	case n > api.MaxMissions:
		r.noteFault("has %d missions; the limit is %d", n, api.MaxMissions)
	case math.IsInf(area, 0):
		r.noteFault("has areas whose sum is too large")
	}
	return n, err
}

func (r *bodyReader) readMission(m *api.MissionInput) error {
	points := -1
	err := r.readObject(
		bodyMember{"missionName", func() error { return r.readName(&m.MissionName) }},
		bodyMember{"missionType", func() error { return readChoice(r, api.MissionTypes(), &m.MissionType) }},
		bodyMember{"country", func() error { return r.readName(&m.Country) }},
		bodyMember{"locationLabel", func() error { return r.readName(&m.LocationLabel) }},
		bodyMember{"areaSize", func() error { return r.readNumber(0, math.MaxFloat64, &m.AreaSize) }},
		bodyMember{"locationMap", func() (err error) {
			points, err = r.readPoints(&m.LocationMap)
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

func (r *bodyReader) readPoints(into *[]api.Point) (n int, err error) {
	var p api.Point
	members := []bodyMember{
		{"lat", func() error { return r.readNumber(-90, 90, &p.Lat) }},
		{"lng", func() error { return r.readNumber(-180, 180, &p.Lng) }},
	}
	n, err = r.readList(api.MaxPoints, func() error {
		p = api.Point{}
		err := r.readObject(members...)
		*into = append(*into, p)
		return err
	})
	if err == nil && n > api.MaxPoints {
		r.noteFault("has %d points; the limit is %d", n, api.MaxPoints)
	}
	return n, err
}
