package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/standin"
)

// The variants are responses of services that interpret the specification differently. Each
// group rewrites one response and has the record that the client must read from all of them.

func TestPricesAreParsedOrKeptUnchanged(t *testing.T) {
	for _, p := range standin.Prices() {
		sent, want := p.Sent, api.Price{Raw: p.Raw}
		if p.Read {
			want = api.PriceOf(p.Amount)
		}
		c := serveLegacy(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, `{"id":"o","quotes":[{"quoteId":"q","currency":"EUR","finalPrice":`+sent+`}]}`)
		})
		r, err := c.Records.Get(t.Context(), "o")
		if err != nil || len(r.Quotes) != 1 {
			t.Errorf("%s: %v", sent, err)
			continue
		}
		got := r.Quotes[0].FinalPrice
		if got.Known != want.Known || got.Amount != want.Amount || !got.Known && got.Raw != want.Raw {
			t.Errorf("%s is read as %+v, want %+v", sent, got, want)
		}
	}
}

func TestAQuoteWithoutACurrencyGetsTheCurrencyOfItsPrice(t *testing.T) {
	for sent, want := range map[string]string{`"EUR 7"`: "EUR", `"£7"`: "GBP", `{"amount":7,"currency":"chf"}`: "CHF", `"$7"`: "", `7`: "", `7,"currency":{"code":"EUR","symbol":"€"}`: "EUR"} {
		c := serveLegacy(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, `{"id":"o","quotes":[{"quoteId":"q","finalPrice":`+sent+`}]}`)
		})
		r, err := c.Records.Get(t.Context(), "o")
		if err != nil || r.Quotes[0].Currency != want || !r.Quotes[0].FinalPrice.Known {
			t.Errorf("%s: %+v, %v", sent, r.Quotes[0], err)
		}
	}
}

const row = `{"uuid":"u1","orderCode":"ORD-1","orderName":"Harbour","status":"completed"}`

func TestListsAreReadInAnyContainer(t *testing.T) {
	for _, body := range standin.ListContainers() {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, fmt.Sprintf(body, row)) })
		page, err := c.Orders.List(t.Context(), api.ListOptions{})
		if err != nil || len(page.Items) != 1 || page.Items[0].OrderCode != "ORD-1" || page.HasNextPage {
			t.Errorf("public %s: %+v, %v", body, page, err)
		}
		c = serveLegacy(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, fmt.Sprintf(body, row)) })
		list, err := c.Records.List(t.Context(), api.RecordListOptions{})
		if err != nil || len(list) != 1 || list[0].OrderCode != "ORD-1" {
			t.Errorf("v2 API %s: %+v, %v", body, list, err)
		}
	}
}

func TestAMissingListIsAnErrorAndNotEmpty(t *testing.T) {
	for _, body := range standin.NoLists() {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, body) })
		var e *api.Error
		if page, err := c.Orders.List(t.Context(), api.ListOptions{}); !errors.As(err, &e) || !e.Foreign {
			t.Errorf("%s: %+v, %v", body, page, err)
		}
	}
}

func TestAnOrderIsReadInAnyContainer(t *testing.T) {
	mission := `{"uuid":"m1","missionCode":"MSN-1"}`
	members := strings.TrimSuffix(strings.TrimPrefix(row, "{"), "}")
	for _, container := range standin.OrderContainers() {
		body := strings.NewReplacer("ORDER", members, "MISSIONS", "["+mission+"]").Replace(container)
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, body) })
		o, err := c.Orders.Get(t.Context(), "ORD-1")
		if err != nil || o.UUID != "u1" || len(o.Missions) != 1 || o.Missions[0].MissionCode != "MSN-1" {
			t.Errorf("%s: %+v, %v", body, o, err)
		}
	}
	for _, body := range []string{`{}`, `{"success":true,"data":{}}`, `{"success":true,"data":null}`, `[]`, `"ORD-1"`} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, body) })
		if o, err := c.Orders.Get(t.Context(), "ORD-1"); err == nil {
			t.Errorf("%s is read as %+v", body, o)
		}
	}
}

func TestErrorsHaveTheReasonOfTheService(t *testing.T) {
	for _, refused := range standin.Refusals() {
		body, want := refused.Body, refused.Reason
		for _, kind := range []string{"application/json", "application/problem+json"} {
			for _, status := range []int{http.StatusNotFound, http.StatusBadRequest} {
				c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", kind)
					w.WriteHeader(status)
					_, _ = io.WriteString(w, body)
				})
				_, err := c.Orders.Get(t.Context(), "ORD-1")
				var e *api.Error
				if !errors.As(err, &e) || e.Message != want || e.Status != status || e.Foreign {
					t.Errorf("%s %s: %v", kind, body, err)
				}
			}
		}
	}
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such order", http.StatusNotFound) })
	if _, err := c.Orders.Get(t.Context(), "ORD-1"); err == nil || !strings.Contains(err.Error(), "no such order") {
		t.Errorf("a plain text: %v", err)
	}
	for _, body := range standin.QuietRefusals() {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, body) })
		var e *api.Error
		if _, err := c.Orders.List(t.Context(), api.ListOptions{}); !errors.As(err, &e) || e.Message != "closed" || e.Foreign {
			t.Errorf("%s with 200: %v", body, err)
		}
	}
}

func TestErrorsHaveTheInvalidFields(t *testing.T) {
	for _, errs := range standin.FieldFaults() {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusBadRequest, `{`+errs+`}`) })
		_, err := c.Orders.Create(t.Context(), api.CreateOrderRequest{}, "")
		var e *api.Error
		if !errors.As(err, &e) || len(e.Fields) != 1 || e.Fields[0] != (api.FieldError{Field: "order.deadline", Message: "is in the past"}) {
			t.Errorf("%s: %v", errs, err)
		}
	}
}

func TestARejectedLimitIsNotSentAgain(t *testing.T) {
	for name, refusal := range standin.LimitRefusals() {
		var asked atomic.Int32
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			if l := r.URL.Query().Get("limit"); l != "" && l != "50" {
				answer(w, http.StatusBadRequest, refusal)
				return
			}
			answer(w, http.StatusOK, `{"success":true,"data":{"data":[`+row+`],"nextCursor":null,"hasNextPage":false}}`)
		})
		for range 3 {
			if n, err := count(c.Orders.All(t.Context())); err != nil || n != 1 {
				t.Errorf("%s: %d orders, %v", name, n, err)
			}
		}
		if asked.Load() != 4 {
			t.Errorf("%s: asked %d times, want one more than the lists", name, asked.Load())
		}
	}
}

func count[T any](list func(func(*T, error) bool)) (n int, err error) {
	for _, one := range list {
		if one != nil {
			return n, one
		}
		n++
	}
	return n, nil
}

func TestAnEndlessListIsAnErrorWithTheRowsReadSoFar(t *testing.T) {
	for name, page := range map[string]func(n int) string{
		"the same cursor": func(int) string { return `{"data":[` + row + `],"nextCursor":"a","hasNextPage":true}` },
		"two cursors in turn": func(n int) string {
			return fmt.Sprintf(`{"data":[%s],"nextCursor":"c%d","hasNextPage":true}`, row, n%2)
		},
		"cursor ignored": func(n int) string {
			return fmt.Sprintf(`{"data":[%s],"nextCursor":"c%d","hasNextPage":true}`, row, n)
		},
		"empty pages": func(n int) string { return fmt.Sprintf(`{"data":[],"nextCursor":"c%d","hasNextPage":true}`, n) },
		"no cursor":   func(int) string { return `{"data":[` + row + `],"nextCursor":null,"hasNextPage":true}` },
	} {
		n := 0
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			n++
			answer(w, http.StatusOK, `{"success":true,"message":"","data":`+page(n)+`}`)
		})
		read, err := count(c.Orders.All(t.Context()))
		var incomplete *api.IncompleteError
		if !errors.As(err, &incomplete) || incomplete.Read != read || n > 30 {
			t.Errorf("%s: %d read with %d requests, %v", name, read, n, err)
		}
	}
}

func TestACursorWithoutHasNextPageIsFollowed(t *testing.T) {
	for _, more := range standin.Cursors() {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			next, one := more, `{"uuid":"u-1"}`
			if r.URL.Query().Get("cursor") != "" {
				next, one = `"nextCursor":null`, `{"uuid":"u-2"}`
			}
			answer(w, http.StatusOK, `{"success":true,"data":{"data":[`+one+`],`+next+`}}`)
		})
		if n, err := count(c.Orders.All(t.Context())); n != 2 || err != nil {
			t.Errorf("%s: %d orders, %v", more, n, err)
		}
	}
}

func TestMovesUseTheAllowedMethod(t *testing.T) {
	for _, allow := range []string{"PUT", "GET, PATCH", "patch,put"} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(strings.ToUpper(allow), r.Method) {
				w.Header().Set("Allow", allow)
				answer(w, http.StatusMethodNotAllowed, `{"message":"no"}`)
				return
			}
			answer(w, http.StatusOK, `{"success":true,"data":{"orderCode":"ORD-1","status":"cancelled"}}`)
		})
		if o, err := c.Orders.Cancel(t.Context(), "u1"); err != nil || o.OrderCode != "ORD-1" {
			t.Errorf("%s: %+v, %v", allow, o, err)
		}
	}
}

func TestAMoveWithoutAnOrderInTheResponseIsVerified(t *testing.T) {
	for _, body := range append(standin.MoveAnswers(), "<html>", "null", `{"success":true,"data":null}`) {
		for _, status := range []string{"cancelled", "biddingWithQuote"} {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					answer(w, http.StatusOK, `{"success":true,"data":{"uuid":"u1","orderCode":"ORD-1","status":"`+status+`","missions":[{"missionCode":"MSN-1"}]}}`)
					return
				}
				answer(w, http.StatusOK, body)
			})
			o, err := c.Orders.Cancel(t.Context(), "u1")
			if done := status == "cancelled"; done != (err == nil) || done && o.Status != api.OrderCancelled || !done && !api.MaybeApplied(err) {
				t.Errorf("%s, %s: %+v, %v", body, status, o, err)
			}
		}
	}
}

func TestADeletedEndpointIsDeletedOnceTheServiceNoLongerHasIt(t *testing.T) {
	answers := append(standin.Deletions(), standin.Answer{Status: 202, Body: `{}`}, standin.Answer{Status: 200, Body: "<html>"}, standin.Answer{Status: 200, Body: "null"})
	for _, a := range answers {
		for _, gone := range []bool{true, false} {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodDelete:
					w.WriteHeader(a.Status)
					_, _ = io.WriteString(w, a.Body)
				case gone:
					answer(w, http.StatusNotFound, `{"success":false,"message":"endpoint not found","data":{"code":"not_found"}}`)
				default:
					answer(w, http.StatusOK, `{"success":true,"data":{"uuid":"u1","url":"https://a.example"}}`)
				}
			})
			if err := c.Webhooks.Delete(t.Context(), "u1"); gone != (err == nil) || !gone && !api.MaybeApplied(err) {
				t.Errorf("%d %q, gone %t: %v", a.Status, a.Body, gone, err)
			}
		}
	}
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, `{"success":false,"message":"no"}`)
	})
	if err := c.Webhooks.Delete(t.Context(), "u1"); err == nil || api.MaybeApplied(err) {
		t.Errorf("a refusal with 200: %v", err)
	}
}

func TestTimesAreReadInTheirForms(t *testing.T) {
	want := time.Date(2026, 12, 1, 8, 30, 0, 0, time.UTC)
	for _, sent := range standin.Times() {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, `{"success":true,"data":{"uuid":"u","deadline":`+sent+`}}`)
		})
		if o, err := c.Orders.Get(t.Context(), "x"); err != nil || !o.Deadline.Equal(want) {
			t.Errorf("%s: %+v, %v", sent, o.Deadline, err)
		}
	}
	for _, sent := range standin.NoTimes() {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, `{"success":true,"data":{"uuid":"u","deadline":`+sent+`}}`)
		})
		if o, err := c.Orders.Get(t.Context(), "x"); err != nil || o.Deadline.IsRead() || o.Deadline.Raw != strings.Trim(sent, `"`) {
			t.Errorf("%s: %+v, %v", sent, o.Deadline, err)
		}
	}
}

func TestTheV2APICanRequireTheKeyInAnotherHeader(t *testing.T) {
	var refused atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != "secret-key" || r.Header.Get("Authorization") != "" {
			refused.Add(1)
			answer(w, http.StatusUnauthorized, `{"message":"no key"}`)
			return
		}
		answer(w, http.StatusOK, `[`+row+`]`)
	}))
	t.Cleanup(web.Close)
	c, err := api.NewClient(web.URL, api.WithLegacyURL(web.URL), api.WithKey("secret-key"))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if list, err := c.Records.List(context.Background(), api.RecordListOptions{}); err != nil || len(list) != 1 {
			t.Errorf("%v, %v", list, err)
		}
	}
	if refused.Load() != 1 {
		t.Errorf("refused %d times, want once", refused.Load())
	}
}

func TestRelativeLinksAreMadeAbsolute(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, `{"files":[{"fileName":"a","downloadUrl":"/f/a"},{"fileName":"b","downloadUrl":"f/b?x=1"},{"fileName":"c","downloadUrl":"https://cdn.example/c"}]}`)
	})
	files, err := c.Files.List(t.Context(), "p")
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	host := "http://" + c.Host()
	if files[0].DownloadURL != host+"/f/a" || files[1].DownloadURL != c.BaseURL()+"/f/b?x=1" || files[2].DownloadURL != "https://cdn.example/c" {
		t.Errorf("%s, %s, %s", files[0].DownloadURL, files[1].DownloadURL, files[2].DownloadURL)
	}
}

func TestRecordsWithOtherNamesStillShowTheirValues(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, `{"success":true,"data":{"permissionStatus":"granted","issuedBy":"CAA"}}`)
	})
	p, err := c.Missions.FlightPermission(t.Context(), "m")
	if err != nil || string(p.Extra["permissionStatus"]) != `"granted"` || string(p.Extra["issuedBy"]) != `"CAA"` {
		t.Errorf("%+v, %v", p, err)
	}
	c = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, `{"history":[{"scheduledDate":"2026-12-01","state":"ok"}]}`)
	})
	list, err := c.Missions.Planning(t.Context(), "m")
	if err != nil || len(list) != 1 || string(list[0].Extra["state"]) != `"ok"` {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestTheOperationsClientReadsOtherEnvelopes(t *testing.T) {
	for _, body := range []string{`{"uuid":"a1","companyName":"ACME"}`, `{"data":{"uuid":"a1","companyName":"ACME"}}`, `{"success":true,"data":[{"uuid":"a1","companyName":"ACME"}]}`} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, body) }))
		desk, err := ops.NewClient(web.URL, "ops-key")
		if err != nil {
			t.Fatal(err)
		}
		if a, err := desk.Accounts.Create(t.Context(), ops.AccountInput{CompanyName: "ACME"}); err != nil || a.UUID != "a1" {
			t.Errorf("%s: %+v, %v", body, a, err)
		}
		if p, err := desk.Accounts.List(t.Context(), api.ListOptions{}); err != nil || len(p.Items) != 1 || p.Items[0].UUID != "a1" {
			t.Errorf("%s: %+v, %v", body, p, err)
		}
		web.Close()
	}
}
