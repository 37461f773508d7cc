package commands_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/commands"
)

// effect is when a change is made, if at all.
type effect string

const (
	atOnce effect = "applied"
	later  effect = "applied late"
	never  effect = "not applied"
)

// vagueAnswers are answers to a change that do not say what became of it.
func vagueAnswers() map[string]func(http.ResponseWriter) {
	write := func(status int, kind, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	const asJSON = "application/json"
	return map[string]func(http.ResponseWriter){
		"202":              write(202, asJSON, `{"success":true,"message":"queued","data":null}`),
		"202 without body": write(202, asJSON, ``),
		"login page":       write(200, "text/html", `<html><form>Log in</form></html>`),
		"{}":               write(200, asJSON, `{}`),
		"null":             write(200, asJSON, `null`),
		"data null":        write(200, asJSON, `{"success":true,"message":"","data":null}`),
		"data {}":          write(200, asJSON, `{"success":true,"message":"ok","data":{}}`),
		"empty":            write(200, asJSON, ``),
		"a word":           write(200, "text/plain", `ok`),
		"an array":         write(200, asJSON, `[]`),
		"201 without body": write(201, asJSON, ``),
		"204":              write(204, "", ``),
		"bad gateway":      write(502, "text/html", `<html>`),
		"gateway timeout":  write(504, "text/html", `<html>`),
		"internal error":   write(500, asJSON, `{"success":false,"message":"internal"}`),
		"cut in the middle": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "900")
			fmt.Fprint(w, `{"success":true,"data":{"uuid":"u-1","sta`)
		},
		"lost":            func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"order as before": write(200, asJSON, `{"success":true,"data":{"uuid":"u-1","orderCode":"ORD-1","status":"biddingWithQuote"}}`),
	}
}

// changesOfOneThing are all changes of the service of one order and one endpoint.
func changesOfOneThing() map[string]func(context.Context, *commands.Sender) error {
	order := &api.Order{UUID: "u-1", OrderCode: "ORD-1", OrderName: "levee", Status: api.OrderBiddingWithQuote}
	move := func(move api.OrderMove) func(context.Context, *commands.Sender) error {
		return func(ctx context.Context, s *commands.Sender) error {
			moved, err := s.MoveOrder(ctx, order, move, "why")
			if err == nil && !moved.Status.Means(move.ResultingStatus()) {
				return fmt.Errorf("returned as %s", moved.Status)
			}
			return err
		}
	}
	return map[string]func(context.Context, *commands.Sender) error{
		"cancel": move(api.MoveCancel), "archive": move(api.MoveArchive), "reject": move(api.MoveReject),
		"register": func(ctx context.Context, s *commands.Sender) error {
			_, err := s.RegisterEndpoint(ctx, api.CreateWebhookRequest{URL: "https://hooks.example/in"})
			return err
		},
		"remove": func(ctx context.Context, s *commands.Sender) error {
			return s.RemoveEndpoint(ctx, "e-1", "https://hooks.example/in")
		},
	}
}

// sendOneChange sends a change to a service that answers vaguely, and returns how often it
// was made, whether it shows, and what was reported.
func sendOneChange(
	t *testing.T, service *oneThing, when effect, answer func(http.ResponseWriter), send func(context.Context, *commands.Sender) error,
) (int, error) {
	var made int
	t.Helper()
	var late func()
	service.answer = func(w http.ResponseWriter, do func()) {
		counted := func() { made++; do() }
		switch when {
		case atOnce:
			counted()
		case later:
			late = counted
		}
		answer(w)
	}
	web := httptest.NewServer(service)
	defer web.Close()
	client, err := api.NewClient(web.URL, api.WithKey("k"), api.WithBackoff(time.Millisecond), api.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	log := changes.OpenLogWith("", changes.LookSchedule{Wait: func(context.Context, time.Duration) error {
		service.mu.Lock()
		defer service.mu.Unlock()
		if late != nil {
			late()
			late = nil
		}
		return nil
	}})
	err = send(t.Context(), &commands.Sender{Client: client, Changes: log, Account: "acme"})
	return made, err
}

// For every change and response, the report is true or says that the change is not
// confirmed, and nothing is done twice.
func TestEveryChangeIsReportedCorrectlyWhateverTheResponse(t *testing.T) {
	for operation, send := range changesOfOneThing() {
		for name, answer := range vagueAnswers() {
			for _, when := range []effect{atOnce, later, never} {
				t.Run(fmt.Sprintf("%s, %s, %s", operation, name, when), func(t *testing.T) {
					t.Parallel()
					service := &oneThing{status: "biddingWithQuote", endpoint: operation == "remove"}
					before := service.shown()
					made, err := sendOneChange(t, service, when, answer, send)
					changed := service.shown() != before
					var open *changes.UnconfirmedError
					switch {
					case when == never && !errors.As(err, &open):
						t.Errorf("nothing was made, reported %v", err)
					case when != never && !changed:
						t.Errorf("made %d times, but does not show", made)
					case when != never && operation == "register": // nobody has the secret
						if err == nil || errors.As(err, &open) || !strings.Contains(err.Error(), "its secret is lost") {
							t.Errorf("reported %v", err)
						}
					case when != never && err != nil:
						t.Errorf("it was made, reported %v", err)
					}
					if made > 1 {
						t.Errorf("made %d times", made)
					}
				})
			}
		}
	}
}

// shown returns what the service shows.
func (s *oneThing) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(s.status, s.endpoint)
}

func TestAnUnknownStatusAfterAConfirmedMoveIsSuccess(t *testing.T) {
	for move, word := range map[string]string{"cancel": "canceled", "archive": "shelved", "reject": "declinedByClient"} {
		service := &oneThing{status: "biddingWithQuote"}
		made, err := sendOneChange(t, service, atOnce, func(w http.ResponseWriter) {
			service.status = word
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"success":true,"message":"","data":{"uuid":"u-1","orderCode":"ORD-1","status":%q}}`, word)
		}, func(ctx context.Context, s *commands.Sender) error {
			order := &api.Order{UUID: "u-1", OrderCode: "ORD-1", Status: api.OrderBiddingWithQuote}
			moved, err := s.MoveOrder(ctx, order, api.OrderMove(move), "why")
			if err == nil && string(moved.Status) != word {
				t.Errorf("%s: returned as %s", move, moved.Status)
			}
			return err
		})
		if made != 1 || err != nil {
			t.Errorf("%s: made %d times, %v", move, made, err)
		}
	}
}

func TestARedirectedChangeIsReportedAtOnceAsNotDone(t *testing.T) {
	for operation, send := range changesOfOneThing() {
		for _, status := range []int{301, 302, 303, 307, 308} {
			service := &oneThing{status: "biddingWithQuote", endpoint: operation == "remove"}
			_, err := sendOneChange(t, service, never, func(w http.ResponseWriter) {
				w.Header().Set("Location", "https://other.example/login")
				w.WriteHeader(status)
			}, send)
			if err == nil || errors.As(err, new(*changes.UnconfirmedError)) || !strings.Contains(err.Error(), "not done") {
				t.Errorf("%s, %d: %v", operation, status, err)
			}
		}
	}
}

func TestAnExistingEndpointIsNotTakenForARegistration(t *testing.T) {
	now := time.Now().UTC() // a client does not believe a date of long ago
	for name, tt := range map[string]struct {
		created string // when the listed endpoint was created; "" if the service does not say it
		isOurs  bool
	}{
		"an old endpoint":             {created: now.Add(-time.Hour).Format(time.RFC3339)},
		"an endpoint without a date":  {},
		"an endpoint that is created": {created: now.Add(time.Minute).Format(time.RFC3339), isOurs: true},
	} {
		service := &unlistedService{date: now.Format(http.TimeFormat), row: `{"uuid":"e-1","url":"https://hooks.example/in","createdAt":"` + tt.created + `"}`}
		web := httptest.NewServer(service)
		client, err := api.NewClient(web.URL, api.WithKey("k"), api.WithBackoff(time.Millisecond), api.WithRetries(0))
		if err != nil {
			t.Fatal(err)
		}
		log := changes.OpenLogWith("", changes.LookSchedule{
			Wait: func(context.Context, time.Duration) error { return nil },
		})
		sender := &commands.Sender{Client: client, Changes: log, Account: "acme"}
		_, err = sender.RegisterEndpoint(t.Context(), api.CreateWebhookRequest{URL: "https://hooks.example/in"})
		web.Close()
		isOpen := errors.As(err, new(*changes.UnconfirmedError))
		if isOpen == tt.isOurs || tt.isOurs && !strings.Contains(err.Error(), "its secret is lost") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// unlistedService cannot list endpoints before one is registered, and loses that response.
type unlistedService struct {
	date string // header of all responses
	row  string // of the list afterwards
	sent atomic.Bool
}

func (s *unlistedService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", s.date)
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodPost {
		s.sent.Store(true)
		panic(http.ErrAbortHandler)
	} else if !s.sent.Load() {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, `{"success":false,"message":"busy","data":null}`)
	} else {
		fmt.Fprintf(w, `{"success":true,"message":"","data":{"data":[%s],"nextCursor":null,"hasNextPage":false}}`, s.row)
	}
}
