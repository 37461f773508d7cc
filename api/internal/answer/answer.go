// Package answer reads what client and downloader both ask of an answer, or of the error
// in its place.
package answer

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter returns how long the server asks to wait; 0 where it does not.
func RetryAfter(h http.Header) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date")) // the server's clock may be off
	if err != nil {
		now = time.Now()
	}
	return max(0, at.Sub(now))
}

// RootCause drops the layers of an error that repeat method, address and URL.
func RootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// IsUntrusted reports whether a server's certificate is not trusted, which stays so.
func IsUntrusted(err error) bool {
	var verify *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	return errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &host)
}
