package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

func TestBurstOfMessagesIsDrawnOncePerFrame(t *testing.T) {
	now := time.Unix(1000, 0)
	var timers []time.Duration
	l := frameLimiter{
		now: func() time.Time { return now },
		after: func(d time.Duration, _ tea.Msg) tea.Cmd {
			timers = append(timers, d)
			return nil
		},
	}
	drawn := 0
	render := func() tea.View { drawn++; return tea.NewView("") }
	l.markStale()
	l.drawFrame(render)
	for range 400 {
		l.markStale()
		l.drawFrame(render)
	}
	if drawn != 1 || len(timers) != 1 || timers[0] > frameTime {
		t.Errorf("%d renderings and timers %v, want one of each within a frame", drawn, timers)
	}
	l.endFrame()
	l.drawFrame(render)
	l.drawFrame(render)
	if drawn != 2 {
		t.Errorf("%d renderings after the frame, want 2", drawn)
	}
	now = now.Add(time.Second)
	l.markStale()
	l.drawFrame(render)
	if drawn != 3 || len(timers) != 1 {
		t.Errorf("a single key waits: %d renderings, timers %v", drawn, timers)
	}
}

func TestKeyWaitsOnlyForTheFrameOfAnotherKey(t *testing.T) {
	now := time.Unix(1000, 0)
	l := frameLimiter{
		now:   func() time.Time { return now },
		after: func(time.Duration, tea.Msg) tea.Cmd { return nil },
	}
	drawn := 0
	change := func(isKey bool) {
		if isKey {
			l.recordKeyPress()
		}
		l.markStale()
		l.drawFrame(func() tea.View { drawn++; return tea.NewView("") })
	}
	change(false) // a response
	change(true)
	if drawn != 2 {
		t.Fatalf("a key waits for the frame of a response: %d drawn", drawn)
	}
	for range 10 {
		change(true)
		change(false)
	}
	if drawn != 2 {
		t.Errorf("a burst of keys is drawn %d more times in the same frame", drawn-2)
	}
	now = now.Add(frameTime)
	change(true)
	if drawn != 3 {
		t.Error("the next frame is not drawn")
	}
}

func TestFastKeysCountAsScrolling(t *testing.T) {
	now := time.Unix(1000, 0)
	var timers []time.Duration
	l := frameLimiter{
		now:       func() time.Time { return now },
		scrollGap: scrollGap,
		after: func(d time.Duration, _ tea.Msg) tea.Cmd {
			timers = append(timers, d)
			return nil
		},
	}
	press := func(wait time.Duration, want bool) {
		t.Helper()
		now = now.Add(wait)
		l.recordKeyPress()
		l.checkScrollEnd()
		if l.isScrolling() != want {
			t.Errorf("%v after another key: scrolling %v, want %v", wait, !want, want)
		}
	}
	press(0, false)
	press(time.Second, false)
	press(30*time.Millisecond, true)
	press(60*time.Millisecond, true)
	if len(timers) != 1 {
		t.Fatalf("timers %v for a series of fast keys, want one", timers)
	}
	l.isCheckPending = false // the first timer has ended while keys still arrive
	if !l.isScrolling() || l.checkScrollEnd() != nil || len(timers) != 2 {
		t.Errorf("scrolling %v, timers %v, want a second timer", l.isScrolling(), timers)
	}
	now = now.Add(timers[1])
	l.isCheckPending = false
	if l.isScrolling() {
		t.Error("scrolling has not stopped after the pause")
	}
	press(time.Second, false)
	for range 400 { // typed ahead
		press(50*time.Microsecond, true)
	}
	if last := timers[len(timers)-1]; last > 20*time.Millisecond {
		t.Errorf("the row is shown %v after keys that were typed ahead", last)
	}
	l.scrollGap = 0
	press(time.Millisecond, false)
}
