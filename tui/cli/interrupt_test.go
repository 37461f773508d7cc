package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/config"
)

// interrupted runs a command on a demo service, and sends the signal to stop when the service gets a
// request with the method. If mute is set, the service handles the request, but the response is
// lost.
func interrupted(t *testing.T, method string, mute bool, args ...string) (status int, out, trouble string) {
	t.Helper()
	s := &server.Server{Demo: true}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Listen(t.Context(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	signalled, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	to, err := url.Parse(s.BaseURL())
	if err != nil {
		t.Fatal(err)
	}
	to.Path = ""
	forward := httputil.NewSingleHostReverseProxy(to)
	released, said := make(chan struct{}), make(chan struct{})
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != method || strings.Contains(r.URL.Path, "/getorder") { // orders of the v2 API are read with POST
			forward.ServeHTTP(w, r)
			return
		}
		if mute {
			forward.ServeHTTP(httptest.NewRecorder(), r)
			interrupt() // the service has handled the request, and the client gives up
			<-released
			return
		}
		interrupt()
		<-said
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	defer close(released)
	if at := slices.Index(args, "QUOTE"); at > 0 {
		args[at] = openQuote(t, s, args[at-1])
	}
	places := t.TempDir()
	values := map[string]string{
		"FLIGHTDESK_BASE_URL": proxy.URL + "/api/v1/public", "FLIGHTDESK_LEGACY_BASE_URL": proxy.URL + "/api/v2",
		"FLIGHTDESK_API_KEY": s.Accounts()[0].Key,
	}
	var stdout, stderr bytes.Buffer
	wait := time.Minute
	if mute {
		wait = 0
	}
	p := &program{
		Env: config.Env{
			Lookup:  func(name string) (string, bool) { v, ok := values[name]; return v, ok },
			Keyring: ring{keys: map[string]string{}}.keyring(), Dirs: config.Dirs{Config: places, State: filepath.Join(places, "state"), Home: places},
		},
		Interruption: newInterruption(signalled, io.MultiWriter(&stderr, &onWrite{do: sync.OnceFunc(func() { close(said) })}), wait),
	}
	p.execute(t, &stdout, args...)
	status = reportError(p.Interruption, &stderr, p.Fault)
	return status, stdout.String(), stderr.String()
}

// execute runs the program with the arguments and no input. Its error is in Fault.
func (p *program) execute(t *testing.T, stdout io.Writer, args ...string) {
	t.Helper()
	p.Ctx = p.Interruption.Ctx
	root := rootCommand(p)
	root.SetIn(strings.NewReader(""))
	root.SetOut(stdout)
	root.SetErr(io.Discard)
	root.SetArgs(args)
	if err := root.ExecuteContext(p.Ctx); err != nil {
		t.Fatal(err)
	}
}

// openQuote returns the ID of an open quote of an order.
func openQuote(t *testing.T, s *server.Server, order string) string {
	t.Helper()
	client, err := api.NewClient(s.BaseURL(), api.WithKey(s.Accounts()[0].Key), api.WithLegacyURL(s.LegacyURL()))
	if err != nil {
		t.Fatal(err)
	}
	record, err := client.Records.Get(t.Context(), order)
	if err != nil || len(record.Quotes) == 0 {
		t.Fatalf("%v: %+v", err, record)
	}
	return record.Quotes[0].QuoteID
}

// onWrite is a writer that calls a function for each write.
type onWrite struct{ do func() }

func (w *onWrite) Write(p []byte) (int, error) {
	w.do()
	return len(p), nil
}

func TestAnInterruptedChangePrintsItsOutcome(t *testing.T) {
	for _, tt := range []struct {
		name    string
		method  string
		mute    bool
		args    string
		status  int
		out     string // a part of standard output; "" if it must be empty
		trouble string // a part of standard error
	}{
		{"answered", http.MethodPost, false, "order cancel ORD-100249 --yes", 0, "is cancelled", "; waiting for the response"},
		{"a secret", http.MethodPost, false, "webhook register https://me.example/hook", 0, "whsec_", "; waiting for the response"},
		{"answer lost", http.MethodPost, true, "order cancel ORD-100249 --yes", 0, "is cancelled", "; waiting for the response"},
		{"a decision", http.MethodPost, false, "quote reject ORD-100246 QUOTE --yes", 0, "rejected", "; waiting for the response"},
		{"a decision whose answer is lost", http.MethodPost, true, "quote reject ORD-100246 QUOTE --yes", 0, "rejected", "; waiting for the response"},
		{"endpoint made", http.MethodPost, true, "webhook register https://me.example/hook", 130, "", "was registered, but its secret is lost; remove it"},
		{"before it is sent", http.MethodGet, true, "order cancel ORD-100249 --yes", 130, "", "interrupted; nothing was sent\n"},
		{"a read", http.MethodGet, true, "list orders", 130, "", "interrupted\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, out, trouble := interrupted(t, tt.method, tt.mute, strings.Fields(tt.args)...)
			if status != tt.status || (out == "") != (tt.out == "") || !strings.Contains(out, tt.out) || !strings.Contains(trouble, tt.trouble) {
				t.Errorf("status %d\n%s\n%s", status, out, trouble)
			}
		})
	}
}
