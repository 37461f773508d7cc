package server

import (
	"errors"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store/files"
)

// addressOf returns the address of a client: the last one on the way here that is not a
// trusted proxy.
func addressOf(r *http.Request, trustedProxies []netip.Prefix) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	address := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !slices.ContainsFunc(trustedProxies, func(p netip.Prefix) bool { return p.Contains(address) }) {
			break
		}
		before, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		address = before.Unmap()
	}
	return address.String()
}

// refuseUntil refuses a request that may be repeated after a pause, nil without one.
func (x *exchange) refuseUntil(pause time.Duration, why string) error {
	if pause == 0 {
		return nil
	}
	x.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(pause.Seconds()))))
	return newFault(api.CodeRateLimited, why+"; retry after Retry-After")
}

// maxAgent bounds what the log has of a user agent.
const maxAgent = 200

// visitorAttrs are what the access log says of who has sent a request.
func (x *exchange) visitorAttrs() []slog.Attr {
	agent := x.r.UserAgent()
	attrs := []slog.Attr{
		slog.String(
			"client",
			x.address,
		),
		slog.String("agent", strings.ToValidUTF8(agent[:min(len(agent), maxAgent)], "")),
	}
	if x.caller != nil {
		attrs = append(
			attrs,
			slog.String("account", x.caller.Account.UUID),
			slog.String("key", x.caller.KeyUUID),
		)
	}
	if x.operator != nil {
		attrs = append(attrs, slog.String("operator", x.operator.Name))
	}
	return attrs
}

// outageQuiet is how long an outage lasts after the last request that met it.
const outageQuiet = 5 * time.Second

// outageLog says once that something is away, and once that it is back.
type outageLog struct {
	log  *slog.Logger
	what string
	now  func() time.Time

	mu          sync.Mutex
	began, last time.Time // zero: there is no outage
	requests    int       // that met it
}

func (o *outageLog) noteFailure(x *exchange, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = o.now()
	if o.requests++; o.requests > 1 {
		return
	}
	o.began = o.last
	o.log.Warn("the "+o.what+" cannot be reached", "request", x.id, "error", err)
}

func (o *outageLog) noteSuccess() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.requests == 0 || o.now().Sub(o.last) < outageQuiet {
		return
	}
	o.log.Info("the "+o.what+" can be reached again", "after", o.now().Sub(o.began).Round(time.Second).String(),
		"requests", o.requests)
	o.requests = 0
}

// outageLogs are those of what the service depends on.
type outageLogs struct{ database, files outageLog }

func newOutageLogs(log *slog.Logger) *outageLogs {
	return &outageLogs{
		database: outageLog{
			log:  log,
			what: "database",
			now:  time.Now,
		},
		files: outageLog{log: log, what: "file store", now: time.Now},
	}
}

func (o *outageLogs) noteFailure(x *exchange, err error) {
	if errors.Is(err, files.ErrAway) {
		o.files.noteFailure(x, err)
		return
	}
	o.database.noteFailure(x, err)
}

// noteSuccess takes note of a request that was answered: one for a file needs both.
func (o *outageLogs) noteSuccess(x *exchange, r apiRoute) {
	if r.scope != "" && r.scope != scopeMonitoring {
		o.database.noteSuccess()
	}
	if strings.HasPrefix(x.r.URL.Path, filesPath) {
		o.files.noteSuccess()
	}
}
