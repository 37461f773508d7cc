package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// gateway is what every request passes before a handler and every answer after
// it: request id, keys, limits, injected faults, figures and the access log.
type gateway struct {
	log            *slog.Logger
	now            func() time.Time
	domain         *domain.Service
	opsKey         func() string
	limit          *rateLimiter
	trustedProxies []netip.Prefix // networks whose X-Forwarded-For header is used
	auditor        *auditor
	dependencies   *dependencies
	faults         *faultInjector
	allowsForcing  bool // clients may force an answer
	resets         *resetGate
	metrics        *serviceMetrics
	requests       *requestLog
	fullWarnings   *rateLimiter
	simulation     *simulatorRun
}

// observeRequest wraps everything: request id, clock, panics and the access log.
func (g *gateway) observeRequest(next func(*exchange)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		// What changes something is done to its end once it has begun, whether
		// its client is there or not. What reads ends with the client, see
		// [gateway.run].
		x := &exchange{
			w:       w,
			client:  r.Context(),
			log:     g.log,
			now:     g.now,
			id:      requestID(r),
			address: addressOf(r, g.trustedProxies),

			dependencies: g.dependencies,
		}
		x.r = r.WithContext(context.WithoutCancel(r.Context()))
		w.Header().Set("X-Request-Id", x.id)
		w.Header().Set("Date", g.now().UTC().Format(http.TimeFormat))
		if g.now().Sub(began).Abs() > time.Hour { // the clock was set, and clients are to believe it
			w.Header().Set(api.HeaderTimestamp, api.TimeOf(g.now().UTC()).Text())
		}
		g.metrics.inFlight.Inc()
		defer func() {
			took := time.Since(began)
			g.metrics.countRequest(x, took)
			g.requests.record(x, took)
			g.reportFull(x)
		}()
		defer g.logAccess(x, began) //nolint:contextcheck // the request has its context
		defer g.recoverPanic(x)
		x.limitTime(bodyTimeout)
		if r.ContentLength == 0 {
			x.readDone()
		}
		if !g.injectFault(r.Context(), x) {
			next(x)
		}
	})
}

// fullWarning is how often it is logged that the storage is full.
const fullWarning = time.Minute

// reportFull counts and logs a request that was refused since the disk is full. The client
// was told; this is for whoever can free space.
func (g *gateway) reportFull(x *exchange) {
	if x.errorCode() != api.CodeStorageFull {
		return
	}
	g.metrics.full.Inc()
	if g.fullWarnings.takeRequest("", time.Now()) == 0 {
		g.log.Warn("the storage is full; changes are refused until there is space", "request", x.id, "error", x.refusal.Message)
	}
}

func (g *gateway) recoverPanic(x *exchange) {
	r := recover()
	if r == nil {
		return
	}
	g.log.Error("panic in a request", "request", x.id, "panic", r, "stack", string(debug.Stack()))
	if x.status != 0 {
		panic(http.ErrAbortHandler) // half an answer must not look whole
	}
	const lost = "internal error; look up the request ID in the service's log"
	x.writeFault(http.StatusInternalServerError, 0, newFault(api.CodeInternal, lost))
}

// logAccess writes one line a request, without query and headers, which hold
// cursors and keys, and without the tokens of links.
func (g *gateway) logAccess(x *exchange, began time.Time) {
	attrs := []slog.Attr{
		slog.String(
			"request",
			x.id,
		),
		slog.String("method", x.r.Method),
		slog.String("path", loggedPath(x.r.URL.EscapedPath())),
		slog.Int(
			"status",
			x.status,
		),
		slog.Int("bytes", x.size),
		slog.Float64("ms", float64(time.Since(began).Microseconds())/1000),
	}
	g.log.LogAttrs(x.r.Context(), slog.LevelInfo, "request", append(attrs, x.visitorAttrs()...)...)
}

// pathIDs are the parts of paths that may be UUIDs.
var pathIDs = []string{"uuid", "id", "orderId", "quoteId"}

// dispatchMethod finds the operation of a path by the method. GET answers HEAD too.
// A UUID is read in either case.
func (g *gateway) dispatchMethod(x *exchange, methods []apiRoute) {
	for _, name := range pathIDs {
		if id := x.r.PathValue(name); len(id) == len("00000000-0000-0000-0000-000000000000") {
			x.r.SetPathValue(name, strings.ToLower(id))
		}
	}
	method := x.r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	i := slices.IndexFunc(methods, func(r apiRoute) bool { return r.method == method })
	if i < 0 {
		allow := allowedMethods(methods)
		x.w.Header().Set("Allow", allow)
		x.writeError(newFault(api.CodeMethodNotAllowed, "this path accepts only "+allow))
		return
	}
	g.runRoute(x, methods[i])
}

// runRoute checks key and scope, then has the operation done.
func (g *gateway) runRoute(x *exchange, r apiRoute) {
	if r.isRead() {
		x.endWithClient()
	}
	err := g.admitRequest(x, r)
	if err != nil {
		x.writeError(err)
		return
	}
	a, err := g.runBetweenResets(x, r)
	if err == nil && x.audit != nil && x.audit.ID == 0 { // no transaction was the change
		err = g.domain.Operators.Record(x.r.Context(), x.audit)
	}
	if err != nil {
		x.writeError(err)
		return
	}
	x.writeAnswer(a)
}

func (g *gateway) admitRequest(x *exchange, r apiRoute) (err error) {
	switch {
	case r.scope == "", r.scope == scopeMonitoring && isLocal(x.r):
		return nil
	case r.scope == scopeOperations, r.scope == scopeAdministration, r.scope == scopeMonitoring:
		return g.admitOps(x, r)
	}
	if x.caller, err = g.domain.Accounts.Authenticate(x.r.Context(), keyOf(x.r.Header)); err != nil {
		return err
	}
	pause := g.limit.takeRequest(x.caller.KeyUUID, time.Now())
	if err := x.refuseUntil(pause, "too many requests with this key"); err != nil {
		return err
	}
	if !x.caller.HasScope(r.scope) {
		return newFault(api.CodeMissingScope, "the API key lacks the scope "+string(r.scope))
	}
	return nil
}

// admitOps checks the operations key or an operator's, in a time that does not reveal
// what is wrong with it, and then the role.
func (g *gateway) admitOps(x *exchange, r apiRoute) error {
	key := keyOf(http.Header{"Authorization": x.r.Header["Authorization"]})
	found, err := g.authenticateOperator(x.r.Context(), key)
	if err != nil {
		return err
	}
	x.operator = &found
	switch need := r.neededRole(); {
	case !x.operator.Role.Covers(need):
		g.recordRefusal(x, r)
		return newRoleFault(need, found)
	case r.isRead():
		g.recordRead(x, r)
	default:
		x.audit = g.newAuditEntry(x, r)
		x.audit.Subject = g.auditSubject(x, r)
		x.r = x.r.WithContext(store.Audited(x.r.Context(), x.audit))
	}
	return nil
}

// injectFault has a request go wrong, if it is one of those that shall. It
// reports whether the request is answered by that; then nothing else was done.
func (g *gateway) injectFault(ctx context.Context, x *exchange) bool {
	if g.allowsForcing {
		status, err := forcedAnswer(x.r)
		if err != nil {
			x.writeError(err)
			return true
		}
		if status != 0 {
			x.writeInjected(status, "fault requested by "+AnswerHeader+"; nothing was changed")
			return true
		}
	}
	in := g.faults.now.Load()
	if in == nil || !in.concernsPath(x.r.URL.Path) || in.Rate < 1 && g.faults.random() >= in.Rate {
		return false
	}
	in.count.Add(1)
	if in.Latency.Duration > 0 {
		g.faults.wait(ctx, in.Latency.Duration)
		x.limitTime(bodyTimeout) // which the waiting has used up
	}
	if in.Status == 0 {
		return false
	}
	x.writeInjected(in.Status, "fault injected by the operations API; nothing was changed")
	return true
}

// writeInjected answers a request with the status of a fault that is not there.
func (x *exchange) writeInjected(status int, message string) {
	if status == http.StatusTooManyRequests {
		x.w.Header().Set("Retry-After", strconv.Itoa(faultRetryAfter))
	}
	x.writeFault(status, faultRetryAfter, newFault(codeOfStatus(status), message))
}

// runBetweenResets has an operation done. One that reads may ask the store more than
// once; where a reset comes between, it is repeated. What writes does so in one
// transaction.
func (g *gateway) runBetweenResets(x *exchange, r apiRoute) (handlerAnswer, error) {
	for {
		before := g.resets.count.Load()
		if before%2 == 1 {
			g.resets.waitForReset()
			continue
		}
		a, err := r.handle(x)
		if !r.isRead() {
			g.simulation.Wake()
			return a, err
		}
		if a.sent || g.resets.count.Load() == before {
			return a, err
		}
	}
}
