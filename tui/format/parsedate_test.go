package format_test

import (
	"strings"
	"testing"
	"time"

	"flightdesk/tui/format"
)

var now = time.Date(2026, 11, 24, 9, 42, 0, 0, time.FixedZone("CET", 3600)) // a Tuesday

func TestDatesAreReadAsPeopleTypeThem(t *testing.T) {
	for typed, want := range map[string]string{
		"2026-12-01": "2026-12-01", "1.12.2026": "2026-12-01", "1 Dec 2026": "2026-12-01", "1 december 2026": "2026-12-01",
		"1 Dec": "2026-12-01", "1 Mar": "2027-03-01", "24 Nov": "2026-11-24", "Dec 1": "2026-12-01", "1.12.": "2026-12-01",
		"29 Feb": "2028-02-29", "Tue 1 Dec": "2026-12-01", "Tue 1 Dec 2026": "2026-12-01", "Dec 1, 2026": "2026-12-01",
		"13/01/2027": "2027-01-13", "01/13/2027": "2027-01-13", "5/5/2027": "2027-05-05",
		"today": "2026-11-24", " Tomorrow ": "2026-11-25",
		"in 3 weeks": "2026-12-15", "in 1 day": "2026-11-25", "in a month": "2026-12-24", "+10d": "2026-12-04", "in 2 y": "2028-11-24",
		"in 3 months": "2027-02-24", "friday": "2026-11-27", "next tue": "2026-12-01", "mon": "2026-11-30",
	} {
		got, err := format.ParseDate(typed, now)
		if err != nil || got.String() != want {
			t.Errorf("%q is %s, %v; want %s", typed, got, err, want)
		} else if !got.IsDay() || got.Start().Location() != now.Location() {
			t.Errorf("%q is %s, want a whole day in the user's zone", typed, got)
		}
	}
	for _, typed := range []string{"", "soon", "32 Dec", "2026-13-01", "in weeks", "in 3", "in 99999999999999999999 days", "xy", "in 3 apples", "30 Feb", "13/13/2027", "Mon 1 Dec 2026"} {
		if got, err := format.ParseDate(typed, now); err == nil {
			t.Errorf("%q is read as %s", typed, got)
		}
	}
}

func TestAMonthAfterTheLastDayIsTheLastDay(t *testing.T) {
	at := time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)
	if got, err := format.ParseDate("in a month", at); err != nil || got.String() != "2027-02-28" {
		t.Errorf("a month after 31 January is %s, %v", got, err)
	}
}

func TestATimeKeepsItsOffset(t *testing.T) {
	for typed, want := range map[string]string{
		"2027-06-30T18:00:00-08:00": "2027-06-30T18:00:00-08:00",
		"2027-06-30T18:00:00Z":      "2027-06-30T18:00:00Z",
		"2027-06-30t18:00:00z":      "2027-06-30T18:00:00Z",
		"2027-06-30T18:00+0530":     "2027-06-30T18:00:00+05:30",
		"2027-06-30 18:00-08:00":    "2027-06-30T18:00:00-08:00",
		"2027-06-30T18:00":          "2027-06-30T18:00:00+01:00",
		"2027-06-30 18:00:30":       "2027-06-30T18:00:30+01:00",
	} {
		got, err := format.ParseDate(typed, now)
		if err != nil || got.IsDay() || got.Start().Format(time.RFC3339) != want || !got.End().Equal(got.Start()) {
			t.Errorf("%q is %s, %v; want %s", typed, got.Start().Format(time.RFC3339), err, want)
		}
	}
}

func TestADateWithTwoReadingsIsRefusedWithBoth(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for typed, says := range map[string][]string{
		"03/04/2027":       {"3 Apr 2027", "4 Mar 2027", "2027-04-03", "2027-03-04"},
		"2027-10-31T02:30": {"comes twice", "2027-10-31T02:30+02:00", "2027-10-31T02:30+01:00"},
		"2027-03-28 02:30": {"does not exist on 28 Mar 2027"},
	} {
		got, err := format.ParseDate(typed, now.In(berlin))
		if err == nil {
			t.Errorf("%q is read as %s", typed, got)
			continue
		}
		for _, part := range says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %q does not say %q", typed, err, part)
			}
		}
	}
}

func FuzzParseDate(f *testing.F) {
	for _, seed := range []string{"2026-12-01", "in 3 weeks", "next fri", "1 Dec", "+2m", "in a day", "3/4/2027", "2026-12-01T09:30Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		at, err := format.ParseDate(typed, now)
		if err == nil && at.IsDay() && at.Start().Location() != now.Location() {
			t.Errorf("%q is %s, want a day in the user's zone", typed, at)
		}
	})
}
