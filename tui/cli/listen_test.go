package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/tui/app/webhooks"
)

// hears is a service that sends callbacks to the files' certificate.
func hears(t *testing.T) (*server.Server, *api.Client, listenFlags) {
	t.Helper()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "me.pem"), filepath.Join(dir, "me-key.pem")
	if err := makePair("me", cert, key); err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	s := &server.Server{Demo: true, WebhookAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, WebhookCA: pem}
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
	return s, client, listenFlags{addr: "127.0.0.1:0", cert: cert, key: key, output: &choice{value: "json"}}
}

// happens has the service deliver something, which is an event.
func happens(t *testing.T, s *server.Server, client *api.Client) {
	t.Helper()
	mission, err := scheduled(client, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := deliver(s.Ready().OpsURL, s.Ready().OpsKey, mission, delivered{"a.jpg", "jpg", []byte("picture")}); err != nil {
		t.Fatal(err)
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

func TestListenHearsForwardsAndLeavesNothing(t *testing.T) {
	s, client, flags := hears(t)
	before := endpoints(t, client)
	forwarded := make(chan *api.Event, 1)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e, _ := api.DecodeEvent(body)
		if r.Header.Get(api.HeaderDelivery) != e.ID || !strings.HasPrefix(r.Header.Get(api.HeaderSignature), "sha256=") {
			t.Errorf("sent on with %v", r.Header)
		}
		forwarded <- e
	}))
	defer target.Close()
	flags.forward, flags.count = target.URL, 1

	runs := webhooks.Runs(filepath.Join(t.TempDir(), "listen"))
	out, to := io.Pipe()
	l := &listener{online: &online{client: client}, flags: flags, out: to, trouble: io.Discard, runs: runs}
	done := make(chan error, 1)
	go func() {
		err := l.run(t.Context())
		_ = to.Close()
		done <- err
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal(<-done)
	}
	var first struct{ Event, URL, Endpoint string }
	if err := json.Unmarshal(lines.Bytes(), &first); err != nil || first.Event != "listening" {
		t.Fatalf("%s, %v", lines.Bytes(), err)
	}
	if got := endpoints(t, client); len(got) != len(before)+1 || got[0] != first.URL {
		t.Errorf("endpoints %v", got)
	}
	happens(t, s, client)
	if e := <-forwarded; e.Event != api.EventDataDelivered {
		t.Errorf("sent on %+v", e)
	}
	if !lines.Scan() || !strings.Contains(lines.Text(), `"event":"mission.data_delivered"`) {
		t.Errorf("printed %q", lines.Text())
	}
	if lines.Scan() {
		t.Errorf("more than was asked for: %q", lines.Text())
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := endpoints(t, client); len(got) != len(before) {
		t.Errorf("left %v", got)
	}
	if left, _ := filepath.Glob(filepath.Join(string(runs), "*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Interrupted, or without a service, it leaves neither endpoint nor file.
func TestListenLeavesNothingWhereItEndsEarly(t *testing.T) {
	_, client, flags := hears(t)
	before := endpoints(t, client)
	runs := webhooks.Runs(filepath.Join(t.TempDir(), "listen"))
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, to := io.Pipe()
	l := &listener{online: &online{client: client}, flags: flags, out: to, trouble: io.Discard, runs: runs}
	done := make(chan error, 1)
	go func() { done <- l.run(ctx) }()
	if !bufio.NewScanner(out).Scan() {
		t.Fatal(<-done)
	}
	interrupt()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := endpoints(t, client); len(got) != len(before) {
		t.Errorf("left %v", got)
	}
	nobody, err := api.NewClient("http://127.0.0.1:1/api/v1/public", api.WithKey("k"))
	if err != nil {
		t.Fatal(err)
	}
	l = &listener{online: &online{client: nobody}, flags: flags, out: io.Discard, trouble: io.Discard, runs: runs}
	if err := l.run(t.Context()); err == nil {
		t.Error("registered with nobody")
	}
	if left, err := os.ReadDir(string(runs)); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
