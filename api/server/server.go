package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/callback"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/scenario"
)

// Paths of the APIs, relative to the origin of the server.
const (
	PublicPath = "/api/v1/public"
	LegacyPath = "/api/v2"
	OpsPath    = "/api/ops/v1"
)

// Server is the flightdesk service. Set its exported fields before calling Start.
type Server struct {
	Dir        string               // data folder; if empty, a temporary folder is used, which Close removes
	Demo       bool                 // adds the demo accounts to an empty store
	DemoOrders int                  // additional orders of the first demo account; all of them are finished
	Log        *slog.Logger         // nil discards
	Now        func() time.Time     // clock of the service; nil is the system clock
	Database   store.SharedDatabase // database of several processes; without a URL, the database is in Dir
	Bucket     Bucket               // store for files; without an address, files are in Dir
	Name       string               // name of this process in logs, if several share a database
	PublicURL  string               // origin of links; if empty, the listen address or the request's origin

	// OpsKey is the key of the operations API. If it is "", Start sets it to the key of the
	// previous start or to a new key.
	OpsKey string
	// ReadOpsKey reads the operations key again while the service runs. If it is nil,
	// OpsKey is never read again.
	ReadOpsKey func() (string, error) `json:"-"`

	DemoKey string // key of the first demo account, in the format of NewKey; if empty, it is created

	TLS       *tls.Config // certificates for https; nil serves http
	RateLimit float64     // requests per second and key; 0 is unlimited

	TrustedProxies []netip.Prefix // networks whose X-Forwarded-For header is used

	AuditFile string        // file that each audit entry is copied to, one per line; if empty, there is no copy
	KeepLogs  time.Duration // how long the logs of callbacks and notices are kept; 0 is forever
	Version   string        // version of the program, for the metrics
	StartWait time.Duration // how long Start waits for the database; requests are answered with 503 meanwhile
	Drain     time.Duration // how long requests are served, and /readyz fails, after the context of Serve has ended

	Simulate       float64 // speed of the simulator, which plays the role of operations; 0 is off
	SampleFileSize int64   // approximate size of each type of generated file in bytes; 0 is a few tens of kilobytes

	WebhookAllow []netip.Prefix // private networks that callbacks may be sent to
	WebhookCA    []byte         // PEM certificates trusted for callbacks, in addition to the system's

	Scenario *scenario.Scenario // played from the start, by the clock of the service; nil is none; needs Demo

	// SMTP is the mail server, as host:port or smtp[s]://user:password@host:port. If it
	// is "", mail is written to the outbox folder in Dir or, without Dir, kept in memory.
	SMTP string
	// ReadSMTP reads SMTP again while the service runs, because the password may change.
	// If it is nil, SMTP is never read again.
	ReadSMTP func() (string, error) `json:"-"`

	service   service
	tests     testSettings
	port      port
	isServing atomic.Bool // whether Serve was called
	stopOnce  sync.Once
	stopErr   error
}

// testSettings are settings that only tests change.
type testSettings struct {
	timing     callback.SenderTiming // when callbacks are sent
	bucketWait time.Duration         // replaces bucketStartTimeout
	alone      bool                  // allows the test controls on a shared database
}

// Start opens the store, migrates its schema and, if Demo is set, adds the demo accounts.
// After an error the server cannot be used.
func (s *Server) Start(ctx context.Context) error {
	if s.service.store != nil {
		return errors.New("the server has been started before")
	}
	s.setLogAndClock()
	s.port.tls = s.TLS
	s.port.now = s.Now
	s.port.log = s.Log
	if s.StartWait > 0 {
		s.port.serve() //nolint:contextcheck // handshakes end with the listener
	}
	if err := s.service.start(ctx, s); err != nil {
		s.port.release()
		return err
	}
	if s.OpsKey == "" {
		s.OpsKey = s.service.ownOpsKey
	}
	s.port.handler.Store(&s.service.handler)
	return nil
}

// setLogAndClock sets Log and Now to their defaults if they are nil. It then replaces Now with the
// clock of the service, which starts with the time of Now and can be advanced.
func (s *Server) setLogAndClock() {
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Name != "" {
		s.Log = s.Log.With("process", s.Name)
		s.Database.Name = s.Name
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	s.service.clock.base = s.Now
	s.Now = s.service.clock.currentTime
}

// Handler returns the handler of the service, to be mounted in another server. It is nil
// before Start.
func (s *Server) Handler() http.Handler { return s.service.handler }

// IssueKey creates an API key for an account and returns it. The key cannot be read again
// later.
func (s *Server) IssueKey(ctx context.Context, accountUUID string, scopes []api.Scope) (key string, err error) {
	if s.service.handler == nil {
		return "", errNotStarted
	}
	key, _, err = s.service.domain.Accounts.IssueKey(ctx, accountUUID,
		domain.KeySpec{Scopes: scopes, Description: issued})
	return key, err
}

// issued is the description of the keys that the server creates.
const issued = "issued by the server"

// NewKey returns a new API key that does not belong to an account yet.
func NewKey() string { return domain.NewKey() }

// Transport returns a transport that calls the handler in this process, whatever host the
// request names. [flightdesk/api/fetch.Options] takes such a transport to download files
// without a network. Before Start, every request fails.
func (s *Server) Transport() http.RoundTripper { return handlerTransport{handler: s.service.handler} }

// Client returns a client that calls the handler in this process with a new key of the
// first account. If there is no account, Client creates one. Without scopes the key has
// all of them. Client fails before Start.
func (s *Server) Client(scopes ...api.Scope) (*api.Client, error) {
	if s.service.handler == nil {
		return nil, errNotStarted
	}
	if len(scopes) == 0 {
		scopes = api.Scopes()
	}
	ctx := context.Background()
	account, err := firstAccount(ctx, s.service.domain.Accounts)
	if err != nil {
		return nil, err
	}
	key, err := s.IssueKey(ctx, account.UUID, scopes)
	if err != nil {
		return nil, err
	}
	return api.NewClient(
		s.BaseURL(),
		api.WithKey(key),
		api.WithLegacyURL(s.LegacyURL()),
		api.WithTransport(s.Transport()),
	)
}

// firstAccount returns the first account of the service. If there is none, it creates one.
func firstAccount(ctx context.Context, accounts domain.Accounts) (store.Account, error) {
	all, err := accounts.Store.Accounts(ctx)
	if err != nil {
		return store.Account{}, err
	}
	if len(all) > 0 {
		return all[0], nil
	}
	return accounts.NewAccount(ctx, store.Account{CompanyName: "Test account", Currency: defaultCurrency})
}

// Ops returns a client of the operations API that calls the handler in this process. It
// fails before Start.
func (s *Server) Ops() (*ops.Client, error) {
	if s.service.handler == nil {
		return nil, errNotStarted
	}
	return ops.NewClient(s.OpsURL(), s.currentOpsKey(), api.WithTransport(s.Transport()))
}

// Database is a PostgreSQL database that several processes share.
type Database = store.SharedDatabase

// CheckFolder checks a data folder and returns one line for each problem; see
// [store.CheckFolder].
func CheckFolder(ctx context.Context, dir string) ([]string, error) {
	return store.CheckFolder(ctx, dir)
}

// BackupFolder copies a data folder to a new folder. The data folder may be in use by a
// service.
func BackupFolder(ctx context.Context, dir, to string) error { return store.BackupFolder(ctx, dir, to) }

// RestoreFolder creates a data folder from a backup, after checking the backup.
func RestoreFolder(ctx context.Context, backup, dir string) error {
	return store.RestoreFolder(ctx, backup, dir)
}
