package server

import (
	"cmp"
	"context"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// faultRetryAfter is what clients are told to wait after an injected 429 or
// 503, in seconds: they are being tried, not to be kept away.
const faultRetryAfter = 1

// faultInjector has requests to the two interfaces go wrong on purpose.
type faultInjector struct {
	now    atomic.Pointer[faultSettings]
	random func() float64                       // from 0 to below 1; nil is that of the machine
	wait   func(context.Context, time.Duration) // nil waits by the machine's clock
	ended  chan struct{}                        // closed when nobody is to be kept waiting any more
	once   sync.Once
}

// faultSettings is what goes wrong.
type faultSettings struct {
	ops.Faults
	count atomic.Int64
}

// callbackDelay is how much later a callback is sent where nobody says.
const callbackDelay = 5 * time.Second

// hitsCallback tells whether callbacks go wrong so, and this one is of their share. One
// of an id is, or is not, in all of its attempts.
func (f *faultInjector) hitsCallback(kind ops.CallbackFault, id string) bool {
	in := f.now.Load()
	if in == nil || in.Callbacks != kind {
		return false
	}
	share := f.random()
	if id != "" {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(id))
		share = float64(sum.Sum32()) / (1 << 32)
	}
	if share >= in.Rate {
		return false
	}
	in.count.Add(1)
	return true
}

// Drop tells whether a callback never leaves.
func (f *faultInjector) Drop(id string) bool { return f.hitsCallback(ops.CallbackDrop, id) }

// Repeat tells whether a callback arrives twice.
func (f *faultInjector) Repeat(id string) bool { return f.hitsCallback(ops.CallbackDuplicate, id) }

// Hold returns how much later a callback is sent.
func (f *faultInjector) Hold() time.Duration {
	switch in := f.now.Load(); {
	case f.hitsCallback(ops.CallbackDelay, ""):
		return cmp.Or(in.Latency.Duration, callbackDelay)
	case f.hitsCallback(ops.CallbackReorder, ""):
		return time.Duration(f.random() * float64(callbackDelay))
	}
	return 0
}

func (f *faultInjector) startFaults() {
	f.ended = make(chan struct{})
	if f.random == nil {
		f.random = rand.Float64
	}
	if f.wait == nil {
		f.wait = f.pauseRequest
	}
}

// releaseWaiting lets requests go that are kept waiting.
func (f *faultInjector) releaseWaiting() {
	if f.ended != nil {
		f.once.Do(func() { close(f.ended) })
	}
}

func (f *faultInjector) pauseRequest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-f.ended:
	}
}

// concernsPath reports whether requests to the path may go wrong: only those to
// the two interfaces.
func (in *faultSettings) concernsPath(path string) bool {
	if in.Callbacks != "" {
		return false
	}
	below, ok := cutClientPath(path)
	return ok && (strings.HasPrefix(path, in.Path) || strings.HasPrefix(below, in.Path))
}

// cutClientPath returns a path of the public or the v2 API below the path of the API.
func cutClientPath(path string) (below string, ok bool) {
	for _, base := range []string{PublicPath, LegacyPath} {
		below, ok := strings.CutPrefix(path, base)
		if ok && (below == "" || below[0] == '/') {
			return below, true
		}
	}
	return "", false
}

// AnswerHeader is the header with which a client forces the status of the response to one
// request, on a service that allows faults.
const AnswerHeader = "X-Flightdesk-Answer"

// forcedAnswer returns the status that a request asks for, or 0. The error is for a value that
// is not a status of an error.
func forcedAnswer(r *http.Request) (status int, err error) {
	value := r.Header.Get(AnswerHeader)
	if _, ok := cutClientPath(r.URL.Path); !ok || value == "" {
		return 0, nil
	}
	status, err = strconv.Atoi(value)
	if err != nil || status < 400 || status > 599 {
		return 0, newFault(api.CodeValidationFailed, AnswerHeader+" must be a status from 400 to 599")
	}
	return status, nil
}

// codeOfStatus returns the error code that answers with the status usually have.
func codeOfStatus(status int) api.ErrorCode {
	switch status {
	case http.StatusUnauthorized:
		return api.CodeUnauthenticated
	case http.StatusForbidden:
		return api.CodeNotYourResource
	case http.StatusBadRequest:
		return api.CodeValidationFailed
	case http.StatusConflict:
		return api.CodeConflict
	case http.StatusServiceUnavailable:
		return api.CodeInternal
	}
	for code, usual := range statuses {
		if usual == status {
			return code
		}
	}
	return api.CodeInternal
}

func (c *testControls) readFaults(*exchange) (handlerAnswer, error) {
	in := c.faults.now.Load()
	if in == nil {
		none := ops.Faults{Unavailable: c.access.playRefusal()}
		return handlerAnswer{message: "no faults are injected", data: none}, nil
	}
	set := in.Faults
	set.Injected = int(in.count.Load())
	return handlerAnswer{message: "faults are injected", data: set}, nil
}

// faultsBody is the body that has requests or callbacks go wrong.
type faultsBody struct{ ops.FaultsInput }

func (b *faultsBody) checkMembers(r *bodyReader) {
	switch wrong := b.Status != 0 || b.Callbacks != ""; {
	case r.count > 0 || b.endsFaults():
	case b.Callbacks != "" && (b.Status != 0 || b.Path != ""):
		r.noteFault("has callbacks, so status and path are not allowed")
	case b.Latency.Duration == 0 && !wrong:
		r.noteFault("needs latency, status, both or callbacks; {} or a rate of 0 clears all faults")
	}
}

// endsFaults reports whether nothing goes wrong any more.
func (b *faultsBody) endsFaults() bool {
	return b.FaultsInput == (ops.FaultsInput{}) || b.Rate != nil && *b.Rate == 0
}

func (c *testControls) setFaults(x *exchange, b *faultsBody) (handlerAnswer, error) {
	var in *faultSettings
	if !b.endsFaults() {
		in = &faultSettings{Faults: ops.Faults{
			Latency: b.Latency, Status: b.Status, Rate: 1, Path: b.Path, Callbacks: b.Callbacks,
		}}
		if b.Rate != nil {
			in.Rate = *b.Rate
		}
	}
	c.faults.now.Store(in)
	c.log.Info("faults were set", "body", string(x.body))
	return c.readFaults(x)
}
