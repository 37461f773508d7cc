package api

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxRedirects is how many redirects of one request are followed.
const maxRedirects = 5

// sendFollowing sends a request and follows the redirects that may be followed. It returns
// the last request with its response: a redirect that was not followed is a response like
// any other.
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
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxErrorBytes)) // so that the connection is used again
		_ = resp.Body.Close()
		req = next
	}
	resp, err = c.http.Do(req)
	return req, resp, err
}

// redirectedRequest returns the request that a redirect asks for, nil if the response is no
// redirect or must not be followed: to another host, which must not get the key, or of a
// change whose method the redirect does not keep.
func redirectedRequest(req *http.Request, resp *http.Response, op *Operation) *http.Request {
	target, err := resp.Location()
	if err != nil || !isSameHost(req.URL, target) || op.upload != nil {
		return nil
	}
	next := req.Clone(req.Context())
	next.URL, next.Host = target, ""
	switch resp.StatusCode {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	case http.StatusMovedPermanently, http.StatusFound:
		if !op.read {
			return nil
		}
	case http.StatusSeeOther:
		if !op.read {
			return nil
		}
		next.Method = http.MethodGet
	default:
		return nil
	}
	if next.Method == http.MethodGet {
		next.Body, next.GetBody, next.ContentLength = nil, nil, 0
		next.Header.Del("Content-Type")
		return next
	}
	next.Body = io.NopCloser(bytes.NewReader(op.body))
	next.ContentLength = int64(len(op.body))
	return next
}

// isSameHost reports whether an address is on the host of another one. A change from http
// to https on the host's usual ports counts as the same host.
func isSameHost(from, to *url.URL) bool {
	if to.User != nil {
		return false
	}
	if from.Scheme == to.Scheme {
		return strings.EqualFold(from.Host, to.Host)
	}
	upgraded := from.Scheme == "http" && to.Scheme == "https"
	usual := (from.Port() == "" || from.Port() == "80") && (to.Port() == "" || to.Port() == "443")
	return upgraded && usual && strings.EqualFold(from.Hostname(), to.Hostname())
}
