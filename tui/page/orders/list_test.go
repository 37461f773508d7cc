package orders_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/apptest"
)

func TestThePaletteFindsActionsOrdersAndThemes(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press(":")
	d.RequireText("type an action, an order, a profile or a theme", "Create an order from survey files")
	d.Type("turkana")
	d.RequireText("2 of", "▸ ORD-100231  Lake Turkana", "Timeline of ORD-100231")
	d.Press("enter")
	d.RequireText("Orders › ORD-100231")

	d.Press("ctrl+p")
	d.Type("theme light")
	dark := d.View().Content
	d.Press("esc")
	if d.View().BackgroundColor == nil {
		t.Fatal("the dark theme has no page colour")
	}
	page := d.View().BackgroundColor
	d.Press(":")
	d.Type("theme light")
	if d.View().BackgroundColor == page {
		t.Error("the theme is not shown while it is marked")
	}
	d.Press("esc")
	if d.View().BackgroundColor != page {
		t.Error("leaving the palette keeps the theme that was only looked at")
	}
	d.Press(":")
	d.Type("theme light")
	d.Press("enter")
	if d.View().BackgroundColor == page || d.View().Content == dark {
		t.Error("the theme is not taken")
	}
	d.Press(":")
	d.RequireText("▸ theme: light") // what was run last comes first
	d.Type("zzzz")
	d.RequireText("0 of")
	d.Press("enter", "esc")

	d.Press("esc", "n")
	d.Type("elbe")
	d.Press("enter", ":")
	d.Type("apply suggested")
	d.RequireText("– no suggested fix for this site")
	d.Press("enter")
	d.RequireText("no suggested fix for this site")
}

func TestOrdersAreFilteredAndSorted(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("/")
	d.Type("status:comp")
	d.RequireText("/ status:comp", "4 of 17", "Tarfaya")
	d.SeesNot("Lake Turkana")
	if c := d.View().Cursor; c == nil || c.X != 14 || c.Y != 20 {
		t.Errorf("the cursor is at %+v", c)
	}
	d.Press("enter", "j", "enter")
	d.RequireText("Orders › ORD-100216")
	d.Press("esc")
	d.RequireText("4 of 17", "ORD-100216")
	d.Press("esc")
	d.RequireText("17 orders", "Lake Turkana", "▸ ORD-100216") // the selection stays with its order
	d.Press("/")
	d.Type("zzz")
	d.RequireText("No matching orders; esc clears the filter", "0 of 17")
	d.Press("enter", "enter")
	d.RequireText("open: no order selected")
	d.Press("esc", ">", ">", ">", ">", ">")
	d.RequireText("▴ Area ha")
	d.Press("R", "g")
	d.RequireText("▾ Area ha", "▸ ORD-100224")
}

func TestAFilterFindsWhatIsDeepInALongList(t *testing.T) {
	first := 150
	d := apptest.OpenAgainst(t, newer(&first))
	d.RequireText("150 orders", "▸ ORD-0150")
	d.Press("/")
	d.Type("code:0007")
	d.RequireText("1 of 150", "ORD-0007")
}

func TestTheMouseSelectsOpensAndZooms(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	click := func(x, y int) {
		d.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		d.Screen()
	}
	wheel := func(x, y int, b tea.MouseButton) { d.Send(tea.MouseWheelMsg{X: x, Y: y, Button: b}) }
	lines := strings.Split(d.Screen(), "\n")
	row := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "Lake Turkana") })
	click(20, row)
	d.RequireText("▸ ORD-100231")
	wheel(20, row, tea.MouseWheelDown)
	d.RequireText("▸ ORD-100224")
	click(20, row)
	click(20, row)
	d.RequireText("Orders › ORD-100231")
	lines = strings.Split(d.Screen(), "\n")
	click(10, slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "MSN-300539") }))
	d.RequireText("▸ MSN-300539")
	before := d.Screen()
	wheel(90, 15, tea.MouseWheelUp)
	if d.Screen() == before {
		t.Error("the wheel does not zoom the map")
	}
	d.Press("M")
	d.RequireText("Mouse off")
	if d.View().MouseMode != tea.MouseModeNone {
		t.Error("the mouse is still the app's")
	}

	d.Press("M", "esc", "n")
	d.Screen()
	click(5, 9) // harbour.kml
	d.RequireText("▸ harbour.kml")
	click(5, 9)
	click(5, 9)
	d.RequireText("[2 Sites]", "North terminal")
	click(5, 7)
	d.RequireText("▸ ✓   South terminal")
	click(5, 7)
	d.RequireText("4 sites, 3 included")
}

func TestAListThatFailsIsNotAskedAgainByItself(t *testing.T) {
	asked := 0
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/orders") || r.URL.Query().Get("limit") == "1" { // or it asks what the key may do
			apptest.AnswerNothing(w, r)
			return
		}
		asked++
		if r.URL.Query().Get("cursor") != "" {
			apptest.WriteAnswer(w, 400, `{"success":false,"message":"a damaged cursor","data":{"code":"validation_failed"}}`)
			return
		}
		apptest.WriteAnswer(w, 200, strings.Replace(apptest.OrderList(`"uuid":"a","orderCode":"ORD-2"`, `"uuid":"b","orderCode":"ORD-1"`), `"nextCursor":null,"hasNextPage":false`, `"nextCursor":"x","hasNextPage":true`, 1))
	})
	d.RequireText("2 orders loaded, more below", "A damaged cursor", "ORD-2")
	if asked != 2 {
		t.Errorf("%d requests, want 2", asked)
	}
}

func TestWhatIsGoneFromTheServiceLeavesTheList(t *testing.T) {
	all := []string{`"uuid":"a","orderCode":"ORD-3"`, `"uuid":"b","orderCode":"ORD-2"`, `"uuid":"c","orderCode":"ORD-1"`}
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, _ *http.Request) {
		apptest.WriteAnswer(w, 200, apptest.OrderList(slices.Clone(all)...))
	})
	d.RequireText("ORD-3")
	all = all[1:]
	d.Press("r")
	d.RequireText("2 orders", "ORD-2", "ORD-1")
	d.SeesNot("ORD-3")
}

func TestThemesStayOffWithoutColour(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	d := apptest.OpenAgainst(t, apptest.AnswerNothing)
	d.Press(":")
	d.Type("theme")
	d.SeesNot("theme: light")
	if d.View().BackgroundColor != nil {
		t.Error("the terminal's background is changed")
	}
}

func TestQuotesHaveAPaneInAWideWindow(t *testing.T) {
	d := apptest.Open(t, 159, 40)
	d.Press("j")
	d.Advance(time.Second)
	d.SeesNot("4 quotes to decide")
	d.Resize(160, 40)
	d.Advance(time.Second)
	d.RequireText("Quotes", "4 quotes to decide", "Economy", "1,388.43 EUR", "cheapest", "c compare and decide")
	d.Press("j")
	d.Advance(time.Second)
	d.RequireText("▸ ORD-100239", "18 days · Accepted", "9 days · Rejected")
	d.SeesNot("4 quotes to decide")

	without := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/orders") {
			apptest.WriteAnswer(w, 404, `{"success":false,"message":"no such address"}`)
			return
		}
		apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"a","orderCode":"ORD-1","orderName":"Levee"`))
	})
	without.Resize(200, 40)
	without.Advance(time.Second)
	without.RequireText("▸ ORD-1")
	without.SeesNot("Loading quotes", "No quotes yet")
}

func TestADetailThatCannotBeReadSaysSo(t *testing.T) {
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/ORD-1") {
			apptest.WriteAnswer(w, 403, `{"success":false,"message":"not this one","data":{"code":"not_your_resource"}}`)
			return
		}
		if !strings.HasSuffix(r.URL.Path, "/orders") {
			apptest.AnswerNothing(w, r)
			return
		}
		apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"a","orderCode":"ORD-1","orderName":"Levee"`))
	})
	d.Resize(140, 40)
	d.Advance(time.Second)
	d.RequireText("▸ ORD-1", "Not in this account: not this one")
}

func TestAWideWindowShowsTheMapInTheThirdPane(t *testing.T) {
	d := apptest.Open(t, 200, 60)
	d.Press("2")
	d.RequireText("▸ ORD-100249", "├──")
	d.SeesNot("No quotes yet.")
	d.Press("/")
	d.Type("Holtriem")
	d.Press("enter")
	d.RequireText("▸ ORD-100202", "├──")
}

func TestTheMissionsOfAnOrderAreFiltered(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}} {
		d := apptest.Open(t, size[0], size[1])
		d.Press("2", "/")
		d.Type("Turkana")
		d.Press("enter", "enter")
		d.RequireText("› ORD-100231", "Block A", "Block B")
		d.Press("/")
		d.Type("name:\"block b\"")
		d.RequireText("/ name:\"block b\"", "1 of 2", "▸ MSN-300539")
		d.SeesNot("MSN-300538")
		d.Press("enter", "enter")
		d.RequireText("› MSN-300539", "Block B", "Flight ")
		d.Press("esc", "esc")
		d.RequireText("› ORD-100231", "MSN-300538", "MSN-300539")
		d.SeesNot("/ name:")
	}
}

func TestTheFooterOfOrdersOffersTheFilter(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 35}} {
		d := apptest.Open(t, size[0], size[1])
		d.Press("2")
		d.RequireText("\n enter open  n new order  / filter")
	}
}

func TestAFieldOfAnOrderIsNotCutBesideFreeSpace(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	openRow(d, "2", "ORD-100249")
	d.RequireText("Survey    Asset inspection · Wind turbines")
}
