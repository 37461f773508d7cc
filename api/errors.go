package api

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
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

// FieldError is one invalid field of a request, at a path such as missions[1].areaSize.
type FieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error is an error response of the service, or a response that is not from the service
// at all (Foreign).
type Error struct {
	Op         string // the operation, such as "list orders"
	Status     int    // HTTP status
	Code       ErrorCode
	Message    string
	Fields     []FieldError // every invalid field of the request
	RequestID  string
	RetryAfter time.Duration // 0 if the service did not send it
	Foreign    bool          // the body was not in the service's format
	allow      string        // Allow header
	read       bool          // the operation changes nothing
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

// IncompleteError is the error of a list that could not be read to its end. The rows read
// before the error were returned and are valid.
type IncompleteError struct {
	Read   int // rows
	Reason string
	Err    error // why a later page could not be read; nil if the service sent every page
}

// Error returns one line.
func (e *IncompleteError) Error() string {
	return fmt.Sprintf("only %d of the rows could be loaded: %s", e.Read, e.Reason)
}

// Unwrap returns the error of the page that could not be read, or nil.
func (e *IncompleteError) Unwrap() error { return e.Err }

// MissingError is returned together with a record that lacks one part: the service did not
// send the part, and reading it separately failed.
type MissingError struct {
	What string // "the missions of ORD-7"
	Err  error
}

// Error returns one line.
func (e *MissingError) Error() string { return e.What + " could not be read: " + e.Err.Error() }

// Unwrap returns the error of reading the part.
func (e *MissingError) Unwrap() error { return e.Err }

// PartsError is the error of a call that makes several reads if some of them failed. The
// results of the other reads are returned with the error.
type PartsError struct {
	Faults []error // at least one
}

// Add adds the error of one read; nil adds nothing. It adds the faults of a [*PartsError] one by one. An error that
// wraps a [*PartsError] is added as one fault, to keep the text of the wrapping error.
func (e *PartsError) Add(err error) {
	if err == nil {
		return
	}
	if parts, isParts := err.(*PartsError); isParts { //nolint:errorlint // the text of a wrapping error must be kept
		e.Faults = append(e.Faults, parts.Faults...)
		return
	}
	e.Faults = append(e.Faults, err)
}

// ErrorOrNil returns e, or nil if it has no faults.
func (e *PartsError) ErrorOrNil() error {
	if len(e.Faults) == 0 {
		return nil
	}
	return e
}

// Error returns one line: the first fault and the number of further faults.
func (e *PartsError) Error() string {
	text := e.Faults[0].Error()
	if more := len(e.Faults) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// Unwrap returns the faults.
func (e *PartsError) Unwrap() []error { return e.Faults }

// IsPartial reports whether a call that failed with err returned a part of its result: err
// is an [*IncompleteError], a [*MissingError] or a [*PartsError].
func IsPartial(err error) bool {
	var incomplete *IncompleteError
	var missing *MissingError
	var parts *PartsError
	return errors.As(err, &incomplete) || errors.As(err, &missing) || errors.As(err, &parts)
}

// TransportError is the error of a call without a response.
type TransportError struct {
	Op    string
	Host  string
	Proxy string // host of the proxy that the request was sent through; empty without one
	Err   error
	// Sent reports whether the request may have reached the service, which may then have
	// carried it out although the response was lost.
	Sent bool
	read bool // the operation changes nothing
}

// Error returns one line without the request's URL or headers.
func (e *TransportError) Error() string {
	return fmt.Sprintf("%s: %s", e.Op, e.Reason())
}

// Reason returns in plain words why there was no response.
func (e *TransportError) Reason() string {
	if e.isOfProxy() {
		return e.proxyReason()
	}
	var dns *net.DNSError
	switch {
	case e.Timeout():
		return e.Host + " did not respond in time"
	case errors.As(e.Err, &dns):
		return answer.LookupProblem(dns, e.Host)
	case IsCertificateError(e.Err):
		return "the certificate of " + e.Host + " is not trusted: " + certificateProblem(e.Err)
	case e.Sent:
		return "the connection to " + e.Host + " broke before the response ended: " + answer.RootCause(e.Err).Error()
	default:
		return "could not connect to " + e.Host + ": " + answer.RootCause(e.Err).Error()
	}
}

// isOfProxy reports whether the error comes from the proxy: the request was not sent, although a proxy
// is used. A certificate error comes from the service, because the certificate belongs to the service.
func (e *TransportError) isOfProxy() bool {
	return e.Proxy != "" && !e.Sent && !IsCertificateError(e.Err)
}

func (e *TransportError) proxyReason() string {
	const advice = "; check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
	var dns *net.DNSError
	if e.Timeout() {
		return "the proxy " + e.Proxy + " did not connect to " + e.Host + " in time" + advice
	}
	if errors.As(e.Err, &dns) {
		return "the proxy for " + e.Host + ": " + answer.LookupProblem(dns, e.Proxy) + advice
	}
	return "could not connect to " + e.Host + " through the proxy " + e.Proxy + ": " + answer.RootCause(e.Err).Error() + advice
}

// IsCertificateError reports whether a request was not sent because the certificate of the
// service is not trusted.
func IsCertificateError(err error) bool {
	var untrusted *tls.CertificateVerificationError
	return errors.As(err, &untrusted)
}

// IsAuthorityUnknown reports whether the certificate of the service is not trusted because its authority is unknown,
// so that trusting the authority would help. It returns false if the certificate has expired or is for another host.
func IsAuthorityUnknown(err error) bool {
	var invalid x509.CertificateInvalidError
	var otherHost x509.HostnameError
	return IsCertificateError(err) && !errors.As(err, &invalid) && !errors.As(err, &otherHost)
}

// certificateProblem returns why a certificate is not trusted.
func certificateProblem(err error) string {
	var unknown x509.UnknownAuthorityError
	if errors.As(err, &unknown) {
		return "signed by an unknown authority"
	}
	return strings.TrimPrefix(answer.RootCause(err).Error(), "x509: ")
}

// Timeout reports whether the call failed because of a timeout.
func (e *TransportError) Timeout() bool {
	var t interface{ Timeout() bool }
	return errors.As(e.Err, &t) && t.Timeout()
}

// Unwrap returns the error of the transport.
func (e *TransportError) Unwrap() error { return e.Err }

// IsStatus reports whether err is an [*Error] with one of the HTTP statuses.
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

// IsKeyRejected reports whether err is the response of a service that rejects the API key. It returns
// false for a response with the status 401 that is not in the service's format, because a proxy may
// have sent it.
func IsKeyRejected(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusUnauthorized && !e.Foreign
}

// MaybeApplied reports whether a change that failed with err may have been made nevertheless: the response
// was lost, or it does not say what the service has done. It returns false for reads.
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
	case e.Status == http.StatusServiceUnavailable:
		// The service answers with 503 instead of handling the request. A proxy also does so if the service
		// did not answer.
		return e.Foreign
	case e.Status >= 500: // the service or a proxy failed, perhaps after the change was made
		return true
	case e.Status >= 300: // a redirect or a refusal, so nothing was done
		return false
	default: // a success, which is an error only if the response does not show the change
		return e.Foreign
	}
}
