package api

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/internal/answer"
	"flightdesk/api/internal/tolerant"
)

func (c *Connection) transportError(ctx context.Context, op Operation, err error, sent bool) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%s: %w", op.name, ctx.Err())
	}
	host := c.base.Host
	if op.legacy {
		host = c.legacy.Host
	}
	return &TransportError{
		Op:    op.name,
		Host:  host,
		Proxy: c.proxyHost(op.legacy),
		Err:   err,
		Sent:  sent,
		read:  op.read,
	}
}

// proxyHost returns the host of the proxy for requests of an API, or "".
func (c *Connection) proxyHost(legacy bool) string {
	t, ok := c.http.Transport.(*http.Transport)
	if !ok || t.Proxy == nil {
		return ""
	}
	base := c.base
	if legacy {
		base = c.legacy
	}
	proxy, err := t.Proxy(&http.Request{URL: base})
	if err != nil || proxy == nil {
		return ""
	}
	return proxy.Host
}

// responseError returns the error for a response that is not 2xx.
func responseError(op Operation, resp *http.Response, body []byte) *Error {
	if resp.StatusCode < 400 {
		message := "the service redirects" + redirectTarget(resp) + "; check the address"
		if !op.read {
			message = "not done: " + message
		}
		return foreignError(op, message)
	}
	e := bodyError(op, resp, body)
	if e.RequestID == "" && !e.Foreign {
		e.RequestID = resp.Header.Get("X-Request-Id")
	}
	e.RetryAfter = answer.RetryAfter(resp.Header)
	e.allow = strings.Join(resp.Header.Values("Allow"), ",")
	return e
}

// bodyError returns the error that the body of an error response describes.
func bodyError(op Operation, resp *http.Response, body []byte) *Error {
	var v jsontext.Value
	if isJSON(resp) && json.Unmarshal(body, &v, tolerant.Syntax) == nil {
		return readErrorResponse(op, v)
	}
	if isWebPage(resp) {
		return foreignError(op, "a web page answered instead of the service")
	}
	message := "not in the service's format: " + describeType(resp)
	if reason := plainReason(resp, body); reason != "" {
		message += ": " + reason
	}
	return foreignError(op, message)
}

// maxReason is the length of the longest text that is shown as a reason, in bytes.
const maxReason = 300

// plainReason returns the text of a short text/plain response, or "".
func plainReason(resp *http.Response, body []byte) string {
	text := strings.Join(strings.Fields(string(body)), " ")
	if mediaTypeOf(resp) != "text/plain" || len(text) > maxReason || !utf8.ValidString(text) {
		return ""
	}
	return text
}

func foreignError(op Operation, message string) *Error {
	return &Error{
		Op:      op.name,
		Status:  op.status,
		Message: message,
		Foreign: true,
		read:    op.read,
	}
}

// mediaTypeOf returns the media type of a response without parameters, such as "text/csv", or "".
func mediaTypeOf(resp *http.Response) string {
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return mediaType
}

func isJSON(resp *http.Response) bool {
	kind := mediaTypeOf(resp)
	return kind == "application/json" || kind == "" || strings.HasSuffix(kind, "+json") || kind == "text/json"
}

// isWebPage reports whether a response is a page for a browser.
func isWebPage(resp *http.Response) bool {
	kind := mediaTypeOf(resp)
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// describeType returns the media type of a response, such as "text/plain".
func describeType(resp *http.Response) string {
	kind := mediaTypeOf(resp)
	if kind == "" {
		return "missing Content-Type"
	}
	return kind
}

// redirectTarget describes the target of a redirect without its query, which can contain
// secrets.
func redirectTarget(resp *http.Response) string {
	u, err := resp.Location()
	if err != nil {
		return ""
	}
	return " to " + u.Scheme + "://" + u.Host + u.EscapedPath()
}
