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

// serviceMetrics are the metrics of a running service. All label values come from the
// service and not from requests, so their number is limited.
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

// knownMethod returns the method if a route may use it. All other methods are counted
// together.
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
	// The library's own collectors have other names for some of these.
	vm.WriteProcessMetrics(&text)
	vm.WriteFDMetrics(&text)
	return handlerAnswer{
		file: &fileAnswer{mediaType: "text/plain; version=0.0.4; charset=utf-8", content: text.Bytes()},
	}, nil
}

// reading is a value that is read when metrics are requested.
type reading struct {
	name, help string
	kind       prometheus.ValueType
	value      float64
	labels     prometheus.Labels
}

// readingCollector sends readings when metrics are requested. It describes none before,
// because some are absent, such as those of a shared database.
type readingCollector func(to chan<- prometheus.Metric)

// Describe sends nothing.
func (c readingCollector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the readings.
func (c readingCollector) Collect(to chan<- prometheus.Metric) { c(to) }

func sendReadings(to chan<- prometheus.Metric, readings []reading) {
	for _, r := range readings {
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc(r.name, r.help, nil, r.labels), r.kind, r.value)
	}
}

// collectService reads the values of the store, of the request log and of what the service
// depends on.
func (m *serviceMetrics) collectService(to chan<- prometheus.Metric) {
	const (
		recorded     = "flightdesk_request_log_total"
		recordedHelp = "Requests of accounts for the request log: written, and dropped since there were too many or the database was away."
		writes       = "flightdesk_store_writes_total"
		writesHelp   = "Writes of the store, committed or rolled back."
		counter      = prometheus.CounterValue
		gauge        = prometheus.GaugeValue
	)
	stats := m.store.Stats()
	log := m.requestLog
	sendReadings(to, []reading{
		{"flightdesk_schema_version", "Version of the database's schema.", gauge, float64(m.store.Schema().To), nil},
		{"flightdesk_database_up", "Whether the database can be used.", gauge, m.dependencies.database.upValue(), nil},
		{"flightdesk_files_up", "Whether the file store can be reached.", gauge, m.dependencies.files.upValue(), nil},
		{recorded, recordedHelp, counter, float64(log.written.Load()), prometheus.Labels{"result": "written"}},
		{recorded, recordedHelp, counter, float64(log.dropped.Load()), prometheus.Labels{"result": "dropped"}},
		{writes, writesHelp, counter, float64(stats.Kept), prometheus.Labels{"result": "kept"}},
		{writes, writesHelp, counter, float64(stats.Undone), prometheus.Labels{"result": "undone"}},
		{"flightdesk_store_transactions_total", "Transactions shared by the store's writes.", counter, float64(stats.Transactions), nil},
		{
			"flightdesk_store_commits_in_doubt_total", "Commits that the database did not confirm; their outcome was asked for.",
			counter, float64(stats.InDoubt), nil,
		},
	})
}

// backlogTimeout is how long /metrics waits for the database.
const backlogTimeout = 3 * time.Second

// collectBacklog reads how many callbacks are pending; it sends nothing if the database
// does not answer.
func (m *serviceMetrics) collectBacklog(to chan<- prometheus.Metric) {
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
	const gauge = prometheus.GaugeValue
	sendReadings(to, []reading{
		{
			"flightdesk_callbacks_pending", "Callbacks of all processes that wait for an attempt or its outcome.",
			gauge, float64(pending), nil,
		},
		{"flightdesk_callback_oldest_pending_seconds", "Age of the oldest of them.", gauge, age, nil},
	})
}

// collectPool reads the values of the connections to a shared database.
func (m *serviceMetrics) collectPool(to chan<- prometheus.Metric) {
	pool, shared := m.store.Pool()
	if !shared {
		return
	}
	const (
		counter = prometheus.CounterValue
		gauge   = prometheus.GaugeValue
	)
	sendReadings(to, []reading{
		{"flightdesk_database_connections_open", "Connections to the database.", gauge, float64(pool.Open), nil},
		{"flightdesk_database_connections_in_use", "Connections in use.", gauge, float64(pool.InUse), nil},
		{"flightdesk_database_connections_max", "Maximum number of connections of this process.", gauge, float64(pool.Max), nil},
		{"flightdesk_database_connection_waits_total", "Number of waits for a connection.", counter, float64(pool.Waits), nil},
		{
			"flightdesk_database_connection_wait_seconds_total", "Time spent waiting for connections.",
			counter, pool.Waited.Seconds(), nil,
		},
		{"flightdesk_database_queries_total", "Read queries outside of writes.", counter, float64(pool.Queries), nil},
		{
			"flightdesk_database_clock_ahead_seconds", "How far this machine's clock is ahead of the database's.",
			gauge, pool.ClockAhead.Seconds(), nil,
		},
		{"flightdesk_database_query_seconds_total", "Duration of these queries.", counter, pool.Queried.Seconds(), nil},
	})
}
