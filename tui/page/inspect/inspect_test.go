package inspect_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/api/ops"
	"flightdesk/tui"
	"flightdesk/tui/action"
	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// inspected is the service of an account with two orders and two endpoints. A flight was
// rescheduled, one callback failed and one is missing. The function change can replace responses,
// by path; the response "" stands for a missing permission.
func inspected(change func(parts map[string]string)) http.HandlerFunc {
	const order = `"uuid":"o-1","orderCode":"ORD-100230","orderName":"Freising west","status":"flyingDateSet","areaSize":1842000,` +
		`"createdAt":"2026-11-18T08:00:00Z","updatedAt":"2026-11-24T07:26:00Z","startDate":"2026-11-20T00:00:00Z","deadline":"2026-12-09T00:00:00Z","companyName":"ACME Geo GmbH"`
	const mission = `{"uuid":"m-1","missionCode":"MSN-200518","missionName":"Freising W","orderCode":"ORD-100230","status":"dataDelivered","operatorName":"AeroScan",` +
		`"country":"Germany","city":"Freising","missionType":"area","createdAt":"2026-11-18T08:00:00Z","updatedAt":"2026-11-24T08:31:07Z","flightDate":"2026-11-23T09:00:00Z"}`
	parts := map[string]string{
		"/orders": `{` + order + `,"missionCount":1},{"uuid":"o-2","orderCode":"ORD-100231","orderName":"Wien Lobau","status":"pendingOperator",` +
			`"createdAt":"2026-11-10T08:00:00Z","updatedAt":"2026-11-12T08:00:00Z","deadline":"2026-11-22T00:00:00Z"}`,
		"/orders/ORD-100230":          `{` + order + `,"missions":[` + mission + `]}`,
		"/orders/ORD-100230/missions": mission,
		"/orders/ORD-100231/missions": `{"uuid":"m-2","missionCode":"MSN-200521","missionName":"Lobau","status":"awaitingPilot","createdAt":"2026-11-10T08:00:00Z","updatedAt":"2026-11-10T08:00:00Z"}`,
		"/missions/m-1/planning": `{"version":2,"schedulingStatus":"rescheduled","flightDate":"2026-11-23T09:00:00Z","scheduledBy":"AeroScan","note":"fog","createdAt":"2026-11-21T07:00:00Z"},` +
			`{"version":1,"schedulingStatus":"confirmed","flightDate":"2026-11-22T09:00:00Z","scheduledBy":"AeroScan","createdAt":"2026-11-20T07:00:00Z"}`,
		"/missions/m-1/flight-permission": `{"missionUid":"m-1","status":"granted","authority":"LBA","reference":"LBA-77","validFrom":"2026-11-20T00:00:00Z","validTo":"2026-12-20T00:00:00Z","updatedAt":"2026-11-19T10:00:00Z"}`,
		"/missions/m-1/delivery-packages": `{"uuid":"p-1","missionUid":"m-1","name":"Freising W","version":1,"status":"delivered","fileCount":7,"totalSize":6100000000,"createdAt":"2026-11-24T08:31:07Z"}`,
		"/webhooks": `{"uuid":"w-1","url":"https://hooks.acme.example/survey","events":["mission.operator_assigned","mission.flight_scheduled","mission.data_delivered"],"description":"production","status":"active","lastStatus":"failed","createdAt":"2026-11-01T08:00:00Z"},` +
			`{"uuid":"w-2","url":"https://gis.acme.example/in","events":["mission.flight_scheduled"],"status":"active","lastStatus":"success","createdAt":"2026-11-02T08:00:00Z"}`,
		"/webhooks/w-1/deliveries": `{"uuid":"d-3","event":"mission.data_delivered","missionUid":"m-1","orderCode":"ORD-100230","success":false,"responseCode":503,"attempts":4,"error":"HTTP 503","createdAt":"2026-11-24T08:31:07Z"},` +
			`{"uuid":"d-2","event":"mission.flight_scheduled","missionUid":"m-1","orderCode":"ORD-100230","success":true,"responseCode":204,"attempts":2,"createdAt":"2026-11-20T07:00:00Z"},` +
			`{"uuid":"d-1","event":"mission.operator_assigned","missionUid":"m-1","orderCode":"ORD-100230","success":true,"responseCode":200,"attempts":1,"createdAt":"2026-11-19T08:00:00Z"}`,
		"/webhooks/w-2/deliveries": `{"uuid":"e-2","event":"mission.flight_scheduled","missionUid":"m-1","orderCode":"ORD-100230","success":true,"responseCode":200,"attempts":1,"createdAt":"2026-11-21T07:00:00Z"},` +
			`{"uuid":"e-1","event":"mission.flight_scheduled","missionUid":"m-1","orderCode":"ORD-100230","success":true,"responseCode":200,"attempts":1,"createdAt":"2026-11-20T07:00:00Z"}`,
	}
	if change != nil {
		change(parts)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", tuitest.Clock.Add(10*time.Second).UTC().Format(http.TimeFormat))
		body, known := parts[r.URL.Path]
		switch {
		case r.URL.Path == "/csv/example":
			_, _ = w.Write([]byte("name,lat,lng\n"))
		case known && body == "":
			apptest.WriteAnswer(w, 403, `{"success":false,"message":"the key lacks the scope","data":{"code":"missing_scope"}}`)
		case strings.HasPrefix(body, `{"uuid":"o-1"`) && r.URL.Path != "/orders", strings.HasSuffix(r.URL.Path, "/flight-permission") && known:
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":`+body+`}`)
		case known:
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"data":[`+body+`],"nextCursor":null,"hasNextPage":false}}`)
		default:
			apptest.WriteAnswer(w, 404, `{"success":false,"message":"no such thing","data":{"code":"not_found"}}`)
		}
	}
}

// atInspect opens the app at Inspect.
func atInspect(o *tui.Options) { o.Begin = action.GoInspect }

func TestTheTimelineOfACompletedOrderHasItsNotices(t *testing.T) {
	answers := inspected(func(parts map[string]string) {
		parts["/orders/ORD-100230"] = strings.Replace(parts["/orders/ORD-100230"], "flyingDateSet", "completed", 1)
		parts["/ops/orders/o-1/notifications"] = `{"uuid":"n-1","orderUid":"o-1","channel":"webhook","address":"https://client.example/done","success":false,"responseCode":410,"attempts":4,"error":"HTTP 410","createdAt":"2026-11-24T08:40:00Z"}`
	})
	service := httptest.NewServer(answers)
	defer service.Close()
	opsClient, err := ops.NewClient(service.URL+"/ops", "an-operations-key")
	if err != nil {
		t.Fatal(err)
	}
	d := apptest.OpenAgainst(t, answers, atInspect, func(o *tui.Options) { o.Ops = opsClient })
	d.Press(":")
	d.Type("timeline of ORD-100230")
	d.Press("enter")
	d.RequireText("Timeline of ORD-100230", "Completion notice by webhook to client.example/done failed", "◇ Placed", "1 mission")
	d.Press("G")
	d.RequireText("✗ Completion notice", "answered 410")
}

func TestTheAccountLeadsToFailedAndMissingCallbacks(t *testing.T) {
	d := apptest.OpenAgainst(t, inspected(nil), atInspect)
	d.RequireText("[8 Inspect]", "Failed and missing callbacks", "▸ ✗ MSN-200518", "Data delivered    answered 503  hooks", "2 delivered, 1 failed, 1 missing, last one failed",
		"✓ orders:read", "Overdue or stalled", "MSN-200521", "2 d overdue")
	d.Press("enter")
	d.RequireText("Inspect › Timeline of MSN-200518", "1 callback failed: hooks", "1 missing callback: hooks",
		"Planning v1 confirmed", "Planning v2 rescheduled", "Permission granted", "LBA, valid", "Data delivered", "v1, 7 files",
		"! Flight scheduled: callback", "hooks: missing", "▸     09:31:07", "hooks: answered 503")
	d.Press("enter") // the details of the callback
	d.RequireText("Source: the callback log", "Callback", "d-3", "Attempts", "HTTP 503", "hooks.acme.example/survey")
	d.Press("esc", "b")
	d.RequireText("problems only", "hooks: missing", "hooks: answered 503")
	d.SeesNot("Planning v1")
	d.Press("b", "/")
	d.Type("source:callback gis")
	d.Press("enter")
	d.RequireText("2 of 1", "answered 200")
	d.SeesNot("Planning v1")
	d.Press("esc", "/")
	d.Type("hooks.acme.example/survey")
	d.Press("enter")
	d.RequireText("4 of 17", "hooks: missing", "hooks: answered 503")
	d.SeesNot("gis: answered 200")
	d.Press("esc", "G", "esc")
	d.RequireText("▸ ✗ MSN-200518")
}

func TestTheLogOfAnEndpointLeadsToTheTimeline(t *testing.T) {
	d := apptest.OpenAgainst(t, inspected(nil), atInspect)
	d.Press("enter", "enter", "enter") // the failed callback, its details, and its endpoint
	d.RequireText("Inspect › Timeline of MSN-200518 › hook", "✗ Answered 503", "! Not in the log")
	d.Press("s")
	d.RequireText("› Timeline of MSN-200518", "▸     09:31:07", "✗ Data delivered: callback f", "hooks: answered 503")
	d.Press("esc", "j", "s")
	d.RequireText("▸ 21 Nov 08:00", "! Flight scheduled: callback")
}

func TestTheTimelineOpensFromOrdersAndMissions(t *testing.T) {
	d := apptest.OpenAgainst(t, inspected(nil))
	d.Press("s")
	d.RequireText("Orders › Timeline of ORD-100230", "◇ Placed", "1 mission", "MSN-200518", "1 callback failed: hooks")
	d.Press("o")
	d.RequireText("› ORD-100230", "Freising west")
	d.Press("s", "esc", "esc", "esc", "3")
	d.RequireText("MSN-200518")
	d.Press("/")
	d.Type("200518")
	d.Press("enter", "s")
	d.RequireText("Missions › Timeline of MSN-200518")
	d.Press("esc", "enter", "s")
	d.RequireText("Missions › MSN-200518 › Timeline ")
	d.Press("8", ":")
	d.Type("late")
	d.RequireText("▸ MSN-200521")
	d.Press("ctrl+u")
	d.Type("timeline of MSN-200521")
	d.Press("enter")
	d.RequireText("Timeline of", "No such thing")
	d.Press("esc", ":")
	d.Type("timeline of ORD-100230")
	d.Press("enter")
	d.RequireText("Inspect › Timeline of ORD-100230")
}

func TestEnterOpensTheSourceOfAnEntry(t *testing.T) {
	d := apptest.OpenAgainst(t, inspected(nil), func(o *tui.Options) { o.Begin = action.GoOrders })
	d.Resize(140, 40)
	d.Press("s", "g")
	d.RequireText("Source: the order", "enter opens the order")
	for _, to := range []struct{ filter, entry, sees string }{
		{"source:planning", "Source: the planning history", "› MSN-200518"},
		{"source:order placed", "Source: the order", "› ORD-100230"},
	} {
		d.Press("/")
		d.Type(to.filter)
		d.Press("enter")
		d.RequireText(to.entry)
		d.Press("enter")
		d.RequireText(to.sees)
		d.Press("esc", "esc")
	}
	d.Press("v", "/")
	d.Type("source:request /orders/ORD-100230")
	d.Press("enter", "j", "enter") // the request before it is for its missions
	d.RequireText("› Request log", "[Response]", `"orderName": "Freising west"`)
}

func TestTheTimelineIsSavedAsAReport(t *testing.T) {
	d := apptest.OpenAgainst(t, inspected(func(parts map[string]string) {
		parts["/missions/m-1/planning"] = strings.Replace(parts["/missions/m-1/planning"], "fog", "fog, call with whsec_planted0815", 1)
	}))
	d.Press("s", "E")
	d.RequireText("Save report", "Markdown (.md) or .json; secrets masked", "timeline-ORD-100230-2026-11-24.md")
	d.Press("enter")
	d.RequireText("Exported the report of")
	text := d.ReadFile("timeline-ORD-100230-2026-11-24.md")
	for _, want := range []string{"# Timeline of ORD-100230 Freising west", "Order ORD-100230: Flight scheduled.", "**Data delivered: failed, answered 503", "1 missing callback: hooks.acme.example/survey", "by AeroScan"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in the report:\n%s", want, text)
		}
	}
	d.Press("E")
	for range len("md") {
		d.Press("backspace")
	}
	d.Type("json")
	d.Press("enter")
	value := d.ReadFile("timeline-ORD-100230-2026-11-24.json")
	var got struct {
		Entries []struct{ Source, What string }
		Wrong   []string
	}
	if err := json.Unmarshal(value, &got); err != nil || len(got.Entries) < 10 || len(got.Wrong) != 3 {
		t.Errorf("%v: %s", err, value)
	}
	if both := string(text) + string(value); strings.Contains(both, "planted0815") || strings.Contains(both, "fd_test_key") {
		t.Error("a secret is in the report")
	}
	d.Press("8", "E", "enter")
	if account := string(d.ReadFile("account-2026-11-24.md")); !strings.Contains(account, "## Key permissions") || !strings.Contains(account, "**▲ MSN-200521** Lobau: 2 d overdue") {
		t.Errorf("unexpected report of the account:\n%s", account)
	}
}

func TestTheAccountShowsLimitsAndPermissions(t *testing.T) {
	serve := inspected(func(parts map[string]string) { parts["/webhooks"] = "" })
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-RateLimit-Remaining", "7")
		if r.URL.Path == "/orders/ORD-100231/missions" {
			w.Header().Set("Retry-After", "0")
			apptest.WriteAnswer(w, 429, `{"success":false,"message":"too many requests","data":{"code":"rate_limited"}}`)
			return
		}
		serve(w, r)
	}, atInspect)
	d.Resize(140, 50)
	d.RequireText("✗ webhooks:read", "no", "? webhooks:write", "unknown", "reached: 3 responses of 429, last: wait 0 s", "remaining 7", "Could not load: Not permitted")
	d.Press("/") // opens the palette: the page has no filter
	d.RequireText("No filter on this page; palette opened")
	d.Press("esc")
	for range 30 {
		d.Press("j")
	}
	d.Press("enter")
	d.RequireText("Inspect › Orders", "status:", "1 of")
	d.Press("esc", "esc")
	d.RequireText("[8 Inspect]")
}

func TestEnterOpensThePageOfALine(t *testing.T) {
	d := apptest.OpenAgainst(t, inspected(nil), atInspect)
	d.Resize(140, 50)
	for title, sees := range map[string]string{
		"gis.acme.example/in": "Inspect › gis.acme.example/", "orders:read": "[2 Orders]", "files:read": "[5 Deliveries]",
		"MSN-200521  Lobau": "Inspect › MSN-200521",
	} {
		d.Press("8", "g")
		for range 40 {
			if hasTitle(d.Screen(), title) {
				break
			}
			d.Press("j")
		}
		if !hasTitle(d.Screen(), title) {
			t.Fatalf("the details of %q are not on the screen:\n%s", title, d.Screen())
		}
		d.Press("enter")
		d.RequireText(sees)
		d.Press("8", "8")
	}
}

// hasTitle reports whether the details on the screen have a title, which is after the glyph of a line.
func hasTitle(screen, title string) bool {
	return regexp.MustCompile("│ . " + regexp.QuoteMeta(title)).MatchString(screen)
}

func TestFramesOfTheAccount(t *testing.T) {
	d := apptest.OpenAgainst(t, inspected(nil), atInspect)
	d.CompareMainFrames(t, "account")
	d.Press("j", "j", "j", "j", "j")
	d.CompareFrames(t, "account-scope")
	d.Press("g", "enter")
	d.CompareMainFrames(t, "story")
	d.Press("b")
	d.CompareFrames(t, "story-failures")
	bare := apptest.OpenAgainst(t, apptest.AnswerNothing, atInspect)
	bare.CompareFrames(t, "account-empty")
	apptest.OpenAgainst(t, apptest.AnswerBroken, atInspect).CompareFrames(t, "account-trouble")
}

func TestFramesOfAStoryInOtherStates(t *testing.T) {
	down := false
	serve := inspected(func(parts map[string]string) {
		parts["/webhooks/w-1/deliveries"], parts["/missions/m-1/planning"] = "", ""
	})
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if down {
			w.Header().Set("Date", tuitest.Clock.Add(10*time.Second).UTC().Format(http.TimeFormat))
			apptest.AnswerBroken(w, r)
			return
		}
		serve(w, r)
	})
	d.Press("s", "g") // the details of the failed request have the port of the server
	d.CompareFrames(t, "story-unread")
	down = true
	d.Press("r")
	d.RequireText("◇ Placed", "The disk is full", "Showing the timeline")
	d.CompareFrames(t, "story-stale")
	d.Press("esc", "s")
	d.RequireText("◇ Placed", "Showing the timeline") // the new page has the data of the first
}

// Returning to the page requests nothing that is still being loaded.
func TestTheAccountIsLoadedOnceAtATime(t *testing.T) {
	var reads atomic.Int64
	all := inspected(nil)
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/webhooks" {
			reads.Add(1)
		}
		all(w, r)
	}, atInspect)
	d.Press("2")
	d.Advance(20 * time.Second)
	before := reads.Load()
	d.Hold()
	for range 3 {
		d.Press("8", "2")
	}
	d.Release()
	if n := reads.Load() - before; n != 1 {
		t.Errorf("the endpoints were requested %d times, want once", n)
	}
}

func TestFramesOfInspectingWhileReading(t *testing.T) {
	reading := apptest.OpenUnanswered(t, apptest.AnswerNothing, atInspect)
	reading.CompareFrames(t, "account-loading")
	reading.Release()
	reading.RequireText("No endpoints registered")
}

// A timeline is loaded again while it is shown, and not while another page is shown.
func TestAShownTimelineIsLoadedAgain(t *testing.T) {
	serve, orders := inspected(nil), 0
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/orders/ORD-100230" {
			orders++
		}
		serve(w, r)
	})
	d.Press("s", "j", "j")
	before := orders
	d.Advance(31 * time.Second)
	if orders == before {
		t.Error("the timeline was not loaded again")
	}
	d.Press("3")
	before = orders
	d.Advance(2 * time.Minute)
	if orders != before {
		t.Error("a timeline that is not shown was loaded again")
	}
	if _, err := os.Stat(filepath.Join(d.Options.Folder, "story.md")); err == nil {
		t.Error("a report was saved without being requested")
	}
}
