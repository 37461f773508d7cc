package api

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/internal/answer"
	"flightdesk/api/internal/tolerant"
)

const (
	maxResponseBytes = 64 << 20 // an order of 1,000 missions with the maximum number of points is below 10 MiB
	maxErrorBytes    = 1 << 20
	maxRetryAfter    = 30 * time.Second
)

// Operation describes one call. Whether a failed call can be repeated is a property of the
// operation, not of its HTTP method.
type Operation struct {
	name   string // for messages: "list orders"
	method string
	path   []string // unescaped segments below the base
	legacy bool     // calls the v2 API
	query  url.Values
	repeat bool // making the call twice has the same effect as making it once
	read   bool // changes nothing
	// methods are HTTP methods to try if the service does not have method at the path. They are only
	// set for changes whose method the specification does not name.
	methods []string

	body   []byte
	upload *formUpload // instead of body
	header http.Header
	// timeoutFactor multiplies the timeout of the connection; 0 counts as 1.
	timeoutFactor int

	attempt int      // number of the attempt, from 1
	status  int      // HTTP status of the last response
	links   []string // Link headers of the last response
	address *url.URL // address of the last request
}

// NewOperation returns an operation for a call such as "GET orders/{}/missions"; values
// replace each {} of the path. Operations other than POST count as repeatable.
func NewOperation(name, call string, values ...string) Operation {
	method, path, _ := strings.Cut(call, " ")
	op := Operation{
		name:   name,
		method: method,
		path:   strings.Split(path, "/"),
		repeat: method != http.MethodPost,
		read:   method == http.MethodGet,
	}
	next := 0
	for i, part := range op.path {
		if part == "{}" {
			op.path[i] = values[next]
			next++
		}
	}
	return op
}

// Repeatable returns the operation as one that can be repeated although it is a POST.
func (op Operation) Repeatable() Operation {
	op.repeat = true
	return op
}

// Slow returns the operation with a timeout that is factor times the timeout of the connection.
func (op Operation) Slow(factor int) Operation {
	op.timeoutFactor = factor
	return op
}

// WithQuery returns the operation with a query parameter, unless its value is empty.
func (op Operation) WithQuery(name, value string) Operation {
	if value != "" {
		query := url.Values{name: {value}}
		maps.Copy(query, op.query)
		op.query = query
	}
	return op
}

// responseEnvelope is the form of every response of the public API. Responses of the v2 API have no
// envelope.
type responseEnvelope[T any] struct {
	Success *bool  `json:"success"`
	Message string `json:"message"`
	Data    T      `json:"data"`
}

func (e *responseEnvelope[T]) isSuccess() bool { return e.Success != nil && *e.Success }

// messageOf returns the message of a response, or "" if it has none.
func messageOf(body []byte) string {
	var env struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &env) != nil {
		return ""
	}
	return env.Message
}

// callFor performs the operation and decodes the data of the response into a T.
func callFor[T any](ctx context.Context, c *Connection, op Operation) (env responseEnvelope[T], err error) {
	body, err := c.perform(ctx, &op)
	if err != nil {
		return env, err
	}
	if err := DecodeRecord(body, &env); err != nil || !env.isSuccess() {
		return env, foreignError(op, "unexpected response format; check the address")
	}
	return env, nil
}

// performJSON performs the operation with a JSON body, or without one if body is nil.
func (c *Connection) performJSON(ctx context.Context, op *Operation, body any) ([]byte, error) {
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", op.name, err)
		}
		op.body = text
	}
	return c.perform(ctx, op)
}

// perform performs the operation and returns the body of a 2xx response. It repeats the
// request if that is safe, and tries other methods if the service lacks the usual one.
func (c *Connection) perform(ctx context.Context, op *Operation) ([]byte, error) {
	if len(op.methods) == 0 {
		return c.performOnce(ctx, op)
	}
	return c.performByAnyMethod(ctx, op)
}

// performOnce performs the operation by its method, with retries.
func (c *Connection) performOnce(ctx context.Context, op *Operation) ([]byte, error) {
	defer func() { _ = op.upload.endStream() }()
	var unsureErr error // of the last attempt that may have been applied, although it failed
	for try := 0; ; try++ {
		op.attempt = try + 1
		body, err := c.sendOnce(ctx, op)
		if err == nil {
			return body, nil
		}
		if MaybeApplied(err) {
			unsureErr = err
		}
		if op.legacy && IsStatus(err, http.StatusUnauthorized) && c.needsAPIKeyHeader.CompareAndSwap(false, true) {
			return c.sendWithAPIKeyHeader(ctx, op, err)
		}
		pause, mayRetry := c.retryPause(*op, err, try)
		if !mayRetry || ctx.Err() != nil {
			return nil, errorOfAttempts(err, unsureErr)
		}
		if sleepErr := sleepFor(ctx, pause); sleepErr != nil {
			return nil, cmp.Or(unsureErr, sleepErr)
		}
	}
}

// errorOfAttempts returns the error of a call whose last attempt failed with lastErr. unsureErr is the error of
// an attempt that may have been applied, or nil. If the service has not looked at the last attempt, only
// unsureErr says what may have happened.
func errorOfAttempts(lastErr, unsureErr error) error {
	if unsureErr != nil && isUnprocessed(lastErr) {
		return unsureErr
	}
	return lastErr
}

// isUnprocessed reports whether an error means that the service has not looked at the request: it could not be
// reached, or it was unavailable or limited the requests.
func isUnprocessed(err error) bool {
	if lost, ok := errors.AsType[*TransportError](err); ok {
		return !lost.Sent
	}
	return IsStatus(err, http.StatusServiceUnavailable, http.StatusTooManyRequests)
}

// sendWithAPIKeyHeader repeats a request of the v2 API that was rejected as unauthorized,
// with the key in X-Api-Key. If the service rejects that too, later requests use the
// Authorization header again and the first error is returned.
func (c *Connection) sendWithAPIKeyHeader(ctx context.Context, op *Operation, rejected error) ([]byte, error) {
	body, err := c.sendOnce(ctx, op)
	if IsStatus(err, http.StatusUnauthorized) {
		c.needsAPIKeyHeader.Store(false)
		return nil, rejected
	}
	return body, err
}

// sendOnce sends the request once and returns the body of a 2xx response.
func (c *Connection) sendOnce(ctx context.Context, op *Operation) ([]byte, error) {
	timeout := c.timeout * time.Duration(max(1, op.timeoutFactor))
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var isSent atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { isSent.Store(true) }}
	req, err := c.newRequest(httptrace.WithClientTrace(limited, trace), *op)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	req, resp, err := c.sendFollowing(req, op) // after a redirect, req is the redirected request
	if err == nil {
		defer func() { _ = resp.Body.Close() }()
		c.recordResponse(ctx, req, resp, op)
		return c.readResult(ctx, req, resp, *op, began)
	}
	// If a file of the upload could not be read, the client itself has ended the request. That says nothing
	// about the service, so nothing is recorded.
	if uploadErr := op.upload.endStream(); uploadErr != nil {
		return nil, fmt.Errorf("%s: %w", op.name, uploadErr)
	}
	lost := c.transportError(ctx, *op, err, isSent.Load())
	c.recordLost(ctx, req, *op, began, lost)
	return nil, lost
}

// readResult reads the body of a response and shows it to the observer. It returns an error unless the status is
// 2xx and the body is complete.
func (c *Connection) readResult(
	ctx context.Context, req *http.Request, resp *http.Response, op Operation, began time.Time,
) ([]byte, error) {
	body, isTooLarge, readErr := readBody(resp)
	c.showRequest(req, op, resp, body, began, nil)
	// The status is checked before readErr: the service has rejected the call, even if only a part of
	// its reason was read.
	if resp.StatusCode >= 300 {
		return nil, c.rejection(op, resp, body)
	}
	if readErr != nil {
		return nil, c.transportError(ctx, op, readErr, true)
	}
	if isTooLarge {
		return nil, foreignError(op, fmt.Sprintf("response larger than %d MiB", maxResponseBytes>>20))
	}
	return bytes.TrimPrefix(body, bom), nil
}

// recordLost records that there was no response to a request, and shows the request to the observer.
func (c *Connection) recordLost(ctx context.Context, req *http.Request, op Operation, began time.Time, lost error) {
	if ctx.Err() == nil { // a call that the user cancelled says nothing about the service
		c.contact.recordResult(lost)
	}
	c.showRequest(req, op, nil, nil, began, lost)
}

// recordResponse records what the headers of a response say about the service, and about the
// operation.
func (c *Connection) recordResponse(ctx context.Context, req *http.Request, resp *http.Response, op *Operation) {
	c.updateClock(resp.Header, time.Now())
	c.contact.recordResult(nil)
	c.contact.updateTrouble(resp)
	op.status = resp.StatusCode
	op.links = resp.Header.Values("Link")
	op.address = req.URL
	saveMetadata(ctx, resp, op.attempt)
}

// rejection returns the error of a response that is not 2xx. If something other than the service
// responded, rejection records that in the state of the connection. Not every service has the v2 API, so
// the connection has no problem if something else responds to a request of the v2 API. A 401 is an
// exception: without the record, the connection would show that the service has rejected the key.
func (c *Connection) rejection(op Operation, resp *http.Response, body []byte) *Error {
	err := responseError(op, resp, body)
	showsProblem := !op.legacy || op.status == http.StatusUnauthorized
	if err.Foreign && showsProblem {
		c.contact.setTrouble(Trouble{Status: op.status, Foreign: true})
	}
	return err
}

// bom is the byte order mark, with which some services begin a text.
var bom = []byte("\ufeff")

// readBody reads the body of a response. It reads at most 1 MiB of an error response, and nothing of
// a body that Content-Length announces as too large.
func readBody(resp *http.Response) (body []byte, isTooLarge bool, err error) {
	if resp.StatusCode >= 300 {
		body, err = io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes+1))
		return body, false, err
	}
	if resp.ContentLength > maxResponseBytes {
		return nil, true, nil
	}
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxResponseBytes+1))
	return body, len(body) > maxResponseBytes, err
}

// newRequest returns the request of an operation, with the API key.
func (c *Connection) newRequest(ctx context.Context, op Operation) (*http.Request, error) {
	target, err := c.targetOf(op)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, op.method, target.String(), bytes.NewReader(op.body))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op.name, err)
	}
	if !op.repeat {
		// With GetBody, net/http repeats a request with an Idempotency-Key on its own after a broken
		// keep-alive connection.
		req.GetBody = nil
	}
	if op.upload != nil {
		if err := streamUpload(req, op.upload); err != nil {
			return nil, fmt.Errorf("%s: %w", op.name, err)
		}
	}
	for name, values := range op.header {
		req.Header[name] = values
	}
	if op.body != nil && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.agent)
	c.setKey(req, op.legacy)
	return req, nil
}

// streamUpload makes the files of an upload the body of a request.
func streamUpload(req *http.Request, upload *formUpload) error {
	stream, err := upload.openStream()
	if err != nil {
		return err
	}
	req.Body = stream
	req.ContentLength = -1
	req.GetBody = nil // it would return the empty body that the request was created with
	return nil
}

// targetOf returns the URL of an operation in the public API or the v2 API.
func (c *Connection) targetOf(op Operation) (*url.URL, error) {
	for _, part := range op.path {
		if part == "" || part == "." || part == ".." {
			return nil, fmt.Errorf("%s: %q cannot be part of an address", op.name, part)
		}
	}
	base := c.base
	if op.legacy {
		if c.legacy == nil {
			return nil, fmt.Errorf("%s: %w", op.name, ErrNoLegacy)
		}
		base = c.legacy
	}
	target := base.JoinPath(escapeAll(op.path)...)
	target.RawQuery = op.query.Encode()
	return target, nil
}

// setKey sets the API key in the Authorization header, or in X-Api-Key if the v2 API rejected the
// Authorization header.
func (c *Connection) setKey(req *http.Request, legacy bool) {
	if c.key == "" {
		return
	}
	if legacy && c.needsAPIKeyHeader.Load() {
		req.Header.Set("X-Api-Key", c.key)
	} else {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
}

func escapeAll(parts []string) []string {
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = url.PathEscape(part)
	}
	return escaped
}

func (c *Connection) transportError(ctx context.Context, op Operation, err error, sent bool) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%s: %w", op.name, ctx.Err())
	}
	host := c.base.Host
	if op.legacy {
		host = c.legacy.Host
	}
	return &TransportError{
		Op:    op.name,
		Host:  host,
		Proxy: c.proxyHost(op.legacy),
		Err:   err,
		Sent:  sent,
		read:  op.read,
	}
}

// proxyHost returns the host of the proxy for requests of an API, or "".
func (c *Connection) proxyHost(legacy bool) string {
	t, ok := c.http.Transport.(*http.Transport)
	if !ok || t.Proxy == nil {
		return ""
	}
	base := c.base
	if legacy {
		base = c.legacy
	}
	proxy, err := t.Proxy(&http.Request{URL: base})
	if err != nil || proxy == nil {
		return ""
	}
	return proxy.Host
}

// responseError returns the error for a response that is not 2xx.
func responseError(op Operation, resp *http.Response, body []byte) *Error {
	if resp.StatusCode < 400 {
		message := "the service redirects" + redirectTarget(resp) + "; check the address"
		if !op.read {
			message = "not done: " + message
		}
		return foreignError(op, message)
	}
	e := bodyError(op, resp, body)
	if e.RequestID == "" && !e.Foreign {
		e.RequestID = resp.Header.Get("X-Request-Id")
	}
	e.RetryAfter = answer.RetryAfter(resp.Header)
	e.allow = strings.Join(resp.Header.Values("Allow"), ",")
	return e
}

// bodyError returns the error that the body of an error response describes.
func bodyError(op Operation, resp *http.Response, body []byte) *Error {
	var v jsontext.Value
	if isJSON(resp) && json.Unmarshal(body, &v, tolerant.Syntax) == nil {
		return readErrorResponse(op, v)
	}
	if isWebPage(resp) {
		return foreignError(op, "a web page answered instead of the service")
	}
	message := "not in the service's format: " + describeType(resp)
	if reason := plainReason(resp, body); reason != "" {
		message += ": " + reason
	}
	return foreignError(op, message)
}

// maxReason is the length of the longest text that is shown as a reason, in bytes.
const maxReason = 300

// plainReason returns the text of a short text/plain response, or "".
func plainReason(resp *http.Response, body []byte) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	text := strings.Join(strings.Fields(string(body)), " ")
	if kind != "text/plain" || len(text) > maxReason || !utf8.ValidString(text) {
		return ""
	}
	return text
}

func foreignError(op Operation, message string) *Error {
	return &Error{
		Op:      op.name,
		Status:  op.status,
		Message: message,
		Foreign: true,
		read:    op.read,
	}
}

func isJSON(resp *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind == "application/json" || kind == "" || strings.HasSuffix(kind, "+json") || kind == "text/json"
}

// isWebPage reports whether a response is a page for a browser.
func isWebPage(resp *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// describeType returns the media type of a response, such as "text/plain".
func describeType(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "" {
		return "missing Content-Type"
	}
	return kind
}

// redirectTarget describes the target of a redirect without its query, which can contain
// secrets.
func redirectTarget(resp *http.Response) string {
	u, err := resp.Location()
	if err != nil {
		return ""
	}
	return " to " + u.Scheme + "://" + u.Host + u.EscapedPath()
}

// retryPause reports whether a failed attempt is repeated, and returns the pause before.
// See [WithRetries] for the rules.
func (c *Connection) retryPause(op Operation, err error, try int) (time.Duration, bool) {
	if try >= c.retries || !op.upload.isRepeatable() {
		return 0, false
	}
	share := 0.5 + rand.Float64()/2 // keeps clients from retrying at the same time
	backoff := time.Duration(float64(c.backoff<<try) * share)
	var rejected *Error
	if errors.As(err, &rejected) {
		return pauseAfterResponse(op, rejected, backoff)
	}
	var lost *TransportError
	if !errors.As(err, &lost) || answer.IsUntrusted(lost.Err) {
		return 0, false
	}
	if lost.Timeout() { // the caller has already waited for the whole timeout
		return 0, false
	}
	return backoff, op.repeat || !lost.Sent
}

// pauseAfterResponse is [Connection.retryPause] for an error response.
func pauseAfterResponse(op Operation, e *Error, backoff time.Duration) (time.Duration, bool) {
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if e.RetryAfter > maxRetryAfter {
			return 0, false
		}
		// A response of a proxy does not prove that the service behind it did nothing,
		// unless the proxy limits requests.
		isLimited := e.Status == http.StatusTooManyRequests && e.RetryAfter > 0
		nothingDone := !e.Foreign || isLimited
		return max(backoff, e.RetryAfter), op.repeat || nothingDone
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return backoff, op.repeat
	}
	return 0, false
}
