package server_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"flightdesk/api"
	"flightdesk/api/server"
)

// figures reads the service's metrics. It returns the value of each series, or the count of a
// histogram, by name and labels.
func figures(t *testing.T, text []byte) map[string]float64 {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			all[name+labels(m)] = value(m)
		}
	}
	return all
}

func labels(m *dto.Metric) string {
	var b strings.Builder
	for _, l := range m.GetLabel() {
		fmt.Fprintf(&b, " %s=%s", l.GetName(), l.GetValue())
	}
	return b.String()
}

func value(m *dto.Metric) float64 {
	if h := m.GetHistogram(); h != nil {
		return float64(h.GetSampleCount())
	}
	return m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetUntyped().GetValue()
}

func TestMetrics(t *testing.T) {
	b := newBench(t)
	server.StopBackgroundWrites(b.s) // the test counts writes
	const requests = "flightdesk_http_request_duration_seconds"
	before := figures(t, b.call("GET", "/metrics", "", nil).raw)
	order := b.place(b.alice)
	for _, path := range []string{"/orders/" + order.OrderCode, "/orders/ORD-1", "/orders/ORD-2", "/orders?limit=0"} {
		b.call("GET", publicHandlers+path, b.alice, nil)
	}
	b.call("GET", "/nope", "", nil)
	b.call("GET", "/nope/../x", "", nil)
	b.call("BREW", publicHandlers+"/orders", b.alice, nil)
	r := b.call("GET", "/metrics", "", nil)
	if kind := r.header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		t.Errorf("media type %q", kind)
	}
	after := figures(t, r.raw)
	for series, more := range map[string]float64{
		requests + " method=POST route=" + publicHandlers + "/orders status=201":       1,
		requests + " method=GET route=" + publicHandlers + "/orders/{code} status=200": 1,
		requests + " method=GET route=" + publicHandlers + "/orders/{code} status=404": 2,
		requests + " method=GET route=" + publicHandlers + "/orders status=400":        1,
		requests + " method=GET route=none status=404":                                 2,
		requests + " method=other route=" + publicHandlers + "/orders status=405":      1,
		"flightdesk_store_writes_total result=kept":                                    1,
		"flightdesk_store_writes_total result=undone":                                  0,
		"flightdesk_store_transactions_total":                                          1,
		"flightdesk_callback_tries_total outcome=delivered":                            0,
		"flightdesk_http_requests_in_flight":                                           0,
		"flightdesk_store_commits_in_doubt_total":                                      0,
		"flightdesk_callbacks_pending":                                                 0,
		"flightdesk_callback_oldest_pending_seconds":                                   0,
	} {
		if got, there := after[series]; !there || got-before[series] != more {
			t.Errorf("%s: %v after %v, want %v more", series, got, before[series], more)
		}
	}
	if after["flightdesk_http_requests_in_flight"] != 1 {
		t.Error("the request itself is not in flight")
	}
	for _, series := range []string{"go_goroutines", "go_memstats_heap_inuse_bytes", "process_start_time_seconds", "process_open_fds"} {
		if after[series] <= 0 {
			t.Errorf("%s is %v", series, after[series])
		}
	}
	own, _, _ := bytes.Cut(r.raw, []byte("\ngo_")) // the metrics of the runtime have no help
	problems, err := promlint.New(bytes.NewReader(append(own, '\n'))).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// The documents have every series, and no others.
func TestTheDocumentsHaveEveryMetric(t *testing.T) {
	source, err := os.ReadFile("metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	inSource := map[string]bool{}
	inDocument := map[string]bool{}
	for _, found := range regexp.MustCompile(`"(flightdesk_[a-z_]+)"`).FindAllSubmatch(source, -1) {
		inSource[string(found[1])] = true
	}
	for _, found := range regexp.MustCompile("`(flightdesk_[a-z_]+)`").FindAllSubmatch(document, -1) {
		inDocument[string(found[1])] = true
	}
	if len(inSource) < 15 || !maps.Equal(inSource, inDocument) {
		t.Errorf("in the source %v, in the document %v", slices.Sorted(maps.Keys(inSource)), slices.Sorted(maps.Keys(inDocument)))
	}
}

func TestMetricsContainNoSecrets(t *testing.T) {
	b := newBench(t)
	_, list := b.delivered(content{"secret-name.jpg", "jpg", "a"})
	b.fetch("GET", list[0].DownloadURL)
	text := string(b.call("GET", "/metrics", "", nil).raw)
	if strings.Contains(text, "secret-name") || !strings.Contains(text, `route="/files/{token}/{name}"`) {
		t.Error(text)
	}
}

func TestMetricsAreShownOnlyToPermittedCallers(t *testing.T) {
	s := start(t, &server.Server{OpsKey: "desk"})
	for _, c := range []struct {
		peer   string
		header []string
		want   int
	}{
		{"127.0.0.1:5", nil, 200},
		{"127.9.9.9:5", nil, 200},
		{"[::1]:5", nil, 200},
		{"[::ffff:127.0.0.1]:5", nil, 200},
		{"192.0.2.1:5", nil, 401},
		{"[2001:db8::1]:5", nil, 401},
		{"", nil, 401},
		{"127.0.0.1:5", []string{"X-Forwarded-For", "192.0.2.1"}, 401},
		{"127.0.0.1:5", []string{"Forwarded", "for=192.0.2.1"}, 401},
		{"127.0.0.1:5", []string{"Via", "1.1 proxy"}, 401},
		{"127.0.0.1:5", []string{"X-Forwarded-For", "192.0.2.1", "Authorization", "Bearer desk"}, 200},
		{"192.0.2.1:5", []string{"Authorization", "Bearer desk"}, 200},
		{"192.0.2.1:5", []string{"Authorization", "Bearer des"}, 401},
		{"192.0.2.1:5", []string{"X-Api-Key", "desk"}, 401},
	} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.RemoteAddr = c.peer
		for i := 0; i < len(c.header); i += 2 {
			r.Header.Set(c.header[i], c.header[i+1])
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%q with %v: %d, want %d", c.peer, c.header, w.Code, c.want)
		}
		theContract(t).checkAnswer(t, r, w.Result(), w.Body.Bytes())
	}
}

// Each attempt of a callback is counted once, by its outcome.
func TestMetricsOfCallbacks(t *testing.T) {
	v := newReceiver(t)
	b := newCallbackBench(t, v, quick)
	w := b.register(b.alice, v.URL)
	for _, codes := range [][]int{{200}, {500, 200}, {500, 500, 500, 500}} {
		b.sendTest(w.UUID, api.EventMissionCompleted)
		for _, code := range codes {
			<-v.got
			v.answer <- code
		}
	}
	want := map[string]float64{"delivered": 2, "retried": 4, "failed": 1}
	got := map[string]float64{}
	for began := time.Now(); time.Since(began) < time.Minute && !maps.Equal(got, want); {
		all := figures(t, b.call("GET", "/metrics", "", nil).raw)
		for outcome := range want {
			got[outcome] = all["flightdesk_callback_tries_total outcome="+outcome]
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("tries %v, want %v", got, want)
	}
}

// BenchmarkObserve measures what surrounds every request: its ID, the access log and the metrics.
func BenchmarkObserve(b *testing.B) {
	s := start(b, &server.Server{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	r := httptest.NewRequest(http.MethodGet, "/healthz", nil)
	for b.Loop() {
		s.Handler().ServeHTTP(httptest.NewRecorder(), r)
	}
}
