package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

func TestTimesKeepTheirOffset(t *testing.T) {
	b := newBench(t)
	p := b.takenOver(api.OrderPendingOperator, api.MissionAwaitingPilot)
	mission := "/missions/" + p.mission[0]
	b.ops("POST", mission+"/assign-operator", `{"operatorName":"Nadia"}`)
	b.ops("POST", mission+"/schedule", `{"flightDate":"2026-05-01T10:00:00+05:30"}`)
	b.ops("PUT", mission+"/flight-permission", `{"status":"granted","validFrom":"2026-04-30T23:00:00-03:00","validTo":"2026-05-03T00:00:00Z"}`)
	planned := b.call("GET", publicHandlers+mission+"/planning", p.key, nil)
	permission := b.call("GET", publicHandlers+mission+"/flight-permission", p.key, nil)
	key := b.ops("POST", "/accounts/"+p.account+"/keys", `{"scopes":["orders:read"],"expiresAt":"2027-01-01T00:00:00+02:00"}`)
	keys := b.ops("GET", "/accounts/"+p.account+"/keys", nil)
	for text, answer := range map[string]reply{
		`"flightDate":"2026-05-01T10:00:00+05:30"`: planned, `"validFrom":"2026-04-30T23:00:00-03:00"`: permission,
		`"validTo":"2026-05-03T00:00:00.000Z"`: permission, `"expiresAt":"2027-01-01T00:00:00+02:00"`: keys,
	} {
		if !strings.Contains(string(answer.raw), text) {
			t.Errorf("no %s in %s", text, answer.raw)
		}
	}
	if !strings.Contains(string(key.raw), `+02:00"`) {
		t.Errorf("issued: %s", key.raw)
	}
	order := b.ops("GET", "/orders/"+p.uuid, nil)
	missions := b.call("GET", publicHandlers+"/orders/"+into[ops.Order](t, order).OrderCode+"/missions", p.key, nil)
	for _, r := range []reply{order, missions} {
		if strings.Count(string(r.raw), `"flightDate":"2026-05-01T10:00:00+05:30"`) != strings.Count(string(r.raw), `"flightDate"`) {
			t.Errorf("%s", r.raw)
		}
	}
}

// The day of a deadline is the day that the client sent, east and west of UTC.
func TestDeadlineKeepsItsDay(t *testing.T) {
	b := newBench(t)
	for deadline, day := range map[string]string{
		"2027-02-10T00:00:00+14:00": "2027-02-10", "2027-02-10T23:59:59-11:00": "2027-02-10", "2027-02-10T00:00:00Z": "2027-02-10",
	} {
		req := survey()
		body := strings.Replace(string(mustJSON(t, req)), `"`+req.Order.Deadline.Format(time.RFC3339Nano)+`"`, `"`+deadline+`"`, 1)
		o := into[api.Order](t, b.call("POST", publicHandlers+"/orders", b.alice, body))
		for _, r := range []reply{b.legacy("/getorder/"+o.UUID, b.alice, ""), b.legacy("/getorderslist", b.alice, `{"limit":1}`)} {
			if !strings.Contains(string(r.raw), `"deliveryDeadline":"`+day+`"`) {
				t.Errorf("%s: %s", deadline, r.raw)
			}
		}
	}
}

// An endpoint that callbacks cannot reach is registered, and the response says so.
func TestRegisteringAnUnreachableEndpoint(t *testing.T) {
	b := newBenchOn(t, &server.Server{WebhookAllow: []netip.Prefix{netip.MustParsePrefix("192.168.7.0/24")}})
	for host, reachable := range map[string]bool{
		"10.0.0.1": false, "127.0.0.1:8443": false, "LocalHost": false, "hooks.localhost.": false, "169.254.169.254": false, "168.63.129.16": false,
		"[::1]": false, "[fe80::1]:443": false, "[::ffff:10.0.0.1]": false, "192.168.8.1": false,
		"192.168.7.1": true, "8.8.8.8": true, "[2606:4700::1]": true, "desk.example": true, "10.0.0.1.example": true,
	} {
		r := b.call("POST", publicHandlers+"/webhooks", b.alice, `{"url":"https://`+host+`/hook"}`)
		if r.status != http.StatusCreated || strings.Contains(r.Message, "will not reach it") == reachable {
			t.Errorf("%s: %d %s", host, r.status, r.raw)
		}
	}
}

func TestUUIDsAreReadInEitherCase(t *testing.T) {
	b := newBench(t)
	o := b.place(b.alice)
	for _, path := range []string{"/orders/" + strings.ToUpper(o.UUID), "/accounts/" + strings.ToUpper(b.accountOf(b.alice)) + "/keys"} {
		if r := b.ops("GET", path, nil); r.status != http.StatusOK {
			t.Errorf("%s: %d %s", path, r.status, r.raw)
		}
	}
	if r := b.call("POST", publicHandlers+"/orders/"+strings.ToUpper(o.UUID)+"/cancel", b.alice, nil); r.status != http.StatusOK {
		t.Errorf("%d %s", r.status, r.raw)
	}
}

func TestSnapshotsMayHaveADotInTheirName(t *testing.T) {
	b := newBenchOn(t, server.Embedded(&server.Server{}))
	if r := b.ops("POST", "/snapshots", `{"name":"lesson-1.2"}`); r.status != http.StatusCreated {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if r := b.ops("POST", "/snapshots/lesson-1.2/restore", nil); r.status != http.StatusOK {
		t.Errorf("%d %s", r.status, r.raw)
	}
	wantFault(t, "a dot at the end", b.ops("POST", "/snapshots", `{"name":"lesson."}`), 400, api.CodeValidationFailed)
}

// Requests that net/http refuses before any handler are also answered in the envelope, and files are
// still sent.
func TestMalformedRequestsAreAnsweredInTheEnvelope(t *testing.T) {
	b := newBench(t)
	at, err := url.Parse(b.origin)
	if err != nil {
		t.Fatal(err)
	}
	for _, head := range []string{
		"GET " + server.PublicPath + "/orders/%zz HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x y\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\n\x01: y\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", at.Host)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, head)
		answer, err := io.ReadAll(conn)
		_ = conn.Close()
		if text := string(answer); err != nil || !strings.HasPrefix(text, "HTTP/1.1 400 ") ||
			!strings.Contains(text, `{"success":false,"message":"request: `) || !strings.Contains(text, `"code":"validation_failed"`) {
			t.Errorf("%q: %q, %v", head, answer, err)
		}
	}
}
