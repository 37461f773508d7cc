package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"

	"flightdesk/api"
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
