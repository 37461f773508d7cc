package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// handlerAnswer is the result of a handler. A file is sent unchanged, data is sent in the
// JSON envelope.
type handlerAnswer struct {
	status  int // 0 means 200
	message string
	data    any
	file    *fileAnswer
	sent    bool // the handler has already written the answer
}

// fileAnswer is an answer without the JSON envelope.
type fileAnswer struct {
	name       string // "" if the client should not save the content as a file
	mediaType  string
	content    []byte
	isDocument bool // the content is the same for all clients, so the answer has an ETag
}

type answerEnvelope struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

// jsonAppender is implemented by data that encodes itself as JSON.
type jsonAppender interface{ appendJSON(b []byte) []byte }

type faultData struct {
	Code      api.ErrorCode    `json:"code"`
	Errors    []api.FieldError `json:"errors,omitzero"`
	RequestID string           `json:"requestId"`
}

// statuses maps error codes to HTTP statuses.
var statuses = map[api.ErrorCode]int{
	api.CodeValidationFailed:     http.StatusBadRequest,
	api.CodeMalformedBody:        http.StatusBadRequest,
	api.CodeUnauthenticated:      http.StatusUnauthorized,
	api.CodeKeyRevoked:           http.StatusUnauthorized,
	api.CodeKeyExpired:           http.StatusUnauthorized,
	api.CodeMissingScope:         http.StatusForbidden,
	api.CodeNotYourResource:      http.StatusForbidden,
	api.CodeLinkExpired:          http.StatusForbidden,
	api.CodeNotFound:             http.StatusNotFound,
	api.CodeMethodNotAllowed:     http.StatusMethodNotAllowed,
	api.CodeConflict:             http.StatusConflict,
	api.CodeQuoteExpired:         http.StatusConflict,
	api.CodeTooLarge:             http.StatusRequestEntityTooLarge,
	api.CodeStorageFull:          http.StatusServiceUnavailable,
	api.CodeUnsupportedMediaType: http.StatusUnsupportedMediaType,
	api.CodeRateLimited:          http.StatusTooManyRequests,
	api.CodeInternal:             http.StatusInternalServerError,
}

// retryAfter is the value of Retry-After for temporary failures, in seconds.
const retryAfter = 5

func newFault(code api.ErrorCode, message string) *domain.Error {
	return &domain.Error{Code: code, Message: message}
}

// statusClientGone is the status in the log if the client disconnected before the answer.
const statusClientGone = 499

var (
	errStarting = errors.New("the service is starting")
	errNotReady = errors.New("the database cannot be used")
)

func isDisconnected(err error) bool {
	return errors.Is(err, errClientGone) || errors.Is(err, context.Canceled)
}

// writeError answers a request with err. If err is a [domain.Error], the answer contains its code
// and message. Any other error is an internal error: it is logged, and the answer has a 5xx status.
// A client that has disconnected gets no answer.
func (x *exchange) writeError(err error) {
	if refusal, ok := errors.AsType[*domain.Error](err); ok {
		x.refuse(statusOf(refusal.Code), refusal)
		return
	}
	if isDisconnected(err) {
		x.status = statusClientGone
		return
	}
	status, message := x.internalError(err)
	x.refuse(status, newFault(api.CodeInternal, message))
}

// statusOf returns the HTTP status of an error code.
func statusOf(code api.ErrorCode) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// internalError returns the status and the message of the answer for an internal error. It logs
// an unexpected error. If the database or the file store cannot be reached, it reports this to
// x.dependencies, which logs each outage only once.
func (x *exchange) internalError(err error) (status int, message string) {
	const temporary = http.StatusServiceUnavailable
	isAway := errors.Is(err, store.ErrAway) || errors.Is(err, store.ErrBusy) || errors.Is(err, files.ErrAway)
	switch {
	case errors.Is(err, store.ErrDamaged):
		x.log.Error("stored data is damaged", "request", x.id, "error", err)
		return temporary, "this record is damaged; the log of the service has the cause"
	case errors.Is(err, store.ErrClosed):
		return temporary, "the service is stopping; try again later"
	case errors.Is(err, errStarting):
		return temporary, "the service is starting; try again later"
	case errors.Is(err, store.ErrInDoubt):
		x.log.Error("outcome of a change unknown", "request", x.id, "error", err)
		return http.StatusInternalServerError,
			"the connection to the database was lost; the change may have been applied; check before retrying"
	case errors.Is(err, errNotReady):
		return temporary, "the service cannot reach its database; try again later"
	case isAway:
		x.dependencies.reportFailure(x, err)
		return temporary, "the service cannot reach its storage; nothing was changed, try again later"
	}
	x.log.Error("request failed", "request", x.id, "error", err)
	return http.StatusInternalServerError, "internal error; look up the request ID in the service's log"
}

// refuse reads and discards the rest of the request body, up to a limit. Then it answers with an
// error.
func (x *exchange) refuse(status int, refusal *domain.Error) {
	limit := int64(maxRefused)
	if status == http.StatusRequestEntityTooLarge {
		limit = maxTooLarge
	}
	x.drainBody(limit)
	x.writeFault(status, retryAfter, refusal)
}

// writeFault answers with an error. With status 503 it tells the client to retry after
// retryAfter seconds.
func (x *exchange) writeFault(status, retryAfter int, refusal *domain.Error) {
	x.refusal = refusal
	header := x.w.Header()
	switch status {
	case http.StatusServiceUnavailable:
		header.Set("Retry-After", strconv.Itoa(retryAfter))
	case http.StatusUnauthorized:
		header.Set("WWW-Authenticate", `Bearer realm="flightdesk"`)
	}
	x.writeEnvelope(status, answerEnvelope{
		Message: refusal.Message,
		Data: faultData{
			Code:      refusal.Code,
			Errors:    refusal.Fields,
			RequestID: x.id,
		},
	})
}

// writeAnswer writes the answer of a handler: a file, or data in the envelope. It writes nothing if the handler has
// already sent its answer.
func (x *exchange) writeAnswer(a handlerAnswer) {
	if a.sent {
		return
	}
	if a.file != nil {
		x.writeFile(a.file)
		return
	}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if data, ok := a.data.(jsonAppender); ok {
		x.writeAppended(a.status, a.message, data)
		return
	}
	body, err := marshalAnswer(answerEnvelope{
		Success: true,
		Message: a.message,
		Data:    a.data,
	})
	if err != nil {
		x.writeError(err)
		return
	}
	x.write(a.status, "application/json", body)
}

// writeFile answers with a file. If isDocument is true, the answer has an ETag, and status 304 if
// the client already has the content.
func (x *exchange) writeFile(f *fileAnswer) {
	if f.isDocument {
		sum := sha256.Sum256(f.content)
		tag := `"` + hex.EncodeToString(sum[:16]) + `"`
		x.w.Header().Set("ETag", tag)
		if matchesTag(x.r.Header.Get("If-None-Match"), tag) {
			x.writeNotModified()
			return
		}
	}
	if f.name != "" {
		x.w.Header().Set("Content-Disposition", `attachment; filename="`+f.name+`"`)
	}
	x.write(http.StatusOK, f.mediaType, f.content)
}

func (x *exchange) writeNotModified() {
	x.w.Header().Set("Cache-Control", "no-store")
	x.status = http.StatusNotModified
	x.w.WriteHeader(x.status)
}

// matchesTag reports whether the value of If-None-Match contains a tag.
func matchesTag(value, tag string) bool {
	for _, sent := range strings.Split(value, ",") {
		sent = strings.TrimSpace(sent)
		if sent == "*" || strings.TrimPrefix(sent, "W/") == tag {
			return true
		}
	}
	return false
}

// marshalAnswer encodes an answer as JSON. Encoding fails only if a text in the database is
// damaged: the error is then [store.ErrDamaged].
func marshalAnswer(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	return body, nil
}

func (x *exchange) writeEnvelope(status int, e answerEnvelope) {
	body, err := json.Marshal(e)
	if err != nil {
		panic(err) // cannot happen: envelopes with errors contain only texts and numbers
	}
	x.write(status, "application/json", body)
}

// buffers are reused for answers that are written by writeAppended.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffer is the size of the largest buffer that is reused, in bytes.
const maxBuffer = 256 << 10

// writeAppended writes a successful answer in the JSON envelope. data appends its own JSON to a
// reused buffer.
func (x *exchange) writeAppended(status int, message string, data jsonAppender) {
	buffer := buffers.Get().(*[]byte)
	b := (*buffer)[:0]
	b = append(b, `{"success":true,"message":`...)
	b, err := jsontext.AppendQuote(b, message)
	if err != nil {
		panic(err) // the service's own messages are UTF-8
	}
	b = append(b, `,"data":`...)
	b = data.appendJSON(b)
	b = append(b, '}')
	x.write(status, "application/json", b)
	if cap(b) <= maxBuffer {
		*buffer = b
		buffers.Put(buffer)
	}
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// answerWith returns an answer with data, or err if it is not nil.
func answerWith(message string, data any, err error) (handlerAnswer, error) {
	if err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{message: message, data: data}, nil
}

// answerCreated returns an answer with a created record and status 201, or err if it is not nil.
func answerCreated(message string, data any, err error) (handlerAnswer, error) {
	a, err := answerWith(message, data, err)
	a.status = http.StatusCreated
	return a, err
}
