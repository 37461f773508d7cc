package api

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"flightdesk/api/internal/answer"
)

// errorOfAttempts returns the error of a call after its last attempt failed with lastErr. unsureErr is the error of
// an attempt that may have been applied, or nil. If the service has not looked at the last attempt, only unsureErr
// says what may have happened.
func errorOfAttempts(lastErr, unsureErr error) error {
	if unsureErr != nil && isUnprocessed(lastErr) {
		return unsureErr
	}
	return lastErr
}

// errorOfCancelledPause returns the error of a call that was cancelled in the pause before the next attempt. cancelErr
// is the error of the context. unsureErr is the error of an attempt that may have been applied, or nil. The caller
// must know about that attempt, so unsureErr has priority.
func errorOfCancelledPause(cancelErr, unsureErr error) error {
	if unsureErr != nil {
		return unsureErr
	}
	return cancelErr
}

// isUnprocessed reports whether an error means that the service has not looked at the request: it could not be
// reached, or it was unavailable or limited the requests.
func isUnprocessed(err error) bool {
	if lost, ok := errors.AsType[*TransportError](err); ok {
		return !lost.Sent
	}
	return IsStatus(err, http.StatusServiceUnavailable, http.StatusTooManyRequests)
}

// retryPause reports whether a failed attempt can be repeated, and returns the pause before the next attempt. try is
// the number of earlier attempts. See [WithRetries] for the rules.
func (c *Connection) retryPause(op Operation, err error, try int) (pause time.Duration, mayRetry bool) {
	if try >= c.retries || !op.upload.isRepeatable() {
		return 0, false
	}
	longestPause := c.backoff << try
	share := 0.5 + rand.Float64()/2 // keeps clients from retrying at the same time
	backoff := time.Duration(float64(longestPause) * share)
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

// pauseAfterResponse is [Connection.retryPause] for an error response. backoff is the pause unless the response asks
// for a longer one.
func pauseAfterResponse(op Operation, e *Error, backoff time.Duration) (pause time.Duration, mayRetry bool) {
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
