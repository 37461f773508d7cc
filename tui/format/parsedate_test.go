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
		"in 3 weeks": "2026-12-15", "2w": "2026-12-08", "3 weeks": "2026-12-15", "10d": "2026-12-04", "in 1 day": "2026-11-25", "in a month": "2026-12-24", "+10d": "2026-12-04", "in 2 y": "2028-11-24",
		"in 3 months": "2027-02-24", "friday": "2026-11-27", "13/1": "2027-01-13", "1/13": "2027-01-13", "5/5": "2027-05-05", "24/11": "2026-11-24",
		"end of January": "2027-01-31", "end of feb 2028": "2028-02-29", "mid march": "2027-03-15", "start of next month": "2026-12-01",
		"end of the month": "2026-11-30", "end of month": "2026-11-30", "Fri KW 50": "2026-12-11", "next tue": "2026-12-01", "mon": "2026-11-30",
	} {
		got, err := format.ParseDate(typed, now)
		if err != nil || got.String() != want {
			t.Errorf("%q is %s, %v; want %s", typed, got, err, want)
		} else if !got.IsDay() || got.Start().Location() != now.Location() {
			t.Errorf("%q is %s, want a whole day in the user's zone", typed, got)
		}
	}
	for _, typed := range []string{
		"", "soon", "32 Dec", "2026-13-01", "in weeks", "in 3", "KW 0", "KW 54", "KW 53 2027", "month",
		"the month", "end of xyz", "w", "Xyz KW 50", "3/4/", "in 99999999999999999999 days", "xy",
		"in 3 apples", "30 Feb", "13/13/2027", "Mon 1 Dec 2026",
	} {
		if got, err := format.ParseDate(typed, now); err == nil {
			t.Errorf("%q is read as %s", typed, got)
		}
	}
}

func TestAPeriodHasAFirstAndALastDay(t *testing.T) {
	for typed, want := range map[string][2]string{
		"KW 50": {"2026-12-07", "2026-12-13"}, "kw50": {"2026-12-07", "2026-12-13"}, "week 50": {"2026-12-07", "2026-12-13"},
		"50. KW": {"2026-12-07", "2026-12-13"}, "2026-W50": {"2026-12-07", "2026-12-13"}, "CW 50/2027": {"2027-12-13", "2027-12-19"},
		"KW 48": {"2026-11-23", "2026-11-29"}, "KW 47": {"2027-11-22", "2027-11-28"}, "KW 53": {"2026-12-28", "2027-01-03"},
		"W1": {"2027-01-04", "2027-01-10"}, "this week": {"2026-11-23", "2026-11-29"}, "next week": {"2026-11-30", "2026-12-06"},
		"January": {"2027-01-01", "2027-01-31"}, "nov": {"2026-11-01", "2026-11-30"}, "Feb 2028": {"2028-02-01", "2028-02-29"},
		"next month": {"2026-12-01", "2026-12-31"}, "2w": {"2026-12-08", "2026-12-08"}, "end of May": {"2027-05-31", "2027-05-31"},
	} {
		first, err := format.ParseDate(typed, now)
		last, err2 := format.ParseLastDay(typed, now)
		if err != nil || err2 != nil || first.String() != want[0] || last.String() != want[1] {
			t.Errorf("%q is %s to %s, %v, %v; want %v", typed, first, last, err, err2, want)
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
		"3/4":              {"3 Apr 2027", "4 Mar 2027", "2027-04-03", "2027-03-04"},
		"1/12":             {"1 Dec 2026", "12 Jan 2027"},
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
	for _, seed := range []string{
		"2026-12-01", "in 3 weeks", "next fri", "1 Dec", "+2m", "in a day", "3/4/2027",
		"2026-12-01T09:30Z", "KW 50", "2026-W53", "end of Jan", "3/4",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		at, err := format.ParseDate(typed, now)
		if err == nil && at.IsDay() && at.Start().Location() != now.Location() {
			t.Errorf("%q is %s, want a day in the user's zone", typed, at)
		}
	})
}
