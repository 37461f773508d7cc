package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/url"
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
func (q *Queue) sendRequest(ctx context.Context, method, link string, header http.Header) (*http.Response, error) {
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

func (q *Queue) sendOnce(ctx context.Context, method string, target *url.URL, header http.Header) (*http.Response, error) {
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
