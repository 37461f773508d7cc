package api_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

const expired = `{"success":false,"message":"quote q1 expired","data":{"code":"quote_expired","requestId":"r"}}`

// decided responds to a decision with one body and to reading the order with another. For an
// empty decision body it closes the connection.
func decided(t *testing.T, status int, decision, order string) (c *api.Client, decisions *atomic.Int32) {
	t.Helper()
	decisions = new(atomic.Int32)
	return serveLegacy(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/getorder/") {
			if order == "" {
				w.WriteHeader(http.StatusInternalServerError)
			}
			answer(w, http.StatusOK, order)
			return
		}
		if r.URL.Path != "/order/o/quote/q1" || r.Method != http.MethodPost {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		decisions.Add(1)
		if decision == "" {
			panic(http.ErrAbortHandler)
		}
		answer(w, status, decision)
	}), decisions
}

func TestADecisionIsConfirmedByTheOrderAndHasAReceipt(t *testing.T) {
	const accepted = `{"id":"o","acceptedQuote":{"quoteId":"q1"}}`
	for body, price := range map[string]float64{
		`{"status":"Quote accepted","quoteDetails":{"quoteId":"q1","finalPrice":7}}`:                         7,
		`{"status":"Angebot angenommen"}`:                                                                    0,
		`{"success":true,"message":"The quote has been accepted.","data":{}}`:                                0,
		`{"success":true,"message":"","data":{"status":"Quote accepted","quoteDetails":{"finalPrice":"7"}}}`: 7,
		`Thank you`: 0,
	} {
		c, n := decided(t, 200, body, accepted)
		d, err := c.Quotes.Accept(t.Context(), "o", "q1")
		if err != nil || d.Outcome != api.QuoteAccepted || d.Winner != d.Quote || d.Unanswered != nil || n.Load() != 1 {
			t.Errorf("%s: %+v, %v, sent %d times", body, d, err, n.Load())
			continue
		}
		if r := d.Receipt; (r != nil) != (price > 0) || r != nil && r.FinalPrice != api.PriceOf(price) {
			t.Errorf("%s: receipt %+v", body, r)
		}
	}
	c, _ := decided(t, 200, `{"status":"Quote rejected"}`, `{"id":"o","rejectedQuotes":[{"quoteId":"q1"}]}`)
	if d, err := c.Quotes.Reject(t.Context(), "o", "q1"); err != nil || d.Outcome != api.QuoteRejected || d.Status != "Quote rejected" || d.Winner != nil {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestADecisionIsNotConfirmedIfItsOrderCannotBeRead(t *testing.T) {
	c, n := decided(t, 200, `{"status":"Quote accepted"}`, "")
	_, err := c.Quotes.Accept(t.Context(), "o", "q1")
	d := api.DecisionOf(err)
	if d == nil || d.Outcome != api.QuoteUnknown || d.Status != "Quote accepted" || !api.MaybeApplied(err) || n.Load() != 1 {
		t.Errorf("%+v, %v, sent %d times", d, err, n.Load())
	}
}

// After a lost response, the order shows the outcome. The decision is never sent again.
func TestADecisionWithALostResponseIsReadFromTheOrder(t *testing.T) {
	for order, want := range map[string]api.QuoteStatus{
		`{"id":"o","orderStatus":"pendingOperator","acceptedQuote":{"quoteId":"q1"}}`:                                   api.QuoteAccepted,
		`{"id":"o","orderStatus":"reviewing","rejectedQuotes":[{"quoteId":"q1"}]}`:                                      api.QuoteRejected,
		`{"id":"o","orderStatus":"pendingOperator","acceptedQuote":{"quoteId":"q2"},"closedQuotes":[{"quoteId":"q1"}]}`: api.QuoteClosed,
		`{"status":"quoteReceived","quotes":[{"quoteId":"q1"}]}`:                                                        api.QuoteOpen,
		`{"id":"o","orderStatus":"pendingOperator"}`:                                                                    api.QuoteUnknown,
		"": api.QuoteUnknown,
	} {
		c, n := decided(t, 0, "", order)
		d, err := c.Quotes.Accept(t.Context(), "o", "q1")
		if n.Load() != 1 {
			t.Errorf("%s: sent %d times", order, n.Load())
		}
		if want == api.QuoteAccepted {
			if err != nil || d.Outcome != want || d.Order == nil || d.Quote.QuoteID != "q1" || d.Status != "" {
				t.Errorf("%s: %+v, %v", order, d, err)
			}
			continue
		}
		var lost *api.DecisionError
		if !errors.As(err, &lost) || lost.Want != api.QuoteAccepted || lost.Decision.Outcome != want || !api.MaybeApplied(err) {
			t.Errorf("%s: %+v, %v", order, d, err)
		}
		if got := api.DecisionOf(err); got == nil || (got.Order != nil) != (order != "") {
			t.Errorf("%s: %+v", order, got)
		}
	}
}

func TestARejectedDecisionReportsTheWinningQuote(t *testing.T) {
	const conflict = `{"success":false,"message":"quote q2 (Fast) was accepted","data":{"code":"conflict","requestId":"r"}}`
	c, n := decided(t, 409, conflict, `{"id":"o","acceptedQuote":{"quoteId":"q2","quoteName":"Fast"},"closedQuotes":[{"quoteId":"q1"}]}`)
	_, err := c.Quotes.Reject(t.Context(), "o", "q1")
	d := api.DecisionOf(err)
	if d == nil || d.Outcome != api.QuoteClosed || d.Winner == nil || d.Winner.QuoteID != "q2" || n.Load() != 1 || !api.IsStatus(err, 409) {
		t.Fatalf("%+v, %v", d, err)
	}
	if !strings.Contains(err.Error(), "quote q2 (Fast) was accepted") {
		t.Errorf("error %q", err)
	}

	c, _ = decided(t, 409, expired, `{"status":"quoteReceived","quotes":[{"quoteId":"q1"}]}`)
	_, err = c.Quotes.Accept(t.Context(), "o", "q1")
	var refused *api.Error
	if d := api.DecisionOf(err); d == nil || d.Outcome != api.QuoteOpen || !errors.As(err, &refused) || refused.Code != api.CodeQuoteExpired {
		t.Errorf("%+v, %v", d, err)
	}

	// The decision is rejected, but the order shows it: someone else made the same decision.
	c, _ = decided(t, 409, conflict, `{"id":"o","rejectedQuotes":[{"quoteId":"q1"}]}`)
	if d, err := c.Quotes.Reject(t.Context(), "o", "q1"); err != nil || d.Outcome != api.QuoteRejected {
		t.Errorf("%+v, %v", d, err)
	}

	c, _ = decided(t, 404, `{"success":false,"message":"no such quote","data":{"code":"not_found","requestId":"r"}}`, `{}`)
	if _, err := c.Quotes.Accept(t.Context(), "o", "q1"); !api.IsStatus(err, 404) || api.DecisionOf(err) != nil {
		t.Errorf("%v", err)
	}
}

func TestTheOutcomeOfACancelledDecisionIsUnknown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := serveLegacy(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client disconnects
		cancel()
		<-r.Context().Done()
	})
	_, err := c.Quotes.Accept(ctx, "o", "q1")
	if d := api.DecisionOf(err); d == nil || d.Outcome != api.QuoteUnknown || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestValuesOfTheV2API(t *testing.T) {
	for text, want := range map[string]api.Days{
		`20`: api.DaysOf(20), `"20"`: api.DaysOf(20), `"20 days"`: api.DaysOf(20), `"1 Day"`: api.DaysOf(1), `"2 weeks"`: api.DaysOf(14),
		`20.0`: api.DaysOf(20), `0`: api.DaysOf(0), `""`: {}, `null`: {}, `"soon"`: {Raw: "soon"}, `"20 hours"`: {Raw: "20 hours"},
		`-3`: {Raw: "-3"}, `1e3`: {Raw: "1e3"}, `"5 to 6 days"`: {Raw: "5 to 6 days"},
	} {
		var got api.Days
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]float64{"10%": 10, "12.5 %": 12.5, "0": 0, "": -1, "none": -1} {
		got, ok := (&api.Quote{DiscountProvided: text}).Discount()
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("discount %q: %v, %v", text, got, ok)
		}
	}
	var d api.Date
	if err := json.Unmarshal([]byte(`"2026-05-30T23:30:00-08:00"`), &d); err != nil || d.String() != "2026-05-30" {
		t.Errorf("%v, %v", d, err)
	}
	if b, err := json.Marshal(api.Date{Raw: "soon"}); err != nil || string(b) != `"soon"` {
		t.Errorf("%s, %v", b, err)
	}
	if api.DaysOf(1).String() != "1 day" || api.DaysOf(20).String() != "20 days" {
		t.Error(api.DaysOf(1), api.DaysOf(20))
	}
}

func TestAnUnconfirmedDecisionIsCheckedWithTheOrder(t *testing.T) {
	for _, body := range []string{
		`{"status":true}`, `{}`, `[]`, `"done"`, `null`, `Thank you`, `{"status":"Quote expired"}`, `{"status":"Quote not accepted"}`,
		`{"success":false,"message":"the quote has expired"}`, `{"status":"Quote rejected"}`,
	} {
		c, _ := decided(t, http.StatusOK, body, `{"id":"o","quotes":[],"acceptedQuote":{"quoteId":"q1"}}`)
		if d, err := c.Quotes.Accept(t.Context(), "o", "q1"); err != nil || d.Outcome != api.QuoteAccepted {
			t.Errorf("%s, and the order says accepted: %+v, %v", body, d, err)
		}
		c, n := decided(t, http.StatusOK, body, `{"id":"o","quotes":[{"quoteId":"q1"}]}`)
		_, err := c.Quotes.Accept(t.Context(), "o", "q1")
		if d := api.DecisionOf(err); d == nil || d.Outcome != api.QuoteOpen || n.Load() != 1 {
			t.Errorf("%s, and the order says open: %+v, %v, sent %d times", body, d, err, n.Load())
		}
	}
}

// A quote that the service has withdrawn is closed, and an impossible price is unread.
func TestWithdrawnQuotesAreClosed(t *testing.T) {
	c := serveLegacy(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, `{"id":"o-1","quotes":[
			{"quoteId":"q-1","status":"Withdrawn","finalPrice":10,"currency":"EUR"},
			{"quoteId":"q-2","status":"open","finalPrice":-50,"currency":"EUR"},
			{"quoteId":"q-3","finalPrice":1e21,"currency":"EUR"},
			{"quoteId":"q-4","finalPrice":1582,"currency":"EUR"}]}`)
	})
	r, err := c.Records.Get(t.Context(), "o-1")
	if err != nil || len(r.Quotes) != 3 || len(r.ClosedQuotes) != 1 || r.ClosedQuotes[0].QuoteID != "q-1" {
		t.Fatalf("%+v, %v", r, err)
	}
	for i, unread := range []bool{true, true, false} {
		if q := r.Quotes[i]; q.FinalPrice.IsUnread() != unread || q.FinalPrice.Known == unread {
			t.Errorf("%s: %+v", q.QuoteID, q.FinalPrice)
		}
	}
}
