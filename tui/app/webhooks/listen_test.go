package webhooks_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/tui/app/webhooks"
)

// service returns a service that sends to this machine, with a client of its operations API.
func service(t *testing.T) (*server.Server, *api.Client, *ops.Client) {
	t.Helper()
	s := &server.Server{Demo: true, WebhookAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Listen(t.Context(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	client, err := api.NewClient(s.BaseURL(), api.WithKey(s.Accounts()[0].Key))
	if err != nil {
		t.Fatal(err)
	}
	desk, err := ops.NewClient(s.Ready().OpsURL, s.Ready().OpsKey)
	if err != nil {
		t.Fatal(err)
	}
	return s, client, desk
}

// options returns options to listen on this machine, with a certificate that the service trusts.
func options(t *testing.T, client *api.Client, ops *ops.Client) webhooks.ListenOptions {
	t.Helper()
	certificate, err := webhooks.SelfSigned("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	return webhooks.ListenOptions{
		ReceivingAccount: webhooks.ReceivingAccount{
			Client: client, Account: "one", Runs: webhooks.RunFolder(filepath.Join(t.TempDir(), "listen")),
			Trust: func(ctx context.Context, pem []byte) error {
				_, err := ops.Webhooks.Trust(ctx, pem)
				return err
			},
		},
		ListenPlace: webhooks.ListenPlace{Addr: "127.0.0.1:0"}, Certificate: certificate,
	}
}

func endpoints(t *testing.T, client *api.Client) (urls []string) {
	t.Helper()
	for e, err := range client.Webhooks.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, e.URL)
	}
	return urls
}

// moves causes an event.
func moves(t *testing.T, client *api.Client, desk *ops.Client) *api.Mission {
	t.Helper()
	for o, err := range client.Orders.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		missions, err := client.Missions.List(t.Context(), o.OrderCode, api.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range missions.Items {
			if m := &missions.Items[i]; m.Status == api.MissionFlightScheduled {
				if _, err := desk.Missions.Schedule(t.Context(), m.UUID, ops.FlightInput{FlightDate: api.TimeOf(time.Now().Add(72 * time.Hour))}); err != nil {
					t.Fatal(err)
				}
				return m
			}
		}
	}
	t.Fatal("no flight is scheduled")
	return nil
}

func TestAnEventIsReceivedWithASelfSignedCertificate(t *testing.T) {
	_, client, ops := service(t)
	before := endpoints(t, client)
	heard := make(chan *api.Event, 1)
	o := options(t, client, ops)
	o.Handle = func(_ context.Context, e *api.Event) error { heard <- e; return nil }
	o.Refused = func(err error) { t.Error(err) }
	l, err := webhooks.OpenListener(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := endpoints(t, client); got[0] != l.URL || !strings.HasPrefix(l.URL, "https://127.0.0.1:") {
		t.Errorf("registered as %s, among %v", l.URL, got)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Serve(ctx) }()
	m := moves(t, client, ops)
	if e := <-heard; e.Data.Mission.UUID != m.UUID || e.Event != api.EventFlightScheduled {
		t.Errorf("heard %+v", e)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := endpoints(t, client); len(got) != len(before) {
		t.Errorf("left %v", got)
	}
	if left, _ := os.ReadDir(string(o.Runs)); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// A panic of the handler is the error of the event: the event is sent again, and the listener
// continues.
func TestAnEventIsSentAgainIfItsHandlerPanics(t *testing.T) {
	_, client, ops := service(t)
	heard, tries := make(chan string, 2), 0
	o := options(t, client, ops)
	o.Handle = func(_ context.Context, e *api.Event) error {
		heard <- e.ID
		if tries++; tries == 1 {
			panic("no such row")
		}
		return nil
	}
	l, err := webhooks.OpenListener(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Serve(ctx) }()
	moves(t, client, ops)
	if first, second := <-heard, <-heard; first != second {
		t.Errorf("%s came, then %s", first, second)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// panicking is a socket that panics when it accepts connections.
type panicking struct{ net.Listener }

func (panicking) Accept() (net.Conn, error) { panic("no such socket") }

func TestAPanicOfTheServerStopsListening(t *testing.T) {
	_, client, ops := service(t)
	o := options(t, client, ops)
	before := endpoints(t, client)
	l, err := webhooks.OpenListener(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	l.SetSocket(panicking{l.Socket()})
	var panicked *api.PanicError
	if err := l.Serve(t.Context()); !errors.As(err, &panicked) || panicked.Value != "no such socket" {
		t.Errorf("it ended with %v", err)
	}
	if got := endpoints(t, client); len(got) != len(before) {
		t.Errorf("left %v", got)
	}
}

func TestAnExistingEndpointIsNotRemoved(t *testing.T) {
	_, client, ops := service(t)
	heard := make(chan *api.Event, 1)
	o := options(t, client, ops)
	o.Handle = func(_ context.Context, e *api.Event) error { heard <- e; return nil }
	first, err := webhooks.OpenListener(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	registered, err := client.Webhooks.Create(t.Context(), api.CreateWebhookRequest{URL: first.URL})
	if err != nil {
		t.Fatal(err)
	}
	o.Addr = first.Addr
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.Known = registered
	l, err := webhooks.OpenListener(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Serve(ctx) }()
	moves(t, client, ops)
	<-heard
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := client.Webhooks.Get(t.Context(), registered.UUID); err != nil {
		t.Errorf("it is gone: %v", err)
	}
}

// crashed creates what a killed run leaves: its endpoint, and its file without a lock. A process with
// the ID of the run may exist, because IDs repeat in containers.
func crashed(t *testing.T, o webhooks.ListenOptions) {
	t.Helper()
	if _, err := webhooks.OpenListener(t.Context(), o); err != nil { // neither served nor closed
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(string(o.Runs), "*.json"))
	for _, name := range files {
		if err := os.Rename(name+".lock", filepath.Join(t.TempDir(), "held")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEventsMissedByACrashedRunAreReported(t *testing.T) {
	_, client, ops := service(t)
	before := endpoints(t, client)
	o := options(t, client, ops)
	crashed(t, o)
	m := moves(t, client, ops)

	other := o
	other.Account = "two"
	l, err := webhooks.OpenListener(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Left) > 0 {
		t.Errorf("removed what another account has left: %+v", l.Left)
	}
	if err := l.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	if l, err = webhooks.OpenListener(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	left := l.Left
	if len(left) != 1 || len(left[0].Missed) != 1 || left[0].Missed[0].MissionUID != m.UUID {
		t.Errorf("left %+v", left)
	}
	if err := l.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := endpoints(t, client); len(got) != len(before) {
		t.Errorf("left %v", got)
	}
	if files, _ := os.ReadDir(string(o.Runs)); len(files) > 0 {
		t.Errorf("left %v", files)
	}
}

// A live run is recognised by its lock, because the process ID may be from another machine or
// container.
func TestALiveRunKeepsItsEndpoint(t *testing.T) {
	_, client, ops := service(t)
	o := options(t, client, ops)
	first, err := webhooks.OpenListener(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	second, err := webhooks.OpenListener(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if left := second.Left; len(left) > 0 {
		t.Errorf("removed %+v", left)
	}
	if err := errors.Join(second.Close(t.Context()), first.Close(t.Context())); err != nil {
		t.Error(err)
	}
}

func TestNothingIsRegisteredIfListeningFails(t *testing.T) {
	_, client, ops := service(t)
	before := endpoints(t, client)
	o := options(t, client, ops)
	o.Trust = func(context.Context, []byte) error { return context.DeadlineExceeded }
	if _, err := webhooks.OpenListener(t.Context(), o); err == nil || !strings.Contains(err.Error(), "trust the receiver") {
		t.Errorf("says %v", err)
	}
	o.Addr = "127.0.0.1:no"
	if _, err := webhooks.OpenListener(t.Context(), o); err == nil || !strings.Contains(err.Error(), "use another address") {
		t.Errorf("says %v", err)
	}
	if got := endpoints(t, client); len(got) != len(before) {
		t.Errorf("registered %v", got)
	}
}

func TestTheCertificateIsSentWithoutItsKey(t *testing.T) {
	_, client, _ := service(t)
	o := options(t, client, nil)
	o.Trust = func(_ context.Context, text []byte) error {
		block, rest := pem.Decode(text)
		if block == nil || block.Type != "CERTIFICATE" || len(rest) > 0 {
			t.Fatalf("told of %q", text)
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil || c.VerifyHostname("127.0.0.1") != nil || c.IsCA {
			t.Errorf("the certificate is %+v, %v", c, err)
		}
		return nil
	}
	l, err := webhooks.OpenListener(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if c, err := webhooks.SelfSigned("me.example"); err != nil {
		t.Error(err)
	} else if leaf, err := x509.ParseCertificate(c.Certificate[0]); err != nil || leaf.VerifyHostname("me.example") != nil {
		t.Errorf("%v, %v", leaf, err)
	}
}
