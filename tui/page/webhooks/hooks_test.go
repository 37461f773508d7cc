package webhooks_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/tui"
	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// ring is a keyring in memory.
type ring map[string]string

func (r ring) Get(endpoint string) (string, error) { return r[endpoint], nil }
func (r ring) Set(endpoint, secret string) error   { r[endpoint] = secret; return nil }
func (r ring) Delete(endpoint string) error        { delete(r, endpoint); return nil }

// hooked is the app with a service in server mode, which sends callbacks to this machine.
type hooked struct {
	*apptest.Session
	service *server.Server
	ops     *ops.Client
	ring    ring
	posted  chan tea.Msg
	copied  *string
	refuse  string // paths that contain it are rejected; "" for none
}

// hooks starts the app. With an operations API, the service can be told to trust its certificate.
func hooks(t *testing.T, withDesk bool, change ...func(*tui.Options)) *hooked {
	t.Helper()
	d := tuitest.New(t)
	began := time.Now() // the service asks for the time when nobody drives the app
	s := &server.Server{Demo: true, Now: func() time.Time { return tuitest.Clock.Add(time.Since(began)) }, WebhookAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := &hooked{service: s, ring: ring{}, posted: make(chan tea.Msg, 100), copied: new(string)}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.refuse != "" && strings.Contains(r.URL.Path, h.refuse) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		s.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		web.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	desk, err := ops.NewClient(web.URL+server.OpsPath, s.OpsKey)
	if err != nil {
		t.Fatal(err)
	}
	h.ops = desk
	dir := t.TempDir()
	account := s.Accounts()[0]
	all := append([]func(*tui.Options){func(o *tui.Options) {
		if withDesk {
			o.Ops = desk
		}
		o.Views = filepath.Join(dir, "views.json")
		o.Secrets, o.Received, o.Listens = h.ring, filepath.Join(dir, "received.jsonl"), filepath.Join(dir, "listen")
		o.Clipboard = func(text string) (string, error) { *h.copied = text; return "", nil }
		o.Post = func(msg tea.Msg) {
			select {
			case h.posted <- msg:
			default:
			}
		}
	}}, change...)
	h.Session = apptest.OpenOn(t, d, web.URL+server.PublicPath, account.Key, account.CompanyName, 140, 40, all...)
	return h
}

// hears waits until the feed received something, and updates the app.
func (h *hooked) hears(text string) {
	h.T.Helper()
	late := time.After(time.Minute)
	for !strings.Contains(h.Screen(), text) {
		select {
		case msg := <-h.posted:
			h.Send(msg)
		case <-late:
			h.T.Fatalf("in vain waited for %q:\n%s", text, h.Screen())
		}
	}
}

// endpoint returns the newest endpoint of the account.
func (h *hooked) endpoint() *api.WebhookEndpoint {
	h.T.Helper()
	for e, err := range h.Client.Webhooks.All(h.T.Context()) {
		if err != nil {
			h.T.Fatal(err)
		}
		return e
	}
	return nil
}

// flies changes the date of a flight through the operations API, and returns its mission.
func (h *hooked) flies() *api.Mission {
	h.T.Helper()
	for o, err := range h.Client.Orders.All(h.T.Context()) {
		if err != nil {
			h.T.Fatal(err)
		}
		list, err := h.Client.Missions.List(h.T.Context(), o.OrderCode, api.ListOptions{})
		if err != nil {
			h.T.Fatal(err)
		}
		for i := range list.Items {
			if m := &list.Items[i]; m.Status == api.MissionFlightScheduled {
				if _, err := h.ops.Missions.Schedule(h.T.Context(), m.UUID, ops.FlightInput{FlightDate: api.TimeOf(h.Now().Add(96 * time.Hour))}); err != nil {
					h.T.Fatal(err)
				}
				return m
			}
		}
	}
	h.T.Fatal("no flight is scheduled")
	return nil
}

// registers registers an endpoint in the app and returns it with the secret on the screen.
func (h *hooked) registers(url string) (e *api.WebhookEndpoint, secret string) {
	h.T.Helper()
	h.Press("7", "n")
	h.RequireText("Register endpoint", "https URL reachable by the service")
	h.Press("ctrl+u")
	h.Type(url)
	h.Press("enter")
	h.RequireText("Endpoint registered", "not shown again")
	h.Advance(time.Second) // the dialog ignores keys at first
	secret = regexp.MustCompile(`whsec_[A-Za-z0-9_-]+`).FindString(h.Screen())
	return h.endpoint(), secret
}

func TestAnEndpointIsRegisteredReceivesVerifiesAndIsDeleted(t *testing.T) {
	h := hooks(t, true)

	// Register: the address is checked while it is typed, and the secret is shown once.
	h.Press("7", "n", "ctrl+u")
	h.Type("http://")
	h.RequireText("must use https")
	h.Press("esc")
	e, secret := h.registers("https://hooks.acme.example/survey")
	if len(secret) < 40 || h.ring[e.UUID] != secret {
		t.Fatalf("shown %q, kept %v", secret, h.ring)
	}
	h.RequireText("Also stored in the keyring", "c copy")
	h.Press("y")
	h.RequireText("Copied the secret")
	if *h.copied != secret {
		t.Errorf("copied %q", *h.copied)
	}
	h.Press("esc")
	h.RequireText("hooks.acme.example/survey", "✓ stored; this app can verify", "4 endpoints")
	h.SeesNot(secret)
	h.Press("w", "/")
	h.Type("method:POST code:201")
	h.Press("enter")
	h.RequireText("201", `"secret": "•••`) // the request log masks the secret
	h.SeesNot(secret)
	h.Press("esc", "esc")

	// Receive and verify: the feed registers an endpoint, and the service is configured to
	// trust its certificate.
	h.Press("L")
	h.RequireText("● listening, 127.0.0.1:", "the endpoint is deleted when you stop", "No events yet.")
	m := h.flies()
	h.hears(m.MissionCode)
	h.RequireText("1 event", "Flight scheduled", m.OrderCode, "✓ verified", "◎ Flight scheduled")
	h.Press("enter")
	h.RequireText("Live events › "+m.MissionCode, m.MissionName)
	h.Press("esc", "L")
	h.RequireText("○ not listening", "1 event")

	// Delete: the host is typed to confirm, and the deletion can be undone for 8 seconds.
	h.Press("esc")
	h.Press("delete")
	h.RequireText("Delete endpoint", "Type hooks.acme.example to confirm")
	h.Press("enter")
	h.RequireText("Delete endpoint")
	h.Type("hooks.acme.example")
	h.Press("enter")
	h.RequireText("Deleting hooks.acme.example/survey in 8 s", "u to undo")
	h.Advance(9 * time.Second)
	h.RequireText("Deleted hooks.acme.example/survey", "3 endpoints")
	if _, err := h.Client.Webhooks.Get(t.Context(), e.UUID); !api.IsStatus(err, http.StatusNotFound) {
		t.Errorf("the endpoint was not deleted: %v", err)
	}
	if len(h.ring) > 0 {
		t.Errorf("its secret is still stored: %v", h.ring)
	}
}

func TestAMissingCallbackIsListed(t *testing.T) {
	h := hooks(t, false)
	h.Press("7", "/")
	h.Type("hooks.nordlicht")
	h.Press("enter", "enter")
	h.RequireText("1 missing", "! Not in the log")
	h.RequireText("flight scheduled", "no callback", "certain; the log names missions")
	h.Press("y")
	h.RequireText("Copied the summary")
	if want := regexp.MustCompile(`^ORD-\d+ MSN-\d+: flight scheduled on \w+ \d+ Nov \d\d:\d\d \(planning v\d, [^)]+\), no callback in the log\.$`); !want.MatchString(*h.copied) {
		t.Errorf("copied %q", *h.copied)
	}
	code := regexp.MustCompile(`MSN-\d+`).FindString(*h.copied)
	h.Press("enter")
	h.RequireText("› "+code, "Callbacks, last 30 days")
	h.Press("esc", "s")
	h.RequireText("Timeline", "! Flight scheduled: callback missing", "hooks: missing")
	h.Press("esc", "b")
	h.RequireText("problems only")
	h.SeesNot("✓ Delivered")
	h.Press("j", "y")
	if !regexp.MustCompile(`: failed, .* attempts \(ID `).MatchString(*h.copied) {
		t.Errorf("copied %q", *h.copied)
	}
}

func TestMissingCallbacksAreUnknownWithoutThePlanningOfMissions(t *testing.T) {
	h := hooks(t, false)
	h.refuse = "/planning"
	h.Press("7", "/")
	h.Type("hooks.nordlicht")
	h.Press("enter")
	h.RequireText("Missing", "? unknown: planning of MSN-")
	h.Press("enter")
	h.RequireText("missing unknown")
	h.SeesNot("0 missing")
	h.Press("/")
	h.Type("code:200")
	h.Press("enter", "b")
	h.SeesNot("No failed or missing callbacks.")
}

// Leaving a page while it loads does not stop the page below from loading.
func TestLeavingALogWhileItLoadsStopsNothing(t *testing.T) {
	h := hooks(t, false)
	h.Press("7")
	for range 6 {
		h.Advance(15 * time.Second)
		h.Hold()
		h.Press("enter", "esc")
		h.Release()
	}
	if _, err := h.Client.Webhooks.Create(t.Context(), api.CreateWebhookRequest{URL: "https://new.example/"}); err != nil {
		t.Fatal(err)
	}
	h.Press("r", "g")
	h.RequireText("4 endpoints · refreshed just now", "new.example", "none yet")
}

func TestTheSignatureCheckSaysWhyASignatureIsInvalid(t *testing.T) {
	h := hooks(t, false)
	const secret = "whsec_of_the_test_and_nothing_else"
	body := `{"id":"d-1","event":"mission.completed","timestamp":"` + h.Client.Now().UTC().Format(time.RFC3339) + `","data":{"mission":{"missionCode":"MSN-7"}}}`
	h.Press("7", "V", "enter")
	h.RequireText("Signature check", "required")
	h.Paste(body)
	h.Press("tab")
	h.Paste("X-Service-Signature: " + api.Sign(secret, []byte(body)) + "\r\n")
	h.Press("tab")
	h.Type("whsec_wrong")
	h.Press("enter")
	h.RequireText("! Invalid callback signature", "does not match this body and secret", "including whsec_")
	h.SeesNot("whsec_wrong")
	h.Press("ctrl+u")
	h.Type(secret)
	h.Press("enter")
	h.RequireText("✓ Valid signature: event mission.completed of MSN-7")
	for _, other := range []string{strings.Replace(body, `":"`, `": "`, 1), strings.Replace(body, `":"`, "\":\t\"", 1), body + "\r\n", " " + body} {
		h.Press("shift+tab", "shift+tab", "ctrl+u")
		h.Paste(other)
		h.Press("tab", "tab", "enter")
		h.RequireText("does not match this body and secret")
		h.SeesNot(secret, "✓ Valid")
	}
	h.Press("tab")
	h.Type("yesterday")
	h.Press("enter")
	h.RequireText("not a valid time")

	// A whole request, copied from a log.
	h.Press("esc", "V")
	h.Paste(strings.Repeat("x", 1<<20))
	h.RequireText("too long; name its file with @")
	h.Paste("POST /hook HTTP/1.1\r\nHost: x\r\nX-Service-Signature: " + api.Sign(secret, []byte(body)) + "\r\nX-Service-Event: mission.completed\r\n" +
		"X-Service-Delivery: d-2\r\nX-Service-Timestamp: " + h.Client.Now().UTC().Format(time.RFC3339) + "\r\n\r\n" + body)
	h.Press("tab", "tab")
	h.Type(secret)
	h.Press("enter")
	h.RequireText("headers and body name different events")

	// A body from a file, with a line end that the sender did not sign.
	h.WriteFile("body.json", body+"\n")
	h.Press("esc", "V")
	h.Type("@body.json")
	h.Press("tab")
	h.Type(api.Sign(secret, []byte(body)))
	h.Press("tab")
	h.Type(secret)
	h.Press("enter")
	h.RequireText("does not match this body and secret", "a line end that was not sent")
	h.Press("shift+tab", "shift+tab", "ctrl+u")
	h.Type("@none.json")
	h.Press("enter")
	h.RequireText("no such file")
}

func TestATestEventToAnotherMachineHasToBeConfirmed(t *testing.T) {
	h := hooks(t, false)
	const secret = "whsec_of_the_test_and_nothing_else"
	var got []error
	gone := httptest.NewServer(nil)
	gone.Close()
	handled := 0
	live := httptest.NewServer(&api.Receiver{
		Secret: secret, Now: h.Client.Now, Refused: func(err error) { got = append(got, err) },
		Handle: func(context.Context, *api.Event) error { handled++; return nil },
	})
	defer live.Close()
	send := func(to, with string) {
		t.Helper()
		h.Press("t")
		h.RequireText("Send test event")
		h.Press("ctrl+u")
		h.Type(to)
		h.Press("tab", "tab")
		h.Type(with)
		h.Press("enter")
		h.Advance(time.Second)
	}
	h.Press("7")
	send(live.URL, secret)
	h.RequireText("✓ 204 No Content", "the receiver accepted it")
	if handled != 1 {
		t.Errorf("handled %d, %v", handled, got)
	}
	h.Press("esc")
	send(live.URL, "whsec_another")
	h.RequireText("✗ 401 Unauthorized")
	h.Press("esc")
	send(gone.URL, secret)
	h.RequireText("✗ ", "connection refused")
	h.Press("esc")
	send("http://receiver.invalid/hook", secret)
	h.RequireText("Send to another machine?", "receiver.invalid")
	h.Press("esc")
	h.SeesNot("Test event")
	send("ftp://127.0.0.1/", secret)
	h.RequireText("not an http or https URL")
	h.Press("esc")
	h.SeesNot(secret)
}

func TestAKeyWithoutPermissionsSeesWhatIsMissing(t *testing.T) {
	h := hooks(t, false)
	key, err := h.service.IssueKey(t.Context(), h.service.Accounts()[0].UUID, []api.Scope{api.ScopeOrdersRead})
	if err != nil {
		t.Fatal(err)
	}
	d := apptest.OpenOn(t, tuitest.New(t), h.Client.BaseURL(), key, "ACME", 100, 30)
	d.Press("7")
	d.RequireText("Not permitted", "webhooks:read", "Use a key with this scope or another profile.")
	d.Press("V")
	d.RequireText("Signature check")
	d.Press("esc")

	key, err = h.service.IssueKey(t.Context(), h.service.Accounts()[0].UUID, []api.Scope{api.ScopeOrdersRead, api.ScopeWebhooksRead})
	if err != nil {
		t.Fatal(err)
	}
	d = apptest.OpenOn(t, tuitest.New(t), h.Client.BaseURL(), key, "ACME", 100, 30)
	d.Press("7")
	d.RequireText("3 endpoints")
	d.Press("n")
	d.Type("x.example/")
	d.Press("enter")
	d.RequireText("Register endpoint", "Not permitted", "x.example/") // the input is kept
}

func TestWebhooksOfAReadOnlyProfile(t *testing.T) {
	h := hooks(t, true, func(o *tui.Options) { o.ReadOnly = true })
	before := h.endpoint().UUID
	h.Press("7", "n")
	h.RequireText("read-only mode")
	h.Press("delete")
	h.RequireText("read-only mode")
	h.Press("L")
	h.RequireText("○ not listening")
	h.Press("L")
	h.RequireText("listen: read-only mode")
	if now := h.endpoint().UUID; now != before {
		t.Error("an endpoint was registered")
	}
}

// The page of a callback shows its attempts, and failed callbacks are resent from there.
func TestAttemptsAreShownAndFailuresResent(t *testing.T) {
	h := hooks(t, true)
	untrusted := httptest.NewTLSServer(nil)
	defer untrusted.Close()
	e, err := h.Client.Webhooks.Create(t.Context(), api.CreateWebhookRequest{URL: untrusted.URL + "/in"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := h.ops.Webhooks.Test(t.Context(), e.UUID, api.EventFlightScheduled)
	if err != nil {
		t.Fatal(err)
	}
	for history := (&ops.CallbackHistory{}); len(history.Attempts) == 0; {
		if history, err = h.ops.Webhooks.History(t.Context(), d.UUID); err != nil {
			t.Fatal(err)
		}
	}
	h.Press("7", "r", "/")
	h.Type("127.0.0.1")
	h.Press("enter", "enter")
	h.RequireText("◌ being sent", "signed by unknown", "Attempt 1", "Next", "X-Service-Signature:", "Body")

	h.Press("esc", "/", "ctrl+u")
	h.Type("hooks.nordlicht")
	h.Press("enter", "enter", "S")
	h.RequireText("Resend callback", "failed callbacks of", "hooks.nordlicht", "keeps its ID")
	h.Press("enter")
	h.RequireText("being sent again")
}

// With the operations key a callback that a customer received is compared with the one that was
// sent, without the secret.
func TestACallbackIsComparedWithWhatWasSent(t *testing.T) {
	h := hooks(t, true)
	untrusted := httptest.NewTLSServer(nil)
	defer untrusted.Close()
	e, err := h.Client.Webhooks.Create(t.Context(), api.CreateWebhookRequest{URL: untrusted.URL + "/in"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := h.ops.Webhooks.Test(t.Context(), e.UUID, api.EventFlightScheduled)
	if err != nil {
		t.Fatal(err)
	}
	history := &ops.CallbackHistory{}
	for len(history.Attempts) == 0 {
		if history, err = h.ops.Webhooks.History(t.Context(), d.UUID); err != nil {
			t.Fatal(err)
		}
	}
	sent := history.Attempts[0]
	h.Press("7", "r", "/")
	h.Type("127.0.0.1")
	h.Press("enter", "enter")
	h.RequireText("Attempt 1")
	h.Press("V")
	h.Paste(sent.Body + "\n")
	h.Press("tab")
	h.Paste(sent.Headers["X-Service-Signature"])
	h.Press("enter")
	h.RequireText("The body has 1 byte more than the")
	h.Press("esc", "V")
	h.Paste(sent.Body)
	h.Press("tab")
	h.Paste(sent.Headers["X-Service-Signature"])
	h.Press("enter")
	h.RequireText("✓ Body and signature as sent: event mission.flight_scheduled")
}

func TestNothingIsResentWithoutAnOperationsKey(t *testing.T) {
	h := hooks(t, false)
	h.Press("7", "/")
	h.Type("hooks.nordlicht")
	h.Press("enter", "enter", "S")
	h.RequireText("no operations key in this profile; set ops_credential")
	h.SeesNot("Resend callback")
}
