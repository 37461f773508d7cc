package server

import (
	"bytes"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"flightdesk/api"
	"flightdesk/api/server/callback"
	"flightdesk/api/server/store"
)

// monitoring stands for the scope of the figures: the desk's key opens them,
// and so does asking on the machine itself.
const monitoring api.Scope = "monitoring"

// metrics are the figures of one running service. Their labels are of its own
// making, so that nobody can make it keep ever more of them.
type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.HistogramVec
	underWay  prometheus.Gauge
	callbacks *prometheus.CounterVec
}

func newMetrics(s *store.Store) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "flightdesk_http_request_duration_seconds",
			Help:    "Requests answered, and the time from their header to the end of their answer.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60},
		}, []string{"method", "route", "status"}),
		underWay: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "flightdesk_http_requests_in_flight", Help: "Requests that are being worked on.",
		}),
		callbacks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "flightdesk_callback_tries_total",
			Help: "Tries of callbacks: delivered, retried (failed, another follows) and failed (none follows).",
		}, []string{"outcome"}),
	}
	for _, outcome := range []string{outcomeDelivered, outcomeRetried, outcomeFailed} {
		m.callbacks.WithLabelValues(outcome) // there from the start, as 0
	}
	count := func(name, help string, labels prometheus.Labels, value func(store.Stats) uint64) prometheus.Collector {
		opts := prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}
		return prometheus.NewCounterFunc(opts, func() float64 { return float64(value(s.Stats())) })
	}
	const writes, writesHelp = "flightdesk_store_writes_total", "Writes of the store, kept on disk or undone."
	m.registry.MustRegister(
		m.requests, m.underWay, m.callbacks,
		count(writes, writesHelp, prometheus.Labels{"result": "kept"}, func(s store.Stats) uint64 { return s.Kept }),
		count(writes, writesHelp, prometheus.Labels{"result": "undone"}, func(s store.Stats) uint64 { return s.Undone }),
		count("flightdesk_store_transactions_total", "Transactions that the writes of the store shared.", nil,
			func(s store.Stats) uint64 { return s.Transactions }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// finished counts a request whose answer is out.
func (m *metrics) finished(x *exchange, took time.Duration) {
	m.underWay.Dec()
	route := x.r.Pattern
	if route == "" || route == "/" {
		route = "none"
	}
	m.requests.WithLabelValues(knownMethod(x.r.Method), route, strconv.Itoa(x.status)).Observe(took.Seconds())
}

// The outcomes of a try.
const (
	outcomeDelivered = "delivered"
	outcomeRetried   = "retried"
	outcomeFailed    = "failed"
)

// tried counts tries of callbacks.
func (m *metrics) tried(outcomes []callback.Outcome) {
	for _, o := range outcomes {
		outcome := outcomeFailed
		switch {
		case o.Error == "":
			outcome = outcomeDelivered
		case o.Again:
			outcome = outcomeRetried
		}
		m.callbacks.WithLabelValues(outcome).Inc()
	}
}

// knownMethod is the method if any route could have it; others are one.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// admitMonitor lets those on the machine itself see the figures, and holders
// of the desk's key.
func (s *Server) admitMonitor(x *exchange) error {
	if isLocal(x.r) {
		return nil
	}
	return s.admitOps(x)
}

// isLocal reports whether a request comes from this machine by itself. What a
// proxy on this machine hands on comes from elsewhere.
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

func (s *Server) readMetrics(*exchange) (answer, error) {
	families, err := s.metrics.registry.Gather()
	if err != nil {
		return answer{}, err
	}
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	var text bytes.Buffer
	encoder := expfmt.NewEncoder(&text, format)
	for _, family := range families {
		if err := encoder.Encode(family); err != nil {
			return answer{}, err
		}
	}
	return answer{file: &file{mediaType: string(format), content: text.Bytes()}}, nil
}
