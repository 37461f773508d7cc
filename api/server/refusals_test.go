package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"flightdesk/api"
)

// Refusals that net/http writes itself are in the envelope, with a request ID and the
// service's date.
func TestRefusalsBeforeAHandlerAreInTheEnvelope(t *testing.T) {
	b := newBench(t)
	addr := strings.TrimPrefix(b.origin, "http://")
	for name, c := range map[string]struct {
		request string
		status  int
		code    api.ErrorCode
		says    string
	}{
		"no host":          {"GET /healthz HTTP/1.1\r\n\r\n", 400, api.CodeValidationFailed, "Host"},
		"a bad header":     {"GET /healthz HTTP/1.1\r\nHost: x\r\nA B: c\r\n\r\n", 400, api.CodeValidationFailed, "header"},
		"no request":       {"\x16\x03\x01\r\n\r\n", 400, api.CodeValidationFailed, "cannot be read"},
		"an expectation":   {"GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: luck\r\n\r\n", 417, api.CodeValidationFailed, "100-continue"},
		"large headers":    {"GET /healthz HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("a", 80<<10) + "\r\n\r\n", 431, api.CodeTooLarge, "64 KiB"},
		"a transfer code":  {"POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: zip\r\n\r\n", 501, api.CodeValidationFailed, "Transfer-Encoding"},
		"another protocol": {"GET /healthz HTTP/3.0\r\nHost: x\r\n\r\n", 505, api.CodeValidationFailed, "HTTP/1.1"},
	} {
		r := sendRaw(t, addr, []byte(c.request))
		var envelope struct {
			Success bool
			Message string
			Data    struct {
				Code      api.ErrorCode
				Errors    []api.FieldError
				RequestID string
			}
		}
		if err := json.Unmarshal(r.raw, &envelope); err != nil {
			t.Errorf("%s: %d %q: %v", name, r.status, r.raw, err)
			continue
		}
		if r.status != c.status || envelope.Success || envelope.Data.Code != c.code || !strings.Contains(envelope.Message, c.says) || len(envelope.Data.Errors) != 1 {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
		if id := r.header.Get("X-Request-Id"); id == "" || id != envelope.Data.RequestID {
			t.Errorf("%s: X-Request-Id is %q, the body has %q", name, id, envelope.Data.RequestID)
		}
		if got, want := r.header["Date"], b.clock.now().UTC().Format(http.TimeFormat); len(got) != 1 || got[0] != want {
			t.Errorf("%s: Date is %q, want %q", name, got, want)
		}
	}
	if r := sendRaw(t, addr, []byte("GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n")); r.status != 200 {
		t.Errorf("100-continue: %d %s", r.status, r.raw)
	}
}
