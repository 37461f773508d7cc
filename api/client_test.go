package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

const testKey = "fd_test_0123456789"

// serve starts a service that responds with h below a non-empty path, where absolute paths in
// the client would fail.
func serve(t *testing.T, h http.HandlerFunc) *api.Client {
	t.Helper()
	srv := httptest.NewServer(http.StripPrefix("/deep/api/v1/public", h))
	t.Cleanup(srv.Close)
	c, err := api.NewClient(srv.URL+"/deep/api/v1/public/", api.WithKey(testKey))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

func TestCreateSendsTheRequestOnceWithItsIdempotencyKey(t *testing.T) {
	var calls atomic.Int32
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if got := r.Method + " " + r.URL.Path; got != "POST /orders" {
			t.Errorf("request %s", got)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer "+testKey {
			t.Errorf("authorization %q", got)
		}
		if got := r.Header.Get("Idempotency-Key"); got != "attempt-1" {
			t.Errorf("idempotency key %q", got)
		}
		answer(w, http.StatusBadGateway, `<html>`)
	})
	_, err := c.Orders.Create(t.Context(), api.CreateOrderRequest{}, "attempt-1")
	if !api.IsStatus(err, http.StatusBadGateway) || !api.MaybeApplied(err) {
		t.Errorf("error %v, maybe applied %v", err, api.MaybeApplied(err))
	}
	if calls.Load() != 1 {
		t.Errorf("%d requests, want 1: a create is never repeated blindly", calls.Load())
	}
}

func TestCreateIsNotRepeatedWhenAKeepAliveConnectionBreaks(t *testing.T) {
	var creates atomic.Int32
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			creates.Add(1)
			panic(http.ErrAbortHandler)
		}
		answer(w, 200, `{"success":true,"message":"","data":{"data":[],"nextCursor":null,"hasNextPage":false}}`)
	})
	if _, err := c.Orders.List(t.Context(), api.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := c.Orders.Create(t.Context(), api.CreateOrderRequest{}, "attempt-1")
	if !api.MaybeApplied(err) {
		t.Errorf("%v: want an answer that is lost", err)
	}
	if creates.Load() != 1 {
		t.Errorf("%d requests, want 1", creates.Load())
	}
}

func TestAnErrorResponseBecomesATypedError(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusBadRequest, `{"success":false,"message":"2 faults","data":{"code":"validation_failed",
			"errors":[{"field":"order.deadline","message":"is before startDate"},{"field":"missions[1].areaSize","message":"is required"}],
			"requestId":"r-7"}}`)
	})
	_, err := c.Orders.Get(t.Context(), "ORD-1")
	var e *api.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T %v", err, err)
	}
	if e.Code != api.CodeValidationFailed || e.RequestID != "r-7" || len(e.Fields) != 2 || e.Fields[1].Field != "missions[1].areaSize" {
		t.Errorf("%+v", e)
	}
	want := "read order: 2 faults: order.deadline is before startDate (and 1 more) (HTTP 400, request r-7)"
	if e.Error() != want {
		t.Errorf("got  %s\nwant %s", e, want)
	}
	if api.MaybeApplied(err) {
		t.Error("a refused request was not applied")
	}
}

func TestResponsesThatAreNotFromTheService(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"HTML with 200":  func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>hello</html>")) },
		"HTML with 404":  func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) },
		"other JSON":     func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"ok":true}`) },
		"nothing at all": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) },
		"cut JSON":       func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"success":true,"data":{"data":[`) },
		"elsewhere": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://evil.example/")
			w.WriteHeader(http.StatusFound)
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := serve(t, h).Orders.List(t.Context(), api.ListOptions{})
			var e *api.Error
			if !errors.As(err, &e) || !e.Foreign {
				t.Fatalf("%T %v, want a foreign answer", err, err)
			}
			if strings.ContainsAny(e.Error(), "\n<") {
				t.Errorf("the message shows the foreign body: %q", e)
			}
		})
	}
}

func TestReadsAreRepeatedUntilTheySucceed(t *testing.T) {
	var calls atomic.Int32
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			answer(w, http.StatusServiceUnavailable, `{"success":false,"message":"stopping","data":{"code":"internal"}}`)
			return
		}
		answer(w, 200, `{"success":true,"message":"","data":{"data":[{"orderCode":"ORD-9"}],"nextCursor":null,"hasNextPage":false}}`)
	})
	page, err := c.Orders.List(t.Context(), api.ListOptions{})
	if err != nil || len(page.Items) != 1 || page.Items[0].OrderCode != "ORD-9" {
		t.Fatalf("%+v, %v", page, err)
	}
	if calls.Load() != 2 {
		t.Errorf("%d requests, want 2", calls.Load())
	}
}

// tripper is a transport that responds without a network.
type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestCreateIsNotRepeatedAfterAResponseOfAProxy(t *testing.T) {
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusTooManyRequests} {
		var calls atomic.Int32
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			calls.Add(1)
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(status)
		})
		_, err := c.Orders.Create(t.Context(), api.CreateOrderRequest{}, "k")
		if calls.Load() != 1 {
			t.Errorf("%d: %d requests, want 1", status, calls.Load())
		}
		if status == http.StatusServiceUnavailable && !api.MaybeApplied(err) {
			t.Errorf("%v: the order may be there", err)
		}
	}
}

func TestCreateWaitsForARateLimit(t *testing.T) {
	var calls atomic.Int32
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		answer(w, http.StatusCreated, `{"success":true,"data":{"orderCode":"ORD-9"}}`)
	})
	order, err := c.Orders.Create(t.Context(), api.CreateOrderRequest{}, "k")
	if err != nil || order.OrderCode != "ORD-9" {
		t.Errorf("%+v, %v", order, err)
	}
}

func TestAnErrorHasTheReceivedStatus(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusAccepted, `{"success":true,"message":"queued","data":{"jobId":"j-17"}}`)
	})
	_, err := c.Orders.Create(t.Context(), api.CreateOrderRequest{}, "k")
	if !api.IsStatus(err, http.StatusAccepted) || !api.MaybeApplied(err) {
		t.Errorf("%v, want HTTP 202 and an outcome that is not known", err)
	}
}

func TestASilentServiceTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := api.NewClient("https://api.example/api/v1/public", api.WithKey(testKey),
			api.WithTimeout(5*time.Second), api.WithTransport(tripper(func(r *http.Request) (*http.Response, error) {
				<-r.Context().Done()
				return nil, r.Context().Err()
			})))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = c.Orders.List(t.Context(), api.ListOptions{})
		var lost *api.TransportError
		if !errors.As(err, &lost) || !lost.Timeout() {
			t.Fatalf("%T %v", err, err)
		}
		if want := "list orders: api.example did not respond in time"; err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("gave up after %s, want 5s: a timeout is not repeated", took)
		}
	})
}

func TestACancelledContextEndsTheCall(t *testing.T) {
	c := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Orders.List(ctx, api.ListOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestAllReadsEveryPageAndStops(t *testing.T) {
	pages := map[string]string{
		"":  `[{"orderCode":"ORD-5"},{"orderCode":"ORD-4"}],"nextCursor":"a","hasNextPage":true`,
		"a": `[{"orderCode":"ORD-3"}],"nextCursor":"b","hasNextPage":true`,
		"b": `[{"orderCode":"ORD-1"}],"nextCursor":"b","hasNextPage":true`,
	}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		answer(w, 200, `{"success":true,"message":"","data":{"data":`+pages[r.URL.Query().Get("cursor")]+`}}`)
	})
	var got []string
	var last error
	for o, err := range c.Orders.All(t.Context()) {
		if last = err; err == nil {
			got = append(got, o.OrderCode)
		}
	}
	if fmt.Sprint(got) != "[ORD-5 ORD-4 ORD-3 ORD-1]" || last == nil {
		t.Errorf("%v, %v: want four orders, then an error for the cursor that repeats", got, last)
	}
}

func TestTheKeyIsNeverPrinted(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
	o, err := ops.NewClient("https://desk.example/api/ops/v1", testKey)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Orders.List(t.Context(), api.ListOptions{})
	printed := fmt.Sprintf("%v %+v %#v %s %q", c, c, c, c, err) + fmt.Sprintf("%v %+v %#v %s %d", o, o, o, o, o)
	if strings.Contains(printed, testKey) {
		t.Errorf("the key is in %s", printed)
	}
}

func TestPathsAreEscaped(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		answer(w, 404, `{"success":false,"message":"`+r.URL.EscapedPath()+`","data":{"code":"not_found"}}`)
	})
	_, err := c.Orders.Get(t.Context(), "ORD-1/../x?y")
	var e *api.Error
	if !errors.As(err, &e) || e.Message != "/orders/ORD-1%2F..%2Fx%3Fy" {
		t.Errorf("%v", err)
	}
	if _, err := c.Orders.Get(t.Context(), ".."); err == nil || errors.As(err, &e) && e.Op == "" {
		t.Errorf("%v: want .. refused", err)
	}
}

func TestInvalidOptionsAreRejected(t *testing.T) {
	for _, base := range []string{"", "api.example", "ftp://api.example", "https://u:p@api.example/", "https://api.example/?a=b"} {
		if _, err := api.NewClient(base); err == nil {
			t.Errorf("base URL %q is accepted", base)
		} else if strings.Contains(err.Error(), "u:p") {
			t.Errorf("the password is in %q", err)
		} else if strings.Contains(err.Error(), "base_url") {
			t.Errorf("%q names a setting that the library does not have", err)
		}
	}
	for name, opt := range map[string]api.Option{
		"empty key": api.WithKey(""), "key with a line break": api.WithKey("a\nb"),
		"no timeout": api.WithTimeout(0), "no transport": api.WithTransport(nil),
		"legacy address": api.WithLegacyURL("nowhere"),
	} {
		if _, err := api.NewClient("https://api.example", opt); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// A distant date is ignored as a proxy's, unless the service says that its clock was set.
func TestNowFollowsTheClockOfTheService(t *testing.T) {
	for _, tt := range []struct {
		ahead    time.Duration
		set      bool
		followed bool
	}{
		{12 * time.Hour, false, true}, {9 * 365 * 24 * time.Hour, false, false}, {-48 * time.Hour, false, false}, {9 * 365 * 24 * time.Hour, true, true},
	} {
		ahead := time.Now().Add(tt.ahead)
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", ahead.UTC().Format(http.TimeFormat))
			if tt.set {
				w.Header().Set(api.HeaderTimestamp, ahead.UTC().Format(time.RFC3339))
			}
			answer(w, 200, `{"success":true,"message":"","data":{"data":[],"nextCursor":null,"hasNextPage":false}}`)
		})
		if _, err := c.Orders.List(t.Context(), api.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		want := time.Now()
		if tt.followed {
			want = ahead
		}
		if d := c.Now().Sub(want).Abs(); d > time.Minute {
			t.Errorf("%v ahead, set %t: the client's clock is %s off", tt.ahead, tt.set, d)
		}
	}
}

// lostAfterSending is a transport that loses every response.
type lostAfterSending struct{}

func (lostAfterSending) RoundTrip(r *http.Request) (*http.Response, error) {
	httptrace.ContextClientTrace(r.Context()).WroteHeaders()
	return nil, io.ErrUnexpectedEOF
}

func TestACallCancelledBeforeItsRetryMayHaveBeenApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c, err := api.NewClient("https://desk.example", api.WithKey(testKey), api.WithTransport(lostAfterSending{}),
			api.WithRetries(1), api.WithBackoff(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, cancel)
		if err := c.Webhooks.Delete(ctx, "e1"); !api.MaybeApplied(err) {
			t.Errorf("%v, maybe applied %t", err, api.MaybeApplied(err))
		}
	})
}

func TestAnUnavailableServiceDoesNotUndoAnEarlierLostAttempt(t *testing.T) {
	for name, last := range map[string]http.HandlerFunc{
		"unavailable": func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusServiceUnavailable, `{"success":false,"message":"starting","data":{"code":"unavailable"}}`)
		},
		"too many requests": func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusTooManyRequests, `{"success":false,"message":"too many requests","data":{"code":"rate_limited"}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if calls.Add(1) == 1 {
					panic(http.ErrAbortHandler) // the request has arrived, and the response is lost
				}
				last(w, r)
			}))
			defer srv.Close()
			c, err := api.NewClient(srv.URL, api.WithKey(testKey), api.WithRetries(1), api.WithBackoff(time.Millisecond))
			if err != nil {
				t.Fatal(err)
			}
			err = c.Webhooks.Delete(t.Context(), "e1")
			if err == nil || !api.MaybeApplied(err) || calls.Load() < 2 {
				t.Errorf("after %d requests: %v, maybe applied %t", calls.Load(), err, api.MaybeApplied(err))
			}
		})
	}
}

func TestErrorsOfInvalidAddressesDoNotQuoteThem(t *testing.T) {
	const password = "0815planted"
	for _, address := range []string{"https://me:" + password + "@desk.example", "htps://me:" + password + "@desk.example"} {
		_, err := api.NewClient(address, api.WithKey("fd_test_key"))
		if err == nil || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
