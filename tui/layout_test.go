package tui_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/apptest"
)

// In every window size and after every key, each page fills its rectangle and does not panic.
func TestEveryPageFitsEverySize(t *testing.T) {
	odd := `Größe 東京タワー é́ שלום 👩‍🚀 ` + strings.Repeat("very long ", 30)
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		members := `"uuid":"u1","orderCode":"ORD-1","orderName":"` + odd + `","status":"completed","areaSize":1e12,"companyName":"` + odd + `"`
		switch {
		case strings.HasSuffix(r.URL.Path, "/ORD-1"):
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+members+`,"missions":[{"uuid":"m","missionName":"`+odd+
				`","status":"flightScheduled","locationMap":[{"lat":89.9,"lng":179.9},{"lat":-91,"lng":400},{"lat":0,"lng":-179}],"missionType":"area"}]}}`)
		case r.Method == http.MethodPost:
			apptest.WriteAnswer(
				w, 400,
				`{"success":false,"message":"`+odd+`","data":{"errors":[{"field":"missions[0].`+odd+`","message":"`+odd+`"},{"field":"order.orderName","message":"no"}]}}`,
			)
		default:
			apptest.WriteAnswer(w, 200, apptest.OrderList(members, `"uuid":"u2","orderCode":"ORD-2"`))
		}
	})
	d.WriteFile(
		"wide.csv",
		"name,lat,lng,country,city\n"+strings.ReplaceAll(odd, ",", "")+",48.1,11.5,"+odd+","+odd+"\n東,149.1,-35.3,,\n",
	)
	r := rand.New(rand.NewPCG(7, 8))
	all := apptest.AllKeys()
	for step := range 1500 {
		switch r.IntN(12) {
		case 0:
			d.Resize(r.IntN(160), r.IntN(50))
		case 1:
			d.Press("n")
			d.Paste(d.Options.Folder + "/wide.csv")
			d.Press("enter")
		default:
			d.Press(all[r.IntN(len(all))])
		}
		if c := d.App.Crashed(); c != nil {
			t.Fatalf("step %d: %v\n%s", step, c, c.Stack)
		}
		view := d.View()
		if view.Content == "" {
			continue
		}
		lines := strings.Split(view.Content, "\n")
		w := ansi.StringWidth(lines[0])
		for _, line := range lines {
			if ansi.StringWidth(line) != w {
				t.Fatalf("step %d: a line of %d cells among %d:\n%s", step, ansi.StringWidth(line), w, d.Screen())
			}
		}
		if c := view.Cursor; c != nil && (c.X < 0 || c.X >= max(1, w) || c.Y < 0 || c.Y >= len(lines)) {
			t.Fatalf("step %d: the cursor is at %d,%d of %dx%d:\n%s", step, c.X, c.Y, w, len(lines), d.Screen())
		}
	}
}

func TestTheCalendarExportNamesAllItsEvents(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("3", "W")
	d.RequireText("Export calendar", "2 cancelled flights")
}

// Every screen has as many lines as the window.
func TestEveryScreenFillsTheWindow(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	check := func() {
		t.Helper()
		for _, h := range []int{18, 19, 20, 21, 22, 23, 24, 26, 30, 35, 45} {
			for _, w := range []int{60, 61, 80, 99, 100, 119, 120, 140, 200} {
				d.Resize(w, h)
				lines := strings.Split(d.View().Content, "\n")
				if len(lines) != h || ansi.StringWidth(lines[0]) != w {
					t.Fatalf("%dx%d is drawn as %dx%d:\n%s", w, h, ansi.StringWidth(lines[0]), len(lines), d.Screen())
				}
			}
		}
	}
	check()
	d.Press("enter")
	check()
	d.Press("?")
	check()
	d.Press("esc", "esc")
	d.ToReview("elbe")
	check()
	d.Press("S")
	check()
	d.Press("esc", "[")
	check()
	d.Press("ctrl+b")
	check()
}
