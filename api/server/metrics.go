package server

import (
	"bytes"
	"context"
	"net/http"
	"net/netip"
	"runtime"
	"strconv"
	"time"

	vm "github.com/VictoriaMetrics/metrics"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"flightdesk/api/server/internal/callback"
	"flightdesk/api/server/internal/store"
)

// serviceMetrics are the Prometheus metrics of a running service. Label values never come from
// requests, so that the number of label values is limited.
type serviceMetrics struct {
	store        *store.Store
	requestLog   *requestLog
	dependencies *dependencies
	now          func() time.Time
	registry     *prometheus.Registry

	requests  *prometheus.HistogramVec // by method, route and status
	inFlight  prometheus.Gauge
	full      prometheus.Counter     // requests refused because the storage is full
	callbacks *prometheus.CounterVec // attempts, by outcome
}

// durationBuckets are the upper bounds, in seconds, of the buckets of request durations.
var durationBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60}

func newServiceMetrics(
	s *store.Store, dependencies *dependencies, version string, now func() time.Time,
) *serviceMetrics {
	m := &serviceMetrics{
		store:        s,
		dependencies: dependencies,
		now:          now,
		registry:     prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "flightdesk_http_request_duration_seconds",
			Help:    "Request duration from the header to the end of the response.",
			Buckets: durationBuckets,
		}, []string{"method", "route", "status"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "flightdesk_http_requests_in_flight",
			Help: "Requests in progress.",
		}),
		full: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "flightdesk_storage_full_total",
			Help: "Requests refused since the disk, the database or the file store was full.",
		}),
		callbacks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "flightdesk_callback_tries_total",
			Help: "Callback attempts: delivered, retried (failed, another follows) and failed (none follows).",
		}, []string{"outcome"}),
	}
	for _, outcome := range []string{outcomeDelivered, outcomeFailed, outcomeRetried} {
		m.callbacks.WithLabelValues(outcome) // listed from the start, with 0
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "flightdesk_build_info",
		Help:        "Version of the program.",
		ConstLabels: prometheus.Labels{"version": version, "go": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(
		m.requests,
		m.inFlight,
		m.full,
		m.callbacks,
		build,
		readingCollector(m.collectService),
		readingCollector(m.collectBacklog),
		readingCollector(m.collectPool),
	)
	return m
}

// countRequest counts a request that was answered.
func (m *serviceMetrics) countRequest(x *exchange, took time.Duration) {
	m.inFlight.Dec()
	route := x.r.Pattern
	if route == "" || route == "/" {
		route = "none"
	}
	m.requests.WithLabelValues(knownMethod(x.r.Method), route, strconv.Itoa(x.status)).Observe(took.Seconds())
}

// Outcomes of an attempt.
const (
	outcomeDelivered = "delivered"
	outcomeRetried   = "retried"
	outcomeFailed    = "failed"
)

// countAttempts counts attempts of callbacks.
func (m *serviceMetrics) countAttempts(tries []callback.Outcome) {
	for _, o := range tries {
		outcome := outcomeFailed
		if o.Error == "" {
			outcome = outcomeDelivered
		} else if o.Again {
			outcome = outcomeRetried
		}
		m.callbacks.WithLabelValues(outcome).Inc()
	}
}

// knownMethod returns the method of a request, or "other" if no route uses it, so that
// clients cannot add label values to the metrics.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet,
		http.MethodHead,
		http.MethodPost,
		http.MethodPut,
		http.MethodPatch,
		http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}

// isLocal reports whether a request comes from this machine. A request that was forwarded
// by a proxy on this machine is not local.
func isLocal(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if r.Header.Values(name) != nil {
			return false
		}
	}
	if r.RemoteAddr == inProcess {
		return true
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback()
}

// textFormat is the format of the answer, version 0.0.4 of Prometheus' text format.
var textFormat = expfmt.NewFormat(expfmt.TypeTextPlain)

// readMetrics answers with the metrics of the service and of its process in the text format of Prometheus.
func (m *monitoringHandlers) readMetrics(*exchange) (handlerAnswer, error) {
	families, err := m.metrics.registry.Gather()
	if err != nil {
		return handlerAnswer{}, err
	}
	var text bytes.Buffer
	encoder := expfmt.NewEncoder(&text, textFormat)
	for _, family := range families {
		if err := encoder.Encode(family); err != nil {
			return handlerAnswer{}, err
		}
	}
	// The collectors of the Prometheus client use other names for some of these metrics.
	vm.WriteProcessMetrics(&text)
	vm.WriteFDMetrics(&text)
	return handlerAnswer{
		file: &fileAnswer{mediaType: "text/plain; version=0.0.4; charset=utf-8", content: text.Bytes()},
	}, nil
}

// metricStream receives the values of metrics.
type metricStream chan<- prometheus.Metric

// readingCollector is a collector that reads its values when metrics are requested. It does not
// describe its metrics in advance, because they depend on the service. For example, only a shared
// database has metrics of a connection pool.
type readingCollector func(metricStream)

// Describe sends nothing.
func (c readingCollector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the values.
func (c readingCollector) Collect(values chan<- prometheus.Metric) { c(values) }

func (s metricStream) sendGauge(name, help string, value float64) {
	description := prometheus.NewDesc(name, help, nil, nil)
	s <- prometheus.MustNewConstMetric(description, prometheus.GaugeValue, value)
}

func (s metricStream) sendCounter(name, help string, value float64) {
	description := prometheus.NewDesc(name, help, nil, nil)
	s <- prometheus.MustNewConstMetric(description, prometheus.CounterValue, value)
}

// sendResults sends a counter with the label result. values has the value of the counter for each
// result, such as written and dropped.
func (s metricStream) sendResults(name, help string, values map[string]float64) {
	for result, value := range values {
		description := prometheus.NewDesc(name, help, nil, prometheus.Labels{"result": result})
		s <- prometheus.MustNewConstMetric(description, prometheus.CounterValue, value)
	}
}

// collectService sends the metrics of the database, the file store and the request log.
func (m *serviceMetrics) collectService(values metricStream) {
	values.sendGauge("flightdesk_schema_version", "Version of the database's schema.",
		float64(m.store.Schema().To))
	values.sendGauge("flightdesk_database_up", "Whether the database can be used.",
		m.dependencies.database.upValue())
	values.sendGauge("flightdesk_files_up", "Whether the file store can be reached.",
		m.dependencies.files.upValue())
	values.sendResults(
		"flightdesk_request_log_total",
		"Requests of accounts for the request log: written, and dropped since there were too many or the database was away.",
		map[string]float64{
			"written": float64(m.requestLog.written.Load()),
			"dropped": float64(m.requestLog.dropped.Load()),
		},
	)
	writes := m.store.Stats()
	values.sendResults(
		"flightdesk_store_writes_total",
		"Writes of the store, committed or rolled back.",
		map[string]float64{"kept": float64(writes.Kept), "undone": float64(writes.Undone)},
	)
	values.sendCounter("flightdesk_store_transactions_total", "Transactions shared by the store's writes.",
		float64(writes.Transactions))
	values.sendCounter("flightdesk_store_commits_in_doubt_total",
		"Commits that the database did not confirm; their outcome was asked for.",
		float64(writes.InDoubt))
}

// backlogTimeout is how long /metrics waits for the database.
const backlogTimeout = 3 * time.Second

// collectBacklog sends how many callbacks are pending. It sends nothing if the database does not
// answer.
func (m *serviceMetrics) collectBacklog(values metricStream) {
	ctx, cancel := context.WithTimeout(context.Background(), backlogTimeout)
	defer cancel()
	pending, oldest, err := m.store.Backlog(ctx)
	if err != nil {
		return
	}
	age := 0.0
	if pending > 0 {
		age = m.now().Sub(oldest).Seconds()
	}
	values.sendGauge("flightdesk_callbacks_pending",
		"Callbacks of all processes that wait for an attempt or its outcome.", float64(pending))
	values.sendGauge("flightdesk_callback_oldest_pending_seconds", "Age of the oldest of them.", age)
}

// collectPool sends the metrics of the connections to a shared database.
func (m *serviceMetrics) collectPool(values metricStream) {
	if pool, isShared := m.store.Pool(); isShared {
		values.sendPool(pool)
	}
}

// sendPool sends the values of the connections to a shared database.
func (s metricStream) sendPool(pool store.PoolStats) {
	s.sendGauge("flightdesk_database_connections_open", "Connections to the database.", float64(pool.Open))
	s.sendGauge("flightdesk_database_connections_in_use", "Connections in use.", float64(pool.InUse))
	s.sendGauge("flightdesk_database_connections_max", "Maximum number of connections of this process.",
		float64(pool.Max))
	s.sendCounter("flightdesk_database_connection_waits_total", "Number of waits for a connection.",
		float64(pool.Waits))
	s.sendCounter("flightdesk_database_connection_wait_seconds_total", "Time spent waiting for connections.",
		pool.Waited.Seconds())
	s.sendCounter("flightdesk_database_queries_total", "Read queries outside of writes.",
		float64(pool.Queries))
	s.sendCounter("flightdesk_database_query_seconds_total", "Duration of these queries.",
		pool.Queried.Seconds())
	s.sendGauge("flightdesk_database_clock_ahead_seconds",
		"How far this machine's clock is ahead of the database's.", pool.ClockAhead.Seconds())
}
