package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

func TestABurstIsDrawnOncePerFrame(t *testing.T) {
	now := time.Unix(1000, 0)
	var timers []time.Duration
	g := frameLimiter{
		now:   func() time.Time { return now },
		after: func(d time.Duration, _ tea.Msg) tea.Cmd { timers = append(timers, d); return nil },
	}
	drawn := 0
	render := func() tea.View { drawn++; return tea.NewView("") }
	g.markStale()
	g.drawFrame(render)
	for range 400 {
		g.markStale()
		g.drawFrame(render)
	}
	if drawn != 1 || len(timers) != 1 || timers[0] > frameTime {
		t.Errorf("%d renderings and timers %v, want one of each within a frame", drawn, timers)
	}
	g.endFrame() // the frame is over
	g.drawFrame(render)
	g.drawFrame(render)
	if drawn != 2 {
		t.Errorf("%d renderings after the frame, want 2: the last state is drawn, once", drawn)
	}
	now = now.Add(time.Second)
	g.markStale()
	g.drawFrame(render)
	if drawn != 3 || len(timers) != 1 {
		t.Errorf("a single key waits: %d renderings, timers %v", drawn, timers)
	}
}

func TestAKeyWaitsForNoFrameButAKeys(t *testing.T) {
	now := time.Unix(1000, 0)
	g := frameLimiter{now: func() time.Time { return now }, after: func(time.Duration, tea.Msg) tea.Cmd { return nil }}
	drawn := 0
	change := func(key bool) {
		if key {
			g.noteKey()
		}
		g.markStale()
		g.drawFrame(func() tea.View { drawn++; return tea.NewView("") })
	}
	change(false) // an answer
	change(true)
	if drawn != 2 {
		t.Fatalf("a key waits for the frame of an answer: %d drawn", drawn)
	}
	for range 10 {
		change(true)
		change(false)
	}
	if drawn != 2 {
		t.Errorf("a burst of keys is drawn %d times more", drawn-2)
	}
	now = now.Add(frameTime)
	change(true)
	if drawn != 3 {
		t.Error("the next frame is not drawn")
	}
}
