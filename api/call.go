package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	maxResponseBytes = 64 << 20 // an order of 1,000 missions with the maximum number of points is below 10 MiB
	maxErrorBytes    = 1 << 20
	maxRetryAfter    = 30 * time.Second
)

// responseEnvelope is the form of every response of the public API. Responses of the v2 API have no
// envelope.
type responseEnvelope[T any] struct {
	Success *bool  `json:"success"`
	Message string `json:"message"`
	Data    T      `json:"data"`
}

func (e *responseEnvelope[T]) isSuccess() bool { return e.Success != nil && *e.Success }

// messageOf returns the member "message" of a response, or "" if it has none.
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

// perform performs the operation and returns the body of a 2xx response. It repeats the request if
// that is safe. If the operation has alternative HTTP methods and the service does not support the
// usual one, perform tries the others.
func (c *Connection) perform(ctx context.Context, op *Operation) ([]byte, error) {
	if len(op.methods) == 0 {
		return c.sendWithRetries(ctx, op)
	}
	return c.performByAnyMethod(ctx, op)
}

// sendWithRetries sends the request of the operation with the method of op. It repeats the request after errors for
// which that is safe, see [WithRetries]. If the v2 API rejects the key, it sends the request once more, with the key in
// another header.
func (c *Connection) sendWithRetries(ctx context.Context, op *Operation) ([]byte, error) {
	defer func() { _ = op.upload.endStream() }() // otherwise the files of an upload could be read after the call
	var unsureErr error                          // of the last failed attempt that may have changed something, or nil
	for retry := 0; ; retry++ {
		op.attempt = retry + 1
		body, err := c.sendOnce(ctx, op)
		if err == nil {
			return body, nil
		}
		if c.switchToAPIKeyHeader(op, err) {
			return c.sendWithAPIKeyHeader(ctx, op, err)
		}
		if MaybeApplied(err) {
			unsureErr = err
		}
		pause, mayRetry := c.retryPause(*op, err, retry)
		if !mayRetry || ctx.Err() != nil {
			return nil, errorOfAttempts(err, unsureErr)
		}
		if sleepErr := sleepFor(ctx, pause); sleepErr != nil {
			return nil, errorOfCancelledPause(sleepErr, unsureErr)
		}
	}
}

// switchToAPIKeyHeader makes all requests of the v2 API send the key in X-Api-Key if err says that the v2 API rejected
// the key in the Authorization header. It returns false if it changed nothing.
func (c *Connection) switchToAPIKeyHeader(op *Operation, err error) bool {
	isV2 := op.legacy
	isKeyRejected := isV2 && IsStatus(err, http.StatusUnauthorized)
	return isKeyRejected && c.needsAPIKeyHeader.CompareAndSwap(false, true)
}

// sendWithAPIKeyHeader repeats a request of the v2 API that was rejected with 401, with the key in
// the header X-Api-Key. If the service rejects this request with 401, too, sendWithAPIKeyHeader
// returns the error of the first request, and later requests use the Authorization header again.
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

// readResult reads the body of a response and reports it to the observer of the connection. It
// returns an error unless the status is 2xx and the body is complete.
func (c *Connection) readResult(
	ctx context.Context, req *http.Request, resp *http.Response, op Operation, began time.Time,
) ([]byte, error) {
	body, isTooLarge, readErr := readBody(resp)
	c.showResponse(req, op, began, resp, body)
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

// recordLost records that the service did not respond to a request, and reports the request to the
// observer of the connection.
func (c *Connection) recordLost(ctx context.Context, req *http.Request, op Operation, began time.Time, lost error) {
	if ctx.Err() == nil { // a call that the user cancelled says nothing about the service
		c.contact.recordResult(lost)
	}
	c.showLostRequest(req, op, began, lost)
}

// recordResponse saves what the headers of a response say. It saves the service's clock and any
// [Trouble] in the connection, and the status and links in op.
func (c *Connection) recordResponse(ctx context.Context, req *http.Request, resp *http.Response, op *Operation) {
	c.updateClock(resp.Header, time.Now())
	c.contact.recordResult(nil)
	c.contact.updateTrouble(resp)
	op.status = resp.StatusCode
	op.mediaType = mediaTypeOf(resp)
	op.links = resp.Header.Values("Link")
	op.address = req.URL
	saveMetadata(ctx, resp, op.attempt)
}

// rejection returns the error of a response that is not 2xx. If the response is not in the
// service's format, something else has responded, such as a proxy. rejection then records a
// [Trouble] of the connection. In the v2 API, which not every service has, it does so only for
// status 401: the app would otherwise report that the service has rejected the key.
func (c *Connection) rejection(op Operation, resp *http.Response, body []byte) *Error {
	err := responseError(op, resp, body)
	isRecorded := !op.legacy || op.status == http.StatusUnauthorized
	if err.Foreign && isRecorded {
		c.contact.setTrouble(Trouble{Status: op.status, Foreign: true})
	}
	return err
}

// bom is the byte order mark, which some services send before a text.
var bom = []byte("\ufeff")

// readBody reads the body of a response. A successful response can have up to maxResponseBytes; if
// it is larger, isTooLarge is true. Of an error response, readBody reads at most 1 MiB. If
// Content-Length already shows that the body is too large, readBody reads nothing.
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
