// Package answer interprets HTTP responses, and errors of requests, for the client and for
// downloads.
package answer

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter returns the time to wait according to the Retry-After header, or 0 if there is none.
func RetryAfter(h http.Header) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date")) // the server's clock can differ from ours
	if err != nil {
		now = time.Now()
	}
	return max(0, at.Sub(now))
}

// RootCause returns the innermost error, without the wrappers that repeat method, address and URL.
func RootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// LookupProblem returns why a host name could not be looked up: the host is unknown, or the lookup itself failed,
// for example because this machine is offline.
func LookupProblem(err *net.DNSError, host string) string {
	if err.IsNotFound {
		return "unknown host " + host
	}
	return "could not look up host " + host + ": " + err.Err
}

// IsUntrusted reports whether a server's certificate is not trusted. Retrying does not help then.
func IsUntrusted(err error) bool {
	var verify *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	return errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &host)
}
