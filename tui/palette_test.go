package tui_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestPaletteFindsOrdersAndMissions(t *testing.T) {
	views := filepath.Join(t.TempDir(), "views.json")
	d := apptest.Open(t, 100, 30, func(o *tui.Options) { o.Views = views })
	for code, title := range map[string]string{"MSN-300544": "MSN-300544", "ord-100219": "ORD-100219"} {
		d.Press("6", ":")
		d.Type(code)
		d.RequireText("2 of ", title, "Timeline of "+title)
		d.Press("enter")
		d.RequireText(title)
		d.SeesNot("enter run")
		d.Press("esc")
	}
	d.Press(":")
	d.Type("tarfaya")
	if n := strings.Count(d.Screen(), "● order"); n != 1 {
		t.Errorf("the order is offered %d times:\n%s", n, d.Screen())
	}
	d.Press("enter")
	d.Close()

	again := apptest.Open(t, 100, 30, func(o *tui.Options) { o.Views = views })
	again.Press(":")
	again.RequireText("▸ ORD-100219  Tarfaya")
}

func TestPaletteOpensTheMonth(t *testing.T) {
	d := apptest.Open(t, 120, 30, apptest.AtHome)
	d.Press(":")
	d.Type("month")
	d.RequireText("▸ Month", "Flights, deadlines and expiries by day")
	d.Press("enter")
	d.RequireText("[3 Missions]", "▲ deadline  ◆ expiry  ◎ flight", "8 missions without a date")
}

func TestPaletteListsHarmfulActionsLast(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("2", ":")
	d.Type("miss")
	d.RequireText("▸ Go to Missions")
	d.Press("ctrl+u")
	d.Type("quit")
	d.RequireText("▸ Quit              Quit flightdesk")
	d.Press("ctrl+u")
	d.Type("cancel")
	d.RequireText("▸ Cancel…           Cancel the order and its missions")
	d.Press("ctrl+u")
	d.Type("qqqq")
	d.RequireText("0 of", "No matches. ctrl+u clears the search")
}

func TestThePaletteSaysWhatItCannotFind(t *testing.T) {
	const olderOrders = `{"success":true,"message":"","data":{"data":[{"uuid":"o-1","orderCode":"ORD-7"}],"nextCursor":"c","hasNextPage":true}}`
	for _, c := range []struct {
		name  string
		serve http.HandlerFunc
		want  string
	}{
		{"everything is loaded", apptest.AnswerNothing, "No matches. ctrl+u clears the search"},
		{"orders could not be loaded", apptest.AnswerBroken, "No matches so far; orders not loaded"},
		{"older orders could not be loaded", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("cursor") != "" {
				apptest.AnswerBroken(w, r)
				return
			}
			apptest.WriteAnswer(w, http.StatusOK, olderOrders)
		}, "No matches so far; "},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := apptest.OpenAgainst(t, c.serve)
			d.Press(":")
			d.Type("qqqq")
			d.RequireText(c.want)
		})
	}
}

func TestAFailedMissionIsNotAnOlderOrder(t *testing.T) {
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if filepath.Base(r.URL.Path) == "orders" {
			apptest.WriteAnswer(w, http.StatusOK, apptest.OrderList(`"uuid":"o-1","orderCode":"ORD-7","status":"flyingDateSet"`))
			return
		}
		apptest.AnswerBroken(w, r)
	})
	d.Press(":")
	d.RequireText("missions of 1 order not loaded")
	d.SeesNot("older orders")
}

func TestPaletteFindsStatesDaysAndTimelines(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	for typed, want := range map[string]string{
		"bidding":                "▸ ORD-100",
		"biddingWithQuote":       "▸ ORD-100",
		"due:<today":             "▸ ORD-100",
		"timeline of msn-300544": "▸ Timeline of MSN-300544",
	} {
		d.Press(":")
		d.Type(typed)
		d.RequireText(want)
		d.Press("esc")
	}
	d.Press(":")
	d.Type("due:<2020-01-01")
	d.RequireText("No matches")
}

func TestThePaletteShowsCutTextsOfTheSelectedEntry(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("2", ":")
	d.Type("add account")
	d.RequireText("– this app was not started with a", "– this app was not started with a config.toml")
	d.Press("ctrl+u")
	d.Type("quit")
	if n := strings.Count(d.Screen(), "Quit flightdesk"); n != 1 {
		t.Errorf("a description that is not cut is shown %d times:\n%s", n, d.Screen())
	}
}

func TestThePaletteOpensTheDecisionLogFromAnyPage(t *testing.T) {
	d := apptest.Open(t, 100, 30, apptest.AtHome)
	d.Press(":")
	d.Type("log")
	d.RequireText("Decision log", "Show decisions made on this machine")
	d.Press("ctrl+u")
	d.Type("decision log")
	d.Press("enter")
	d.RequireText("Home › Decision log")
	d.Press("4", ":")
	d.Type("decision log")
	if n := strings.Count(d.Screen(), "Show decisions made"); n != 1 {
		t.Errorf("the log is offered %d times in Quotes:\n%s", n, d.Screen())
	}
}

func TestThePaletteShowsOrdersOfBothAPIsAsTheirLists(t *testing.T) {
	d := apptest.Open(t, 120, 30)
	d.Press("4", "2", ":")
	d.Type("fehmarn")
	d.RequireText("ORD-100200  Fehmarn", "◆ order", "Quotes of ORD-100200  Fehmarn", "◆ quotes")
	d.SeesNot("◇ order")
}
