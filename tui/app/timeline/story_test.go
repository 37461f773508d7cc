package timeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

func ref[T any](v T) *T { return &v }

// levee returns the facts of an order with one mission and something from every source.
func levee() *SubjectFacts {
	order := &api.Order{
		UUID: "o-1", OrderCode: "ORD-7", OrderName: "Levee", Status: api.OrderFlyingDateSet, CreatedAt: on(10, 9), UpdatedAt: on(20, 9),
		StartDate: on(12, 0), Deadline: on(30, 0), MissionCount: ref(1),
	}
	mission := api.Mission{
		UUID: "m-1", MissionCode: "MSN-9", MissionName: "Km 3", Status: api.MissionDataDelivered, OperatorName: by("AeroScan"),
		CreatedAt: on(10, 9), UpdatedAt: on(22, 9), FlightDate: on(21, 10),
	}
	return &SubjectFacts{
		Subject: StorySubject{Order: "ORD-7"}, Order: order,
		Missions: []*Mission{{Mission: mission, MissionParts: MissionParts{
			Planning: []api.PlanningEntry{
				{Version: 2, SchedulingStatus: api.ScheduleRescheduled, FlightDate: on(21, 10), ScheduledBy: by("AeroScan"), CreatedAt: on(19, 8), Note: by("fog")},
				{Version: 1, SchedulingStatus: api.ScheduleConfirmed, FlightDate: on(20, 10), ScheduledBy: by("AeroScan"), CreatedAt: on(18, 8)},
			},
			Permission: &api.FlightPermission{Status: api.PermissionGranted, Authority: by("LBA"), UpdatedAt: on(17, 8)},
			Packages:   []api.DeliveryPackage{{UUID: "p-1", Version: 1, Name: "Data", FileCount: 3, TotalSize: 2_000_000, CreatedAt: on(22, 9)}},
		}}},
		Record: &api.OrderRecord{
			AcceptedQuote:  &api.Quote{QuoteID: "q-1", QuoteName: "AeroScan"},
			RejectedQuotes: []api.Quote{{QuoteID: "q-2", QuoteName: "Nordflug", FinalPrice: api.PriceOf(12), Currency: "EUR"}},
		},
		SentChanges: []changes.Change{{At: on(15, 9).Time, Kind: changes.QuoteAccepted, Quote: changes.QuoteSubject{ID: "q-1", Name: "AeroScan", Price: "10.00 EUR", Days: "20 days"}, Outcome: changes.NewConfirmed("")}},
		Endpoints: []*Endpoint{{
			WebhookEndpoint: api.WebhookEndpoint{UUID: "w-1", URL: "https://hooks.example/in", Events: api.EventNames(), CreatedAt: on(1, 9)},
			Log: []api.WebhookDelivery{
				{UUID: "d-3", Event: api.EventDataDelivered, MissionUID: "m-1", ResponseCode: ref(503), Attempts: ref(4), Error: by("HTTP 503"), CreatedAt: on(22, 9)},
				{UUID: "d-2", Event: api.EventFlightScheduled, MissionUID: "m-1", Success: true, ResponseCode: ref(204), Attempts: ref(2), CreatedAt: on(18, 8)},
				{UUID: "d-0", Event: api.EventFlightScheduled, MissionUID: "m-other", Success: true, CreatedAt: on(18, 8)},
				{UUID: "d-1", Event: api.EventOperatorAssigned, MissionUID: "m-1", Success: true, ResponseCode: ref(200), Attempts: ref(1), CreatedAt: on(16, 8)},
			},
		}},
		Notices: []ops.CompletionNotice{
			{UUID: "n-2", Channel: "email", Address: "desk@client.example", Attempts: 1, Success: true, CreatedAt: on(23, 9)},
			{UUID: "n-1", Channel: "webhook", Address: "https://client.example/done", Attempts: 4, ResponseCode: 410, Error: by("HTTP 410"), CreatedAt: on(23, 9)},
		},
		QuoteTimes: map[string]*ops.Quote{
			"q-1": {CreatedAt: on(11, 9), DecidedAt: on(15, 9)},
			"q-2": {CreatedAt: on(11, 9), DecidedAt: on(14, 9)},
		},
		Changes: []ops.OrderChange{
			{ID: 4, At: on(23, 8), Operator: "Olga", Operation: "POST /deliveries/{uuid}/resend", Subject: "d-3", Parent: "ORD-7"},
			{ID: 3, At: on(16, 8), Operator: "Olga", Operation: "POST /missions/{uuid}/assign-operator", Subject: "MSN-9"},
			{ID: 2, At: on(11, 9), Operator: "operations key", Operation: "POST /orders/{uuid}/quotes", Subject: "q-1", Parent: "ORD-7"},
		},
		Sent: []ops.LoggedRequest{
			{ID: 5, At: on(23, 7), Method: "GET", Path: "/api/v1/public/missions/m-1/delivery-packages", Status: 401, Code: "key_revoked", KeyUID: "k", KeyHint: "nZA7", Address: "192.0.2.1", DurationMS: 3, RequestID: "r-5"},
			{ID: 4, At: on(23, 6), Method: "GET", Path: "/api/v1/public/missions/m-1/delivery-packages", Status: 401, Code: "key_revoked", KeyUID: "k", KeyHint: "nZA7", Address: "192.0.2.1", DurationMS: 2, RequestID: "r-4"},
			{ID: 3, At: on(17, 9), Method: "GET", Path: "/api/v1/public/missions/m-1/flight-permission", Status: 404, Code: "not_found"},
			{ID: 2, At: on(14, 9), Method: "POST", Path: "/api/v2/order/o-1/quote/q-2", Status: 200, KeyUID: "k", KeyHint: "nZA7"},
			{ID: 1, At: on(10, 9), Method: "POST", Path: "/api/v1/public/orders", Status: 201, KeyUID: "k", KeyHint: "nZA7"},
		},
		Received: []webhooks.ReceivedEvent{{Event: api.Event{ID: "d-2", Event: api.EventFlightScheduled, Data: api.EventData{Mission: api.EventMission{UUID: "m-1", MissionCode: "MSN-9"}}}, At: on(18, 9).Time}},
		Exchanges: []*session.Exchange{
			{Number: 3, Path: "/missions/m-1/planning", Exchange: api.Exchange{Method: "GET", Status: 500, At: on(24, 9).Time}}, // by a clock that is known roughly
			{Number: 1, Path: "/missions/m-1/flight-permission", Exchange: api.Exchange{Method: "GET", Status: 404, At: on(24, 9).Time}},
			{Number: 2, Path: "/orders/ORD-7", Exchange: api.Exchange{Method: "GET", Status: 200, At: on(24, 10).Time}},
		},
	}
}

func TestATimelineHasEntriesFromEverySource(t *testing.T) {
	var got []string
	for _, e := range BuildEntries(levee(), noon) {
		got = append(got, fmt.Sprintf("%s %s %s %s", strings.TrimSpace(e.At.UTC().Format("02 15")), e.Source, e.About, e.What))
	}
	want := []string{
		"10 09 order ORD-7 placed, 1 mission",
		"10 09 client ORD-7 POST /orders: 201, key ••••nZA7",
		"11 09 quote ORD-7 AeroScan issued, no price, by operations key",
		"11 09 quote ORD-7 Nordflug issued, 12.00 EUR",
		"12 00 order ORD-7 start date",
		"14 09 quote ORD-7 Nordflug rejected, 12.00 EUR, with key ••••nZA7",
		"15 09 decision ORD-7 AeroScan accepted, 10.00 EUR, 20 days, on this machine",
		"16 08 callback MSN-9 Operator assigned: answered 200 → hooks.example/in",
		"16 08 change MSN-9 Olga: assign operator",
		"17 08 permission MSN-9 flight permission granted, LBA",
		"18 08 planning MSN-9 planning v1 confirmed, Fri 20 Nov 10:00, by AeroScan",
		"18 08 callback MSN-9 Flight scheduled: answered 204, 2 attempts → hooks.example/in",
		"18 09 received MSN-9 Flight scheduled: received by this app, verified",
		"19 08 planning MSN-9 planning v2 rescheduled, Sat 21 Nov 10:00, by AeroScan",
		"19 08 missing MSN-9 Flight scheduled: missing, not in the log → hooks.example/in",
		"20 09 order ORD-7 order updated: Flight scheduled",
		"21 10 mission MSN-9 flight date",
		"22 09 mission MSN-9 mission updated: Data delivered, AeroScan",
		"22 09 delivery MSN-9 data delivered, v1, 3 files, 2.0 MB",
		"22 09 callback MSN-9 Data delivered: failed, answered 503, 4 attempts → hooks.example/in",
		"23 06 client MSN-9 GET /missions/MSN-9/delivery-packages: 401 key_revoked, key ••••nZA7, 2 times",
		"23 08 change MSN-9 Olga: Data delivered sent again to hooks.example/in",
		"23 09 notice ORD-7 Completion notice by e-mail to desk@client.example: sent",
		"23 09 notice ORD-7 Completion notice by webhook to client.example/done: failed, answered 410, 4 attempts",
		"24 09 request MSN-9 GET /missions/MSN-9/flight-permission: 404",
		"24 10 request ORD-7 GET /orders/ORD-7: 200",
		"24 10 request MSN-9 GET /missions/MSN-9/planning: 500",
		"30 23 order ORD-7 deadline",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAnUpdateThatDidNotChangeTheOrderIsNotItsUpdate(t *testing.T) {
	mission := func(status api.MissionStatus, updated api.Time) api.Mission {
		return api.Mission{UUID: string(status), Status: status, CreatedAt: on(10, 9), UpdatedAt: updated}
	}
	for _, test := range []struct {
		name     string
		status   api.OrderStatus
		missions []api.Mission
		want     string
	}{
		{
			"another mission is behind", api.OrderFlyingDateSet,
			[]api.Mission{mission(api.MissionFlightScheduled, on(15, 9)), mission(api.MissionDataDelivered, on(20, 9))},
			"",
		},
		{
			"the data was accepted", api.OrderCompleted,
			[]api.Mission{mission(api.MissionCompleted, on(20, 9))},
			"",
		},
		{
			"the last data was delivered", api.OrderCompleted,
			[]api.Mission{mission(api.MissionDataDelivered, on(20, 9))},
			"order updated: Completed",
		},
		{
			"the mission changed earlier", api.OrderFlyingDateSet,
			[]api.Mission{mission(api.MissionDataDelivered, on(19, 9))},
			"order updated: Flight scheduled",
		},
		{"the missions are not loaded", api.OrderCompleted, nil, "order updated: Completed"},
		{
			"the status is unknown", "paused",
			[]api.Mission{mission(api.MissionAwaitingPilot, on(20, 9))},
			"order updated: paused",
		},
	} {
		order := &api.Order{
			OrderCode: "ORD-7",
			Status:    test.status,
			CreatedAt: on(10, 9),
			UpdatedAt: on(20, 9),
			Missions:  test.missions,
		}
		got := ""
		for _, entry := range BuildEntries(&SubjectFacts{Order: order}, noon) {
			if entry.Brief == "order updated" {
				got = entry.What
			}
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// Only the operations API has the times of quotes. Without it, a decision made on another
// machine has no time.
func TestQuotesHaveTheTimesOfTheOperationsAPI(t *testing.T) {
	f := &SubjectFacts{
		Order: &api.Order{UUID: "o-1", OrderCode: "ORD-7"},
		Record: &api.OrderRecord{
			AcceptedQuote: &api.Quote{QuoteID: "q-1", QuoteName: "AeroScan", FinalPrice: api.PriceOf(10), Currency: "EUR"},
			ClosedQuotes:  []api.Quote{{QuoteID: "q-2", QuoteName: "Nordflug"}},
		},
		QuoteTimes: map[string]*ops.Quote{
			"q-1": {CreatedAt: on(11, 9), DecidedAt: on(13, 9)},
			"q-2": {CreatedAt: on(12, 9), DecidedAt: on(13, 9)},
		},
	}
	told := func() (lines []string) {
		for _, e := range BuildEntries(f, noon) {
			lines = append(lines, fmt.Sprintf("%s %s", e.timeText("02 15"), e.What))
		}
		return lines
	}
	want := []string{
		"11 09 AeroScan issued, 10.00 EUR",
		"12 09 Nordflug issued, no price",
		"13 09 AeroScan accepted, 10.00 EUR",
		"13 09 Nordflug closed, no price, another quote was accepted",
	}
	if got := told(); !slices.Equal(got, want) {
		t.Errorf("with the operations API: %q", got)
	}
	f.QuoteTimes = nil
	want = []string{
		"unknown AeroScan accepted, 10.00 EUR, not in the decision log",
		"unknown Nordflug closed, no price, another quote was accepted",
	}
	if got := told(); !slices.Equal(got, want) {
		t.Errorf("without: %q", got)
	}
}

func TestTheTimelineOfAMissionHasOnlyItsChanges(t *testing.T) {
	f := levee()
	f.Subject.Mission = "m-1"
	f.Sent = nil
	f.Changes = append(f.Changes, ops.OrderChange{ID: 5, Operator: "Olga", Operation: "PUT /orders/{uuid}/details", Subject: "ORD-7"},
		ops.OrderChange{ID: 6, Operator: "Olga", Operation: "POST /missions/{uuid}/schedule", Subject: "MSN-10"},
		ops.OrderChange{ID: 7, Operator: "Olga", Operation: "POST /missions/{uuid}/deliver", Subject: "p-1", Parent: "MSN-9"})
	var got []string
	for _, e := range BuildEntries(f, noon) {
		if e.Source == FromChange {
			got = append(got, e.What)
		}
	}
	want := []string{"Olga: assign operator", "Olga: Data delivered sent again to hooks.example/in", "Olga: deliver"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	f.Subject.Mission = ""
	for operation, want := range map[string]string{
		"DELETE /orders/{uuid}":             "delete order",
		"PUT /orders/{uuid}/details":        "set details",
		"POST /missions/{uuid}/schedule":    "schedule",
		"POST /orders/{uuid}/not-feasible":  "not feasible",
		"POST /orders/{uuid}/quotes":        "quote issued",
		"PUT /orders/{uuid}/notifications":  "set notifications",
		"POST /missions/{uuid}/new-command": "new command",
	} {
		if got := describeOperation(operation); got != want {
			t.Errorf("%s: %q, want %q", operation, got, want)
		}
	}
}

func TestAChangedOrderHasAnEntryWithoutAQuote(t *testing.T) {
	f := &SubjectFacts{SentChanges: []changes.Change{{Kind: "cancelled", OrderID: "ORD-7", Outcome: changes.NewConfirmed("")}}}
	if got := BuildEntries(f, noon); len(got) != 1 || got[0].What != "cancelled, on this machine" {
		t.Errorf("told %+v", got)
	}
}

func TestEntriesMarkFailuresAndTheFuture(t *testing.T) {
	f := levee()
	ids := map[string]bool{}
	seen := map[EntrySource]bool{}
	for _, e := range BuildEntries(f, noon) {
		if ids[e.ID] {
			t.Errorf("two entries are %s", e.ID)
		}
		ids[e.ID] = true
		seen[e.Source] = true
		if want := e.ID == "callback d-3" || e.ID == "notice n-1" || e.Source == FromMissing || e.ID == "request 3" || e.ID == "client 4"; e.Failed != want {
			t.Errorf("%s failed is %v", e.ID, e.Failed)
		}
		if want := e.ID == "order deadline"; e.Ahead != want {
			t.Errorf("%s is ahead: %v", e.ID, e.Ahead)
		}
		if want := e.ID == "request 1" || e.ID == "request 2"; e.Routine != want {
			t.Errorf("%s is routine: %v", e.ID, e.Routine)
		}
	}
	for _, s := range AllSources() {
		if !seen[s] {
			t.Errorf("nothing is from %s", s)
		}
	}
	f.Order.Deadline = on(23, 0)
	i := slices.IndexFunc(BuildEntries(f, noon), func(e TimelineEntry) bool { return e.ID == "order deadline" && e.Failed })
	if i < 0 {
		t.Error("a deadline that was not kept is no fault")
	}
}

func TestUnknownFactsAreLeftOut(t *testing.T) {
	bare := &SubjectFacts{Subject: StorySubject{Order: "ORD-7"}, OrderErr: errors.New("no answer"), EndpointsErr: errors.New("no scope")}
	if got := BuildEntries(bare, noon); len(got) != 0 {
		t.Errorf("nothing tells %+v", got)
	}
	if got := bare.SourceFaults(); len(got) != 2 || got[0].Source != FromOrder || got[1].Source != FromCallback {
		t.Errorf("the faults are %+v", got)
	}
	if got := DeliveryVerdicts(bare, nil); got != nil {
		t.Errorf("the verdict is %v", got)
	}
	one := levee()
	one.Subject.Mission = "m-1"
	for _, e := range BuildEntries(one, noon) {
		if e.Source == FromMission && e.What == "created" {
			return
		}
	}
	t.Error("the story of a mission does not begin with its order")
}

func TestDeliveryVerdicts(t *testing.T) {
	say := func(change func(*SubjectFacts)) string {
		f := levee()
		f.Notices = nil
		change(f)
		var texts []string
		for _, v := range DeliveryVerdicts(f, BuildEntries(f, noon)) {
			texts = append(texts, v.Text)
		}
		return strings.Join(texts, "; ")
	}
	for want, change := range map[string]func(*SubjectFacts){
		"completion notice by webhook to client.example/done failed; 1 missing callback: hooks.example/in; 1 callback failed: hooks.example/in": func(f *SubjectFacts) {
			f.Notices = levee().Notices
		},
		"1 missing callback: hooks.example/in; 1 callback failed: hooks.example/in": func(*SubjectFacts) {},
		"2 missing callbacks: hooks.example/in, other.example; 2 callbacks failed: hooks.example/in, other.example": func(f *SubjectFacts) {
			other := *f.Endpoints[0]
			other.UUID = "other"
			other.URL = "https://other.example"
			f.Endpoints = append(f.Endpoints, &other)
		},
		"no endpoints registered; no events are sent": func(f *SubjectFacts) { f.Endpoints = nil },
		"not subscribed to Data delivered: hooks.example/in": func(f *SubjectFacts) {
			f.Endpoints[0].Events = []api.EventName{api.EventFlightScheduled, api.EventOperatorAssigned}
			f.Endpoints[0].Log = f.Endpoints[0].Log[1:]
			f.Missions[0].Planning = f.Missions[0].Planning[1:]
		},
		"not subscribed to Flight scheduled, Data delivered: hooks.example/in": func(f *SubjectFacts) {
			f.Endpoints[0].Events = []api.EventName{api.EventOperatorAssigned}
			f.Endpoints[0].Log = f.Endpoints[0].Log[3:]
		},
		"4 events before registration: hooks.example/in": func(f *SubjectFacts) {
			f.Endpoints[0].CreatedAt = on(23, 9)
			f.Endpoints[0].Log = nil
		},
	} {
		if got := say(change); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAReplacedProposalNoLongerWaits(t *testing.T) {
	f := levee()
	planning := f.Missions[0].Planning
	planning[1].SchedulingStatus = api.ScheduleProposed
	planning[1].Note = by("awaiting the operator's answer")
	fieldsOf := func(id string) map[string]string {
		fields := map[string]string{}
		for _, e := range BuildEntries(f, noon) {
			if e.ID == id {
				for _, field := range e.Fields {
					fields[field.Name] = field.Value
				}
			}
		}
		return fields
	}
	replaced := fieldsOf("planning m-1 1")
	if replaced[OutcomeField] != "replaced by v2" || replaced["Note"] != "" {
		t.Errorf("the fields of the replaced proposal are %v", replaced)
	}
	f.Missions[0].Planning = planning[1:]
	current := fieldsOf("planning m-1 1")
	if current[OutcomeField] != "" || current["Note"] != "awaiting the operator's answer" {
		t.Errorf("the fields of the current proposal are %v", current)
	}
}

func TestTheHeadlineOfACallbackSaysThatTheCallbackFailed(t *testing.T) {
	f := levee()
	f.Endpoints[0].Log[2].MissionUID = "m-1"
	f.Endpoints[0].Log[2].Success = false
	f.Endpoints[0].Log[2].Error = by("no response within 5 s")
	headlines := map[string]string{}
	for _, e := range BuildEntries(f, noon) {
		headlines[e.ID] = e.Headline()
	}
	for id, want := range map[string]string{
		"callback d-0":   "Flight scheduled: callback failed",
		"callback d-2":   "Flight scheduled",
		"planning m-1 1": "planning v1 confirmed",
	} {
		if headlines[id] != want {
			t.Errorf("the headline of %s is %q, want %q", id, headlines[id], want)
		}
	}
}

func TestEntriesHaveShortPartsForColumns(t *testing.T) {
	f := levee()
	f.Endpoints[0].URL = "https://hooks.client.example/in"
	f.Endpoints[0].Log[2].MissionUID = "m-1"
	f.Endpoints[0].Log[2].Success = false
	f.Endpoints[0].Log[2].Error = by("no response within 5 s")
	parts := map[string]string{}
	for _, e := range BuildEntries(f, noon) {
		parts[e.ID] = strings.Join([]string{e.Brief, e.Detail, e.To}, " | ")
	}
	for id, want := range map[string]string{
		"order placed":   "placed | 1 mission | ",
		"planning m-1 1": "planning v1 confirmed | Fri 20 Nov 10:00, by AeroScan | ",
		"delivery p-1":   "data delivered | v1, 3 files, 2.0 MB | ",
		"quote q-2":      "Nordflug rejected | 12.00 EUR, with key ••••nZA7 | ",
		"callback d-3":   "Data delivered | answered 503 | hooks",
		"callback d-2":   "Flight scheduled | answered 204 | hooks",
		"callback d-0":   "Flight scheduled | no response | hooks",
		"request 1":      "GET 404 | /missions/MSN-9/flight-permission | ",
	} {
		if parts[id] != want {
			t.Errorf("%s has the parts %q, want %q", id, parts[id], want)
		}
	}
}

func TestEndpointsHaveDistinctShortNames(t *testing.T) {
	endpoints := []*Endpoint{
		{WebhookEndpoint: api.WebhookEndpoint{UUID: "1", URL: "https://hooks.client.example/a"}},
		{WebhookEndpoint: api.WebhookEndpoint{UUID: "2", URL: "https://gis.client.example/a"}},
		{WebhookEndpoint: api.WebhookEndpoint{UUID: "3", URL: "https://gis.other.example/b"}},
		{WebhookEndpoint: api.WebhookEndpoint{UUID: "4", URL: "https://192.0.2.7:8443/in"}},
		{WebhookEndpoint: api.WebhookEndpoint{UUID: "5", URL: "no URL"}},
	}
	names := ShortNames(endpoints)
	for uuid, want := range map[string]string{
		"1": "hooks", "2": "gis.client.example/a", "3": "gis.other.example/b", "4": "192.0.2.7", "5": "no URL",
	} {
		if names[uuid] != want {
			t.Errorf("endpoint %s is named %q, want %q", uuid, names[uuid], want)
		}
	}
}

func TestTheReportIsCompleteAndMasked(t *testing.T) {
	f := levee()
	f.Missions[0].Planning[0].Note = by("call | planted-secret\nnow")
	f.RecordErr = errors.New("no such page")
	entries := BuildEntries(f, noon)
	r := TimelineReport{
		Title: "Timeline of ORD-7 Levee", State: "flyingDateSet", Account: "planted-secret GmbH", Service: "desk.example", Made: noon, Filter: "x", Left: 2,
		Entries: entries, Faults: f.SourceFaults(), Wrong: DeliveryVerdicts(f, entries),
		Mask: func(s string) string { return strings.ReplaceAll(s, "planted-secret", "•••") },
	}
	var text, value bytes.Buffer
	if err := errors.Join(r.WriteMarkdown(&text), r.WriteJSON(&value)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# Timeline of ORD-7 Levee", "| 1 | 2026-11-10 09:00:00 | order | ORD-7 | placed, 1 mission |", "2026-11-30 23:59:59 (planned)",
		"**Data delivered: failed, answered 503", "Note: call \\| ••• now", "Not loaded: quote: no such page", "28 of 30 entries; filter: x",
		"- 1 missing callback: hooks.example/in", "2026-11-14 09:00:00 | quote",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in the report:\n%s", want, text.String())
		}
	}
	var got struct {
		Entries []struct {
			At, Source, What string
			Failed           bool
			Fields           []EntryField
		}
		NotRead []struct{ Source, Error string }
		Wrong   []string
	}
	if err := json.Unmarshal(value.Bytes(), &got); err != nil || len(got.Entries) != len(entries) || len(got.NotRead) != 1 || len(got.Wrong) != 3 {
		t.Fatalf("%v: %s", err, value.String())
	}
	if e := got.Entries[0]; e.At != "2026-11-10T09:00:00Z" || e.Source != "order" || len(e.Fields) == 0 {
		t.Errorf("the first entry is %+v", e)
	}
	if both := text.String() + value.String(); strings.Contains(both, "planted-secret") {
		t.Errorf("a secret is in the report:\n%s", both)
	}
}

func TestRequestsAboutASubjectAreFound(t *testing.T) {
	f := levee()
	all := []*session.Exchange{
		{Number: 1, Path: "/orders/ORD-7", Exchange: api.Exchange{Method: "GET"}},
		{Number: 2, Path: "/orders/ORD-70", Exchange: api.Exchange{Method: "GET"}},
		{Number: 3, Path: "/orders?limit=20", Exchange: api.Exchange{Method: "GET"}, ResponseBody: session.NewBody([]byte(`"ORD-7"`))},
		{Number: 4, Path: "/orders", Exchange: api.Exchange{Method: "POST"}, ResponseBody: session.NewBody([]byte(`"ORD-7"`))},
		{Number: 5, Path: "/getorderslist", Exchange: api.Exchange{Method: "POST"}, ResponseBody: session.NewBody([]byte(`"o-1"`))},
		{Number: 6, Path: "/delivery-packages/p-1/files", Exchange: api.Exchange{Method: "GET"}},
		{Number: 7, Path: "/getorder/o-1", Exchange: api.Exchange{Method: "POST"}},
		{Number: 8, Path: "/missions/m-1/planning", Exchange: api.Exchange{Method: "GET"}},
	}
	numbers := func(xs []*session.Exchange) (n []int) {
		for _, x := range xs {
			n = append(n, x.Number)
		}
		return n
	}
	if got := numbers(f.RelatedRequests(all)); !slices.Equal(got, []int{1, 4, 6, 7, 8}) {
		t.Errorf("about the order are %v", got)
	}
	f.Subject.Mission = "m-1"
	if got := numbers(f.RelatedRequests(all)); !slices.Equal(got, []int{6, 8}) {
		t.Errorf("about the mission are %v", got)
	}
}

// scripted answers by the end of the path; everything else is not there.
func scripted(answers map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if body, ok := answers[r.URL.Path]; ok {
			fmt.Fprintf(w, `{"success":true,"data":%s}`, body)
			return
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"success":false,"message":"no scope","data":{"code":"missing_scope"}}`)
	}
}

// fill reads all that a story is made of.
func (r *Reader) fill(t *testing.T, client *api.Client, s StorySubject) *SubjectFacts {
	t.Helper()
	if r.Cache == nil {
		r.Cache = cache.New(client, func() time.Time { return noon })
	}
	if f := r.ReadFacts(s); !f.State.IsUnread() {
		r.Cache.RefreshNeeds(r.DataNeeds(s)...)
	}
	r.Cache.LoadNeeds(t.Context(), func() []cache.Need { return r.DataNeeds(s) })
	return r.ReadFacts(s)
}

func list(items string) string { return `{"data":[` + items + `],"hasNextPage":false}` }

func TestUnreadableSourcesLeaveTheOthers(t *testing.T) {
	srv := httptest.NewServer(scripted(map[string]string{
		"/orders/ORD-7":          `{"uuid":"o-1","orderCode":"ORD-7","createdAt":"2026-11-10T09:00:00Z","missions":[{"uuid":"m-1","missionCode":"MSN-9"},{"uuid":"m-2","missionCode":"MSN-10"}]}`,
		"/missions/m-1/planning": list(`{"version":1,"schedulingStatus":"confirmed","createdAt":"2026-11-18T08:00:00Z"}`),
		"/webhooks":              list(`{"uuid":"w-1","url":"https://hooks.example","createdAt":"2026-11-01T08:00:00Z"},{"uuid":"w-2","url":"https://other.example"}`),
		"/webhooks/w-1/deliveries": list(`{"uuid":"d-2","event":"mission.completed","missionUid":"m-1","createdAt":"2026-11-18T08:00:00Z"},` +
			`{"uuid":"d-1","event":"mission.completed","missionUid":"m-1","createdAt":"2026-11-01T08:00:00Z"}`),
	}))
	defer srv.Close()
	client, err := api.NewClient(srv.URL, api.WithLegacyURL(srv.URL+"/v2"), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	log := changes.OpenLog("")
	for _, e := range []changes.Change{{Host: "desk", OrderID: "o-1"}, {Host: "desk", OrderID: "o-2"}, {Host: "other", OrderID: "o-1"}} {
		if err := log.AddEntry(e); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "received")
	r := Reader{Host: "desk", ChangeLog: log, Wire: new(session.RequestLog), Received: webhooks.OpenLog(file)}
	for _, e := range []api.Event{{ID: "d-2", Data: api.EventData{Mission: api.EventMission{UUID: "m-2"}}}, {ID: "x"}} {
		if err := r.Received.AddEvent(webhooks.ReceivedEvent{Event: e}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o700)); err != nil { // it cannot be read again
		t.Fatal(err)
	}
	r.Wire.Watch(client)
	f := r.fill(t, client, StorySubject{Order: "ORD-7"})
	if f.Order == nil || len(f.Missions) != 2 || len(f.Missions[0].Planning) != 1 || f.Missions[1].PlanningErr == nil || len(f.SentChanges) != 1 || len(f.Received) != 1 {
		t.Errorf("read was %+v", f)
	}
	if len(f.Endpoints) != 2 || len(f.Endpoints[0].Log) != 1 || f.Endpoints[0].Since.IsZero() || f.Endpoints[1].LogErr == nil {
		t.Errorf("the endpoints are %+v", f.Endpoints)
	}
	if len(f.Exchanges) < 7 || len(f.SourceFaults()) != 8 {
		t.Errorf("%d requests, faults %v", len(f.Exchanges), f.SourceFaults())
	}
	one := r.fill(t, client, StorySubject{Order: "ORD-7", Mission: "m-1"})
	if len(one.Missions) != 1 || one.Record != nil || len(one.SentChanges) != 0 {
		t.Errorf("of a mission was read %+v", one)
	}
	srv.Close()
	late := r.fill(t, client, StorySubject{Order: "ORD-7"})
	if late.OrderErr == nil || late.Order == nil || len(late.Missions) != 2 || len(late.Endpoints) != 2 {
		t.Errorf("kept is %+v", late)
	}
}

func TestAMissionOfAnUnreadableOrderHasATimeline(t *testing.T) {
	srv := httptest.NewServer(scripted(map[string]string{
		"/missions/m-1/planning": list(`{"version":1,"schedulingStatus":"confirmed","createdAt":"2026-11-18T08:00:00Z"}`),
	}))
	defer srv.Close()
	client, err := api.NewClient(srv.URL, api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	f := new(Reader).fill(t, client, StorySubject{Order: "ORD-7", Mission: "m-1"})
	if got := BuildEntries(f, noon); len(got) != 1 || got[0].Source != FromPlanning || got[0].Role != format.InProgress {
		t.Errorf("told is %+v", got)
	}
}

func TestAProfileWithoutTheV2APIHasNoFaults(t *testing.T) {
	srv := httptest.NewServer(scripted(map[string]string{"/orders/ORD-7": `{"uuid":"o-1","orderCode":"ORD-7"}`, "/orders/ORD-7/missions": list(""), "/webhooks": list("")}))
	defer srv.Close()
	client, err := api.NewClient(srv.URL, api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	f := new(Reader).fill(t, client, StorySubject{Order: "ORD-7"})
	if faults := f.SourceFaults(); f.Order == nil || len(faults) != 0 {
		t.Errorf("order %v, faults %v", f.Order, faults)
	}
}

// Only the operations API has the log of notices.
func TestCompletionNoticesNeedTheOperationsKey(t *testing.T) {
	order := `{"uuid":"o-1","orderCode":"ORD-7","status":"completed"}`
	srv := httptest.NewServer(scripted(map[string]string{
		"/orders/ORD-7": order, "/orders/ORD-7/missions": list(""), "/webhooks": list(""),
		"/ops/orders/ORD-7": order, "/ops/orders/ORD-7/changes": list(""), "/ops/requests": list(""),
		"/ops/orders/o-1/notifications": list(`{"uuid":"n-1","channel":"webhook","address":"https://client.example/done","responseCode":410,"attempts":4,"error":"HTTP 410"}`),
	}))
	defer srv.Close()
	client, err := api.NewClient(srv.URL, api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	desk, err := ops.NewClient(srv.URL+"/ops", "a-key-of-the-desk")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []*ops.Client{desk, nil} {
		r := Reader{Cache: cache.New(client, func() time.Time { return noon })}
		if key != nil {
			r.Cache.AddOperations(key)
		}
		f := r.fill(t, client, StorySubject{Order: "ORD-7"})
		failed := slices.ContainsFunc(BuildEntries(f, noon), func(e TimelineEntry) bool { return e.Source == FromNotice && e.Failed })
		if failed != (key != nil) || len(f.SourceFaults()) != 0 {
			t.Errorf("with the key %v: told is %+v, faults %v", key != nil, f.Notices, f.SourceFaults())
		}
	}
}

func TestQuotesOfAnArchivedOrderAreClosed(t *testing.T) {
	f := levee()
	f.SentChanges = nil
	f.Order.Status = api.OrderArchived
	f.Record = &api.OrderRecord{ID: "o-7", OrderStatus: api.RecordQuoteReceived, Quotes: []api.Quote{{QuoteID: "q-9", QuoteName: "Express"}}}
	for _, e := range BuildEntries(f, noon) {
		if e.Source == FromQuote && strings.HasPrefix(e.What, "Express closed, no price, the order is archived") {
			return
		}
	}
	t.Error("the quote is not told as closed")
}

func TestQuotesShowTheKnownTimes(t *testing.T) {
	f := levee()
	f.SentChanges = nil
	f.QuoteTimes = map[string]*ops.Quote{
		"q-1": {CreatedAt: on(11, 10), DecidedAt: on(14, 10)},
		"q-2": {CreatedAt: on(11, 11), DecidedAt: on(13, 10)},
	}
	var got []string
	for _, e := range BuildEntries(f, noon) {
		if e.Source == FromQuote {
			got = append(got, e.At.UTC().Format("02 15 ")+e.What)
		}
	}
	want := "11 10 AeroScan issued, no price, by operations key\n11 11 Nordflug issued, 12.00 EUR\n" +
		"13 10 Nordflug rejected, 12.00 EUR, with key ••••nZA7\n14 10 AeroScan accepted, no price"
	if strings.Join(got, "\n") != want {
		t.Errorf("told as\n%s", strings.Join(got, "\n"))
	}
}

func TestResentCallbacksHaveEntriesWithTheTime(t *testing.T) {
	f := levee()
	why := "HTTP 503"
	attempt := func(number int, resent api.Time) ops.CallbackAttempt {
		a := ops.CallbackAttempt{Number: number, ResponseCode: 503, Error: &why, ResentAt: resent}
		if !resent.IsZero() {
			a.ResentBy = ops.ResentByOperations
		}
		return a
	}
	f.Histories = map[string]*ops.CallbackHistory{"d-3": {Attempts: []ops.CallbackAttempt{
		attempt(1, api.Time{}), attempt(2, api.Time{}), attempt(3, on(23, 10)), attempt(4, on(23, 10)), attempt(5, on(24, 8)),
	}}}
	f.Changes = []ops.OrderChange{
		{ID: 2, At: on(22, 10), Operator: "Rita", Operation: "POST /deliveries/{uuid}/resend", Subject: "d-3"}, // its attempts are not kept
		{ID: 1, At: on(23, 10), Operator: "Olga", Operation: "POST /deliveries/{uuid}/resend", Subject: "d-3"},
	}
	var got []string
	entries := BuildEntries(f, noon)
	for _, e := range entries {
		if strings.Contains(e.What, "sent again") {
			got = append(got, e.At.UTC().Format("02 15 ")+e.What)
		}
	}
	first := slices.IndexFunc(entries, func(e TimelineEntry) bool { return e.ID == "callback d-3" })
	if first < 0 || !slices.ContainsFunc(entries[first].Fields, func(f EntryField) bool {
		return f.Name == "Attempt 5" && strings.Contains(f.Value, "failed, answered 503, after 0s")
	}) {
		t.Error("the callback does not have its attempts")
	}
	want := "22 10 Rita: Data delivered sent again to hooks.example/in\n" +
		"23 10 Data delivered: sent again by Olga, failed, answered 503, 2 attempts → hooks.example/in\n" +
		"24 08 Data delivered: sent again by operations, failed, answered 503 → hooks.example/in"
	if strings.Join(got, "\n") != want {
		t.Errorf("told as\n%s", strings.Join(got, "\n"))
	}
	for _, v := range DeliveryVerdicts(f, entries) {
		if v.Text == "1 callback failed: hooks.example/in" {
			return
		}
	}
	t.Error("the callback that failed is not counted once")
}
