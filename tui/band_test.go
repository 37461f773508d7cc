package tui

import (
	"strings"
	"testing"
	"time"
)

func TestTheConnectionIsSaidInWords(t *testing.T) {
	now := time.Date(2026, 11, 24, 9, 42, 0, 0, time.UTC)
	before := now.Add(-3 * time.Minute)
	for _, tt := range []struct {
		link       connectionState
		state, age string
	}{
		{connectionState{}, "○ connecting", ""},
		{connectionState{heard: now}, "● connected", "just now"},
		{connectionState{heard: before}, "● connected", "3 m ago"},
		{connectionState{heard: before, lost: true}, "! no response", "last one 3 m ago"},
		{connectionState{lost: true}, "! no response", ""},
		{connectionState{heard: before, status: 200}, "! not the service", "3 m ago"},
		{connectionState{heard: before, status: 404}, "! not the service", "3 m ago"},
		{connectionState{heard: now, status: 503}, "! service error 503", "just now"},
		{connectionState{heard: now, status: 401}, "✗ key rejected", "just now"},
		{connectionState{heard: before, lost: true, status: 503}, "! no response", "last one 3 m ago"},
	} {
		if state, age := tt.link.describeState(now); state != tt.state || age != tt.age {
			t.Errorf("%+v: %q, %q", tt.link, state, age)
		}
	}
}

func TestTheBandKeepsTheAccountWhereRoomIsShort(t *testing.T) {
	a, _ := withSection(t, true)
	a.opts.Company, a.opts.Profile, a.opts.ReadOnly, a.opts.ServerMode = "Nordlicht Windkraft GmbH", "demo", true, true
	for w, want := range map[int]string{
		60:  "○   01:46 +00",
		80:  "○ connecting   01:46 +00",
		100: "○ connecting   SERVER MODE 127.0.0.1:1   01:46 +00",
		140: "○ connecting   SERVER MODE 127.0.0.1:1   Sun 9 Sep 01:46 +00",
	} {
		a.frame.w = w
		band := rows(a)[0]
		if !strings.HasPrefix(band, " Nordlicht Windkraft GmbH · demo · READ-ONLY ") || !strings.HasSuffix(band, "  "+want+" ") {
			t.Errorf("%d wide: %q", w, band)
		}
	}
}
