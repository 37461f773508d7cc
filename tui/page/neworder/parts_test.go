package neworder_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"flightdesk/api"
	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestALargeFileBecomesSeveralOrders(t *testing.T) {
	d := apptest.Open(t, 140, 40)
	d.WriteFile("big.kml", bigKML(1200))
	d.Press("n")
	d.Type("big")
	d.Press("enter")
	d.RequireText("1,200 sites, 1,200 included", "Split into 2 orders of 1,000 and 200 missions")
	d.Press("]")
	d.RequireText("Split into 2 orders of 1,000 and 200 missions", "[3 Details]")
	d.Type("tele")
	d.Press("ctrl+s")
	d.Press("tab")
	d.RequireText("[4 Review]", "2 orders of 1,000 and 200 missions", "←/→ order 1 of 2", `"orderName": "big (1 of 2)"`)
	d.Press("right")
	d.RequireText("←/→ order 2 of 2", `"orderName": "big (2 of 2)"`, "Mast 01000")
	d.Press("S")
	d.RequireText("Place 2 orders", "Orders are placed one by one;")
	d.Press("enter")
	d.RequireText("2 orders placed", "big (1 of 2)", "1,000 missions", "big (2 of 2)", "200 missions")
	d.Press("esc")
	list, err := d.Client.Orders.List(t.Context(), api.ListOptions{Limit: 2})
	if err != nil || list.Items[0].OrderName != "big (2 of 2)" || *list.Items[0].MissionCount != 200 || *list.Items[1].MissionCount != 1000 {
		t.Fatalf("%+v, %v", list, err)
	}
	d.RequireText("Orders › " + list.Items[1].OrderCode)
	d.Press("esc", "n")
	d.RequireText("[1 Files]")
	d.SeesNot("1,200 included")
}

// partialService accepts some orders and fails for others.
type partialService struct {
	mu     sync.Mutex
	placed []string                       // names of the placed orders, oldest first
	keys   []string                       // idempotency keys of the requests
	sites  []string                       // missions of the placed orders, as JSON
	late   string                         // name of a placed order that is not listed yet
	fails  func(name string, try int) int // status of the response: 201 places the order, 0 places it without a response
	tries  map[string]int
}

func (s *partialService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	if _, err := fmt.Sscanf(r.URL.Path, "/orders/ORD-%d", &n); err == nil {
		apptest.WriteAnswer(w, 200, fmt.Sprintf(`{"success":true,"data":{"uuid":"u%d","orderCode":"ORD-%d","orderName":%q,"missions":%s}}`, n, n, s.placed[n], s.sites[n]))
		return
	}
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/orders") {
		var items []string
		for i, name := range s.placed {
			if name == s.late {
				continue
			}
			items = append([]string{fmt.Sprintf(`"uuid":"u%d","orderCode":"ORD-%d","orderName":%q,"createdAt":"2026-11-24T08:42:00Z"`, i, i, name)}, items...)
		}
		apptest.WriteAnswer(w, 200, apptest.OrderList(items...))
		return
	}
	data, _ := io.ReadAll(r.Body)
	var req api.CreateOrderRequest
	if err := json.Unmarshal(data, &req); err != nil {
		apptest.WriteAnswer(w, 400, `{}`)
		return
	}
	missions, _ := json.Marshal(req.Missions)
	name := req.Order.OrderName
	s.tries[name]++
	s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
	switch status := s.fails(name, s.tries[name]); status {
	case 0:
		s.placed, s.sites, s.late = append(s.placed, name), append(s.sites, string(missions)), name
		panic(http.ErrAbortHandler)
	case 201:
		s.placed, s.sites = append(s.placed, name), append(s.sites, string(missions))
		n := len(s.placed) - 1
		apptest.WriteAnswer(w, 201, fmt.Sprintf(`{"success":true,"message":"","data":{"uuid":"u%d","orderCode":"ORD-%d","orderName":%q}}`, n, n, name))
	default:
		apptest.WriteAnswer(w, status, `{"success":false,"message":"one value is not accepted","data":{"code":"validation_failed","errors":[{"field":"missions[1].locationLabel","message":"is not known"}]}}`)
	}
}

func TestPlacedOrdersOfASplitDraftAreNeverLost(t *testing.T) {
	drafts := t.TempDir()
	s := &partialService{tries: map[string]int{}, fails: func(name string, try int) int {
		switch {
		case strings.Contains(name, "(2 of 4)") && try == 1:
			return 400
		case strings.Contains(name, "(3 of 4)"):
			return 0
		}
		return 201
	}}
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.OpenAgainst(t, s.ServeHTTP, keep)
	d.Resize(120, 36)
	d.WriteFile("big.kml", bigKML(3500))
	d.ToReview("big")
	d.RequireText("Split into 4 orders of 1,000, 1,000, 1,000 and 500")
	d.Press("S", "enter")
	d.RequireText("● ORD-0  big (1 of 4), placed", "Mast 01001 locationLabel is not known", "4 orders of 1,000 placed, 1,000, 1,000")
	d.Press("enter")
	d.RequireText("[2 Sites]", "▸ ✓   Mast 01001")
	d.Press("e", "tab")
	d.Type("Yard")
	d.Press("enter", "g")
	d.RequireText("▸ ●   Mast 00000", "placed in ORD-0")
	d.Press("space")
	d.RequireText("include: already placed")
	d.Close()

	again := apptest.OpenAgainst(t, s.ServeHTTP, keep) // after a crash of the app
	again.Press("n")
	again.RequireText("2,500 in")
	again.Press("]", "ctrl+s", "S", "enter")
	again.RequireText("● ORD-1  big (2 of 4), placed", "The order may exist")
	s.mu.Lock()
	s.late = ""
	s.mu.Unlock()
	again.Press("r")
	again.RequireText("● ORD-2  big (3 of 4), placed", "Placed ORD-2, 3 of 4")
	again.Press("S", "enter")
	again.RequireText("4 orders placed", "ORD-0", "big (1 of 4)", "ORD-3", "big (4 of 4)", "500 missions")
	if got := strings.Join(s.placed, ", "); got != "big (1 of 4), big (2 of 4), big (3 of 4), big (4 of 4)" {
		t.Errorf("placed are %s", got)
	}
	seen := map[string]bool{}
	for _, k := range s.keys {
		seen[k] = true
	}
	if len(s.keys) != 5 || len(seen) != 5 {
		t.Errorf("the keys are %v, want another one each time", s.keys)
	}
}

func TestUndoOnTheReviewUpdatesTheRequest(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "delete", "]")
	d.Type("wat")
	d.Press("ctrl+s")
	d.RequireText("3 missions")
	d.SeesNot("Levee km 3")
	d.Press("u")
	d.RequireText("4 missions", "Levee km 3", "Undone: removed Levee km 3")
	d.Hold()
	d.Press("S", "enter", "ctrl+l")
	d.Release()
	d.RequireText("drafts: waiting for the service")
	if o := d.NewestOrder(); len(o.Missions) != 4 {
		t.Errorf("%d missions were placed", len(o.Missions))
	}
}

func TestTheRequestIsShownAsItIsSent(t *testing.T) {
	copied := ""
	d := apptest.Open(t, 120, 36, func(o *tui.Options) {
		o.Clipboard = func(text string) (string, error) { copied = text; return "", nil }
	})
	d.ToReview("elbe")
	d.RequireText("[Map] JSON  curl", "200 m", "Levee km 4")
	d.SeesNot("POST /orders")
	before := d.Screen()
	d.Press("m", "+", "+")
	if d.Screen() == before {
		t.Error("the map does not move")
	}
	d.Press("esc", "tab")
	d.RequireText("Map [JSON] curl", "POST /orders")
	d.Press("y")
	var req api.CreateOrderRequest
	if err := json.Unmarshal([]byte(copied), &req); err != nil || len(req.Missions) != 4 || len(req.Missions[0].LocationMap) != 4 {
		t.Errorf("copied is %q: %v", copied, err)
	}
	d.Press("tab")
	d.RequireText("[curl]", "curl -X POST http", "Authorization: Bearer $FLIGHTDESK_API_KEY", "Idempotency-Key: ", `"missionName":"Levee km 3"`)
	d.Press("y")
	if !strings.HasPrefix(copied, "curl -X POST "+d.Client.BaseURL()+"/orders") || !strings.Contains(copied, "--data-raw '{\"order\":{") {
		t.Errorf("copied is %q", copied)
	}
	d.Press("tab")
	d.RequireText("[Map]", "[4 Review]")
}
