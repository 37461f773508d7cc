package session_test

import (
	"testing"

	"flightdesk/tui/app/session"
)

func TestAPathIsAbbreviated(t *testing.T) {
	const id = "019cf1ec-2c56-7a35-9246-d2bac12c5622"
	for path, want := range map[string]string{
		"/api/v1/public/webhooks/" + id + "/deliveries?limit=100": "/webhooks/019cf1ec…/deliveries?limit=100",
		"/webhooks/" + id + "/deliveries":                         "/webhooks/019cf1ec…/deliveries",
		"/api/v2/getorder/" + id:                                  "/getorder/019cf1ec…",
		"/api/v1/public/orders/ORD-100231":                        "/orders/ORD-100231",
		"/api/ops/v1/requests?account=" + id + "&reads=false":     "ops/requests?account=019cf1ec…&reads=false",
		"/api/v1/public/missions/" + id + "/flight-permission":    "/missions/019cf1ec…/flight-permission",
		"/elsewhere/v3/orders":                                    "/elsewhere/v3/orders",
		"":                                                        "",
	} {
		if got := session.AbbreviatePath(path); got != want {
			t.Errorf("%s is abbreviated to %s, want %s", path, got, want)
		}
	}
}
