package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
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

// updateClock sets the clock skew, which is the difference between the service's clock and the
// local clock, from the Date header of a response. It sets the skew to 0 if the difference is
//
//   - less than two seconds, because dates have whole seconds
//   - more than a day, because the date then probably comes from a proxy. This does not apply if
//     the response has the header [HeaderTimestamp]: it shows that the service's clock was set.
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
