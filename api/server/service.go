package server

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// service has the parts of a running [Server]. Its methods get the Server as the parameter settings
// and only read it. Log and Now of the Server must be set.
type service struct {
	store   *store.Store
	files   files.Store
	domain  *domain.Service
	handler http.Handler // nil before the start

	dependencies dependencies
	metrics      *serviceMetrics
	requests     *requestLog
	draining     atomic.Bool // whether /readyz fails, because the server stops

	// The following fields belong to the test controls.
	clock      serviceClock
	faults     faultInjector
	resets     resetGate
	simulation simulatorRun
	director   clockDirector

	// The following fields contain the secrets of the service.
	cursors   cursorSealer
	links     linkSealer
	opsKey    rereadSecret
	smtp      rereadSecret
	ownOpsKey string // the operations key that the service created; "" if the key was configured

	// The following fields work in the background.
	callbacks callbackRegistry
	notices   noticeRegistry
	upkeep    storeUpkeep
	auditCopy auditCopier
	vaultKeys vaultKeeper

	demo []DemoAccount
}

// start starts all parts of the service. After an error it has closed the parts that it started.
func (s *service) start(ctx context.Context, settings *Server) error {
	if settings.Simulate > 0 && settings.controlAccess().isShared {
		return errors.New("the simulator needs a service that does not share its database")
	}
	if err := s.openStores(ctx, settings); err != nil {
		return err
	}
	s.createDomain(settings)
	if err := s.prepareStore(ctx, settings); err != nil {
		return errors.Join(err, s.abortStart())
	}
	if err := s.startSimulator(ctx, settings); err != nil {
		return errors.Join(err, s.abortStart())
	}
	s.startWork(ctx, settings)
	s.faults.startFaults()
	s.handler = s.newGateway(settings).newHandler(s.operationTable(settings)) //nolint:contextcheck // requests bring their contexts
	return nil
}

// abortStart closes the parts that a failed start has started. It does not stop the simulator,
// because startSimulator is the last step that can fail.
func (s *service) abortStart() error {
	s.callbacks.discardSender()
	s.notices.discardSender()
	return errors.Join(s.store.Close(), s.files.Close())
}

// openStores opens the database and the file store.
func (s *service) openStores(ctx context.Context, settings *Server) error {
	place := settings.storage()
	var err error
	s.store, err = place.openStore(ctx)
	if err != nil {
		return err
	}
	logSchema(ctx, settings.Log, s.store)
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

// logSchema logs that opening the database has changed its schema. The message is a warning,
// because older programs may not be able to use the database any more.
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

// createDomain creates the domain, which uses the opened database and file store. It also creates
// the health checks of both, and the metrics.
func (s *service) createDomain(settings *Server) {
	s.dependencies.database = newDependency(settings.Log, "database", settings.Database.Place(), s.store.Ready)
	s.dependencies.files = newDependency(settings.Log, "file store", settings.Bucket.Address, s.files.Ready)
	s.metrics = newServiceMetrics(s.store, &s.dependencies, settings.Version, settings.Now)
	s.domain = domain.New(domain.ServiceParts{
		Store: s.store,
		Now:   settings.Now,
		City:  cityOf,
	})
	s.domain.Files = demodata.SampleStore{Store: s.files}
}

// prepareStore restores the state of the previous start from the store, starts sending
// callbacks and notices, and adds the demo data.
func (s *service) prepareStore(ctx context.Context, settings *Server) error {
	if err := s.startClock(ctx, settings); err != nil {
		return err
	}
	if err := s.startDirector(settings); err != nil {
		return err
	}
	if err := s.loadSecrets(ctx); err != nil {
		return err
	}
	if err := s.startCallbacks(ctx, settings); err != nil {
		return err
	}
	if err := s.startNotices(ctx, settings); err != nil {
		return err
	}
	if settings.OpsKey == "" {
		if err := s.loadOpsKey(ctx, settings); err != nil {
			return err
		}
	}
	if !settings.Demo {
		return s.domain.Upkeep.AcceptPartialWorld(ctx)
	}
	return s.fillDemo(ctx, settings)
}

// loadSecrets loads the secrets of cursors, of links and of invitations. The store creates the
// secrets that it does not have yet.
func (s *service) loadSecrets(ctx context.Context) error {
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

// loadOpsKey loads the operations key of the previous start, or creates one.
func (s *service) loadOpsKey(ctx context.Context, settings *Server) error {
	key, err := s.loadOrCreateSecret(ctx, settings, "operations", isAnyKey, newOpsKey)
	if err != nil {
		return err
	}
	s.ownOpsKey = key
	return nil
}

// newOpsKey returns a new key of the operations API.
func newOpsKey() (string, error) { return "fd_ops_" + rand.Text(), nil }

// isAnyKey accepts every stored key, see [service.loadOrCreateSecret].
func isAnyKey(string) bool { return true }

// loadOrCreateSecret returns the secret of the previous start if there is one and isUsable
// accepts it. Otherwise it creates a secret and stores it. A service without permanent
// storage creates a secret at every start.
func (s *service) loadOrCreateSecret(
	ctx context.Context, settings *Server, name string, isUsable func(string) bool, create func() (string, error),
) (string, error) {
	if settings.storage().isTemporary() {
		return create()
	}
	return s.domain.LoadOrCreateSecret(ctx, name, isUsable, create)
}

// startWork starts the background jobs of the service.
func (s *service) startWork(ctx context.Context, settings *Server) {
	s.requests = newRequestLog(s.domain, settings.Log)
	s.metrics.requestLog = s.requests
	s.requests.work.start(ctx, s.requests.run)
	s.dependencies.startWatching(ctx)
	s.upkeep = storeUpkeep{
		store:    s.store,
		domain:   s.domain,
		files:    s.dependencies.files,
		keepLogs: settings.KeepLogs,
		now:      settings.Now,
		log:      settings.Log,
	}
	s.upkeep.start(ctx)
	s.vaultKeys.store = s.store
	s.vaultKeys.vault = s.callbacks.vault
	s.vaultKeys.log = settings.Log
	s.vaultKeys.work.start(ctx, s.vaultKeys.run)
	if settings.AuditFile != "" {
		s.auditCopy.store = s.store
		s.auditCopy.path = settings.AuditFile
		s.auditCopy.log = settings.Log
		s.auditCopy.work.start(ctx, s.auditCopy.run)
	}
}

func (s *service) newGateway(settings *Server) *gateway {
	return &gateway{
		log:            settings.Log,
		now:            settings.Now,
		domain:         s.domain,
		opsKey:         settings.currentOpsKey,
		limit:          &rateLimiter{rate: settings.RateLimit},
		trustedProxies: settings.TrustedProxies,
		auditor:        newAuditor(),
		dependencies:   &s.dependencies,
		requests:       s.requests,
		fullWarnings:   &rateLimiter{rate: 1 / fullWarning.Seconds()},
		faults:         &s.faults,
		resets:         &s.resets,
		metrics:        s.metrics,
		simulation:     &s.simulation,
		allowsForcing:  settings.controlAccess().playRefusal() == "",
	}
}

// operationTable returns the routes of all operations of the service.
func (s *service) operationTable(settings *Server) []apiRoute {
	b := &handlerBase{
		domain:  s.domain,
		log:     settings.Log,
		now:     settings.Now,
		origin:  settings.linkOrigin,
		cursors: s.cursors,
		links:   s.links,
	}
	monitoring := &monitoringHandlers{
		metrics:      s.metrics,
		dependencies: &s.dependencies,
		now:          settings.Now,
		stops:        &s.draining,
	}
	public := &publicHandlers{
		handlerBase: b,
		parsing:     make(chan struct{}, maxParsing),
		bucket:      func() *files.S3 { return s.linkedBucket(settings.Bucket) },
		transport:   s.callbacks.transport,
	}
	legacy := &legacyHandlers{b}
	operations := &operationsHandlers{
		handlerBase: b,
		uploads:     fileUploads{domain: s.domain, log: settings.Log, size: settings.SampleFileSize},
		requests:    s.requests,
	}
	return slices.Concat(
		monitoring.monitoringRoutes(),
		public.publicRoutes(),
		legacy.legacyRoutes(),
		operations.operationsRoutes(),
		s.newTestControls(settings, b).testRoutes(),
	)
}

// newTestControls returns the handlers of the test controls.
func (s *service) newTestControls(settings *Server, b *handlerBase) *testControls {
	controls := &testControls{
		handlerBase: b,
		access:      settings.controlAccess(),
		clock:       &s.clock,
		faults:      &s.faults,
		resets:      &s.resets,
		simulation:  &s.simulation,
		callbacks:   &s.callbacks,
		director:    &s.director,
		server:      settings,
	}
	if settings.Demo {
		world := demoWorld(settings)
		controls.demo = &world
	}
	return controls
}

// stop first stops the requests and callbacks, then the background work, and last the stores that
// all of them use. stopRequests must end the running requests. After a failed start, only
// stopRequests has an effect, because start has already closed the parts that it started.
func (s *service) stop(stopRequests func()) error {
	s.faults.releaseWaiting() // otherwise requests that an injected fault delays would not end
	s.simulation.stop()
	// Callbacks, notices and requests end at the same time, so that each has stopTimeout.
	var senders sync.WaitGroup
	senders.Go(s.callbacks.closeSender)
	senders.Go(s.notices.closeSender)
	stopRequests()
	senders.Wait()

	if s.requests != nil {
		s.requests.work.stop() // writes the requests that are still queued
	}
	s.upkeep.stop()
	s.auditCopy.work.stop()
	s.vaultKeys.work.stop()
	s.dependencies.stopWatching()

	if s.store == nil {
		return nil
	}
	err := errors.Join(s.callbacks.markUnsent(), s.notices.markUnsent(), s.store.Close())
	if s.files != nil {
		err = errors.Join(err, s.files.Close())
	}
	return err
}
