package server

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"io/fs"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/callback"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/demodata/product"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
	"flightdesk/api/server/scenario"
	"flightdesk/kmlcsv"
)

// Paths of the interfaces below the server's origin.
const (
	PublicPath = "/api/v1/public"
	LegacyPath = "/api/v2"
	OpsPath    = "/api/ops/v1"
)

// Server is one service. Its fields are set before Start.
type Server struct {
	Dir        string                 // data folder; "" uses a temporary one, which Close removes
	Demo       bool                   // fills an empty store with the demo accounts
	DemoOrders int                    // further orders of the first demo account, all of them ended
	Log        *slog.Logger           // nil discards
	Now        func() time.Time       // the service's clock; nil is the system's
	Database   store.SharedDatabase   // with a URL, what processes share instead of the database of the data folder
	Bucket     Bucket                 // with an address, where files are kept instead of in the data folder
	Name       string                 // of this process among those that share a database, for logs
	PublicURL  string                 // origin of links; "" is the listen address, and without one that of the request
	OpsKey     string                 // key of the operations API; "" is that of the start before, or makes one
	ReadOpsKey func() (string, error) `json:"-"` // reads the operations key again while the service runs; nil keeps OpsKey
	DemoKey    string                 // key of the first demo account, as NewKey makes it; "" makes one

	TLS       *tls.Config // serves https with its certificates; nil serves http
	RateLimit float64     // requests per second and key; 0 is no limit

	TrustedProxies []netip.Prefix // whose X-Forwarded-For is taken for the address of the client

	AuditFile string        // has a copy of the audit trail, an entry a line; "": none
	KeepLogs  time.Duration // how long callbacks and notices are kept in the log; 0 is for ever
	Version   string        // of the program, in its metrics
	StartWait time.Duration // how long Start waits for a database that starts; the port of Bind answers meanwhile
	Drain     time.Duration // how long requests are served after the context of Serve has ended, while it is not ready

	Simulate       float64 // speed of the simulator, which makes the service's moves; 0 leaves them to operations
	SampleFileSize int64   // about how many bytes each kind of generated file takes; 0 is some tens of kilobytes

	WebhookAllow []netip.Prefix // addresses that callbacks are sent to although they are not public
	WebhookCA    []byte         // PEM; certificates trusted for callbacks, beside the system's

	Scenario *scenario.Scenario // is played from the start on, by the service's clock; nil: none. It needs Demo

	SMTP     string                 // server that messages are sent through, as host:port or smtp[s]://user:password@host:port; "" keeps them
	ReadSMTP func() (string, error) `json:"-"` // reads SMTP again while the service runs, because of its password; nil keeps SMTP

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

	sweep      backgroundWork
	strays     backgroundWork // drops unreferenced files
	auditing   backgroundWork // copies the audit trail to a file
	vaultKeys  vaultKeeper
	callbacks  callbackBook
	notices    noticeBook
	timing     callback.SenderTiming // of callbacks; tests shorten it
	demo       []DemoAccount
	shownKey   string        // the operations key, if nobody gave it
	bucketWait time.Duration // in place of bucketStartTimeout, for tests
	alone      bool          // on a database that could be shared, for tests

	live     atomic.Pointer[http.Handler] // nil while the service starts
	draining atomic.Bool

	mu       sync.Mutex
	http     *http.Server
	stop     func() bool   // ends waiting for the context of Serve
	bound    net.Listener  // by Bind
	served   chan struct{} // closed when serving has ended
	serveErr error
	stopOnce sync.Once
	stopErr  error
}

// DemoAccount is an account of the demo with a key that is valid until its
// store is gone.
type DemoAccount struct {
	UUID        string      `json:"uuid"`
	CompanyName string      `json:"companyName"`
	Key         string      `json:"key"`
	Scopes      []api.Scope `json:"scopes"`
}

// Start opens the store, brings its schema up to date, and fills it if Demo
// says so. After an error the server is of no further use.
func (s *Server) Start(ctx context.Context) error {
	if s.store != nil {
		return errors.New("the server has been started before")
	}
	err := s.startService(ctx)
	if err != nil {
		s.releasePort()
	}
	return err
}

func (s *Server) startService(ctx context.Context) error {
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Name != "" {
		s.Log = s.Log.With("process", s.Name)
		s.Database.Name = s.Name
	}
	if s.Simulate > 0 && s.controlAccess().isShared {
		return errors.New("the simulator needs a service that does not share its database")
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	s.clock.base, s.Now = s.Now, s.clock.currentTime
	if s.StartWait > 0 {
		s.servePort() //nolint:contextcheck // handshakes end with the listener
	}
	var err error
	if s.store, err = s.openStore(ctx); err != nil {
		return err
	}
	logSchema(ctx, s.Log, s.store)
	s.store.ListAs(encodeListing, encodeRecord)
	if s.files, err = s.openFiles(ctx, s.store); err != nil {
		return errors.Join(err, s.store.Close())
	}
	if s.Dir == "" && !s.isShared() {
		if err := s.store.LimitSize(ctx, maxMemoryDatabase); err != nil {
			return errors.Join(err, s.store.Close())
		}
	}
	s.dependencies.database = newDependency(s.Log, "database", s.Database.Place(), s.store.Ready)
	s.dependencies.files = newDependency(s.Log, "file store", s.Bucket.Address, s.files.Ready)
	s.metrics = newServiceMetrics(s.store, &s.dependencies, s.Version, s.Now)
	s.domain = domain.New(domain.ServiceParts{
		Store: s.store,
		Now:   s.Now,
		City:  cityOf,
	})
	s.domain.Files = demodata.SampleStore{Store: s.files}
	if err := s.prepareStore(ctx); err != nil {
		s.callbacks.closeBook()
		s.callbacks.sender = nil
		s.notices.closeBook()
		s.notices.sender = nil
		return errors.Join(err, s.store.Close(), s.files.Close())
	}
	if err := s.startSimulator(ctx); err != nil {
		return errors.Join(err, s.Close()) //nolint:contextcheck // it closes also when ctx has ended
	}
	s.startWork(ctx)
	s.faults.startFaults()
	s.handler = s.newHandler()
	s.live.Store(&s.handler)
	return nil
}

// startWork starts what the service does in the background.
func (s *Server) startWork(ctx context.Context) {
	s.requests = newRequestLog(s.domain, s.Log)
	s.metrics.requestLog = s.requests
	s.requests.work.beginWork(ctx, s.requests.run)
	s.dependencies.startWatching(ctx)
	s.strays.beginWork(ctx, s.dropStrays)
	s.sweep.beginWork(ctx, s.tidyStore)
	s.vaultKeys.store, s.vaultKeys.vault, s.vaultKeys.log = s.store, s.callbacks.vault, s.Log
	s.vaultKeys.work.beginWork(ctx, s.vaultKeys.run)
	if s.AuditFile != "" {
		s.auditing.beginWork(ctx, s.copyAudit)
	}
}

// logSchema logs a change of the schema of a store: it decides which programs can start with the
// database from now on.
func logSchema(ctx context.Context, log *slog.Logger, of *store.Store) {
	change := of.Schema()
	if !change.IsChange() {
		return
	}
	attrs := []any{"from", change.From, "to", change.To}
	if oldest, err := of.OldestSchema(ctx); err == nil {
		attrs = append(attrs, "oldest", oldest)
	}
	if path := of.CopyBeforeChange(); path != "" {
		attrs = append(attrs, "copy", path)
	}
	log.Warn("the schema of the database was changed; programs with a schema before the oldest cannot start with it any more", attrs...)
}

// isShared reports whether other processes may serve the same.
func (s *Server) isShared() bool { return s.Database.URL != "" }

func (s *Server) openStore(ctx context.Context) (*store.Store, error) {
	if !s.isShared() {
		return store.Open(ctx, s.Dir)
	}
	kept, err := s.awaitDatabase(ctx)
	if err != nil {
		return nil, err
	}
	filling, err := kept.IsFilling(ctx)
	if filling {
		err = errors.New("a copy into this database is running or was interrupted; repeat flightdesk restore")
	}
	if err != nil {
		return nil, errors.Join(err, kept.Close())
	}
	return kept, nil
}

// startPause is how long is waited before a database that starts is asked again.
const startPause = 500 * time.Millisecond

// awaitDatabase opens the shared database, also one that is still starting or busy.
func (s *Server) awaitDatabase(ctx context.Context) (*store.Store, error) {
	end := time.Now().Add(s.StartWait)
	for said := false; ; said = true {
		kept, err := store.OpenShared(ctx, s.Database)
		if isLater := errors.Is(err, store.ErrAway) ||
			errors.Is(err, store.ErrBusy); !isLater ||
			time.Now().After(end) {
			return kept, err
		}
		if !said {
			s.Log.Warn("waiting for the database", "for", s.StartWait.String(), "error", err)
		}
		select {
		case <-time.After(startPause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// What is kept without a data folder, which often is memory, in bytes.
const (
	maxMemoryFiles    = 256 << 20
	maxMemoryDatabase = 4 << 30
)

// newHandler returns the handler of all interfaces.
func (s *Server) newHandler() http.Handler {
	return s.newGateway().newHandler(s.operationTable())
}

func (s *Server) newGateway() *gateway {
	return &gateway{
		log: s.Log, now: s.Now, domain: s.domain, opsKey: s.currentOpsKey, limit: &rateLimiter{rate: s.RateLimit},
		trustedProxies: s.TrustedProxies,
		auditor:        newAuditor(),
		dependencies:   &s.dependencies,
		requests:       s.requests,
		fullWarnings:   &rateLimiter{rate: 1 / fullWarning.Seconds()},
		faults:         &s.faults, resets: &s.resets, metrics: s.metrics, simulation: &s.simulation,
		allowsForcing: s.controlAccess().playRefusal() == "",
	}
}

// operationTable lists every operation of the service.
func (s *Server) operationTable() []apiRoute {
	b := &handlerBase{
		domain:  s.domain,
		log:     s.Log,
		now:     s.Now,
		origin:  s.linkOrigin,
		cursors: s.cursors,
		links:   s.links,
	}
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
	return slices.Concat(
		(&monitoringHandlers{s.metrics, &s.dependencies, s.Now, &s.draining}).monitoringRoutes(),
		(&publicHandlers{
			handlerBase: b,
			parsing:     make(chan struct{}, maxParsing),
			bucket:      s.linkedBucket,
			transport:   s.callbacks.transport,
		}).publicRoutes(),
		(&legacyHandlers{b}).legacyRoutes(),
		(&operationsHandlers{
			b,
			fileUploads{domain: s.domain, log: s.Log, size: s.SampleFileSize},
			s.requests,
		}).operationsRoutes(),
		controls.testRoutes(),
	)
}

// controlAccess returns which test controls the service has.
func (s *Server) controlAccess() controlAccess {
	return controlAccess{
		isShared: s.isShared() && !s.alone,
		isTrial:  s.Dir == "" || s.Demo,
		isPlayed: s.Simulate > 0,
	}
}

// progressEvery is how often it is logged how far something long is.
const progressEvery = 5 * time.Second

// demoWorld says what the demo's world has. A million orders take minutes, which are
// not to pass in silence.
func (s *Server) demoWorld() demodata.WorldOptions {
	said := time.Now() // of the machine, whatever the service's clock says
	return demodata.WorldOptions{Orders: s.DemoOrders, FileSize: s.SampleFileSize, Added: func(n int) {
		if now := time.Now(); now.Sub(said) >= progressEvery {
			said = now
			s.Log.Info("adding demo orders", "added", n, "of", s.DemoOrders)
		}
	}}
}

func (s *Server) prepareStore(ctx context.Context) error {
	if err := s.startClock(ctx); err != nil {
		return err
	}
	if err := s.startDirector(); err != nil {
		return err
	}
	secret, err := s.store.Secret(ctx, "cursor")
	if err != nil {
		return err
	}
	s.cursors = cursorSealer{secret}
	if secret, err = s.store.Secret(ctx, "links"); err != nil {
		return err
	}
	s.links = linkSealer{secret}
	if s.domain.InvitationSecret, err = s.store.Secret(ctx, "invitations"); err != nil {
		return err
	}
	if err := s.startCallbacks(ctx); err != nil {
		return err
	}
	if err := s.startNotices(ctx); err != nil {
		return err
	}
	if s.OpsKey == "" {
		s.OpsKey, err = s.keepSecret(ctx, "operations",
			func(string) bool { return true }, func() (string, error) { return "fd_ops_" + rand.Text(), nil })
		if err != nil {
			return err
		}
		s.shownKey = s.OpsKey
	}
	if !s.Demo {
		return s.domain.Upkeep.AcceptPartialWorld(ctx)
	}
	return s.fillDemo(ctx)
}

// keepSecret keeps a secret from start to start, where anything is.
func (s *Server) keepSecret(
	ctx context.Context, name string, isGood func(string) bool, draft func() (string, error),
) (string, error) {
	if s.Dir == "" && !s.isShared() {
		return draft()
	}
	return s.domain.LoadOrCreateSecret(ctx, name, isGood, draft)
}

// fillDemo fills an empty store, and gives each demo account a key: that of the
// start before if it still opens.
func (s *Server) fillDemo(ctx context.Context) error {
	accounts, err := demodata.FillStore(ctx, s.domain, s.demoWorld())
	if err != nil {
		return err
	}
	for i, a := range accounts {
		spec := domain.KeySpec{Scopes: api.Scopes(), Description: issued}
		if i == 0 {
			spec.Key = s.DemoKey
		}
		isGood := func(key string) bool {
			c, err := s.domain.Accounts.Authenticate(ctx, key)
			return err == nil && c.Account.UUID == a.UUID && (spec.Key == "" || spec.Key == key)
		}
		key, err := s.keepSecret(ctx, "demo."+a.UUID, isGood, func() (string, error) {
			key, _, err := s.domain.Accounts.IssueKey(ctx, a.UUID, spec)
			return key, err
		})
		if err != nil {
			return err
		}
		s.demo = append(
			s.demo,
			DemoAccount{
				UUID:        a.UUID,
				CompanyName: a.CompanyName,
				Key:         key,
				Scopes:      api.Scopes(),
			},
		)
	}
	return nil
}

// Handler returns the service's handler, for mounting in another server. It
// is nil before Start.
func (s *Server) Handler() http.Handler { return s.handler }

// Accounts returns the demo accounts; the first is the one to open on. It is
// empty without Demo, and in a data folder that had other accounts before.
func (s *Server) Accounts() []DemoAccount { return append([]DemoAccount{}, s.demo...) }

// IssueKey makes an API key for an account. It is not shown again.
func (s *Server) IssueKey(ctx context.Context, accountUUID string, scopes []api.Scope) (key string, err error) {
	if s.handler == nil {
		return "", errNotStarted
	}
	key, _, err = s.domain.Accounts.IssueKey(
		ctx,
		accountUUID,
		domain.KeySpec{Scopes: scopes, Description: issued},
	)
	return key, err
}

// AddDemoAccount adds an account with what the first demo account has, and issues a key.
func (s *Server) AddDemoAccount(ctx context.Context, company string) (DemoAccount, error) {
	if s.handler == nil {
		return DemoAccount{}, errNotStarted
	}
	a, err := demodata.AddAccount(ctx, s.domain, company, s.SampleFileSize)
	if err != nil {
		return DemoAccount{}, err
	}
	key, err := s.IssueKey(ctx, a.UUID, api.Scopes())
	return DemoAccount{
		UUID:        a.UUID,
		CompanyName: a.CompanyName,
		Key:         key,
		Scopes:      api.Scopes(),
	}, err
}

// issued describes the keys that the server makes.
const issued = "issued by the server"

// NewKey makes an API key, which no account has yet.
func NewKey() string { return domain.NewKey() }

// DemoCompany returns the name of the first demo account.
func DemoCompany() string { return demodata.FirstCompany() }

// DemoSurveys returns the survey files that the demo opens with.
func DemoSurveys() fs.FS { return demodata.Surveys() }

// The limits of DemoOrders and, in bytes, of SampleFileSize.
const (
	MaxDemoOrders     = demodata.MaxOrders
	MaxSampleFileSize = product.MaxSize
)

// Transport returns a transport that calls the handler in this process,
// whatever the host of a request. It is what files are downloaded with without
// a network: [flightdesk/api/fetch.Options] has a field for it. It answers with
// an error before Start.
func (s *Server) Transport() http.RoundTripper { return handlerTransport{handler: s.handler} }

// Client returns a client that calls the handler in this process, with a fresh
// key of the first account, which it makes if there is none. Without scopes
// the key has all of them. Before Start it is an error.
func (s *Server) Client(scopes ...api.Scope) (*api.Client, error) {
	if s.handler == nil {
		return nil, errNotStarted
	}
	if len(scopes) == 0 {
		scopes = api.Scopes()
	}
	ctx := context.Background()
	accounts, err := s.store.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	if len(accounts) == 0 {
		made, err := s.domain.Accounts.NewAccount(
			ctx,
			store.Account{CompanyName: "Test account", Currency: "USD"},
		)
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, made)
	}
	key, err := s.IssueKey(ctx, accounts[0].UUID, scopes)
	if err != nil {
		return nil, err
	}
	return api.NewClient(s.BaseURL(), api.WithKey(key), api.WithLegacyURL(s.LegacyURL()),
		api.WithTransport(s.Transport()))
}

// Ops returns a client of the operations API that needs no network. Before
// Start it is an error.
func (s *Server) Ops() (*ops.Client, error) {
	if s.handler == nil {
		return nil, errNotStarted
	}
	return ops.NewClient(s.OpsURL(), s.currentOpsKey(), api.WithTransport(s.Transport()))
}

// answerDocument returns the handler of a description of the API.
func answerDocument(name string, document func() []byte) operationHandler {
	return func(*exchange) (handlerAnswer, error) {
		return handlerAnswer{
			file: &fileAnswer{
				name:      name,
				mediaType: "application/yaml",
				content:   document(),
			},
		}, nil
	}
}

// csvExample answers the template, as the file itself where that is asked for.
func (h *publicHandlers) csvExample(x *exchange) (handlerAnswer, error) {
	const name, mediaType = "sites.csv", "text/csv"
	if acceptsType(x.r.Header, mediaType) {
		return handlerAnswer{
			file: &fileAnswer{
				name:      name,
				mediaType: mediaType + "; charset=utf-8",
				content:   kmlcsv.Template(),
			},
		}, nil
	}
	return handlerAnswer{message: "a CSV file to start from", data: api.CSVTemplate{
		FileName: name, ContentType: mediaType, Content: string(kmlcsv.Template()),
	}}, nil
}

// acceptsType reports whether a request names a media type among those it takes.
func acceptsType(h http.Header, mediaType string) bool {
	for _, one := range strings.Split(strings.Join(h.Values("Accept"), ","), ",") {
		name, params, err := mime.ParseMediaType(one)
		if err == nil && name == mediaType && !strings.HasPrefix(params["q"], "0") {
			return true
		}
	}
	return false
}

// Database is a PostgreSQL database that processes share.
type Database = store.SharedDatabase

// CheckFolder checks a data folder and returns a line for each fault; see
// [store.CheckFolder].
func CheckFolder(ctx context.Context, dir string) (faults []string, err error) {
	return store.CheckFolder(ctx, dir)
}

// BackupFolder copies a data folder to a new one, also while it is served.
func BackupFolder(ctx context.Context, dir, to string) error { return store.BackupFolder(ctx, dir, to) }

// RestoreFolder makes a data folder of a backup that is whole.
func RestoreFolder(ctx context.Context, backup, dir string) error {
	return store.RestoreFolder(ctx, backup, dir)
}
