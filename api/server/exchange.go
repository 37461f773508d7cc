package server

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/domain"
)

// exchange is one request and its answer.
type exchange struct {
	w      http.ResponseWriter
	r      *http.Request
	id     string         // request id
	caller *domain.Caller // nil on routes without authentication
	body   []byte         // once it is read as JSON, for another go

	status int // of the answer; 0 while there is none
	size   int
}

func (x *exchange) write(status int, mediaType string, body []byte) {
	header := x.w.Header()
	header.Set("Content-Type", mediaType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	x.status, x.size = status, len(body)
	x.w.WriteHeader(status)
	_, _ = x.w.Write(body) // a peer that has gone is no concern of ours
}

// limitTime bounds how long the peer may take to send the rest of its request
// and to take the answer. Not every transport has deadlines.
func (x *exchange) limitTime(read time.Duration) {
	now := time.Now() // of the machine, whatever the service's clock says
	control := http.NewResponseController(x.w)
	_ = control.SetReadDeadline(now.Add(read))
	_ = control.SetWriteDeadline(now.Add(answerTimeout))
}

// readDone lifts the bound on reading once there is nothing left to read, so
// that it does not end a request that is being worked on.
func (x *exchange) readDone() {
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Time{})
}

// observe wraps everything: request id, clock, panics and the access log.
func (s *Server) observe(next func(*exchange)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		// A peer that has sent all and closed its side still waits for the
		// answer, but net/http takes it for gone. What is done here is short,
		// and queries that cannot be cancelled cost a goroutine less.
		x := &exchange{w: w, r: r.WithContext(context.WithoutCancel(r.Context())), id: requestID(r)}
		w.Header().Set("X-Request-Id", x.id)
		w.Header().Set("Date", s.Now().UTC().Format(http.TimeFormat))
		s.metrics.underWay.Add(1)
		defer func() { s.metrics.finished(x, time.Since(began)) }()
		defer s.logAccess(x, began) //nolint:contextcheck // the request has its context
		defer s.recoverPanic(x)
		x.limitTime(bodyTimeout)
		if r.ContentLength == 0 {
			x.readDone()
		}
		if !s.misbehave(r.Context(), x) {
			next(x)
		}
	})
}

var errNoRoute = fault(api.CodeNotFound, "there is nothing at this path")

// isClean reports whether the path is absolute and without empty, . and ..
// segments. The router would redirect others.
func isClean(p string) bool {
	if !strings.HasPrefix(p, "/") {
		return false
	}
	clean := path.Clean(p)
	return p == clean || p == clean+"/"
}

func (s *Server) recoverPanic(x *exchange) {
	r := recover()
	if r == nil {
		return
	}
	s.Log.Error("panic in a request", "request", x.id, "panic", r, "stack", string(debug.Stack()))
	if x.status != 0 {
		panic(http.ErrAbortHandler) // half an answer must not look whole
	}
	s.writeEnvelope(x, http.StatusInternalServerError, envelope{
		Message: "the service failed; the request id names the case in its log",
		Data:    faultData{Code: api.CodeInternal, RequestID: x.id},
	})
}

// logAccess writes one line a request, without query and headers, which hold
// cursors and keys, and without the tokens of links.
func (s *Server) logAccess(x *exchange, began time.Time) {
	attrs := []slog.Attr{
		slog.String("request", x.id), slog.String("method", x.r.Method), slog.String("path", logged(x.r.URL.EscapedPath())),
		slog.Int("status", x.status), slog.Int("bytes", x.size), slog.Float64("ms", float64(time.Since(began).Microseconds())/1000),
	}
	if x.caller != nil {
		attrs = append(attrs, slog.String("account", x.caller.Account.UUID))
	}
	s.Log.LogAttrs(x.r.Context(), slog.LevelInfo, "request", attrs...)
}

// logged is a path without the token of a link.
func logged(path string) string {
	if strings.HasPrefix(path, filesPath) {
		return filesPath + "…"
	}
	return path
}

// requestID keeps the peer's request id if it is one.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if id == "" || len(id) > api.MaxRequestID || strings.ContainsFunc(id, notOfRequestID) {
		return rand.Text()
	}
	return id
}

func notOfRequestID(c rune) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		return false
	}
	return true
}
