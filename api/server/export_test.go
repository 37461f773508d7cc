package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/callback"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
	"flightdesk/api/server/internal/store/storetest"
)

// GatherPoolMetrics returns the metrics of the connections to a shared database, with zeros.
func GatherPoolMetrics() ([]*dto.MetricFamily, error) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(readingCollector(func(values metricStream) {
		values.sendPool(store.PoolStats{})
	}))
	return registry.Gather()
}

// Direct returns a transport that calls the server in this process.
func Direct(s *Server) http.RoundTripper { return handlerTransport{handler: s.service.handler} }

// DirectTo returns a transport that calls the handler in this process.
func DirectTo(h http.Handler) http.RoundTripper { return handlerTransport{handler: h} }

// DomainOf returns the server's domain.
func DomainOf(s *Server) *domain.Service { return s.service.domain }

// Panicking returns a handler of the server that panics. If late is set, it panics after it has
// written a part of the response.
func Panicking(s *Server, late bool) http.Handler {
	return s.service.newGateway(s).observeRequest(func(x *exchange) {
		if late {
			x.write(http.StatusOK, "text/plain", []byte("half"))
		}
		panic("a bug")
	})
}

// Failing returns a handler of the server that fails with the error.
func Failing(s *Server, err error) http.Handler {
	return s.service.newGateway(s).observeRequest(func(x *exchange) { x.writeError(err) })
}

// Operations lists method and path of every route.
func Operations(s *Server) [][2]string {
	var all [][2]string
	for _, r := range s.service.operationTable(s) {
		all = append(all, [2]string{r.method, r.path})
	}
	return all
}

// ReadCreateOrder reads a body as the handler does.
func ReadCreateOrder(body []byte) (api.CreateOrderRequest, error) {
	var in createOrderBody
	err := readJSON(body, time.Time{}, nil, &in)
	return api.CreateOrderRequest{Order: in.Order.OrderInput, Missions: in.Missions.missions}, err
}

// ReadUpload reads an upload as the handler does.
func ReadUpload(r *http.Request) ([]byte, error) {
	return (&exchange{w: httptest.NewRecorder(), r: r}).readUpload()
}

// Cursors seals and opens as the server does.
func Cursors(secret []byte) (
	seal func(list string, account int64, p store.Position) string,
	open func(list string, account int64, cursor string) (store.Position, error),
) {
	s := cursorSealer{secret}
	return s.sealCursor, s.openCursor
}

// FilesKept returns the number of files of a server in memory.
func FilesKept(s *Server) int { return s.service.files.(*files.Memory).Len() }

// ReadForm reads a form of files as the handler does, deletes the files and returns their names.
func ReadForm(s *Server, r *http.Request) ([]string, error) {
	var names []string
	x := &exchange{w: httptest.NewRecorder(), r: r}
	u := fileUploads{domain: s.service.domain, log: s.Log}
	f, err := u.storeForm(x, formLimits{part: "files", files: 10, fields: []string{"fileDataType"}})
	if err != nil {
		return nil, err
	}
	for _, file := range f.files {
		names = append(names, file.Name)
	}
	u.discardFiles(x, f)
	return names, nil
}

// Limiter returns the limiter that allows each key a number of requests per second.
func Limiter(rate float64) func(key string, now time.Time) time.Duration {
	limiter := &rateLimiter{rate: rate}
	return func(key string, now time.Time) time.Duration { return limiter.reserve(key, now) }
}

// MaxRecorded is the maximum number of refusals of an operator that are recorded within an hour.
const MaxRecorded = maxRecorded

// ControlRefusals returns why the test controls of a server are refused, or "" if they are not.
func ControlRefusals(s *Server) (world, play string) {
	access := s.controlAccess()
	return access.worldRefusal(), access.playRefusal()
}

// Links seals and opens links as the server does.
func Links(secret []byte) (
	seal func(id int64, name string, expires time.Time) string, open func(token, name string, now time.Time) (int64, error),
) {
	s := linkSealer{secret}
	return s.linkPath, s.verifyLink
}

// CursorBefore returns the cursor of an order in its account's list.
func CursorBefore(s *Server, accountUUID, code string) (string, error) {
	account, err := store.ByUUID[store.Account](context.Background(), s.service.store, accountUUID)
	if err != nil {
		return "", err
	}
	order, err := s.service.store.OrderByCode(context.Background(), code)
	return s.service.cursors.sealCursor(orderList, account.ID, order.Position()), err
}

// SetTiming shortens the times of callbacks. It must be called before the start.
func SetTiming(s *Server, t callback.SenderTiming) { s.tests.timing = t }

// ReadCreateWebhook reads a body as the handler does.
func ReadCreateWebhook(body []byte) (api.CreateWebhookRequest, error) {
	var in api.CreateWebhookRequest
	err := readJSON(body, time.Time{}, nil, &in)
	return in, err
}

// SetFaultChance replaces the random numbers and the waiting of injected faults. It must be called
// before the start.
func SetFaultChance(s *Server, random func() float64, wait func(context.Context, time.Duration)) {
	s.service.faults.random = random
	s.service.faults.wait = wait
}

// Steadily performs an operation as the router does, which repeats an operation that a reset has
// interrupted. It returns how often the operation was performed.
func Steadily(s *Server, method, path string, do func() error) (n int, err error) {
	_, err = s.service.newGateway(s).runBetweenResets(&exchange{}, apiRoute{method: method, path: path, handle: func(*exchange) (handlerAnswer, error) {
		n++
		return handlerAnswer{}, do()
	}})
	return n, err
}

// ReadRecordBody reads a body as a handler of the v2 API or of operations does: the body of a list of
// records, a decision, a quote, details or notifications.
func ReadRecordBody(kind int, body []byte, now time.Time) error {
	bodies := []any{&recordListBody{}, &decisionBody{}, &quoteBody{}, &api.RecordDetails{}, &ops.NotificationInput{}}
	return readJSON(body, now, nil, bodies[min(kind, len(bodies)-1)])
}

// SetBucketWait sets how long a start waits for the bucket.
func SetBucketWait(s *Server, d time.Duration) { s.tests.bucketWait = d }

// UseEngine makes a server use the database engine of the test run, with a database for this server
// only. A server with a folder keeps its own database.
func UseEngine(t testing.TB, s *Server) {
	if s.Dir == "" && s.Database.URL == "" && !s.tests.alone {
		s.Database.URL = storetest.Address(t)
		s.tests.alone = true
	}
}

// Embedded makes a server use the embedded database in every test run.
func Embedded(s *Server) *Server {
	s.tests.alone = true
	return s
}

// EncodeRecord returns the stored JSON of an order for getorderslist.
func EncodeRecord(o store.Order) (string, error) { return encodeRecord(o) }

// AppendRow writes an order as getorderslist does.
func AppendRow(b []byte, a store.Account, o store.OrderBrief, links []string) ([]byte, error) {
	return appendRow(b, &a, &o, links)
}

// RecordOf returns an order of a list as the type that describes its JSON.
func RecordOf(a store.Account, r store.Record, links []string) api.OrderRecord {
	wire := orderRecord(a, r)
	wire.DeliveryFiles = &api.DeliveryFiles{Links: append([]string{}, links...)}
	return wire
}

// MaxUnknownOfAddress is the number of requests with unknown keys that are logged per address and
// hour.
const MaxUnknownOfAddress = maxUnknownOfAddress
