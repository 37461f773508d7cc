package neworder_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

func TestFramesOfTheNewOrder(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("n", "ctrl+n")
	d.Type(`47°22'36.8"N 8°32'30.1"E`)
	d.CompareFrames(t, "by-hand")
	d.Press("esc")
	d.Type("elbe")
	d.Press("enter", "shift+down", "shift+down")
	d.CompareFrames(t, "marked")
	d.Press("esc", "m")
	d.CompareFrames(t, "cross")
	d.Press("esc", "p", "s")
	d.Type("Levees")
	d.Press("enter", "p")
	d.CompareFrames(t, "templates")
	d.Press("esc", "]")
	d.Type("wat")
	d.Press("ctrl+s")
	d.CompareFrames(t, "map")
	d.Press("tab", "tab")
	curlFrames(d, t)
	d.Press("S", "enter")
	d.Advance(time.Minute)
	d.Press("esc", "n")
	d.Type("elbe")
	d.Press("enter")
	d.CompareFrames(t, "known")
	d.WriteFile("big.kml", bigKML(1200))
	d.Press("ctrl+l", "n")
	d.Type("big")
	d.Press("enter", "]")
	d.Type("tele")
	d.CompareFrames(t, "split-form")
	d.Press("ctrl+s")
	d.CompareFrames(t, "split-review")
	d.Press("S", "enter")
	d.CompareFrames(t, "split-placed")
}

// curlFrames checks parts of the curl command at each size. It cannot compare frames, because the
// port of the service and the idempotency key in the command differ in each run.
func curlFrames(d *apptest.Session, t *testing.T) {
	t.Helper()
	for _, size := range tuitest.Sizes {
		d.Resize(size.W, size.H)
		if size.H >= 40 {
			d.RequireText("[curl]", "curl -X POST http", "Content-Type: application/json", "--data-raw")
		}
	}
	d.Resize(100, 30)
}

func TestFramesOfAnOrderPlacedInPart(t *testing.T) {
	posts := 0
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/orders") {
			if posts++; posts > 1 {
				apptest.WriteAnswer(w, 400, `{"success":false,"message":"the account is full","data":{"code":"conflict"}}`)
				return
			}
			apptest.WriteAnswer(w, 201, fmt.Sprintf(`{"success":true,"message":"","data":{"uuid":"u%d","orderCode":"ORD-%d"}}`, posts, posts))
			return
		}
		apptest.WriteAnswer(w, 200, apptest.OrderList())
	})
	d.WriteFile("big.kml", bigKML(2100))
	d.ToReview("big")
	d.Press("S", "enter")
	d.CompareFrames(t, "part")
	d.Press("[", "ctrl+b")
	d.CompareFrames(t, "part-missions")
}

func TestAKMLOfFortySitesIsAnOrderInAFewKeys(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("forty.kml", areasKML(40, 12))
	keys := 0
	press := func(names ...string) {
		keys += len(names)
		d.Press(names...)
	}
	press("n")
	d.Paste(d.Options.Folder + "/forty.kml")
	press("enter")
	d.RequireText("40 sites, 40 included")
	press("]", "a", "g", "ctrl+s", "S", "enter")
	o := d.NewestOrder()
	if len(o.Missions) != 40 || o.OrderName != "forty" || o.IndustryAssetType != "agriculture" || len(o.Missions[39].LocationMap) != 12 {
		t.Errorf("%s of %d missions, %s", o.OrderName, len(o.Missions), o.IndustryAssetType)
	}
	if keys > 15 {
		t.Errorf("it took %d keys", keys)
	}
}

func TestFramesOfTheSteps(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("n")
	d.CompareMainFrames(t, "new-sites")
	d.Type("elbe")
	d.Press("enter")
	d.CompareFrames(t, "new-missions")
	d.Press("e")
	d.CompareFrames(t, "new-edit")
	d.Press("esc", "]", "shift+tab", "shift+tab", "shift+tab")
	d.CompareMainFrames(t, "new-order")
	d.Press("tab", "tab", "tab")
	d.Type("water")
	d.Press("ctrl+s")
	d.CompareMainFrames(t, "new-review")
	d.Press("S")
	d.CompareFrames(t, "new-question")
	d.Press("enter")
	d.CompareFrames(t, "placed")
}
