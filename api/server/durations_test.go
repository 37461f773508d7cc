package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"flightdesk/api/server/internal/store"
)

// A duration equal to a bound is in the bucket of the bound, and each bucket includes the smaller
// ones.
func TestBucketsOfDurations(t *testing.T) {
	m := newServiceMetrics(&store.Store{}, &dependencies{}, "", time.Now)
	x := &exchange{r: httptest.NewRequest(http.MethodGet, "/", nil), status: 404}
	for _, took := range []time.Duration{0, 500 * time.Microsecond, 501 * time.Microsecond, 2 * time.Second, 61 * time.Second} {
		m.countRequest(x, took)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, x.r)
	text := w.Body.String()
	const name, labels = "flightdesk_http_request_duration_seconds", `method="GET",route="none",status="404"`
	for _, line := range []string{
		"# TYPE " + name + " histogram",
		name + "_bucket{" + labels + `,le="0.0005"} 2`,
		name + "_bucket{" + labels + `,le="0.001"} 3`,
		name + "_bucket{" + labels + `,le="1"} 3`,
		name + "_bucket{" + labels + `,le="2.5"} 4`,
		name + "_bucket{" + labels + `,le="60"} 4`,
		name + "_bucket{" + labels + `,le="+Inf"} 5`,
		name + "_sum{" + labels + "} 63.001001",
		name + "_count{" + labels + "} 5",
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no %s in\n%s", line, text)
		}
	}
}
