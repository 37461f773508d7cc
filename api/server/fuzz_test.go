package server_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// A body that the reader accepts is valid in the document and follows the rules. A body that the
// reader refuses has a reason.
func FuzzCreateOrderBody(f *testing.F) {
	f.Add(mustJSON(f, survey()))
	for _, body := range []string{
		"", "{}", "[]", "null", `{"order":{},"missions":[]}`, `{"order":{"order":1},"missions":[{"locationMap":[{}]}]}`,
		`{"missions":[{"areaSize":1e999,"missionType":"area","locationMap":[{"lat":-0,"lng":1e-400}]}]}`, `{"a\u0000":1}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := server.ReadCreateOrder(body)
		if err == nil {
			if err := documentAccepts(t, "/orders", body); err != nil {
				t.Errorf("the document refuses it: %v", err)
			}
			checkRules(t, req)
			return
		}
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Message == "" {
			t.Fatalf("refused with %v", err)
		}
		if listed := len(refusal.Fields) > 0; listed != (refusal.Code == api.CodeValidationFailed) {
			t.Errorf("%s lists %d faults", refusal.Code, len(refusal.Fields))
		}
		for _, fault := range refusal.Fields {
			if fault.Field == "" || fault.Message == "" {
				t.Errorf("a fault without place or message: %+v", fault)
			}
		}
	})
}

func checkRules(t *testing.T, req api.CreateOrderRequest) {
	t.Helper()
	o := req.Order
	if o.Deadline.Before(o.StartDate.Time) || len(o.Sensors) == 0 || o.OrderType == api.SingleLocation && len(req.Missions) != 1 {
		t.Errorf("accepted %+v", req)
	}
	for _, m := range req.Missions {
		if len(m.LocationMap) < m.MissionType.MinPoints() || m.AreaSize < 0 {
			t.Errorf("accepted %+v", m)
		}
	}
}

// A registered endpoint is valid in the document, and callbacks can be sent to its address.
func FuzzCreateWebhookBody(f *testing.F) {
	for _, body := range []string{
		`{"url":"https://a.example/hook","events":["mission.completed"],"description":"ü"}`, `{"url":"HTTPS://[::1]:8443/?q"}`, "{}", "null",
		`{"url":"https://u:p@a.example/#f","events":[],"description":5}`, `{"url":"https://%41:1","events":null,"description":null}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := server.ReadCreateWebhook(body)
		if err != nil {
			var refusal *domain.Error
			if !errors.As(err, &refusal) || refusal.Message == "" {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		if err := documentAccepts(t, "/webhooks", body); err != nil {
			t.Errorf("the document refuses it: %v", err)
		}
		r, err := http.NewRequest(http.MethodPost, req.URL, nil)
		if err != nil || r.URL.Scheme != "https" || r.URL.Hostname() == "" || r.URL.User != nil || r.URL.Fragment != "" {
			t.Errorf("registered %q, %v", req.URL, err)
		}
	})
}

func FuzzCursor(f *testing.F) {
	seal, open := server.Cursors([]byte("secret"))
	f.Add(seal("orders", 1, store.Position{Sort: 1, ID: 2}))
	f.Add(seal("orders", 2, store.Position{Sort: 1, ID: 2}))
	f.Add("")
	f.Add("====")
	f.Fuzz(func(t *testing.T, cursor string) {
		at, err := open("orders", 1, cursor)
		if err == nil && seal("orders", 1, at) != cursor {
			t.Errorf("%q opens as %+v, which is sealed otherwise", cursor, at)
		}
	})
}

// An upload of any bytes gives a file or a refusal.
func FuzzUpload(f *testing.F) {
	whole, mediaType := upload(f, part{"file", kml(mast)}, part{"other", []byte("x")})
	f.Add(mediaType, whole)
	f.Add(mediaType, whole[:len(whole)-9])
	f.Add("multipart/form-data; boundary=b", []byte("--b\r\nContent-Disposition: form-data; name=file\r\n\r\na,b\r\n--b--"))
	f.Add("multipart/form-data; boundary=\"\"", []byte("--\r\n"))
	f.Add("application/json", []byte("{}"))
	f.Fuzz(func(t *testing.T, mediaType string, body []byte) {
		r := httptest.NewRequest(http.MethodPost, publicHandlers+"/csv/parse", bytes.NewReader(body))
		r.Header.Set("Content-Type", mediaType)
		file, err := server.ReadUpload(r)
		var refusal *domain.Error
		if err == nil && (len(file) == 0 || !bytes.Contains(body, file)) {
			t.Errorf("read %q", file)
		} else if err != nil && (!errors.As(err, &refusal) || refusal.Message == "") {
			t.Errorf("refused with %v", err)
		}
	})
}
