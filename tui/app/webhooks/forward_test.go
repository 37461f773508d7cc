package webhooks_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"flightdesk/tui/app/webhooks"
)

func TestForwardingFollowsNoRedirect(t *testing.T) {
	for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect} {
		var followed atomic.Bool
		elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
		defer elsewhere.Close()
		receiver := httptest.NewServer(http.RedirectHandler(elsewhere.URL, status))
		defer receiver.Close()
		done, err := webhooks.ForwardCallback(t.Context(), receiver.URL)
		if err == nil || !strings.Contains(err.Error(), "forward target answered 30") || followed.Load() || done.Status != status {
			t.Errorf("%d: followed %v, %v", status, followed.Load(), err)
		}
	}
}
