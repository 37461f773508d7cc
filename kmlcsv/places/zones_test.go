package places_test

import (
	"testing"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/places"
)

func TestTimeZoneOfASite(t *testing.T) {
	at := func(lat, lng float64) *orb.Point { return &orb.Point{lng, lat} }
	for _, c := range []struct {
		country string
		at      *orb.Point
		want    string // "" for none
	}{
		{"Kenya", nil, "Africa/Nairobi"},
		{"kenya", at(52, 13), "Africa/Nairobi"}, // the country is what the client said
		{"DE", nil, "Europe/Berlin"},
		{"Germany", nil, "Europe/Berlin"},
		{"India", nil, "Asia/Kolkata"},
		{"Kosovo", nil, "Europe/Belgrade"},
		{"China", at(43.8, 87.6), "Asia/Shanghai"},
		{"Spain", at(40.4, -3.7), "Europe/Madrid"},
		{"Spain", at(28.1, -15.4), "Atlantic/Canary"},
		{"Spain", nil, ""},
		{"Portugal", at(32.6, -16.9), "Europe/Lisbon"},
		{"Portugal", at(37.7, -25.7), "Atlantic/Azores"},
		{"New Zealand", at(-43.9, -176.5), "Pacific/Chatham"},
		{"Ecuador", at(-0.7, -90.3), "Pacific/Galapagos"},
		{"United States", at(40.7, -74), ""},
		{"Australia", at(-37.8, 145), ""},
		{"Deutschland", at(52.5, 13.4), "Europe/Berlin"},
		{"", at(-1.3, 36.8), "Africa/Nairobi"},
		{"QQ", at(-1.3, 36.8), "Africa/Nairobi"},
		{"", nil, ""},
		{"Atlantis", at(0, -30), ""},
	} {
		got := ""
		if zone := places.TimeZone(c.country, c.at); zone != nil {
			got = zone.String()
		}
		if got != c.want {
			t.Errorf("%q at %v: %q, not %q", c.country, c.at, got, c.want)
		}
	}
}

func TestEveryZoneCanBeLoaded(t *testing.T) {
	n := 0
	for _, c := range places.Countries() {
		if zone := places.TimeZone(c.Code, &orb.Point{}); zone != nil {
			n++
			if zone == time.UTC {
				t.Errorf("%s has no zone of its own", c.Name)
			}
		}
	}
	if n < 200 {
		t.Errorf("%d countries have a zone", n)
	}
}
