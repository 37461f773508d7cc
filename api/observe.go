package api

import (
	"net/http"
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
	RequestBody    []byte // the first [MaxShownBody] bytes; empty where it is no text
	RequestSize    int64  // bytes
	ResponseHeader http.Header
	ResponseBody   []byte // as RequestBody
	ResponseSize   int64  // bytes
	Err            error  // why no answer came; nil otherwise
	Attempt        int    // 1, and more where it was sent again
}

// MaxShownBody is how much of a body an [Exchange] has, in bytes.
const MaxShownBody = 256 << 10

// WithObserver has each request and its answer shown to an inspector, retries
// included, once its answer has been read. Calls come from the goroutines that
// make the requests.
func WithObserver(observe func(Exchange)) Option {
	return func(c *Client) error {
		c.Observe(observe)
		return nil
	}
}

// Observe has each request that ends from now on shown as [WithObserver] does,
// in place of whom they were shown to before; nil ends that.
func (c *Client) Observe(observe func(Exchange)) {
	if observe == nil {
		c.observe.Store(nil)
		return
	}
	c.observe.Store(&observe)
}

// show tells the observer of a request that ended.
func (c *Client) show(req *http.Request, op operation, resp *http.Response, got []byte, began time.Time, err error) {
	observe := c.observe.Load()
	if observe == nil || req == nil {
		return
	}
	x := Exchange{
		Method: req.Method, URL: c.maskURL(req.URL), Began: began, Duration: time.Since(began), Err: c.maskError(err), Attempt: op.attempt,
		RequestHeader: c.maskHeader(req.Header), RequestSize: int64(len(op.body)),
		RequestBody: c.maskBody(req.Header, op.body),
	}
	x.At = c.Now().Add(-x.Duration)
	if op.upload != nil {
		x.RequestSize = op.upload.read.Load()
	}
	if resp != nil {
		x.Status, x.ResponseHeader, x.ResponseSize = resp.StatusCode, c.maskHeader(resp.Header), int64(len(got))
		x.ResponseBody, x.Err = c.maskBody(resp.Header, got), nil
	}
	(*observe)(x)
}
