package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// NewTransport returns a transport for links. It does not use HTTP/2: there
// all ranges would share one connection, and one lost packet would hold all of
// them up. A nil config trusts the system's certificates.
func NewTransport(config *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSClientConfig:     config,
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
		DisableCompression:  true,
		MaxIdleConnsPerHost: maxConnections,
	}
}

const maxRedirects = 5

// sendRequest sends a request to a link and follows redirects. It has no key, and
// where it is sent on nothing tells the next server of the link.
func (q *Queue) sendRequest(
	ctx context.Context,
	method, link string,
	header http.Header,
) (*http.Response, error) {
	target, err := url.Parse(link)
	if err == nil {
		target.User = nil
	}
	if err != nil || !isUsableURL(target) {
		return nil, &unexpectedAnswerError{"the service sent a link that is not an http or https address"}
	}
	for range maxRedirects + 1 {
		resp, err := q.sendOnce(ctx, method, target, header)
		if err != nil {
			return nil, err
		}
		switch resp.StatusCode {
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
			http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		default:
			return resp, nil
		}
		_ = resp.Body.Close()
		next, err := target.Parse(resp.Header.Get("Location"))
		switch {
		case err != nil || resp.Header.Get("Location") == "" || !isUsableURL(next):
			return nil, &unexpectedAnswerError{target.Host + " redirected to an invalid address"}
		case target.Scheme == "https" && next.Scheme != "https":
			return nil, &unexpectedAnswerError{target.Host + " redirected to an unencrypted address"}
		}
		target = next
	}
	return nil, &unexpectedAnswerError{target.Host + " redirected too many times"}
}

func isUsableURL(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" }

func (q *Queue) sendOnce(
	ctx context.Context,
	method string,
	target *url.URL,
	header http.Header,
) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, target.String(), http.NoBody)
	if err != nil {
		return nil, &unexpectedAnswerError{"the service sent a link that is not an http or https address"}
	}
	req.Header = header.Clone()
	req.Header.Set("Accept-Encoding", "identity")
	if q.o.UserAgent != "" {
		req.Header.Set("User-Agent", q.o.UserAgent)
	}
	// A client would read Location by itself and quote it in its error.
	resp, err := q.o.Transport.RoundTrip(req)
	if err == nil {
		return resp, nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, &transportError{target.Host, cause}
	}
	if errors.Is(err, io.EOF) {
		err = errShort
	}
	return nil, &transportError{target.Host, err}
}

// rateLimiter bounds what all transfers receive together. Its rate may change at
// any time, also for those that are waiting.
type rateLimiter struct {
	rate    atomic.Int64 // bytes per second; 0 is no bound
	mu      sync.Mutex
	next    time.Time     // when the bytes taken so far are paid for
	changed chan struct{} // closed when the rate changes
}

func newRateLimiter(rate int64) *rateLimiter {
	t := &rateLimiter{changed: make(chan struct{})}
	t.rate.Store(max(0, rate))
	return t
}

func (t *rateLimiter) setRate(rate int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rate.Store(max(0, rate))
	t.next = time.Time{}
	close(t.changed)
	t.changed = make(chan struct{})
}

// readSize returns how much may be read at once, of n: a twentieth of a second's.
func (t *rateLimiter) readSize(n int) int {
	rate := t.rate.Load()
	if rate == 0 {
		return n
	}
	return int(max(512, min(int64(n), rate/20)))
}

// waitForBudget waits until n bytes that were received are within the rate.
func (t *rateLimiter) waitForBudget(ctx context.Context, n int) error {
	if t.rate.Load() == 0 {
		return nil
	}
	t.mu.Lock()
	rate, now := t.rate.Load(), time.Now()
	if rate == 0 {
		t.mu.Unlock()
		return nil
	}
	if t.next.Before(now) {
		t.next = now
	}
	t.next = t.next.Add(time.Duration(float64(n) / float64(rate) * float64(time.Second)))
	until, changed := t.next, t.changed
	t.mu.Unlock()
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
	case <-changed:
	}
	return nil
}

var rateForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([kKmMgG]?)(i?)[bB]?(?:/s)?$`)

// ParseRate reads bytes per second as people write them: 500kB, 10MB, 1.5M,
// 2MiB/s. Letters are decimal units, those with an i binary ones.
func ParseRate(s string) (int64, error) {
	m := rateForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0, fmt.Errorf("%q is not a valid rate; use 500kB or 10MB", s)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	step := 1000.0
	if m[3] != "" {
		step = 1024
	}
	for range map[string]int{"": 0, "K": 1, "M": 2, "G": 3}[strings.ToUpper(m[2])] {
		n *= step
	}
	if err != nil || n < 1 || n > 1e15 {
		return 0, fmt.Errorf("%q is out of range; omit it for no limit", s)
	}
	return int64(n), nil
}
