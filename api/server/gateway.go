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

// gateway wraps the handlers of all requests. It adds request IDs, authentication, rate limits,
// injected faults, metrics and the access log.
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
	allowsForcing  bool // clients may request an error with the header AnswerHeader
	resets         *resetGate
	metrics        *serviceMetrics
	requests       *requestLog
	fullWarnings   *rateLimiter
	simulation     *simulatorRun
}

// clockNotice is the difference between the service's clock and the machine's clock above which
// clients are informed: answers then contain the service's time in [api.HeaderTimestamp].
const clockNotice = time.Hour

// observeRequest returns the outermost handler of a route. For each request it creates the exchange, calls next, and
// then logs and counts the request. If next panics, the answer is an internal error. An injected fault answers
// the request instead of next.
func (g *gateway) observeRequest(next func(*exchange)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		x := g.newExchange(w, r)
		g.writeFirstHeaders(x, began)
		g.metrics.inFlight.Inc()
		// After next, these run in reverse order: recoverPanic first, because it writes the answer whose status is
		// logged and counted.
		defer func() { g.countRequest(x, time.Since(began)) }()
		defer g.logAccess(x, began) //nolint:contextcheck // the request has its context
		defer g.recoverPanic(x)
		x.limitTime(bodyTimeout)
		hasNoBody := r.ContentLength == 0
		if hasNoBody { // otherwise the time limit for reading ends when the body was read
			x.readDone()
		}
		if !g.injectFault(r.Context(), x) {
			next(x)
		}
	})
}

// countRequest adds an answered request to the metrics and to the request log.
func (g *gateway) countRequest(x *exchange, took time.Duration) {
	g.metrics.countRequest(x, took)
	g.requests.record(x, took)
	g.reportFull(x)
}

// newExchange returns the exchange of a request. Its context does not end when the client
// disconnects, because a change must be completed. Reads end when the client disconnects, see
// [gateway.runRoute].
func (g *gateway) newExchange(w http.ResponseWriter, r *http.Request) *exchange {
	return &exchange{
		w:       w,
		r:       r.WithContext(context.WithoutCancel(r.Context())),
		client:  r.Context(),
		log:     g.log,
		now:     g.now,
		id:      requestID(r),
		address: addressOf(r, g.trustedProxies),

		dependencies: g.dependencies,
	}
}

// writeFirstHeaders writes the headers that every answer has. If the service's clock was advanced,
// the answer also has the service's time. began is the time of the machine's clock.
func (g *gateway) writeFirstHeaders(x *exchange, began time.Time) {
	header := x.w.Header()
	header.Set("X-Request-Id", x.id)
	header.Set("Date", g.now().UTC().Format(http.TimeFormat))
	isAdvanced := g.now().Sub(began).Abs() > clockNotice
	if isAdvanced {
		header.Set(api.HeaderTimestamp, api.TimeOf(g.now().UTC()).Text())
	}
}

// fullWarning is the interval between warnings about a full disk.
const fullWarning = time.Minute

// reportFull counts the requests that were refused because the disk is full, and logs a warning
// from time to time, so that an administrator can free space.
func (g *gateway) reportFull(x *exchange) {
	if x.errorCode() != api.CodeStorageFull {
		return
	}
	g.metrics.full.Inc()
	if g.fullWarnings.reserve("", time.Now()) == 0 {
		g.log.Warn("the storage is full; changes are refused until there is space",
			"request", x.id, "error", x.refusal.Message)
	}
}

func (g *gateway) recoverPanic(x *exchange) {
	r := recover()
	if r == nil {
		return
	}
	g.log.Error("panic in a request", "request", x.id, "panic", r, "stack", string(debug.Stack()))
	if x.status != 0 {
		panic(http.ErrAbortHandler) // the client must notice that the answer is incomplete
	}
	const lost = "internal error; look up the request ID in the service's log"
	x.writeFault(http.StatusInternalServerError, 0, newFault(api.CodeInternal, lost))
}

// logAccess writes one line per request to the access log. The line has no query, headers
// or link tokens, because they contain cursors and keys.
func (g *gateway) logAccess(x *exchange, began time.Time) {
	attrs := []slog.Attr{
		slog.String("request", x.id),
		slog.String("method", x.r.Method),
		slog.String("path", loggedPath(x.r.URL.EscapedPath())),
		slog.Int("status", x.status),
		slog.Int("bytes", x.size),
		slog.Float64("ms", float64(time.Since(began).Microseconds())/1000),
	}
	g.log.LogAttrs(x.r.Context(), slog.LevelInfo, "request", append(attrs, x.clientAttrs()...)...)
}

// pathIDs are the names of path parameters whose value can be a UUID.
var pathIDs = []string{"uuid", "id", "orderId", "quoteId"}

// dispatchMethod runs the operation for the method of the request. HEAD is handled like
// GET. UUIDs in the path are accepted in upper and lower case.
func (g *gateway) dispatchMethod(x *exchange, methods []apiRoute) {
	for _, name := range pathIDs {
		if id := x.r.PathValue(name); domain.IsUUID(id) {
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

// runRoute runs an operation and writes the answer.
func (g *gateway) runRoute(x *exchange, r apiRoute) {
	if r.isRead() {
		x.endWithClient()
	}
	answer, err := g.runAdmitted(x, r)
	if err != nil {
		x.writeError(err)
		return
	}
	x.writeAnswer(answer)
}

// runAdmitted runs an operation if the caller may use it.
func (g *gateway) runAdmitted(x *exchange, r apiRoute) (handlerAnswer, error) {
	if err := g.admitRequest(x, r); err != nil {
		return handlerAnswer{}, err
	}
	answer, err := g.runBetweenResets(x, r)
	if err != nil {
		return handlerAnswer{}, err
	}
	if x.audit == nil || x.audit.IsSaved() {
		return answer, nil
	}
	// The operation wrote nothing to the store; otherwise the write would have saved the entry.
	if err := g.domain.Operators.Record(x.r.Context(), x.audit); err != nil {
		return handlerAnswer{}, err
	}
	return answer, nil
}

// admitRequest checks that the caller may use an operation.
func (g *gateway) admitRequest(x *exchange, r apiRoute) error {
	switch r.scope {
	case "":
		return nil
	case scopeMonitoring:
		if isLocal(x.r) {
			return nil
		}
		return g.admitOps(x, r)
	case scopeOperations, scopeAdministration:
		return g.admitOps(x, r)
	}
	caller, err := g.domain.Accounts.Authenticate(x.r.Context(), keyOf(x.r.Header))
	if err != nil {
		return err
	}
	x.caller = caller
	pause := g.limit.reserve(x.caller.KeyUUID, time.Now())
	if err := x.refuseUntil(pause, "too many requests with this key"); err != nil {
		return err
	}
	if !x.caller.HasScope(r.scope) {
		return newFault(api.CodeMissingScope, "the API key lacks the scope "+string(r.scope))
	}
	return nil
}

// admitOps checks the operations key or the key of an operator, and then the role. The
// duration of the check does not depend on what is wrong with the key.
func (g *gateway) admitOps(x *exchange, r apiRoute) error {
	key := keyOf(http.Header{"Authorization": x.r.Header["Authorization"]})
	operator, err := g.authenticateOperator(x.r.Context(), key)
	if err != nil {
		return err
	}
	x.operator = &operator
	need := r.neededRole()
	if !operator.Role.Covers(need) {
		g.recordRefusal(x, r)
		return newRoleFault(need, operator)
	}
	if r.isRead() {
		g.recordRead(x, r)
		return nil
	}
	x.audit = g.newAuditEntry(x, r)
	x.audit.Subject = g.auditSubject(x, r)
	x.r = x.r.WithContext(store.Audited(x.r.Context(), x.audit))
	return nil
}

// injectFault delays or fails a request if a fault is active, or if the client asks for an error
// with AnswerHeader. It returns true if it has answered the request, so that the handler must not
// run.
func (g *gateway) injectFault(ctx context.Context, x *exchange) bool {
	if g.allowsForcing && x.writeForced() {
		return true
	}
	fault := g.faults.now.Load()
	if fault == nil || !fault.affectsPath(x.r.URL.Path) || !g.faults.happens(fault.Rate) {
		return false
	}
	fault.count.Add(1)
	if fault.Latency.Duration > 0 {
		g.faults.wait(ctx, fault.Latency.Duration)
		x.limitTime(bodyTimeout) // the delay has used up the time of the request
	}
	if fault.Status == 0 {
		return false
	}
	x.writeInjected(fault.Status, "fault injected by the operations API; nothing was changed")
	return true
}

// writeForced answers with the status that the client requested by AnswerHeader. It returns
// false if the client requested none.
func (x *exchange) writeForced() bool {
	status, err := forcedAnswer(x.r)
	if err != nil {
		x.writeError(err)
		return true
	}
	if status == 0 {
		return false
	}
	x.writeInjected(status, "fault requested by "+AnswerHeader+"; nothing was changed")
	return true
}

// writeInjected answers a request with an error status, because of an injected fault.
func (x *exchange) writeInjected(status int, message string) {
	if status == http.StatusTooManyRequests {
		x.w.Header().Set("Retry-After", strconv.Itoa(faultRetryAfter))
	}
	x.writeFault(status, faultRetryAfter, newFault(codeOfStatus(status), message))
}

// runBetweenResets runs an operation while no reset is running. A read may use several queries,
// so it is repeated if a reset happened in the meantime. A change is not repeated: it is a single
// transaction, which is committed either before or after the reset.
func (g *gateway) runBetweenResets(x *exchange, r apiRoute) (handlerAnswer, error) {
	for {
		before := g.resets.count.Load()
		isResetting := before%2 == 1
		if isResetting {
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
