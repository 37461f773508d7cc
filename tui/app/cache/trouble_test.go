package cache

import (
	"errors"
	"slices"
	"testing"
	"time"

	"flightdesk/api"
)

// A mission needs attention from an exact moment on, and not before.
func TestAMissionNeedsAttentionFromTheExactMoment(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	mission := func(status api.MissionStatus, due, flight, updated time.Duration) *Mission {
		m := &Mission{Mission: api.Mission{Status: status}, Order: &api.Order{Status: api.OrderOperatorAssigned, Deadline: api.TimeOf(now.Add(due))}}
		if flight != 0 {
			at := api.TimeOf(now.Add(flight))
			m.FlightDate = at
		}
		m.UpdatedAt = api.TimeOf(now.Add(-updated))
		return m
	}
	over := mission(api.MissionPilotAssigned, -day, 0, 0)
	over.Order.Status = api.OrderCancelled
	alone := mission(api.MissionPilotAssigned, -day, 0, 0)
	alone.Order = nil
	for _, c := range []struct {
		m    *Mission
		want string
		late bool
	}{
		{mission(api.MissionAwaitingPilot, 0, 0, 0), "No flight date, due today", false},
		{mission(api.MissionAwaitingPilot, -2*day, 0, 0), "2 d overdue: ", true},
		{mission(api.MissionDataDelivered, -2*day, 0, 0), "", false},
		{mission(api.MissionCancelled, -2*day, 0, 0), "", false},
		{over, "", false},
		{alone, "", false},
		{mission(api.MissionPilotAssigned, 3*day, 0, 0), "", false},
		{mission(api.MissionPilotAssigned, 3*day-time.Second, 0, 0), "No flight date, due in ", false},
		{mission(api.MissionPilotAssigned, day, day, 0), "Flight not scheduled, due in 1 d", false},
		{mission(api.MissionPilotAssigned, 30*day, day, 9*day), "", false},
		{mission(api.MissionPilotAssigned, 30*day, 0, 7*day), "", false},
		{mission(api.MissionPilotAssigned, 30*day, 0, 7*day+time.Second), "No flight date, unchanged for 7 days", false},
		{mission(api.MissionAwaitingPilot, 30*day, 0, 8*day), "", false},
		{mission(api.MissionFlightScheduled, 30*day, -3*day, 0), "", false},
		{mission(api.MissionFlightScheduled, 30*day, -3*day-time.Second, 0), "Flight date 3 d ago, no data yet", false},
		{mission(api.MissionFlightScheduled, day, day, 0), "", false},
		{mission(api.MissionFlightScheduled, day, 2*day, 0), "Flight ", false},
	} {
		trouble, ok := c.m.TroubleAt(now)
		if ok != (c.want != "") || trouble.Late != c.late || len(trouble.Text) < len(c.want) || trouble.Text[:len(c.want)] != c.want {
			t.Errorf("%+v, due %v: %q, late %v; want %q", c.m.Status, c.m.Deadline(time.UTC), trouble.Text, trouble.Late, c.want)
		}
	}
	v := &CacheView{Missions: []*Mission{
		mission(api.MissionPilotAssigned, 2*day, 0, 0), mission(api.MissionPilotAssigned, 9*day, 0, 0), mission(api.MissionPilotAssigned, day, 0, 0),
		mission(api.MissionPilotAssigned, -day, 0, 0), mission(api.MissionPilotAssigned, -3*day, 0, 0),
	}}
	var order []time.Duration
	for _, m := range v.TroubledMissions(now) {
		order = append(order, m.Deadline(time.UTC).End().Sub(now)/day)
	}
	if !slices.Equal(order, []time.Duration{-3, -1, 1, 2}) {
		t.Errorf("in trouble are those due in %v days", order)
	}
}

// Joined states are as old as the oldest part, and have the error of any part.
func TestStatesAreJoined(t *testing.T) {
	early, late, wrong := time.Unix(1, 0), time.Unix(2, 0), errors.New("wrong")
	all := JoinStates(EntryState{ReadAt: late, Version: 1}, EntryState{ReadAt: early, Loading: true, Version: 2, Err: wrong}, EntryState{ReadAt: late, Offline: true, Err: errors.New("other")})
	if all.ReadAt != early || !all.Loading || !all.Offline || all.Version != 3 || !errors.Is(all.Err, wrong) {
		t.Errorf("%+v", all)
	}
	first := JoinStates(EntryState{ReadAt: early, Loading: true, Offline: true}, EntryState{ReadAt: late})
	if first.ReadAt != early || !first.Loading || !first.Offline || first.Err != nil {
		t.Errorf("%+v", first)
	}
	for _, s := range []EntryState{{ReadAt: early}, {Err: wrong}, {Offline: true}} {
		if s.IsUnread() {
			t.Errorf("%+v is unread", s)
		}
	}
}

func TestAMissionWithoutAShapeIsAtItsCentre(t *testing.T) {
	o := &api.Order{OrderCode: "ORD-1"}
	m := MissionOf(&api.Mission{LocationMap: []api.Point{{Lat: 1, Lng: 179}, {Lat: 3, Lng: -179}}}, o)
	if *m.Centre != (api.Point{Lat: 2, Lng: 180}) && *m.Centre != (api.Point{Lat: 2, Lng: -180}) || m.Order != o || len(m.Located().LocationMap) != 2 {
		t.Errorf("%+v", m)
	}
	m.LocationMap = nil
	if got := m.Located().LocationMap; len(got) != 1 || got[0] != *m.Centre {
		t.Errorf("located at %v", got)
	}
	if m.Centre = nil; m.Located().LocationMap != nil {
		t.Errorf("located at %v", m.Located().LocationMap)
	}
}

func TestAnOrderIsOverdueAfterTheDayOfItsDeadline(t *testing.T) {
	zone := time.FixedZone("CET", 3600)
	for _, due := range []time.Time{
		time.Date(2026, 12, 30, 0, 0, 0, 0, zone), // other clients send a day like this
		time.Date(2026, 12, 30, 23, 59, 59, 0, zone),
	} {
		m := &Mission{
			Mission: api.Mission{
				Status:     api.MissionFlightScheduled,
				FlightDate: api.TimeOf(time.Date(2026, 12, 30, 9, 0, 0, 0, zone)),
			},
			Order: &api.Order{Status: api.OrderFlyingDateSet, Deadline: api.TimeOf(due)},
		}
		if trouble, ok := m.TroubleAt(time.Date(2026, 12, 30, 22, 0, 0, 0, zone)); ok {
			t.Errorf("due %s: on the day itself: %s", due, trouble.Text)
		}
		if trouble, _ := m.TroubleAt(time.Date(2026, 12, 31, 0, 0, 0, 0, zone)); !trouble.Late {
			t.Errorf("due %s: not late on the day after", due)
		}
	}
}
