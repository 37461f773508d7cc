package server

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	vm "github.com/VictoriaMetrics/metrics"

	"flightdesk/api/server/internal/callback"
	"flightdesk/api/server/internal/store"
)

// serviceMetrics are the figures of one running service. Their labels are of its own
// making, so that nobody can make it keep ever more of them.
type serviceMetrics struct {
	store     *store.Store
	version   string
	now       func() time.Time
	underWay  atomic.Int64
	callbacks map[string]*atomic.Uint64 // by outcome; there from the start, as 0

	requestLog *requestLog
	full       atomic.Uint64 // requests that were refused since the storage is full

	mu       sync.Mutex
	requests map[requestKind]*requestDurations
}

// requestKind is what requests are counted by.
type requestKind struct {
	method, route string
	status        int
}

// bounds are the upper ends, in seconds, of the buckets of durations; one more
// has no end.
var bounds = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60}

// requestDurations count requests by how long they took.
type requestDurations struct {
	buckets [len(bounds) + 1]uint64 // each without those below
	sum     float64                 // seconds
}

func newServiceMetrics(s *store.Store, version string, now func() time.Time) *serviceMetrics {
	m := &serviceMetrics{
		store:     s,
		version:   version,
		now:       now,
		callbacks: map[string]*atomic.Uint64{},
		requests:  map[requestKind]*requestDurations{},
	}
	for _, outcome := range outcomes {
		m.callbacks[outcome] = new(atomic.Uint64)
	}
	return m
}

// countRequest counts a request whose answer is out.
func (m *serviceMetrics) countRequest(x *exchange, took time.Duration) {
	m.underWay.Add(-1)
	route := x.r.Pattern
	if route == "" || route == "/" {
		route = "none"
	}
	kind := requestKind{knownMethod(x.r.Method), route, x.status}
	seconds := took.Seconds()
	bucket, _ := slices.BinarySearch(bounds[:], seconds)
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.requests[kind]
	if d == nil {
		d = &requestDurations{}
		m.requests[kind] = d
	}
	d.buckets[bucket]++
	d.sum += seconds
}

// The outcomes of a try.
const (
	outcomeDelivered = "delivered"
	outcomeRetried   = "retried"
	outcomeFailed    = "failed"
)

var outcomes = [...]string{outcomeDelivered, outcomeFailed, outcomeRetried}

// countAttempts counts tries of callbacks.
func (m *serviceMetrics) countAttempts(tries []callback.Outcome) {
	for _, o := range tries {
		outcome := outcomeFailed
		switch {
		case o.Error == "":
			outcome = outcomeDelivered
		case o.Again:
			outcome = outcomeRetried
		}
		m.callbacks[outcome].Add(1)
	}
}

// knownMethod returns the method if any route could have it; others are one.
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

func (m *monitoringHandlers) readMetrics(x *exchange) (handlerAnswer, error) {
	var text bytes.Buffer
	m.metrics.writeMetrics(&text)
	m.metrics.writeBacklog(x.r.Context(), &text)
	writeValue(&text, "flightdesk_database_up", "gauge", "Whether the database can be used.",
		m.dependencies.database.upValue())
	writeValue(&text, "flightdesk_files_up", "gauge", "Whether the file store can be reached.",
		m.dependencies.files.upValue())
	vm.WriteProcessMetrics(&text)
	vm.WriteFDMetrics(&text)
	return handlerAnswer{
		file: &fileAnswer{mediaType: "text/plain; version=0.0.4; charset=utf-8", content: text.Bytes()},
	}, nil
}

// writeMetrics writes the service's own figures in the text format of Prometheus.
func (m *serviceMetrics) writeMetrics(w *bytes.Buffer) {
	const tries = "flightdesk_callback_tries_total"
	writeHead(
		w,
		tries,
		"counter",
		"Callback attempts: delivered, retried (failed, another follows) and failed (none follows).",
	)
	for _, outcome := range outcomes {
		fmt.Fprintf(w, "%s{outcome=%q} %d\n", tries, outcome, m.callbacks[outcome].Load())
	}
	m.writeRequests(w)
	writeValue(w, "flightdesk_http_requests_in_flight", "gauge", "Requests in progress.", m.underWay.Load())
	m.writePool(w)
	const build = "flightdesk_build_info"
	writeHead(w, build, "gauge", "Version of the program.")
	fmt.Fprintf(w, "%s{version=%q,go=%q} 1\n", build, m.version, runtime.Version())
	writeValue(w, "flightdesk_schema_version", "gauge", "Version of the database's schema.", m.store.Schema().To)
	writeValue(w, "flightdesk_storage_full_total", "counter",
		"Requests refused since the disk, the database or the file store was full.", m.full.Load())
	const recorded = "flightdesk_request_log_total"
	writeHead(w, recorded, "counter",
		"Requests of accounts for the request log: written, and dropped since there were too many or the database was away.")
	fmt.Fprintf(w, "%[1]s{result=\"written\"} %[2]d\n%[1]s{result=\"dropped\"} %[3]d\n",
		recorded, m.requestLog.written.Load(), m.requestLog.dropped.Load())
	stats := m.store.Stats()
	writeValue(
		w,
		"flightdesk_store_transactions_total",
		"counter",
		"Transactions shared by the store's writes.",
		stats.Transactions,
	)
	writeValue(w, "flightdesk_store_commits_in_doubt_total", "counter",
		"Commits that the database did not confirm; their outcome was asked for.", stats.InDoubt)
	const writes = "flightdesk_store_writes_total"
	writeHead(w, writes, "counter", "Writes of the store, committed or rolled back.")
	fmt.Fprintf(
		w,
		"%[1]s{result=\"kept\"} %[2]d\n%[1]s{result=\"undone\"} %[3]d\n",
		writes,
		stats.Kept,
		stats.Undone,
	)
}

// writeRequests writes a histogram for each kind of request, its buckets
// cumulative as Prometheus wants them.
func (m *serviceMetrics) writeRequests(w *bytes.Buffer) {
	const name = "flightdesk_http_request_duration_seconds"
	writeHead(w, name, "histogram", "Request duration from the header to the end of the response.")
	m.mu.Lock()
	defer m.mu.Unlock()
	kinds := slices.Collect(maps.Keys(m.requests))
	sort.Slice(kinds, func(i, j int) bool {
		a, b := kinds[i], kinds[j]
		return cmp.Or(strings.Compare(a.method, b.method), strings.Compare(a.route, b.route), a.status-b.status) < 0
	})
	for _, kind := range kinds {
		d := m.requests[kind]
		labels := fmt.Sprintf("method=%q,route=%q,status=\"%d\"", kind.method, kind.route, kind.status)
		count := uint64(0)
		for i, n := range d.buckets {
			count += n
			end := math.Inf(1)
			if i < len(bounds) {
				end = bounds[i]
			}
			fmt.Fprintf(w, "%s_bucket{%s,le=\"%v\"} %d\n", name, labels, end, count)
		}
		fmt.Fprintf(w, "%[1]s_sum{%[2]s} %[3]v\n%[1]s_count{%[2]s} %[4]d\n", name, labels, d.sum, count)
	}
}

// writeHead writes what introduces the series of a name.
func writeHead(w *bytes.Buffer, name, kind, help string) {
	fmt.Fprintf(w, "# HELP %[1]s %[3]s\n# TYPE %[1]s %[2]s\n", name, kind, help)
}

func writeValue(w *bytes.Buffer, name, kind, help string, value any) {
	writeHead(w, name, kind, help)
	fmt.Fprintf(w, "%s %v\n", name, value)
}

// backlogTimeout is how long /metrics waits for the database.
const backlogTimeout = 3 * time.Second

// writeBacklog writes how many callbacks wait; nothing where the database does not tell.
func (m *serviceMetrics) writeBacklog(ctx context.Context, w *bytes.Buffer) {
	ctx, cancel := context.WithTimeout(ctx, backlogTimeout)
	defer cancel()
	pending, oldest, err := m.store.Backlog(ctx)
	if err != nil {
		return
	}
	age := 0.0
	if pending > 0 {
		age = m.now().Sub(oldest).Seconds()
	}
	writeValue(
		w,
		"flightdesk_callbacks_pending",
		"gauge",
		"Callbacks of all processes that wait for an attempt or its outcome.",
		pending,
	)
	writeValue(w, "flightdesk_callback_oldest_pending_seconds", "gauge", "Age of the oldest of them.", age)
}

// writePool writes the figures of the connections to a database that is shared.
func (m *serviceMetrics) writePool(w *bytes.Buffer) {
	pool, shared := m.store.Pool()
	if !shared {
		return
	}
	for _, figure := range []struct {
		name, kind, help string
		value            any
	}{
		{"flightdesk_database_connections_open", "gauge", "Connections to the database.", pool.Open},
		{"flightdesk_database_connections_in_use", "gauge", "Connections in use.", pool.InUse},
		{"flightdesk_database_connections_max", "gauge", "Maximum number of connections of this process.", pool.Max},
		{"flightdesk_database_connection_waits_total", "counter", "Number of waits for a connection.", pool.Waits},
		{"flightdesk_database_connection_wait_seconds_total", "counter", "Time spent waiting for connections.", pool.Waited.Seconds()},
		{"flightdesk_database_queries_total", "counter", "Read queries outside of writes.", pool.Queries},
		{"flightdesk_database_clock_ahead_seconds", "gauge", "How far this machine's clock is ahead of the database's.", pool.ClockAhead.Seconds()},
		{"flightdesk_database_query_seconds_total", "counter", "Duration of these queries.", pool.Queried.Seconds()},
	} {
		writeValue(w, figure.name, figure.kind, figure.help, figure.value)
	}
}
