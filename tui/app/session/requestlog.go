package session

import (
	"bytes"
	"cmp"
	"compress/flate"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"flightdesk/api"
)

const (
	// MaxExchanges is how many exchanges a log keeps; the oldest leave first.
	MaxExchanges = 10_000
	// MaxLogBytes is what their bodies, headers and addresses take at most. Above
	// it the oldest lose their bodies.
	MaxLogBytes = 16 << 20
	// perEntry is what an exchange takes besides, and perLine a line of its headers.
	perEntry, perLine = 500, 32
)

// Header is one line of a header.
type Header struct {
	Name, Value string
}

// Exchange is one request and its answer, as it is kept.
type Exchange struct {
	api.Exchange          // its address is masked; what follows is in place of its members
	Number         int    // counts the exchanges of the run, from 1
	Path           string // without the service's address, with its query
	RequestID      string
	Err            string // why no answer came
	RequestHeader  []Header
	ResponseHeader []Header
	RequestBody    Body // the first part of a long one
	ResponseBody   Body
	Dropped        bool // the bodies had to leave for newer ones
}

// Failed tells whether no answer came, or one of a failure.
func (x *Exchange) Failed() bool { return x.Status == 0 || x.Status >= 400 }

func (x *Exchange) size() int {
	size := len(x.URL) + len(x.RequestBody.kept) + len(x.ResponseBody.kept) + perEntry
	for _, h := range slices.Concat(x.RequestHeader, x.ResponseHeader) {
		size += len(h.Name) + len(h.Value) + perLine
	}
	return size
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
		Exchange:       x,
		Path:           path(x.URL),
		RequestID:      x.ResponseHeader.Get("X-Request-Id"),
		RequestHeader:  listHeader(x.RequestHeader),
		ResponseHeader: listHeader(x.ResponseHeader),
		RequestBody:    KeepBody(x.RequestBody),
		ResponseBody:   KeepBody(x.ResponseBody),
	}
	e.Attempt = max(1, x.Attempt)
	if x.Err != nil {
		e.Err = x.Err.Error()
	}
	of := &e.Exchange
	of.RequestHeader, of.ResponseHeader, of.RequestBody, of.ResponseBody = nil, nil, nil, nil
	if l.Also != nil {
		l.Also(e)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.number++
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
	return l.number
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

// listHeader returns the lines of a header, by name.
func listHeader(h http.Header) (lines []Header) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			lines = append(lines, Header{name, value})
		}
	}
	return lines
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

// contract has the single words of the service's contract, the names of its members
// with their colons.
var contract = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{"total:": true} // of other services
	for _, word := range regexp.MustCompile(`\w+[:,\]\n]`).FindAllString(string(api.OpenAPI), -1) {
		words[strings.TrimRight(word, ",]\n")] = true
	}
	return words
})

// statusMembers hold status words.
var statusMembers = []string{"status", "orderStatus", "missionStatus", "schedulingStatus"}

// NoteLine returns what is remarkable about one line of a pretty body: a member that
// the contract does not have, or a status that it does not; "" for nothing.
func NoteLine(line string) string {
	name, value, ok := strings.Cut(strings.TrimSpace(line), `": `)
	name, quoted := strings.CutPrefix(name, `"`)
	word, isText := strings.CutPrefix(value, `"`)
	switch {
	case !ok || !quoted:
		return ""
	case !contract()[name+":"]:
		return "+ unknown field"
	case isText && slices.Contains(statusMembers, name) && !contract()[strings.TrimRight(word, `",`)]:
		return "? not a known status"
	}
	return ""
}

// Missing returns why a body is incomplete, "" if it is complete.
func (x *Exchange) Missing(request bool) string {
	body, size := x.ResponseBody, x.ResponseSize
	if request {
		body, size = x.RequestBody, x.RequestSize
	}
	switch {
	case size == 0:
		return ""
	case x.Dropped:
		return "removed to make room for newer requests"
	case body.Len() == 0:
		return "not text, not stored"
	case body.Len() >= api.MaxShownBody || size > api.MaxFullBody:
		return "cut after its first 256 KiB"
	}
	return ""
}

// HeaderValue returns the first value of a header, or "".
func HeaderValue(h []Header, name string) string {
	for _, line := range h {
		if line.Name == name {
			return line.Value
		}
	}
	return ""
}
