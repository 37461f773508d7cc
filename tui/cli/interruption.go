package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"flightdesk/tui/app/changes"
)

// responseTimeout is how long a command waits, after the first signal to stop, for the response to a
// request that changes data.
const responseTimeout = 5 * time.Second

// interruption handles signals to stop. The first signal ends the command. If the command has sent a request
// that changes data, it first gets some time to receive the response and print the outcome. A command that makes
// several changes does not begin another one; see CheckContinue. A second signal always ends the program at once.
type interruption struct {
	Ctx     context.Context // of the command
	signals context.Context // canceled by the first signal; context.Cause returns the signal
	cancel  context.CancelFunc
	stderr  io.Writer
	timeout time.Duration // how long to wait for a response

	mu         sync.Mutex
	ended      bool   // whether the command has ended and a signal no longer matters
	isChanging bool   // whether the command changes data
	hasSent    bool   // whether the command has sent a request that changes data
	pending    string // method and path of the sent request that has no response yet, or ""
}

// newInterruption returns an interruption that reacts when signals is canceled. It prints on stderr
// that it waits for a response.
func newInterruption(signals context.Context, stderr io.Writer, timeout time.Duration) *interruption {
	i := &interruption{signals: signals, stderr: stderr, timeout: timeout}
	i.Ctx, i.cancel = context.WithCancel(context.WithoutCancel(signals))
	context.AfterFunc(signals, i.handleSignal)
	return i
}

// End ends the reaction to signals, because the command has ended: a signal that arrives later prints nothing.
func (i *interruption) End() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ended = true
}

func (i *interruption) handleSignal() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended {
		return
	}
	if !i.hasSent {
		i.cancel()
		return
	}
	if i.pending != "" {
		fmt.Fprintf(i.stderr, "interrupted after sending %s; waiting for the response, ctrl+c to quit now\n", i.pending)
	} else {
		fmt.Fprintln(i.stderr, "interrupted; finishing, ctrl+c to quit now")
	}
	time.AfterFunc(i.timeout, i.cancel)
}

// recordRequest records that a request that changes data is about to be sent. If the command has ended,
// it returns an error instead, and the request must not be sent.
func (i *interruption) recordRequest(r *http.Request) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := r.Context().Err(); err != nil {
		return err
	}
	i.hasSent = true
	i.pending = r.Method + " " + r.URL.Path
	return nil
}

// recordResponse records that the complete response to the recorded request has arrived.
func (i *interruption) recordResponse() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.pending = ""
}

// ForgetChanges is called by a command that has sent all its changes and keeps running. From then on, a signal
// ends the command at once. If a signal has already arrived, ForgetChanges ends the command.
func (i *interruption) ForgetChanges() {
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.hasSent = false
	i.pending = ""
	if i.signals.Err() != nil {
		i.cancel()
	}
}

// CheckContinue must be called before each further change of a command that makes several. The outcome of the
// previous change must be known. If a signal to stop has arrived, CheckContinue cancels the context of the command
// and returns an error: the next change must not be sent.
func (i *interruption) CheckContinue() error {
	if i == nil {
		return nil
	}
	i.mu.Lock()
	i.pending = "" // a lost response no longer matters, because the outcome of the previous change is known
	i.mu.Unlock()
	if i.signals == nil || i.signals.Err() == nil {
		return nil
	}
	i.cancel()
	return context.Canceled
}

// MarkChanging records that the command changes data.
func (i *interruption) MarkChanging() {
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.isChanging = true
}

// hasCaused reports whether a command failed with err because it was interrupted. If the command changes data, this
// is assumed for every error, because an interruption can make any later step fail. An exception is the error for a
// change without a confirmation: it has its own text and exit status.
func (i *interruption) hasCaused(err error) bool {
	wasInterrupted := i.Ctx.Err() != nil
	if !wasInterrupted {
		return false
	}
	if errors.Is(err, context.Canceled) {
		return true
	}
	_, isUnconfirmed := errors.AsType[*changes.UnconfirmedError](err)
	return i.isChanging && !isUnconfirmed
}

// exitStatus returns the exit status of an interrupted program: 128 plus the number of the signal.
func (i *interruption) exitStatus() int {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		if i.signals != nil && strings.HasPrefix(context.Cause(i.signals).Error(), s.String()) {
			return 128 + int(s)
		}
	}
	return exitInterrupted
}

// describeOutcome returns how an interrupted command ended, for the user.
func (i *interruption) describeOutcome(err error) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case !errors.Is(err, context.Canceled):
		return "interrupted; " + err.Error()
	case i.pending != "":
		return "interrupted; no response to " + i.pending + ": " + unconfirmedAdvice
	case i.hasSent:
		return "interrupted; nothing more was sent"
	case i.isChanging:
		return "interrupted; nothing was sent"
	default:
		return "interrupted"
	}
}

// watchedTransport reports each request that changes data, and the end of its response, to an interruption.
type watchedTransport struct {
	http.RoundTripper
	interruption *interruption
}

func (t watchedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !changesData(r) {
		return t.RoundTripper.RoundTrip(r)
	}
	if err := t.interruption.recordRequest(r); err != nil {
		return nil, err
	}
	resp, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.Body == http.NoBody {
		t.interruption.recordResponse()
		return resp, nil
	}
	resp.Body = &watchedBody{resp.Body, t.interruption}
	return resp, nil
}

// watchedBody is the body of a response to a request that changes data. When it has been read to its end, it reports
// the response to the interruption.
type watchedBody struct {
	io.ReadCloser
	interruption *interruption
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.interruption.recordResponse()
	}
	return n, err
}

// readingPosts matches the paths of POST requests that change nothing: the reads of the v2 API, which
// only has POST, and the parsing of survey files.
var readingPosts = regexp.MustCompile(`/(getorder|getorderslist|datalibraryorders)(/[^/]*)?$|/(kml|csv)/parse$`)

func changesData(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return false
	case http.MethodPost:
		return !readingPosts.MatchString(r.URL.Path)
	default:
		return true
	}
}
