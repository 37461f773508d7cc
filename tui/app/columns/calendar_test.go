package columns

import (
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func on(day, hour int) api.Time {
	return api.TimeOf(time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC))
}

func TestACalendarEscapesFoldsAndKeepsIdentities(t *testing.T) {
	order := &api.Order{UUID: "o-1", OrderCode: "ORD-1", OrderName: "Levee; \u202enorth, 2\u009b\r\nBEGIN:VEVENT", Status: api.OrderFlyingDateSet, Deadline: on(30, 0)}
	long := strings.Repeat("Küste ", 20)
	missions := []*cache.Mission{
		{Mission: api.Mission{UUID: "m-1", MissionName: long, MissionCode: "MSN-1", FlightDate: on(26, 8), Country: "Germany"}, Order: order, Centre: &api.Point{Lat: 53.5, Lng: 9}},
		{Mission: api.Mission{UUID: "m-2", MissionName: "No date"}, Order: order},
	}
	var b strings.Builder
	if err := WriteCalendar(&b, missions, noon, "desk.example", format.Units{}); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, line := range strings.Split(strings.TrimSuffix(got, "\r\n"), "\r\n") {
		if len(line) > 75 || strings.ContainsAny(line, "\r\n") {
			t.Errorf("a line of %d bytes: %q", len(line), line)
		}
	}
	whole := strings.ReplaceAll(got, "\r\n ", "")
	for _, want := range []string{
		"UID:flight-m-1@desk.example", "DTSTART:20261126T080000Z", "GEO:53.500000;9.000000", "SUMMARY:Flight: " + long,
		"UID:deadline-o-1@desk.example", "DTSTART;VALUE=DATE:20261130", `SUMMARY:Due: ORD-1 Levee\; north\, 2\nBEGIN:VEVENT`,
	} {
		if !strings.Contains(whole, want) {
			t.Errorf("no %q in\n%s", want, whole)
		}
	}
	if n := strings.Count(got, "\r\nBEGIN:VEVENT"); n != 2 || strings.Contains(whole, "m-2") {
		t.Errorf("%d events:\n%s", n, got)
	}
}
