package tui

import (
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
)

// countDown returns a command whose message is n.
func countDown(n int) tea.Cmd { return page.SendMessage(n) }

func TestLoopStopsWaitingAfterTheLastCommand(t *testing.T) {
	loop := newMessageLoop(t.Context())
	defer loop.end()
	var received []int
	loop.update = func(msg tea.Msg) tea.Cmd {
		n := msg.(int)
		received = append(received, n)
		if n == 0 {
			return nil
		}
		return countDown(n - 1)
	}
	loop.handle(3)
	loop.handleUntil(func() bool { return loop.running == 0 }, nil, nil)
	if !slices.Equal(received, []int{3, 2, 1, 0}) {
		t.Errorf("the model got %v", received)
	}
}

func TestLoopRunsAllCommandsOfABatch(t *testing.T) {
	loop := newMessageLoop(t.Context())
	defer loop.end()
	var received []int
	loop.update = func(msg tea.Msg) tea.Cmd {
		received = append(received, msg.(int))
		return nil
	}
	loop.start(tea.Batch(countDown(1), countDown(2), nil))
	loop.handleUntil(func() bool { return loop.running == 0 }, nil, nil)
	slices.Sort(received)
	if !slices.Equal(received, []int{1, 2}) {
		t.Errorf("the model got %v", received)
	}
}

func TestLoopDoesNotWaitForTimers(t *testing.T) {
	loop := newMessageLoop(t.Context())
	defer loop.end()
	isOver := make(chan struct{})
	timer := loop.uncountedTimer(func(_ time.Duration, msg tea.Msg) tea.Cmd {
		return func() tea.Msg {
			<-isOver
			return msg
		}
	})
	rung := false
	loop.update = func(msg tea.Msg) tea.Cmd {
		if msg == "start" {
			return timer(time.Hour, "rung")
		}
		rung = true
		return nil
	}
	loop.handle("start")
	if loop.running != 0 {
		t.Errorf("%d commands run while only a timer is pending", loop.running)
	}
	close(isOver)
	loop.handleUntil(func() bool { return rung }, nil, nil)
}

func TestLoopReturnsLinesAndTheEndOfTheInput(t *testing.T) {
	loop := newMessageLoop(t.Context())
	defer loop.end()
	never := func() bool { return false }
	lines := make(chan string, 1)
	lines <- "open"
	line, event := loop.handleUntil(never, lines, nil)
	if line != "open" || event != loopLine {
		t.Errorf("got line %q and event %d", line, event)
	}
	close(lines)
	if _, event = loop.handleUntil(never, lines, nil); event != loopInputEnd {
		t.Errorf("after the input got event %d", event)
	}
	passed := make(chan time.Time, 1)
	passed <- time.Time{}
	if _, event = loop.handleUntil(never, nil, passed); event != loopTimeout {
		t.Errorf("after the timeout got event %d", event)
	}
	loop.handle(tea.QuitMsg{})
	if _, event = loop.handleUntil(never, nil, nil); event != loopDone {
		t.Errorf("after the end of the loop got event %d", event)
	}
}

// A line that arrives with the end of the loop is not handled.
func TestALineAtTheEndOfTheLoopIsDropped(t *testing.T) {
	for range 50 { // the loop chooses at random between a line and its end
		loop := newMessageLoop(t.Context())
		lines := make(chan string, 1)
		lines <- "place"
		isDone := func() bool {
			loop.end()
			return false
		}
		if line, event := loop.handleUntil(isDone, lines, nil); event != loopDone {
			t.Fatalf("the loop returns %q", line)
		}
	}
}
