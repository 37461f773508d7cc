package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A timer that ran on would keep the pages of a guest's app in memory.
func TestTimersEndWithTheRun(t *testing.T) {
	ended := make(chan struct{})
	wait := Options{ended: ended}.timer()(time.Hour, "late")
	waited := make(chan tea.Msg)
	go func() { waited <- wait() }()
	close(ended)
	if msg := <-waited; msg != nil {
		t.Errorf("the timer brings %v", msg)
	}
}
