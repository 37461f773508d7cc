package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"flightdesk/api"
	"flightdesk/tui/app/ledger"
)

// gate stands before a service and decides what becomes of the next change.
type gate struct {
	to      http.Handler
	mu      sync.Mutex
	outcome string
	passed  int    // changes that reached the service
	late    func() // a change that reaches it once somebody has looked for it
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Method == http.MethodGet || strings.Contains(r.URL.Path, "/getorder") {
		g.to.ServeHTTP(w, r)
		if g.late != nil {
			g.late()
			g.late = nil
		}
		return
	}
	body, _ := io.ReadAll(r.Body)
	again := r.Clone(context.Background())
	pass := func(to http.ResponseWriter) {
		g.passed++
		again.Body = io.NopCloser(bytes.NewReader(body))
		g.to.ServeHTTP(to, again)
	}
	w.Header().Set("Content-Type", "application/json")
	switch g.outcome {
	case "done":
		pass(w)
	case "refused":
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, `{"success":false,"message":"not now","data":{"code":"conflict"}}`)
	case "lost":
		pass(httptest.NewRecorder())
		panic(http.ErrAbortHandler)
	case "late":
		g.late = func() { pass(httptest.NewRecorder()) }
		panic(http.ErrAbortHandler)
	case "queued":
		g.late = func() { pass(httptest.NewRecorder()) }
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"success":true,"message":"queued","data":{"jobId":"j-17"}}`)
	}
}

// once has what does not bear repeating.
var once = map[string]bool{"accept": true, "add": true}

// Whatever becomes of a change, the command's word for it is true: done only if it was,
// refused only if it was, and else not confirmed.
func TestChangesAreToldAsTheyEnded(t *testing.T) {
	g := newGallery(t)
	at := &gate{}
	path := filepath.Join(g.dir, "config.toml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	host := regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+`).FindString(string(text))
	origin, err := url.Parse(host)
	if err != nil {
		t.Fatal(err)
	}
	at.to = httputil.NewSingleHostReverseProxy(origin)
	front := httptest.NewServer(at)
	t.Cleanup(front.Close)
	if err := os.WriteFile(path, bytes.ReplaceAll(text, []byte(host), []byte(front.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	status := func(code string) api.OrderStatus {
		return must[*api.Order](g)(g.client.Orders.Get(t.Context(), code)).Status
	}
	endpoints := func() int {
		return len(must[*api.Page[api.WebhookEndpoint]](g)(g.client.Webhooks.List(t.Context(), api.ListOptions{})).Items)
	}
	for name, prepare := range map[string]func() (line string, isDone func() bool){
		"accept": func() (string, func() bool) {
			o, _, quote := g.stage(standBids)
			return "quote accept " + o.OrderCode + " " + quote, func() bool { return status(o.OrderCode) == api.OrderPendingOperator }
		},
		"cancel": func() (string, func() bool) {
			o, _, _ := g.stage(standTaken)
			return "order cancel " + o.OrderCode, func() bool { return status(o.OrderCode) == api.OrderCancelled }
		},
		"remove": func() (string, func() bool) {
			hook := must[*api.WebhookEndpoint](g)(g.client.Webhooks.Create(t.Context(), api.CreateWebhookRequest{URL: "https://me.example/hook"}))
			before := endpoints()
			return "webhook remove " + hook.UUID, func() bool { return endpoints() < before }
		},
		"add": func() (string, func() bool) {
			before := endpoints()
			return "webhook add https://me.example/other", func() bool { return endpoints() > before }
		},
	} {
		for _, outcome := range []string{"done", "refused", "lost", "late", "queued"} {
			line, isDone := prepare()
			at.mu.Lock()
			at.outcome, at.passed, at.late = outcome, 0, nil
			at.mu.Unlock()
			if name != "add" {
				line += " --yes"
			}
			out, trouble, err := g.call("flightdesk " + line)
			var open *ledger.UnconfirmedError
			done, unconfirmed := isDone(), errors.As(err, &open)
			what := fmt.Sprintf("%s, %s: done %t, %q %q %v", name, outcome, done, out, trouble, err)
			switch {
			case done == (outcome == "refused"), once[name] && at.passed > 1:
				t.Errorf("sent %d times; %s", at.passed, what)
			case outcome == "done" && err != nil, outcome == "refused" && (err == nil || unconfirmed):
				t.Error(what)
			case err != nil && !unconfirmed && outcome != "refused" && !strings.Contains(err.Error(), "was registered"):
				t.Errorf("a failure is told of what is done: %s", what)
			}
		}
	}
}
