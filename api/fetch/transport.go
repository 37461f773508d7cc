package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// NewTransport returns a transport for downloads from links. It does not use HTTP/2: all ranges of
// a file would share one connection, and a lost packet would delay all of them. If config is nil,
// the transport trusts the certificates of the system.
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

var errBadLink = &unexpectedResponseError{"the service sent a link that is not an http or https address"}

// sendRequest sends a request to a link and follows redirects. It never sends the API key. After a
// redirect, it does not tell the new server the original link.
func (q *Queue) sendRequest(ctx context.Context, method, link string, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, link, http.NoBody)
	if err != nil || !isUsableURL(req.URL) {
		return nil, errBadLink
	}
	req.URL.User = nil
	req.Header = header
	req.Header.Set("Accept-Encoding", "identity")
	if q.o.UserAgent != "" {
		req.Header.Set("User-Agent", q.o.UserAgent)
	}
	resp, err := q.client.Do(req)
	if err != nil {
		return nil, requestError(ctx, req.URL, err)
	}
	isRedirect := resp.StatusCode/100 == 3 && resp.StatusCode != http.StatusNotModified
	if isRedirect { // one that the client could not follow
		_ = resp.Body.Close()
		return nil, invalidRedirect(resp.Request.URL)
	}
	return resp, nil
}

// requestError returns the error for a request to a link that failed with err. Its text does
// not contain the link, unlike the texts of net/http.
func requestError(ctx context.Context, link *url.URL, err error) error {
	var unexpected *unexpectedResponseError
	if errors.As(err, &unexpected) { // from checkRedirect, whose text needs no host and no reason
		return unexpected
	}
	address := link // of the last request, after redirects
	reason := err
	var failure *url.Error
	if errors.As(err, &failure) {
		reason = failure.Err
		if last, parseErr := url.Parse(failure.URL); parseErr == nil {
			address = last
		}
	}
	if cause := context.Cause(ctx); cause != nil { // says more than the reason, which then is "context canceled"
		return &transportError{address.Host, cause}
	}
	// net/http has no type for this error.
	if strings.HasPrefix(reason.Error(), "failed to parse Location header") {
		return invalidRedirect(address)
	}
	if errors.Is(reason, io.EOF) {
		reason = errShort
	}
	return &transportError{address.Host, reason}
}

func invalidRedirect(server *url.URL) error {
	return &unexpectedResponseError{server.Host + " redirected to an invalid address"}
}

// checkRedirect decides whether a redirect is followed.
func checkRedirect(next *http.Request, via []*http.Request) error {
	from := via[len(via)-1].URL
	if len(via) > maxRedirects {
		return &unexpectedResponseError{from.Host + " redirected too many times"}
	}
	if !isUsableURL(next.URL) {
		return invalidRedirect(from)
	}
	if from.Scheme == "https" && next.URL.Scheme != "https" {
		return &unexpectedResponseError{from.Host + " redirected to an unencrypted address"}
	}
	next.Header.Del("Referer")
	next.URL.User = nil
	return nil
}

func isUsableURL(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" }

var rateForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([kKmMgG]?)(i?)[bB]?(?:/s)?$`)

// ParseRate parses a number of bytes per second such as 500kB, 10MB, 1.5M or 2MiB/s. Units are
// decimal, or binary with an i.
func ParseRate(s string) (int64, error) {
	parts := rateForm.FindStringSubmatch(strings.TrimSpace(s))
	if parts == nil {
		return 0, fmt.Errorf("%q is not a valid rate; use 500kB or 10MB", s)
	}
	number := parts[1]
	prefix := strings.ToUpper(parts[2])
	isBinary := parts[3] != ""
	step := 1000.0
	if isBinary {
		step = 1024
	}
	powers := map[string]float64{"": 0, "K": 1, "M": 2, "G": 3}
	n, err := strconv.ParseFloat(number, 64)
	n *= math.Pow(step, powers[prefix])
	if err != nil || n < 1 || n > maxRate {
		return 0, fmt.Errorf("%q is out of range; omit it for no limit", s)
	}
	return int64(n), nil
}

// maxRate is the highest rate that ParseRate accepts, in bytes per second.
const maxRate = 1e15
