package timeline

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func on(day, hour int) api.Time {
	return api.TimeOf(time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC))
}

func by(name string) *string { return &name }

func TestPlanningChangesAreDescribed(t *testing.T) {
	first := api.PlanningEntry{Version: 1, SchedulingStatus: api.ScheduleProposed, FlightDate: on(20, 10), ScheduledBy: by("AeroScan")}
	for _, c := range []struct {
		is   api.PlanningEntry
		want string
	}{
		{api.PlanningEntry{SchedulingStatus: api.ScheduleProposed, FlightDate: on(20, 10), ScheduledBy: by("AeroScan")}, "no known field"},
		{api.PlanningEntry{SchedulingStatus: api.ScheduleProposed, FlightDate: on(20, 10), ScheduledBy: by("AeroScan"), Note: by("gate 2")}, "only the note"},
		{api.PlanningEntry{SchedulingStatus: api.ScheduleProposed, FlightDate: on(22, 14), ScheduledBy: by("AeroScan")}, "moved from Fri 20 Nov 10:00, 2 d 04 h later"},
		{api.PlanningEntry{SchedulingStatus: api.ScheduleRescheduled, FlightDate: on(19, 10), ScheduledBy: by("Nordflug")}, "moved from Fri 20 Nov 10:00, 1 d 00 h earlier|previously Proposed|previously by AeroScan"},
		{api.PlanningEntry{SchedulingStatus: api.ScheduleCancelled, ScheduledBy: by("AeroScan")}, "the date, Fri 20 Nov 10:00, was removed|previously Proposed"},
	} {
		if got := strings.Join(PlanningChanges(&c.is, &first, noon, nil, format.Units{}), "|"); got != c.want {
			t.Errorf("%+v: %q, want %q", c.is, got, c.want)
		}
	}
	if got := PlanningChanges(&first, nil, noon, nil, format.Units{}); got != nil {
		t.Errorf("the first version changed %q", got)
	}
	undated := api.PlanningEntry{SchedulingStatus: api.ScheduleProposed, ScheduledBy: by("AeroScan")}
	if got := PlanningChanges(&first, &undated, noon, nil, format.Units{}); fmt.Sprint(got) != "[a date was set]" {
		t.Errorf("from no date: %q", got)
	}
}

// Failures after a row without a readable date are still found, and nothing is concluded
// from the missing date.
func TestRowsWithoutADateHideNoFailure(t *testing.T) {
	row := func(day int, ok bool) api.WebhookDelivery {
		d := api.WebhookDelivery{Success: ok}
		if day > 0 {
			d.CreatedAt = on(day, 9)
		}
		return d
	}
	e := Endpoint{Log: []api.WebhookDelivery{row(20, true), row(0, true), row(19, false), row(2, false), row(0, false), row(1, true)}}
	e.cutBefore(true, on(10, 0).Time)
	days := []int{}
	for _, d := range e.Log {
		if d.CreatedAt.IsZero() {
			days = append(days, 0)
			continue
		}
		days = append(days, d.CreatedAt.Day())
	}
	if !slices.Equal(days, []int{20, 0, 19, 0}) || !e.Since.Equal(on(10, 0).Time) {
		t.Errorf("%v are left, since %v", days, e.Since)
	}
	short := Endpoint{Log: []api.WebhookDelivery{row(20, true), row(19, true), row(0, true)}}
	short.cutBefore(true, on(10, 0).Time)
	if !short.Since.Equal(on(19, 9).Time) || !short.IsCut || e.IsCut {
		t.Errorf("a log that goes on is known since %v", short.Since)
	}
}

func TestArrivalSummaryNamesWhatIsUnknown(t *testing.T) {
	good := api.WebhookDelivery{Success: true, CreatedAt: on(20, 9)}
	undated := api.WebhookDelivery{Success: true}
	pending := api.WebhookDelivery{Error: by(api.CallbackPending), CreatedAt: on(20, 9)}
	for want, endpoints := range map[string][]*Endpoint{
		"No callbacks are in the log.":                                 {{}},
		"All callbacks delivered.":                                     {{Log: []api.WebhookDelivery{good}}},
		"No callback has failed; 1 is being sent.":                     {{Log: []api.WebhookDelivery{good, pending}}},
		"No failed callbacks found; 2 log rows have no readable date.": {{Log: []api.WebhookDelivery{good, undated, undated, pending}}},
		"Could not load 1 endpoint log.":                               {{Log: []api.WebhookDelivery{good}}, {LogErr: errors.New("503")}},
		"None known; older rows of 1 endpoint log are not loaded.":     {{Log: []api.WebhookDelivery{good}, IsCut: true}},
	} {
		if got := ArrivalSummary(endpoints); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestFailuresWithoutADateAreCountedSeparately(t *testing.T) {
	failed := func(uuid string, at api.Time) api.WebhookDelivery {
		return api.WebhookDelivery{UUID: uuid, Event: api.EventDataDelivered, MissionUID: "m-1", ResponseCode: ref(503), CreatedAt: at}
	}
	a := AccountHealth{
		State: cache.EntryState{ReadAt: on(23, 9).Time}, Now: on(23, 10).Time, Known: &cache.CacheView{},
		Endpoints: []*Endpoint{{
			WebhookEndpoint: api.WebhookEndpoint{UUID: "w-1", URL: "https://hooks.example/in", Events: api.EventNames()},
			Log:             []api.WebhookDelivery{failed("d-2", on(22, 9)), failed("d-1", api.Time{Raw: "01.05.2026 10:00"})},
		}},
	}
	undelivered, _ := a.endpointParts(a.Endpoints, nil)
	if want := "1 in the last 7 days, 1 without a readable date"; undelivered.Note != want {
		t.Errorf("the note is %q, want %q", undelivered.Note, want)
	}
}

// An endpoint without known problems is not shown as good while a source of expected
// callbacks could not be read.
func TestMissingCallbacksAreUnknownWithoutTheirSources(t *testing.T) {
	endpoint := &Endpoint{
		WebhookEndpoint: api.WebhookEndpoint{UUID: "w-1", URL: "https://hooks.example"},
		Log:             []api.WebhookDelivery{{UUID: "d-1", MissionUID: "m-1", Success: true, CreatedAt: on(20, 9)}},
	}
	report := func(change func(*Mission)) (fare, undelivered ReportPart) {
		m := &Mission{Mission: api.Mission{UUID: "m-1", MissionCode: "MSN-1", Status: api.MissionPilotAssigned}}
		change(m)
		f := &SubjectFacts{Order: &api.Order{OrderCode: "ORD-1"}, Missions: []*Mission{m}, Endpoints: []*Endpoint{endpoint}}
		parts := f.ReportParts(nil, noon)
		return parts[2], parts[1]
	}
	refused := errors.New("no such mission")
	for source, change := range map[string]func(*Mission){
		"planning of MSN-1":   func(m *Mission) { m.PlanningErr = refused },
		"deliveries of MSN-1": func(m *Mission) { m.PackagesErr = refused },
	} {
		fare, undelivered := report(change)
		if line := fare.Lines[0]; line.Glyph != "?" || !strings.HasSuffix(line.Right, ", missing unknown") {
			t.Errorf("without %s: %s %s", source, line.Glyph, line.Right)
		}
		if want := "Unknown whether callbacks are missing: " + source + " could not be loaded."; undelivered.None != want {
			t.Errorf("%q, want %q", undelivered.None, want)
		}
	}
	fare, undelivered := report(func(*Mission) {})
	if line := fare.Lines[0]; line.Glyph != "✓" || undelivered.None != "None known." {
		t.Errorf("with all sources: %s, %s", line.Glyph, undelivered.None)
	}
}

// The 404 response for a missing permission or record is not a failure of the account,
// and neither is the one of the check of a key, which asks for a mission that does not
// exist.
func TestExpectedNotFoundResponsesAreNotFailures(t *testing.T) {
	request := func(id int64, path string) ops.LoggedRequest {
		return ops.LoggedRequest{ID: id, Method: "GET", Path: path, Status: http.StatusNotFound, At: on(23, 9)}
	}
	a := AccountHealth{
		Now:           on(23, 10).Time,
		FailuresState: cache.EntryState{ReadAt: on(23, 10).Time},
		Failures: cache.ListRows[ops.LoggedRequest]{Items: []ops.LoggedRequest{
			request(1, "/api/v1/public/missions/"+api.ProbeUUID+"/delivery-packages"),
			request(2, "/api/v1/public/missions/m-1/flight-permission"),
		}},
	}
	if p := a.failuresPart(); len(p.Lines) > 0 || p.None != "None in the last 30 days." {
		t.Errorf("%d lines, %q", len(p.Lines), p.None)
	}
	a.Failures.Items = append(a.Failures.Items, request(3, "/api/v1/public/orders/ORD-9"))
	if p := a.failuresPart(); len(p.Lines) != 1 || p.Note != "1 in the last 30 days" {
		t.Errorf("%d lines, %q", len(p.Lines), p.Note)
	}
}

func TestTheDataOfOperationsStaysWhileTheAccountIsUnknown(t *testing.T) {
	keys := cache.ListRows[ops.AccountKey]{Items: []ops.AccountKey{{Hint: "f00d"}}}
	a := AccountHealth{HasOperations: true, Keys: keys}
	a.Update(cache.New(nil, func() time.Time { return noon }), noon)
	if !a.HasOperations || len(a.Keys.Items) != 1 {
		t.Errorf("has operations: %v, %d keys", a.HasOperations, len(a.Keys.Items))
	}
}

func TestALineOfFailedRequestsHasTheirNumberBeforeTheKey(t *testing.T) {
	failed := ops.LoggedRequest{
		ID: 1, Method: "GET", Path: "/api/v1/public/orders", Status: http.StatusForbidden, Code: "missing_scope",
		Address: "10.0.0.7", At: on(23, 9),
	}
	a := &AccountHealth{
		Now:           on(23, 10).Time,
		FailuresState: cache.EntryState{ReadAt: on(23, 10).Time},
		Failures:      cache.ListRows[ops.LoggedRequest]{Items: []ops.LoggedRequest{failed, failed}},
	}
	lines := a.failuresPart().Lines
	const want = "GET /orders  missing_scope, 2 times, from 10.0.0.7"
	if len(lines) != 1 || !strings.HasSuffix(lines[0].What, want) {
		t.Errorf("the lines are %+v, want one that ends with %q", lines, want)
	}
}

// A completion notice that failed is among the failures of its account, with the reason.
func TestFailedNoticesAreAmongTheFailuresOfAnAccount(t *testing.T) {
	why := "HTTP 410"
	old := ops.CompletionNotice{UUID: "n-1", OrderCode: "ORD-1", Channel: "email", Address: "a@client.example", CreatedAt: on(1, 9), Error: &why}
	recent := ops.CompletionNotice{
		UUID: "n-2", OrderCode: "ORD-2", Channel: "webhook", Address: "https://client.example/done", CreatedAt: on(22, 9),
		Error: &why, ResponseCode: http.StatusGone, Attempts: 4,
	}
	a := AccountHealth{
		State:   cache.EntryState{ReadAt: on(23, 9).Time},
		Now:     on(23, 10).Time,
		Known:   &cache.CacheView{},
		Notices: noticesSince([]ops.CompletionNotice{recent, old}, on(16, 10).Time),
	}
	undelivered := a.AccountParts()[0]
	if len(undelivered.Lines) != 1 || undelivered.Note != "1 in the last 7 days" {
		t.Fatalf("%d lines, %s", len(undelivered.Lines), undelivered.Note)
	}
	line := undelivered.Lines[0]
	if line.Order != "ORD-2" || line.About != "ORD-2" || !strings.Contains(line.What, "client.example/done: failed, answered 410") {
		t.Errorf("%+v", line)
	}
	a.NoticesErr = errors.New("HTTP 503")
	if note := a.AccountParts()[0].Note; !strings.Contains(note, "completion notices could not be loaded") {
		t.Errorf("the note is %q", note)
	}
}

// The keys of an account are listed with their permissions, and when they were revoked or expired.
func TestTheKeysOfAnAccountSayWhenTheyEnded(t *testing.T) {
	a := AccountHealth{
		Now:           on(23, 10).Time,
		Known:         &cache.CacheView{},
		HasOperations: true,
		KeysState:     cache.EntryState{ReadAt: on(23, 9).Time},
		Keys: cache.ListRows[ops.AccountKey]{Items: []ops.AccountKey{
			{UUID: "k-4", Hint: "nZA7", Scopes: []api.Scope{api.ScopeOrdersRead}, Description: "GIS", CreatedAt: on(20, 9)},
			{UUID: "k-3", Hint: "AAAA", CreatedAt: on(20, 9), ExpiresAt: on(28, 9)},
			{UUID: "k-2", Hint: "BBBB", CreatedAt: on(10, 9), ExpiresAt: on(20, 9)},
			{UUID: "k-1", Hint: "CCCC", CreatedAt: on(10, 9), ExpiresAt: on(20, 9), RevokedAt: on(12, 9)},
		}},
	}
	p := a.keysPart()
	var got []string
	for _, line := range p.Lines {
		got = append(got, strings.Join([]string{line.Glyph, line.About, line.What, strings.Fields(line.Right)[0]}, " "))
	}
	want := "✓ ••••nZA7 orders:read; GIS created\n✓ ••••AAAA  expires\n□ ••••BBBB  expired\n□ ••••CCCC  revoked"
	if strings.Join(got, "\n") != want || p.Note != "2 active of 4 keys" {
		t.Errorf("%s\n%s", p.Note, strings.Join(got, "\n"))
	}
}

func TestTheReportHasTheResultOfTheCheck(t *testing.T) {
	f := levee()
	checks := checking.OpenResults(session.OpenUIState(filepath.Join(t.TempDir(), "state.json")))
	r := TimelineReport{Made: noon, Mask: func(s string) string { return s }}
	written := func() string {
		t.Helper()
		r.Check = f.CheckPart(checks, noon)
		var b strings.Builder
		if err := r.WriteMarkdown(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if text := written(); !strings.Contains(text, "## Check of the delivery\n\nnot checked\n") {
		t.Errorf("without a check the report is:\n%s", text)
	}
	checks.Add(&checking.Report{
		CheckedAt: on(23, 9).Time,
		Missions: []checking.MissionResult{{
			Mission: "MSN-9", Problems: 1, At: on(23, 9).Time, Worst: "2D map covers 91 % of Km 3",
			Results: []checking.ResultLine{{Level: checking.Problem, Text: "2D map covers 91 % of Km 3"}, {Level: checking.OK, Text: "LiDAR covers Km 3"}},
		}},
		Files: []checking.FileReport{{Package: "p-1", ID: "f-1", Name: "map.tif", Level: checking.Problem}},
	})
	text := written()
	for _, want := range []string{
		"1 of 1 mission checked on this machine", "- **✗ MSN-9** 1 problem: checked ", "- **✗ MSN-9** 2D map covers 91 % of Km 3\n", "- ✓ MSN-9 LiDAR covers Km 3\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the report:\n%s", want, text)
		}
	}
	f.Missions[0].Packages[0].CreatedAt = on(24, 9)
	if text := written(); !strings.Contains(text, "0 of 1 mission checked on this machine, 1 in part") ||
		!strings.Contains(text, "1 problem; package v1 was delivered later, not checked") {
		t.Errorf("a later package is not in the report:\n%s", text)
	}
	f.Missions[0].Packages = nil
	if text := written(); strings.Contains(text, "Check of the delivery") {
		t.Errorf("nothing was delivered, but the report has a check:\n%s", text)
	}
}

func TestOrdersWithQuotesAreCountedByTheStateOfTheirQuotes(t *testing.T) {
	bidding := func(uuid string) api.Order { return api.Order{UUID: uuid, Status: api.OrderBiddingWithQuote} }
	a := AccountHealth{Known: &cache.CacheView{
		Listed: true,
		Orders: []api.Order{bidding("o-1"), bidding("o-2"), bidding("o-3"), bidding("o-4"), {UUID: "o-5", Status: api.OrderCompleted}},
	}}
	describe := func() string {
		var lines []string
		part := a.ordersPart()
		for _, line := range part.Lines {
			lines = append(lines, line.About+" "+line.Right)
		}
		return strings.Join(lines, ", ") + "; " + part.Note
	}
	if got := describe(); !strings.HasSuffix(got, "; open quotes unknown") {
		t.Errorf("without quotes: %s", got)
	}
	a.quotes = map[string]format.QuoteState{"o-1": format.QuotesReady, "o-2": format.QuotesReady, "o-3": format.QuotesExpired}
	want := "In review 1, Quotes expired 1, Quotes ready 2, Completed 1; 5 orders, without those only in the v2 API"
	if got := describe(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAnOrderWithoutAMissionCountIsNotPlacedWithNone(t *testing.T) {
	f := &SubjectFacts{Order: &api.Order{OrderCode: "ORD-1", CreatedAt: on(20, 9)}}
	entries := BuildEntries(f, noon)
	if got := entries[0].What; got != "placed" {
		t.Errorf("the order was %q", got)
	}
}

func TestReportsShowTheStatusOfAnOrderWithoutAnAcceptedQuote(t *testing.T) {
	mission := &Mission{Mission: api.Mission{
		UUID: "m-1", MissionCode: "MSN-1", Status: api.MissionAwaitingPilot, CreatedAt: on(20, 9), UpdatedAt: on(21, 9),
	}}
	f := &SubjectFacts{
		Subject:  StorySubject{Order: "ORD-1", Mission: "m-1"},
		Order:    &api.Order{OrderCode: "ORD-1", Status: api.OrderBiddingWithQuote},
		Missions: []*Mission{mission},
		Quotes:   format.QuotesExpired,
	}
	const want = "Quotes expired"
	if _, state := f.SubjectState(); state.Label != want || state.Wire != string(api.MissionAwaitingPilot) {
		t.Errorf("the mission is %+v", state)
	}
	if state := f.BuildReport(TimelineReport{}).State; state != "Order ORD-1: "+want+"." {
		t.Errorf("the report is %q", state)
	}
	if line := f.ReportParts(nil, noon)[0].Lines[0]; !strings.Contains(line.What, want) {
		t.Errorf("the line of the mission is %q", line.What)
	}
	for _, entry := range BuildEntries(f, noon) {
		isUpdate := entry.Source == FromMission && entry.Brief == "mission updated"
		if isUpdate && (entry.Detail != want || !slices.Contains(entry.Fields, EntryField{"Status", want})) {
			t.Errorf("the entry is %q, %v", entry.Detail, entry.Fields)
		}
	}
	f.Order = nil
	if line := f.ReportParts(nil, noon)[0].Lines[0]; !strings.Contains(line.What, "Awaiting operator") {
		t.Errorf("without its order, the line of the mission is %q", line.What)
	}
}
