package api

import (
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Exchange is one request and its answer, as an inspector may show them: keys,
// secrets, signatures and the tokens of links are masked.
type Exchange struct {
	Method         string
	URL            string
	Status         int // 0 where no answer came
	Began          time.Time
	At             time.Time     // Began, by the service's clock
	Duration       time.Duration // to the end of the answer
	RequestHeader  http.Header
	RequestBody    []byte // the first bytes, up to [MaxShownBody]; empty where it is no text
	RequestSize    int64  // bytes
	ResponseHeader http.Header
	ResponseBody   []byte // as RequestBody
	ResponseSize   int64  // bytes
	Err            error  // why no answer came; nil otherwise
	Attempt        int    // 1, and more where it was sent again
}

// MaxShownBody is how much of a body an [Exchange] has at most, in bytes.
// Where secrets are masked in a longer one it is less.
const MaxShownBody = 256 << 10

// MaxFullBody is the size in bytes from which a body is truncated, measured
// before secrets are masked.
const MaxFullBody = MaxShownBody + longestSecret

// WithObserver has each request and its answer shown to an inspector, retries
// included, a little after its answer has been read: who asks does not wait
// until secrets are masked. Calls come one at a time, in the order in which the
// requests ended. See [Client.Shown].
func WithObserver(observe func(Exchange)) Option {
	return func(c *Connection) error {
		c.Observe(observe)
		return nil
	}
}

// Observe has each request that ends from now on shown as [WithObserver] does,
// in place of whom they were shown to before; nil ends that.
func (c *Connection) Observe(observe func(Exchange)) {
	if observe == nil {
		c.observe.Store(nil)
		return
	}
	c.observe.Store(&observe)
}

// Shown returns once all requests that have ended were shown.
func (c *Connection) Shown() { c.ended.drainAll(c.tellObserver) }

// endedRequest is a request that ended, as it was: with its secrets.
type endedRequest struct {
	observe  func(Exchange)
	x        Exchange // what needs no masking
	url      *url.URL
	request  http.Header
	response http.Header
	sent     []byte
	got      []byte
	err      error
}

// showRequest has the observer told of a request that ended.
func (c *Connection) showRequest(
	req *http.Request,
	op Operation,
	resp *http.Response,
	got []byte,
	began time.Time,
	err error,
) {
	observe := c.observe.Load()
	if observe == nil || req == nil {
		return
	}
	took := time.Since(began)
	e := endedRequest{
		observe: *observe, url: req.URL, request: req.Header, sent: op.body, got: got, err: err,
		x: Exchange{
			Method:      req.Method,
			Began:       began,
			At:          c.Now().Add(-took),
			Duration:    took,
			Attempt:     op.attempt,
			RequestSize: int64(len(op.body)),
		},
	}
	if op.upload != nil {
		e.x.RequestSize = op.upload.sent.Load()
	}
	if resp != nil {
		e.x.Status, e.x.ResponseSize, e.response, e.err = resp.StatusCode, int64(len(got)), resp.Header, nil
	}
	c.ended.enqueue(e, c.tellObserver)
}

// tellObserver masks a request that ended and shows it.
func (c *Connection) tellObserver(e endedRequest) {
	x := e.x
	x.URL, x.Err = c.maskURL(e.url), c.maskError(e.err)
	x.RequestHeader, x.RequestBody = c.maskHeader(e.request), c.maskBody(e.request, e.sent)
	if x.Status != 0 {
		x.ResponseHeader, x.ResponseBody = c.maskHeader(e.response), c.maskBody(e.response, e.got)
	}
	e.observe(x)
}

const (
	// settleTime is how long what ended may wait to be shown, so that it costs
	// those who ask on nothing: masking several at once wakes nobody for each.
	settleTime = 20 * time.Millisecond
	// mostEnded is how many may wait; who ends more shows them.
	mostEnded = 200
)

// observerQueue shows requests one after the other, a little later.
type observerQueue struct {
	mu      sync.Mutex
	waiting []endedRequest
	armed   bool       // they will be shown
	telling sync.Mutex // held by who shows them
}

func (q *observerQueue) enqueue(e endedRequest, tell func(endedRequest)) {
	q.mu.Lock()
	q.waiting = append(q.waiting, e)
	full := len(q.waiting) >= mostEnded
	if !q.armed {
		q.armed = true
		time.AfterFunc(settleTime, func() { q.drainAll(tell) })
	}
	q.mu.Unlock()
	if full {
		q.drainAll(tell)
	}
}

// drainAll shows all that wait.
func (q *observerQueue) drainAll(tell func(endedRequest)) {
	q.telling.Lock()
	defer q.telling.Unlock()
	q.mu.Lock()
	next := q.waiting
	q.waiting, q.armed = nil, false
	q.mu.Unlock()
	for _, e := range next {
		runGuarded(func() { tell(e) })
	}
}

// runGuarded keeps what goes wrong in an observer from ending the process: nothing
// else would catch it on a goroutine of the client's.
func runGuarded(do func()) {
	defer func() { _ = recover() }()
	do()
}
