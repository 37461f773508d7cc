package server_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/desk"
)

// Whatever the body of an operation is, the service answers in the envelope
// and blames itself for nothing.
func FuzzBodies(f *testing.F) {
	s := start(f, &server.Server{OpsKey: "desk"})
	b := &bench{t: f, s: s, clock: newClock(time.Now())}
	p := b.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	key := b.issue(p.account, desk.KeySpec{Scopes: api.Scopes()})
	operations := []struct{ method, path, key string }{
		{"POST", public + "/orders", key.key},
		{"POST", public + "/orders/" + p.uuid + "/archive", key.key},
		{"POST", public + "/orders/" + p.uuid + "/reject", key.key},
		{"POST", public + "/orders/" + p.uuid + "/cancel", key.key},
		{"POST", public + "/webhooks", key.key},
		{"POST", opsPath + "/accounts", "desk"},
		{"PATCH", opsPath + "/accounts/" + p.account, "desk"},
		{"POST", opsPath + "/accounts/" + p.account + "/keys", "desk"},
		{"POST", opsPath + "/accounts/" + p.account + "/key-requests", "desk"},
		{"POST", opsPath + "/missions/" + p.mission[0] + "/assign-operator", "desk"},
		{"POST", opsPath + "/missions/" + p.mission[0] + "/schedule", "desk"},
		{"PUT", opsPath + "/missions/" + p.mission[0] + "/flight-permission", "desk"},
		{"POST", opsPath + "/missions/" + p.mission[0] + "/accept-delivery", "desk"},
		{"POST", opsPath + "/webhook-trust", "desk"},
	}
	for _, body := range []string{
		"{}", "null", "[]", `{"reason":"flooded"}`, `{"companyName":"A","currency":"EUR"}`, `{"scopes":["orders:read"],"expiresAt":"2030-01-01T00:00:00Z"}`,
		`{"operatorName":"Jørgen"}`, `{"flightDate":"2030-01-01T00:00:00+02:00","note":"n"}`, `{"status":"granted","validFrom":null}`,
		`{"intendedUse":"CI","scopes":["files:read"]}`, `{"certificate":"-----BEGIN CERTIFICATE-----\n"}`, `{"url":"https://a.example/"}`,
	} {
		for i := range operations {
			f.Add(uint8(i), []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, body []byte) {
		op := operations[int(i)%len(operations)]
		r := httptest.NewRequest(op.method, op.path, bytes.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+op.key)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code >= http.StatusInternalServerError {
			t.Errorf("%s %s: %d %s", op.method, op.path, w.Code, w.Body)
		}
		theContract(t).checkAnswer(t, r, w.Result(), w.Body.Bytes())
	})
}
