package timeline

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/webhooks"
)

func after(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }

// plan returns a version of a mission's planning.
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
		d.Success = false
		d.ResponseCode = ref(code)
		d.Attempts = ref(4)
		d.Error = ref(why)
	}
}

// scheduled returns a mission with an operator at 9:00 and a flight date set at 10:00.
func scheduled() *Mission {
	m := api.Mission{
		UUID: "m-1", MissionCode: "MSN-200518", OrderCode: "ORD-100230", Status: api.MissionFlightScheduled, OperatorName: by("AeroScan"),
		CreatedAt: api.TimeOf(after(-240)), UpdatedAt: api.TimeOf(after(-120)),
	}
	return &Mission{Mission: m, MissionParts: MissionParts{Planning: []api.PlanningEntry{plan(1, api.ScheduleConfirmed, after(-120))}, PackagesErr: errors.New("not read")}}
}

// logFacts is what is known of an endpoint and its log.
type logFacts struct {
	Events   []api.EventName
	Since    time.Time // when it was registered
	Log      []api.WebhookDelivery
	LogSince time.Time // from when on the log is known
	Received []api.Event
}

func (f *logFacts) findMissing(missions ...*Mission) []*MissingCallback {
	e := Endpoint{Log: f.Log, Since: f.LogSince}
	e.Events = f.Events
	e.CreatedAt = api.TimeOf(f.Since)
	var heard []webhooks.ReceivedEvent
	for _, x := range f.Received {
		heard = append(heard, webhooks.ReceivedEvent{Event: x})
	}
	return FindMissing(missions, &e, heard, noon)
}

func operatorRow() api.WebhookDelivery {
	return row("d-1", "m-1", api.EventOperatorAssigned, after(-180))
}

func TestFindMissing(t *testing.T) {
	all := api.EventNames()
	for _, tt := range []struct {
		name     string
		mission  func(*Mission)
		endpoint logFacts
		want     []string // of each gap a part of its sentence
	}{
		{
			"all is logged", nil,
			logFacts{Log: []api.WebhookDelivery{row("d-2", "m-1", api.EventFlightScheduled, after(-120)), operatorRow()}},
			nil,
		},
		{
			"a flight without a row", nil,
			logFacts{Log: []api.WebhookDelivery{operatorRow()}},
			[]string{"ORD-100230 MSN-200518: flight scheduled on Tue 24 Nov 10:00 (planning v1, AeroScan), no callback in the log."},
		},
		{
			"the row is another mission's", nil,
			logFacts{Log: []api.WebhookDelivery{row("d-2", "m-2", api.EventFlightScheduled, after(-120)), operatorRow()}},
			[]string{"flight scheduled on Tue 24 Nov 10:00"},
		},
		{
			"one that was given up, as its row says", nil,
			logFacts{Log: []api.WebhookDelivery{row("d-2", "m-1", api.EventFlightScheduled, after(-120), failed(503, "HTTP 503")), operatorRow()}},
			nil,
		},
		{
			"one that only was received", nil,
			logFacts{
				Log: []api.WebhookDelivery{operatorRow()},
				Received: []api.Event{{
					ID: "d-2", Event: api.EventFlightScheduled, Timestamp: api.TimeOf(after(-120)), Data: api.EventData{Mission: api.EventMission{UUID: "m-1"}},
				}},
			},
			nil,
		},
		{
			"the later of two dates has no row",
			func(m *Mission) {
				m.Planning = append([]api.PlanningEntry{plan(2, api.ScheduleRescheduled, after(-30))}, m.Planning...)
			},
			logFacts{Log: []api.WebhookDelivery{row("d-2", "m-1", api.EventFlightScheduled, after(-120)), operatorRow()}},
			[]string{"on Tue 24 Nov 11:30 (planning v2, AeroScan), no callback"},
		},
		{
			"the earlier of two dates has no row",
			func(m *Mission) {
				m.Planning = append([]api.PlanningEntry{plan(2, api.ScheduleRescheduled, after(-30))}, m.Planning...)
			},
			logFacts{Log: []api.WebhookDelivery{row("d-2", "m-1", api.EventFlightScheduled, after(-30)), operatorRow()}},
			[]string{"on Tue 24 Nov 10:00 (planning v1, AeroScan), no callback"},
		},
		{
			"a proposal is no date",
			func(m *Mission) {
				m.Planning = []api.PlanningEntry{plan(1, api.ScheduleProposed, after(-120))}
			},
			logFacts{Log: []api.WebhookDelivery{operatorRow()}},
			nil,
		},
		{
			"no operator's row", nil,
			logFacts{Log: []api.WebhookDelivery{row("d-2", "m-1", api.EventFlightScheduled, after(-120))}},
			[]string{"operator assigned between Tue 24 Nov 08:00 and Tue 24 Nov 10:00 (operator AeroScan), no callback"},
		},
		{
			"without the plans the status tells",
			func(m *Mission) {
				m.PlanningErr = errors.New("not read")
				m.Planning = nil
			},
			logFacts{Log: []api.WebhookDelivery{operatorRow()}},
			[]string{"flight scheduled between Tue 24 Nov 08:00 and Tue 24 Nov 10:00 (the mission is Flight scheduled), no callback"},
		},
		{
			"data and the end",
			func(m *Mission) {
				m.Status = api.MissionCompleted
				m.UpdatedAt = api.TimeOf(after(-10))
				m.PackagesErr = nil
				m.Packages = []api.DeliveryPackage{{Version: 1, CreatedAt: api.TimeOf(after(-60))}}
			},
			logFacts{Log: []api.WebhookDelivery{row("d-2", "m-1", api.EventFlightScheduled, after(-120)), operatorRow()}},
			[]string{"completed between Tue 24 Nov 11:00 and Tue 24 Nov 11:50", "data delivered on Tue 24 Nov 11:00 (delivery package v1)"},
		},
		{
			"the end is logged before the mission changed again",
			func(m *Mission) {
				m.Status = api.MissionCompleted
				m.UpdatedAt = api.TimeOf(after(-10))
				m.PackagesErr = nil
			},
			logFacts{
				Events: []api.EventName{api.EventMissionCompleted},
				Log:    []api.WebhookDelivery{row("d-3", "m-1", api.EventMissionCompleted, after(-100))},
			},
			nil,
		},
		{"not subscribed", nil, logFacts{Events: []api.EventName{api.EventDataDelivered}}, nil},
		{"before it was registered", nil, logFacts{Since: after(-100)}, nil},
		{"it may have been before", nil, logFacts{Since: after(-200), Log: []api.WebhookDelivery{row("d-2", "m-1", api.EventFlightScheduled, after(-120))}}, nil},
		{"before the log is known", nil, logFacts{LogSince: after(-100)}, nil},
		{
			"just now", func(m *Mission) { m.Planning[0].CreatedAt = api.TimeOf(noon.Add(-5 * time.Second)) },
			logFacts{Events: []api.EventName{api.EventFlightScheduled}},
			nil,
		},
		{
			"a log that names no missions has it at the time", nil,
			logFacts{Log: []api.WebhookDelivery{row("d-2", "", api.EventFlightScheduled, after(-119)), operatorRow()}},
			nil,
		},
		{
			"a log that names no missions has it at another time", nil,
			logFacts{Log: []api.WebhookDelivery{row("d-2", "", api.EventFlightScheduled, after(-90)), operatorRow()}},
			[]string{"no callback in the log. Probable: log rows do not name missions."},
		},
		{
			"a log that names no missions has it as failed", nil,
			logFacts{Log: []api.WebhookDelivery{row("d-2", "", api.EventFlightScheduled, after(-120), failed(500, "HTTP 500")), operatorRow()}},
			nil,
		},
		{
			"a log that names orders has another order's", nil,
			logFacts{Log: []api.WebhookDelivery{
				row("d-2", "", api.EventFlightScheduled, after(-120), func(d *api.WebhookDelivery) { d.OrderCode = "ORD-9" }), operatorRow(),
			}},
			[]string{"no callback in the log. Probable"},
		},
		{
			"a mission that was cancelled", func(m *Mission) {
				m.Status = api.MissionCancelled
				m.OperatorName = nil
			},
			logFacts{},
			[]string{"flight scheduled on Tue 24 Nov 10:00"},
		},
		{
			"a status that is not known", func(m *Mission) {
				m.Status = "onTheMoon"
				m.OperatorName = nil
				m.PlanningErr = errors.New("not read")
				m.Planning = nil
			},
			logFacts{},
			nil,
		},
		{
			"a hostile operator", func(m *Mission) { m.OperatorName = by("Aero\x1b[2J\nScan") },
			logFacts{Events: []api.EventName{api.EventOperatorAssigned}},
			[]string{"Aero␛[2J Scan"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := scheduled()
			if tt.mission != nil {
				tt.mission(m)
			}
			e := tt.endpoint
			if e.Events == nil {
				e.Events = all
			}
			if e.Since.IsZero() {
				e.Since = after(-1000)
			}
			got := e.findMissing(m)
			var texts []string
			for i := range got {
				texts = append(texts, got[i].Describe(noon))
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
	var missions []*Mission
	e := logFacts{Events: api.EventNames(), Since: after(-10_000)}
	for i := range 2_000 {
		m := scheduled()
		m.UUID = fmt.Sprint(i)
		missions = append(missions, m)
		if i%50 > 0 {
			e.Log = append(e.Log, row(fmt.Sprint("f", i), m.UUID, api.EventFlightScheduled, after(-120)), row(fmt.Sprint("o", i), m.UUID, api.EventOperatorAssigned, after(-180)))
		}
	}
	for b.Loop() {
		if n := len(e.findMissing(missions...)); n != 80 {
			b.Fatalf("%d gaps", n)
		}
	}
}

// Missions of a large account are compared within the rate limit of a key.
func TestPlanningOfTheLastChangedMissionsIsLoaded(t *testing.T) {
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	var missions []*cache.Mission
	for i := range maxDated + 10 {
		m := &cache.Mission{}
		m.UUID = fmt.Sprint(i)
		m.UpdatedAt = api.TimeOf(day.Add(time.Duration(i) * time.Minute))
		m.Status = api.MissionFlightScheduled
		missions = append(missions, m)
	}
	clockTolerance := &cache.Mission{}
	clockTolerance.UpdatedAt = api.TimeOf(day.Add(time.Hour))
	clockTolerance.Status = api.MissionPilotAssigned
	last := MissionsToCheck(append(missions, clockTolerance), day.Add(time.Second))
	if len(last) != maxDated || last[0].UUID != fmt.Sprint(maxDated+9) || last[maxDated-1].UUID != "10" {
		t.Errorf("%d are read, from %s to %s", len(last), last[0].UUID, last[len(last)-1].UUID)
	}
}
