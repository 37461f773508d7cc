package api_test

import (
	"encoding/json"
	"testing"
	"time"

	"flightdesk/api"
)

func loadZone(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// On some of these days the clocks change at midnight, and the first hour is missing or occurs twice.
func TestADayLastsFromItsFirstToItsLastSecond(t *testing.T) {
	for _, c := range []struct{ zone, day, start, end string }{
		{"UTC", "2026-12-30", "2026-12-30T00:00:00Z", "2026-12-30T23:59:59Z"},
		{"Etc/GMT+12", "2026-12-30", "2026-12-30T00:00:00-12:00", "2026-12-30T23:59:59-12:00"},
		{"Pacific/Kiritimati", "2026-12-30", "2026-12-30T00:00:00+14:00", "2026-12-30T23:59:59+14:00"},
		{"Europe/Berlin", "2027-03-28", "2027-03-28T00:00:00+01:00", "2027-03-28T23:59:59+02:00"},
		{"Europe/Berlin", "2027-10-31", "2027-10-31T00:00:00+02:00", "2027-10-31T23:59:59+01:00"},
		{"America/Santiago", "2026-09-06", "2026-09-06T01:00:00-03:00", "2026-09-06T23:59:59-03:00"},
		{"America/Santiago", "2026-04-04", "2026-04-04T00:00:00-03:00", "2026-04-04T23:59:59-04:00"},
		{"America/Havana", "2026-11-01", "2026-11-01T00:00:00-04:00", "2026-11-01T23:59:59-05:00"},
		{"Australia/Lord_Howe", "2026-10-04", "2026-10-04T00:00:00+10:30", "2026-10-04T23:59:59+11:00"},
	} {
		noon, err := time.ParseInLocation("2006-01-02 15:04", c.day+" 12:00", loadZone(t, c.zone))
		if err != nil {
			t.Fatal(err)
		}
		d := api.DayAt(noon)
		start, end := d.Start().Format(time.RFC3339), d.End().Format(time.RFC3339)
		if start != c.start || end != c.end || d.String() != c.day {
			t.Errorf("%s in %s lasts from %s to %s, want %s to %s", d, c.zone, start, end, c.start, c.end)
		}
	}
}

func TestADateWithoutATimeIsTheSameDayInEveryTimeZone(t *testing.T) {
	for _, c := range []struct {
		sent string
		day  string
		ends bool // a deadline at this time is a whole day
	}{
		{"2026-12-30T23:59:59+01:00", "2026-12-30", true},
		{"2026-12-30T23:59:59-12:00", "2026-12-30", true},
		{"2026-12-30T23:59:59+14:00", "2026-12-30", true},
		{"2026-12-30T00:00:00+01:00", "2026-12-30", true},
		{"2026-12-30T00:00:00Z", "2026-12-30", true},
		{"2026-12-30", "2026-12-30", true},
		{"2026-12-30T18:00:00-08:00", "2026-12-30", false},
	} {
		var at api.Time
		if err := json.Unmarshal([]byte(`"`+c.sent+`"`), &at); err != nil {
			t.Fatal(err)
		}
		for _, zone := range []string{"UTC", "Etc/GMT+12", "Pacific/Kiritimati", "America/New_York", "Asia/Tokyo"} {
			d := at.EndDay(loadZone(t, zone))
			if d.String() != c.day || d.IsDay() != c.ends || d.NoonIn(loadZone(t, zone)).Format(time.DateOnly) != c.day {
				t.Errorf("%s is %s in %s, a whole day: %v", c.sent, d, zone, d.IsDay())
			}
		}
	}
}

// A service can send times in UTC, without the offset of the client who placed the order.
func TestAMidnightInUTCIsADayInTheReadersTimeZone(t *testing.T) {
	for _, c := range []struct{ zone, start, end string }{
		{"Europe/Berlin", "2026-12-29T23:00:00Z", "2026-12-30T22:59:59Z"},
		{"Etc/GMT+12", "2026-12-30T12:00:00Z", "2026-12-31T11:59:59Z"},
		{"Pacific/Kiritimati", "2026-12-29T10:00:00Z", "2026-12-30T09:59:59Z"},
	} {
		var start, end api.Time
		if err := json.Unmarshal([]byte(`"`+c.start+`"`), &start); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(`"`+c.end+`"`), &end); err != nil {
			t.Fatal(err)
		}
		zone := loadZone(t, c.zone)
		if got := start.StartDay(zone); got.String() != "2026-12-30" || !got.IsDay() {
			t.Errorf("the start %s is %s in %s", c.start, got, c.zone)
		}
		if got := end.EndDay(zone); got.String() != "2026-12-30" || !got.IsDay() {
			t.Errorf("the deadline %s is %s in %s", c.end, got, c.zone)
		}
	}
}

func TestADateWithoutATimeEndsWithTheReadersDay(t *testing.T) {
	newYork := loadZone(t, "America/New_York")
	var quote api.Quote
	if err := json.Unmarshal([]byte(`{"expiryDate": "2026-12-30"}`), &quote); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]bool{
		"2026-12-30T00:00:01-05:00": false,
		"2026-12-30T23:59:00-05:00": false,
		"2026-12-31T00:00:00-05:00": true,
	} {
		now, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := quote.IsExpired(now.In(newYork)); got != want {
			t.Errorf("expired at %s: %v", at, got)
		}
	}
	if sent, err := json.Marshal(quote.ExpiryDate); err != nil || string(sent) != `"2026-12-30"` {
		t.Errorf("the day is written as %s, %v", sent, err)
	}
}

func TestEveryFormOfRFC3339IsRead(t *testing.T) {
	for sent, want := range map[string]string{
		"2027-01-10t08:00:00z":              "2027-01-10T08:00:00Z",
		"2027-01-10T08:00:00z":              "2027-01-10T08:00:00Z",
		"2027-01-10t08:00:00+01:00":         "2027-01-10T08:00:00+01:00",
		"2027-01-10T08:00:00.123456789012Z": "2027-01-10T08:00:00Z",
		"2016-12-31T23:59:60Z":              "2017-01-01T00:00:00Z",
		"2016-12-31t23:59:60.5z":            "2017-01-01T00:00:00Z",
		"2027-01-10T24:00:00Z":              "2027-01-11T00:00:00Z",
		"2027-01-10T24:00+02:00":            "2027-01-11T00:00:00+02:00",
	} {
		var at api.Time
		if err := json.Unmarshal([]byte(`"`+sent+`"`), &at); err != nil || at.Raw != "" || at.Format(time.RFC3339) != want {
			t.Errorf("%s is read as %s, %v; want %s", sent, at.Format(time.RFC3339), err, want)
		}
	}
	for _, sent := range []string{"2027-01-10T24:30:00Z", "2027-01-10T25:00:00Z", "2027-01-10T08:00:61Z", "2027-13-10t08:00:00z"} {
		var at api.Time
		if err := json.Unmarshal([]byte(`"`+sent+`"`), &at); err != nil || at.IsRead() || at.Raw != sent {
			t.Errorf("%s is read as %s, %v", sent, at.Format(time.RFC3339), err)
		}
	}
}
