package server_test

import (
	"crypto/tls"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
)

// refusedRequests are requests that net/http refuses before a handler runs.
var refusedRequests = map[string]struct {
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
}

// requireEnvelopes checks that each of the refused requests is answered in the envelope, with a
// request ID and the service's date.
func requireEnvelopes(t *testing.T, now func() time.Time, send func(request string) reply) {
	t.Helper()
	for name, c := range refusedRequests {
		r := send(c.request)
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
		if got, want := r.header["Date"], now().UTC().Format(http.TimeFormat); len(got) != 1 || got[0] != want {
			t.Errorf("%s: Date is %q, want %q", name, got, want)
		}
	}
}

func TestErrorsOfNetHTTPAreInTheEnvelope(t *testing.T) {
	b := newBench(t)
	addr := strings.TrimPrefix(b.origin, "http://")
	requireEnvelopes(t, b.clock.now, func(request string) reply { return sendRaw(t, addr, []byte(request)) })
	if r := sendRaw(t, addr, []byte("GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n")); r.status != 200 {
		t.Errorf("100-continue: %d %s", r.status, r.raw)
	}
}

func TestErrorsOfNetHTTPAreInTheEnvelopeOverTLS(t *testing.T) {
	certificate, roots := selfSigned(t)
	now := func() time.Time { return time.Date(2026, 11, 24, 9, 42, 0, 0, time.UTC) }
	s := start(t, &server.Server{Demo: true, Now: now, TLS: &tls.Config{Certificates: []tls.Certificate{certificate}}})
	addr, err := s.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	requireEnvelopes(t, now, func(request string) reply {
		conn, err := tls.Dial("tcp", addr.String(), &tls.Config{RootCAs: roots})
		if err != nil {
			t.Fatal(err)
		}
		return sendOn(t, conn, []byte(request))
	})
	if r := sendRaw(t, addr.String(), []byte("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")); r.status != 400 || !strings.Contains(string(r.raw), "use https") {
		t.Errorf("without TLS: %d %s", r.status, r.raw)
	}
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: roots}}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get("https://" + addr.String() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.ProtoMajor != 2 || resp.StatusCode != http.StatusOK {
		t.Errorf("HTTP/2: %s %s", resp.Proto, resp.Status)
	}
}

func TestCloseCancelsRunningHandshakes(t *testing.T) {
	certificate, _ := selfSigned(t)
	s := start(t, &server.Server{Demo: true, TLS: &tls.Config{Certificates: []tls.Certificate{certificate}}})
	addr, err := s.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
		t.Errorf("the connection is still open: %v", err)
	}
}
