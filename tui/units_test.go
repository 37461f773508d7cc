package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
	"flightdesk/tui/format"
)

func TestAreasUseTheChosenUnit(t *testing.T) {
	views := filepath.Join(t.TempDir(), "views.json")
	kept := func(o *tui.Options) { o.Views = views }
	d := apptest.Open(t, 140, 40, kept)
	d.RequireText("Area ha", "453.7")
	d.Press("U")
	d.RequireText("Areas in hectares", "Area ha", "453.7")
	d.Press("U")
	d.RequireText("Areas in km²", "Area km²", "4.54")
	d.Press("U", "/")
	d.Type("area:>1,000")
	d.Press("enter")
	d.RequireText("Area acres", "1,121.2", " acres") // the filter is in the unit of the column
	d.Press("E", "ctrl+u")
	d.Type("~/surveys/acres.csv")
	d.Press("enter")
	got, err := os.ReadFile(filepath.Join(d.Options.Folder, "acres.csv"))
	if err != nil || !strings.Contains(string(got), "Area (acres)") || !strings.Contains(string(got), ",1121.") {
		t.Errorf("%v:\n%s", err, got)
	}
	d.Press("esc", "4", "enter")
	d.RequireText("Price per acre", "1 mission · 2.79 acres")
	d.Close()

	next := apptest.Open(t, 140, 40, kept)
	next.RequireText("Area acres")
	other := apptest.Open(t, 140, 40, kept, func(o *tui.Options) { o.Units.Areas = format.Km2 })
	other.RequireText("Area km²") // the configuration has been changed since, and holds
}

func TestFlightsUseTheSitesTime(t *testing.T) {
	flight := `"status":"flightScheduled","operatorName":"AeroScan","flightDate":"2026-11-24T23:30:00+01:00"`
	parts := map[string]string{
		"planning":   `{"version":1,"schedulingStatus":"confirmed","flightDate":"2026-11-24T23:30:00+01:00","scheduledBy":"AeroScan","note":null,"createdAt":"2026-11-20T09:00:00+01:00"}`,
		"permission": `{"missionUid":"m-1","status":"granted","validFrom":"2026-11-24T22:00:00Z","validTo":"2026-11-30T00:00:00Z"}`,
	}
	in := func(country string) *apptest.Session {
		return apptest.OpenAgainst(
			t, apptest.ServeMission(`"country":"`+country+`",`+flight, parts),
			func(o *tui.Options) { o.Units.Times = format.SiteClock },
		)
	}
	d := in("Kenya")
	d.Press("3")
	d.RequireText("25 Nov")
	d.Press("v", "v")
	d.RequireText("Wed 25 Nov  ◎ 01:30  flight")
	d.Press("enter")
	d.RequireText(
		"Flight    Wed 25 Nov 01:30 EAT", "◎ Planning v1 confirmed  Wed 25 Nov 01:30 EAT",
		"valid 25 Nov to 30 Nov",
	)
	d.Press("T")
	d.RequireText("Flights in local time", "Flight    Tue 24 Nov 23:30", "valid 24 Nov to 30 Nov")
	d.SeesNot("EAT")
	d.Press("1")
	d.RequireText("today  23:30")
	d.Press("T")
	d.RequireText("Wed 25 Nov  01:30 EAT")

	unknown := in("United States") // has several zones
	unknown.Press("3", "enter")
	unknown.RequireText("Flight    Tue 24 Nov 22:30 UTC")
}
