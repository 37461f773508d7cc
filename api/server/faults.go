package server

import (
	"cmp"
	"context"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"flightdesk/api"
)

// faultRetryAfter is what clients are told to wait after an injected 429 or
// 503, in seconds: they are being tried, not to be kept away.
const faultRetryAfter = 1

// faults has requests to the two interfaces go wrong on purpose.
type faults struct {
	now    atomic.Pointer[injection]
	random func() float64                       // from 0 to below 1; nil is that of the machine
	wait   func(context.Context, time.Duration) // nil waits by the machine's clock
	ended  chan struct{}                        // closed when nobody is to be kept waiting any more
	once   sync.Once
}

// injection is what goes wrong.
type injection struct {
	latency   time.Duration
	status    int // 0: only latency is added
	rate      float64
	path      string
	callbacks api.CallbackFault // "": requests go wrong
	count     atomic.Int64
}

// callbackDelay is how much later a callback is sent where nobody says.
const callbackDelay = 5 * time.Second

// hits tells whether callbacks go wrong so, and this one is of their share. One
// of an id is, or is not, in all of its attempts.
func (f *faults) hits(kind api.CallbackFault, id string) bool {
	in := f.now.Load()
	if in == nil || in.callbacks != kind {
		return false
	}
	share := f.random()
	if id != "" {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(id))
		share = float64(sum.Sum32()) / (1 << 32)
	}
	if share >= in.rate {
		return false
	}
	in.count.Add(1)
	return true
}

// Drop tells whether a callback never leaves.
func (f *faults) Drop(id string) bool { return f.hits(api.CallbackDrop, id) }

// Repeat tells whether a callback arrives twice.
func (f *faults) Repeat(id string) bool { return f.hits(api.CallbackDuplicate, id) }

// Hold is how much later a callback is sent.
func (f *faults) Hold() time.Duration {
	switch in := f.now.Load(); {
	case f.hits(api.CallbackDelay, ""):
		return cmp.Or(in.latency, callbackDelay)
	case f.hits(api.CallbackReorder, ""):
		return time.Duration(f.random() * float64(callbackDelay))
	}
	return 0
}

func (f *faults) start() {
	f.ended = make(chan struct{})
	if f.random == nil {
		f.random = rand.Float64
	}
	if f.wait == nil {
		f.wait = f.pause
	}
}

// close lets requests go that are kept waiting.
func (f *faults) close() {
	if f.ended != nil {
		f.once.Do(func() { close(f.ended) })
	}
}

func (f *faults) pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-f.ended:
	}
}

// concerns reports whether requests to the path may go wrong: only those to
// the two interfaces.
func (in *injection) concerns(path string) bool {
	if in.callbacks != "" {
		return false
	}
	for _, base := range []string{PublicPath, LegacyPath} {
		if below, ok := strings.CutPrefix(path, base); ok && (below == "" || below[0] == '/') {
			return strings.HasPrefix(path, in.path) || strings.HasPrefix(below, in.path)
		}
	}
	return false
}

// codeOfStatus is the error code that answers with the status usually have.
func codeOfStatus(status int) api.ErrorCode {
	switch status {
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

func (c *testControls) readFaults(*exchange) (answer, error) {
	in := c.faults.now.Load()
	if in == nil {
		return answer{message: "no faults are injected", data: api.Faults{}}, nil
	}
	return answer{message: "faults are injected", data: api.Faults{
		Latency: api.Duration{Duration: in.latency}, Status: in.status, Rate: in.rate, Path: in.path, Injected: int(in.count.Load()), Callbacks: in.callbacks,
	}}, nil
}

func (c *testControls) setFaults(x *exchange) (answer, error) {
	body, err := x.readBody()
	if err != nil {
		return answer{}, err
	}
	in, members := &injection{rate: 1}, 0
	err = readJSON(body, nil, func(r *reader) error {
		count := r.count
		err := r.objectWith(nil, in.members(r, &members))
		if err == nil && r.count == count && members > 0 {
			in.check(r)
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	if members == 0 || in.rate == 0 {
		in = nil
	}
	c.faults.now.Store(in)
	c.log.Info("faults were set", "body", string(body))
	return c.readFaults(x)
}

// check says what is wrong with the members together.
func (in *injection) check(r *reader) {
	switch {
	case in.callbacks != "" && (in.status != 0 || in.path != ""):
		r.fault("has callbacks, so status and path are not allowed")
	case in.rate > 0 && in.latency == 0 && in.status == 0 && in.callbacks == "":
		r.fault("needs latency, status, both or callbacks; {} or a rate of 0 clears all faults")
	}
}

// members reads what is to go wrong, and counts what there is of it.
func (in *injection) members(r *reader, n *int) []member {
	counting := func(read func() error) func() error {
		return func() error {
			*n++
			return read()
		}
	}
	return []member{
		{"latency", counting(func() error { return r.duration(time.Nanosecond, api.MaxFaultLatency*time.Second, &in.latency) })},
		{"status", counting(func() error { return r.whole(http.StatusBadRequest, 599, &in.status) })},
		{"rate", counting(func() error { return r.number(0, 1, &in.rate) })},
		{"path", counting(func() error { return r.pathPrefix(&in.path) })},
		{"callbacks", counting(func() error { return choice(r, api.CallbackFaults(), &in.callbacks) })},
	}
}

// whole reads a whole number from low to high.
func (r *reader) whole(low, high int, into *int) error {
	var f float64
	count := r.count
	if err := r.number(float64(low), float64(high), &f); err != nil || r.count > count {
		return err
	}
	if *into = int(f); float64(*into) != f {
		r.fault("must be a whole number from %d to %d", low, high)
	}
	return nil
}

// pathPrefix reads how paths begin.
func (r *reader) pathPrefix(into *string) error {
	count := r.count
	if err := r.name(into); err != nil || r.count > count {
		return err
	}
	if !strings.HasPrefix(*into, "/") {
		r.fault("must begin with a slash")
	}
	return nil
}
