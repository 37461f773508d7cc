package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/api"
	"flightdesk/tui/theme"
)

func TestConnectionStateInWords(t *testing.T) {
	now := time.Date(2026, 11, 24, 9, 42, 0, 0, time.UTC)
	before := now.Add(-3 * time.Minute)
	for _, tt := range []struct {
		heard      time.Time
		lost       bool
		trouble    api.Trouble
		state, age string
	}{
		{time.Time{}, false, api.Trouble{}, "○ connecting", ""},
		{now, false, api.Trouble{}, "● connected", ""},
		{before, false, api.Trouble{}, "● connected", "3 m ago"},
		{before, true, api.Trouble{}, "! no response", "last one 3 m ago"},
		{time.Time{}, true, api.Trouble{}, "! no response", ""},
		{before, false, api.Trouble{Status: 200, Foreign: true}, "! not the service", "3 m ago"},
		{before, false, api.Trouble{Status: 404, Foreign: true}, "! not the service", "3 m ago"},
		{now, false, api.Trouble{Status: 503}, "! service error 503", "just now"},
		{now, false, api.Trouble{Status: 401}, "✗ key rejected", "just now"},
		{now, false, api.Trouble{Status: 401, Foreign: true}, "! not the service", "just now"},
		{before, true, api.Trouble{Status: 503}, "! no response", "last one 3 m ago"},
	} {
		if state, age := describeConnection(tt.heard, now, tt.lost, tt.trouble); state != tt.state || age != tt.age {
			t.Errorf("%+v: %q, %q", tt, state, age)
		}
	}
}

func TestNarrowBandKeepsTheAccount(t *testing.T) {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1e9, 0).UTC()
	b := band{
		account: "Nordlicht Windkraft GmbH · demo · READ-ONLY",
		state:   "○ connecting",
		host:    "127.0.0.1:1", isServerMode: true,
		now: now,
	}
	for w, want := range map[int]string{
		60:  "○   01:46 UTC",
		80:  "○ connecting   01:46 UTC",
		100: "○ connecting   SERVER MODE 127.0.0.1:1   01:46 UTC",
		140: "○ connecting   SERVER MODE 127.0.0.1:1   Sun 9 Sep 01:46 UTC",
	} {
		row := ansi.Strip(b.render(th, w))
		hasAccount := strings.HasPrefix(row, " Nordlicht Windkraft GmbH · demo · READ-ONLY ")
		if !hasAccount || !strings.HasSuffix(row, "  "+want+" ") {
			t.Errorf("%d wide: %q", w, row)
		}
	}
	b.now = now.In(time.FixedZone("", 5*3600+45*60))
	if row := ansi.Strip(b.render(th, 140)); !strings.HasSuffix(row, "07:31 +05:45 ") {
		t.Errorf("in Kathmandu: %q", row)
	}
}
