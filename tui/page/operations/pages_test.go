package operations_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/tui"
	"flightdesk/tui/action"
	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

func TestACompletedOrderSaysWhatIsNotAcceptedYet(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 120, 35)
	d.Press("/")
	d.Type("MSN-300508")
	d.Press("enter", "enter")
	d.RequireText("Operations › ORD-100208", "● Completed · 1 delivery not accepted yet")
}

func TestAFlightIsRescheduledWithItsReason(t *testing.T) {
	d, ops := apptest.OpenOperations(t, 140, 40)
	d.Press("/")
	d.Type("Main road")
	d.Press("enter")
	d.RequireText("MSN-300544", "deliver", "◎ Flight scheduled")
	d.Press("s")
	d.RequireText("Reschedule flight", "stays in the planning history", "Reason")
	d.Press("enter")
	d.RequireText("enter a reason")
	d.Type("storm warning for the coast")
	d.Press("shift+tab", "shift+tab", "ctrl+u")
	d.Type("25 h")
	d.Press("enter")
	d.RequireText("not a time; use 09:30")
	d.Press("ctrl+u")
	d.Type("11:30")
	d.Press("shift+tab")
	d.Type("in 5 days")
	d.Press("enter")
	d.RequireText(": flight scheduled, Sun 29 Nov 2026 11:30", "Flight      Sun 29 Nov 11:30", "◔ v4 rescheduled, Sun", "warning for the coast")
	m := mission(t, ops, "MSN-300544")
	if p := m.Planning[0]; p.SchedulingStatus != api.ScheduleRescheduled || *p.Note != "storm warning for the coast" || !m.FlightDate.Equal(p.FlightDate.Time) {
		t.Errorf("the planning is %+v", p)
	}
	// The client sees it, too.
	d.Press("v")
	d.RequireText("CLIENT VIEW", "Sun 29 Nov 11:30")
}

// mission returns the mission with a code, read from the operations API.
func mission(t *testing.T, opsClient *ops.Client, code string) *ops.Mission {
	t.Helper()
	for o, err := range opsClient.Orders.All(t.Context(), ops.OrderFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		full, err := opsClient.Orders.Get(t.Context(), o.UUID)
		if err != nil {
			t.Fatal(err)
		}
		for i := range full.Missions {
			if full.Missions[i].MissionCode == code {
				return &full.Missions[i]
			}
		}
	}
	t.Fatalf("there is no mission %s", code)
	return nil
}

func TestAPermissionHasADocumentAndADeliveryHasFiles(t *testing.T) {
	d, ops := apptest.OpenOperations(t, 100, 30)
	permit := d.WriteFile("permit.pdf", "%PDF-1.4 permit")
	d.WriteFile("ortho_main_road.tif", "II*\x00tile")
	d.WriteFile("DJI_0001.jpg", "\xff\xd8\xff photo")
	d.Press("/")
	d.Type("Main road")
	d.Press("enter", "t")
	d.RequireText("Record permission", "Replaces the recorded permission")
	d.Press("tab", "ctrl+u")
	d.Type("Luftfartstilsynet")
	d.Press("tab", "tab")
	d.Type("1 Dec")
	d.Press("tab")
	d.Type("1 Nov 2026")
	d.Press("tab")
	d.Type("choose")
	d.Press("enter")
	d.RequireText("ends before it begins")
	d.Type("31 Dec")
	d.Press("enter")
	d.RequireText("Flight permit", "permit.pdf", "~/surveys")
	d.Type("zzz")
	d.RequireText("No matching names")
	d.Press("ctrl+u")
	d.Paste(permit)
	d.RequireText("▸ permit.pdf")
	d.Press("enter")
	d.RequireText("Permission recorded: granted, with permit.pdf")
	p := mission(t, ops, "MSN-300544").FlightPermission
	if p.Status != api.PermissionGranted || *p.Authority != "Luftfartstilsynet" || p.PermitFileURL == nil {
		t.Errorf("the permission is %+v", p)
	}

	d.Press("d")
	d.RequireText("Deliver", "Ordered: ", "sample files")
	d.Type("choose")
	d.Press("enter")
	d.RequireText("Files for MSN-300544")
	d.Press("ctrl+s")
	d.RequireText("no file marked")
	d.Type("ortho")
	d.Press("enter", "ctrl+u")
	d.Type("DJI")
	d.Press("enter", "right", "left")
	d.RequireText("✓DJI_0001.jpg", "Photos (JPEG)", "ctrl+s deliver 2")
	d.Press("ctrl+s")
	d.RequireText("Package 1 delivered: 2 files")
	m := mission(t, ops, "MSN-300544")
	if m.Status != api.MissionDataDelivered || m.Packages[0].FileCount != 2 {
		t.Errorf("the mission is %+v", m)
	}
}

func TestWithoutAnOperationsKeyTheSectionSaysWhy(t *testing.T) {
	d := apptest.Open(t, 140, 40)
	d.SeesNot("9 Operations")
	d.Press("9")
	d.RequireText("operations: Operations needs an operations key; set ops_url and ops_credential in config.toml")
	d = apptest.Open(t, 140, 40, func(o *tui.Options) { o.NoOps = errors.New("the keyring is locked") })
	d.Press("9")
	d.RequireText("operations: could not read the key for the operations API: the keyring is locked")
}

// atOps opens the app at Operations, with h as the operations API.
func atOps(t *testing.T, h http.HandlerFunc) *apptest.Session {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	opsClient, err := ops.NewClient(web.URL+server.OpsPath, "fd_ops_test", api.WithTimeout(apptest.Patience))
	if err != nil {
		t.Fatal(err)
	}
	return apptest.OpenAgainst(t, apptest.AnswerNothing, func(o *tui.Options) { o.Ops, o.Begin = opsClient, action.GoOps })
}

// bare responds like a service without orders, accounts or requests.
func bare(w http.ResponseWriter, r *http.Request) {
	switch path := strings.TrimPrefix(r.URL.Path, server.OpsPath); path {
	case "/simulator":
		apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"paused":true,"speed":0,"done":0,"waiting":0,"upcoming":[],"lastError":null}}`)
	case "/clock":
		apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"now":"2026-11-24T08:42:00Z","ahead":"0s","adjustable":false}}`)
	case "/faults":
		apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"latency":"0s","status":0,"rate":0,"path":"","injected":0}}`)
	default:
		apptest.AnswerNothing(w, r)
	}
}

// refused rejects the operations key.
func refused(w http.ResponseWriter, _ *http.Request) {
	apptest.WriteAnswer(w, 401, `{"success":false,"message":"the key is not the operations desk's","data":{"code":"unauthenticated","requestId":"r-1"}}`)
}

// compareTabs compares the frames of the tabs of the first page with compare, a method of d.
func compareTabs(d *apptest.Session, t *testing.T, name string, compare func(*testing.T, string)) {
	t.Helper()
	for _, tab := range []string{"queue", "orders", "accounts", "requests", "operators", "", "trials"} {
		if tab != "" { // not the audit trail, whose IDs differ each time
			compare(t, name+"-"+tab)
		}
		d.Press("]")
	}
}

func TestFramesOfOperations(t *testing.T) {
	d, opsClient := apptest.OpenOperations(t, 140, 40)
	compareTabs(d, t, "ops", d.CompareMainFrames)
	d.Press("/")
	d.Type("ORD-100228")
	d.Press("enter", "enter")
	d.CompareFrames(t, "ops-order-bids")
	d.Press("esc", "esc", "/")
	d.Type("Main road")
	d.Press("enter", "enter")
	d.CompareMainFrames(t, "ops-order")
	d.Press("s")
	d.CompareFrames(t, "ops-reschedule")
	d.Press("esc", "d")
	d.CompareFrames(t, "ops-deliver")
	d.Press("esc", "v")
	d.CompareMainFrames(t, "ops-both")
	d.Press("ctrl+w")
	d.CompareFrames(t, "ops-both-client")
	d.Press("esc", "esc", "esc", "]", "]")
	d.Press("G", "enter", "]", "]")
	d.CompareFrames(t, "ops-endpoints")
	d.Press("enter")
	d.CompareFrames(t, "ops-callbacks")
	rate := 0.3
	if _, err := opsClient.World.SetFaults(t.Context(), ops.FaultsInput{Status: 503, Rate: &rate, Path: "/orders", Latency: api.Duration{Duration: 2 * time.Second}}); err != nil {
		t.Fatal(err)
	}
	if _, err := opsClient.World.AdvanceClock(t.Context(), 36*time.Hour); err != nil {
		t.Fatal(err)
	}
	d.Press("esc", "esc", "[", "[", "r", "/")
	d.Type("ORD-100228")
	d.Press("enter", "i")
	d.CompareFrames(t, "ops-quote")
	d.Press("esc", "esc", "[")
	d.CompareFrames(t, "ops-trials-set")
}

func TestFramesOfOperationsInOtherStates(t *testing.T) {
	empty := atOps(t, bare)
	compareTabs(empty, t, "ops-empty", empty.CompareFrames)
	trouble := atOps(t, apptest.AnswerBroken)
	compareTabs(trouble, t, "ops-trouble", trouble.CompareFrames)
	atOps(t, refused).CompareFrames(t, "ops-no-key")
	d := tuitest.New(t)
	d.Hold()
	web := httptest.NewServer(http.HandlerFunc(bare))
	t.Cleanup(web.Close)
	opsClient, err := ops.NewClient(web.URL+server.OpsPath, "fd_ops_test")
	if err != nil {
		t.Fatal(err)
	}
	reading := apptest.OpenOn(t, d, web.URL, "fd_test_key", "ACME Geo GmbH", 100, 30, func(o *tui.Options) { o.Ops, o.Begin = opsClient, action.GoOps })
	compareTabs(reading, t, "ops-loading", reading.CompareFrames)
	reading.Release()
	reading.RequireText("No open tasks.")
}

func TestLoadedDataStaysWhenTheServiceFails(t *testing.T) {
	var gone atomic.Bool
	d := atOps(t, func(w http.ResponseWriter, r *http.Request) {
		if gone.Load() {
			apptest.AnswerBroken(w, r)
			return
		}
		o := `"uuid":"o-1","orderCode":"ORD-7","orderName":"Levee","status":"biddingWithQuote","accountUid":"a-1","createdAt":"2026-11-23T08:42:00Z","updatedAt":"2026-11-23T08:42:00Z"`
		switch {
		case strings.HasSuffix(r.URL.Path, "/orders") && r.URL.Query().Get("status") == "biddingWithQuote":
			apptest.WriteAnswer(w, 200, apptest.OrderList(o))
		case strings.HasSuffix(r.URL.Path, "/orders/o-1"):
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+o+`,"missions":[],"quotes":[]}}`)
		default:
			bare(w, r)
		}
	})
	d.RequireText("ORD-7", "issue quote")
	gone.Store(true)
	d.Press("r")
	d.RequireText("ORD-7", "The disk is full", "1 task")
	d.Press("i")
	d.RequireText("Issue quote")
	d.Press("enter")
	d.Advance(time.Second)
	d.RequireText("Issue quote", "! The disk is full")
	d.Press("esc", "]", "]")
	d.RequireText("[Accounts]", "The disk is full")
	gone.Store(false)
	d.Press("r")
	d.RequireText("No accounts yet.")
	d.SeesNot("The disk is full")
}

// The queue considers at most 500 orders, and says so.
func TestTheQueueSaysThatOlderOrdersAreMissing(t *testing.T) {
	const n = 2100
	d := atOps(t, func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, server.OpsPath)
		one := func(i string) string {
			return `"uuid":"o-` + i + `","orderCode":"ORD-` + i + `","status":"biddingWithQuote","createdAt":"2026-11-20T09:00:00Z","updatedAt":"2026-11-20T09:00:00Z"`
		}
		status := r.URL.Query().Get("status")
		switch {
		case strings.HasPrefix(path, "/orders/o-"):
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+one(strings.TrimPrefix(path, "/orders/o-"))+`}}`)
		case path != "/orders" || status != "" && status != "biddingWithQuote":
			bare(w, r)
		default:
			from := 0
			_, _ = fmt.Sscan(r.URL.Query().Get("cursor"), &from)
			var items []string
			for i := from; i < min(n, from+100); i++ {
				items = append(items, one(fmt.Sprint(i)))
			}
			page := strings.Replace(apptest.OrderList(items...), `"nextCursor":null`, fmt.Sprintf(`"nextCursor":"%d"`, from+100), 1)
			apptest.WriteAnswer(w, 200, strings.Replace(page, `"hasNextPage":false`, fmt.Sprintf(`"hasNextPage":%v`, from+100 < n), 1))
		}
	})
	d.RequireText("[Queue 500+]", "9 Ops (500+)", "at least 500 open", "Showing tasks of 500 active orders only.")
	d.Press("]")
	d.RequireText("ORD-0")
	d.Press("G")
	d.RequireText("▸ ORD-2000") // scrolling loads older orders
}

// Missions that were updated are not updated again.
func TestARetryContinuesWithTheMissionThatFailed(t *testing.T) {
	var asked []string
	d := atOps(t, func(w http.ResponseWriter, r *http.Request) {
		o := `"uuid":"o-1","orderCode":"ORD-7","status":"pendingOperator","createdAt":"2026-11-23T08:42:00Z","updatedAt":"2026-11-23T08:42:00Z"`
		path := strings.TrimPrefix(r.URL.Path, server.OpsPath)
		switch {
		case r.Method == http.MethodPost:
			asked = append(asked, strings.Split(path, "/")[2])
			if len(asked) == 3 {
				apptest.WriteAnswer(w, 409, `{"success":false,"message":"the pilots are at lunch","data":{"code":"conflict"}}`)
				return
			}
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"uuid":"m","missionCode":"MSN","operatorName":"Nordflug"}}`)
		case path == "/orders" && r.URL.Query().Get("status") == "pendingOperator":
			apptest.WriteAnswer(w, 200, apptest.OrderList(o))
		case path == "/orders/o-1":
			var missions []string
			for i := range 4 {
				missions = append(missions, fmt.Sprintf(`{"uuid":"m%d","missionCode":"MSN-%d","status":"awaitingPilot"}`, i, i))
			}
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+o+`,"missions":[`+strings.Join(missions, ",")+`]}}`)
		default:
			bare(w, r)
		}
	})
	d.Press("a")
	d.Type("Nordflug")
	d.Press("enter")
	d.Advance(time.Second)
	d.RequireText("2 missions of 4 updated, then MSN-2 failed: the pilots are at lunch", "Nordflug")
	d.Press("enter")
	d.RequireText(": operator assigned, Nordflug, and 1 more mission; 2 missions updated before")
	if got := strings.Join(asked, " "); got != "m0 m1 m2 m2 m3" {
		t.Errorf("the requests were for %s", got)
	}
}

// The order shows whether its client was notified that it is complete.
func TestAnOrderShowsItsCompletionNotices(t *testing.T) {
	d := atOps(t, func(w http.ResponseWriter, r *http.Request) {
		o := `"uuid":"o-1","orderCode":"ORD-7","orderName":"Levee","status":"completed","createdAt":"2026-11-20T09:00:00Z","updatedAt":"2026-11-23T08:42:00Z"`
		switch strings.TrimPrefix(r.URL.Path, server.OpsPath) {
		case "/orders":
			apptest.WriteAnswer(w, 200, apptest.OrderList(o))
		case "/orders/o-1":
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+o+`,"missions":[{"uuid":"m-1","missionCode":"MSN-1","status":"dataDelivered"}]}}`)
		case "/orders/o-1/notifications":
			n := `"orderUid":"o-1","createdAt":"2026-11-23T08:42:00Z"`
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"data":[`+
				`{"uuid":"n-2","channel":"email","address":"gis@client.example","success":true,"attempts":1,"error":null,`+n+`},`+
				`{"uuid":"n-1","channel":"webhook","address":"https://client.example/done","responseCode":410,"attempts":4,"error":"HTTP 410 Gone",`+n+`}],"hasNextPage":false}}`)
		default:
			bare(w, r)
		}
	})
	d.RequireText("MSN-1", "accept")
	d.Press("enter", "home")
	d.RequireText("▸!notice", "webhook to client.example/done  ✗ failed, answered", "notice", "✓ sent", "MSN-1")
	d.Press("enter")
	d.RequireText("order.completed", "https://client.example/done", "failed, answered 410, 4 attempts", "HTTP 410 Gone")
	d.Press("esc")
	d.Press("A") // needs a mission, not a notice
	d.RequireText("no mission selected")
}

// Details that only the v2 API shows can be edited on the page of the order.
func TestDetailsAndNoticesOfAnOrderCanBeChanged(t *testing.T) {
	bodies := map[string]string{}
	d := atOps(t, func(w http.ResponseWriter, r *http.Request) {
		o := `"uuid":"o-1","orderCode":"ORD-7","orderName":"Levee","status":"biddingWithQuote","createdAt":"2026-11-20T09:00:00Z"`
		path := strings.TrimPrefix(r.URL.Path, server.OpsPath)
		if r.Method == http.MethodPut || r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			bodies[path] = string(body)
		}
		switch path {
		case "/orders":
			apptest.WriteAnswer(w, 200, apptest.OrderList(o))
		case "/orders/o-1":
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+o+`,"missions":[{"uuid":"m-1","missionCode":"MSN-1","status":"pendingOperator"}],`+
				`"details":{"description":"both banks","pointOfContact":{"pocName":"Ada","pocPhone":"+46 8 1"},"advancedOption":{"gcp":true}}}}`)
		case "/orders/o-1/details":
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":`+bodies[path]+`}`)
		case "/orders/o-1/notifications":
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"webhook":"https://client.example/done","email":false,"secret":"whsec_once"}}`)
		default:
			bare(w, r)
		}
	})
	d.Press("enter", "c")
	d.RequireText("Edit order: ORD-7", "both banks", "Ada", "+46 8 1")
	d.Press("tab", "tab", "ctrl+u")
	d.Type("Bo Ek")
	d.Press("tab", "tab", "ctrl+u")
	d.Type("80")
	d.Press("ctrl+s")
	d.RequireText("Details saved")
	if got, want := bodies["/orders/o-1/details"], `{"description":"both banks","pointOfContact":{"pocName":"Bo Ek","pocPhone":"+46 8 1"},"advancedOption":{"flightHeight":80,"gcp":true}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}

	d.Press("n")
	d.RequireText("Set completion notices: ORD-7")
	d.Type("http://client.example/done")
	d.Press("ctrl+s")
	d.RequireText("must be https, without a password")
	d.Press("ctrl+u")
	d.Type("https://client.example/done")
	d.Press("ctrl+s")
	d.RequireText("New secret", "whsec_once", "not shown again")
	if got, want := bodies["/orders/o-1/notifications"], `{"webhook":"https://client.example/done"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	d.Advance(time.Second) // the dialog ignores keys at first
	d.Press("esc")
	d.SeesNot("whsec_once")
}

func TestOperationsWorksWithTheMouse(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 140, 40)
	click := func(x, y int) { d.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	at := func(text string) (x, y int) {
		t.Helper()
		for y, line := range strings.Split(d.Screen(), "\n") {
			if before, _, found := strings.Cut(line, text); found {
				return ansi.StringWidth(before), y
			}
		}
		t.Fatalf("%q is not on the screen:\n%s", text, d.Screen())
		return 0, 0
	}
	click(at("MSN-300549"))
	d.RequireText("▸ MSN-300549", "Alpha Ventus, northern")
	click(at("Accounts"))
	d.RequireText("[Accounts]")
	click(at("Queue 34"))
	d.RequireText("[Queue 34]")
	click(at("MSN-300550"))
	d.Send(tea.MouseClickMsg{X: 5, Y: 13, Button: tea.MouseLeft})
	d.Press(";")
	d.RequireText("a") // labels, the rows first
	d.Press("s")
	d.RequireText("▸ MSN-300516")
	d.Press("v")
	d.RequireText("▸OPERATIONS")
	click(100, 12)
	d.RequireText("▸CLIENT VIEW")
	click(at("MSN-300551"))
	d.RequireText("▸OPERATIONS", "▸ MSN-300551", "│ ORD-100239  Alpha Ventus")

	// The mouse works in dialogs, too: options of a form, files, and keys in the bottom line.
	d.Press("esc", "/")
	d.Type("Main road")
	d.Press("enter", "d")
	d.RequireText("✓ sample files")
	click(at("choose files"))
	d.RequireText("✓ choose files")
	click(at("enter deliver"))
	d.RequireText("Files for MSN-300544")
	click(at("masts.csv"))
	d.RequireText("▸ masts.csv")
	click(at("masts.csv"))
	d.RequireText("▸✓masts.csv", "deliver 1")
	d.Send(tea.MouseWheelMsg{X: 70, Y: 14, Button: tea.MouseWheelDown})
	d.SeesNot("▸✓masts.csv")
	click(at("esc back"))
	d.SeesNot("Files for MSN-300544")
}

// If a page is left while it loads, the page below requests the data again.
func TestLeavingAPageWhileItLoadsStopsNoUpdates(t *testing.T) {
	for _, key := range []string{"enter", "v"} { // the order, and the client view
		d, opsClient := apptest.OpenOperations(t, 120, 36)
		d.Press("/")
		d.Type("MSN-300549")
		d.Press("enter")
		d.Hold()
		d.Press(key, "esc")
		d.Release()
		if _, err := opsClient.World.SetFaults(t.Context(), ops.FaultsInput{Status: 503, Path: "/files"}); err != nil {
			t.Fatal(err)
		}
		if _, err := opsClient.Missions.AssignOperator(t.Context(), "MSN-300549", "Nordflug"); err != nil {
			t.Fatal(err)
		}
		d.Advance(6 * time.Second)
		d.RequireText("▸┃MSN-300549", "schedule", "503")
	}
}

// A test service is polled every few seconds while Operations is shown, and not while another
// section is shown.
func TestChangesByOthersAppearByThemselves(t *testing.T) {
	d, ops := apptest.OpenOperations(t, 120, 36)
	d.Press("/")
	d.Type("MSN-300549")
	d.Press("enter")
	if _, err := ops.Missions.AssignOperator(t.Context(), "MSN-300549", "Nordflug"); err != nil {
		t.Fatal(err)
	}
	d.SeesNot("▸┃MSN-300549")
	d.Advance(6 * time.Second)
	d.RequireText("▸┃MSN-300549", "schedule")
	d.Press("2")
	d.Advance(3 * time.Second)
	d.Press("w")
	before := strings.Count(d.Screen(), "/api/ops")
	d.Advance(30 * time.Second)
	if now := strings.Count(d.Screen(), "/api/ops"); now != before {
		t.Errorf("Operations is polled behind another section: %d requests, then %d", before, now)
	}
}
