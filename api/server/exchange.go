package server

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// exchange is one request and its answer.
type exchange struct {
	w       http.ResponseWriter
	r       *http.Request
	client  context.Context //nolint:containedctx // ends with the client; the request's own does not
	log     *slog.Logger
	now     func() time.Time // of the service
	id      string           // request id
	address string           // of the client
	caller  *domain.Caller   // nil on routes without authentication
	body    []byte           // once it is read as JSON, for another go

	dependencies *dependencies

	operator *store.Operator   // of the operations API; nil on other routes
	audit    *store.AuditEntry // what is kept of a change through the operations API

	fileID  int64         // that a link is for; 0 for none
	created string        // UUID of what the request created
	refusal *domain.Error // that was answered

	status int // of the answer; 0 while there is none
	size   int
}

// uuid returns what the route names.
func (x *exchange) uuid() string { return x.r.PathValue("uuid") }

// endWithClient has a request end when its client has gone: nobody waits for
// the answer, and others wait for what it holds. A change is recorded all the same.
func (x *exchange) endWithClient() {
	ctx := x.client
	if x.audit != nil {
		ctx = store.Audited(ctx, x.audit)
	}
	x.r = x.r.WithContext(ctx)
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

var errNoRoute = newFault(api.CodeNotFound, "path not found")

// isClean reports whether the path is absolute and without empty, . and ..
// segments. The router would redirect others.
func isClean(p string) bool {
	if !strings.HasPrefix(p, "/") {
		return false
	}
	clean := path.Clean(p)
	return p == clean || p == clean+"/"
}

// loggedPath returns a path without the token of a link.
func loggedPath(path string) string {
	if !strings.HasPrefix(path, filesPath) {
		return path
	}
	_, name, _ := strings.Cut(strings.TrimPrefix(path, filesPath), "/")
	return filesPath + "…/" + name
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
