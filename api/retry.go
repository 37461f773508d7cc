package api

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
)

// isRetryable reports whether another try may end differently; a certificate
// that is not trusted stays so.
func isRetryable(err error) bool {
	var verify *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	return !errors.As(err, &verify) && !errors.As(err, &authority) && !errors.As(err, &host)
}
