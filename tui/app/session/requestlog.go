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
	// MaxExchanges is the maximum number of exchanges in a log. The oldest are removed first.
	MaxExchanges = 10_000
	// MaxLogBytes is the maximum size of bodies, headers and addresses in a log. Above it the
	// bodies of the oldest exchanges are removed.
	MaxLogBytes = 16 << 20
	perEntry    = 500 // overhead of an exchange in bytes
	perLine     = 32  // overhead of a header line in bytes
)

// Header is one line of a header.
type Header struct {
	Name, Value string
}

// Exchange is a logged request with its response.
type Exchange struct {
	api.Exchange          // with a masked address; the fields below replace its headers, bodies and error
	Number         int    // counts the exchanges of the run from 1
	Path           string // address without the service, with the query
	RequestID      string
	Err            string // why there is no response
	RequestHeader  []Header
	ResponseHeader []Header
	RequestBody    Body // long bodies are cut
	ResponseBody   Body
	Dropped        bool // the bodies were removed to make room
}

// Failed reports whether there was no response or an error status.
func (x *Exchange) Failed() bool { return x.Status == 0 || x.Status >= 400 }

func (x *Exchange) size() int {
	size := len(x.URL) + len(x.RequestBody.kept) + len(x.ResponseBody.kept) + perEntry
	for _, h := range slices.Concat(x.RequestHeader, x.ResponseHeader) {
		size += len(h.Name) + len(h.Value) + perLine
	}
	return size
}

// RequestLog stores the exchanges of a run, limited by [MaxExchanges] and [MaxLogBytes]. It is safe for
// concurrent use.
type RequestLog struct {
	Also  func(*Exchange) // called for each exchange that is added; may be nil
	Bytes int             // limit in bytes; 0 for MaxLogBytes

	mu      sync.Mutex
	kept    []*Exchange // oldest first
	bare    int         // the bodies of this many exchanges at the beginning of kept were removed
	bytes   int
	number  int
	watched []LoggedClient
}

// LoggedClient is a client whose requests a [RequestLog] can record, such as [api.Client].
type LoggedClient interface {
	Observe(observe func(api.Exchange))
	Shown()
}

// Watch makes the log record the requests of a client. Before the log is read, it waits until all
// completed requests are recorded.
func (l *RequestLog) Watch(c LoggedClient) {
	c.Observe(l.Add)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.watched, c) {
		l.watched = append(l.watched, c)
	}
}

// Unwatch stops recording the requests of a client. It first records the requests that have ended.
func (l *RequestLog) Unwatch(c LoggedClient) {
	c.Observe(nil)
	c.Shown()
	l.mu.Lock()
	defer l.mu.Unlock()
	watched := slices.Clone(l.watched) // waitForEnded may read the old slice
	l.watched = slices.DeleteFunc(watched, func(w LoggedClient) bool { return w == c })
}

// waitForEnded waits until the watched clients have reported all completed requests to the log.
func (l *RequestLog) waitForEnded() {
	l.mu.Lock()
	watched := l.watched
	l.mu.Unlock()
	for _, c := range watched {
		c.Shown()
	}
}

// Add records an exchange. A client calls it for each request, see [RequestLog.Watch].
func (l *RequestLog) Add(x api.Exchange) {
	e := newExchange(x)
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

// newExchange returns an exchange for a log, without a number.
func newExchange(x api.Exchange) *Exchange {
	e := &Exchange{
		Exchange:       x,
		Path:           path(x.URL),
		RequestID:      x.ResponseHeader.Get("X-Request-Id"),
		RequestHeader:  listHeader(x.RequestHeader),
		ResponseHeader: listHeader(x.ResponseHeader),
		RequestBody:    NewBody(x.RequestBody),
		ResponseBody:   NewBody(x.ResponseBody),
	}
	e.Attempt = max(1, x.Attempt)
	if x.Err != nil {
		e.Err = x.Err.Error()
	}
	e.Exchange.RequestHeader = nil
	e.Exchange.ResponseHeader = nil
	e.Exchange.RequestBody = nil
	e.Exchange.ResponseBody = nil
	return e
}

// trim removes the oldest exchanges and bodies above the limits. Readers may hold an exchange, so trim does
// not modify it, but replaces it by a copy without bodies.
func (l *RequestLog) trim() {
	for len(l.kept) > MaxExchanges {
		l.bytes -= l.kept[0].size()
		l.kept[0] = nil
		l.kept = l.kept[1:]
		l.bare = max(0, l.bare-1)
	}
	limit := cmp.Or(l.Bytes, MaxLogBytes)
	for ; l.bytes > limit && l.bare < len(l.kept); l.bare++ {
		before := l.kept[l.bare]
		after := *before
		after.Dropped = before.RequestBody.Len()+before.ResponseBody.Len() > 0
		after.RequestBody = Body{}
		after.ResponseBody = Body{}
		l.kept[l.bare] = &after
		l.bytes -= before.size() - after.size()
	}
}

// Version returns a number that changes with every recorded exchange.
func (l *RequestLog) Version() int {
	l.waitForEnded()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.number
}

// Newest returns the exchanges, newest first, and their size in bytes.
func (l *RequestLog) Newest() (kept []*Exchange, size int) {
	l.waitForEnded()
	l.mu.Lock()
	defer l.mu.Unlock()
	kept = slices.Clone(l.kept)
	slices.Reverse(kept)
	return kept, l.bytes
}

// listHeader returns the lines of a header, sorted by name.
func listHeader(h http.Header) (lines []Header) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			lines = append(lines, Header{name, value})
		}
	}
	return lines
}

// path returns the path and the query of an address, without the base path of the API such as "/api/v2".
func path(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	p := TrimBasePath(u.Path)
	if u.RawQuery != "" {
		p += "?" + u.RawQuery
	}
	return p
}

// Code returns the HTTP status as text, such as "404", or "" if there was no response.
func (x *Exchange) Code() string {
	if x.Status == 0 {
		return ""
	}
	return strconv.Itoa(x.Status)
}

// packedFrom is the minimum size of a body to compress, in bytes. A list of orders shrinks to about a
// tenth.
const packedFrom = 512

// Body is a stored body, compressed if that is smaller.
type Body struct {
	kept []byte
	size int // size of the uncompressed text
}

// packers has compressors for reuse, because each has tables of several hundred kilobytes.
var packers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // fails only for an invalid level
	return w
}}

// NewBody returns a copy of a text as a Body.
func NewBody(text []byte) Body {
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

// Len returns the size of the text.
func (b Body) Len() int { return b.size }

// Text returns the text, or nil if it is empty.
func (b Body) Text() []byte {
	if len(b.kept) == b.size {
		return b.kept
	}
	text := make([]byte, b.size)
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(b.kept)), text); err != nil {
		return nil // cannot happen for bodies of NewBody
	}
	return text
}

// contract returns the set of words in the OpenAPI specification of the service. Names of JSON fields end
// with a colon, such as "orderCode:".
var contract = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{"total:": true} // a field that other services send
	for _, word := range regexp.MustCompile(`\w+[:,\]\n]`).FindAllString(string(api.OpenAPI), -1) {
		words[strings.TrimRight(word, ",]\n")] = true
	}
	return words
})

// statusMembers are the names of the JSON fields whose values are statuses.
var statusMembers = []string{"status", "orderStatus", "missionStatus", "schedulingStatus"}

// LineNote returns a note about a line of formatted JSON, such as "+ unknown field" if the field is not in
// the specification of the service. It returns "" if the field and its value are known.
func LineNote(line string) string {
	quotedName, value, isMember := strings.Cut(strings.TrimSpace(line), `": `)
	name, isQuoted := strings.CutPrefix(quotedName, `"`)
	if !isMember || !isQuoted {
		return ""
	}
	if !contract()[name+":"] {
		return "+ unknown field"
	}
	text, isText := strings.CutPrefix(value, `"`)
	isStatus := isText && slices.Contains(statusMembers, name)
	if isStatus && !contract()[strings.TrimRight(text, `",`)] {
		return "? not a known status"
	}
	return ""
}

// Missing returns why a stored body is incomplete, or "" if it is complete. It is about the body of the
// request if request is true, and otherwise about the body of the response.
func (x *Exchange) Missing(request bool) string {
	body := x.ResponseBody
	size := x.ResponseSize
	if request {
		body = x.RequestBody
		size = x.RequestSize
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
