package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Connection calls one API of a service with one API key. It is safe for concurrent
// use and reuses its TCP connections.
type Connection struct {
	base              *url.URL
	legacy            *url.URL // address of the v2 API; nil if it is not used
	key               string
	keyForms          [][]byte // spellings of the key to mask in texts
	http              *http.Client
	agent             string
	timeout           time.Duration
	retries           int
	backoff           time.Duration
	observe           atomic.Pointer[func(Exchange)]
	ended             observerQueue // requests to show to the observer
	skew              atomic.Int64  // service clock minus local clock, in nanoseconds
	refusesLimits     atomic.Bool   // the service rejects every limit of a list
	needsAPIKeyHeader atomic.Bool   // the v2 API accepts the key only in X-Api-Key
	contact           lastContact
	methods           methodMemory
}

// Client calls one service with one API key.
type Client struct {
	*Connection

	Orders   *OrdersService
	Missions *MissionsService
	Files    *FilesService
	Surveys  *SurveysService
	Webhooks *WebhooksService

	// Services of the v2 API, which need [WithLegacyURL].
	Records *RecordsService
	Quotes  *QuotesService
	Library *LibraryService
}

type serviceBase struct{ c *Connection }

// Option configures a [Client] or a [Connection].
type Option func(*Connection) error

// NewClient returns a client of the public API at baseURL, which ends in
// /api/v1/public.
func NewClient(baseURL string, opts ...Option) (*Client, error) {
	c, err := NewConnection(baseURL, opts...)
	if err != nil {
		return nil, err
	}
	s := &serviceBase{c}
	return &Client{
		Connection: c,
		Orders:     (*OrdersService)(s),
		Missions:   (*MissionsService)(s),
		Files:      (*FilesService)(s),
		Surveys:    (*SurveysService)(s),
		Webhooks:   (*WebhooksService)(s),
		Records:    (*RecordsService)(s),
		Quotes:     (*QuotesService)(s),
		Library:    (*LibraryService)(s),
	}, nil
}

// NewConnection returns a connection to the API at baseURL. With [CallOne] and [CallPage], it can call
// operations for which [Client] has no method.
func NewConnection(baseURL string, opts ...Option) (*Connection, error) {
	base, err := parseBase("the service's address", baseURL)
	if err != nil {
		return nil, err
	}
	c := &Connection{
		base:    base,
		agent:   "flightdesk",
		timeout: DefaultTimeout,
		retries: 2,
		backoff: 250 * time.Millisecond,
	}
	c.http = &http.Client{Transport: newTransport(), CheckRedirect: refuseRedirect}
	for _, opt := range opts {
		if err := opt(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// WithKey sets the API key.
func WithKey(key string) Option {
	return func(c *Connection) error {
		if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return errors.New("the API key is empty or contains invalid characters; check its source")
		}
		c.key = key
		c.keyForms = keyForms(key)
		addKey(key)
		return nil
	}
}

// ErrNoLegacy is returned by calls of the v2 API if the client has no v2 API address.
var ErrNoLegacy = errors.New("the client has no v2 API address; set one with WithLegacyURL")

// WithLegacyURL sets the address of the v2 API, which ends in /api/v2.
func WithLegacyURL(legacyURL string) Option {
	return func(c *Connection) error {
		legacy, err := parseBase("the v2 API address", legacyURL)
		if err != nil {
			return err
		}
		c.legacy = legacy
		return nil
	}
}

// WithTransport replaces the HTTP transport, for tests and private certificates.
func WithTransport(t http.RoundTripper) Option {
	return func(c *Connection) error {
		if t == nil {
			return errors.New("the transport is nil")
		}
		c.http.Transport = t
		return nil
	}
}

// WithTimeout limits each attempt of a call; uploads get twice as long.
func WithTimeout(d time.Duration) Option {
	return func(c *Connection) error {
		if d <= 0 {
			return fmt.Errorf("timeout %s is too short", d)
		}
		c.timeout = d
		return nil
	}
}

// WithRetries sets how often a failed call is repeated: 2 times by default, 0 for never.
// Any operation is repeated after 429 and 503, because the service did nothing. Reads, and
// changes that are safe to make twice, are also repeated after a lost response, 502 and
// 504. The pause is the one set by [WithBackoff], doubled for each further attempt, or the
// Retry-After of the response if that is longer. A Retry-After over 30 seconds ends the call.
func WithRetries(n int) Option {
	return func(c *Connection) error {
		if n < 0 {
			return fmt.Errorf("negative number of retries: %d", n)
		}
		c.retries = n
		return nil
	}
}

// WithBackoff sets the pause before the first retry, a quarter of a second by default.
func WithBackoff(first time.Duration) Option {
	return func(c *Connection) error {
		if first <= 0 {
			return fmt.Errorf("pause %s is too short", first)
		}
		c.backoff = first
		return nil
	}
}

// WithUserAgent sets the User-Agent header.
func WithUserAgent(agent string) Option {
	return func(c *Connection) error {
		c.agent = agent
		return nil
	}
}

// Host returns the host and port of the service.
func (c *Connection) Host() string { return c.base.Host }

// BaseURL returns the address of the API.
func (c *Connection) BaseURL() string { return c.base.String() }

// Now returns the time by the service's clock, according to the last response.
func (c *Connection) Now() time.Time { return time.Now().Add(time.Duration(c.skew.Load())) }

// String describes the client without its API key.
func (c *Connection) String() string { return "api.Client(" + c.base.Redacted() + ")" }

// GoString returns String, because %#v would print the API key.
func (c *Connection) GoString() string { return c.String() }

// Format writes String for every verb, because %+v and others would print the API key.
func (c *Connection) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(c.String())) }

func parseBase(name, raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(raw, "/"))
	isHTTP := err == nil && (u.Scheme == "http" || u.Scheme == "https")
	if !isHTTP || u.Host == "" {
		return nil, fmt.Errorf("%s is not an http or https address", name) // raw can have a password
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s must be without user, query and fragment", name)
	}
	return u, nil
}

func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	return t
}

// refuseRedirect stops net/http from following a redirect, which could send the API key to
// another host.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// updateClock sets the clock skew from the Date header of a response. Dates have whole
// seconds, so a difference below two seconds counts as none. A difference of more than a day
// counts as none too, because such a date more likely comes from a proxy. It only counts if the
// response has the header [HeaderTimestamp], by which a service shows that its clock was set.
func (c *Connection) updateClock(header http.Header, now time.Time) {
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return
	}
	skew := date.Sub(now)
	isRounding := skew.Abs() < 2*time.Second
	isImplausible := skew.Abs() > maxSkew && header.Get(HeaderTimestamp) == ""
	if isRounding || isImplausible {
		skew = 0
	}
	c.skew.Store(int64(skew))
}

// maxSkew is the largest plausible difference between the service's clock and ours, unless
// the service says that its clock was set.
const maxSkew = 24 * time.Hour

// sleepFor sleeps until d has passed or the context ends.
func sleepFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// lastContact records the outcome of the last request.
type lastContact struct {
	mu        sync.Mutex
	responses int64
	err       error
	trouble   Trouble
}

// Contact returns the number of responses from the service so far, of any status, and why
// the last request got no response, or nil if it got one.
func (c *Connection) Contact() (responses int64, err error) {
	c.contact.mu.Lock()
	defer c.contact.mu.Unlock()
	return c.contact.responses, c.contact.err
}

// recordResult records the result of a request: nil if it got a response, and otherwise the error.
func (k *lastContact) recordResult(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.err = err
	if err == nil {
		k.responses++
	}
}

// Trouble is a problem that a response shows: the service failed (5xx) or rejected the API key (401),
// or something else responded.
type Trouble struct {
	Status  int  // HTTP status of the response; 0 if there is no problem
	Foreign bool // the response is not in the service's format, such as a web page of a proxy
}

// ServiceTrouble returns the problem that the last response shows, or the zero value if it shows none.
func (c *Connection) ServiceTrouble() Trouble {
	c.contact.mu.Lock()
	defer c.contact.mu.Unlock()
	return c.contact.trouble
}

// updateTrouble records whether the status and the headers of a response show a problem with the service.
func (k *lastContact) updateTrouble(resp *http.Response) {
	isFailure := resp.StatusCode >= http.StatusInternalServerError
	isRejectedKey := resp.StatusCode == http.StatusUnauthorized
	isPage := isWebPage(resp)
	if isFailure || isRejectedKey || isPage {
		k.setTrouble(Trouble{Status: resp.StatusCode, Foreign: isPage})
	} else {
		k.setTrouble(Trouble{})
	}
}

func (k *lastContact) setTrouble(trouble Trouble) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.trouble = trouble
}

// PanicError is a panic that was turned into an error by [CatchPanic].
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// CatchPanic turns a panic into the error of the function that defers it:
//
//	defer api.CatchPanic(&err)
//
// Without it, a panic in a goroutine ends the process and leaves the terminal unusable.
func CatchPanic(err *error) {
	if value := recover(); value != nil {
		*err = &PanicError{Value: value, Stack: debug.Stack()}
	}
}

// Guard runs do and returns its error, or a [PanicError] if it panics.
func Guard(do func() error) (err error) {
	defer CatchPanic(&err)
	return do()
}

// Go runs a function in a goroutine and sends its error on the channel, a [PanicError] if
// the function panics. The terminal program starts all its goroutines with Go.
func Go(do func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- Guard(do) }()
	return done
}

// Group runs functions at the same time and waits for them. If one of them panics, Wait
// panics with a [PanicError], which the caller's guard can catch.
type Group struct {
	wg         sync.WaitGroup
	mu         sync.Mutex
	firstPanic error
}

// Go runs a function in a goroutine.
func (g *Group) Go(f func()) {
	g.wg.Go(func() {
		err := Guard(func() error {
			f()
			return nil
		})
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.firstPanic == nil {
			g.firstPanic = err
		}
	})
}

// Wait returns when all functions have returned.
func (g *Group) Wait() {
	g.wg.Wait()
	if g.firstPanic != nil {
		panic(g.firstPanic)
	}
}

// Limits of the service. The service rejects requests over a limit, and forms say so while
// the user types.
const (
	MaxNameLength     = 200   // characters of a name or label
	MaxTextLength     = 2000  // characters of a description or reason
	MaxMissions       = 1000  // per order
	MaxPoints         = 20000 // per locationMap of a mission
	MaxBodyBytes      = 5 << 20
	MaxUploadBytes    = 10 << 20 // a KML, KMZ or CSV file
	MaxPageLimit      = 100
	DefaultPageLimit  = 20
	MaxIdempotencyKey = 255
	MaxRequestID      = 128
	MaxURLLength      = 2048 // characters of a webhook endpoint's address
	MaxWebhooks       = 20   // endpoints per account
)

// DefaultTimeout limits one attempt of a call unless [WithTimeout] sets another limit.
const DefaultTimeout = 15 * time.Second

// Metadata describes the response to a call.
type Metadata struct {
	Status    int
	RequestID string    // X-Request-Id of the service, to quote in a support request
	Date      time.Time // by the service's clock; zero if the response has no Date
	Attempt   int       // 1, or more if the request was repeated
	Header    http.Header
}

type metadataKey struct{}

// WithMetadata returns a context with which calls store the metadata of their response in
// meta. If a call sends several requests, such as one for each page of a list, the
// metadata of the last response remain. Concurrent calls need separate contexts.
//
//	var meta api.Metadata
//	order, err := c.Orders.Get(api.WithMetadata(ctx, &meta), code)
//	log.Print(meta.RequestID)
func WithMetadata(ctx context.Context, meta *Metadata) context.Context {
	return context.WithValue(ctx, metadataKey{}, meta)
}

// saveMetadata stores the metadata of a response if the context was made by [WithMetadata].
func saveMetadata(ctx context.Context, resp *http.Response, attempt int) {
	meta, _ := ctx.Value(metadataKey{}).(*Metadata)
	if meta == nil {
		return
	}
	date, _ := http.ParseTime(resp.Header.Get("Date")) // zero if there is no date
	*meta = Metadata{
		Status:    resp.StatusCode,
		RequestID: resp.Header.Get("X-Request-Id"),
		Date:      date,
		Attempt:   attempt,
		Header:    resp.Header.Clone(),
	}
}
