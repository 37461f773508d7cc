package server

import (
	"bytes"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

// envelopeListener accepts connections on which clients get all errors in the JSON envelope.
// net/http answers some malformed requests itself, before they reach a handler, with plain text.
// The connections put these errors into the envelope.
type envelopeListener struct {
	*net.TCPListener
	now func() time.Time // of the service
}

// Accept returns the next connection.
func (l envelopeListener) Accept() (net.Conn, error) {
	conn, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	return &envelopeConn{conn, l.now}, nil
}

// envelopeConn is a connection of an envelopeListener. It embeds the TCP connection, because
// net/http uses methods of it to send files efficiently.
type envelopeConn struct {
	*net.TCPConn
	now func() time.Time // of the service
}

// Write writes an answer. It replaces an error of net/http by an error in the envelope.
func (c *envelopeConn) Write(answer []byte) (int, error) {
	return writeInEnvelope(c.TCPConn, answer, c.now)
}

// envelopeTLSConn is a connection for HTTP/1 over TLS. Like envelopeConn, it puts errors of
// net/http into the JSON envelope.
type envelopeTLSConn struct {
	net.Conn           // the same as secure; net/http needs only the methods of net.Conn
	secure   *tls.Conn // connection to the client
	now      func() time.Time
}

func newEnvelopeTLSConn(secure *tls.Conn, now func() time.Time) *envelopeTLSConn {
	return &envelopeTLSConn{Conn: secure, secure: secure, now: now}
}

// Write writes an answer. It replaces an error of net/http by an error in the envelope.
func (c *envelopeTLSConn) Write(answer []byte) (int, error) {
	return writeInEnvelope(c.secure, answer, c.now)
}

// ConnectionState returns the state of TLS, from which net/http sets the TLS field of requests.
func (c *envelopeTLSConn) ConnectionState() tls.ConnectionState { return c.secure.ConnectionState() }

// CloseWrite ends the server's side of the connection. net/http calls it after an error and closes the
// connection a little later, because the client might not receive the error if the connection was closed at once.
func (c *envelopeTLSConn) CloseWrite() error { return c.secure.CloseWrite() }

// writeInEnvelope writes an answer to w. It replaces an error of net/http by an error in
// the envelope.
func writeInEnvelope(w io.Writer, answer []byte, now func() time.Time) (int, error) {
	refusal, isRefusal := parseRefusal(answer)
	if !isRefusal {
		return w.Write(answer)
	}
	if err := writeRefusal(w, refusal, now()); err != nil {
		return 0, err
	}
	return len(answer), nil
}

// httpRefusal is an error response that net/http wrote itself, without calling a handler.
type httpRefusal struct {
	statusLine []byte
	status     int
	detail     string // what is wrong with a bad request, or ""
	isPlain    bool   // the request was sent without TLS to a port with TLS
}

// plainHead is the end of the header in most error responses that net/http writes itself. Their
// body is plain text.
var plainHead = []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// maxRefusalHead is the number of bytes of an answer that parseRefusal looks at. They contain
// the status line and the header of every error of net/http.
const maxRefusalHead = 512

// parseRefusal parses an error response that net/http wrote itself. ok is false if a handler wrote
// the response. The responses of handlers can be recognized: they never close the connection after
// plain text, and never have the status 417.
func parseRefusal(answer []byte) (refusal httpRefusal, ok bool) {
	head := answer[:min(len(answer), maxRefusalHead)]
	statusLine, rest, _ := bytes.Cut(head, []byte("\r\n"))
	version, reason, _ := bytes.Cut(statusLine, []byte(" "))
	if !bytes.HasPrefix(version, []byte("HTTP/1.")) || len(reason) < 3 {
		return httpRefusal{}, false
	}
	status, err := strconv.Atoi(string(reason[:3]))
	if err != nil {
		return httpRefusal{}, false
	}
	_, detail, _ := bytes.Cut(reason, []byte(": "))
	isEmpty := status == http.StatusExpectationFailed && bytes.Contains(rest, []byte("\r\nContent-Length: 0\r\n"))
	if !isEmpty && !bytes.HasPrefix(rest, plainHead) {
		return httpRefusal{}, false
	}
	return httpRefusal{statusLine: statusLine, status: status, detail: string(detail)}, true
}

// fault returns the error code and the message of the error.
func (r httpRefusal) fault() (api.ErrorCode, string) {
	if r.isPlain {
		return api.CodeValidationFailed, "was sent over http; use https"
	}
	switch r.status {
	case http.StatusRequestHeaderFieldsTooLarge:
		return api.CodeTooLarge, fmt.Sprintf("has more than %d KiB of headers", maxHeaderBytes>>10)
	case http.StatusNotImplemented:
		return api.CodeValidationFailed, "has an unknown Transfer-Encoding; use chunked or a Content-Length"
	case http.StatusHTTPVersionNotSupported:
		return api.CodeValidationFailed, "has an unknown version of HTTP; use HTTP/1.1"
	case http.StatusExpectationFailed:
		return api.CodeValidationFailed, "has an unknown Expect header; use 100-continue or none"
	}
	message := "has an address or a header that cannot be read"
	if r.detail != "" {
		message += ": " + r.detail
	}
	return api.CodeValidationFailed, message
}

// writeRefusal writes an error in the envelope. The connection is closed after it.
func writeRefusal(w io.Writer, refusal httpRefusal, now time.Time) error {
	id := rand.Text()
	body, err := refusal.encodeBody(id)
	if err != nil {
		return err
	}
	header := http.Header{
		"Cache-Control":          {"no-store"},
		"Connection":             {"close"},
		"Content-Length":         {strconv.Itoa(len(body))},
		"Content-Type":           {"application/json"},
		"Date":                   {now.UTC().Format(http.TimeFormat)},
		"X-Content-Type-Options": {"nosniff"},
		"X-Request-Id":           {id},
	}
	answer := bytes.NewBuffer(append(bytes.Clone(refusal.statusLine), "\r\n"...))
	if err := header.Write(answer); err != nil {
		return err
	}
	answer.WriteString("\r\n")
	answer.Write(body)
	_, err = answer.WriteTo(w)
	return err
}

// encodeBody returns the error in the JSON envelope, with the given request ID.
func (r httpRefusal) encodeBody(requestID string) ([]byte, error) {
	code, message := r.fault()
	return json.Marshal(answerEnvelope{
		Message: "request: " + message,
		Data: faultData{
			Code:      code,
			Errors:    []api.FieldError{{Field: "request", Message: message}},
			RequestID: requestID,
		},
	})
}
