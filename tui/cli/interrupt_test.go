package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
)

// interrupted runs a command on a demo service, and sends the signal to stop when the service gets a request with
// the method. The service always handles the request. If isLost is set, its response is lost, and the command does
// not wait for it.
func interrupted(
	t *testing.T, method string, isLost bool, args ...string,
) (status int, stdout, stderr string) {
	t.Helper()
	s := listen(t, &server.Server{})
	if i := slices.Index(args, "QUOTE"); i > 0 {
		args[i] = openQuote(t, s, args[i-1])
	}
	signals, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	proxy := &interruptingProxy{
		service:   s.Handler(),
		method:    method,
		isLost:    isLost,
		interrupt: interrupt,
		noticed:   make(chan struct{}),
		ended:     make(chan struct{}),
	}
	web := httptest.NewServer(proxy)
	t.Cleanup(web.Close)
	defer close(proxy.ended)
	var out, errOut bytes.Buffer
	notice := &onWrite{do: sync.OnceFunc(func() { close(proxy.noticed) })}
	timeout := time.Minute
	if isLost {
		timeout = 0
	}
	p := &program{
		Env: environment(t, map[string]string{
			"FLIGHTDESK_BASE_URL":        web.URL + server.PublicPath,
			"FLIGHTDESK_LEGACY_BASE_URL": web.URL + "/api/v2",
			"FLIGHTDESK_API_KEY":         s.Accounts()[0].Key,
		}),
		Interruption: newInterruption(signals, io.MultiWriter(&errOut, notice), timeout),
	}
	p.execute(t, &out, args...)
	status = reportError(p.Interruption, &errOut, p.Fault)
	return status, out.String(), errOut.String()
}

// interruptingProxy passes requests to a service. At a request with the method it interrupts the command.
type interruptingProxy struct {
	service   http.Handler
	method    string
	isLost    bool          // the response to that request is lost
	interrupt func()        // sends the signal to stop
	noticed   chan struct{} // closed when the command has printed that it waits for the response
	ended     chan struct{} // closed when the command has ended
}

func (p *interruptingProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	isRead := strings.Contains(r.URL.Path, "/getorder") // the v2 API reads orders with POST
	if r.Method != p.method || isRead {
		p.service.ServeHTTP(w, r)
		return
	}
	if p.isLost {
		p.service.ServeHTTP(httptest.NewRecorder(), r)
		p.interrupt()
		<-p.ended
		return
	}
	p.interrupt()
	<-p.noticed
	p.service.ServeHTTP(w, r)
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
		isLost  bool // whether the response is lost
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
			status, out, trouble := interrupted(t, tt.method, tt.isLost, strings.Fields(tt.args)...)
			if status != tt.status || (out == "") != (tt.out == "") || !strings.Contains(out, tt.out) || !strings.Contains(trouble, tt.trouble) {
				t.Errorf("status %d\n%s\n%s", status, out, trouble)
			}
		})
	}
}

// A command that is interrupted after the first of several orders sends no other order, and says so.
func TestAnInterruptedCommandSendsNoFurtherOrder(t *testing.T) {
	s := listen(t, &server.Server{})
	signalled, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stderr bytes.Buffer
	p := &program{
		Env: environment(t, map[string]string{
			"FLIGHTDESK_BASE_URL": s.BaseURL(),
			"FLIGHTDESK_API_KEY":  s.Accounts()[0].Key,
		}),
		Interruption: newInterruption(signalled, &stderr, responseTimeout),
	}
	interruptAfterLine := &onWrite{do: interrupt} // the first order is printed
	p.execute(t, interruptAfterLine, "place", manySites(t), "--order", orderFile(t))
	status := reportError(p.Interruption, &stderr, p.Fault)
	if status != exitInterrupted || !strings.HasSuffix(stderr.String(), "interrupted; nothing more was sent\n") {
		t.Errorf("status %d: %s", status, stderr.String())
	}
}

// manySites writes a file with one site more than an order can have, and returns its path.
func manySites(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	fmt.Fprintln(&text, "name,latitude,longitude,country")
	for i := range api.MaxMissions + 1 {
		fmt.Fprintf(&text, "Mast %d,53.%04d,9.97,Germany\n", i, i)
	}
	return writeTestFile(t, "masts.csv", text.String())
}

// orderFile writes a file with the fields of an order, and returns its path.
func orderFile(t *testing.T) string {
	t.Helper()
	return writeTestFile(t, "order.toml", "companyName = \"Bosun Surveys\"\nindustryAssetType = \"waterManagement\"\n")
}
