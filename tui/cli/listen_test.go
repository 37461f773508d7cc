package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/tui/app/webhooks"
)

// hears returns a run of listen on a demo service that can be told to trust a certificate, and the
// client of its account.
func hears(t *testing.T) (*listenRun, *api.Client) {
	t.Helper()
	s := listen(t, &server.Server{WebhookAllow: loopback})
	client, err := api.NewClient(s.BaseURL(), api.WithKey(s.Accounts()[0].Key))
	if err != nil {
		t.Fatal(err)
	}
	desk, err := ops.NewClient(s.Ready().OpsURL, s.Ready().OpsKey)
	if err != nil {
		t.Fatal(err)
	}
	l := &listenRun{
		call: callOn(&Service{Client: client, Ops: desk}, io.Discard), flags: listenFlags{events: &choice[api.EventName]{}, Addr: "127.0.0.1:0"},
		runs: webhooks.RunFolder(filepath.Join(t.TempDir(), "listen")),
	}
	return l, client
}

// callOn returns a run of a command that prints JSON.
func callOn(s *Service, out io.Writer) *Call {
	cmd := &cobra.Command{}
	cmd.SetOut(out)
	cmd.SetErr(io.Discard)
	return &Call{Context: context.Background(), program: &program{}, Service: s, Cmd: cmd, Output: "json"}
}

// happens delivers a file, which causes an event.
func happens(t *testing.T, l *listenRun) {
	t.Helper()
	for o, err := range l.call.Service.Ops.Orders.All(t.Context(), ops.OrderFilter{Status: api.OrderFlyingDateSet}) {
		if err != nil {
			t.Fatal(err)
		}
		o, err := l.call.Service.Ops.Orders.Get(t.Context(), o.UUID)
		if err != nil {
			t.Fatal(err)
		}
		file := api.FileInput{Name: "a.jpg", FileDataType: api.DeliverableJPG, Content: strings.NewReader("picture")}
		if _, err := l.call.Service.Ops.Missions.Deliver(t.Context(), o.Missions[0].UUID, file); err != nil {
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

func TestListenPrintsForwardsAndCleansUp(t *testing.T) {
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
	l.call.Cmd.SetOut(to)
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
	var line forwardedLine
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &line) != nil || line.Event != "forwarded" || line.Status != 200 || line.Error != "" {
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

// If listen is interrupted or the service is gone, it leaves neither an endpoint nor a file.
func TestListenCleansUpIfItEndsEarly(t *testing.T) {
	l, client := hears(t)
	before := endpoints(t, client)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, to := io.Pipe()
	l.call.Cmd.SetOut(to)
	done := make(chan error, 1)
	l.call.Context = ctx
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
	l.call = callOn(&Service{Client: nobody}, io.Discard)
	if err := l.runListener(); err == nil {
		t.Error("registered with nobody")
	}
	if left, err := os.ReadDir(string(l.runs)); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestAnEventBeyondTheCountIsRefused(t *testing.T) {
	l := &listenRun{call: callOn(&Service{}, io.Discard), flags: listenFlags{events: &choice[api.EventName]{}, Count: 1}, received: 1}
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

// A callback that a receiver refuses is printed once with the status, for people and as JSON.
func TestListenPrintsTheResultOfForwarding(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	}))
	defer refusing.Close()
	for output, want := range map[string]string{
		"json":  `"type":"mission.completed","to":"` + refusing.URL + `","status":418,"ms":`,
		"table": "→ ",
	} {
		var out, trouble bytes.Buffer
		l := &listenRun{call: callOn(&Service{}, &out), flags: listenFlags{Forward: refusing.URL}}
		l.call.Cmd.SetErr(&trouble)
		l.call.Output = output
		err := l.handleEvent(t.Context(), &api.Event{ID: "a", Event: api.EventMissionCompleted})
		if err == nil {
			t.Fatal("an event is acknowledged that the receiver refused")
		}
		l.printRefusal(fmt.Errorf("handling event: %w", err))
		if !strings.Contains(out.String(), want) || strings.Count(out.String(), "418") != 2-strings.Count(output, "table") {
			t.Errorf("%s: %s", output, &out)
		}
		if output == "table" && !strings.Contains(out.String(), "  ← 418 in ") {
			t.Errorf("for people: %s", &out)
		}
		if trouble.Len() > 0 {
			t.Errorf("%s: said again: %s", output, &trouble)
		}
	}
}

// sentCallback waits until the service has sent a callback, and returns its ID.
func sentCallback(t *testing.T, l *listenRun, client *api.Client) string {
	t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); {
		for e, err := range client.Webhooks.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			page, err := client.Webhooks.Deliveries(t.Context(), e.UUID, api.ListOptions{Limit: 1})
			if err != nil || len(page.Items) == 0 {
				continue
			}
			h, err := l.call.Service.Ops.Webhooks.History(t.Context(), page.Items[0].UUID)
			if err == nil && len(h.Attempts) > 0 {
				return h.Delivery.UUID
			}
		}
	}
	t.Fatal("no callback was sent")
	return ""
}

func TestListenReplaysACallback(t *testing.T) {
	l, client := hears(t)
	got := make(chan *http.Request, 1)
	target := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r }))
	defer target.Close()
	happens(t, l)
	id := sentCallback(t, l, client)
	var out bytes.Buffer
	l.call.Cmd.SetOut(&out)
	if err := l.call.replayCallback(id, target.URL); err != nil {
		t.Fatal(err)
	}
	if r := <-got; r.Header.Get(api.HeaderDelivery) != id || r.Header.Get(api.HeaderSignature) == "" {
		t.Errorf("headers %v", r.Header)
	}
	if !strings.Contains(out.String(), `{"event":"forwarded","id":"`+id+`"`) {
		t.Errorf("printed %s", &out)
	}
}

func TestListenWarnsThatTheServiceRefusesTheAddress(t *testing.T) {
	s := &server.Server{Demo: true}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	client, err := s.Client()
	if err != nil {
		t.Fatal(err)
	}
	e, err := client.Webhooks.Create(t.Context(), api.CreateWebhookRequest{URL: "https://127.0.0.1:9000/"})
	if err != nil {
		t.Fatal(err)
	}
	var trouble bytes.Buffer
	c := callOn(&Service{}, io.Discard)
	c.Cmd.SetErr(&trouble)
	c.warnUnreachable(e)
	const want = "the service does not send to 127.0.0.1, which is not a public address; start it with --webhook-allow 127.0.0.0/8, or use the address of a tunnel"
	if !strings.HasPrefix(trouble.String(), want) {
		t.Errorf("said %q", &trouble)
	}
}
