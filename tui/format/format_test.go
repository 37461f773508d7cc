package format_test

import (
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/format"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{format.Units{}.Area(0), "0 m²"},
		{format.Units{}.Area(9999.4), "9,999 m²"},
		{format.Units{}.Area(9999.6), "1.0 ha"},
		{format.Units{}.Area(1_842_000), "184.2 ha"},
		{format.Units{}.Area(2.5e9), "2,500.00 km²"},
		{format.Units{}.Area(-1), "–"},
		{format.Length(0), "0 m"},
		{format.Length(999.4), "999 m"},
		{format.Length(1840), "1.84 km"},
		{format.Length(1_234_567), "1,234.57 km"},
		{format.Bytes(999), "999 B"},
		{format.Bytes(12_400), "12.4 kB"},
		{format.Bytes(999_990), "1.0 MB"},
		{format.Bytes(6_100_000_000), "6.1 GB"},
		{format.GroupDigits(-1234.5, 1), "−1,234.5"},
		{format.GroupDigits(-0.01, 1), "0.0"},
		{format.Count(1, "mission", "missions"), "1 mission"},
		{format.Count(1204, "mission", "missions"), "1,204 missions"},
		{format.Coordinate(53.60118, -9.48207), "53.6012 N 9.4821 W"},
		{format.Coordinate(-33.9, 151.2), "33.9000 S 151.2000 E"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestTimes(t *testing.T) {
	zone := time.FixedZone("", 3600)
	now := time.Date(2026, 11, 24, 9, 42, 0, 0, zone)
	for _, c := range []struct{ got, want string }{
		{format.Age(now.Add(-4*time.Second), now), "now"},
		{format.Age(now.Add(-30*time.Second), now), "<1 m"},
		{format.Age(now.Add(-12*time.Minute), now), "12 m"},
		{format.Age(now.Add(-3*time.Hour), now), "3 h"},
		{format.Age(now.Add(-49*time.Hour), now), "2 d"},
		{format.Age(now.AddDate(0, 0, -22), now), "2 Nov"},
		{format.Age(now.AddDate(-1, 0, 0), now), "24 Nov 2025"},
		{format.Age(time.Time{}, now), "–"},
		{format.Ago(now, now), "just now"},
		{format.Ago(now.Add(-30*time.Second), now), "<1 m ago"},
		{format.Ago(now.Add(-12*time.Minute), now), "12 m ago"},
		{format.Ago(now.AddDate(0, 0, -22), now), "on 2 Nov"},
		{format.Day(time.Date(2026, 12, 8, 23, 30, 0, 0, time.UTC), now), "9 Dec"},
		{format.Day(now.AddDate(0, 0, 14), now), "8 Dec"},
		{format.Day(now.AddDate(0, 6, 0), now), "24 May 2027"},
		{format.Day(time.Time{}, now), "–"},
		{format.ExactDate(api.DayAt(now), now), "Tue 24 Nov 2026"},
		{format.ExactDate(api.DayAt(now.UTC()), now), "Tue 24 Nov 2026, UTC+00:00"},
		{format.ExactDate(api.TimeAt(now), now), "Tue 24 Nov 2026 09:42"},
		{format.ExactDate(api.TimeAt(now.UTC()), now), "Tue 24 Nov 2026 08:42 +00:00"},
		{format.ExactDate(api.DayOrTime{}, now), "–"},
		{format.Date(time.Date(2026, 12, 8, 0, 0, 0, 0, zone), now), "Tue 8 Dec 2026"},
		{format.TimeUntil(now.AddDate(0, 0, 15), now), "in 15 d"},
		{format.TimeUntil(now.Add(3*time.Hour), now), "today"},
		{format.TimeUntil(now.AddDate(0, 0, -3), now), "3 d ago"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestPlurals(t *testing.T) {
	for one, want := range map[string]string{
		"site": "sites", "key": "keys", "entry": "entries", "callback or notice": "callbacks or notices", "day": "days",
		"match": "matches", "address": "addresses",
	} {
		if got := format.Plural(one); got != want {
			t.Errorf("the plural of %s is %s, want %s", one, got, want)
		}
	}
}

func TestAreasInAChosenUnit(t *testing.T) {
	for _, c := range []struct {
		unit format.AreaUnit
		m2   float64
		want string
	}{
		{format.Hectares, 500, "0.0500 ha"},
		{format.Hectares, 1_842_000, "184.2 ha"},
		{format.Hectares, 2.5e9, "250,000.0 ha"},
		{format.Hectares, 0, "0.0 ha"},
		{format.Km2, 1_842_000, "1.84 km²"},
		{format.Acres, 4046.8564224, "1.00 acres"},
		{format.Acres, 1_842_000, "455.2 acres"},
		{format.BySize, 1_842_000, "184.2 ha"},
		{format.Acres, -1, "–"},
	} {
		if got := (format.Units{Areas: c.unit}).Area(c.m2); got != c.want {
			t.Errorf("%v m² in %s: %s, not %s", c.m2, c.unit, got, c.want)
		}
	}
}

func TestMomentsByAnotherClock(t *testing.T) {
	site := format.Units{Times: format.SiteClock}
	now := time.Date(2026, 12, 31, 20, 0, 0, 0, time.UTC)
	at := now.Add(3 * time.Hour)
	for _, c := range []struct {
		zone *time.Location
		want string
	}{
		{nil, "Thu 31 Dec 23:00"},
		{time.UTC, "Thu 31 Dec 23:00 UTC"},
		{time.FixedZone("EAT", 3*3600), "Fri 1 Jan 2027 02:00 EAT"},
		{time.FixedZone("", 3600), "Fri 1 Jan 2027 00:00 +0100"},
	} {
		if got := site.MomentAt(at, now, c.zone); got != c.want {
			t.Errorf("in %v: %s, not %s", c.zone, got, c.want)
		}
	}
	if got := site.MomentAt(time.Time{}, now, time.UTC); got != format.None {
		t.Errorf("no time is %s", got)
	}
}
