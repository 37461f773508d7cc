package server_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

const publicHandlers = server.PublicPath

// bench is a server on a real connection. It compares every response with openapi.yaml.
type bench struct {
	t      testing.TB
	s      *server.Server
	origin string
	clock  *clock
	alice  string // key of one account, with all scopes
	bob    string // key of another account

	ordered []api.Deliverable // deliverables of stored orders; nil for the usual ones
}

// clock is a service clock that tests set.
type clock struct{ at atomic.Pointer[time.Time] }

func newClock(at time.Time) *clock {
	c := &clock{}
	c.at.Store(&at)
	return c
}

func (c *clock) now() time.Time { return *c.at.Load() }

func (c *clock) advance(d time.Duration) {
	at := c.now().Add(d)
	c.at.Store(&at)
}

func newBench(t testing.TB) *bench {
	t.Helper()
	return newBenchOn(t, &server.Server{})
}

// newBenchOn starts the server with a test clock.
func newBenchOn(t testing.TB, s *server.Server) *bench {
	t.Helper()
	c := newClock(time.Date(2026, 3, 14, 9, 26, 53, 589_793_000, time.UTC))
	s.Now = c.now
	start(t, s)
	addr, err := s.Listen(context.Background(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, s: s, origin: "http://" + addr.String(), clock: c}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	b.alice, b.bob = b.account("Alice AG"), b.account("Bob Ltd")
	return b
}

// account creates an account and returns a key with all scopes.
func (b *bench) account(name string) string {
	b.t.Helper()
	a, err := server.DomainOf(b.s).Accounts.NewAccount(context.Background(), store.Account{CompanyName: name, Currency: "EUR"})
	if err != nil {
		b.t.Fatal(err)
	}
	return b.issue(a.UUID, domain.KeySpec{Scopes: api.Scopes()}).key
}

type issued struct{ key, uuid string }

func (b *bench) issue(account string, spec domain.KeySpec) issued {
	b.t.Helper()
	key, record, err := server.DomainOf(b.s).Accounts.IssueKey(context.Background(), account, spec)
	if err != nil {
		b.t.Fatal(err)
	}
	return issued{key, record.UUID}
}

// accountOf returns the UUID of the account of a key.
func (b *bench) accountOf(key string) string {
	b.t.Helper()
	c, err := server.DomainOf(b.s).Accounts.Authenticate(context.Background(), key)
	if err != nil {
		b.t.Fatal(err)
	}
	return c.Account.UUID
}

// reply is a response in the envelope.
type reply struct {
	status  int
	header  http.Header
	raw     []byte
	Success bool           `json:"success"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data"`
	fault   faultData
}

type faultData struct {
	Code      api.ErrorCode    `json:"code"`
	Errors    []api.FieldError `json:"errors"`
	RequestID string           `json:"requestId"`
}

func faultOf(e *domain.Error) faultData { return faultData{Code: e.Code, Errors: e.Fields} }

// fields returns the paths of the field errors.
func (r reply) fields() []string {
	var fields []string
	for _, e := range r.fault.Errors {
		fields = append(fields, e.Field)
	}
	return fields
}

// call sends a request with the key. header has names and values in turn.
func (b *bench) call(method, path, key string, body any, header ...string) reply {
	b.t.Helper()
	var reader io.Reader
	switch v := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(v)
	case []byte:
		reader = bytes.NewReader(v)
	case io.Reader:
		reader = v
	default:
		reader = bytes.NewReader(mustJSON(b.t, v))
	}
	r, err := http.NewRequest(method, b.origin+path, reader)
	if err != nil {
		b.t.Fatal(err)
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return b.send(r)
}

func (b *bench) send(r *http.Request) reply {
	b.t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	a := reply{status: resp.StatusCode, header: resp.Header}
	a.raw, err = io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	theContract(b.t).checkAnswer(b.t, r, resp, a.raw)
	if resp.Header.Get("Content-Type") != "application/json" || r.Method == http.MethodHead {
		return a
	}
	if err := json.Unmarshal(a.raw, &a); err != nil {
		b.t.Fatalf("%s: %v", a.raw, err)
	}
	if !a.Success {
		if err := json.Unmarshal(a.Data, &a.fault); err != nil {
			b.t.Fatalf("%s: %v", a.raw, err)
		}
	}
	return a
}

// place places an order and returns it.
func (b *bench) place(key string) api.Order {
	b.t.Helper()
	r := b.call("POST", publicHandlers+"/orders", key, survey())
	if r.status != http.StatusCreated {
		b.t.Fatalf("placing an order: %d %s", r.status, r.raw)
	}
	return into[api.Order](b.t, r)
}

// into decodes the data of a response.
func into[T any](t testing.TB, r reply) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(r.Data, &v); err != nil {
		t.Fatalf("%s: %v", r.raw, err)
	}
	return v
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decodeAny(b []byte) (any, error) {
	var v any
	err := json.Unmarshal(b, &v)
	return v, err
}
