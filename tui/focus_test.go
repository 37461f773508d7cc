package tui_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/apptest"
)

func TestUnfocusedWindowSendsFewerRequests(t *testing.T) {
	var asked atomic.Int64
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		apptest.AnswerNothing(w, r)
	})
	during := func(focus tea.Msg) int64 {
		d.Send(focus)
		before := asked.Load()
		d.Advance(2 * time.Minute)
		return asked.Load() - before
	}
	looked, away := during(tea.FocusMsg{}), during(tea.BlurMsg{})
	if away >= looked {
		t.Errorf("%d requests without the keys, %d with them", away, looked)
	}
	d.Advance(45 * time.Second) // what is shown has become stale
	before := asked.Load()
	d.Send(tea.FocusMsg{})
	if asked.Load() == before {
		t.Error("nothing is read when the window is come back to")
	}
}
