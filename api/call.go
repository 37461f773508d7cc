package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxAnswerBytes = 64 << 20 // an order of 1,000 missions with all their points is below 10 MiB
	maxErrorBytes  = 1 << 20
	maxRetryAfter  = 30 * time.Second
)

// operation describes one call. Whether it may be repeated is a property of
// the operation, not of its method.
type operation struct {
	name   string // for messages: "list orders"
	method string
	path   []string // unescaped segments below the base
	legacy bool     // the base is the v2 API's
	query  url.Values
	repeat bool // doing it twice is the same as doing it once

	body    []byte
	upload  *upload // instead of body
	header  http.Header
	timeout time.Duration // 0: the client's
	attempt int           // which one this is, from 1
}

// envelope is the shape of every answer.
type envelope[T any] struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	Data    T      `json:"data"`
}

// call performs the operation and decodes the envelope's data into a T.
func call[T any](ctx context.Context, c *Client, op operation) (env envelope[T], err error) {
	body, err := c.do(ctx, op)
	if err != nil {
		return env, err
	}
	if err := json.Unmarshal(body, &env, lenient); err != nil || !env.Success {
		return env, foreign(op, http.StatusOK, "unexpected response format; check the address")
	}
	return env, nil
}

// do performs the operation, again where that is safe, and returns the body of
// a 2xx answer.
func (c *Client) do(ctx context.Context, op operation) (body []byte, err error) {
	if op.upload != nil {
		defer op.upload.end()
	}
	for try := 0; ; try++ {
		op.attempt = try + 1
		if body, err = c.try(ctx, op); err == nil {
			return body, nil
		}
		if op.legacy && IsStatus(err, http.StatusUnauthorized) && c.apiKey.CompareAndSwap(false, true) {
			if body, again := c.try(ctx, op); again == nil || !IsStatus(again, http.StatusUnauthorized) {
				return body, again
			}
			c.apiKey.Store(false) // the key is refused in either place
		}
		pause, again := c.retryPause(op, err, try)
		if !again || ctx.Err() != nil {
			return nil, err
		}
		if waitErr := wait(ctx, pause); waitErr != nil {
			return nil, waitErr
		}
	}
}

// try sends the request once and returns the body of a 2xx answer.
func (c *Client) try(ctx context.Context, op operation) ([]byte, error) {
	timeout := op.timeout
	if timeout == 0 {
		timeout = c.timeout
	}
	tryCtx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var sent atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}
	req, err := c.request(httptrace.WithClientTrace(tryCtx, trace), op)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	resp, err := c.http.Do(req)
	if fault := op.upload.fault(); fault != nil && err != nil {
		return nil, fmt.Errorf("%s: %w", op.name, fault)
	}
	if err != nil {
		err = c.transportError(ctx, op, err, sent.Load())
		if ctx.Err() == nil { // a page that was left says nothing about the service
			c.contact.heard(err)
		}
		c.show(req, op, nil, nil, began, err)
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	c.learnClock(resp.Header.Get("Date"), time.Now())
	c.contact.heard(nil)
	c.contact.answered(resp.StatusCode)
	noted(ctx, resp, op.attempt)
	limit := int64(maxAnswerBytes)
	if resp.StatusCode >= 300 {
		limit = maxErrorBytes
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	c.show(req, op, resp, body, began, err)
	switch {
	case resp.StatusCode >= 300:
		return nil, answerError(op, resp, body)
	case err != nil:
		return nil, c.transportError(ctx, op, err, true)
	case len(body) > 0 && body[0] == bom[0] && bytes.HasPrefix(body, bom):
		return body[len(bom):], nil
	case int64(len(body)) > limit:
		return nil, foreign(op, resp.StatusCode, fmt.Sprintf("response larger than %d MiB", limit>>20))
	}
	return body, nil
}

// bom is the mark that some services begin a text with.
var bom = []byte("\ufeff")

func (c *Client) request(ctx context.Context, op operation) (*http.Request, error) {
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
		req.ContentLength, req.GetBody = op.upload.size, nil
		req.Body, err = op.upload.open()
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
	c.authorize(req, op.legacy)
	return req, nil
}

// authorize sets the key, in the header that the interface accepted last.
func (c *Client) authorize(req *http.Request, legacy bool) {
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

func (c *Client) transportError(ctx context.Context, op operation, err error, sent bool) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%s: %w", op.name, ctx.Err())
	}
	host := c.base.Host
	if op.legacy {
		host = c.legacy.Host
	}
	return &TransportError{Op: op.name, Host: host, Err: err, Sent: sent}
}

// answerError turns an answer that is no success into an error.
func answerError(op operation, resp *http.Response, body []byte) error {
	if resp.StatusCode < 400 {
		return foreign(op, resp.StatusCode, "the service redirects"+redirectHost(resp)+"; check the address")
	}
	var v jsontext.Value
	var e *Error
	if isJSON(resp) && json.Unmarshal(body, &v, lenient) == nil {
		e = refusal(op, resp.StatusCode, v)
	} else {
		e = foreign(op, resp.StatusCode, "unexpected response: "+describe(resp))
		if said := plainReason(resp, body); said != "" {
			e.Message += ": " + said
		}
	}
	if e.RequestID == "" && !e.Foreign {
		e.RequestID = resp.Header.Get("X-Request-Id")
	}
	e.RetryAfter, e.allow = retryAfter(resp), strings.Join(resp.Header.Values("Allow"), ",")
	return e
}

// maxReason is how long a text may be that is shown as a reason, in bytes.
const maxReason = 300

// plainReason is the text of an answer that is no more than a reason.
func plainReason(resp *http.Response, body []byte) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	text := strings.Join(strings.Fields(string(body)), " ")
	if kind != "text/plain" || len(text) > maxReason || !utf8.ValidString(text) {
		return ""
	}
	return text
}

func foreign(op operation, status int, message string) *Error {
	return &Error{Op: op.name, Status: status, Message: message, Foreign: true}
}

func isJSON(resp *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind == "application/json" || kind == "" || strings.HasSuffix(kind, "+json") || kind == "text/json"
}

func describe(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "" {
		kind = "missing Content-Type"
	}
	return kind + " with " + strings.ToLower(http.StatusText(resp.StatusCode))
}

func redirectHost(resp *http.Response) string {
	if u, err := resp.Location(); err == nil {
		return ", to " + u.Host
	}
	return ""
}

func retryAfter(resp *http.Response) time.Duration {
	v := resp.Header.Get("Retry-After")
	if s, err := strconv.Atoi(v); err == nil && s >= 0 {
		return time.Duration(s) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// retryPause says whether and when a failed try is repeated: after 429 and 503
// any operation, since nothing was done; after a lost answer or a gateway's
// error only what may be done twice.
func (c *Client) retryPause(op operation, err error, try int) (time.Duration, bool) {
	if try >= c.retries || !op.upload.again() {
		return 0, false
	}
	backoff := time.Duration(float64(250*time.Millisecond<<try) * (0.5 + rand.Float64()/2))
	var answered *Error
	if errors.As(err, &answered) {
		switch answered.Status {
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			// What a proxy answers does not prove that nothing was done behind it.
			return max(backoff, answered.RetryAfter), answered.RetryAfter <= maxRetryAfter && (op.repeat || !answered.Foreign)
		case http.StatusBadGateway, http.StatusGatewayTimeout:
			return backoff, op.repeat
		}
		return 0, false
	}
	var lost *TransportError
	if !errors.As(err, &lost) || !retryable(lost.Err) {
		return 0, false
	}
	// A request that timed out has used its patience up.
	return backoff, !lost.Timeout() && (op.repeat || !lost.Sent)
}
