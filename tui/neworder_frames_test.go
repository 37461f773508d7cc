package tui_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestFramesOfTheNewOrder(t *testing.T) {
	d := open(t, 100, 30)
	d.Press("n", "ctrl+n")
	d.Type(`47°22'36.8"N 8°32'30.1"E`)
	d.frames(t, "by-hand")
	d.Press("esc")
	d.Type("elbe")
	d.Press("enter", "V", "V")
	d.frames(t, "marked")
	d.Press("esc", "m")
	d.frames(t, "cross")
	d.Press("esc", "p", "s")
	d.Type("Levees")
	d.Press("enter", "p")
	d.frames(t, "templates")
	d.Press("esc", "]", "tab", "tab", "tab", "tab", "tab")
	d.Type("wat")
	d.Press("ctrl+s", "tab")
	d.curlFrames(t)
	d.Press("tab")
	d.frames(t, "map")
	d.Press("S", "enter")
	d.Advance(time.Minute)
	d.Press("esc", "n")
	d.Type("elbe")
	d.Press("enter")
	d.frames(t, "known")
	d.write("big.kml", bigKML(1200))
	d.Press("ctrl+l", "n")
	d.Type("big")
	d.Press("enter", "]", "tab", "tab", "tab", "tab", "tab")
	d.Type("tele")
	d.frames(t, "split-form")
	d.Press("ctrl+s")
	d.frames(t, "split-review")
	d.Press("S", "enter")
	d.frames(t, "split-placed")
}

// curlFrames shows the command that changes with the service's port and the
// key of the attempt only by its first line.
func (d *desk) curlFrames(t *testing.T) {
	t.Helper()
	for _, size := range sizes {
		d.Resize(size[0], size[1])
		if size[1] >= 40 {
			d.Sees("[curl]", "curl -X POST http", "Content-Type: application/json", "--data-raw")
		}
	}
	d.Resize(100, 30)
}

func TestFramesOfAnOrderPlacedInPart(t *testing.T) {
	posts := 0
	d := against(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/orders") {
			if posts++; posts > 1 {
				answer(w, 400, `{"success":false,"message":"the account is full","data":{"code":"conflict"}}`)
				return
			}
			answer(w, 201, fmt.Sprintf(`{"success":true,"message":"","data":{"uuid":"u%d","orderCode":"ORD-%d"}}`, posts, posts))
			return
		}
		answer(w, 200, orders())
	})
	d.write("big.kml", bigKML(2100))
	d.toReview("big")
	d.Press("S", "enter")
	d.frames(t, "part")
	d.Press("[", "ctrl+b")
	d.frames(t, "part-missions")
}

func TestAKMLOfFortySitesIsAnOrderInAFewKeys(t *testing.T) {
	d := open(t, 120, 36)
	d.write("forty.kml", areasKML(40, 12))
	keys := 0
	press := func(names ...string) {
		keys += len(names)
		d.Press(names...)
	}
	press("n")
	d.Paste(d.opts.Folder + "/forty.kml")
	press("enter")
	d.Sees("40 found, 40 in")
	press("]", "shift+tab", "shift+tab", "shift+tab", "a", "g", "ctrl+s", "S", "enter")
	o := d.newest()
	if len(o.Missions) != 40 || o.OrderName != "forty" || o.IndustryAssetType != "agriculture" || len(o.Missions[39].LocationMap) != 12 {
		t.Errorf("%s of %d missions, %s", o.OrderName, len(o.Missions), o.IndustryAssetType)
	}
	if keys > 15 {
		t.Errorf("it took %d keys", keys)
	}
}
