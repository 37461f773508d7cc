package api

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Exchange is one request and its answer, as an inspector may show them: keys,
// secrets, signatures and the tokens of links are masked.
type Exchange struct {
	Method         string
	URL            string
	Status         int // 0 where no answer came
	Began          time.Time
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
		Method: req.Method, URL: c.maskURL(req.URL), Began: began, Duration: time.Since(began), Err: err, Attempt: op.attempt,
		RequestHeader: c.maskHeader(req.Header), RequestSize: int64(len(op.body)),
		RequestBody: c.maskBody(req.Header, op.body),
	}
	if op.upload != nil {
		x.RequestSize = op.upload.read.Load()
	}
	if resp != nil {
		x.Status, x.ResponseHeader, x.ResponseSize = resp.StatusCode, c.maskHeader(resp.Header), int64(len(got))
		x.ResponseBody, x.Err = c.maskBody(resp.Header, got), nil
	}
	(*observe)(x)
}

const masked = "•••"

// secretHeaders are those whose values nobody needs to see.
var secretHeaders = []string{
	"Authorization", "Proxy-Authorization", "X-Api-Key", "X-Service-Signature", "Cookie", "Set-Cookie", "Idempotency-Key",
}

func (c *Client) maskHeader(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range secretHeaders {
		if _, there := h[name]; there {
			h.Set(name, masked)
		}
	}
	for _, values := range h {
		for i, v := range values {
			values[i] = string(c.maskText([]byte(v)))
		}
	}
	return h
}

func (c *Client) maskBody(h http.Header, body []byte) []byte {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	if kind = strings.TrimSpace(kind); kind != "" && kind != "application/json" && !strings.HasPrefix(kind, "text/") {
		return nil
	}
	// What is cut off could end within a secret, so it is masked before.
	body = c.maskText(body)
	return body[:min(len(body), MaxShownBody)]
}

var (
	secretMember = regexp.MustCompile(`(?i)("(?:[a-z_]*secret|key|apikey|api_key|token|password|signature)"\s*:\s*)"(?:[^"\\]|\\.)*("|$)`)
	linkToken    = regexp.MustCompile(`(/files/)[^/"\s\\]+`)
	knownSecret  = regexp.MustCompile(`(?:fd_(?:test|ops|live)_|whsec_)[A-Za-z0-9_-]+|sha256=[0-9a-fA-F]{16,}`)
	signedQuery  = regexp.MustCompile(`(?i)([?&](?:[a-z0-9-]*(?:signature|token|credential|key|sig))=)[^&"\s\\]+`)
)

// masks are what is masked, and parts in lower case of which one is in whatever
// the expression finds.
var masks = []struct {
	what  *regexp.Regexp
	with  string
	needs []string
}{
	{secretMember, `${1}"` + masked + `"`, []string{`secret"`, `key"`, `token"`, `password"`, `signature"`}},
	{linkToken, "${1}" + masked, []string{"/files/"}},
	{knownSecret, masked, []string{"fd_", "whsec_", "sha256="}},
	{signedQuery, "${1}" + masked, []string{"signature=", "token=", "credential=", "key=", "sig="}},
}

// maskText masks what is known for a secret by its name or its form, and the
// client's own key wherever it stands.
func (c *Client) maskText(b []byte) []byte {
	// The expressions take a hundred times as long as the search for what they
	// could find, and most answers have none of it.
	low := bytes.ToLower(b)
	for _, m := range masks {
		if slices.ContainsFunc(m.needs, func(part string) bool { return bytes.Contains(low, []byte(part)) }) {
			b = m.what.ReplaceAll(b, []byte(m.with))
		}
	}
	if c.key != "" {
		b = bytes.ReplaceAll(b, []byte(c.key), []byte(masked))
	}
	return b
}

// maskURL is an address without the secrets that addresses may have.
func (c *Client) maskURL(u *url.URL) string {
	shown := *u
	shown.User = nil
	return string(c.maskText([]byte(shown.String())))
}
