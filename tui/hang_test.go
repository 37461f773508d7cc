package tui_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// No key waits for the service, which never responds here.
func TestHangingServiceBlocksNoKey(t *testing.T) {
	d := tuitest.New(t)
	d.Hold()
	web := httptest.NewServer(http.HandlerFunc(apptest.AnswerNothing))
	t.Cleanup(web.Close)
	waiting := apptest.OpenOn(t, d, web.URL, "fd_test_key", "ACME Geo GmbH", 100, 30)
	waiting.RequireText("loading…", "○ connecting")
	for _, step := range []struct{ key, sees string }{
		{"?", "Keys: Orders"},
		{"esc", "loading…"},
		{":", "an action, an order"},
		{"esc", "loading…"},
		{"r", "loading…"},
		{"n", "New order"},
		{"esc", "loading…"},
		{";", "r"},
		{"esc", "loading…"},
		{"2", "loading…"},
	} {
		waiting.Press(step.key)
		waiting.RequireText(step.sees)
	}
	waiting.Advance(time.Hour)
	waiting.Resize(0, 0)
	waiting.Resize(140, 40)
	waiting.RequireText("loading…")
	if err := waiting.App.Close(); err != nil { // the end waits for no answer, either
		t.Error(err)
	}
}
