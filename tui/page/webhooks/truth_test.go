package webhooks_test

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

// lockedRing is a keyring that does not answer.
type lockedRing struct{}

func (lockedRing) Get(string) (string, error) { return "", errors.New("the keyring is locked") }
func (lockedRing) Set(string, string) error   { return errors.New("the keyring is locked") }
func (lockedRing) Delete(string) error        { return errors.New("the keyring is locked") }

// oneEndpoint answers like a service with one endpoint.
func oneEndpoint(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/webhooks") {
		apptest.AnswerNothing(w, r)
		return
	}
	apptest.WriteAnswer(w, 200, apptest.OrderList(
		`"uuid":"w-1","url":"https://a.example/in","events":["mission.completed"],"status":"active"`))
}

func TestASecretThatCannotBeReadIsUnknown(t *testing.T) {
	d := apptest.OpenAgainst(t, oneEndpoint, func(o *tui.Options) { o.Secrets = lockedRing{} })
	d.Press("7")
	d.Resize(140, 40)
	d.RequireText("Secret", "unknown: the keyring has not answered")
	d = apptest.OpenAgainst(t, oneEndpoint)
	d.Press("7")
	d.Resize(140, 40)
	d.RequireText("not stored on this machine")
}

// twoEndpoints answers like a service with two endpoints. The callback to the second has failed.
func twoEndpoints(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/w-2/deliveries"):
		apptest.WriteAnswer(w, 200, apptest.OrderList(
			`"uuid":"d-1","event":"mission.data_delivered","missionUid":"m-1","success":false,"responseCode":0,"attempts":4,`+
				`"error":"no response within 5 s","createdAt":"2026-11-23T08:00:00Z"`))
	case strings.HasSuffix(r.URL.Path, "/webhooks"):
		apptest.WriteAnswer(w, 200, apptest.OrderList(
			`"uuid":"w-1","url":"https://a.example/in","events":[],"status":"active","createdAt":"2026-11-02T08:00:00Z"`,
			`"uuid":"w-2","url":"https://survey-hooks.geoportal.example/ingest/callbacks","events":[],"status":"active",`+
				`"lastStatus":"failed","createdAt":"2026-11-01T08:00:00Z"`))
	default:
		apptest.AnswerNothing(w, r)
	}
}

func TestTheFirstFailingEndpointIsSelected(t *testing.T) {
	d := apptest.OpenAgainst(t, twoEndpoints)
	d.Press("7")
	d.RequireText("▸!survey-hooks")
	d.Press("k", "r")
	d.RequireText("▸ a.example/in")
}

func TestTheCauseOfAFailureIsNeverCut(t *testing.T) {
	d := apptest.OpenAgainst(t, twoEndpoints)
	for _, size := range [][2]int{{80, 24}, {120, 35}, {200, 60}} {
		d.Resize(size[0], size[1])
		d.Press("7", "7")
		d.RequireText("1 × no response within 5 s")
		d.Press("enter")
		d.RequireText("✗ No response within 5 s", "Data delivered")
		d.Press("esc")
	}
	d.Resize(120, 35)
	d.RequireText("✗ 23 Nov 09:00  no response  Data delivered")
}

func TestEventsThatCannotBeLoadedAreUnknown(t *testing.T) {
	folder := t.TempDir() // cannot be read as a file
	d := apptest.OpenAgainst(t, twoEndpoints, func(o *tui.Options) { o.Received = folder })
	d.Press("7")
	d.RequireText("? unknown: received events could not be loaded")
	d.Press("enter")
	d.Resize(120, 35)
	d.RequireText("missing unknown", "unknown: received events could not", "be loaded")
	d.SeesNot("not received by this app")
	d.Press("L")
	d.RequireText("ead received events")
	d.SeesNot("No events yet", "0 events")
}

func TestASecretInMemoryIsNotStored(t *testing.T) {
	const created = `"uuid":"w-9","url":"https://new.example/hook","events":[],"status":"active","createdAt":"2026-11-24T08:00:00Z"`
	isRegistered := false
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		isEndpoints := strings.HasSuffix(r.URL.Path, "/webhooks")
		if isEndpoints && r.Method == http.MethodPost {
			isRegistered = true
			apptest.WriteAnswer(w, 201, `{"success":true,"message":"","data":{`+created+`,"secret":"whsec_0123456789"}}`)
			return
		}
		if isEndpoints && isRegistered {
			apptest.WriteAnswer(w, 200, apptest.OrderList(created))
			return
		}
		apptest.AnswerNothing(w, r)
	}, func(o *tui.Options) { o.Secrets = lockedRing{} })
	d.Press("7", "n")
	d.Type("new.example/hook")
	d.Press("enter")
	d.RequireText("Kept until you quit or switch profiles")
	d.Press("esc", "esc")
	d.Resize(140, 40)
	d.RequireText("not stored; known until you quit")
	d.SeesNot("✓ stored")
}

func TestAFailingEndpointSaysWhatToDo(t *testing.T) {
	h := hooks(t, true)
	h.Resize(140, 40)
	h.Press("7")
	h.RequireText("41 of 41", "Next        No response from this URL.", "then S to resend callbacks")
	h.Press("G")
	h.RequireText("Next        Ask the service's support")
}

func TestAFailingEndpointIsMarkedWithTheTimeSinceWhichItFails(t *testing.T) {
	h := hooks(t, false)
	for _, size := range [][2]int{{80, 24}, {120, 35}, {200, 60}} {
		h.Resize(size[0], size[1])
		h.Press("7", "7", "g")
		h.RequireText("▸!alt.windpark-sued.invalid/hook", "✗ Failing", "1 May  41 of 41", "Health      ✗ failing since Fri 1 May")
		h.RequireText("! gis.nordlicht-windkraft.invalid/", "25 Oct   7 of 10")
		h.RequireText("! hooks.nordlicht-windkraft.invalid", "! 1 missing", "19 Nov   6 of 40")
	}
	h.RequireText("Last 41 callbacks  newest at the right", "Newest callbacks of all endpoints")
}

func TestAnEndpointWithoutCallbacksShowsItsRegistration(t *testing.T) {
	d := apptest.OpenAgainst(t, twoEndpoints)
	d.Resize(120, 35)
	d.Press("7", "g", "enter")
	d.RequireText("No callbacks yet.", "t send a test event", "Registered  Mon 2 Nov", "Secret      not stored on this machine")
}

func TestACallbackListsTheOthersOfItsMission(t *testing.T) {
	h := hooks(t, false)
	h.Resize(140, 40)
	h.Press("7", "g", "enter")
	h.RequireText("Other callbacks about MSN-300538")
	if others := regexp.MustCompile(`│ ✗ 11 Nov \d\d:\d\d  Flight scheduled`); !others.MatchString(h.Screen()) {
		t.Errorf("the flight of the mission is not listed:\n%s", h.Screen())
	}
}

func TestResendingIsOfferedOnlyForAFailedCallback(t *testing.T) {
	h := hooks(t, true)
	h.Resize(140, 40)
	h.Press("7", "G", "enter")
	h.RequireText("! Not in the log", "! not in the log", "copy summary")
	h.SeesNot("S resend…")
	h.Press("j")
	h.RequireText("✗ failed, answered 500", "S resend…")
	h.Press("G")
	h.RequireText("✓ delivered")
	h.SeesNot("S resend…")
}

func TestAFailureWithoutALogIsNotCalledAMissingCallback(t *testing.T) {
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/w-2/deliveries") {
			apptest.WriteAnswer(w, 200, apptest.OrderList())
			return
		}
		twoEndpoints(w, r)
	})
	d.Resize(140, 40)
	d.Press("7")
	d.RequireText("survey-hooks.geoportal.example", "ID          w-2")
	d.SeesNot("missing callback", "Next  ")
}

// manyEndpoints answers like a service with a number of endpoints, each with four callbacks.
func manyEndpoints(count int, address string) http.HandlerFunc {
	var endpoints, log []string
	for i := range count {
		endpoints = append(endpoints, fmt.Sprintf(`"uuid":"w-%d","url":"`+address+`","events":[],"status":"active"`, i, i))
	}
	for i := range 4 {
		log = append(log, fmt.Sprintf(`"uuid":"d-%d","event":"mission.data_delivered","missionUid":"m-1","success":true,`+
			`"responseCode":200,"attempts":1,"createdAt":"2026-11-2%dT08:00:00Z"`, i, 3-i))
	}
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/deliveries"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(log...))
		case strings.HasSuffix(r.URL.Path, "/webhooks"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(endpoints...))
		default:
			apptest.AnswerNothing(w, r)
		}
	}
}

func TestTheNewestCallbacksAreBelowTheListOrInTheDetails(t *testing.T) {
	d := apptest.OpenAgainst(t, manyEndpoints(2, "https://h%d.example/in"))
	d.Resize(140, 40)
	d.Press("7")
	d.RequireText("Newest callbacks of all endpoints")
	d = apptest.OpenAgainst(t, manyEndpoints(40, "https://h%d.example/in"))
	d.Resize(140, 40)
	d.Press("7")
	d.RequireText("Newest callbacks")
	d.SeesNot("of all endpoints")
}

func TestRecentCallbacksTellEndpointsOfOneNameApart(t *testing.T) {
	d := apptest.OpenAgainst(t, manyEndpoints(2, "https://hooks.site%d.example/in"))
	d.Resize(160, 40)
	d.Press("7")
	d.RequireText("Newest callbacks of all endpoints", "Data delivered  hooks.site0.example/in", "Data delivered  hooks.site1.example/in")
}
