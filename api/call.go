package api

import (
	"bytes"
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
	maxAnswerBytes = 64 << 20 // an order of 1,000 missions with all their points is below 10 MiB
	maxErrorBytes  = 1 << 20
	maxRetryAfter  = 30 * time.Second
)

// Operation describes one call. Whether it may be repeated is a property of
// the operation, not of its method.
type Operation struct {
	name   string // for messages: "list orders"
	method string
	path   []string // unescaped segments below the base
	legacy bool     // the base is the v2 API's
	query  url.Values
	repeat bool // doing it twice is the same as doing it once
	read   bool // it changes nothing
	// methods are the other methods by which a service may make the change, since the
	// specification does not show the method.
	methods []string

	body    []byte
	upload  *formUpload // instead of body
	header  http.Header
	slow    int      // how many times as long as others it may take; 0: as long
	attempt int      // which one this is, from 1
	status  int      // of the last answer
	links   []string // headers Link of the last answer
	address *url.URL // of the last request
}

// NewOperation returns a call such as "GET orders/{}/missions", whose path has a
// value for each {}. Only POST does something new when it is done again.
func NewOperation(name, call string, values ...string) Operation {
	method, path, _ := strings.Cut(call, " ")
	op := Operation{
		name:   name,
		method: method,
		path:   strings.Split(path, "/"),
		repeat: method != http.MethodPost,
		read:   method == http.MethodGet,
	}
	for i, part := range op.path {
		if part == "{}" {
			op.path[i], values = values[0], values[1:]
		}
	}
	return op
}

// Repeatable returns an operation that may be done twice although it is a POST.
func (op Operation) Repeatable() Operation {
	op.repeat = true
	return op
}

// Slow returns an operation that may take some times as long as others.
func (op Operation) Slow(times int) Operation {
	op.slow = times
	return op
}

// WithQuery returns an operation with a parameter, unless its value is empty.
func (op Operation) WithQuery(name, value string) Operation {
	if value != "" {
		query := url.Values{name: {value}}
		maps.Copy(query, op.query)
		op.query = query
	}
	return op
}

// answerEnvelope is the form of every answer of the public API. The v2 API answers without it.
type answerEnvelope[T any] struct {
	Success *bool  `json:"success"`
	Message string `json:"message"`
	Data    T      `json:"data"`
}

func (e *answerEnvelope[T]) isSuccess() bool { return e.Success != nil && *e.Success }

// callFor performs the operation and decodes the envelope's data into a T.
func callFor[T any](ctx context.Context, c *Connection, op Operation) (env answerEnvelope[T], err error) {
	body, err := c.perform(ctx, &op)
	if err != nil {
		return env, err
	}
	if err := DecodeRecord(body, &env); err != nil || !env.isSuccess() {
		return env, foreignError(op, "unexpected response format; check the address")
	}
	return env, nil
}

// performJSON performs the operation with a body as JSON, unless that is nil.
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

// perform performs the operation, again where that is safe and by another method where the
// service has it, and returns the body of a 2xx answer.
func (c *Connection) perform(ctx context.Context, op *Operation) ([]byte, error) {
	if len(op.methods) == 0 {
		return c.performOnce(ctx, op)
	}
	return c.performByAnyMethod(ctx, op)
}

// performOnce performs the operation by its method.
func (c *Connection) performOnce(ctx context.Context, op *Operation) (body []byte, err error) {
	defer func() { _ = op.upload.endStream() }()
	for try := 0; ; try++ {
		op.attempt = try + 1
		if body, err = c.sendOnce(ctx, op); err == nil {
			return body, nil
		}
		if op.legacy && IsStatus(err, http.StatusUnauthorized) && c.apiKey.CompareAndSwap(false, true) {
			if body, again := c.sendOnce(ctx, op); again == nil || !IsStatus(again, http.StatusUnauthorized) {
				return body, again
			}
			c.apiKey.Store(false) // the key is refused in either place
		}
		pause, again := c.retryPause(*op, err, try)
		if !again || ctx.Err() != nil {
			return nil, err
		}
		if waitErr := sleepFor(ctx, pause); waitErr != nil {
			return nil, waitErr
		}
	}
}

// sendOnce sends the request once and returns the body of a 2xx answer.
func (c *Connection) sendOnce(ctx context.Context, op *Operation) ([]byte, error) {
	tryCtx, cancel := context.WithTimeout(ctx, c.timeout*time.Duration(max(1, op.slow)))
	defer cancel()
	var sent atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}
	req, err := c.newRequest(httptrace.WithClientTrace(tryCtx, trace), *op)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	req, resp, err := c.sendFollowing(req, op)
	if err != nil {
		if fault := op.upload.endStream(); fault != nil {
			return nil, fmt.Errorf("%s: %w", op.name, fault)
		}
		err = c.transportError(ctx, *op, err, sent.Load())
		if ctx.Err() == nil { // a page that was left says nothing about the service
			c.contact.noteAnswer(err)
		}
		c.showRequest(req, *op, nil, nil, began, err)
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	c.learnClock(resp.Header, time.Now())
	c.contact.noteAnswer(nil)
	op.status, op.links, op.address = resp.StatusCode, resp.Header.Values("Link"), req.URL
	c.contact.noteStatus(op.status, resp.Header.Get("Content-Type"))
	noteMetadata(ctx, resp, op.attempt)
	body, tooLarge, err := readBody(resp)
	c.showRequest(req, *op, resp, body, began, err)
	switch {
	case resp.StatusCode >= 300:
		err := answerError(*op, resp, body)
		if err.Foreign && !op.legacy { // not every service has the v2 API
			c.contact.noteTrouble(op.status)
		}
		return nil, err
	case err != nil:
		return nil, c.transportError(ctx, *op, err, true)
	case tooLarge:
		return nil, foreignError(*op, fmt.Sprintf("response larger than %d MiB", maxAnswerBytes>>20))
	}
	return bytes.TrimPrefix(body, bom), nil
}

// bom is the mark that some services begin a text with.
var bom = []byte("\ufeff")

// readBody reads the body of an answer, of a refusal its beginning. One that is announced
// as too large is not read.
func readBody(resp *http.Response) (body []byte, tooLarge bool, err error) {
	if resp.StatusCode >= 300 {
		body, err = io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes+1))
		return body, false, err
	}
	if resp.ContentLength > maxAnswerBytes {
		return nil, true, nil
	}
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	return body, len(body) > maxAnswerBytes, err
}

func (c *Connection) newRequest(ctx context.Context, op Operation) (*http.Request, error) {
	for _, part := range op.path {
		if part == "" || part == "." || part == ".." {
			return nil, fmt.Errorf("%s: %q cannot be part of an address", op.name, part)
		}
	}
	base := c.base
	if op.legacy {
		base = c.legacy
	}
	if base == nil {
		return nil, fmt.Errorf("%s: %w", op.name, ErrNoLegacy)
	}
	target := base.JoinPath(escapeAll(op.path)...)
	target.RawQuery = op.query.Encode()
	req, err := http.NewRequestWithContext(ctx, op.method, target.String(), bytes.NewReader(op.body))
	if err == nil && op.upload != nil {
		req.ContentLength, req.GetBody = -1, nil
		req.Body, err = op.upload.openStream()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op.name, err)
	}
	if !op.repeat {
		// net/http sends a request with an Idempotency-Key again by itself when
		// a kept connection breaks. A body that it cannot rewind stops that.
		req.GetBody = nil
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

// setKey sets the key, in the header that the interface accepted last.
func (c *Connection) setKey(req *http.Request, legacy bool) {
	switch {
	case c.key == "":
	case legacy && c.apiKey.Load():
		req.Header.Set("X-Api-Key", c.key)
	default:
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
	return &TransportError{Op: op.name, Host: host, Err: err, Sent: sent, read: op.read}
}

// answerError turns an answer that is no success into an error.
func answerError(op Operation, resp *http.Response, body []byte) *Error {
	if resp.StatusCode < 400 {
		notDone := ""
		if !op.read {
			notDone = "not done: "
		}
		return foreignError(op, notDone+"the service redirects"+redirectTarget(resp)+"; check the address")
	}
	var v jsontext.Value
	var e *Error
	if isJSON(resp) && json.Unmarshal(body, &v, tolerant.Syntax) == nil {
		e = readRefusal(op, v)
	} else {
		e = foreignError(op, "unexpected response: "+describeAnswer(resp))
		if said := plainReason(resp, body); said != "" {
			e.Message += ": " + said
		}
	}
	if e.RequestID == "" && !e.Foreign {
		e.RequestID = resp.Header.Get("X-Request-Id")
	}
	e.RetryAfter, e.allow = answer.RetryAfter(resp.Header), strings.Join(resp.Header.Values("Allow"), ",")
	return e
}

// maxReason is how long a text may be that is shown as a reason, in bytes.
const maxReason = 300

// plainReason returns the text of an answer that is no more than a reason.
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

func describeAnswer(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "" {
		kind = "missing Content-Type"
	}
	return kind + " with " + strings.ToLower(http.StatusText(resp.StatusCode))
}

// redirectTarget says where a redirect leads, without its query, which may have secrets.
func redirectTarget(resp *http.Response) string {
	u, err := resp.Location()
	if err != nil {
		return ""
	}
	return " to " + u.Scheme + "://" + u.Host + u.EscapedPath()
}

// retryPause says whether and when a failed try is repeated: after 429 and 503
// any operation, since nothing was done; after a lost answer or a gateway's
// error only what may be done twice.
func (c *Connection) retryPause(op Operation, err error, try int) (time.Duration, bool) {
	if try >= c.retries || !op.upload.isRepeatable() {
		return 0, false
	}
	backoff := time.Duration(float64(c.backoff<<try) * (0.5 + rand.Float64()/2))
	var answered *Error
	if errors.As(err, &answered) {
		switch answered.Status {
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			// What a proxy answers does not prove that nothing was done behind it, unless it limits requests.
			limits := answered.Status == http.StatusTooManyRequests && answered.RetryAfter > 0
			undone := !answered.Foreign || limits
			return max(
					backoff,
					answered.RetryAfter,
				), answered.RetryAfter <= maxRetryAfter &&
					(op.repeat || undone)
		case http.StatusBadGateway, http.StatusGatewayTimeout:
			return backoff, op.repeat
		}
		return 0, false
	}
	var lost *TransportError
	if !errors.As(err, &lost) || answer.IsUntrusted(lost.Err) {
		return 0, false
	}
	// A request that timed out has used its patience up.
	return backoff, !lost.Timeout() && (op.repeat || !lost.Sent)
}
