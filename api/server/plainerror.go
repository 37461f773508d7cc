package server

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net"
	"strings"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

// envelopeListener accepts connections on which net/http's own refusals, of requests
// that reach no handler, go out in the envelope.
type envelopeListener struct{ *net.TCPListener }

// Accept returns the next connection.
func (l envelopeListener) Accept() (net.Conn, error) {
	conn, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	return envelopeConn{conn}, nil
}

// envelopeConn keeps the methods of a TCP connection, which files are sent with.
type envelopeConn struct{ *net.TCPConn }

// plainHead ends the head of a refusal that net/http writes by itself.
var plainHead = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// Write writes an answer, a plain refusal as one in the envelope.
func (c envelopeConn) Write(answer []byte) (int, error) {
	status, reason, plain := bytes.Cut(answer, plainHead)
	if !plain || bytes.Contains(status, []byte("\n")) {
		return c.TCPConn.Write(answer)
	}
	_, detail, _ := strings.Cut(string(reason), ": ")
	fault := api.FieldError{Field: "request", Message: "has an address or a header that cannot be read"}
	if detail != "" {
		fault.Message += ": " + detail
	}
	body, err := json.Marshal(answerEnvelope{
		Message: fault.Field + ": " + fault.Message,
		Data: faultData{
			Code:      api.CodeValidationFailed,
			Errors:    []api.FieldError{fault},
			RequestID: rand.Text(),
		},
	})
	if err != nil {
		return 0, err
	}
	_, err = fmt.Fprintf(
		c.TCPConn,
		"%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		status,
		len(body),
		body,
	)
	return len(answer), err
}
