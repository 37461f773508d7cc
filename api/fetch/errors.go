package fetch

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"

	"flightdesk/api/internal/answer"
)

// Errors that callers tell apart.
var (
	// ErrNoSpace: the disk does not hold what is to be fetched.
	ErrNoSpace = errors.New("the disk is full")
	// ErrExists: a file of other content has the name. It is left unchanged.
	ErrExists = errors.New("another file has this name")
	// ErrMismatch: what the server sends is not what it or the service says it
	// is, by size or digest, also after a second try.
	ErrMismatch = errors.New("the file does not match the service's listing")
	// ErrGone: the service no longer has the file or refuses its links, also
	// fresh ones.
	ErrGone = errors.New("the service no longer provides the file")
	// ErrInUse: another process fetches into the same folder.
	ErrInUse = errors.New("another process is downloading into this folder")
)

// Faults of one request. They are handled where they arise and only reach
// callers as the reason in an error.
var (
	errChanged = errors.New("the file has changed on the server")
	errStalled = errors.New("the server stopped sending")
	errShort   = errors.New("the connection closed before the end of the file")
	errPaused  = errors.New("paused")
	errStopped = errors.New("stopped")
	errDropped = errors.New("cancelled")
)

// linkRefusedError is an answer by which a link opens nothing.
type linkRefusedError struct {
	status  int // 0 where there was no link
	listing int // that the link was from
}

func (e *linkRefusedError) Error() string {
	if e.status == 0 {
		return "the service sent no link for it"
	}
	return fmt.Sprintf("link rejected (HTTP %d)", e.status)
}

// serverBusyError is an answer by which the same request may succeed later.
type serverBusyError struct {
	status int
	after  time.Duration // 0 where the server did not say
}

func (e *serverBusyError) Error() string {
	return fmt.Sprintf("the server cannot send it now (HTTP %d)", e.status)
}

// unexpectedAnswerError is an answer that nothing can be done about.
type unexpectedAnswerError struct{ message string }

func (e *unexpectedAnswerError) Error() string { return e.message }

// diskError is a fault of the disk.
type diskError struct{ err error }

func (e *diskError) Error() string { return e.err.Error() }
func (e *diskError) Unwrap() error { return e.err }

// onDisk marks a fault of the disk, and a full one as such.
func onDisk(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, errQuota):
		return &diskError{ErrNoSpace}
	default:
		return &diskError{err}
	}
}

// transportError is a request that got no answer, without its address: that has the
// link's token.
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
		return "unknown host " + e.host
	case errors.As(e.err, &timeout) && timeout.Timeout():
		return e.host + " did not respond in time"
	case errors.As(e.err, &dial) && dial.Op == "dial":
		return "could not connect to " + e.host + ": " + answer.RootCause(e.err).Error()
	default:
		return "the connection to " + e.host + " broke: " + answer.RootCause(e.err).Error()
	}
}

func (e *transportError) Unwrap() error { return e.err }

// isPermanentFault reports whether a request that got no answer never gets one: a
// certificate that is not trusted stays so, and nobody has a name in .invalid.
func isPermanentFault(err error) bool {
	var dns *net.DNSError
	if errors.As(err, &dns) && strings.HasSuffix(dns.Name, ".invalid") {
		return true
	}
	return answer.IsUntrusted(err)
}
