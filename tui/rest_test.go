package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

func TestKeysThatFollowEachOtherFastPassBy(t *testing.T) {
	now := time.Unix(1000, 0)
	var timers []time.Duration
	g := frameLimiter{
		now:  func() time.Time { return now },
		rest: rest,
		after: func(d time.Duration, _ tea.Msg) tea.Cmd {
			timers = append(timers, d)
			return nil
		},
	}
	press := func(wait time.Duration, want bool) {
		t.Helper()
		now = now.Add(wait)
		g.noteKey()
		g.settleCommand()
		if g.isPassing() != want {
			t.Errorf("%v after another key: passing %v", wait, !want)
		}
	}
	press(0, false) // a single one is shown at once
	press(time.Second, false)
	press(30*time.Millisecond, true)
	press(60*time.Millisecond, true)
	if len(timers) != 1 {
		t.Fatalf("timers %v for one run of keys", timers)
	}
	g.resting = false // the first timer comes while keys still do
	if !g.isPassing() || g.settleCommand() != nil || len(timers) != 2 {
		t.Errorf("passing %v, timers %v", g.isPassing(), timers)
	}
	now = now.Add(timers[1])
	if g.resting = false; g.isPassing() {
		t.Error("the keys have come to rest, and nothing says so")
	}
	press(time.Second, false)
	for range 400 { // typed ahead
		press(50*time.Microsecond, true)
	}
	if last := timers[len(timers)-1]; last > 20*time.Millisecond {
		t.Errorf("what was typed ahead is shown after %v", last)
	}
	g.rest = 0
	press(time.Millisecond, false)
}
