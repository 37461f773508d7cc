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
)

// answerPatience is how long a command waits, after the first signal to stop, for the response to
// a request that changes data.
const answerPatience = 5 * time.Second

// interruption decides how the first signal to stop ends a command: at once, unless a request that
// changes data was sent. Then the command has some time to print the outcome. A second signal always
// ends the program.
type interruption struct {
	Ctx      context.Context
	signals  context.Context // ends with a signal, which its cause names
	cancel   context.CancelFunc
	Forget   func() bool // signals that come from now on
	trouble  io.Writer
	patience time.Duration

	mu      sync.Mutex
	changes bool   // the command is one that changes something
	sent    string // the request that changes something, "" before it is sent
}

// newInterruption waits for the end of signalled, and tells trouble what it waits for then.
func newInterruption(signalled context.Context, trouble io.Writer, patience time.Duration) *interruption {
	i := &interruption{signals: signalled, trouble: trouble, patience: patience}
	i.Ctx, i.cancel = context.WithCancel(context.WithoutCancel(signalled))
	i.Forget = context.AfterFunc(signalled, i.interruptNow)
	return i
}

func (i *interruption) interruptNow() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.sent == "" {
		i.cancel()
		return
	}
	fmt.Fprintf(
		i.trouble,
		"interrupted after sending %s; waiting for the response, ctrl+c to quit now\n",
		i.sent,
	)
	time.AfterFunc(i.patience, i.cancel)
}

// noteSend records that a request that changes data is about to be sent. It returns an error if no
// such request can be sent any more.
func (i *interruption) noteSend(r *http.Request) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := r.Context().Err(); err != nil {
		return err
	}
	i.sent = r.Method + " " + r.URL.Path
	return nil
}

// NoteSettled records that the response has arrived and the command continues: the next signal ends
// it at once.
func (i *interruption) NoteSettled() {
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.sent = ""; i.signals.Err() != nil {
		i.cancel()
	}
}

// NoteChanging records that the command changes data.
func (i *interruption) NoteChanging() {
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.changes = true
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
	case i.sent != "":
		return "interrupted; no response to " + i.sent + ": " + unsureAdvice
	case i.changes:
		return "interrupted; nothing was sent"
	default:
		return "interrupted"
	}
}

// watchedTransport is a transport that reports requests that change data.
type watchedTransport struct {
	http.RoundTripper
	interruption *interruption
}

func (t watchedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if changesSomething(r) {
		if err := t.interruption.noteSend(r); err != nil {
			return nil, err
		}
	}
	return t.RoundTripper.RoundTrip(r)
}

// readingPosts match the paths of what is read, or only parsed, with POST: the
// second interface has no other method.
var readingPosts = regexp.MustCompile(`/(getorder|getorderslist|datalibraryorders)(/[^/]*)?$|/(kml|csv)/parse$`)

// changesSomething reports whether a request changes data.
func changesSomething(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return false
	case http.MethodPost:
		return !readingPosts.MatchString(r.URL.Path)
	default:
		return true
	}
}
