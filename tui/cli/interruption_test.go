package cli

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRequestsThatChangeDataAreRecognized(t *testing.T) {
	for call, want := range map[string]bool{
		"GET /api/v1/public/orders": false, "POST /api/v1/public/orders": true, "DELETE /api/v1/public/webhooks/1": true,
		"POST /api/v1/public/kml/parse": false, "POST /api/v2/getorder/ORD-1": false, "POST /api/v2/getorderslist": false,
		"POST /api/v2/datalibraryorders": false, "POST /api/v2/order/1/quote/2": true, "POST /api/ops/v1/accounts/1/datasets": true,
	} {
		method, path, _ := strings.Cut(call, " ")
		if got := changesData(httptest.NewRequest(method, path, nil)); got != want {
			t.Errorf("%s: %v", call, got)
		}
	}
}
