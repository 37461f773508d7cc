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

// faultRetryAfter is the value of Retry-After for an injected 429 or 503, in seconds. It
// is short, because the fault only tests the client.
const faultRetryAfter = 1

// faultInjector injects faults, so that developers can test their clients. It delays or fails
// callbacks, and requests to the public and the v2 API.
type faultInjector struct {
	now    atomic.Pointer[faultSettings]
	random func() float64                       // in [0, 1); nil uses math/rand
	wait   func(context.Context, time.Duration) // nil waits by the machine's clock
	ended  chan struct{}                        // closed to end the delays of all waiting requests
	once   sync.Once
}

// faultSettings are the active faults.
type faultSettings struct {
	ops.Faults
	count atomic.Int64 // number of affected requests and callbacks
}

// callbackDelay is how long a fault delays callbacks if it does not set a delay. A fault that
// changes the order of callbacks delays each callback by a random time up to callbackDelay.
const callbackDelay = 5 * time.Second

// affectsCallback reports whether a callback is affected by a kind of fault. The choice
// depends on the ID, so all attempts of a callback are treated the same.
func (f *faultInjector) affectsCallback(kind ops.CallbackFault, id string) bool {
	fault := f.now.Load()
	if fault == nil || fault.Callbacks != kind {
		return false
	}
	chance := f.random()
	if id != "" {
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(id))
		chance = float64(hash.Sum32()) / (1 << 32) // in [0, 1), like a random number
	}
	if chance >= fault.Rate {
		return false
	}
	fault.count.Add(1)
	return true
}

// happens decides at random whether a fault affects a request. rate is the probability from 0 to
// 1.
func (f *faultInjector) happens(rate float64) bool { return rate >= 1 || f.random() < rate }

// Drop reports whether an injected fault drops a callback, so that it is never sent.
func (f *faultInjector) Drop(id string) bool { return f.affectsCallback(ops.CallbackDrop, id) }

// Repeat reports whether an injected fault sends a callback twice.
func (f *faultInjector) Repeat(id string) bool { return f.affectsCallback(ops.CallbackDuplicate, id) }

// Hold returns how long an injected fault delays the next callback, or 0.
func (f *faultInjector) Hold() time.Duration {
	fault := f.now.Load()
	if f.affectsCallback(ops.CallbackDelay, "") {
		return cmp.Or(fault.Latency.Duration, callbackDelay)
	}
	if f.affectsCallback(ops.CallbackReorder, "") {
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

// releaseWaiting ends the delays of all waiting requests.
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

// affectsPath reports whether the faults affect requests to a path. Only the public and
// the v2 API are affected.
func (s *faultSettings) affectsPath(path string) bool {
	if s.Callbacks != "" {
		return false
	}
	below, ok := cutClientPath(path)
	return ok && (strings.HasPrefix(path, s.Path) || strings.HasPrefix(below, s.Path))
}

// cutClientPath returns a path of the public or the v2 API relative to that API. ok is
// false for other paths.
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

// forcedAnswer returns the status that a request asks for in AnswerHeader, or 0. It
// returns an error if the value is not an error status.
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

// codeOfStatus returns the error code that an answer with the given HTTP status usually contains.
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
	for code, codeStatus := range statuses {
		if codeStatus == status {
			return code
		}
	}
	return api.CodeInternal
}

func (c *testControls) readFaults(*exchange) (handlerAnswer, error) {
	settings := c.faults.now.Load()
	if settings == nil {
		none := ops.Faults{Unavailable: c.access.playRefusal()}
		return handlerAnswer{message: "no faults are injected", data: none}, nil
	}
	wire := settings.Faults
	wire.Injected = int(settings.count.Load())
	return handlerAnswer{message: "faults are injected", data: wire}, nil
}

// faultsBody is the request body that sets the active faults.
type faultsBody struct{ ops.FaultsInput }

func (b *faultsBody) checkMembers(r *bodyReader) {
	if r.count > 0 || b.endsFaults() {
		return
	}
	if b.Callbacks != "" && (b.Status != 0 || b.Path != "") {
		r.addFault("has callbacks, so status and path are not allowed")
		return
	}
	if b.Latency.Duration == 0 && b.Status == 0 && b.Callbacks == "" {
		r.addFault("needs latency, status, both or callbacks; {} or a rate of 0 clears all faults")
	}
}

// endsFaults reports whether the body clears all faults.
func (b *faultsBody) endsFaults() bool {
	return b.FaultsInput == (ops.FaultsInput{}) || b.Rate != nil && *b.Rate == 0
}

// setFaults replaces the faults that the service injects. An empty object as the body, or the
// rate 0, ends all faults.
func (c *testControls) setFaults(x *exchange, b *faultsBody) (handlerAnswer, error) {
	var settings *faultSettings
	if !b.endsFaults() {
		settings = &faultSettings{Faults: ops.Faults{
			Latency:   b.Latency,
			Status:    b.Status,
			Rate:      1,
			Path:      b.Path,
			Callbacks: b.Callbacks,
		}}
		if b.Rate != nil {
			settings.Rate = *b.Rate
		}
	}
	c.faults.now.Store(settings)
	c.log.Info("faults were set", "body", string(x.body))
	return c.readFaults(x)
}
