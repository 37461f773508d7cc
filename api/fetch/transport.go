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
)

// NewTransport returns a transport for links. It does not use HTTP/2, with which all ranges would
// share one connection and one lost packet would delay all of them. A nil config trusts the
// system's certificates.
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

// sendRequest sends a request to a link and follows redirects. It sends no API key, and after a
// redirect the next server does not learn the link.
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
	if err == nil {
		if resp.StatusCode/100 == 3 && resp.StatusCode != http.StatusNotModified {
			_ = resp.Body.Close()
			return nil, invalidRedirect(resp.Request.URL)
		}
		return resp, nil
	}
	var odd *unexpectedResponseError
	if errors.As(err, &odd) {
		return nil, odd
	}
	at := req.URL
	var failed *url.Error
	if errors.As(err, &failed) { // a url.Error contains the link
		err = failed.Err
		if last, e := url.Parse(failed.URL); e == nil {
			at = last
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, &transportError{at.Host, cause}
	}
	if strings.HasPrefix(err.Error(), "failed to parse Location header") { // also contains the link
		return nil, invalidRedirect(at)
	}
	if errors.Is(err, io.EOF) {
		err = errShort
	}
	return nil, &transportError{at.Host, err}
}

func invalidRedirect(from *url.URL) error {
	return &unexpectedResponseError{from.Host + " redirected to an invalid address"}
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
