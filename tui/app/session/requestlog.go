package session

import (
	"bytes"
	"cmp"
	"compress/flate"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

const (
	// MaxExchanges is how many exchanges a log keeps; the oldest leave first.
	MaxExchanges = 10_000
	// MaxLogBytes is what their bodies, headers and addresses take at most. Above
	// it the oldest lose their bodies.
	MaxLogBytes = 16 << 20
	// perEntry is what an exchange takes besides.
	perEntry = 400
)

// Header is one line of a header.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Exchange is one request and its answer, as it is kept.
type Exchange struct {
	Number         int // counts the exchanges of the run, from 1
	Method         string
	URL            string // in full, masked
	Path           string // without the service's address, with its query
	Status         int    // 0 where no answer came
	Began          time.Time
	At             time.Time // Began, by the service's clock
	Duration       time.Duration
	Attempt        int
	RequestID      string
	Err            string // why no answer came
	RequestSize    int64  // bytes, of the body
	ResponseSize   int64
	RequestBody    Body // the first part of a long one
	ResponseBody   Body
	Dropped        bool // the bodies had to leave for newer ones
	requestHeader  string
	responseHeader string
}

// Failed tells whether no answer came, or one of a failure.
func (x *Exchange) Failed() bool { return x.Status == 0 || x.Status >= 400 }

// RequestHeader returns the lines of the request's header, by name.
func (x *Exchange) RequestHeader() []Header { return unpack(x.requestHeader) }

// ResponseHeader returns the lines of the answer's header, by name.
func (x *Exchange) ResponseHeader() []Header { return unpack(x.responseHeader) }

func (x *Exchange) size() int {
	return len(x.URL) + len(x.requestHeader) + len(x.responseHeader) +
		len(x.RequestBody.kept) + len(x.ResponseBody.kept) + perEntry
}

// RequestLog keeps the exchanges of a run, within [MaxKept] and [MaxBytes]. It may be
// used from several goroutines at once.
type RequestLog struct {
	Also  func(*Exchange) // is told of each request, too; nil for nobody
	Bytes int             // in place of MaxBytes; 0 for that

	mu      sync.Mutex
	kept    []*Exchange // the oldest first
	bare    int         // so many of the oldest have no bodies any more
	bytes   int
	number  int
	version int
	watched []LoggedClient
}

// LoggedClient is what a log can watch: an [api.Client], or one of the operations
// desk.
type LoggedClient interface {
	Observe(observe func(api.Exchange))
	Shown()
}

// Watch has the log keep the requests that a client makes from now on. What has
// ended is kept by the time that the log is read.
func (l *RequestLog) Watch(c LoggedClient) {
	c.Observe(l.Add)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.watched, c) {
		l.watched = append(l.watched, c)
	}
}

// Forget ends what Watch began. What has ended by then is kept.
func (l *RequestLog) Forget(c LoggedClient) {
	c.Observe(nil)
	c.Shown()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watched = slices.DeleteFunc(
		slices.Clone(l.watched),
		func(w LoggedClient) bool { return w == c },
	) // settle reads the old one
}

// settle waits for the requests that have ended.
func (l *RequestLog) settle() {
	l.mu.Lock()
	watched := l.watched
	l.mu.Unlock()
	for _, c := range watched {
		c.Shown()
	}
}

// Add keeps an exchange; it is an observer of [api.Client].
func (l *RequestLog) Add(x api.Exchange) {
	e := &Exchange{
		Method:         x.Method,
		URL:            x.URL,
		Path:           path(x.URL),
		Status:         x.Status,
		Began:          x.Began,
		At:             x.At,
		Duration:       x.Duration,
		Attempt:        max(1, x.Attempt),
		RequestID:      x.ResponseHeader.Get("X-Request-Id"),
		RequestSize:    x.RequestSize,
		ResponseSize:   x.ResponseSize,
		RequestBody:    KeepBody(x.RequestBody),
		ResponseBody:   KeepBody(x.ResponseBody),
		requestHeader:  pack(x.RequestHeader),
		responseHeader: pack(x.ResponseHeader),
	}
	if x.Err != nil {
		e.Err = x.Err.Error()
	}
	if l.Also != nil {
		l.Also(e)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.number++
	l.version++
	e.Number = l.number
	l.kept = append(l.kept, e)
	l.bytes += e.size()
	l.trim()
}

// trim brings the log within its bounds. Readers have exchanges in their hands,
// so one that loses its bodies is replaced, never changed.
func (l *RequestLog) trim() {
	for len(l.kept) > MaxExchanges {
		l.bytes -= l.kept[0].size()
		l.kept[0] = nil
		l.kept = l.kept[1:]
		l.bare = max(0, l.bare-1)
	}
	for ; l.bytes > cmp.Or(l.Bytes, MaxLogBytes) && l.bare < len(l.kept); l.bare++ {
		before := l.kept[l.bare]
		after := *before
		after.Dropped = before.RequestBody.Len()+before.ResponseBody.Len() > 0
		after.RequestBody, after.ResponseBody = Body{}, Body{}
		l.kept[l.bare] = &after
		l.bytes -= before.size() - after.size()
	}
}

// Version changes with every exchange.
func (l *RequestLog) Version() int {
	l.settle()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version
}

// Newest returns what is kept, the newest first, and how many bytes it takes.
func (l *RequestLog) Newest() (kept []*Exchange, size int) {
	l.settle()
	l.mu.Lock()
	defer l.mu.Unlock()
	kept = slices.Clone(l.kept)
	slices.Reverse(kept)
	return kept, l.bytes
}

func pack(h http.Header) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			b.WriteString(name + "\t" + strings.ReplaceAll(value, "\n", " ") + "\n")
		}
	}
	return b.String()
}

func unpack(s string) []Header {
	var h []Header
	for line := range strings.Lines(s) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		h = append(h, Header{name, value})
	}
	return h
}

// path returns an address without service and base.
func path(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	p := u.Path
	for _, base := range []string{"/api/v1/public", "/api/v2"} {
		if rest, ok := strings.CutPrefix(p, base); ok {
			p = rest
			break
		}
	}
	if u.RawQuery != "" {
		p += "?" + u.RawQuery
	}
	return p
}

// Code returns the status as text, "" where no answer came.
func (x *Exchange) Code() string {
	if x.Status == 0 {
		return ""
	}
	return strconv.Itoa(x.Status)
}

// packedFrom is how long a body is that is kept packed, in bytes. A list of
// orders takes a tenth then.
const packedFrom = 512

// Body is a body as the log keeps it: packed where that is smaller.
type Body struct {
	kept []byte
	size int // of the text
}

// packers are made once: each has tables of some hundred kilobytes.
var packers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // a level that there is
	return w
}}

// KeepBody returns a text as a Body. It takes nothing of the slice.
func KeepBody(text []byte) Body {
	if len(text) >= packedFrom {
		var packed bytes.Buffer
		w := packers.Get().(*flate.Writer)
		defer packers.Put(w)
		w.Reset(&packed)
		_, _ = w.Write(text) // into memory
		_ = w.Close()
		if packed.Len() < len(text) {
			return Body{bytes.Clone(packed.Bytes()), len(text)}
		}
	}
	return Body{bytes.Clone(text), len(text)}
}

// Len returns how many bytes the text has.
func (b Body) Len() int { return b.size }

// Text returns what was kept, nil for nothing.
func (b Body) Text() []byte {
	if len(b.kept) == b.size {
		return b.kept
	}
	text := make([]byte, b.size)
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(b.kept)), text); err != nil {
		return nil // it was packed by Keep
	}
	return text
}

// types are those of the service's answers, some as parts of others; a member that none
// of them has is unknown.
var types = []any{
	api.CreateOrderRequest{},
	api.ParseResult{},
	api.Page[api.Order]{},
	api.DeliveryFile{},
	api.QuoteDecision{},
	api.Event{},
	api.FieldError{},
	api.WebhookEndpoint{},
	api.WebhookDelivery{},
	ops.AccountKey{},
	ops.KeyRequest{},
	ops.Order{},
	ops.Dataset{},
	ops.QuoteInput{},
	ops.ServiceClock{},
	ops.SimulatorState{},
	ops.SimulatorInput{},
	ops.Faults{},
	ops.ResetResult{},
	ops.WorldSnapshot{},
	ops.TrustResult{},
}

// known are the names of all members of the types, and of the envelope.
var known = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	add(names, []string{
		"success",
		"message",
		"data",
		"code",
		"errors",
		"requestId",
		"nextCursor",
		"hasNextPage",
		"status",
		"total",
		"reason",
		"generate",
		"advance",
		"at",
		"confirm",
		"event",
		"certificate", // of requests to the operations API
	})
	seen := map[reflect.Type]bool{}
	for _, t := range types {
		collect(reflect.TypeOf(t), names, seen)
	}
	return names
})

func collect(t reflect.Type, names map[string]bool, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names[strings.Trim(name, "'")] = true
		}
		collect(f.Type, names, seen)
	}
}

// states are the status words that are known, of whatever has one.
var states = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	add(words, api.OrderStatuses())
	add(words, api.MissionStatuses())
	add(words, api.SchedulingStatuses())
	add(words, api.PermissionStatuses())
	add(words, api.DeliveryStatuses())
	add(words, ops.KeyRequestStatuses())
	add(words, api.QuoteStatuses())
	add(words, api.RecordStatuses())
	add(words, []string{"success", "failed", "pending", "active", "inactive"})
	return words
})

func add[T ~string](to map[string]bool, from []T) {
	for _, word := range from {
		to[string(word)] = true
	}
}

// statusMembers hold status words.
var statusMembers = []string{"status", "orderStatus", "missionStatus", "schedulingStatus"}

// NoteLine returns what is remarkable about one line of a pretty body: a member that
// this client does not know, or a status that it does not; "" for nothing.
func NoteLine(line string) string {
	name, value, ok := strings.Cut(strings.TrimSpace(line), `": `)
	name, quoted := strings.CutPrefix(name, `"`)
	word, isText := strings.CutPrefix(value, `"`)
	switch {
	case !ok || !quoted:
		return ""
	case !known()[name]:
		return "+ unknown field"
	case isText && slices.Contains(statusMembers, name) && !states()[strings.TrimRight(word, `",`)]:
		return "? not a known status"
	}
	return ""
}
