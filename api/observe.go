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
	Status         int           // 0 without a response
	Began          time.Time     // start of the request by the clock of this machine
	At             time.Time     // start of the request by the clock of the service
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

// showResponse queues a request and its response for the observer, if there is one. responseBody is the part of
// the body that was read.
func (c *Connection) showResponse(
	req *http.Request, op Operation, began time.Time, resp *http.Response, responseBody []byte,
) {
	e, isObserved := c.newEndedRequest(req, op, began)
	if !isObserved {
		return
	}
	e.response = resp.Header
	e.responseBody = responseBody
	e.exchange.Status = resp.StatusCode
	e.exchange.ResponseSize = int64(len(responseBody))
	c.ended.enqueue(e, c.notifyObserver)
}

// showLostRequest queues a request without a response for the observer, if there is one. lost is the reason why there
// is no response.
func (c *Connection) showLostRequest(req *http.Request, op Operation, began time.Time, lost error) {
	e, isObserved := c.newEndedRequest(req, op, began)
	if !isObserved {
		return
	}
	e.err = lost
	c.ended.enqueue(e, c.notifyObserver)
}

// newEndedRequest describes a request for the observer. Its duration ends now. The caller adds the response or the
// error. isObserved is false if there is no observer.
func (c *Connection) newEndedRequest(
	req *http.Request, op Operation, began time.Time,
) (e endedRequest, isObserved bool) {
	observe := c.observe.Load()
	if observe == nil {
		return e, false
	}
	requestSize := int64(len(op.body))
	if op.upload != nil {
		requestSize = op.upload.sent.Load()
	}
	duration := time.Since(began)
	serviceNow := c.Now()
	return endedRequest{
		observe:     *observe,
		url:         req.URL,
		request:     req.Header,
		requestBody: op.body,
		exchange: Exchange{
			Method:      req.Method,
			Began:       began,
			At:          serviceNow.Add(-duration),
			Duration:    duration,
			Attempt:     op.attempt,
			RequestSize: requestSize,
		},
	}, true
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
	// maxQueued is the number of queued requests at which the observer is called without the delay.
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
