package api

import (
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Exchange is one request and its response. Keys, secrets, signatures and the tokens of
// links are masked.
type Exchange struct {
	Method         string
	URL            string
	Status         int // 0 without a response
	Began          time.Time
	At             time.Time     // Began, by the service's clock
	Duration       time.Duration // until the end of the response
	RequestHeader  http.Header
	RequestBody    []byte // at most the first [MaxShownBody] bytes; empty unless it is text
	RequestSize    int64  // bytes
	ResponseHeader http.Header
	ResponseBody   []byte // like RequestBody
	ResponseSize   int64  // bytes
	Err            error  // why there is no response; nil otherwise
	Attempt        int    // 1, or more if the request was repeated
}

// MaxShownBody is the maximum size of a body in an [Exchange], in bytes. Masking secrets
// can make a longer body smaller than that.
const MaxShownBody = 256 << 10

// MaxFullBody is the size in bytes above which a body is truncated, before masking.
const MaxFullBody = MaxShownBody + longestSecret

// WithObserver calls observe for each request, including retries. The calls happen shortly
// after the response was read, so callers do not wait for the masking of secrets. They
// are sequential, in the order in which the requests ended. See [Connection.Shown].
func WithObserver(observe func(Exchange)) Option {
	return func(c *Connection) error {
		c.Observe(observe)
		return nil
	}
}

// Observe replaces the observer for requests that end from now on; nil removes it. See
// [WithObserver].
func (c *Connection) Observe(observe func(Exchange)) {
	if observe == nil {
		c.observe.Store(nil)
		return
	}
	c.observe.Store(&observe)
}

// Shown returns when the observer has been called for all requests that have ended.
func (c *Connection) Shown() { c.ended.drainAll(c.notifyObserver) }

// endedRequest is a completed request before masking.
type endedRequest struct {
	observe  func(Exchange)
	exchange Exchange // the fields that need no masking
	url      *url.URL
	request  http.Header
	response http.Header
	err      error

	requestBody  []byte
	responseBody []byte
}

// showRequest queues a completed request for the observer, if there is one. resp is nil if
// there was no response; err is then the reason.
func (c *Connection) showRequest(
	req *http.Request,
	op Operation,
	resp *http.Response,
	responseBody []byte,
	began time.Time,
	err error,
) {
	observe := c.observe.Load()
	if observe == nil || req == nil {
		return
	}
	duration := time.Since(began)
	e := endedRequest{
		observe:      *observe,
		url:          req.URL,
		request:      req.Header,
		requestBody:  op.body,
		responseBody: responseBody,
		err:          err,
		exchange: Exchange{
			Method:      req.Method,
			Began:       began,
			At:          c.Now().Add(-duration),
			Duration:    duration,
			Attempt:     op.attempt,
			RequestSize: int64(len(op.body)),
		},
	}
	if op.upload != nil {
		e.exchange.RequestSize = op.upload.sent.Load()
	}
	if resp != nil {
		e.exchange.Status = resp.StatusCode
		e.exchange.ResponseSize = int64(len(responseBody))
		e.response = resp.Header
	}
	c.ended.enqueue(e, c.notifyObserver)
}

// notifyObserver masks the secrets of a completed request and calls the observer.
func (c *Connection) notifyObserver(e endedRequest) {
	x := e.exchange
	x.URL = c.maskURL(e.url)
	x.Err = c.maskError(e.err)
	x.RequestHeader = c.maskHeader(e.request)
	x.RequestBody = c.maskBody(e.request, e.requestBody)
	if x.Status != 0 {
		x.ResponseHeader = c.maskHeader(e.response)
		x.ResponseBody = c.maskBody(e.response, e.responseBody)
	}
	e.observe(x)
}

const (
	// observerDelay is how long completed requests wait for the observer. Masking several at
	// once costs concurrent calls less time than masking each as it ends.
	observerDelay = 20 * time.Millisecond
	// maxQueued is the length of the queue at which it is drained at once.
	maxQueued = 200
)

// observerQueue calls the observer for completed requests, one at a time, after a short
// delay.
type observerQueue struct {
	mu        sync.Mutex
	waiting   []endedRequest
	armed     bool       // a timer will drain the queue
	notifying sync.Mutex // held while the observer is called
}

func (q *observerQueue) enqueue(e endedRequest, notify func(endedRequest)) {
	q.mu.Lock()
	q.waiting = append(q.waiting, e)
	isFull := len(q.waiting) >= maxQueued
	if !q.armed {
		q.armed = true
		time.AfterFunc(observerDelay, func() { q.drainAll(notify) })
	}
	q.mu.Unlock()
	if isFull {
		q.drainAll(notify)
	}
}

// drainAll calls notify for all queued requests.
func (q *observerQueue) drainAll(notify func(endedRequest)) {
	q.notifying.Lock()
	defer q.notifying.Unlock()
	q.mu.Lock()
	queued := q.waiting
	q.waiting = nil
	q.armed = false
	q.mu.Unlock()
	for _, e := range queued {
		runGuarded(func() { notify(e) })
	}
}

// runGuarded discards a panic of an observer, which would otherwise end the process: it
// runs in a goroutine of the client, where nothing else catches it.
func runGuarded(do func()) {
	defer func() { _ = recover() }()
	do()
}
