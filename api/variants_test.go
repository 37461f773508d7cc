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
)

// The variants are answers of services that speak the specification in another
// way: each group rewrites one answer, and says what the client has to make of
// it. None may be wrong.

func TestPricesAreReadWholeOrKeptAsSent(t *testing.T) {
	at := api.PriceOf
	unread := func(raw string) api.Price { return api.Price{Raw: raw} }
	for sent, want := range map[string]api.Price{
		`1388.43`: at(1388.43), `"1388.43"`: at(1388.43), `"1,388.43"`: at(1388.43), `"1.388,43"`: at(1388.43),
		`"1 388.43"`: at(1388.43), `"1 388,43"`: at(1388.43), `"1'388.43"`: at(1388.43), `"1’388.43"`: at(1388.43),
		`"1\u00a0388,43"`: at(1388.43), `"1,388,000"`: at(1388000), `"1.388.000"`: at(1388000), `"1,38,843.50"`: at(138843.5),
		`"1388,43"`: at(1388.43), `"1388,4"`: at(1388.4), `"1 388"`: at(1388), `0`: at(0), `"0"`: at(0), `"0.00"`: at(0), `1.38843e3`: at(1388.43),
		`"EUR 1388.43"`: at(1388.43), `"1388.43 EUR"`: at(1388.43), `"eur 1,388.43"`: at(1388.43), `"€1388.43"`: at(1388.43), `"€ 1.388,43"`: at(1388.43),
		`"1.388,43 €"`: at(1388.43), `{"amount":1388.43,"currency":"EUR"}`: at(1388.43), `{"amount":"1,388.43","currency":"EUR"}`: at(1388.43),
		`{"value":1388.43}`: at(1388.43), `""`: {}, `null`: {},
		`"1,388"`: unread("1,388"), `"1.388"`: unread("1.388"), `"EUR 1.388"`: unread("EUR 1.388"), `"about 1388"`: unread("about 1388"), `"1388.43 each"`: unread("1388.43 each"),
		`"1,38.43"`: unread("1,38.43"), `"1.388.43"`: unread("1.388.43"), `"1388.43-1500"`: unread("1388.43-1500"), `"on request"`: unread("on request"),
		`1e999`: unread("1e999"), `"NaN"`: unread("NaN"), `"0x10"`: unread("0x10"), `"USD 1388.43"`: unread("USD 1388.43"), `"$1388.43"`: unread("$1388.43"),
		`{"amount":138843,"currency":"EUR","exponent":2}`: unread(`{"amount":138843,"currency":"EUR","exponent":2}`),
		`{"amount":1388.43,"currency":"USD"}`:             unread(`{"amount":1388.43,"currency":"USD"}`), `true`: unread("true"), `[1388.43]`: unread("[1388.43]"),
	} {
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

func TestAPriceGivesItsCurrencyToAQuoteThatHasNone(t *testing.T) {
	for sent, want := range map[string]string{`"EUR 7"`: "EUR", `"£7"`: "GBP", `{"amount":7,"currency":"chf"}`: "CHF", `"$7"`: "", `7`: ""} {
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
	for _, body := range []string{
		`[%s]`, `{"data":[%s]}`, `{"items":[%s]}`, `{"orders":[%s]}`, `{"results":[%s]}`, `{"rows":[%s]}`, `{"list":[%s]}`, `{"records":[%s]}`,
		`{"success":true,"message":"","data":{"data":[%s],"nextCursor":null,"hasNextPage":false}}`, `{"success":true,"data":[%s]}`,
		`{"success":true,"data":{"orders":[%s]}}`, `{"success":true,"data":{"items":[%s],"total":1}}`, `{"data":{"results":[%s]}}`,
		`{"success":true,"data":{"u1":%s}}`, `{"u1":%s}`, `{"orders":{"u1":%s}}`, `{"success":true,"data":%s}`, `%s`, `{"page":1,"history":[%s]}`,
		`[null,%s,"total: 1",7]`, `{"data":[%s,null]}`, "\ufeff[%s]", `{"id":"request-7","success":true,"data":[%s]}`, `{"order":%s}`,
		`{"content":[%s],"pageInfo":{"hasNextPage":false}}`,
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, fmt.Sprintf(body, row)) })
		page, err := c.Orders.List(t.Context(), api.ListOptions{})
		if err != nil || len(page.Items) != 1 || page.Items[0].OrderCode != "ORD-1" || page.HasNextPage {
			t.Errorf("public %s: %+v, %v", body, page, err)
		}
		c = serveLegacy(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, fmt.Sprintf(body, row)) })
		list, err := c.Records.List(t.Context(), api.RecordListOptions{})
		if err != nil || len(list) != 1 || list[0].OrderCode != "ORD-1" {
			t.Errorf("second generation %s: %+v, %v", body, list, err)
		}
	}
}

func TestWhatIsNoListIsAnErrorAndNotAnEmptyList(t *testing.T) {
	for _, body := range []string{`"none"`, `7`, `true`, `{"ok":true}`, `["a","b"]`, `[null]`, `{"success":true,"data":"none"}`, `{"success":true}`, `<html>`, ``} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, body) })
		var e *api.Error
		if page, err := c.Orders.List(t.Context(), api.ListOptions{}); !errors.As(err, &e) || !e.Foreign {
			t.Errorf("%s: %+v, %v", body, page, err)
		}
	}
}

func TestAnOrderIsReadInAnyContainer(t *testing.T) {
	mission := `{"uuid":"m1","missionCode":"MSN-1"}`
	whole := strings.TrimSuffix(row, "}") + `,"missions":[` + mission + `]}`
	for _, body := range []string{
		whole, `{"success":true,"message":"","data":` + whole + `}`, `{"data":` + whole + `}`, `{"order":` + whole + `}`, `[` + whole + `]`,
		`{"order":` + row + `,"missions":[` + mission + `]}`, `{"success":true,"data":{"order":` + row + `,"missions":[` + mission + `]}}`,
		`{"result":` + whole + `}`, `{"success":true,"data":[` + whole + `]}`,
	} {
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

func TestTheReasonOfARefusalArrives(t *testing.T) {
	for body, want := range map[string]string{
		`{"success":false,"message":"no such order"}`:               "no such order",
		`{"message":"no such order"}`:                               "no such order",
		`{"error":"no such order"}`:                                 "no such order",
		`{"error":{"message":"no such order","code":"not_found"}}`:  "no such order",
		`{"errors":["no such order"]}`:                              "no such order",
		`{"errors":[{"message":"no such order"}]}`:                  "no such order",
		`{"detail":"no such order"}`:                                "no such order",
		`{"title":"Not found","detail":"no such order"}`:            "no such order",
		`{"title":"no such order","status":404}`:                    "no such order",
		`{"message":["no such order","try again"],"error":"x"}`:     "no such order; try again",
		`{"msg":"no such order"}`:                                   "no such order",
		`{"reason":"no such order"}`:                                "no such order",
		`{"data":{"message":"no such order"}}`:                      "no such order",
		`{"error_description":"no such order","error":"not_found"}`: "no such order",
		`"no such order"`:                                           "no such order",
		`["no such order"]`:                                         "no such order",
		`{"error":"not_found"}`:                                     "not_found",
		`{"data":{"code":"not_found"}}`:                             "not found",
	} {
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
	for _, body := range []string{`{"success":false,"message":"closed"}`, `{"success":"false","error":"closed"}`, `{"status":"error","message":"closed"}`, `{"error":"closed"}`} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, body) })
		var e *api.Error
		if _, err := c.Orders.List(t.Context(), api.ListOptions{}); !errors.As(err, &e) || e.Message != "closed" || e.Foreign {
			t.Errorf("%s with 200: %v", body, err)
		}
	}
}

func TestTheFaultsOfFieldsArrive(t *testing.T) {
	for _, errs := range []string{
		`"errors":[{"field":"order.deadline","message":"is in the past"}]`, `"errors":{"order.deadline":["is in the past"]}`,
		`"errors":{"order.deadline":"is in the past"}`, `"invalid-params":[{"name":"order.deadline","reason":"is in the past"}]`,
		`"detail":[{"loc":["order","deadline"],"msg":"is in the past"}]`, `"fields":{"order.deadline":"is in the past"}`,
		`"error":{"details":[{"path":"order.deadline","message":"is in the past"}]}`, `"violations":[{"property":"order.deadline","message":"is in the past"}]`,
		`"data":{"errors":[{"field":"order.deadline","message":"is in the past"}]}`,
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusBadRequest, `{`+errs+`}`) })
		_, err := c.Orders.Create(t.Context(), api.CreateOrderRequest{}, "")
		var e *api.Error
		if !errors.As(err, &e) || len(e.Fields) != 1 || e.Fields[0] != (api.FieldError{Field: "order.deadline", Message: "is in the past"}) {
			t.Errorf("%s: %v", errs, err)
		}
	}
}

func TestTheMaximumOfALimitIsLearned(t *testing.T) {
	for name, refusal := range map[string]string{
		"named": `{"message":"limit must not be greater than 50"}`, "not named": `{"message":"bad request"}`,
		"of a field": `{"message":"the request has a fault","data":{"errors":[{"field":"limit","message":"is at most 50"}]}}`,
	} {
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

func TestAListThatDoesNotEndIsAnErrorWithWhatWasRead(t *testing.T) {
	for name, page := range map[string]func(n int) string{
		"the same cursor": func(int) string { return `{"data":[` + row + `],"nextCursor":"a","hasNextPage":true}` },
		"two cursors in turn": func(n int) string {
			return fmt.Sprintf(`{"data":[%s],"nextCursor":"c%d","hasNextPage":true}`, row, n%2)
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
	for _, more := range []string{`"nextCursor":"b"`, `"next_cursor":"b"`, `"nextCursor":7`, `"nextCursor":"b","hasNextPage":"true"`, `"nextCursor":"b","has_more":true`, `"meta":{"nextCursor":"b"}`} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			next := more
			if r.URL.Query().Get("cursor") != "" {
				next = `"nextCursor":null`
			}
			answer(w, http.StatusOK, `{"success":true,"data":{"data":[`+row+`],`+next+`}}`)
		})
		if n, err := count(c.Orders.All(t.Context())); n != 2 || err != nil {
			t.Errorf("%s: %d orders, %v", more, n, err)
		}
	}
}

func TestMovesAreMadeByTheMethodThatIsAllowed(t *testing.T) {
	for _, allow := range []string{"PUT", "GET, PATCH", "patch,put"} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(strings.ToUpper(allow), r.Method) {
				w.Header().Set("Allow", allow)
				answer(w, http.StatusMethodNotAllowed, `{"message":"no"}`)
				return
			}
			answer(w, http.StatusOK, `{"success":true,"data":`+row+`}`)
		})
		if o, err := c.Orders.Cancel(t.Context(), "u1"); err != nil || o.OrderCode != "ORD-1" {
			t.Errorf("%s: %+v, %v", allow, o, err)
		}
	}
	for _, body := range []string{"", "ok", `{}`, `{"success":true,"message":"cancelled","data":{}}`, `"done"`} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				body = `{"success":true,"data":` + row + `}`
			}
			answer(w, http.StatusOK, body)
		})
		if o, err := c.Orders.Cancel(t.Context(), "u1"); err != nil || o.Status != api.OrderCompleted {
			t.Errorf("an answer without the order: %+v, %v", o, err)
		}
	}
}

func TestADeletedEndpointIsDeletedWhateverTheAnswerSays(t *testing.T) {
	for status, bodies := range map[int][]string{http.StatusNoContent: {""}, http.StatusOK: {"", "deleted", `{}`, `{"success":true,"data":null}`, `true`}} {
		for _, body := range bodies {
			c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
			})
			if err := c.Webhooks.Delete(t.Context(), "u1"); err != nil {
				t.Errorf("%d %q: %v", status, body, err)
			}
		}
	}
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, `{"success":false,"message":"no"}`)
	})
	if err := c.Webhooks.Delete(t.Context(), "u1"); err == nil {
		t.Error("a refusal with 200 is taken for a success")
	}
}

func TestTimesAreReadInTheirForms(t *testing.T) {
	want := time.Date(2026, 12, 1, 8, 30, 0, 0, time.UTC)
	for _, sent := range []string{
		`"2026-12-01T08:30:00Z"`, `"2026-12-01T08:30:00.000Z"`, `"2026-12-01T14:00:00+0530"`, `"2026-12-01T14:00:00+05:30"`, `"2026-12-01T09:30:00+01"`,
		`"2026-12-01T08:30Z"`, `"2026-12-01T09:30+01:00"`, `"2026-12-01 08:30:00"`, `"2026-12-01 08:30:00+00:00"`, `"2026-12-01 08:30:00.000 UTC"`, `"2026-12-01 09:30:00 +0100"`,
		`"Tue, 01 Dec 2026 08:30:00 GMT"`, `"Tue, 01 Dec 2026 09:30:00 +0100"`, `1796113800`, `1796113800000`, `"1796113800"`, `"20261201T083000Z"`, `" 2026-12-01T08:30:00Z "`,
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, `{"success":true,"data":{"uuid":"u","deadline":`+sent+`}}`)
		})
		if o, err := c.Orders.Get(t.Context(), "x"); err != nil || !o.Deadline.Equal(want) {
			t.Errorf("%s: %+v, %v", sent, o.Deadline, err)
		}
	}
	for _, sent := range []string{`"12/01/2026"`, `"next week"`, `7`, `true`, `"2026-13-01"`, `"2026-12-01 08:30:00 PST"`} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, `{"success":true,"data":{"uuid":"u","deadline":`+sent+`}}`)
		})
		if o, err := c.Orders.Get(t.Context(), "x"); err != nil || o.Deadline.IsRead() || o.Deadline.Raw != strings.Trim(sent, `"`) {
			t.Errorf("%s: %+v, %v", sent, o.Deadline, err)
		}
	}
}

func TestTheSecondGenerationMayTakeTheKeyElsewhere(t *testing.T) {
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

func TestRelativeLinksAreMadeWhole(t *testing.T) {
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
