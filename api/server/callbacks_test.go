package server_test

import (
	"context"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/callback"
	"flightdesk/api/server/internal/store"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// receiver is an HTTPS receiver with its own certificate. It passes on each request and responds with
// the configured status.
type receiver struct {
	*httptest.Server
	got    chan *http.Request
	answer chan int
}

type bodyKey struct{}

func newReceiver(t testing.TB) *receiver {
	t.Helper()
	v := &receiver{got: make(chan *http.Request, 100), answer: make(chan int, 100)}
	v.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		v.got <- r.WithContext(context.WithValue(context.Background(), bodyKey{}, body))
		select {
		case code := <-v.answer:
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(code)
		case <-r.Context().Done():
		}
	}))
	v.Config.ErrorLog = log.New(io.Discard, "", 0)
	v.StartTLS()
	t.Cleanup(v.Close)
	return v
}

func bodyOf(r *http.Request) []byte { return r.Context().Value(bodyKey{}).([]byte) }

func (v *receiver) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: v.Certificate().Raw})
}

// quick has short times for tests in which attempts fail.
var quick = callback.SenderTiming{Waits: []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond}}

// newCallbackBench returns a bench whose server can send to the receiver.
func newCallbackBench(t testing.TB, v *receiver, timing callback.SenderTiming) *bench {
	t.Helper()
	s := &server.Server{WebhookAllow: loopback, WebhookCA: v.pem()}
	server.SetTiming(s, timing)
	return newBenchOn(t, s)
}

// sendTest sends a test event through the operations API.
func (b *bench) sendTest(webhook string, event api.EventName) api.WebhookDelivery {
	b.t.Helper()
	r := b.call("POST", opsPath+"/webhooks/"+webhook+"/test", b.s.Ready().OpsKey, map[string]any{"event": event})
	if r.status != http.StatusCreated {
		b.t.Fatalf("sending a test event: %d %s", r.status, r.raw)
	}
	return into[api.WebhookDelivery](b.t, r)
}

func (b *bench) log(webhook string) []api.WebhookDelivery {
	b.t.Helper()
	return into[api.Page[api.WebhookDelivery]](b.t, b.call("GET", webhooks+"/"+webhook+"/deliveries", b.alice, nil)).Items
}

// settled waits until the newest row of the log is no longer pending.
func (b *bench) settled(webhook string) api.WebhookDelivery {
	b.t.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; {
		if row := b.log(webhook)[0]; row.Error == nil || *row.Error != store.DeliveryPending {
			return row
		}
	}
	b.t.Fatal("the delivery stays pending")
	return api.WebhookDelivery{}
}

func TestCallbackArrives(t *testing.T) {
	v := newReceiver(t)
	b := newCallbackBench(t, v, quick)
	w := b.register(b.alice, v.URL+"/hook?x=1")
	made := b.sendTest(w.UUID, api.EventFlightScheduled)
	if made.Success || *made.Attempts != 0 || *made.Error != "pending" {
		t.Errorf("at first: %+v", made)
	}
	r := <-v.got
	body := bodyOf(r)
	v.answer <- 202
	if err := api.VerifySignature(w.Secret, r.Header.Get("X-Service-Signature"), body); err != nil {
		t.Error(err)
	}
	if r.Method != http.MethodPost || r.RequestURI != "/hook?x=1" || r.Header.Get("X-Service-Delivery") != made.UUID ||
		r.Header.Get("X-Service-Event") != "mission.flight_scheduled" || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s %s %v", r.Method, r.RequestURI, r.Header)
	}
	if at, err := time.Parse(time.RFC3339Nano, r.Header.Get("X-Service-Timestamp")); err != nil || at.Sub(b.clock.now()).Truncate(2*time.Second) != 0 {
		t.Errorf("sent at %v, %v", at, err)
	}
	value, err := decodeAny(body)
	if err == nil {
		err = theContract(t).doc.Components.Schemas["Event"].Value.VisitJSON(value, openapi3.EnableJSONSchema2020())
	}
	if err != nil || value.(map[string]any)["id"] != made.UUID {
		t.Errorf("%s is no event of the document: %v", body, err)
	}
	if row := b.settled(w.UUID); !row.Success || *row.ResponseCode != 202 || *row.Attempts != 1 || row.Error != nil || row.UUID != made.UUID {
		t.Errorf("in the end: %+v", row)
	}
	got := into[api.WebhookEndpoint](t, b.call("GET", webhooks+"/"+w.UUID, b.alice, nil))
	if got.LastStatus == nil || *got.LastStatus != "success" {
		t.Errorf("the endpoint: %+v", got)
	}
}

func TestFailedCallbackIsResent(t *testing.T) {
	v := newReceiver(t)
	b := newCallbackBench(t, v, quick)
	w := b.register(b.alice, v.URL)
	key := b.s.Ready().OpsKey
	made := b.sendTest(w.UUID, api.EventMissionCompleted)
	bodies := map[string]bool{}
	for _, code := range []int{500, 404, 302, 503} {
		r := <-v.got
		bodies[string(bodyOf(r))] = true
		if r.RequestURI != "/" || r.Header.Get("X-Service-Delivery") != made.UUID {
			t.Errorf("a try: %s %v", r.RequestURI, r.Header)
		}
		v.answer <- code
	}
	if row := b.settled(w.UUID); row.Success || *row.ResponseCode != 503 || *row.Attempts != 4 || *row.Error != "HTTP 503" {
		t.Errorf("after four tries: %+v", row)
	}
	if len(bodies) != 1 {
		t.Errorf("the bodies are %v", bodies)
	}
	if got := into[api.WebhookEndpoint](t, b.call("GET", webhooks+"/"+w.UUID, b.alice, nil)); *got.LastStatus != "failed" {
		t.Errorf("the endpoint: %+v", got)
	}

	b.clock.advance(time.Hour)
	resend := opsPath + "/deliveries/" + made.UUID + "/resend"
	if r := b.call("POST", resend, key, nil); r.status != 200 || into[api.WebhookDelivery](t, r).UUID != made.UUID {
		t.Fatalf("resending: %d %s", r.status, r.raw)
	}
	again := <-v.got
	event, err := api.DecodeEvent(bodyOf(again))
	if err != nil {
		t.Fatal(err)
	}
	if event.ID != made.UUID || !event.Timestamp.Equal(b.clock.now().Truncate(time.Millisecond)) ||
		api.VerifySignature(w.Secret, again.Header.Get("X-Service-Signature"), bodyOf(again)) != nil {
		t.Errorf("sent again: %+v", event)
	}
	if r := b.call("POST", resend, key, "{}"); r.status != 409 || r.fault.Code != api.CodeConflict {
		t.Errorf("while it is being sent: %d %s", r.status, r.raw)
	}
	v.answer <- 200
	if row := b.settled(w.UUID); !row.Success || *row.Attempts != 5 || row.UUID != made.UUID || row.Error != nil {
		t.Errorf("after resending: %+v", row)
	}
	if n := len(b.log(w.UUID)); n != 1 {
		t.Errorf("%d rows", n)
	}
	history := into[ops.CallbackHistory](t, b.call("GET", opsPath+"/deliveries/"+made.UUID, key, nil))
	if history.Delivery.UUID != made.UUID || history.WebhookUID != w.UUID || !history.NextAttemptAt.IsZero() || len(history.Attempts) != 5 {
		t.Fatalf("the history: %+v", history)
	}
	for i, code := range []int{500, 404, 302, 503, 200} {
		a := history.Attempts[i]
		if a.Number != i+1 || a.ResponseCode != code || (a.Error == nil) != (code == 200) || a.Headers["X-Service-Delivery"] != made.UUID ||
			api.VerifySignature(w.Secret, a.Headers["X-Service-Signature"], []byte(a.Body)) != nil {
			t.Errorf("attempt %d: %+v", i, a)
		}
		if again := i == 4; bodies[a.Body] == again || a.ResentAt.IsZero() == again || (a.ResentBy == ops.ResentByOperations) != again {
			t.Errorf("attempt %d was sent with %s, %q %v", i, a.Body, a.ResentBy, a.ResentAt)
		}
	}
	if r := b.call("GET", opsPath+"/deliveries/nope", key, nil); r.status != 404 {
		t.Errorf("a delivery that there is not: %d", r.status)
	}
}

func TestDeletingStopsRetries(t *testing.T) {
	v := newReceiver(t)
	b := newCallbackBench(t, v, callback.SenderTiming{Waits: []time.Duration{3 * time.Second}})
	w := b.register(b.alice, v.URL)
	b.sendTest(w.UUID, api.EventMissionCompleted)
	<-v.got
	v.answer <- 500
	for *b.log(w.UUID)[0].Attempts == 0 {
		if t.Context().Err() != nil {
			t.Fatal("the first try is never kept")
		}
	}
	if r := b.call("DELETE", webhooks+"/"+w.UUID, b.alice, nil); r.status != 200 {
		t.Fatalf("deleting: %d", r.status)
	}
	// A retry to another endpoint, which takes as long, shows that enough time has passed.
	other := b.register(b.alice, v.URL+"/other")
	b.sendTest(other.UUID, api.EventMissionCompleted)
	for range 2 {
		if r := <-v.got; r.RequestURI != "/other" {
			t.Errorf("%s was sent after the deletion", r.RequestURI)
		}
		v.answer <- 500
	}
}

func TestCallbacksToThisMachineAreNotSent(t *testing.T) {
	v := newReceiver(t)
	s := &server.Server{WebhookCA: v.pem()}
	server.SetTiming(s, quick)
	b := newBenchOn(t, s)
	w := b.register(b.alice, v.URL)
	b.sendTest(w.UUID, api.EventMissionCompleted)
	row := b.settled(w.UUID)
	if row.Success || *row.ResponseCode != 0 || *row.Error != "address not allowed for callbacks" || len(v.got) != 0 {
		t.Errorf("%+v", row)
	}
}

func TestPendingCallbacksOfAnEarlierRun(t *testing.T) {
	dir := t.TempDir()
	v := newReceiver(t)
	first := &server.Server{Dir: dir, WebhookAllow: loopback, WebhookCA: v.pem()}
	server.SetTiming(first, callback.SenderTiming{Try: time.Hour, Stop: time.Millisecond})
	if err := first.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := client(t, first)
	w, err := c.Webhooks.Create(t.Context(), api.CreateWebhookRequest{URL: v.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.DomainOf(first).Callbacks.Test(t.Context(), w.UUID, api.EventMissionCompleted); err != nil {
		t.Fatal(err)
	}
	<-v.got // the receiver hangs
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	// A run that was killed had these callbacks left to send.
	killed, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	err = killed.Write(t.Context(), func(tx *store.Tx) error {
		kept, err := store.ByUUID[store.Webhook](tx.Context(), tx, w.UUID)
		if err != nil {
			return err
		}
		return tx.InsertDeliveries(&store.Delivery{
			WebhookID: kept.ID, UUID: "2", Event: api.EventMissionCompleted, Body: "{}", Created: time.Now(),
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := func(s *store.Store) (errors []string) {
		kept, err := store.ByUUID[store.Webhook](t.Context(), s, w.UUID)
		if err != nil {
			t.Fatal(err)
		}
		log, err := store.List[store.Delivery](t.Context(), s, kept.ID, store.ListWindow{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range log {
			errors = append(errors, *d.Error)
		}
		return errors
	}
	if got := strings.Join(rows(killed), ", "); got != "pending, service stopped" {
		t.Errorf("before the restart: %s", got)
	}
	if err := killed.Close(); err != nil {
		t.Fatal(err)
	}
	second := start(t, &server.Server{Dir: dir, WebhookAllow: loopback, WebhookCA: v.pem()})
	if got := strings.Join(rows(server.DomainOf(second).Store), ", "); got != "service stopped, service stopped" {
		t.Errorf("after the restart: %s", got)
	}
}

func TestOpsKey(t *testing.T) {
	b := newBench(t)
	path := opsPath + "/accounts/" + b.accountOf(b.alice) + "/webhooks"
	key := b.s.Ready().OpsKey
	if r := b.call("GET", path, key, nil); r.status != 200 {
		t.Errorf("the key: %d %s", r.status, r.raw)
	}
	for name, header := range map[string][]string{
		"none": nil, "an API key": {"Authorization", "Bearer " + b.alice}, "x-api-key": {"X-Api-Key", key},
		"shorter": {"Authorization", "Bearer " + key[:len(key)-1]}, "longer": {"Authorization", "Bearer " + key + "x"},
		"basic": {"Authorization", "Basic " + key}, "empty": {"Authorization", "Bearer "},
	} {
		if r := b.call("GET", path, "", nil, header...); r.status != 401 || r.fault.Code != api.CodeUnauthenticated {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
	for _, op := range server.Operations(b.s) {
		if strings.HasPrefix(op[1], opsPath) {
			if r := b.call(op[0], strings.ReplaceAll(op[1], "{uuid}", "x"), b.alice, "{}"); r.status != 401 {
				t.Errorf("%v with an API key: %d", op, r.status)
			}
		}
	}
}

func TestOpsReadsWebhooks(t *testing.T) {
	b := newBench(t)
	key := b.s.Ready().OpsKey
	one := b.register(b.alice, "https://a.example/1")
	two := b.register(b.alice, "https://a.example/2")
	b.register(b.bob, "https://b.example")
	path := opsPath + "/accounts/" + b.accountOf(b.alice) + "/webhooks"
	page := into[api.Page[api.WebhookEndpoint]](t, b.call("GET", path+"?limit=1", key, nil))
	if len(page.Items) != 1 || page.Items[0].UUID != two.UUID || page.Items[0].Secret != "" {
		t.Fatalf("%+v", page)
	}
	next := into[api.Page[api.WebhookEndpoint]](t, b.call("GET", path+"?cursor="+*page.NextCursor, key, nil))
	if len(next.Items) != 1 || next.Items[0].UUID != one.UUID || next.HasNextPage {
		t.Errorf("%+v", next)
	}
	other := opsPath + "/accounts/" + b.accountOf(b.bob) + "/webhooks?cursor=" + *page.NextCursor
	for path, want := range map[string]int{
		other: 400, path + "?limit=0": 400, opsPath + "/accounts/none/webhooks": 404,
		opsPath + "/webhooks/" + one.UUID + "/deliveries": 200, opsPath + "/webhooks/none/deliveries": 404,
	} {
		if r := b.call("GET", path, key, nil); r.status != want {
			t.Errorf("%s: %d %s", path, r.status, r.raw)
		}
	}
	for _, c := range []struct {
		path, body string
		want       int
	}{
		{"/webhooks/none/test", "x", 404},
		{"/webhooks/" + one.UUID + "/test", "{}", 400},
		{"/webhooks/" + one.UUID + "/test", `{"event":"order.completed"}`, 400},
		{"/webhooks/" + one.UUID + "/test", `{"event":"mission.completed","x":1}`, 400},
		{"/deliveries/none/resend", "x", 404},
		{"/webhook-trust", `{}`, 400},
		{"/webhook-trust", `{"certificate":"hello"}`, 400},
		{"/webhook-trust", `{"certificate":"` + strings.Repeat("x", 65537) + `"}`, 400},
	} {
		if r := b.call("POST", opsPath+c.path, key, c.body); r.status != c.want {
			t.Errorf("%s %.60s: %d %s", c.path, c.body, r.status, r.raw)
		}
	}
}

func TestTrustedReceiver(t *testing.T) {
	v := newReceiver(t)
	s := &server.Server{WebhookAllow: loopback}
	server.SetTiming(s, quick)
	b := newBenchOn(t, s)
	w := b.register(b.alice, v.URL)
	b.sendTest(w.UUID, api.EventMissionCompleted)
	if row := b.settled(w.UUID); row.Success || !strings.HasPrefix(*row.Error, "certificate not accepted") {
		t.Errorf("before: %+v", row)
	}
	trust := map[string]any{"certificate": string(v.pem())}
	if r := b.call("POST", opsPath+"/webhook-trust", b.s.Ready().OpsKey, trust); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	v.answer <- 200
	b.sendTest(w.UUID, api.EventMissionCompleted)
	if row := b.settled(w.UUID); !row.Success {
		t.Errorf("after: %+v", row)
	}

	kept := newBenchOn(t, &server.Server{Dir: t.TempDir()})
	if r := kept.call("POST", opsPath+"/webhook-trust", kept.s.Ready().OpsKey, trust); r.status != 409 {
		t.Errorf("where data is kept: %d %s", r.status, r.raw)
	}
	err := (&server.Server{WebhookCA: []byte("none")}).Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "PEM") {
		t.Errorf("a useless CA: %v", err)
	}
}
