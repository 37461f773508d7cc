package webhooks_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/tui/app/webhooks"
)

// set is a feed with a service in server mode.
type set struct {
	*webhooks.EventFeed
	t      *testing.T
	client *api.Client
	ops    *ops.Client
	pool   *x509.CertPool // with the certificate that the service was told of
	woken  chan struct{}
}

func newSet(t *testing.T) *set {
	t.Helper()
	s := &server.Server{Demo: true, WebhookAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Listen(t.Context(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	x := &set{t: t, pool: x509.NewCertPool(), woken: make(chan struct{}, 1)}
	var err error
	if x.client, err = api.NewClient(s.BaseURL(), api.WithKey(s.Accounts()[0].Key)); err != nil {
		t.Fatal(err)
	}
	if x.ops, err = ops.NewClient(s.Ready().OpsURL, s.Ready().OpsKey); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	x.EventFeed = webhooks.NewFeed(webhooks.FeedOptions{
		ReceivingAccount: webhooks.ReceivingAccount{
			Client: x.client, Account: "one", Runs: webhooks.RunFolder(filepath.Join(dir, "listen")),
			Trust: func(ctx context.Context, pem []byte) error {
				x.pool.AppendCertsFromPEM(pem)
				_, err := x.ops.Webhooks.Trust(ctx, pem)
				return err
			},
		},
		Log: webhooks.OpenLog(filepath.Join(dir, "received.jsonl")),
		Wake: func() {
			select {
			case x.woken <- struct{}{}:
			default:
			}
		},
	})
	t.Cleanup(func() { _ = x.StopListening() })
	return x
}

// until waits for wakes until a condition is true.
func (x *set) until(what string, holds func() bool) {
	x.t.Helper()
	late := time.After(time.Minute)
	for !holds() {
		select {
		case <-x.woken:
		case <-late:
			x.t.Fatalf("in vain waited until %s: %+v", what, x.CurrentState())
		}
	}
}

func (x *set) endpoints() (all []*api.WebhookEndpoint) {
	x.t.Helper()
	for e, err := range x.client.Webhooks.All(x.t.Context()) {
		if err != nil {
			x.t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// post sends a callback to the feed, signed with a secret.
func (x *set) post(secret, body string) int {
	x.t.Helper()
	req, err := api.NewCallback(x.t.Context(), x.CurrentState().URL, secret, []byte(body))
	if err != nil {
		x.t.Fatal(err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: x.pool, MinVersion: tls.VersionTLS12}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		x.t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}

func TestTheFeedRegistersAndRemovesAnEndpoint(t *testing.T) {
	x := newSet(t)
	before := len(x.endpoints())
	if err := x.StartListening(t.Context(), webhooks.ListenPlace{}); err != nil {
		t.Fatal(err)
	}
	state := x.CurrentState()
	if state.Phase != webhooks.Listening || !state.Own || len(x.endpoints()) != before+1 {
		t.Errorf("it is %+v", state)
	}
	if err := x.StartListening(t.Context(), webhooks.ListenPlace{}); err == nil {
		t.Error("it listens twice")
	}
	row := x.moves(state.Endpoint)
	x.until("the event is there", func() bool { return len(x.EventLog().AllEvents()) > 0 })
	got := x.EventLog().AllEvents()[0]
	if got.Event.ID != row || got.Endpoint != state.Endpoint || got.At.IsZero() {
		t.Errorf("received %+v", got)
	}
	if err := x.StopListening(); err != nil {
		t.Error(err)
	}
	if n := len(x.endpoints()); n != before || x.CurrentState().Phase != webhooks.Off {
		t.Errorf("%d endpoints, %d before; %+v", n, before, x.CurrentState())
	}
	if err := x.StopListening(); err != nil {
		t.Errorf("stopped again: %v", err)
	}
}

// moves causes an event, and returns the ID of the callback to an endpoint.
func (x *set) moves(endpoint string) string {
	x.t.Helper()
	for o, err := range x.client.Orders.All(x.t.Context()) {
		if err != nil {
			x.t.Fatal(err)
		}
		missions, err := x.client.Missions.List(x.t.Context(), o.OrderCode, api.ListOptions{})
		if err != nil {
			x.t.Fatal(err)
		}
		for _, m := range missions.Items {
			if m.Status != api.MissionFlightScheduled {
				continue
			}
			if _, err := x.ops.Missions.Schedule(x.t.Context(), m.UUID, ops.FlightInput{FlightDate: api.TimeOf(time.Now().Add(72 * time.Hour))}); err != nil {
				x.t.Fatal(err)
			}
			log, err := x.client.Webhooks.Deliveries(x.t.Context(), endpoint, api.ListOptions{})
			if err != nil || len(log.Items) == 0 {
				x.t.Fatalf("no event: %v", err)
			}
			return log.Items[0].UUID
		}
	}
	x.t.Fatal("no flight is scheduled")
	return ""
}

func TestAKnownEndpointIsUsedAndNotRemoved(t *testing.T) {
	x := newSet(t)
	known := &api.WebhookEndpoint{UUID: "e-9", Secret: "whsec_kept"}
	if err := x.StartListening(t.Context(), webhooks.ListenPlace{Known: known}); err != nil {
		t.Fatal(err)
	}
	at := x.client.Now().UTC().Format(time.RFC3339)
	body := `{"id":"d-1","event":"mission.completed","timestamp":"` + at + `","data":{"mission":{"uuid":"m-1","missionCode":"MSN-\u001b[2J","status":"completed"}}}`
	if status := x.post("whsec_other", body); status != http.StatusUnauthorized {
		t.Errorf("another's callback is answered with %d", status)
	}
	if s := x.CurrentState(); s.Refused != 1 || s.Refusal == nil || strings.Contains(s.Refusal.Error(), "whsec") || s.Own {
		t.Errorf("it is %+v", s)
	}
	for range 2 {
		if status := x.post("whsec_kept", body); status != http.StatusNoContent {
			t.Errorf("answered with %d", status)
		}
	}
	all := x.EventLog().AllEvents()
	if len(all) != 1 || all[0].Repeats != 1 || all[0].Endpoint != "e-9" {
		t.Errorf("received %+v", all)
	}
	if err := x.StopListening(); err != nil {
		t.Error(err)
	}
}

func TestAClosedFeedDoesNotListen(t *testing.T) {
	x := newSet(t)
	before := len(x.endpoints())
	if err := x.StartListening(t.Context(), webhooks.ListenPlace{}); err != nil {
		t.Fatal(err)
	}
	if x.CurrentState().Phase == webhooks.Off {
		t.Error("it is over while it listens")
	}
	if err := x.Close(); err != nil || x.CurrentState().Phase != webhooks.Off {
		t.Errorf("phase %v, %v", x.CurrentState().Phase, err)
	}
	if err := x.StartListening(t.Context(), webhooks.ListenPlace{}); err == nil || !strings.Contains(err.Error(), "profile switched") {
		t.Errorf("listening again: %v", err)
	}
	if n := len(x.endpoints()); n != before {
		t.Errorf("%d endpoints, %d before", n, before)
	}
}

func TestTheFeedIsStoppedWhileItStarts(t *testing.T) {
	x := newSet(t)
	before := len(x.endpoints())
	asked := make(chan struct{})
	slow := webhooks.NewFeed(webhooks.FeedOptions{Log: webhooks.OpenLog(""), ReceivingAccount: webhooks.ReceivingAccount{Client: x.client, Trust: func(ctx context.Context, _ []byte) error {
		close(asked)
		<-ctx.Done() // as a service that does not answer
		return ctx.Err()
	}}})
	listening := make(chan error, 1)
	go func() { listening <- slow.StartListening(t.Context(), webhooks.ListenPlace{}) }()
	<-asked
	if err := slow.StopListening(); err != nil {
		t.Error(err)
	}
	if err := <-listening; err == nil || slow.CurrentState().Phase != webhooks.Off {
		t.Errorf("%v, %+v", err, slow.CurrentState())
	}
	if n := len(x.endpoints()); n != before {
		t.Errorf("%d endpoints, %d before", n, before)
	}
}

// fragile is a transport that panics when it is broken.
type fragile struct{ broken atomic.Bool }

func (f *fragile) RoundTrip(r *http.Request) (*http.Response, error) {
	if f.broken.Load() {
		panic("no such request")
	}
	return http.DefaultTransport.RoundTrip(r)
}

// A panic in the goroutine that listens is reported as the error of the feed.
func TestAPanicOfTheFeedOnlyStopsListening(t *testing.T) {
	s, _, ops := service(t)
	way := new(fragile)
	client, err := api.NewClient(s.BaseURL(), api.WithKey(s.Accounts()[0].Key), api.WithTransport(way))
	if err != nil {
		t.Fatal(err)
	}
	feed := webhooks.NewFeed(webhooks.FeedOptions{Log: webhooks.OpenLog(""), ReceivingAccount: webhooks.ReceivingAccount{Client: client, Trust: func(ctx context.Context, pem []byte) error {
		_, err := ops.Webhooks.Trust(ctx, pem)
		return err
	}}})
	if err := feed.StartListening(t.Context(), webhooks.ListenPlace{}); err != nil {
		t.Fatal(err)
	}
	way.broken.Store(true)
	_ = feed.StopListening()
	var panicked *api.PanicError
	if s := feed.CurrentState(); s.Phase != webhooks.Off || !errors.As(s.Err, &panicked) || panicked.Value != "no such request" {
		t.Errorf("it stands %+v", s)
	}
}

func TestTheFeedSaysWhyItDoesNotListen(t *testing.T) {
	x := newSet(t)
	if err := x.StartListening(t.Context(), webhooks.ListenPlace{Addr: "nowhere:x", URL: "https://tunnel.example/"}); err == nil || x.CurrentState().Err == nil || x.CurrentState().Phase != webhooks.Off {
		t.Errorf("%v, %+v", err, x.CurrentState())
	}
	alone := webhooks.NewFeed(webhooks.FeedOptions{ReceivingAccount: webhooks.ReceivingAccount{Client: x.client}, Log: webhooks.OpenLog("")})
	if err := alone.StartListening(t.Context(), webhooks.ListenPlace{}); err == nil || !strings.Contains(err.Error(), "tunnel") || alone.ByItself() {
		t.Errorf("says %v", err)
	}
}

// BenchmarkReceive measures the time from a callback to the wake, which is a part of the time until
// an event is on the screen.
func BenchmarkReceive(b *testing.B) {
	client, err := api.NewClient("http://127.0.0.1:1")
	if err != nil {
		b.Fatal(err)
	}
	woken := make(chan struct{}, 16)
	f := webhooks.NewFeed(webhooks.FeedOptions{ReceivingAccount: webhooks.ReceivingAccount{Client: client}, Log: webhooks.OpenLog(filepath.Join(b.TempDir(), "received.jsonl")), Wake: func() { woken <- struct{}{} }})
	known := &api.WebhookEndpoint{UUID: "e-9", Secret: "whsec_kept"}
	if err := f.StartListening(b.Context(), webhooks.ListenPlace{URL: "https://tunnel.example/", Known: known}); err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.StopListening() }()
	for len(woken) > 0 {
		<-woken
	}
	for b.Loop() {
		body := `{"id":"d-` + time.Now().String() + `","event":"mission.completed","timestamp":"` + time.Now().UTC().Format(time.RFC3339) + `","data":{"mission":{"uuid":"m-1"}}}`
		signed, err := api.NewCallback(b.Context(), "http://"+f.CurrentState().Addr, "whsec_kept", []byte(body))
		if err != nil {
			b.Fatal(err)
		}
		res, err := http.DefaultClient.Do(signed)
		if err != nil || res.StatusCode != http.StatusNoContent {
			b.Fatal(res, err)
		}
		_ = res.Body.Close()
		<-woken
	}
}
