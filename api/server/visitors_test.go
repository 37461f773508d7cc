package server

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"flightdesk/api/ops"
)

func TestClientAddress(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for _, c := range []struct{ peer, forwarded, want string }{
		{"192.0.2.1:5", "", "192.0.2.1"},
		{"192.0.2.1:5", "198.51.100.7", "192.0.2.1"}, // the sender of the header is not trusted
		{"10.0.0.1:5", "198.51.100.7", "198.51.100.7"},
		{"[::ffff:10.0.0.1]:5", "198.51.100.7", "198.51.100.7"},
		{"[::1]:5", "2001:db8::7", "2001:db8::7"},
		{"10.0.0.1:5", "203.0.113.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"}, // the client sent the first address itself
		{"10.0.0.1:5", "10.0.0.2", "10.0.0.2"},
		{"10.0.0.1:5", "", "10.0.0.1"},
		{"10.0.0.1:5", "unknown", "10.0.0.1"},
		{"10.0.0.1:5", "198.51.100.7, _hidden", "10.0.0.1"},
		{inProcess, "198.51.100.7", inProcess},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.peer
		r.Header.Set("X-Forwarded-For", c.forwarded)
		if got := addressOf(r, trusted); got != c.want {
			t.Errorf("%s by way of %q: %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}

// visit lets a server answer a request from an address, and returns the status.
func visit(s *Server, address, path, key string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.RemoteAddr = address + ":5"
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("User-Agent", "probe\x1b[31m "+strings.Repeat("x", 500))
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// All clients in a classroom, an office or behind a proxy have one address.
func TestARightKeyIsServedAfterManyWrongOnesFromItsAddress(t *testing.T) {
	s := &Server{OpsKey: "desk", Demo: true, Log: slog.New(slog.DiscardHandler)}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	orders := PublicPath + "/orders"
	accounts := OpsPath + "/accounts"
	operatorKey, _, err := s.service.domain.Operators.Add(t.Context(), "reader", ops.RoleRead)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		path := orders
		key := "wrong"
		if i%2 == 0 {
			path = accounts
		}
		if i%3 == 0 {
			key = ""
		}
		w := visit(s, "192.0.2.1", path, key)
		if w.Code != http.StatusUnauthorized || w.Header().Get("Retry-After") != "" {
			t.Fatalf("wrong key %d: %d, Retry-After %q", i, w.Code, w.Header().Get("Retry-After"))
		}
	}
	for path, keys := range map[string][]string{
		orders:   {s.Accounts()[0].Key},
		accounts: {"desk", operatorKey},
	} {
		for _, key := range keys {
			if w := visit(s, "192.0.2.1", path, key); w.Code != http.StatusOK {
				t.Errorf("a right key at %s: %d %s", path, w.Code, w.Body)
			}
		}
	}
}

func TestTheAccessLogSaysWhoSentARequest(t *testing.T) {
	var log bytes.Buffer
	s := &Server{Demo: true, Log: slog.New(slog.NewJSONHandler(&log, nil))}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	good := s.Accounts()[0].Key
	if w := visit(s, "192.0.2.1", PublicPath+"/orders", good); w.Code != http.StatusOK {
		t.Fatal(w.Code)
	}
	if err := s.Close(); err != nil { // afterwards nothing is written to the log
		t.Fatal(err)
	}
	for _, want := range []string{`"client":"192.0.2.1"`, `"agent":"probe\u001b[31m x`, `"key":"`, `"account":"` + s.Accounts()[0].UUID} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s", want)
		}
	}
	if strings.Contains(log.String(), strings.Repeat("x", maxAgent)) || strings.Contains(log.String(), good) {
		t.Error("the log has the whole user agent, or a key")
	}
}

// lineWriter passes on the lines that are written.
type lineWriter chan string

func (l lineWriter) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// A service that keeps its logs for a limited time deletes older entries from the start on.
func TestOldLogsAreDeleted(t *testing.T) {
	lines := make(lineWriter, 1000)
	s := &Server{Demo: true, KeepLogs: 24 * time.Hour, Log: slog.New(slog.NewTextHandler(lines, nil))}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for line := range lines {
		if strings.Contains(line, "old logs were deleted") {
			break
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
