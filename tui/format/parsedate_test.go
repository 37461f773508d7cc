package format_test

import (
	"testing"
	"time"

	"flightdesk/tui/format"
)

var now = time.Date(2026, 11, 24, 9, 42, 0, 0, time.FixedZone("CET", 3600)) // a Tuesday

func TestDatesAreReadAsPeopleTypeThem(t *testing.T) {
	for typed, want := range map[string]string{
		"2026-12-01": "2026-12-01", "1.12.2026": "2026-12-01", "1 Dec 2026": "2026-12-01", "1 december 2026": "2026-12-01",
		"1 Dec": "2026-12-01", "1 Mar": "2027-03-01", "24 Nov": "2026-11-24", "Dec 1": "2026-12-01",
		"today": "2026-11-24", " Tomorrow ": "2026-11-25",
		"in 3 weeks": "2026-12-15", "in 1 day": "2026-11-25", "in a month": "2026-12-24", "+10d": "2026-12-04", "in 2 y": "2028-11-24",
		"friday": "2026-11-27", "next tue": "2026-12-01", "mon": "2026-11-30",
	} {
		got, err := format.ParseDate(typed, now)
		if err != nil || got.Format(time.DateOnly) != want {
			t.Errorf("%q is %s, %v; want %s", typed, got, err, want)
		} else if got.Hour() != 0 || got.Location() != now.Location() {
			t.Errorf("%q is %s, want midnight in the user's zone", typed, got)
		}
	}
	for _, typed := range []string{"", "soon", "32 Dec", "2026-13-01", "in weeks", "in 3", "in 99999999999999999999 days", "xy", "in 3 apples", "30 Feb"} {
		if got, err := format.ParseDate(typed, now); err == nil {
			t.Errorf("%q is read as %s", typed, got)
		}
	}
}

func FuzzParseDate(f *testing.F) {
	for _, seed := range []string{"2026-12-01", "in 3 weeks", "next fri", "1 Dec", "+2m", "in a day"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		at, err := format.ParseDate(typed, now)
		if err == nil && (at.Hour() != 0 || at.Location() != now.Location()) {
			t.Errorf("%q is %s, want midnight in the user's zone", typed, at)
		}
	})
}
