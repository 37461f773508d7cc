package cli

import (
	"bufio"
	"bytes"
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

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/tui/app/webhooks"
)

// hears is a service whose desk can be told to trust a listener.
func hears(t *testing.T) (*listenRun, *api.Client) {
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
	l := &listenRun{
		Call: callOn(&Service{Client: client, Ops: desk}, io.Discard), flags: listenFlags{events: &choice[api.EventName]{}, Addr: "127.0.0.1:0"},
		runs: webhooks.RunFolder(filepath.Join(t.TempDir(), "listen")),
	}
	return l, client
}

// callOn is a run of a command that prints JSON.
func callOn(s *Service, out io.Writer) *Call {
	cmd := &cobra.Command{}
	cmd.SetOut(out)
	cmd.SetErr(io.Discard)
	return &Call{Context: context.Background(), program: &program{}, Service: s, Cmd: cmd, Output: "json"}
}

// happens has the service deliver something, which is an event.
func happens(t *testing.T, l *listenRun) {
	t.Helper()
	for o, err := range l.Ops.Orders.All(t.Context(), ops.OrderFilter{Status: api.OrderFlyingDateSet}) {
		if err != nil {
			t.Fatal(err)
		}
		o, err := l.Ops.Orders.Get(t.Context(), o.UUID)
		if err != nil {
			t.Fatal(err)
		}
		file := api.FileInput{Name: "a.jpg", FileDataType: api.DeliverableJPG, Content: strings.NewReader("picture")}
		if _, err := l.Ops.Missions.Deliver(t.Context(), o.Missions[0].UUID, file); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatal("no flight is scheduled")
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
	l, client := hears(t)
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
	out, to := io.Pipe()
	l.flags.Forward, l.flags.Count = target.URL, 1
	l.Cmd.SetOut(to)
	done := make(chan error, 1)
	go func() {
		err := l.runListener()
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
	happens(t, l)
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
	if left, _ := filepath.Glob(filepath.Join(string(l.runs), "*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Interrupted, or without a service, it leaves neither endpoint nor file.
func TestListenLeavesNothingWhereItEndsEarly(t *testing.T) {
	l, client := hears(t)
	before := endpoints(t, client)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, to := io.Pipe()
	l.Cmd.SetOut(to)
	done := make(chan error, 1)
	l.Context = ctx
	go func() { done <- l.runListener() }()
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
	l.Call = callOn(&Service{Client: nobody}, io.Discard)
	if err := l.runListener(); err == nil {
		t.Error("registered with nobody")
	}
	if left, err := os.ReadDir(string(l.runs)); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestAnEventBeyondTheCountIsRefused(t *testing.T) {
	l := &listenRun{Call: callOn(&Service{}, io.Discard), flags: listenFlags{events: &choice[api.EventName]{}, Count: 1}, heard: 1}
	if err := l.handleEvent(t.Context(), &api.Event{}); err == nil {
		t.Error("an event is acknowledged that nobody saw")
	}
}

func TestListenPrintsAnEventAsItWasSent(t *testing.T) {
	for body, want := range map[string]string{
		`{"event": "mission.completed", "id": 7, "data": {"mission": {"uuid": "m"}}}`: `{"event":"mission.completed","id":7,"data":{"mission":{"uuid":"m"}}}`,
		`{"id":"a","event":"mission.completed","id":"a"}`:                             `{"id":"a","event":"mission.completed",`,
	} {
		e, err := api.DecodeEvent([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := printValue(&out, eventValue(e, []byte(body))); err != nil || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s is printed as %s, %v", body, out.String(), err)
		}
	}
}
