package neworder_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestAKMLBecomesAPlacedOrder(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	before := d.NewestOrder().OrderCode
	d.ToReview("elbe")
	d.RequireText("Size       4 missions", "– Left out: Note without a place, line 31: it has no coordinates", "✓ Ready to place",
		"S Place order   Quotes follow. Nothing is flown until you accept one.")
	d.Press("S")
	d.RequireText("Place order", "elbe levee", "enter place order")
	d.Press("enter")

	o := d.NewestOrder()
	if o.OrderCode == before {
		t.Fatal("no order was placed")
	}
	d.RequireText("Orders › "+o.OrderCode, o.OrderCode+" placed", "Levee km 3")
	if o.OrderName != "elbe levee" || o.Status != api.OrderBiddingWithQuote || o.OrderType != api.MultiLocation || len(o.Missions) != 4 {
		t.Errorf("the order is %+v", o)
	}
	levee, road, pump := o.Missions[0], o.Missions[2], o.Missions[3]
	if levee.MissionType != api.MissionArea || levee.Country != "Germany" || len(levee.LocationMap) != 4 || *levee.AreaSize < 380_000 {
		t.Errorf("the levee is %+v", levee)
	}
	if road.MissionType != api.MissionLinear || len(road.LocationMap) != 4 || pump.MissionType != api.MissionAsset {
		t.Errorf("road %+v, pump %+v", road, pump)
	}

	d.Press("esc")
	d.RequireText("▸┃" + o.OrderCode)
	if lines := strings.Split(d.Screen(), "\n"); !strings.Contains(lines[5], o.OrderCode) {
		t.Errorf("the new order is not on top:\n%s", d.Screen())
	}
}

func TestACSVWithASwappedRowIsFixedAndPlaced(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("masts")
	d.Press("enter")
	d.RequireText("3 sites, 2 included", "1 warning")
	d.Press("!")
	d.RequireText("f swaps latitude and longitude", "Canberra")
	d.Press("f")
	d.RequireText("3 sites, 3 included")
	d.Press("]", "ctrl+s")
	d.RequireText("select one") // the asset type has no default
	d.Type("tele")
	d.Press("ctrl+s", "S", "enter")
	o := d.NewestOrder()
	if len(o.Missions) != 3 || o.Missions[2].MissionName != "Mast swapped" || o.Missions[2].LocationMap[0] != (api.Point{Lat: -35.2809, Lng: 149.13}) {
		t.Errorf("missions %+v", o.Missions)
	}
	if o.IndustryAssetType != "telecom" {
		t.Errorf("asset type %q", o.IndustryAssetType)
	}
}

func TestSitesAreRenamedLeftOutAndRetyped(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "e")
	d.RequireText("Edit site")
	d.Press("ctrl+u")
	d.Press("enter")
	d.RequireText("name required")
	d.Type("Deich 東 km 3")
	d.Press("tab")
	d.Type("North gate")
	d.Press("enter")
	d.RequireText("Deich 東 km 3")
	d.Press("j", "space") // excludes km 4 and selects the road
	d.Press("t", "t")
	d.RequireText(" 1.2 │")
	d.Press("G")
	d.Press("space")
	d.RequireText("include: no usable coordinates; press e")
	d.Press("]")
	d.Type("o")
	d.Press("ctrl+s", "S", "enter")
	o := d.NewestOrder()
	if len(o.Missions) != 3 || o.Missions[0].MissionName != "Deich 東 km 3" || o.Missions[0].LocationLabel != "North gate" {
		t.Errorf("missions %+v", o.Missions)
	}
	if road := o.Missions[1]; road.MissionType != api.MissionArea || road.AreaSize == nil || *road.AreaSize == 0 {
		t.Errorf("the road is %+v, want an area with a size", road)
	}
}

func TestASingleSiteIsASingleLocation(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.WriteFile("one.csv", "name,lat,lng\nMast,48.4,11.7\n")
	d.ToReview("one")
	d.Press("S", "enter")
	if o := d.NewestOrder(); o.OrderType != api.SingleLocation || len(o.Missions) != 1 {
		t.Errorf("%+v", o)
	}
}

func TestFieldErrorsOfTheServiceAreShownAtTheirFields(t *testing.T) {
	var sent atomic.Int32
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if placing(r) {
			sent.Add(1)
			apptest.WriteAnswer(w, 400, `{"success":false,"message":"2 values are not accepted","data":{"code":"validation_failed","requestId":"r-1","errors":[
				{"field":"order.deadline","message":"is a holiday"},{"field":"missions[1].locationLabel","message":"is not known"}]}}`)
			return
		}
		apptest.WriteAnswer(w, 200, apptest.OrderList())
	})
	d.RequireText("No orders yet.", "n new order")
	d.ToReview("elbe")
	d.Press("S", "enter")
	d.RequireText("! Deadline is a holiday", "Levee km 4 locationLabel is not known", "2 values rejected")
	d.Press("r")
	d.RequireText("fix the rejected field first")
	d.Press("enter")
	d.RequireText("[3 Details]", " ▸ Deadline", "! is a holiday")
	d.Press("ctrl+u")
	d.Type("in 6 weeks")
	d.Press("ctrl+s")
	d.RequireText("[4 Review]", "✓ Ready to place")
	if sent.Load() != 1 {
		t.Errorf("%d requests to place the order, want 1", sent.Load())
	}
}

// missionsSent returns the missions of a request to place an order, as JSON.
func missionsSent(r *http.Request) string {
	var req struct{ Missions json.RawMessage }
	_ = json.NewDecoder(r.Body).Decode(&req)
	return string(req.Missions)
}

func TestAnOrderWithoutAResponseIsCheckedBeforeItIsSentAgain(t *testing.T) {
	var posts atomic.Int32
	var missions string
	var keys [2]string
	placed := atomic.Bool{}
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/orders"):
			if n := posts.Add(1); n <= 2 {
				keys[n-1], missions = r.Header.Get("Idempotency-Key"), missionsSent(r)
			}
			panic(http.ErrAbortHandler) // the connection ends without a response
		case strings.HasSuffix(r.URL.Path, "ORD-7"):
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"orderCode":"ORD-7","orderName":"elbe levee","status":"biddingWithQuote","missions":`+missions+`}}`)
		case placed.Load():
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"u7","orderCode":"ORD-7","orderName":"elbe levee","createdAt":"2026-11-24T08:42:00Z"`))
		default:
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"u1","orderCode":"ORD-1","orderName":"elbe levee","createdAt":"2026-11-01T08:42:00Z"`))
		}
	})
	d.ToReview("elbe")
	d.Press("S", "enter")
	d.RequireText("The order may exist", "check before sending again")
	d.Press("S")
	d.RequireText("no response, outcome unknown; press r to check")
	d.Press("r")
	d.RequireText("Order not found on the service · S to place it")
	d.Press("S", "enter")
	d.RequireText("Place another order?", "elbe levee, sent just now, is not confirmed.")
	d.Type("place")
	d.Press("enter")
	d.RequireText("The order may exist", "check before sending again")
	placed.Store(true)
	d.Press("r")
	d.RequireText("Orders › ORD-7", "ORD-7 was already placed")
	if posts.Load() != 2 || keys[0] == "" || keys[0] != keys[1] {
		t.Errorf("%d requests with keys %q, want two with the same key", posts.Load(), keys)
	}
}

func TestAReadOnlyKeyCannotCreateOrders(t *testing.T) {
	d := apptest.Open(t, 100, 30, func(o *tui.Options) { o.ReadOnly = true })
	d.RequireText("READ-ONLY")
	d.Press("n")
	d.RequireText("▸ ORD-", "new order: read-only mode")
	d.Press("a")
	d.RequireText("▸ ORD-", "order again: read-only mode")
}

func TestEscOnFilesReturnsToTheSites(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	path := d.WriteFile("mast.csv", "name,lat,lng\nMast,48.4,11.7\n")
	d.Press("n")
	d.Paste(path)
	d.Press("enter", "a")
	d.RequireText("[1 Files]")
	d.Press("esc")
	d.RequireText("[2 Sites]", "Mast")
	d.Press("[")
	d.RequireText("[1 Files]")
	d.Press("esc")
	d.RequireText("[2 Sites]")
	d.Press("esc")
	d.RequireText("Draft kept until you quit · n on Home or in Orders continues it")
}

func TestPastedPathsCanBeQuotedOrEscaped(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	path := d.WriteFile("my sites (2).csv", "name,lat,lng\nMast,48.4,11.7\n")
	for _, pasted := range []string{
		path, `"` + path + `"`, "'" + path + "'\n", "file://" + strings.ReplaceAll(path, " ", "%20"),
		strings.NewReplacer(" ", `\ `, "(", `\(`, ")", `\)`).Replace(path), "~/surveys/my sites (2).csv",
	} {
		d.Press("n")
		d.Paste(pasted)
		d.Press("enter")
		d.RequireText("[2 Sites]", "Mast")
		d.Press("delete", "[", "esc")
	}
}

func TestFoldersAreWalked(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("n", "ctrl+u")
	d.Type("~/")
	d.RequireText("surveys/")
	d.Type("SURV")
	d.Press("enter")
	d.RequireText("~/surveys/", "elbe_levee.kml", "masts.csv", "3 h")
	d.Press("tab")
	d.RequireText("~/surveys/elbe_levee.kml")
	d.Type("zzz")
	d.RequireText("No matching folder or survey file")
	d.Press("enter")
	d.RequireText("! ~/surveys/elbe_levee.kmlzzz: no such file or directory")
}

func TestKeysTypedAheadReachThePageThatOpens(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Hold() // background work finishes only after Release
	d.Press("n", "q", "?")
	if d.Quit {
		t.Fatal("q behind n quits the app")
	}
	d.Release()
	d.RequireText("~/surveys/q?")
	d.Press("ctrl+u")
	d.Type("~/surveys/elbe")
	d.Press("enter")
	d.Hold()
	d.Press("e", "backspace", "backspace")
	d.Release()
	d.RequireText("5 sites", "Edit site", "Levee km")
	d.Press("enter")
	d.RequireText("▸ ✓   Levee km ")
}

func TestAnExactPathIsReadAndASecondPathReplacesTheFirst(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.WriteFile("north_sites.csv", "name,lat,lng\nNorth,48.4,11.7\n")
	path := d.WriteFile("sites.csv", "name,lat,lng\nExact,48.4,11.7\n")
	d.Press("n")
	d.Type(path) // after the folder in the path
	d.RequireText(path)
	d.Press("enter")
	d.RequireText("[2 Sites]", "Exact")
	d.Press("[")
	d.Type("/~/surveys/north")
	d.Press("enter")
	d.RequireText("2 sites", "North")
	fifo := filepath.Join(d.Options.Folder, "pipe.kml")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	d.Press("[")
	d.Paste(fifo)
	d.Press("enter")
	d.RequireText("not a regular file")
}

func TestAnOrderIsCheckedByTheNameThatWasSent(t *testing.T) {
	var posts atomic.Int32
	var missions string
	var seen atomic.Bool
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/orders"):
			missions = missionsSent(r)
			posts.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte("<html>bad gateway")) // from a proxy: the service can have the order
		case strings.HasSuffix(r.URL.Path, "ORD-7"):
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"orderCode":"ORD-7","orderName":"elbe levee","missions":`+missions+`}}`)
		case seen.Load():
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"u7","orderCode":"ORD-7","orderName":"elbe levee","createdAt":"2026-11-24T08:42:00Z"`))
		default:
			apptest.WriteAnswer(w, 200, apptest.OrderList())
		}
	})
	d.ToReview("elbe")
	d.Press("S", "enter")
	d.RequireText("The order may exist")
	d.Press("[", "shift+tab", "shift+tab", "shift+tab", "shift+tab", "ctrl+u")
	d.Type("another name")
	seen.Store(true)
	d.Press("ctrl+s", "r")
	d.RequireText("Orders › ORD-7", "was already placed")
	if posts.Load() != 1 {
		t.Errorf("%d requests to place it, want 1", posts.Load())
	}
}

func TestTheNewOrderCanAlwaysBeLeft(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("n")
	d.Type("masts")
	d.Press("enter", "delete", "delete", "delete")
	d.RequireText("0 sites", "a add file", "? help", "q quit", "esc back")
	d.Press("?")
	d.RequireText("Keys: New order")
	d.Press("esc", "esc")
	d.RequireText("▸ ORD-")
}

func TestNewOrderIsOnePageOnly(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", ":")
	d.Type("turkana")
	d.Press("enter")
	d.RequireText("Orders › New order › ORD-100231")
	d.Press("n")
	d.RequireText("Orders › New order ", "[2 Sites]")
	d.SeesNot("ORD-100231")
}

func TestAFileNameOfAnyBytesMakesAnOrder(t *testing.T) {
	drafts := t.TempDir()
	d := apptest.Open(t, 100, 30, func(o *tui.Options) { o.Drafts = drafts })
	d.WriteFile("M\xfcnchen.csv", "name,lat,lng\nMast,48.4,11.7\n")
	d.ToReview("nchen.csv")
	d.Press("S", "enter")
	if o := d.NewestOrder(); o.OrderName != "Mnchen" {
		t.Errorf("the order is called %q", o.OrderName)
	}
}

func TestTypingReplacesAFocusedDate(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]", "tab") // to the start
	d.Type("1 Dec")
	d.RequireText("Start        1 Dec                 → Tue 1 Dec 2026")
	d.Press("tab", "end")
	d.Type("x") // after the text in the field
	d.RequireText("in 4 weeksx")
}

// A response can arrive between two letters, or before the first one. It must not change the text.
func TestLateResponsesDoNotChangeTypedText(t *testing.T) {
	d := apptest.Open(t, 100, 30, func(o *tui.Options) { o.Drafts = t.TempDir() })
	d.Hold()
	d.Press("n")
	d.Type("el") // before the first response
	d.Release()
	d.Type("be")
	d.RequireText("surveys/elbe")
	d.Press("enter", "]", "tab") // to the start
	d.Press("ctrl+u")
	for _, letter := range "Holzmühle" {
		d.Hold()
		d.Type(string(letter))
		d.Advance(2 * time.Second) // saves the draft and reloads lists
		d.Release()
		d.Resize(100, 30)
	}
	d.RequireText("Start        Holzmühle")
	d.Press("tab", "ctrl+u")
	d.Hold()
	d.Type("Nord")
	d.Release()
	d.Type("licht")
	d.RequireText("Deadline     Nordlicht")
}

// A path that is typed while the saved draft is being read stays in the path field.
func TestATypedPathStaysWhenTheDraftIsLoaded(t *testing.T) {
	drafts := t.TempDir()
	d := apptest.Open(t, 100, 30, func(o *tui.Options) { o.Drafts = drafts })
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "q", "enter")
	d.Close()
	d = apptest.Open(t, 100, 30, func(o *tui.Options) { o.Drafts = drafts })
	d.WriteFile("zaun.csv", "name,country,lat,lng\nZaun,Germany,48.2,11.4\n")
	d.Hold()
	d.Press("n")
	d.Type("za")
	d.Release()
	d.Type("un")
	d.RequireText("surveys/zaun", "zaun.csv", "5 sites")
	d.Press("enter")
	d.RequireText("6 sites")
}

// The company is the account's company. If the profile does not have it, it is the company of all
// orders, or empty if the orders have several companies.
func TestTheCompanyOfANewOrderIsTheAccounts(t *testing.T) {
	for _, tt := range []struct{ account, first, second, want string }{
		{"ACME Geo GmbH", "Other AG", "Other AG", "ACME Geo GmbH"},
		{"", "Other AG", "Other AG", "Other AG"},
		{"", "Other AG", "Third KG", ""},
	} {
		one := func(n, company string) string {
			return `"uuid":"o-` + n + `","orderCode":"ORD-` + n + `","companyName":"` + company + `","status":"pendingOperator","createdAt":"2026-11-20T09:00:00Z","updatedAt":"2026-11-20T09:00:00Z"`
		}
		d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/orders") {
				apptest.WriteAnswer(w, 200, apptest.OrderList(one("2", tt.first), one("1", tt.second)))
				return
			}
			apptest.WriteAnswer(w, 404, `{"success":false,"message":"no such thing","data":{"code":"not_found"}}`)
		}, func(o *tui.Options) { o.Company = tt.account })
		d.Press("n")
		d.Paste(d.WriteFile("mast.csv", "name,country,lat,lng\nMast,Germany,48.2,11.4\n"))
		d.Press("enter", "]")
		if tt.want == "" {
			d.SeesNot("Other AG", "Third KG")
		} else {
			d.RequireText("Company      " + tt.want)
		}
	}
}

func TestCountriesAreCompletedAndOfOneKind(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.WriteFile("sites.csv", "name,lat,lng,country\nVienna,48.2,16.4,AT\nGraz,47.07,15.44,\n")
	d.Press("n")
	d.Type("sites")
	d.Press("enter")
	d.SeesNot("  AT  ")
	edit := func(typed string) {
		d.Press("e", "tab", "tab", "ctrl+u")
		d.Type(typed)
		d.Press("enter")
	}
	edit("Aust")
	d.RequireText("which one: Australia, Austria?")
	d.Press("esc")
	edit("slovak")
	d.RequireText("Slovakia")
	edit("hu")
	d.RequireText("Hungary")
	edit("Bavaria")
	d.RequireText("Bavaria")
}

func TestTheWholeRequestCanBeRead(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.ToReview("elbe")
	facts := []string{"Period  ", "Products  ", " – Left out: Note without a place, line 31"}
	d.RequireText(append(facts, "[Map]")...)
	d.Press("tab")
	d.RequireText(append(facts, "[JSON]", "↓ 70 more")...)
	d.SeesNot(`"Pump station"`)
	d.Press("G")
	d.RequireText("↑ 70 more")
	d.Press("k", "k", "k", "k", "k")
	d.RequireText("53.5989")
	d.Press("g")
	d.RequireText(`"order": {`)
}

func TestTheReviewOffersNoZoomToARow(t *testing.T) {
	d := apptest.Open(t, 200, 60)
	d.ToReview("elbe")
	d.RequireText("+ zoom in")
	d.SeesNot("zoom to row")
	d.Press("z")
	d.RequireText("no site is selected here")
}

func TestTheReviewShowsTheStateOfAnOrderWithManyWarnings(t *testing.T) {
	d := apptest.Open(t, 60, 18)
	rows := "name,wkt\n"
	for _, name := range []string{"First", "Second", "Third", "Fourth"} {
		rows += name + `,"POLYGON((9.48 53.60,9.49 53.61,9.49 53.60,9.48 53.61,9.48 53.60))"` + "\n"
	}
	d.WriteFile("ties.csv", rows)
	d.ToReview("ties")
	d.RequireText("ties", "First, row 2: ", "and 1 more warning", "in a higher window")
	d.RequireText("✓ Ready to place", "S Place order", "Nothing is flown until you accept one.")
	d.Press("tab")
	d.RequireText("[JSON]", "! 4 warnings, 3 sites twice; see Map", "✓ Ready to place")
	d.Resize(140, 40)
	d.RequireText("First, row 2: the boundary encloses no area", "and 1 more warning", "S Place order")
}
