package api

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"flightdesk/api/internal/answer"
)

// ErrorCode is the machine-readable reason of a refused request.
type ErrorCode string

// The error codes of both interfaces.
const (
	CodeValidationFailed     ErrorCode = "validation_failed"
	CodeMalformedBody        ErrorCode = "malformed_body"
	CodeUnauthenticated      ErrorCode = "unauthenticated"
	CodeKeyRevoked           ErrorCode = "key_revoked"
	CodeKeyExpired           ErrorCode = "key_expired"
	CodeMissingScope         ErrorCode = "missing_scope"
	CodeNotYourResource      ErrorCode = "not_your_resource"
	CodeLinkExpired          ErrorCode = "link_expired"
	CodeNotFound             ErrorCode = "not_found"
	CodeMethodNotAllowed     ErrorCode = "method_not_allowed"
	CodeConflict             ErrorCode = "conflict"
	CodeQuoteExpired         ErrorCode = "quote_expired"
	CodeTooLarge             ErrorCode = "too_large"
	CodeStorageFull          ErrorCode = "storage_full"
	CodeUnsupportedMediaType ErrorCode = "unsupported_media_type"
	CodeRateLimited          ErrorCode = "rate_limited"
	CodeInternal             ErrorCode = "internal"
)

// FieldError is one fault of a request, at a path such as missions[1].areaSize.
type FieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error is an answer of the service that is no success, or that is not the
// service's at all (Foreign).
type Error struct {
	Op         string // the operation, "list orders"
	Status     int    // of HTTP
	Code       ErrorCode
	Message    string
	Fields     []FieldError // of a validation, every fault found
	RequestID  string
	RetryAfter time.Duration // 0 where the service did not say
	Foreign    bool          // the body was not the service's envelope
	allow      string        // the header Allow
	read       bool          // of a call that changes nothing
}

// IncompleteError is the error of a list that was not read to its end. The rows that were
// read hold; they were returned before.
type IncompleteError struct {
	Read   int // rows
	Reason string
	Err    error // why a later page could not be read; nil if the service answered every page
}

// Error returns one line.
func (e *IncompleteError) Error() string {
	return fmt.Sprintf("only the first %d rows could be loaded: %s", e.Read, e.Reason)
}

// Unwrap returns io.ErrNoProgress, and why a later page could not be read.
func (e *IncompleteError) Unwrap() []error {
	if e.Err == nil {
		return []error{io.ErrNoProgress}
	}
	return []error{io.ErrNoProgress, e.Err}
}

// MissingError is the error of a record that was read without one of its parts: the
// service did not send the part, and it could not be read by itself. The record is
// returned with the error.
type MissingError struct {
	What string // "the missions of ORD-7"
	Err  error
}

// Error returns one line.
func (e *MissingError) Error() string { return e.What + " could not be read: " + e.Err.Error() }

// Unwrap returns why the part could not be read.
func (e *MissingError) Unwrap() error { return e.Err }

// PartsError is the error of several reads of which some failed. What the others read was
// returned with the error.
type PartsError struct {
	Faults []error // at least one
}

// Add adds the error of one read; nil adds nothing.
func (e *PartsError) Add(err error) {
	var parts *PartsError
	switch {
	case err == nil:
	case errors.As(err, &parts):
		e.Faults = append(e.Faults, parts.Faults...)
	default:
		e.Faults = append(e.Faults, err)
	}
}

// ErrorOrNil returns the error, nil without faults.
func (e *PartsError) ErrorOrNil() error {
	if len(e.Faults) == 0 {
		return nil
	}
	return e
}

// Error returns one line: the first fault, and how many more there are.
func (e *PartsError) Error() string {
	text := e.Faults[0].Error()
	if more := len(e.Faults) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// Unwrap returns the faults.
func (e *PartsError) Unwrap() []error { return e.Faults }

// IsPartial reports whether a call that failed with err returned a part of what was asked
// for: err is an [*IncompleteError], a [*MissingError] or a [*PartsError].
func IsPartial(err error) bool {
	var incomplete *IncompleteError
	var missing *MissingError
	var parts *PartsError
	return errors.As(err, &incomplete) || errors.As(err, &missing) || errors.As(err, &parts)
}

// Error returns one line.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Op, e.Message)
	if len(e.Fields) > 0 && !strings.Contains(e.Message, e.Fields[0].Message) {
		fmt.Fprintf(&b, ": %s %s", e.Fields[0].Field, e.Fields[0].Message)
		if more := len(e.Fields) - 1; more > 0 {
			fmt.Fprintf(&b, " (and %d more)", more)
		}
	}
	fmt.Fprintf(&b, " (HTTP %d", e.Status)
	if e.RequestID != "" {
		fmt.Fprintf(&b, ", request %s", e.RequestID)
	}
	b.WriteByte(')')
	return b.String()
}

// TransportError is a call that got no answer.
type TransportError struct {
	Op   string
	Host string
	Err  error
	// Sent says that the request may have reached the service: what it asks
	// for may have been done although the answer was lost.
	Sent bool
	read bool // of a call that changes nothing
}

// Error returns one line without the request's URL or headers.
func (e *TransportError) Error() string {
	return fmt.Sprintf("%s: %s", e.Op, e.Reason())
}

// Reason says in words why there was no answer.
func (e *TransportError) Reason() string {
	var dns *net.DNSError
	switch {
	case e.Timeout():
		return e.Host + " did not respond in time"
	case errors.As(e.Err, &dns):
		return "unknown host " + e.Host
	case IsCertificateError(e.Err):
		return "the certificate of " + e.Host + " is not trusted: " + certificateProblem(e.Err)
	case e.Sent:
		return "the connection to " + e.Host + " broke before the response came: " + answer.RootCause(e.Err).
			Error()
	default:
		return "could not connect to " + e.Host + ": " + answer.RootCause(e.Err).Error()
	}
}

// IsCertificateError reports whether a request was not sent because the certificate of the
// service is not trusted.
func IsCertificateError(err error) bool {
	var untrusted *tls.CertificateVerificationError
	return errors.As(err, &untrusted)
}

// certificateProblem returns what is wrong with a certificate.
func certificateProblem(err error) string {
	var unknown x509.UnknownAuthorityError
	if errors.As(err, &unknown) {
		return "signed by an unknown authority"
	}
	return strings.TrimPrefix(answer.RootCause(err).Error(), "x509: ")
}

// Timeout reports whether time ran out.
func (e *TransportError) Timeout() bool {
	var t interface{ Timeout() bool }
	return errors.As(e.Err, &t) && t.Timeout()
}

// Unwrap returns the transport's error.
func (e *TransportError) Unwrap() error { return e.Err }

// IsStatus reports whether err is an answer with one of the HTTP statuses.
func IsStatus(err error, statuses ...int) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	for _, s := range statuses {
		if e.Status == s {
			return true
		}
	}
	return false
}

// MaybeApplied reports whether a change that failed with err may have been made all the
// same: the answer was lost, or was not the service's. It is false of reads, and of
// redirects: a service that redirects has done nothing.
func MaybeApplied(err error) bool {
	var lost *TransportError
	if errors.As(err, &lost) {
		return lost.Sent && !lost.read
	}
	var e *Error
	if !errors.As(err, &e) || e.read {
		return false
	}
	switch {
	case e.Status >= 500:
		return e.Status != 503 || e.Foreign
	case e.Status >= 300:
		return false
	}
	return e.Foreign
}
