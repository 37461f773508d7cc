package operations

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
)

func TestMomentsAsPeopleTypeThem(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	now := time.Date(2026, 11, 21, 14, 5, 30, 0, zone)
	for typed, want := range map[string]string{
		"2026-12-01 09:30":          "2026-12-01T09:30:00+02:00",
		" 2026-12-01T09:30 ":        "2026-12-01T09:30:00+02:00",
		"2026-12-01T09:30:00Z":      "2026-12-01T09:30:00Z",
		"2026-12-01T09:30:00-05:00": "2026-12-01T09:30:00-05:00",
		"2026-12-01":                "2026-12-01T00:00:00+02:00",
		"1 Dec":                     "2026-12-01T00:00:00+02:00",
		"1 Dec 09:30":               "2026-12-01T09:30:00+02:00",
		"tomorrow 06:00":            "2026-11-22T06:00:00+02:00",
		"in 3 days":                 "2026-11-24T00:00:00+02:00",
		"in 3 days 09:30":           "2026-11-24T09:30:00+02:00",
		"in 3 weeks":                "2026-12-12T00:00:00+02:00",
		"36h":                       "2026-11-23T02:05:30+02:00",
		"in 90m":                    "2026-11-21T15:35:30+02:00",
		"+7d":                       "2026-11-28T14:05:30+02:00",
		"7d":                        "2026-11-28T14:05:30+02:00",
	} {
		if got, err := momentOf(typed, now); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%q is %s, %v; want %s", typed, got.Format(time.RFC3339), err, want)
		}
	}
	for _, typed := range []string{"", " ", "soon", "09:30", "2026-13-01", "2026-12-01 25:00", "-36h", "0h", "in", "1 Dec 9.30"} {
		if got, err := momentOf(typed, now); err == nil || !strings.Contains(err.Error(), "is no time like") {
			t.Errorf("%q is %s, %v", typed, got, err)
		}
	}
}

func TestAnOutcomeThatNobodyKnowsIsTold(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	lost, refused := &api.TransportError{Op: "issue key", Host: "one.example", Err: context.DeadlineExceeded, Sent: true}, &api.Error{Op: "issue key", Status: 409}
	for _, tt := range []struct {
		name    string
		ctx     context.Context
		changes func() bool
		err     error
		unsure  bool
	}{
		{"done", t.Context(), always, nil, false},
		{"the answer is lost", t.Context(), always, lost, true},
		{"of a command that only looks", t.Context(), never, lost, false},
		{"refused", t.Context(), always, refused, false},
		{"interrupted without an answer", stopped, always, lost, true},
		{"interrupted before it was sent", stopped, always, fmt.Errorf("issue key: %w", context.Canceled), false},
		{"looking, interrupted", stopped, never, fmt.Errorf("list keys: %w", context.Canceled), false},
	} {
		v := opsVerb{changes: tt.changes}
		err := v.outcome(tt.ctx, tt.err)
		if said := err != nil && strings.HasSuffix(err.Error(), "; it may have been done all the same: look before you do it again"); said != tt.unsure {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.ctx == stopped && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v is no interruption", tt.name, err)
		}
	}
}

func TestPoints(t *testing.T) {
	if p, err := pointOf(" 53.54, 9.97"); err != nil || p.Lat != 53.54 || p.Lng != 9.97 {
		t.Errorf("%+v, %v", p, err)
	}
	for _, typed := range []string{"", "53.54", "53.54;9.97", "91,0", "-91,0", "0,181", "NaN,0", "0,Inf", "a,b", "1,2,3"} {
		if p, err := pointOf(typed); err == nil {
			t.Errorf("%q is %+v", typed, p)
		}
	}
}
