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

// Connection calls one interface of a service with one key. It is safe for concurrent
// use and reuses its TCP connections.
type Connection struct {
	base   *url.URL
	legacy *url.URL
	key    string
	// keyForms are how the key may stand in a text.
	keyForms      [][]byte
	http          *http.Client
	agent         string
	timeout       time.Duration
	retries       int
	backoff       time.Duration
	observe       atomic.Pointer[func(Exchange)]
	ended         observerQueue // requests that are to be shown
	skew          atomic.Int64  // service clock less local clock, in nanoseconds
	refusesLimits atomic.Bool   // the service refuses every limit of a list
	apiKey        atomic.Bool   // the v2 API takes the key in x-api-key only
	contact       lastContact
	methods       methodMemory
}

// Client calls one service with one API key.
type Client struct {
	*Connection

	Orders   *OrdersService
	Missions *MissionsService
	Files    *FilesService
	Surveys  *SurveysService
	Webhooks *WebhooksService

	// The v2 API; these need [WithLegacyURL].
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

// NewConnection returns a connection to the interface at baseURL, for operations
// that [Client] does not have: see [CallOne] and [CallPage].
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
		c.key, c.keyForms = key, keyForms(key)
		rememberKey(key)
		return nil
	}
}

// ErrNoLegacy is the error of the v2 API's calls on a client that
// has no address of it.
var ErrNoLegacy = errors.New("the client has no v2 API address; set one with WithLegacyURL")

// WithLegacyURL sets the address of the v2 API, which
// ends in /api/v2.
func WithLegacyURL(legacyURL string) Option {
	return func(c *Connection) (err error) {
		c.legacy, err = parseBase("the v2 API address", legacyURL)
		return err
	}
}

// WithTransport replaces the HTTP transport, for tests and private
// certificates.
func WithTransport(t http.RoundTripper) Option {
	return func(c *Connection) error {
		if t == nil {
			return errors.New("the transport is nil")
		}
		c.http.Transport = t
		return nil
	}
}

// WithTimeout bounds each try of a call; uploads get twice as long.
func WithTimeout(d time.Duration) Option {
	return func(c *Connection) error {
		if d <= 0 {
			return fmt.Errorf("timeout %s is too short", d)
		}
		c.timeout = d
		return nil
	}
}

// WithRetries sets how often a call is tried again, 2 times by default; 0 turns
// that off. What is tried again: any operation after 429 and 503, since nothing
// was done; reads and changes that may be made twice also after a lost answer,
// 502 and 504. A pause is that of [WithBackoff], doubled each time, or what
// Retry-After says, up to 30 seconds.
func WithRetries(n int) Option {
	return func(c *Connection) error {
		if n < 0 {
			return fmt.Errorf("negative number of retries: %d", n)
		}
		c.retries = n
		return nil
	}
}

// WithBackoff sets the pause before the first try again, a quarter of a second by
// default.
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

// Host returns the host and port that the client speaks to.
func (c *Connection) Host() string { return c.base.Host }

// BaseURL returns the interface's address.
func (c *Connection) BaseURL() string { return c.base.String() }

// Now returns the time by the service's clock, as its last answer gave it.
func (c *Connection) Now() time.Time { return time.Now().Add(time.Duration(c.skew.Load())) }

// String describes the client without its key.
func (c *Connection) String() string { return "api.Client(" + c.base.Redacted() + ")" }

// GoString returns String, so that no format verb prints the key.
func (c *Connection) GoString() string { return c.String() }

// Format writes String for every verb.
func (c *Connection) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(c.String())) }

func parseBase(name, raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(raw, "/"))
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%s %q is not an http or https address", name, raw)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%s must be without user, query and fragment", name)
	}
	return u, nil
}

func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	return t
}

// refuseRedirect keeps the key with the host it was given for.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// learnClock takes the service's clock from an answer's Date, which has whole
// seconds; differences within its rounding count as none. Nor does a date more than
// a day away, which is more likely a proxy's, unless the service says that its clock
// was set.
func (c *Connection) learnClock(header http.Header, now time.Time) {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return
	}
	skew := at.Sub(now)
	if off := skew.Abs(); off < 2*time.Second || off > maxSkew && header.Get(HeaderTimestamp) == "" {
		skew = 0
	}
	c.skew.Store(int64(skew))
}

// maxSkew is how far away a service's clock may be that was not set.
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

// lastContact is what a client last heard of its service.
type lastContact struct {
	mu      sync.Mutex
	answers int64
	err     error
	trouble int
}

// Contact returns how many answers the service has given so far, of whatever
// status, and why the last request brought none; nil where it brought one.
func (c *Connection) Contact() (answers int64, err error) {
	c.contact.mu.Lock()
	defer c.contact.mu.Unlock()
	return c.contact.answers, c.contact.err
}

// noteAnswer notes an answer, or why there is none.
func (k *lastContact) noteAnswer(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err = err; err == nil {
		k.answers++
	}
}

// ServiceTrouble returns the status of the last answer where that says that the service
// fails (5xx), does not take the key (401), or that something else answered in its
// place, such as a page for people; 0 otherwise.
func (c *Connection) ServiceTrouble() int {
	c.contact.mu.Lock()
	defer c.contact.mu.Unlock()
	return c.contact.trouble
}

func (k *lastContact) noteStatus(status int, contentType string) {
	isPage := strings.HasPrefix(contentType, "text/html")
	if status < http.StatusInternalServerError && status != http.StatusUnauthorized && !isPage {
		status = 0
	}
	k.noteTrouble(status)
}

func (k *lastContact) noteTrouble(status int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.trouble = status
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
// A panic in a goroutine ends the process otherwise, whatever its terminal is
// in the middle of.
func CatchPanic(err *error) {
	if value := recover(); value != nil {
		*err = &PanicError{value, debug.Stack()}
	}
}

// Guard runs do and returns its error, or its panic as one.
func Guard(do func() error) (err error) {
	defer CatchPanic(&err)
	return do()
}

// Go runs a function beside its caller, and brings its error. A panic is a
// [PanicError]. Every goroutine of the terminal program begins here.
func Go(do func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- Guard(do) }()
	return done
}

// Group waits for functions that run at the same time. A panic of one of them
// is raised again by Wait, as a [PanicError], where whoever runs the group
// is guarded.
type Group struct {
	wg    sync.WaitGroup
	mu    sync.Mutex
	first error
}

// Go runs a function at the same time as the others.
func (g *Group) Go(f func()) {
	g.wg.Go(func() {
		err := Guard(func() error { f(); return nil })
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.first == nil {
			g.first = err
		}
	})
}

// Wait returns once all functions have.
func (g *Group) Wait() {
	g.wg.Wait()
	if g.first != nil {
		panic(g.first)
	}
}

// Limits of the service, as its specification and decisions give them. The
// server refuses what is over them and the forms say so while one types.
const (
	MaxNameLength     = 200   // characters of a name or label
	MaxTextLength     = 2000  // characters of a description or reason
	MaxMissions       = 1000  // missions of an order
	MaxPoints         = 20000 // points of a mission's locationMap
	MaxBodyBytes      = 5 << 20
	MaxUploadBytes    = 10 << 20 // a KML, KMZ or CSV file
	MaxPageLimit      = 100
	DefaultPageLimit  = 20
	MaxIdempotencyKey = 255
	MaxRequestID      = 128
	MaxURLLength      = 2048 // characters of a webhook endpoint's address
	MaxWebhooks       = 20   // endpoints of an account
)

// DefaultTimeout bounds one try of a call unless [WithTimeout] says otherwise.
const DefaultTimeout = 15 * time.Second

// Metadata has the headers of an answer that describe it.
type Metadata struct {
	Status    int
	RequestID string    // the service's X-Request-Id, to name the request by
	Date      time.Time // by the service's clock; zero where it did not say
	Attempt   int       // 1, and more where the request was sent again
	Header    http.Header
}

type metadataKey struct{}

// WithMetadata returns a context that has calls write down what their answers
// say of themselves. Of several requests, the last one stays: a list that is
// walked, say, makes one for each page. Calls that run side by side need a
// context each.
//
//	var of api.Metadata
//	order, err := c.Orders.Get(api.WithMetadata(ctx, &of), code)
//	log.Print(of.RequestID)
func WithMetadata(ctx context.Context, into *Metadata) context.Context {
	return context.WithValue(ctx, metadataKey{}, into)
}

// noteMetadata writes an answer's metadata down for who wants them.
func noteMetadata(ctx context.Context, resp *http.Response, attempt int) {
	into, _ := ctx.Value(metadataKey{}).(*Metadata)
	if into == nil {
		return
	}
	date, _ := http.ParseTime(resp.Header.Get("Date")) // zero where there is none
	*into = Metadata{resp.StatusCode, resp.Header.Get("X-Request-Id"), date, attempt, resp.Header.Clone()}
}
