package commands_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/commands"
)

// oneThing is a service of one order and of one endpoint, which may lose answers.
type oneThing struct {
	mu       sync.Mutex
	status   string // of the order
	endpoint bool
	answer   func(w http.ResponseWriter, do func()) // to a change; nil makes it and says so
}

func (s *oneThing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	say := func(status int, data string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"success":%t,"message":"busy","data":%s}`, status < 300, data)
	}
	order := func() string { return `{"uuid":"u-1","orderCode":"ORD-1","status":"` + s.status + `"}` }
	const endpoint = `{"uuid":"e-1","url":"https://hooks.example/in","secret":"s"}`
	do, made := s.change(r)
	switch {
	case do != nil:
		if s.answer != nil {
			s.answer(w, do)
			return
		}
		do()
		say(made, map[bool]string{true: endpoint, false: order()}[strings.Contains(r.URL.Path, "webhooks")])
	case strings.HasSuffix(r.URL.Path, "/orders/ORD-1"):
		say(200, order())
	case strings.HasSuffix(r.URL.Path, "/webhooks") && s.endpoint:
		say(200, `{"data":[`+endpoint+`],"nextCursor":null,"hasNextPage":false}`)
	case strings.HasSuffix(r.URL.Path, "/webhooks"):
		say(200, `{"data":[],"nextCursor":null,"hasNextPage":false}`)
	case strings.HasSuffix(r.URL.Path, "/e-1") && s.endpoint:
		say(200, endpoint)
	default:
		say(404, "null")
	}
}

// change returns what a request changes and the status of its answer; nil for a read.
func (s *oneThing) change(r *http.Request) (do func(), status int) {
	if r.Method == http.MethodGet {
		return nil, 0
	}
	last := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	if to, ok := map[string]string{"cancel": "cancelled", "archive": "archived", "reject": "rejected"}[last]; ok {
		return func() { s.status = to }, 200
	}
	return func() { s.endpoint = r.Method == http.MethodPost }, 201
}

// The log of changes has the result of every change, or says that it is unknown.
func TestTheLedgerHasTheResultOfEveryChange(t *testing.T) {
	order := &api.Order{UUID: "u-1", OrderCode: "ORD-1", OrderName: "levee", Status: api.OrderBiddingWithQuote}
	move := func(move api.OrderMove) func(context.Context, *commands.Sender) error {
		return func(ctx context.Context, s *commands.Sender) error {
			_, err := s.MoveOrder(ctx, order, move, "why")
			return err
		}
	}
	operations := map[string]func(context.Context, *commands.Sender) error{
		"cancel": move(api.MoveCancel), "archive": move(api.MoveArchive), "reject": move(api.MoveReject),
		"register": func(ctx context.Context, s *commands.Sender) error {
			_, err := s.RegisterEndpoint(ctx, api.CreateWebhookRequest{URL: "https://hooks.example/in"})
			return err
		},
		"remove": func(ctx context.Context, s *commands.Sender) error {
			return s.RemoveEndpoint(ctx, "e-1", "https://hooks.example/in")
		},
	}
	lose := func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
	answers := map[string]struct {
		do, late bool
		say      func(http.ResponseWriter)
		outcome  string // beginning of what the log of changes has in the end
	}{
		"done":    {outcome: "confirmed"},
		"refused": {say: func(w http.ResponseWriter) { refuse(w, 409) }, outcome: "refused"},
		"lost":    {do: true, say: lose, outcome: "confirmed; found on the service"},
		"late":    {late: true, say: lose, outcome: "confirmed; found on the service"},
		"never":   {say: lose, outcome: "sent; outcome unknown"},
		"queued":  {late: true, say: func(w http.ResponseWriter) { w.WriteHeader(http.StatusAccepted) }, outcome: "confirmed; found on the service"},
	}
	for operation, send := range operations {
		for name, a := range answers {
			t.Run(operation+" "+name, func(t *testing.T) {
				t.Parallel()
				service := &oneThing{status: "biddingWithQuote", endpoint: operation == "remove"}
				var late func()
				if name != "done" {
					service.answer = func(w http.ResponseWriter, do func()) {
						if a.do {
							do()
						}
						late = do
						a.say(w)
					}
				}
				web := httptest.NewServer(service)
				defer web.Close()
				client, err := api.NewClient(web.URL, api.WithKey("k"), api.WithBackoff(time.Millisecond))
				if err != nil {
					t.Fatal(err)
				}
				log := changes.OpenLogWith("", changes.LookSchedule{Wait: func(context.Context, time.Duration) error {
					service.mu.Lock()
					defer service.mu.Unlock()
					if a.late {
						late()
					}
					return nil
				}})
				err = send(t.Context(), &commands.Sender{Client: client, Changes: log, Account: "acme"})
				checkTold(t, log, err, operation, a.outcome)
			})
		}
	}
}

func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, `{"success":false,"message":"busy","data":{"code":"conflict"}}`)
}

// checkTold compares the error and the last entry with the expected outcome.
func checkTold(t *testing.T, log *changes.Log, err error, operation, outcome string) {
	t.Helper()
	entries, _ := log.Entries()
	if len(entries) != 1 {
		t.Fatalf("%d entries: %+v", len(entries), entries)
	}
	got := entries[0].Outcome.Text
	var open *changes.UnconfirmedError
	switch {
	case outcome == "refused":
		if err == nil || errors.As(err, &open) || !strings.Contains(got, "busy") {
			t.Errorf("error %v, outcome %q", err, got)
		}
	case outcome == "sent; outcome unknown":
		if !errors.As(err, &open) || got != outcome {
			t.Errorf("error %v, outcome %q", err, got)
		}
	case operation == "register" && outcome != "confirmed": // nobody has the secret
		if err == nil || !strings.Contains(got, "its secret is lost") {
			t.Errorf("error %v, outcome %q", err, got)
		}
	case err != nil || got != outcome:
		t.Errorf("error %v, outcome %q, want %q", err, got, outcome)
	}
}
