package operations

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func at(hours float64) api.Time {
	return api.TimeOf(noon.Add(time.Duration(hours * float64(time.Hour))))
}

func TestTheNextStepFollowsFromTheMissionsStatus(t *testing.T) {
	granted, pending := &api.FlightPermission{Status: api.PermissionGranted}, &api.FlightPermission{Status: api.PermissionPending}
	for _, c := range []struct {
		status     api.MissionStatus
		flight     float64
		permission *api.FlightPermission
		want       workStep
	}{
		{status: api.MissionAwaitingPilot, want: stepAssign},
		{status: api.MissionPilotAssigned, want: stepSchedule},
		{status: api.MissionFlightScheduled, flight: 24, want: stepPermit},
		{status: api.MissionFlightScheduled, flight: 24, permission: pending, want: stepPermit},
		{status: api.MissionFlightScheduled, flight: 24, permission: granted, want: stepDeliver},
		{status: api.MissionFlightScheduled, flight: -24, want: stepDeliver}, // the flight is over
		{status: api.MissionDataDelivered, want: stepAccept},
		{status: api.MissionCompleted},
		{status: api.MissionCancelled},
		{status: "onTheMoon"},
	} {
		m := &ops.Mission{Mission: api.Mission{Status: c.status, FlightDate: at(c.flight)}, FlightPermission: c.permission}
		if got := stepOf(m, noon); got != c.want {
			t.Errorf("%s, flight in %v h, %+v: %v", c.status, c.flight, c.permission, got)
		}
	}
}

func TestTheTaskThatWaitsLongestIsFirst(t *testing.T) {
	order := func(code string, status api.OrderStatus, hours float64, quotes []ops.Quote, missions ...api.MissionStatus) *ops.Order {
		o := &ops.Order{Order: api.Order{UUID: code, OrderCode: code, Status: status, CreatedAt: at(hours), UpdatedAt: at(hours)}, Quotes: quotes}
		for i, s := range missions {
			m := api.Mission{UUID: code + string(rune('a'+i)), MissionCode: code + string(rune('a'+i)), Status: s, UpdatedAt: at(hours)}
			o.Missions = append(o.Missions, ops.Mission{Mission: m})
		}
		return o
	}
	quote := func(hours float64) []ops.Quote {
		return []ops.Quote{{Quote: api.Quote{ExpiryDate: at(hours)}, Status: api.QuoteOpen, CreatedAt: at(-1)}}
	}
	w := workList{orders: []*ops.Order{
		order("1", api.OrderCompleted, -9, nil, api.MissionDataDelivered, api.MissionCompleted),
		order("2", api.OrderBiddingWithQuote, -2, nil),
		order("3", api.OrderBiddingWithQuote, -5, quote(-1)), // expired
		order("4", api.OrderBiddingWithQuote, -50, quote(2)),
		order("5", api.OrderPendingOperator, -1, nil, api.MissionPilotAssigned, api.MissionAwaitingPilot),
		order("6", api.OrderCancelled, -1, nil, api.MissionCancelled),
	}}
	list, got := sortWork(w.orders, noon), ""
	for _, one := range list {
		got += one.Code + ":" + stepWords[one.step] + " "
	}
	if want := "1a:accept 2:issue quote 3:issue quote 5a:schedule 5b:assign 4:client decides "; got != want {
		t.Errorf("the queue is %s\nwant         %s", got, want)
	}
	if n := countOpenTasks(list); n != 5 {
		t.Errorf("%d tasks wait for Operations, want 5", n)
	}
}

// The first row is selected, so no task is listed before all orders are loaded.
func TestTheQueueIsListedWhenAllOrdersAreLoaded(t *testing.T) {
	order := func(id string) string {
		return `"uuid":"` + id + `","orderCode":"ORD-` + id + `","status":"biddingWithQuote","createdAt":"2026-11-20T09:00:00Z","updatedAt":"2026-11-20T09:00:00Z"`
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data := "{" + order(path.Base(r.URL.Path)) + "}"
		switch {
		case r.URL.Query().Get("status") == "biddingWithQuote":
			data = `{"data":[{` + order("1") + `},{` + order("2") + `}],"hasNextPage":false}`
		case strings.HasSuffix(r.URL.Path, "/orders"):
			data = `{"data":[],"hasNextPage":false}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"success":true,"message":"","data":`+data+`}`)
	}))
	t.Cleanup(web.Close)
	d := newTestTools(t, web.URL)
	w := d.work
	read := func(of ...cache.Need) page.ListState[*orderItem] {
		d.env.Profile.Cache.LoadNeeds(t.Context(), func() []cache.Need { return of })
		return w.readWork()
	}
	lists := w.workNeeds(0)
	if s := read(lists...); len(s.Rows) != 0 || !s.At.IsZero() {
		t.Errorf("%d tasks are listed before any order is loaded, at %v", len(s.Rows), s.At)
	}
	if s := read(w.cache.Details.NeedOf("1")); len(s.Rows) != 0 {
		t.Errorf("%d tasks are listed with one of two orders loaded", len(s.Rows))
	}
	if s := read(w.workNeeds(0)...); len(s.Rows) != 2 || s.Err != nil {
		t.Errorf("got %d tasks, %v; want 2", len(s.Rows), s.Err)
	}
}

func TestTheNextSpeedIsHigherOrLower(t *testing.T) {
	for speed, want := range map[float64][2]float64{1: {1, 60}, 59: {1, 60}, 3600: {600, 21_600}, 86_400: {21_600, 86_400}, 1e6: {86_400, 1e6}, 0.5: {0.5, 1}} {
		if slower, faster := nextSpeed(speed, false), nextSpeed(speed, true); slower != want[0] || faster != want[1] {
			t.Errorf("the next speeds of %v are %v and %v, want %v", speed, slower, faster, want)
		}
	}
}

func TestTheBadgeCountsKeyRequestsIfNoTaskIsOpen(t *testing.T) {
	for _, test := range []struct {
		openTasks    int
		isIncomplete bool
		keyRequests  int
		note         string
		want         page.SectionBadge
	}{
		{34, false, 3, "34", page.SectionBadge{Text: "34", Role: theme.Attention}},
		{500, true, 3, "500+", page.SectionBadge{Text: "500+", Role: theme.Attention}},
		{0, true, 3, "0+", page.SectionBadge{Text: "3", Role: theme.Pending}},
		{0, false, 3, "", page.SectionBadge{Text: "3", Role: theme.Pending}},
		{0, false, 0, "", page.SectionBadge{Text: "", Role: theme.Pending}},
	} {
		note := describeOpenTasks(test.openTasks, test.isIncomplete)
		if note != test.note {
			t.Errorf("the note of %d tasks is %q, want %q", test.openTasks, note, test.note)
		}
		if got := countBadge(test.openTasks, note, test.keyRequests); got != test.want {
			t.Errorf("the badge of %d tasks is %+v, want %+v", test.openTasks, got, test.want)
		}
	}
}

func TestFileNamesSuggestTheKindOfFile(t *testing.T) {
	kinds := []api.Deliverable{"jpg", "_2dMap", "digitalSurfaceModel", "LiDAR", "raw"}
	for name, want := range map[string]api.Deliverable{
		"DJI_0001.JPG": "jpg", "ortho.tif": "_2dMap", "site_DSM.tif": "digitalSurfaceModel", "cloud.laz": "LiDAR", "DJI_0002.dng": "raw",
		"thermal.tif": "_2dMap", "report.pdf": "jpg", // products that were not ordered cannot be delivered
	} {
		if got := guessKind(name, kinds); got != want {
			t.Errorf("the guessed kind of %s is %s", name, got)
		}
	}
}

func TestThePriceFollowsTheSuggestionUntilItIsTyped(t *testing.T) {
	area := 184_200.0
	o := &ops.Order{
		Order:    api.Order{OrderCode: "ORD-7", Sensors: []api.Sensor{"rgbSensor"}},
		Account:  &ops.Account{Currency: "EUR"},
		Missions: []ops.Mission{{Mission: api.Mission{MissionType: api.MissionArea, AreaSize: &area}}},
	}
	d := newTestTools(t, "http://127.0.0.1:1")
	q := d.quoteForm(&orderItem{Order: o})
	q.OnChange(q.Form)
	usual := q.Form.Field("priceBeforeDiscount").Value()
	q.Form.Field("deliveryBy").Set("2")
	q.OnChange(q.Form)
	faster := q.Form.Field("priceBeforeDiscount").Value()
	if usual == "" || faster == usual {
		t.Errorf("in 14 days %s, in 2 days %s", usual, faster)
	}
	q.Form.Field("priceBeforeDiscount").Set("5,000")
	q.Form.Field("discountPercent").Set("10")
	q.Form.Field("deliveryBy").Set("20")
	q.OnChange(q.Form)
	if got := q.Form.Field("priceBeforeDiscount").Value(); got != "5,000" {
		t.Errorf("the typed price became %s", got)
	}
	if got := q.Form.Field("final").Note; !strings.HasPrefix(got, "4,500.00 EUR, suggested") {
		t.Errorf("the final price is %s", got)
	}
	for id, wrong := range map[string]string{
		"quoteName": "", "deliveryBy": "2.5", "priceBeforeDiscount": "much", "discountPercent": "120", "expiryDate": "2020-01-01",
	} {
		f := d.quoteForm(&orderItem{Order: o})
		f.OnChange(f.Form)
		f.Form.Field(id).Set(wrong)
		if f.Form.Validate() || f.Form.Field(id).Error == "" {
			t.Errorf("%s accepts %q", id, wrong)
		}
		for _, other := range f.Form.Fields {
			if other.ID != id && other.Kind != widget.NoteField && other.Error != "" {
				t.Errorf("%s %q is reported at %s: %s", id, wrong, other.ID, other.Error)
			}
		}
	}
}

// newTestTools returns the tools for a service from which nothing was loaded.
func newTestTools(t *testing.T, service string) *paneTools {
	t.Helper()
	client, err := api.NewClient(service, api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	opsClient, err := ops.NewClient(service, "fd_ops_test")
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return noon }
	known := cache.New(client, now)
	known.AddOperations(opsClient)
	env := &page.Env{Clock: page.AppClock{Now: now}, Profile: page.ProfileService{Cache: known}}
	return newTools(env)
}
