package server_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
)

// leaver is a client that disconnects after a part of its response.
type leaver struct {
	header http.Header
	leave  func()
	err    error // of later writes; nil if only the context ends
	parts  int
	bytes  int
}

func (l *leaver) Header() http.Header { return l.header }
func (l *leaver) WriteHeader(int)     {}

// Write accepts one part.
func (l *leaver) Write(p []byte) (int, error) {
	l.parts++
	if l.parts > 1 && l.err != nil {
		return 0, l.err
	}
	l.bytes += len(p)
	l.leave()
	return len(p), nil
}

// If the client of a list disconnects, the list ends and releases its database connection.
func TestListIsCancelledIfItsClientDisconnects(t *testing.T) {
	var log lockedBuffer
	s := start(t, &server.Server{Demo: true, DemoOrders: 3000, Log: slog.New(slog.NewJSONHandler(&log, nil))})
	key := s.Accounts()[0].Key
	ask := func(ctx context.Context) *http.Request {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v2/getorderslist", http.NoBody)
		r.Header.Set("Authorization", "Bearer "+key)
		return r
	}
	whole := httptest.NewRecorder()
	s.Handler().ServeHTTP(whole, ask(t.Context()))
	for name, broken := range map[string]error{"the context ends": nil, "writing fails": errors.New("broken pipe")} {
		ctx, cancel := context.WithCancel(t.Context())
		l := &leaver{header: http.Header{}, err: broken, leave: cancel}
		if broken != nil {
			l.leave = func() {}
		}
		before := len(log.String())
		s.Handler().ServeHTTP(l, ask(ctx))
		cancel()
		if l.bytes == 0 || l.bytes > whole.Body.Len()/4 || l.parts > 3 {
			t.Errorf("%s: %d of %d bytes were written in %d parts", name, l.bytes, whole.Body.Len(), l.parts)
		}
		if text := log.String()[before:]; strings.Contains(text, `"level":"ERROR"`) || !strings.Contains(text, `"status":499`) {
			t.Errorf("%s: the log says %s", name, text)
		}
	}
	c := client(t, s)
	if page, err := c.Orders.List(t.Context(), api.ListOptions{}); err != nil || len(page.Items) == 0 {
		t.Errorf("afterwards: %+v, %v", page, err)
	}
}

// A client that sends the whole of a body that is too large before it reads gets the response.
func TestClientReceivesTheAnswerToATooLargeBody(t *testing.T) {
	b := newBench(t)
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(b.origin, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	const size = 100 << 20
	head := "POST " + publicHandlers + "/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + b.alice +
		"\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n"
	if _, err := io.WriteString(conn, head); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(conn, &blank{n: size}); err != nil {
		t.Fatalf("after %d bytes: %v", n, err)
	}
	answer := make([]byte, 12)
	if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "HTTP/1.1 413" {
		t.Errorf("%q, %v", answer, err)
	}
}

// A client that sends the whole body before it reads gets the response to a request that was refused
// before the body was read, also over TLS.
func TestClientReceivesTheAnswerToARefusedRequestAfterItsBody(t *testing.T) {
	certificate, roots := selfSigned(t)
	for _, isTLS := range []bool{false, true} {
		s := start(t, &server.Server{Demo: true})
		if isTLS {
			s = start(t, &server.Server{Demo: true, TLS: &tls.Config{Certificates: []tls.Certificate{certificate}}})
		}
		addr, err := s.Listen(t.Context(), "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		for path, status := range map[string]string{"/orders": "401", "/nowhere": "404", "/orders/ORD-1/cancel": "401"} {
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr.String())
			if err != nil {
				t.Fatal(err)
			}
			if isTLS {
				conn = tls.Client(conn, &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"})
			}
			const size = 12 << 20
			head := fmt.Sprintf("POST %s%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nContent-Length: %d\r\n\r\n", publicHandlers, path, size)
			if _, err := io.WriteString(conn, head); err != nil {
				t.Fatal(err)
			}
			if n, err := io.Copy(conn, &blank{n: size}); err != nil {
				t.Errorf("TLS %v, %s: after %d bytes: %v", isTLS, path, n, err)
			}
			answer := make([]byte, 12)
			if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "HTTP/1.1 "+status {
				t.Errorf("TLS %v, %s: %q, %v", isTLS, path, answer, err)
			}
			_ = conn.Close()
		}
	}
}
