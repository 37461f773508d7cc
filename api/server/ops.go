package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"flightdesk/api"
	"flightdesk/api/server/store"
)

// operations stands for the scope of the operations desk's routes. They need
// the desk's key, which opens nothing else; API keys do not open them.
const operations api.Scope = "operations desk"

// opsRoutes are the operations of the desk.
func (s *Server) opsRoutes() []route {
	const ops = OpsPath
	return []route{
		{http.MethodGet, ops + "/accounts/{uuid}/webhooks", operations, s.accountWebhooks},
		{http.MethodGet, ops + "/webhooks/{uuid}/deliveries", operations, s.listDeliveries},
		{http.MethodPost, ops + "/webhooks/{uuid}/test", operations, s.testWebhook},
		{http.MethodPost, ops + "/deliveries/{uuid}/resend", operations, s.resendDelivery},
		{http.MethodPost, ops + "/webhook-trust", operations, s.trustWebhooks},
	}
}

// byCode lets the desk's operations on an order or a mission be given its code
// in place of its uuid.
func (s *Server) byCode(routes []route) []route {
	for i, r := range routes {
		switch {
		case strings.HasPrefix(r.path, OpsPath+"/orders/{uuid}"):
			routes[i].handle = withCode(r.handle, "ORD-", func(ctx context.Context, code string) (string, error) { return s.store.OrderUUID(ctx, code) })
		case strings.HasPrefix(r.path, OpsPath+"/missions/{uuid}"):
			routes[i].handle = withCode(r.handle, "MSN-", func(ctx context.Context, code string) (string, error) { return s.store.MissionUUID(ctx, code) })
		}
	}
	return routes
}

func withCode(
	handle func(*exchange) (answer, error), prefix string, find func(context.Context, string) (string, error),
) func(*exchange) (answer, error) {
	return func(x *exchange) (answer, error) {
		if code := x.r.PathValue("uuid"); strings.HasPrefix(code, prefix) {
			uuid, err := find(x.r.Context(), code)
			if err != nil && !errors.Is(err, store.ErrNotFound) { // the handler says what there is not
				return answer{}, err
			}
			if err == nil {
				x.r.SetPathValue("uuid", uuid)
			}
		}
		return handle(x)
	}
}

// admitOps checks the key of the operations desk, in a time that says nothing
// of what is wrong with it.
func (s *Server) admitOps(x *exchange) error {
	sent := sha256.Sum256([]byte(keyOf(http.Header{"Authorization": x.r.Header["Authorization"]})))
	want := sha256.Sum256([]byte(s.OpsKey))
	if subtle.ConstantTimeCompare(sent[:], want[:]) != 1 {
		return fault(api.CodeUnauthenticated, "the key of the operations desk is missing or wrong")
	}
	return nil
}

// toTry refuses what is for trying things out only.
func (s *Server) toTry() error {
	if s.Dir != "" && !s.Demo {
		return fault(api.CodeConflict, "this is possible only where the service runs with --memory or --demo")
	}
	return nil
}
