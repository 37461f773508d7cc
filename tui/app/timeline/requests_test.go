package timeline

import (
	"net/http"
	"testing"

	"flightdesk/api"
	"flightdesk/tui/app/session"
)

// The line counts the requests that the service's log of failed requests lists: a 404 response counts, unless
// what is missing need not exist.
func TestUnexpected404ResponsesCountAsFailed(t *testing.T) {
	get := func(path string, status int) *session.Exchange {
		return &session.Exchange{Exchange: api.Exchange{Method: http.MethodGet, Status: status}, Path: path}
	}
	expected := []*session.Exchange{
		get("/orders", http.StatusOK),
		get("/missions/m-1/flight-permission", http.StatusNotFound),
		get("/v2/getorder/o-1", http.StatusNotFound),
		get("/missions/"+api.ProbeUUID+"/delivery-packages", http.StatusNotFound),
	}
	for _, c := range []struct {
		requests []*session.Exchange
		want     string
	}{
		{expected, "4, none failed"},
		{append(expected, get("/orders/ORD-1", http.StatusNotFound)), "5: 1 rejected or failed, 0 without a response"},
	} {
		part := RequestsPart(c.requests, noon)
		if got := part.Lines[0].What; got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}
