package cli

import (
	"testing"
	"time"
)

func TestSinceIsATimeADayOrADistance(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 30, 0, 0, time.FixedZone("", 3600))
	for typed, want := range map[string]string{
		"2h": "2026-03-01T07:30:00+01:00", "7d ago": "2026-02-22T09:30:00+01:00",
		"Yesterday": "2026-02-28T00:00:00+01:00", "today": "2026-03-01T00:00:00+01:00",
		"2026-02-01T08:00:00Z": "2026-02-01T08:00:00Z",
	} {
		if got, err := parseSince(typed, now); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%q is %v, %v; want %s", typed, got, err, want)
		}
	}
	for _, typed := range []string{"soon", "-2h", "tomorrow morning"} {
		if got, err := parseSince(typed, now); err == nil {
			t.Errorf("%q is %v", typed, got)
		}
	}
}
