package neworder_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestAnOrderIsPlacedAgain(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.ToReview("elbe")
	d.Press("S", "enter")
	first := d.NewestOrder()
	d.RequireText("Orders › " + first.OrderCode)
	d.Press("a")
	d.RequireText("[2 Sites]", first.OrderCode+" again", "4 sites, 4 included", "Levee km 3", "Access road", "Pump station")
	d.Press("]")
	d.RequireText("[3 Details]", "elbe levee", "in 2 weeks", "in 28 days", "Asset type   Water")
	d.Press("ctrl+s")
	d.RequireText("[4 Review]", "✓ Ready to place")
	d.Press("S", "enter")
	second := d.NewestOrder()
	if second.OrderCode == first.OrderCode || second.IndustryAssetType != first.IndustryAssetType || len(second.Missions) != 4 {
		t.Fatalf("the order placed again is %+v", second)
	}
	for i := range second.Missions {
		a, b := first.Missions[i], second.Missions[i]
		if a.MissionName != b.MissionName || a.MissionType != b.MissionType || a.Country != b.Country || *a.AreaSize != *b.AreaSize ||
			len(a.LocationMap) != len(b.LocationMap) || a.LocationMap[0] != b.LocationMap[0] || a.LocationLabel != b.LocationLabel {
			t.Errorf("mission %d is %+v, and was %+v", i, b, a)
		}
	}
}

func TestOrderingAgainSetsTheDraftAside(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.Open(t, 120, 36, keep)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "e", "ctrl+u")
	d.Type("Kept for later")
	d.Press("enter", "esc", "j", "a")
	d.RequireText("[2 Sites]", "again")
	d.SeesNot("Kept for later")
	d.Press("ctrl+l")
	d.RequireText("Other drafts", "elbe_levee.kml", "5 sites")
	d.Press("enter")
	d.RequireText("Kept for later", "5 sites, 4 included")
	d.Press("ctrl+l")
	d.RequireText("1 site,")
	d.Press("delete")
	d.RequireText("No other drafts. Press n to start a new one")
	d.Press("esc", "u", "ctrl+l")
	d.RequireText("1 site,")
	d.Press("n")
	d.RequireText("[1 Files]")
	d.Press("ctrl+l")
	d.RequireText("elbe_levee.kml", "1 site,")
	d.Press("esc")
	d.Close()

	next := apptest.Open(t, 120, 36, keep) // both drafts survive the restart
	next.Press("1")
	next.Press("G") // the drafts come last
	next.RequireText("elbe_levee.kml", "5 sites, saved", "1 site, saved")
	next.Press("2", "n")
	next.RequireText("2 other drafts · ctrl+l to open")
	next.Press("1", "esc", "1", "G", "k", "enter") // opens one of them
	next.RequireText("[2 Sites]", "elbe_levee.kml", "5 sites, 4 included")
	next.SeesNot("known =")
	next.Press("ctrl+l", "n")
	next.RequireText("[1 Files]")
	next.Press("ctrl+l")
	next.RequireText("elbe_levee.kml", "5 sites", "1 site,")
	if left, err := filepath.Glob(filepath.Join(drafts, "*.json")); err != nil || len(left) != 3 {
		t.Errorf("on disk are %v, %v", left, err)
	}
}

func TestADraftOnDiskIsSetAsideWithoutReadingIt(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.Open(t, 120, 36, keep)
	d.Press("n")
	d.Type("masts")
	d.Press("enter")
	d.Close()
	next := apptest.Open(t, 120, 36, keep)
	next.Press("a") // the draft was not read in this run
	next.RequireText("[2 Sites]", "again")
	next.Press("ctrl+l")
	next.RequireText("masts", "3 sites")
}

func TestAnOrderIsRepeatedAsFarAsPossible(t *testing.T) {
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "ORD-7") {
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"orderCode":"ORD-7","orderName":"Old","sensors":["sonar","rgbSensor"],"missions":[
				{"missionCode":"MSN-1","missionName":"Nowhere","missionType":"area"},
				{"missionCode":"MSN-2","missionName":"Masts","missionType":"asset","country":"Germany","locationMap":[{"lat":48.4,"lng":11.7},{"lat":48.5,"lng":11.8}]},
				{"missionCode":"MSN-3","missionName":"Sphere","missionType":"orbit","country":"Germany","locationMap":[{"lat":48.4,"lng":11.7}]}]}}`)
			return
		}
		apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"u7","orderCode":"ORD-7","orderName":"Old"`))
	})
	d.Press("a")
	d.RequireText("3 sites, 2 included", "MSN-1 has no usable coordinates", "Masts", "Sphere       Asset")
	d.Press("]", "shift+tab", "shift+tab", "shift+tab")
	d.RequireText("✓ RGB camera", "Old")
	failing := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "ORD-7") {
			apptest.WriteAnswer(w, 404, `{"success":false,"message":"no such order","data":{"code":"not_found"}}`)
			return
		}
		apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"u7","orderCode":"ORD-7","orderName":"Old"`))
	})
	failing.Press("a")
	failing.RequireText("Order again:", "▸ ORD-7")
}
