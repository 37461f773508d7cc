package webhooks_test

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

// The endpoint that the feed registered is deleted when the app quits.
func TestTheFeedLeavesNoEndpointBehind(t *testing.T) {
	h := hooks(t, true)
	before := h.endpoint().UUID
	h.Press("7", "L")
	h.RequireText("● listening", "L stop listening")
	h.SeesNot("L start")
	own := h.endpoint().UUID
	if own == before {
		t.Fatal("no endpoint is registered")
	}
	h.Press("esc", "r")
	h.RequireText("4 endpoints", "(this app)")
	h.Press("g")
	h.RequireText("Used by     live events of this app;")
	h.Press("delete")
	h.RequireText("in use by live events")
	h.Close()
	if now := h.endpoint().UUID; now != before {
		t.Errorf("the endpoint %s was not deleted", now)
	}
}

// Behind a tunnel, the feed uses an existing endpoint with its stored secret, also after a restart.
// Callbacks with another signature are rejected.
func TestTheFeedVerifiesAfterARestart(t *testing.T) {
	h := hooks(t, false)
	e, secret := h.registers("https://tunnel.example/hook")
	h.Press("esc")
	post := func(secret, id string) int {
		t.Helper()
		at := h.Client.Now().UTC().Format(time.RFC3339)
		body := `{"id":"` + id + `","event":"mission.completed","timestamp":"` + at + `","data":{"mission":{"uuid":"m-1","missionCode":"MSN-77\u001b[2J","orderCode":"ORD-77","status":"completed"}}}`
		addr := regexp.MustCompile(`through (127\.0\.0\.1:\d+)`).FindStringSubmatch(h.Screen())
		if len(addr) != 2 {
			t.Fatalf("it does not say where it listens:\n%s", h.Screen())
		}
		req, err := api.NewCallback(t.Context(), "http://"+addr[1], secret, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	listen := func() {
		h.Press("L")
		h.RequireText("○ not listening", "L start listening")
		h.Press("L")
		h.RequireText("Listen for events")
		h.Press("ctrl+u")
		h.Type("https://tunnel.example/hook")
		h.RequireText("Uses your endpoint there")
		h.Press("tab", "ctrl+u")
		h.Type("127.0.0.1:0")
		h.Press("enter")
		h.RequireText("● listening, tunnel.example/hook through 127.0.0.1:")
	}
	listen()
	if status := post("whsec_of_somebody_else", "d-0"); status != http.StatusUnauthorized {
		t.Errorf("a callback with another signature got status %d", status)
	}
	h.hears("1 callback rejected")
	if status := post(secret, "d-1"); status != http.StatusNoContent {
		t.Errorf("answered with %d", status)
	}
	h.hears("MSN-77␛[2J")
	h.RequireText("ORD-77", "completed", "1 event")
	h.Close()

	again := apptest.OpenOn(t, h.Driver, h.Client.BaseURL(), h.service.Accounts()[0].Key, "ACME", 140, 40, func(o *tui.Options) {
		client := o.Client
		*o = h.Options
		o.Client = client
	})
	h.Session = again
	h.Press("7")
	h.RequireText("tunnel.example/hook", "4 endpoints")
	h.Press("L")
	h.RequireText("ORD-77", "1 event") // events of the earlier run are listed
	h.Press("esc")
	listenAgain := func() {
		h.Press("L", "L")
		h.RequireText("https://tunnel.example/hook", "Uses your endpoint there") // the addresses of the last run are filled in
		h.Press("enter")
		h.RequireText("● listening, tunnel.example/hook")
	}
	listenAgain()
	for range 2 {
		if status := post(secret, "d-1"); status != http.StatusNoContent { // known from before the restart
			t.Errorf("answered with %d", status)
		}
	}
	if status := post(secret, "d-2"); status != http.StatusNoContent {
		t.Errorf("answered with %d", status)
	}
	h.hears("2 events")
	if _, err := h.Client.Webhooks.Get(t.Context(), e.UUID); err != nil {
		t.Errorf("the endpoint was deleted: %v", err)
	}
}

// tunnel returns an app that listens behind a tunnel, and a function that posts callbacks through
// the tunnel.
func tunnel(t *testing.T) (h *hooked, post func(id string)) {
	t.Helper()
	h = hooks(t, false)
	_, secret := h.registers("https://tunnel.example/hook")
	h.Press("esc", "L", "L", "ctrl+u")
	h.Type("https://tunnel.example/hook")
	h.Press("tab", "ctrl+u")
	h.Type("127.0.0.1:0")
	h.Press("enter")
	addr := regexp.MustCompile(`through (127\.0\.0\.1:\d+)`).FindStringSubmatch(h.Screen())
	if len(addr) != 2 {
		t.Fatalf("it does not say where it listens:\n%s", h.Screen())
	}
	return h, func(id string) {
		t.Helper()
		body := `{"id":"` + id + `","event":"mission.completed","timestamp":"` + h.Client.Now().UTC().Format(time.RFC3339) +
			`","data":{"mission":{"uuid":"m-` + id + `","missionCode":"MSN-` + id + `","status":"completed"}}}`
		req, err := api.NewCallback(t.Context(), "http://"+addr[1], secret, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil || res.StatusCode != http.StatusNoContent {
			t.Fatalf("%v, %v", res, err)
		}
		_ = res.Body.Close()
	}
}

// A received event is on the screen within 50 ms after the first byte of the callback. A busy machine
// may delay many, so one must be fast enough.
func TestAReceivedEventIsOnTheScreenWithin50Milliseconds(t *testing.T) {
	h, post := tunnel(t)
	best := time.Hour
	for i := 0; i < 100 && best > 50*time.Millisecond; i++ {
		id := fmt.Sprint(700 + i)
		for len(h.posted) > 0 {
			<-h.posted
		}
		began := time.Now()
		post(id)
		h.Send(<-h.posted)
		h.RequireText("MSN-" + id)
		best = min(best, time.Since(began))
	}
	t.Logf("the fastest event took %v", best)
	if best > 50*time.Millisecond {
		t.Errorf("the fastest event took %v", best)
	}
}
