package server

import (
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
)

// addressOf returns the address of the client: the last hop of the request that is not a
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

// withoutPort removes the port from the address of a client. It returns other texts unchanged,
// such as [inProcess], the address of requests from this process.
func withoutPort(address string) string {
	parsed, err := netip.ParseAddrPort(address)
	if err != nil {
		return address
	}
	return parsed.Addr().Unmap().String()
}

// refuseUntil returns an error that asks the client to repeat the request after a pause,
// or nil if the pause is 0.
func (x *exchange) refuseUntil(pause time.Duration, why string) error {
	if pause == 0 {
		return nil
	}
	x.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(pause.Seconds()))))
	return newFault(api.CodeRateLimited, why+"; retry after Retry-After")
}

// maxAgent is the maximum length of a logged User-Agent, in bytes.
const maxAgent = 200

// clientAttrs returns the attributes of the access log that describe the sender of the
// request.
func (x *exchange) clientAttrs() []slog.Attr {
	agent := x.r.UserAgent()
	attrs := []slog.Attr{
		slog.String("client", x.address),
		slog.String("agent", strings.ToValidUTF8(agent[:min(len(agent), maxAgent)], "")),
	}
	if code := x.errorCode(); code != "" {
		attrs = append(attrs, slog.String("code", string(code)))
	}
	if caller := x.knownCaller(); caller != nil {
		attrs = append(attrs, slog.String("account", caller.Account.UUID),
			slog.String("key", caller.KeyUUID))
	}
	if x.operator != nil {
		attrs = append(attrs, slog.String("operator", x.operator.Name))
	}
	return attrs
}
