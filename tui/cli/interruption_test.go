package cli

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestAChangeThatWasConfirmedByLookingIsNotPending(t *testing.T) {
	signals, stop := context.WithCancel(t.Context())
	defer stop()
	i := newInterruption(signals, io.Discard, time.Hour)
	defer i.End()
	if err := i.recordRequest(httptest.NewRequest(http.MethodPost, "/orders", nil)); err != nil {
		t.Fatal(err)
	}
	if err := i.CheckContinue(); err != nil {
		t.Fatal(err)
	}
	if text := i.describeOutcome(context.Canceled); text != "interrupted; nothing more was sent" {
		t.Errorf("outcome %q", text)
	}
}

func TestASignalAfterTheEndOfACommandPrintsNothing(t *testing.T) {
	var stderr strings.Builder
	i := newInterruption(t.Context(), &stderr, time.Hour)
	i.hasSent = true
	i.End()
	i.handleSignal()
	if stderr.Len() > 0 {
		t.Errorf("printed %q", stderr.String())
	}
}

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
