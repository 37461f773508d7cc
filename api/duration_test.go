package api_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

func TestDurationsWithDays(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "36h": 36 * time.Hour, "7d": 168 * time.Hour, "1d12h30m": 36*time.Hour + 30*time.Minute,
		"1.5h": 90 * time.Minute, "-1h": -time.Hour, "0s": 0, "99999d": 99999 * 24 * time.Hour,
	} {
		if got, err := api.ParseDuration(text); got != want || err != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if got, err := api.ParseDuration(" 1h\n"); got != time.Hour || err != nil {
		t.Errorf("with white space around: %v, %v", got, err)
	}
	for _, text := range []string{"", "d", "1", "-1d", "1d-1h", "soon", "1h1d", "999999d", "1.5d"} {
		if got, err := api.ParseDuration(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestDurationsInJSON(t *testing.T) {
	for body, want := range map[string]time.Duration{
		`"36h"`: 36 * time.Hour, `"2d"`: 48 * time.Hour, `90`: 90 * time.Second, `1.5`: 1500 * time.Millisecond,
		`null`: 0, `""`: 0, `"soon"`: 0, `{}`: 0,
	} {
		var d api.Duration
		if err := json.Unmarshal([]byte(body), &d); err != nil || d.Duration != want {
			t.Errorf("%s: %v, %v", body, d, err)
		}
	}
	if b, err := json.Marshal(api.Duration{Duration: 36 * time.Hour}); err != nil || string(b) != `"36h0m0s"` {
		t.Errorf("%s, %v", b, err)
	}
}
