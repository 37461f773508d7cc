package webhooks_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/tui"
	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// received is a file of events with odd texts. One event arrived late.
const received = `{"at":"2026-11-24T08:31:07Z","endpoint":"e-1","event":{"id":"5f0c81d2-1","event":"mission.data_delivered","timestamp":"2026-11-24T08:31:06Z","data":{"mission":{"uuid":"m-1","missionCode":"MSN-200502","status":"dataDelivered","orderUid":"o-1","orderCode":"ORD-100230"}}}}
{"at":"2026-11-24T08:31:09Z","endpoint":"e-1","event":{"id":"5f0c81d2-2","event":"mission.flight_scheduled","timestamp":"2026-11-24T08:11:52Z","data":{"mission":{"uuid":"m-1","missionCode":"MSN-200502","status":"flightScheduled","orderUid":"o-1","orderCode":"ORD-100230"}}}}
{"at":"2026-11-23T16:00:00Z","endpoint":"e-1","event":{"id":"5f0c81d2-3","event":"mission.on_\u001b[2Jthe_moon","timestamp":"2026-11-23T15:59:59Z","data":{"mission":{"uuid":"m-2","missionCode":"MSN-\u202e77","status":"in\u0007Orbit","orderUid":"o-2","orderCode":"ORD-\n9"}}}}
`

func TestFramesOfWebhooks(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("7")
	d.CompareMainFrames(t, "endpoints")
	d.Press("j", "j", "enter")
	d.CompareFrames(t, "gap")
	d.Press("j")
	d.CompareMainFrames(t, "log")
	d.Press("b", "esc", "n")
	d.Type("hooks.acme.example/a b")
	d.CompareFrames(t, "register")
	d.Press("esc", "delete")
	d.CompareFrames(t, "delete")
	d.Press("esc", "V")
	d.CompareFrames(t, "bench")
	const secret, body = "whsec_of_the_test", `{"id":"d-1","event":"mission.completed","timestamp":"2026-11-24T08:41:00Z","data":{"mission":{"missionCode":"MSN-7"}}}`
	d.Paste(body + "\n")
	d.Press("tab")
	d.Type(api.Sign(secret, []byte(body)))
	d.Press("tab")
	d.Type(secret)
	d.Press("enter")
	d.CompareFrames(t, "bench-no")
	d.Press("shift+tab", "shift+tab", "ctrl+u")
	d.Paste(body)
	d.Press("enter")
	d.CompareFrames(t, "bench-yes")
}

func TestFramesOfTheFeed(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("7", "L")
	d.CompareFrames(t, "off")
	d.Press("L")
	d.CompareFrames(t, "place")
	file := filepath.Join(t.TempDir(), "received.jsonl")
	if err := os.WriteFile(file, []byte(received), 0o600); err != nil {
		t.Fatal(err)
	}
	d = apptest.Open(t, 100, 30, func(o *tui.Options) { o.Received = file })
	d.Press("7", "L")
	d.Press("j")
	d.CompareMainFrames(t, "events")
}

func TestFramesOfWebhooksWithoutAny(t *testing.T) {
	d := apptest.OpenAgainst(t, apptest.AnswerNothing)
	d.Press("7")
	d.CompareFrames(t, "empty")
	d = apptest.OpenAgainst(t, apptest.AnswerBroken)
	d.Press("7")
	d.CompareFrames(t, "trouble")
	d = apptest.OpenAgainst(t, unscoped)
	d.Press("7")
	d.CompareFrames(t, "no-scope")
}

// unscoped is a service without orders that does not permit access to endpoints.
func unscoped(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.URL.Path, "/webhooks") {
		apptest.WriteAnswer(w, http.StatusForbidden, `{"success":false,"message":"the key lacks webhooks:read","data":{"code":"missing_scope"}}`)
		return
	}
	apptest.AnswerNothing(w, r)
}

func TestFramesWhileWebhooksAreRead(t *testing.T) {
	d := tuitest.New(t)
	web := httptest.NewServer(http.HandlerFunc(apptest.AnswerNothing))
	t.Cleanup(web.Close)
	reading := apptest.OpenOn(t, d, web.URL, "fd_test_key", "ACME Geo GmbH", 100, 30)
	d.Hold()
	reading.Press("7")
	reading.CompareFrames(t, "loading")
	reading.Release()
	reading.RequireText("No endpoints yet.")
}

// Odd texts of endpoints and callbacks neither move the cursor nor break the layout.
func TestHostileEndpointsAreShownAsTheyAre(t *testing.T) {
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/deliveries"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"\u001b]0;x\u0007","event":"\u001b[31mred","missionUid":"\u202em","success":false,"responseCode":-7,"attempts":1000000,"error":"line\none\u001b[2J","createdAt":"2026-11-24T08:00:00Z"`,
				`"event":"","success":"maybe"`))
		case strings.HasSuffix(r.URL.Path, "/webhooks"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"../..","url":"https://\u001b[2Jevil\u202e.example/`+strings.Repeat("宽", 300)+`","events":["a\tb"],"description":"two\nlines","status":"\u0000","lastStatus":"failed"`,
				`"uuid":"e-2","url":"","events":null`))
		default:
			apptest.AnswerNothing(w, r)
		}
	})
	d.Press("7")
	d.CompareFrames(t, "endpoints")
	d.Press("enter")
	d.CompareFrames(t, "log")
	d.Press("delete")
	d.RequireText("Delete endpoint", "Type ../.. to confirm")
	d.Press("esc", "y")
	d.RequireText("Sent to the terminal's clipboard: the summary")
}
