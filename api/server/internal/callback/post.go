package callback

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"

	"flightdesk/api"
)

const (
	maxStoredAnswer    = 4 << 10  // bytes of a response body that are stored
	maxDiscardedAnswer = 64 << 10 // further bytes that are read, so that the connection can be reused
)

// postOnce makes an attempt to send a message to its URL. It saves the headers of the request
// and the beginning of the response in attempt. code is the status of the response, or 0 if
// there was none. failure says why the attempt failed. It is "" if the attempt succeeded.
func (s *Sender) postOnce(ctx context.Context, m Message, attempt *Attempt) (code int, failure string) {
	ctx, cancel := context.WithTimeout(ctx, s.Timing.Try)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return 0, "the address is not a valid URL"
	}
	r.Header = http.Header{
		"Content-Type":      {"application/json"},
		"User-Agent":        {"flightdesk"},
		api.HeaderSignature: {api.Sign(m.Secret, m.Body)},
		api.HeaderEvent:     {string(m.Event)},
		api.HeaderDelivery:  {m.ID},
		api.HeaderTimestamp: {api.TimeOf(attempt.At.UTC()).Text()},
	}
	attempt.Headers = r.Header
	if s.Faults.Drop(m.ID) {
		return 0, "dropped by an injected fault"
	}
	resp, err := s.sendRequest(r, m) //nolint:bodyclose // readAnswer closes it
	if err != nil {
		return 0, s.failureReason(err)
	}
	attempt.Answer = readAnswer(resp)
	return resp.StatusCode, statusFailure(resp.StatusCode)
}

// sendRequest sends the request for a message. It does not follow redirects. An injected
// fault may send the request twice.
func (s *Sender) sendRequest(r *http.Request, m Message) (*http.Response, error) {
	resp, err := s.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if !s.Faults.Repeat(m.ID) {
		return resp, nil
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxDiscardedAnswer)
	_ = resp.Body.Close()
	repeated := r.Clone(r.Context())
	repeated.Body = io.NopCloser(bytes.NewReader(m.Body))
	return s.Transport.RoundTrip(repeated)
}

// readAnswer returns the beginning of the body of a response and closes the body. It returns
// nil after a protocol upgrade, because the body may never end.
func readAnswer(resp *http.Response) []byte {
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < http.StatusOK {
		return nil
	}
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, maxStoredAnswer))
	_, _ = io.CopyN(io.Discard, resp.Body, maxDiscardedAnswer)
	return answer
}

// statusFailure returns the reason why a status code is a failure, or "" if it is a success.
func statusFailure(code int) string {
	if code >= 200 && code < 300 {
		return ""
	}
	if code >= 300 && code < 400 {
		return fmt.Sprintf("HTTP %d; redirects are not followed", code)
	}
	return fmt.Sprintf("HTTP %d", code)
}

// failureReason returns why there was no response, in one line. It leaves out the
// addresses of the receiver, which may be inside the service's network.
func (s *Sender) failureReason(err error) string {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var header tls.RecordHeaderError
	var failed *net.OpError
	var timeout interface{ Timeout() bool }
	// An error can match several cases, so the order matters: a DNS error can be a timeout,
	// and a failed dial contains most of the other errors.
	switch {
	case errors.Is(err, errForbidden):
		return "address not allowed for callbacks"
	case errors.As(err, &certificate):
		return "certificate not accepted: " + certificate.Err.Error()
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("no response within %g s", s.Timing.Try.Seconds())
	case errors.As(err, &dns) && dns.IsNotFound:
		return "unknown host name"
	case errors.As(err, &dns):
		return "the host name could not be looked up"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case errors.As(err, &header), errors.Is(err, http.ErrSchemeMismatch):
		return "the receiver does not support TLS"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "the connection was closed without a response"
	case errors.As(err, &failed) && failed.Op == "dial":
		return "no connection to the receiver"
	default:
		return "invalid response"
	}
}
