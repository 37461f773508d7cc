package server

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/callback"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
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

	// OpsKey is the key of the operations API. If it is "", Start uses the key of the
	// previous start or creates one.
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

	store      *store.Store
	files      files.Store
	domain     *domain.Service
	clock      serviceClock
	faults     faultInjector
	resets     resetGate
	simulation simulatorRun
	director   clockDirector
	cursors    cursorSealer
	links      linkSealer
	metrics    *serviceMetrics
	handler    http.Handler

	dependencies dependencies
	requests     *requestLog
	opsKey       rereadSecret
	smtp         rereadSecret

	upkeep     storeUpkeep
	auditCopy  auditCopier
	vaultKeys  vaultKeeper
	callbacks  callbackRegistry
	notices    noticeRegistry
	timing     callback.SenderTiming // of callbacks; tests shorten it
	demo       []DemoAccount
	shownKey   string        // the operations key, if Start created it
	bucketWait time.Duration // replaces bucketStartTimeout in tests
	alone      bool          // tests: allows the test controls on a shared database

	port      port
	isServing atomic.Bool // whether Serve was called
	draining  atomic.Bool // whether /readyz fails, because the server stops
	stopOnce  sync.Once
	stopErr   error
}

// Start opens the store, migrates its schema and, if Demo is set, adds the demo accounts.
// After an error the server cannot be used.
func (s *Server) Start(ctx context.Context) error {
	if s.store != nil {
		return errors.New("the server has been started before")
	}
	err := s.startService(ctx)
	if err != nil {
		s.port.release()
	}
	return err
}

// startService starts all parts of the service. After an error it has closed the parts that it started, except the
// port.
func (s *Server) startService(ctx context.Context) error {
	if s.Simulate > 0 && s.controlAccess().isShared {
		return errors.New("the simulator needs a service that does not share its database")
	}
	s.setLogAndClock()
	s.port.tls = s.TLS
	s.port.now = s.Now
	s.port.log = s.Log
	if s.StartWait > 0 {
		s.port.serve() //nolint:contextcheck // handshakes end with the listener
	}
	if err := s.openStores(ctx); err != nil {
		return err
	}
	s.createDomain()
	if err := s.prepareStore(ctx); err != nil {
		s.callbacks.discardSender()
		s.notices.discardSender()
		return errors.Join(err, s.store.Close(), s.files.Close())
	}
	if err := s.startSimulator(ctx); err != nil {
		return errors.Join(err, s.Close()) //nolint:contextcheck // it closes also when ctx has ended
	}
	s.startWork(ctx)
	s.faults.startFaults()
	s.handler = s.newGateway().newHandler(s.operationTable()) //nolint:contextcheck // requests bring their contexts
	s.port.handler.Store(&s.handler)
	return nil
}

// setLogAndClock replaces missing values of Log and Now by their defaults, and makes Now return the time of the
// service's clock, which can be advanced.
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
	s.clock.base = s.Now
	s.Now = s.clock.currentTime
}

// createDomain creates the domain on the opened stores, the checks of these stores and the metrics.
func (s *Server) createDomain() {
	s.dependencies.database = newDependency(s.Log, "database", s.Database.Place(), s.store.Ready)
	s.dependencies.files = newDependency(s.Log, "file store", s.Bucket.Address, s.files.Ready)
	s.metrics = newServiceMetrics(s.store, &s.dependencies, s.Version, s.Now)
	s.domain = domain.New(domain.ServiceParts{
		Store: s.store,
		Now:   s.Now,
		City:  cityOf,
	})
	s.domain.Files = demodata.SampleStore{Store: s.files}
}

// openStores opens the database and the file store.
func (s *Server) openStores(ctx context.Context) error {
	place := s.storage()
	var err error
	s.store, err = place.openStore(ctx)
	if err != nil {
		return err
	}
	logSchema(ctx, s.Log, s.store)
	s.store.ListAs(encodeListing, encodeRecord)
	s.files, err = place.openFiles(ctx, s.store)
	if err != nil {
		return errors.Join(err, s.store.Close())
	}
	if place.isTemporary() {
		if err := s.store.LimitSize(ctx, maxMemoryDatabase); err != nil {
			return errors.Join(err, s.store.Close(), s.files.Close())
		}
	}
	return nil
}

// startWork starts the background jobs of the service.
func (s *Server) startWork(ctx context.Context) {
	s.requests = newRequestLog(s.domain, s.Log)
	s.metrics.requestLog = s.requests
	s.requests.work.start(ctx, s.requests.run)
	s.dependencies.startWatching(ctx)
	s.upkeep = storeUpkeep{
		store:    s.store,
		domain:   s.domain,
		files:    s.dependencies.files,
		keepLogs: s.KeepLogs,
		now:      s.Now,
		log:      s.Log,
	}
	s.upkeep.start(ctx)
	s.vaultKeys.store = s.store
	s.vaultKeys.vault = s.callbacks.vault
	s.vaultKeys.log = s.Log
	s.vaultKeys.work.start(ctx, s.vaultKeys.run)
	if s.AuditFile != "" {
		s.auditCopy.store = s.store
		s.auditCopy.path = s.AuditFile
		s.auditCopy.log = s.Log
		s.auditCopy.work.start(ctx, s.auditCopy.run)
	}
}

// logSchema logs a migration of the schema. It is a warning, since older programs may not
// be able to use the database any more.
func logSchema(ctx context.Context, log *slog.Logger, opened *store.Store) {
	change := opened.Schema()
	if !change.IsChange() {
		return
	}
	attrs := []any{"from", change.From, "to", change.To}
	if oldest, err := opened.OldestSchema(ctx); err == nil {
		attrs = append(attrs, "oldest", oldest)
	}
	if path := opened.CopyBeforeChange(); path != "" {
		attrs = append(attrs, "copy", path)
	}
	log.Warn("the schema of the database was changed; "+
		"programs with a schema before the oldest cannot start with it any more", attrs...)
}

// Limits for the data of a service without a data folder, in bytes. Its temporary folder
// is often in memory.
const (
	maxMemoryFiles    = 256 << 20
	maxMemoryDatabase = 4 << 30
)

func (s *Server) newGateway() *gateway {
	return &gateway{
		log:            s.Log,
		now:            s.Now,
		domain:         s.domain,
		opsKey:         s.currentOpsKey,
		limit:          &rateLimiter{rate: s.RateLimit},
		trustedProxies: s.TrustedProxies,
		auditor:        newAuditor(),
		dependencies:   &s.dependencies,
		requests:       s.requests,
		fullWarnings:   &rateLimiter{rate: 1 / fullWarning.Seconds()},
		faults:         &s.faults,
		resets:         &s.resets,
		metrics:        s.metrics,
		simulation:     &s.simulation,
		allowsForcing:  s.controlAccess().playRefusal() == "",
	}
}

// operationTable returns the routes of all operations of the service.
func (s *Server) operationTable() []apiRoute {
	b := &handlerBase{
		domain:  s.domain,
		log:     s.Log,
		now:     s.Now,
		origin:  s.linkOrigin,
		cursors: s.cursors,
		links:   s.links,
	}
	monitoring := &monitoringHandlers{
		metrics:      s.metrics,
		dependencies: &s.dependencies,
		now:          s.Now,
		stops:        &s.draining,
	}
	public := &publicHandlers{
		handlerBase: b,
		parsing:     make(chan struct{}, maxParsing),
		bucket:      s.linkedBucket,
		transport:   s.callbacks.transport,
	}
	legacy := &legacyHandlers{b}
	operations := &operationsHandlers{
		handlerBase: b,
		uploads:     fileUploads{domain: s.domain, log: s.Log, size: s.SampleFileSize},
		requests:    s.requests,
	}
	return slices.Concat(
		monitoring.monitoringRoutes(),
		public.publicRoutes(),
		legacy.legacyRoutes(),
		operations.operationsRoutes(),
		s.newTestControls(b).testRoutes(),
	)
}

// newTestControls returns the handlers of the test controls.
func (s *Server) newTestControls(b *handlerBase) *testControls {
	controls := &testControls{
		handlerBase: b,
		access:      s.controlAccess(),
		clock:       &s.clock,
		faults:      &s.faults,
		resets:      &s.resets,
		simulation:  &s.simulation,
		callbacks:   &s.callbacks,
		director:    &s.director,
		server:      s,
	}
	if s.Demo {
		world := s.demoWorld()
		controls.demo = &world
	}
	return controls
}

// prepareStore restores the state of the previous start from the store, starts sending
// callbacks and notices, and adds the demo data.
func (s *Server) prepareStore(ctx context.Context) error {
	if err := s.startClock(ctx); err != nil {
		return err
	}
	if err := s.startDirector(); err != nil {
		return err
	}
	if err := s.loadSecrets(ctx); err != nil {
		return err
	}
	if err := s.startCallbacks(ctx); err != nil {
		return err
	}
	if err := s.startNotices(ctx); err != nil {
		return err
	}
	if s.OpsKey == "" {
		key, err := s.loadOrCreateSecret(ctx, "operations", isAnyKey, newOpsKey)
		if err != nil {
			return err
		}
		s.OpsKey = key
		s.shownKey = key
	}
	if !s.Demo {
		return s.domain.Upkeep.AcceptPartialWorld(ctx)
	}
	return s.fillDemo(ctx)
}

// loadSecrets loads the secrets of cursors, of links and of invitations. The store creates those that it does
// not have yet.
func (s *Server) loadSecrets(ctx context.Context) error {
	cursorSecret, err := s.store.Secret(ctx, "cursor")
	if err != nil {
		return err
	}
	linkSecret, err := s.store.Secret(ctx, "links")
	if err != nil {
		return err
	}
	invitationSecret, err := s.store.Secret(ctx, "invitations")
	if err != nil {
		return err
	}
	s.cursors = cursorSealer{cursorSecret}
	s.links = linkSealer{linkSecret}
	s.domain.InvitationSecret = invitationSecret
	return nil
}

// newOpsKey returns a new key of the operations API.
func newOpsKey() (string, error) { return "fd_ops_" + rand.Text(), nil }

// isAnyKey accepts every stored key, see [Server.loadOrCreateSecret].
func isAnyKey(string) bool { return true }

// loadOrCreateSecret returns the secret of the previous start if there is one and isUsable
// accepts it. Otherwise it creates a secret and stores it. A service without permanent
// storage creates a secret at every start.
func (s *Server) loadOrCreateSecret(
	ctx context.Context, name string, isUsable func(string) bool, create func() (string, error),
) (string, error) {
	if s.storage().isTemporary() {
		return create()
	}
	return s.domain.LoadOrCreateSecret(ctx, name, isUsable, create)
}

// Handler returns the handler of the service, to be mounted in another server. It is nil
// before Start.
func (s *Server) Handler() http.Handler { return s.handler }

// IssueKey creates an API key for an account and returns it. The key cannot be read again
// later.
func (s *Server) IssueKey(ctx context.Context, accountUUID string, scopes []api.Scope) (key string, err error) {
	if s.handler == nil {
		return "", errNotStarted
	}
	key, _, err = s.domain.Accounts.IssueKey(ctx, accountUUID,
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
func (s *Server) Transport() http.RoundTripper { return handlerTransport{handler: s.handler} }

// Client returns a client that calls the handler in this process with a new key of the
// first account. If there is no account, Client creates one. Without scopes the key has
// all of them. Client fails before Start.
func (s *Server) Client(scopes ...api.Scope) (*api.Client, error) {
	if s.handler == nil {
		return nil, errNotStarted
	}
	if len(scopes) == 0 {
		scopes = api.Scopes()
	}
	ctx := context.Background()
	account, err := firstAccount(ctx, s.domain.Accounts)
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
	if s.handler == nil {
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
