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

// exchange is a request and its answer.
type exchange struct {
	w       http.ResponseWriter
	r       *http.Request
	client  context.Context //nolint:containedctx // ends when the client disconnects, unlike the context of r
	log     *slog.Logger
	now     func() time.Time // clock of the service
	id      string           // request ID
	address string           // of the client
	caller  *domain.Caller   // nil if the route needs no authentication
	body    []byte           // JSON body; nil if it was not read yet

	dependencies *dependencies

	operator *store.Operator   // nil outside of the operations API
	audit    *store.AuditEntry // audit entry of a change in the operations API

	fileID  int64         // file of the requested link, or 0
	created string        // UUID of the record that the request created
	refusal *domain.Error // error of the answer

	status int // of the answer; 0 before the answer
	size   int
}

// uuid returns the UUID or code in the path of the request.
func (x *exchange) uuid() string { return x.r.PathValue("uuid") }

// endWithClient cancels the request when its client disconnects, because nobody needs the answer
// any more. This frees the resources of the request for other requests. A change is still recorded
// in the audit trail.
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
	x.status = status
	x.size = len(body)
	x.w.WriteHeader(status)
	_, _ = x.w.Write(body) // the client may have disconnected
}

// limitTime limits the time for reading the rest of the request and for writing the
// answer. Some transports do not support deadlines.
func (x *exchange) limitTime(read time.Duration) {
	now := time.Now() // machine's clock, not the service's clock
	control := http.NewResponseController(x.w)
	_ = control.SetReadDeadline(now.Add(read))
	_ = control.SetWriteDeadline(now.Add(answerTimeout))
}

// readDone removes the read deadline after the body was read, so that it does not
// interrupt the handler.
func (x *exchange) readDone() {
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Time{})
}

var errNoRoute = newFault(api.CodeNotFound, "path not found")

// isClean reports whether a path is absolute and has no empty, "." or ".." segments. The
// router would redirect other paths.
func isClean(p string) bool {
	if !strings.HasPrefix(p, "/") {
		return false
	}
	clean := path.Clean(p)
	return p == clean || p == clean+"/"
}

// loggedPath returns the path of a request as it is logged. The path of a download link contains a secret
// token, which loggedPath replaces: /files/TOKEN/map.tif is logged as /files/…/map.tif.
func loggedPath(path string) string {
	if !strings.HasPrefix(path, filesPath) {
		return path
	}
	_, name, _ := strings.Cut(strings.TrimPrefix(path, filesPath), "/")
	return filesPath + "…/" + name
}

// requestID returns the request ID of the client if it is valid, or a new one.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if id == "" || len(id) > api.MaxRequestID || strings.ContainsFunc(id, notOfRequestID) {
		return rand.Text()
	}
	return id
}

func notOfRequestID(c rune) bool {
	isLetter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	isDigit := c >= '0' && c <= '9'
	isMark := c == '.' || c == '_' || c == '-'
	return !isLetter && !isDigit && !isMark
}
