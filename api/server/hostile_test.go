package server_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

func TestUnknownPathsAndMethods(t *testing.T) {
	b := newBench(t)
	for _, path := range []string{
		"/", "/nope", "/api", publicHandlers, publicHandlers + "/", publicHandlers + "/orders/", publicHandlers + "//orders", publicHandlers + "/orders/../orders",
		publicHandlers + "/orders/x/missions/y", publicHandlers + "/ORDERS", "/api/v2/createorder", legacyHandlers + "/order/x/quote", "/api/ops/v1/nothing", "/healthz/",
		publicHandlers + "/%2e%2e/orders", publicHandlers + "/orders%2f", "/%00", "/..%2f..%2fetc/passwd",
	} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			if r := b.call(method, path, "", nil); r.status != 404 {
				t.Errorf("%s %s: %d %s", method, path, r.status, r.raw)
			}
		}
	}
	for path, allow := range map[string]string{
		"/healthz":                                "GET, HEAD",
		publicHandlers + "/orders":                "GET, HEAD, POST",
		publicHandlers + "/orders/ORD-1":          "GET, HEAD",
		publicHandlers + "/orders/ORD-1/missions": "GET, HEAD",
		publicHandlers + "/kml/parse":             "POST",
		publicHandlers + "/csv/example":           "GET, HEAD",
	} {
		for _, method := range []string{"PUT", "DELETE", "OPTIONS", "TRACE", "BREW", "get"} {
			r := b.call(method, path, b.alice, nil)
			if r.status != 405 || r.header.Get("Allow") != allow || r.fault.Code != api.CodeMethodNotAllowed {
				t.Errorf("%s %s: %d, allowed are %q: %s", method, path, r.status, r.header.Get("Allow"), r.raw)
			}
		}
	}
}

func TestRequestTargetsThatAreNotPaths(t *testing.T) {
	b := newBench(t)
	addr := strings.TrimPrefix(b.origin, "http://")
	for _, line := range []string{"OPTIONS *", "CONNECT example.com:443", "GET *", "GET http://example.com/nope"} {
		status, body := exchangeRaw(t, addr, []byte(line+" HTTP/1.1\r\nHost: x\r\n\r\n"))
		if status != 404 && status != 400 {
			t.Errorf("%s: %d", line, status)
		}
		if status == 404 {
			theContract(t).checkError(t, body)
		}
	}
}

func TestFullDiskIsReported(t *testing.T) {
	b := newBench(t)
	w := httptest.NewRecorder()
	err := fmt.Errorf("place order: %w", &domain.Error{Code: api.CodeStorageFull, Message: "the disk is full"})
	server.Failing(b.s, err).ServeHTTP(w, httptest.NewRequest(http.MethodPost, publicHandlers+"/orders", nil))
	if w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	theContract(t).checkError(t, w.Body.Bytes())
}

// Clients retry after a 503, because the service has done nothing then.
func TestChangeWithUnknownOutcomeIsNot503(t *testing.T) {
	b := newBench(t)
	w := httptest.NewRecorder()
	server.Failing(b.s, fmt.Errorf("place order: %w: %w", store.ErrInDoubt, store.ErrAway)).
		ServeHTTP(w, httptest.NewRequest(http.MethodPost, publicHandlers+"/orders", nil))
	if w.Code != 500 || w.Header().Get("Retry-After") != "" || !strings.Contains(w.Body.String(), "check before retrying") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	theContract(t).checkError(t, w.Body.Bytes())
}

func TestHeadIsGetWithoutBody(t *testing.T) {
	b := newBench(t)
	r := b.call("HEAD", publicHandlers+"/orders", b.alice, nil)
	if r.status != 200 || len(r.raw) != 0 || r.header.Get("Content-Length") == "" {
		t.Errorf("%d %v %q", r.status, r.header, r.raw)
	}
}

func TestRequestID(t *testing.T) {
	b := newBench(t)
	for _, id := range []string{"a", "A-b_c.9", strings.Repeat("x", 128)} {
		r := b.call("GET", "/nope", "", nil, "X-Request-Id", id)
		if r.header.Get("X-Request-Id") != id || r.fault.RequestID != id {
			t.Errorf("%q became %q and %q", id, r.header.Get("X-Request-Id"), r.fault.RequestID)
		}
	}
	for _, id := range []string{"", " ", "a b", "ü", "a/b", "a\tb", strings.Repeat("x", 129)} {
		r := b.call("GET", "/nope", "", nil, "X-Request-Id", id)
		if got := r.header.Get("X-Request-Id"); got == id || len(got) < 16 || r.fault.RequestID != got {
			t.Errorf("%q became %q and %q", id, got, r.fault.RequestID)
		}
	}
}

func TestBodyTypesAndSizes(t *testing.T) {
	b := newBench(t)
	good := mustJSON(t, survey())
	fill := func(size int) []byte { return append(bytes.Clone(good), bytes.Repeat([]byte(" "), size-len(good))...) }
	for _, c := range []struct {
		name      string
		mediaType string
		body      any
		want      int
	}{
		{"JSON", "application/json", good, 201},
		{"JSON in UTF-8", "application/json; charset=UTF-8", good, 201},
		{"no type", "", good, 201},
		{"form", "application/x-www-form-urlencoded", good, 415},
		{"text", "text/plain", good, 415},
		{"latin-1", "application/json; charset=iso-8859-1", good, 415},
		{"a broken type", "application/", good, 415},
		{"at the limit", "", fill(api.MaxBodyBytes), 201},
		{"over the limit", "", fill(api.MaxBodyBytes + 1), 413},
		{"over the limit, unannounced", "", io.MultiReader(bytes.NewReader(fill(api.MaxBodyBytes + 1))), 413},
		{"over the limit and of another type", "text/plain", fill(api.MaxBodyBytes + 1), 415},
		{"over the limit and full of faults", "", bytes.Repeat([]byte("["), api.MaxBodyBytes+1), 413},
	} {
		var header []string
		if c.mediaType != "" {
			header = []string{"Content-Type", c.mediaType}
		}
		if r := b.call("POST", publicHandlers+"/orders", b.alice, c.body, header...); r.status != c.want {
			t.Errorf("%s: %d %s", c.name, r.status, r.raw)
		}
	}
	if r := b.call("POST", publicHandlers+"/orders", "", fill(api.MaxBodyBytes+1), "Content-Type", "text/plain"); r.status != 401 {
		t.Errorf("without a key: %d", r.status)
	}
}

func TestPanicIsAnsweredWith500(t *testing.T) {
	var log lockedBuffer
	s := start(t, &server.Server{Log: slog.New(slog.NewTextHandler(&log, nil))})
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/healthz", nil)
	server.Panicking(s, false).ServeHTTP(w, r)
	if w.Code != 500 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	theContract(t).checkAnswer(t, r, w.Result(), w.Body.Bytes())
	if !strings.Contains(log.String(), "a bug") || !strings.Contains(log.String(), "hostile_test") && !strings.Contains(log.String(), "export_test") {
		t.Errorf("the log has no stack: %s", log.String())
	}

	func() {
		defer func() {
			if err, ok := recover().(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				t.Errorf("half an answer ends with %v", err)
			}
		}()
		server.Panicking(s, true).ServeHTTP(httptest.NewRecorder(), r)
	}()
}

func TestLogHasNoSecrets(t *testing.T) {
	var log lockedBuffer
	s := start(t, &server.Server{Demo: true, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	key := s.Accounts()[0].Key
	for _, query := range []string{"", "?cursor=c2VjcmV0"} {
		r := httptest.NewRequest(http.MethodGet, publicHandlers+"/orders"+query, nil)
		r.Header.Set("Authorization", "Bearer "+key)
		s.Handler().ServeHTTP(httptest.NewRecorder(), r)
	}
	for _, secret := range []string{key, s.Ready().OpsKey, "c2VjcmV0"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has %q: %s", secret, log.String())
		}
	}
	if !strings.Contains(log.String(), "path="+publicHandlers+"/orders") || !strings.Contains(log.String(), s.Accounts()[0].UUID) {
		t.Errorf("the log lacks the requests: %s", log.String())
	}
}

// Requests that are cut, changed and combined at random never cause an internal error.
func TestMutatedRequests(t *testing.T) {
	b := newBench(t)
	conn := strings.TrimPrefix(b.origin, "http://")
	body := mustJSON(t, survey())
	form, mediaType := upload(t, part{"file", kml(mast)})
	seeds := []string{
		fmt.Sprintf("POST %s/orders HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nContent-Length: %d\r\n\r\n%s", publicHandlers, b.alice, len(body), body),
		fmt.Sprintf("POST %s/kml/parse HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", publicHandlers, b.alice, mediaType, len(form), form),
		fmt.Sprintf("GET %s/orders?limit=5&direction=next HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\n\r\n", publicHandlers, b.alice),
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		request := mutate(rng, []byte(seeds[i%len(seeds)]))
		if status, _ := exchangeRaw(t, conn, request); status >= 500 && status != http.StatusHTTPVersionNotSupported && status != http.StatusNotImplemented {
			t.Errorf("%q: %d", request, status)
		}
	}
	if r := b.call("GET", "/healthz", "", nil); r.status != 200 {
		t.Errorf("afterwards: %d", r.status)
	}
}

func mutate(rng *rand.Rand, b []byte) []byte {
	for range 1 + rng.IntN(3) {
		i := rng.IntN(len(b))
		switch rng.IntN(4) {
		case 0:
			b[i] = byte(rng.IntN(256))
		case 1:
			b = append(b[:i:i], b[min(len(b), i+rng.IntN(9)):]...)
		case 2:
			b = append(b[:i:i], append([]byte{byte(rng.IntN(256))}, b[i:]...)...)
		case 3:
			j := rng.IntN(len(b))
			b[i], b[j] = b[j], b[i]
		}
		if len(b) == 0 {
			return []byte("\r\n")
		}
	}
	return b
}

// exchangeRaw sends bytes, closes the sending side and returns the response. The status is 0 without a
// response.
func exchangeRaw(t *testing.T, addr string, request []byte) (status int, body []byte) {
	t.Helper()
	r := sendRaw(t, addr, request)
	return r.status, r.raw
}

// sendRaw is [exchangeRaw] with the headers of the response.
func sendRaw(t *testing.T, addr string, request []byte) reply {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return sendOn(t, conn.(*net.TCPConn), request)
}

// sendOn sends a request on a connection and returns the response, or a zero reply if none arrives.
func sendOn(t *testing.T, conn interface {
	net.Conn
	CloseWrite() error
}, request []byte,
) reply {
	t.Helper()
	var r reply
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(request); err != nil {
		return r
	}
	if err := conn.CloseWrite(); err != nil {
		return r
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return r
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body) // possibly incomplete
	return reply{status: resp.StatusCode, header: resp.Header, raw: raw}
}
