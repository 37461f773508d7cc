package inspect

import (
	"strings"
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

func TestALogWithoutItsOldestRequestsIsNotFreeOfFailures(t *testing.T) {
	p := newTestPage(t)
	p.version = len(p.listed.Rows) + 1
	if text := p.unsure(); !strings.Contains(text, "older ones are not kept") {
		t.Errorf("an older request was dropped, but the page says %q", text)
	}
}
