package ordering

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
)

// otherRequest returns a request with the name of req and other sites.
func otherRequest(req *api.CreateOrderRequest) *api.CreateOrderRequest {
	other := *req
	other.Missions = nil
	for i := range 3 {
		m := req.Missions[0]
		m.MissionName = fmt.Sprint("Other ", i)
		m.LocationMap = []api.Point{{Lat: 51 + float64(i), Lng: 7}}
		other.Missions = append(other.Missions, m)
	}
	return &other
}

// countOf returns how many orders of the service have the sites of a request.
func (s *orderDesk) countOf(req *api.CreateOrderRequest) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.orders {
		if hasSites(&s.orders[i], req) {
			n++
		}
	}
	return n
}

func hasSites(o *api.Order, req *api.CreateOrderRequest) bool {
	return slices.EqualFunc(o.Missions, req.Missions, func(m api.Mission, in api.MissionInput) bool {
		return m.MissionName == in.MissionName && slices.Equal(m.LocationMap, in.LocationMap)
	})
}

// placeState is the state that an earlier run left: its entry in the log of changes, and its order on the
// service.
type placeState struct{ changeLog, service string }

// runEarlier brings the log of changes and the service into the state.
func (c placeState) runEarlier(t *testing.T, desk *orderDesk, p *Placer, req *api.CreateOrderRequest, key string) {
	t.Helper()
	if c.changeLog == "none" {
		if c.service == "another" {
			desk.orders = []api.Order{orderOf(*otherRequest(req), "ORD-90")}
		}
		return
	}
	sent := req
	if strings.HasSuffix(c.changeLog, "other") {
		sent = otherRequest(req)
	}
	desk.queued = strings.HasPrefix(c.changeLog, "open")
	_, err := p.PlaceOnce(t.Context(), sent, PlaceOptions{Key: key})
	if _, open := errors.AsType[*changes.UnconfirmedError](err); open != desk.queued {
		t.Fatalf("the earlier run: %v", err)
	}
	desk.queued = false
	switch c.service {
	case "has it":
		desk.deliver()
	case "another":
		desk.late, desk.orders = nil, []api.Order{orderOf(*otherRequest(otherRequest(req)), "ORD-90")}
		desk.orders[0].Missions = desk.orders[0].Missions[:2]
	case "none":
		desk.late, desk.orders = nil, nil
	}
}

func TestAnOrderThatWasNotSentIsNeverReportedAsPlaced(t *testing.T) {
	ledgers := []string{"none", "open same", "open other", "confirmed same", "confirmed other"}
	services := []string{"has it", "another", "none", "late"}
	for _, changeLog := range ledgers {
		for _, service := range services {
			for name, o := range map[string]PlaceOptions{"plain": {}, "again": {Again: true}, "key": {Key: "k"}} {
				for _, firstKey := range []string{"", "k"} {
					c := placeState{changeLog, service}
					t.Run(fmt.Sprint(changeLog, ", ", service, ", ", name, ", first key ", firstKey), func(t *testing.T) {
						checkPlacing(t, c, o, firstKey)
					})
				}
			}
		}
	}
}

func checkPlacing(t *testing.T, c placeState, o PlaceOptions, firstKey string) {
	desk, p, req := newPlacer(t)
	c.runEarlier(t, desk, p, req, firstKey)
	before, posts := desk.countOf(req), len(desk.keys)
	placed, err := p.PlaceOnce(t.Context(), req, o)
	_, isOpen := errors.AsType[*changes.UnconfirmedError](err)
	used, isUsed := errors.AsType[*KeyUsedError](err)
	alike, isAlike := errors.AsType[*SimilarError](err)
	if placed != nil {
		at := slices.IndexFunc(desk.orders, func(s api.Order) bool { return s.OrderCode == placed.OrderCode })
		if at < 0 || !hasSites(&desk.orders[at], req) {
			t.Errorf("told as placed: %+v", placed.Order)
		}
		if placed.MissionCount() != len(req.Missions) || len(placed.Differences) > 0 {
			t.Errorf("told with %d missions, %q", placed.MissionCount(), placed.Differences)
		}
	}
	if (isAlike || isUsed) && len(desk.keys) != posts {
		t.Errorf("sent although %v", err)
	}
	if isOpen {
		t.Errorf("a service that answers leaves it open: %v", err)
	}
	isOther := c.changeLog == "open other"
	if isOther && o.Key == "" && !o.Again && placed != nil {
		t.Error("placed without a question although a different order is not confirmed")
	}
	said := ""
	switch {
	case isAlike:
		said = strings.Join(alike.Orders, "\n")
	case isUsed:
		said = used.Used
	case placed != nil:
		said = strings.Join(placed.Earlier, "\n")
	}
	if isOther && !strings.Contains(said, "; this request differs: sites 1, not 3") {
		t.Errorf("of the earlier order it says %q, %v", said, err)
	}
	if isOther && (c.service == "has it") != strings.Contains(said, "ORD-1 (3 missions), sent at ") {
		t.Errorf("of the earlier order it says %q", said)
	}
	if o.Key != "" && o.Key == firstKey && strings.HasSuffix(c.changeLog, "other") && !isUsed {
		t.Errorf("the key of another request is used: %+v, %v", placed, err)
	}
	desk.deliver()
	wanted := max(1, before)
	if isAgain := c.changeLog == "confirmed same" && (o.Again || o.Key != firstKey); isAgain {
		wanted = before + 1 // wanted again, or under another key
	}
	if n := desk.countOf(req); n > wanted || placed != nil && n == 0 {
		t.Errorf("the service has it %d times, not %d", n, wanted)
	}
}

// An unconfirmed order and a similar order with other sites, which is sent on purpose, are told
// apart when they arrive.
func TestALateOrderIsNotConfusedWithALaterOne(t *testing.T) {
	desk, p, req := newPlacer(t)
	desk.queued = true
	if _, err := p.PlaceOnce(t.Context(), req, PlaceOptions{}); err == nil {
		t.Fatal("confirmed without an answer")
	}
	desk.queued = false
	next := *req // its content is compared as equal, since sensors are not
	next.Order.Sensors = []api.Sensor{"thermalSensor"}
	placed, err := p.PlaceOnce(t.Context(), &next, PlaceOptions{Again: true})
	if err != nil || placed.OrderCode != "ORD-1" || !strings.Contains(placed.Earlier[0], "is not confirmed; this request differs: other details") {
		t.Fatalf("%+v, %v", placed, err)
	}
	first := p.Changes.OpenEntries(p.Account, p.Client.Host())
	if len(first) != 1 {
		t.Fatalf("open are %+v", first)
	}
	if found, err := p.FindOrder(t.Context(), &first[0]); err != nil || found != nil {
		t.Errorf("the order of the second request is taken for the first: %+v, %v", found, err)
	}
	desk.deliver()
	if found, err := p.FindOrder(t.Context(), &first[0]); err != nil || found.OrderCode != "ORD-2" {
		t.Errorf("the late order is %+v, %v", found, err)
	}
}

// If the service answers with an earlier order of the same key, nothing was placed.
func TestAnotherOrderWithTheSameKeyIsNotTheRequestedOrder(t *testing.T) {
	desk, p, req := newPlacer(t)
	if _, err := p.PlaceOnce(t.Context(), otherRequest(req), PlaceOptions{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	elsewhere := *p
	elsewhere.Changes = changes.OpenLog("") // another machine
	_, err := elsewhere.PlaceOnce(t.Context(), req, PlaceOptions{Key: "k"})
	if used, ok := errors.AsType[*KeyUsedError](err); !ok || !strings.Contains(used.Used, "answered with ORD-1, which has sites 3, not 1") || len(desk.orders) != 1 {
		t.Errorf("%v, %d orders", err, len(desk.orders))
	}
	if open := elsewhere.Changes.OpenEntries(p.Account, p.Client.Host()); len(open) != 0 {
		t.Errorf("it stays open: %+v", open)
	}
	again, err := elsewhere.PlaceOnce(t.Context(), otherRequest(req), PlaceOptions{Key: "k"})
	if err != nil || again.OrderCode != "ORD-1" || !again.Found || len(desk.orders) != 1 {
		t.Errorf("the same order elsewhere: %+v, %v", again, err)
	}
}

// manyParts returns the orders of a draft with more sites than an order can hold.
func manyParts(t *testing.T) []OrderPart {
	t.Helper()
	d := NewDraft()
	for i := range api.MaxMissions + 5 {
		addSite(d, fmt.Sprint("Mast ", i))
		d.Sites[i].MoveTo(orb.Point{float64(i) / 100, 48})
	}
	d.SuggestValues("C")
	parts := d.PrepareOrders(time.Now())
	if len(parts) != 2 {
		t.Fatalf("%d parts", len(parts))
	}
	return parts
}

func TestPlacedPartsAreNotPlacedAgain(t *testing.T) {
	desk, p, _ := newPlacer(t)
	parts := manyParts(t)
	place := func(i int, o PlaceOptions) {
		t.Helper()
		if _, err := p.PlaceOnce(t.Context(), &parts[i].Request, o); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string, want ...string) {
		t.Helper()
		placed, err := p.FindPlacedParts(t.Context(), parts)
		var got []string
		for _, o := range placed {
			code := ""
			if o != nil {
				code = o.OrderCode
			}
			got = append(got, code)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", when, got, err)
		}
	}
	check("nothing placed", "", "")
	place(0, PlaceOptions{})
	check("the first placed", "ORD-1", "")
	place(1, PlaceOptions{})
	check("both placed", "", "")
	place(0, PlaceOptions{Again: true})
	check("the first placed again", "ORD-3", "")
	desk.orders[0].Status = api.OrderCancelled
	check("cancelled since", "", "")
	desk.orders[2].Status = api.OrderCancelled
	check("the first cancelled twice", "", "ORD-2")
	desk.silent = true
	if _, err := p.FindPlacedParts(t.Context(), parts); !api.IsStatus(err, http.StatusInternalServerError) {
		t.Errorf("of a service that fails: %v", err)
	}
}
