package inspect

import (
	"testing"

	"flightdesk/tui/action"
)

func TestPausedRequestLogIsNotFreeOfFailures(t *testing.T) {
	p := newTestPage(t)
	if text := p.unsure(); text != "" {
		t.Errorf("running: %q", text)
	}
	p.HandleAction(action.PauseRequests)
	if text := p.unsure(); text != "No failed requests up to the pause." {
		t.Errorf("paused: %q", text)
	}
}
