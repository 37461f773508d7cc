package fetch

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"syscall"
	"time"

	"flightdesk/api/internal/answer"
)

// Errors that callers can distinguish with errors.Is.
var (
	// ErrNoSpace is returned if the disk has too little space for the files.
	ErrNoSpace = errors.New("the disk is full")
	// ErrExists is returned if a file with other content has the name. That file is left unchanged.
	ErrExists = errors.New("another file has this name")
	// ErrMismatch is returned if a file has a wrong size or digest, even after a second attempt.
	// The expected size comes from the service's listing, and the expected digest from the server
	// of the file.
	ErrMismatch = errors.New("the file does not match the service's listing")
	// ErrGone is returned if the service no longer lists the file or rejects even new links.
	ErrGone = errors.New("the service no longer provides the file")
	// ErrInUse is returned if another process is downloading into the same folder.
	ErrInUse = errors.New("another process is downloading into this folder")
)

// Errors of single requests. They are handled inside the package, and callers only see them as the
// reason in another error.
var (
	errChanged   = errors.New("the file has changed on the server")
	errStalled   = errors.New("the server stopped sending")
	errShort     = errors.New("the connection closed before the end of the file")
	errPaused    = errors.New("paused")
	errStopped   = errors.New("stopped")
	errCancelled = errors.New("cancelled")
)

// linkRefusedError means that the server rejected the link of a file, or that the service sent no
// link.
type linkRefusedError struct {
	status  int // 0 if the service sent no link
	listing int // number of times that the files had been listed when the link was received
}

func (e *linkRefusedError) Error() string {
	if e.status == 0 {
		return "the service sent no link for it"
	}
	return fmt.Sprintf("link rejected (HTTP %d)", e.status)
}

// serverBusyError is the error of a request that may succeed later.
type serverBusyError struct {
	status int
	after  time.Duration // 0 if the server did not say
}

func (e *serverBusyError) Error() string {
	return fmt.Sprintf("the server cannot send it now (HTTP %d)", e.status)
}

// unexpectedResponseError means that the server sent a response that is wrong in a way that a retry
// does not correct.
type unexpectedResponseError struct{ message string }

func (e *unexpectedResponseError) Error() string { return e.message }

// diskError is an error of the local disk.
type diskError struct{ err error }

func (e *diskError) Error() string { return e.err.Error() }
func (e *diskError) Unwrap() error { return e.err }

// onDisk returns err as a diskError, with [ErrNoSpace] if the disk is full.
func onDisk(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, errQuota) {
		return &diskError{ErrNoSpace}
	}
	return &diskError{err}
}

// transportError is the error of a request without a response. Its text does not contain the address,
// which has the token of the link.
type transportError struct {
	host string
	err  error
}

func (e *transportError) Error() string {
	var dns *net.DNSError
	var timeout interface{ Timeout() bool }
	var dial *net.OpError
	switch {
	case errors.Is(e.err, errStalled), errors.Is(e.err, errShort):
		return e.err.Error()
	case errors.As(e.err, &dns):
		return answer.LookupProblem(dns, e.host)
	case errors.As(e.err, &timeout) && timeout.Timeout():
		return e.host + " did not respond in time"
	case errors.As(e.err, &dial) && dial.Op == "dial":
		return "could not connect to " + e.host + ": " + answer.RootCause(e.err).Error()
	default:
		return "the connection to " + e.host + " broke: " + answer.RootCause(e.err).Error()
	}
}

func (e *transportError) Unwrap() error { return e.err }

// isPermanentFault reports whether it is useless to retry a request that got no response. This is
// the case if the certificate is not trusted, or if the host name ends with .invalid, which never
// exists.
func isPermanentFault(err error) bool {
	var dns *net.DNSError
	if errors.As(err, &dns) && strings.HasSuffix(dns.Name, ".invalid") {
		return true
	}
	return answer.IsUntrusted(err)
}

// isMissing reports whether err means that a file does not exist.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// formatSize formats a number of bytes in decimal units.
func formatSize(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f := float64(n)
	unit := 0
	for f >= 999.95 && unit < 5 {
		f /= 1000
		unit++
	}
	return fmt.Sprintf("%.1f %cB", f, " kMGTP"[unit])
}
