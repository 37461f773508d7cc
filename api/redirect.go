package api

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxRedirects is the maximum number of redirects that a request follows.
const maxRedirects = 5

// sendFollowing sends a request and follows the redirects that redirectedRequest allows. It returns the
// last request and its response. If a redirect was not followed, the response is the redirect.
func (c *Connection) sendFollowing(
	req *http.Request, op *Operation,
) (last *http.Request, resp *http.Response, err error) {
	for range maxRedirects {
		resp, err = c.http.Do(req)
		if err != nil {
			return req, nil, err
		}
		next := redirectedRequest(req, resp, op)
		if next == nil {
			return req, resp, nil
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxErrorBytes)) // allows reuse of the connection
		_ = resp.Body.Close()
		req = next
	}
	resp, err = c.http.Do(req)
	return req, resp, err
}

// redirectedRequest returns the request that follows a redirect. It returns nil if the response is not
// a redirect or must not be followed. A redirect to another host must not be followed, because the
// other host must not get the API key. A redirect of a change must not be followed if the method of
// the request would become GET.
func redirectedRequest(req *http.Request, resp *http.Response, op *Operation) *http.Request {
	target, err := resp.Location()
	if err != nil || !isSameHost(req.URL, target) {
		return nil
	}
	if op.upload != nil { // its files have been read
		return nil
	}
	if !isFollowed(resp.StatusCode, op.read) {
		return nil
	}
	next := req.Clone(req.Context())
	next.URL = target
	next.Host = ""
	if resp.StatusCode == http.StatusSeeOther {
		next.Method = http.MethodGet
	}
	if next.Method == http.MethodGet {
		next.Body = nil
		next.GetBody = nil
		next.ContentLength = 0
		next.Header.Del("Content-Type")
		return next
	}
	next.Body = io.NopCloser(bytes.NewReader(op.body))
	next.ContentLength = int64(len(op.body))
	return next
}

// isFollowed reports whether redirects with a status are followed. Only 307 and 308 keep the
// method of a change.
func isFollowed(status int, isRead bool) bool {
	switch status {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		return isRead
	}
	return false
}

// isSameHost reports whether two addresses are on the same host. A change from http to https
// on the default ports counts as the same host.
func isSameHost(from, to *url.URL) bool {
	if to.User != nil {
		return false
	}
	if from.Scheme == to.Scheme {
		return strings.EqualFold(from.Host, to.Host)
	}
	isUpgrade := from.Scheme == "http" && to.Scheme == "https"
	hasDefaultPorts := (from.Port() == "" || from.Port() == "80") && (to.Port() == "" || to.Port() == "443")
	return isUpgrade && hasDefaultPorts && strings.EqualFold(from.Hostname(), to.Hostname())
}
