package webhooks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/webhooks"
)

func at(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }

func ref[T any](v T) *T { return &v }

// plan is a version of a mission's plan.
func plan(version int, status api.SchedulingStatus, created time.Time) api.PlanningEntry {
	return api.PlanningEntry{Version: version, SchedulingStatus: status, ScheduledBy: ref("AeroScan"), CreatedAt: api.TimeOf(created)}
}

// row is one of a log, of a mission or, without one, of any.
func row(id, mission string, event api.EventName, created time.Time, change ...func(*api.WebhookDelivery)) api.WebhookDelivery {
	d := api.WebhookDelivery{UUID: id, MissionUID: mission, Event: event, Success: true, ResponseCode: ref(200), Attempts: ref(1), CreatedAt: api.TimeOf(created)}
	for _, c := range change {
		c(&d)
	}
	return d
}

func failed(code int, why string) func(*api.WebhookDelivery) {
	return func(d *api.WebhookDelivery) {
		d.Success, d.ResponseCode, d.Attempts, d.Error = false, ref(code), ref(4), ref(why)
	}
}

// scheduled is a mission with an operator at 9:00 and a flight date set at
// 10:00.
func scheduled() webhooks.MissionFacts {
	return webhooks.MissionFacts{
		UUID: "m-1", Code: "MSN-200518", Order: "ORD-100230", Status: api.MissionFlightScheduled, Operator: "AeroScan",
		Created: at(-240), Updated: at(-120), Planned: true, Planning: []api.PlanningEntry{plan(1, api.ScheduleConfirmed, at(-120))},
	}
}

func operatorRow() api.WebhookDelivery {
	return row("d-1", "m-1", api.EventOperatorAssigned, at(-180))
}

func TestFindMissing(t *testing.T) {
	all := api.EventNames()
	for _, tt := range []struct {
		name     string
		mission  func(*webhooks.MissionFacts)
		endpoint webhooks.EndpointFacts
		want     []string // of each gap a part of its sentence
	}{
		{
			"all is logged", nil,
			webhooks.EndpointFacts{Log: []api.WebhookDelivery{row("d-2", "m-1", api.EventFlightScheduled, at(-120)), operatorRow()}},
			nil,
		},
		{
			"a flight without a row", nil,
			webhooks.EndpointFacts{Log: []api.WebhookDelivery{operatorRow()}},
			[]string{"ORD-100230 MSN-200518: flight scheduled on Tue 24 Nov 10:00 (planning v1, AeroScan), no callback was delivered."},
		},
		{
			"the row is another mission's", nil,
			webhooks.EndpointFacts{Log: []api.WebhookDelivery{row("d-2", "m-2", api.EventFlightScheduled, at(-120)), operatorRow()}},
			[]string{"flight scheduled on Tue 24 Nov 10:00"},
		},
		{
			"one that was given up, as its row says", nil,
			webhooks.EndpointFacts{Log: []api.WebhookDelivery{row("d-2", "m-1", api.EventFlightScheduled, at(-120), failed(503, "HTTP 503")), operatorRow()}},
			nil,
		},
		{
			"one that only was received", nil,
			webhooks.EndpointFacts{
				Log: []api.WebhookDelivery{operatorRow()},
				Received: []api.Event{{
					ID: "d-2", Event: api.EventFlightScheduled, Timestamp: api.TimeOf(at(-120)), Data: api.EventData{Mission: api.EventMission{UUID: "m-1"}},
				}},
			},
			nil,
		},
		{
			"the later of two dates has no row",
			func(m *webhooks.MissionFacts) {
				m.Planning = append([]api.PlanningEntry{plan(2, api.ScheduleRescheduled, at(-30))}, m.Planning...)
			},
			webhooks.EndpointFacts{Log: []api.WebhookDelivery{row("d-2", "m-1", api.EventFlightScheduled, at(-120)), operatorRow()}},
			[]string{"on Tue 24 Nov 11:30 (planning v2, AeroScan), no callback"},
		},
		{
			"the earlier of two dates has no row",
			func(m *webhooks.MissionFacts) {
				m.Planning = append([]api.PlanningEntry{plan(2, api.ScheduleRescheduled, at(-30))}, m.Planning...)
			},
			webhooks.EndpointFacts{Log: []api.WebhookDelivery{row("d-2", "m-1", api.EventFlightScheduled, at(-30)), operatorRow()}},
			[]string{"on Tue 24 Nov 10:00 (planning v1, AeroScan), no callback"},
		},
		{
			"a proposal is no date",
			func(m *webhooks.MissionFacts) {
				m.Planning = []api.PlanningEntry{plan(1, api.ScheduleProposed, at(-120))}
			},
			webhooks.EndpointFacts{Log: []api.WebhookDelivery{operatorRow()}},
			nil,
		},
		{
			"no operator's row", nil,
			webhooks.EndpointFacts{Log: []api.WebhookDelivery{row("d-2", "m-1", api.EventFlightScheduled, at(-120))}},
			[]string{"operator assigned between Tue 24 Nov 08:00 and Tue 24 Nov 10:00 (operator AeroScan), no callback"},
		},
		{
			"without the plans the status tells",
			func(m *webhooks.MissionFacts) { m.Planned, m.Planning = false, nil },
			webhooks.EndpointFacts{Log: []api.WebhookDelivery{operatorRow()}},
			[]string{"flight scheduled between Tue 24 Nov 08:00 and Tue 24 Nov 10:00 (the mission is Flight scheduled), no callback"},
		},
		{
			"data and the end",
			func(m *webhooks.MissionFacts) {
				m.Status, m.Updated, m.Packed = api.MissionCompleted, at(-10), true
				m.Packages = []api.DeliveryPackage{{Version: 1, CreatedAt: api.TimeOf(at(-60))}}
			},
			webhooks.EndpointFacts{Log: []api.WebhookDelivery{row("d-2", "m-1", api.EventFlightScheduled, at(-120)), operatorRow()}},
			[]string{"completed between Tue 24 Nov 11:00 and Tue 24 Nov 11:50", "data delivered on Tue 24 Nov 11:00 (delivery package v1)"},
		},
		{
			"the end is logged before the mission changed again",
			func(m *webhooks.MissionFacts) { m.Status, m.Updated, m.Packed = api.MissionCompleted, at(-10), true },
			webhooks.EndpointFacts{
				Events: []api.EventName{api.EventMissionCompleted},
				Log:    []api.WebhookDelivery{row("d-3", "m-1", api.EventMissionCompleted, at(-100))},
			},
			nil,
		},
		{"not subscribed", nil, webhooks.EndpointFacts{Events: []api.EventName{api.EventDataDelivered}}, nil},
		{"before it was registered", nil, webhooks.EndpointFacts{Since: at(-100)}, nil},
		{"it may have been before", nil, webhooks.EndpointFacts{Since: at(-200), Log: []api.WebhookDelivery{row("d-2", "m-1", api.EventFlightScheduled, at(-120))}}, nil},
		{"before the log is known", nil, webhooks.EndpointFacts{LogSince: at(-100)}, nil},
		{
			"just now", func(m *webhooks.MissionFacts) { m.Planning[0].CreatedAt = api.TimeOf(noon.Add(-5 * time.Second)) },
			webhooks.EndpointFacts{Events: []api.EventName{api.EventFlightScheduled}},
			nil,
		},
		{
			"a log that names no missions has it at the time", nil,
			webhooks.EndpointFacts{Log: []api.WebhookDelivery{row("d-2", "", api.EventFlightScheduled, at(-119)), operatorRow()}},
			nil,
		},
		{
			"a log that names no missions has it at another time", nil,
			webhooks.EndpointFacts{Log: []api.WebhookDelivery{row("d-2", "", api.EventFlightScheduled, at(-90)), operatorRow()}},
			[]string{"no callback was delivered. Probable: log rows do not name missions."},
		},
		{
			"a log that names no missions has it as failed", nil,
			webhooks.EndpointFacts{Log: []api.WebhookDelivery{row("d-2", "", api.EventFlightScheduled, at(-120), failed(500, "HTTP 500")), operatorRow()}},
			nil,
		},
		{
			"a log that names orders has another order's", nil,
			webhooks.EndpointFacts{Log: []api.WebhookDelivery{
				row("d-2", "", api.EventFlightScheduled, at(-120), func(d *api.WebhookDelivery) { d.OrderCode = "ORD-9" }), operatorRow(),
			}},
			[]string{"no callback was delivered. Probable"},
		},
		{
			"a mission that was cancelled", func(m *webhooks.MissionFacts) { m.Status, m.Operator = api.MissionCancelled, "" },
			webhooks.EndpointFacts{},
			[]string{"flight scheduled on Tue 24 Nov 10:00"},
		},
		{
			"a status that is not known", func(m *webhooks.MissionFacts) {
				m.Status, m.Operator, m.Planned, m.Planning = "onTheMoon", "", false, nil
			},
			webhooks.EndpointFacts{},
			nil,
		},
		{
			"a hostile operator", func(m *webhooks.MissionFacts) { m.Operator = "Aero\x1b[2J\nScan" },
			webhooks.EndpointFacts{Events: []api.EventName{api.EventOperatorAssigned}},
			[]string{"Aero␛[2J Scan"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := scheduled()
			if tt.mission != nil {
				tt.mission(&m)
			}
			e := tt.endpoint
			if e.Events == nil {
				e.Events = all
			}
			if e.Since.IsZero() {
				e.Since = at(-1000)
			}
			got := webhooks.FindMissing([]webhooks.MissionFacts{m}, &e, noon)
			var texts []string
			for i := range got {
				texts = append(texts, got[i].DescribeGap(noon))
			}
			if len(texts) != len(tt.want) {
				t.Fatalf("found %q, want %q", texts, tt.want)
			}
			for i, want := range tt.want {
				if !strings.Contains(texts[i], want) {
					t.Errorf("found %q, want %q", texts[i], want)
				}
			}
		})
	}
}

// A large account's missions are compared within the budget of a key.
func BenchmarkFindMissing(b *testing.B) {
	var missions []webhooks.MissionFacts
	e := webhooks.EndpointFacts{Events: api.EventNames(), Since: at(-10_000)}
	for i := range 2_000 {
		m := scheduled()
		m.UUID = fmt.Sprint(i)
		missions = append(missions, m)
		if i%50 > 0 {
			e.Log = append(e.Log, row(fmt.Sprint("f", i), m.UUID, api.EventFlightScheduled, at(-120)), row(fmt.Sprint("o", i), m.UUID, api.EventOperatorAssigned, at(-180)))
		}
	}
	for b.Loop() {
		if n := len(webhooks.FindMissing(missions, &e, noon)); n != 80 {
			b.Fatalf("%d gaps", n)
		}
	}
}
