package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// Many clients decide the quotes of an order at the same moment, each through the whole service. All
// successful responses agree, and the other responses name the winning decision.
func TestConcurrentDecisionsOnQuotes(t *testing.T) {
	s := start(t, &server.Server{})
	o := desks(t, s)
	c := client(t, s)
	ctx := context.Background()
	order, err := c.Orders.Create(ctx, survey(), "")
	if err != nil {
		t.Fatal(err)
	}
	var quotes [2]*ops.Quote
	for i := range quotes {
		in := ops.QuoteInput{QuoteName: fmt.Sprint("Q", i), DeliveryBy: 1, PriceBeforeDiscount: 1, ExpiryDate: api.TimeOf(s.Now().AddDate(1, 0, 0))}
		quotes[i], err = o.Quotes.Issue(ctx, order.UUID, in)
		if err != nil {
			t.Fatal(err)
		}
	}
	var won [2]atomic.Int64
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			mine := quotes[i%2]
			d, err := c.Quotes.Accept(ctx, order.UUID, mine.UUID)
			if err == nil && d.Outcome == api.QuoteAccepted && d.Quote.QuoteID == mine.UUID {
				won[i%2].Add(1)
				return
			}
			lost := api.DecisionOf(err)
			other := quotes[(i+1)%2]
			if lost == nil || lost.Outcome != api.QuoteClosed || lost.Winner == nil || lost.Winner.QuoteID != other.UUID ||
				!strings.Contains(err.Error(), other.UUID) {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
	all.Wait()
	if a, b := won[0].Load(), won[1].Load(); a+b != 100 || a != 0 && b != 0 {
		t.Errorf("%d clients accepted one quote, %d the other", a, b)
	}
}

// cutting loses the responses to decisions that the service has made.
type cutting struct {
	http.RoundTripper
	cut atomic.Int64
}

func (c *cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.Contains(r.URL.Path, "/quote/") {
		return c.RoundTripper.RoundTrip(r)
	}
	c.cut.Add(1)
	resp, err := c.RoundTripper.RoundTrip(r)
	if err == nil {
		_ = resp.Body.Close()
	}
	return nil, errors.New("the line is cut")
}

func TestDecisionIsLookedUpAfterALostAnswer(t *testing.T) {
	s := start(t, &server.Server{})
	o := desks(t, s)
	plain := client(t, s)
	ctx := context.Background()
	key, err := s.IssueKey(ctx, mustAccount(t, o), api.Scopes())
	if err != nil {
		t.Fatal(err)
	}
	line := &cutting{RoundTripper: server.Direct(s)}
	c, err := api.NewClient(s.BaseURL(), api.WithKey(key), api.WithLegacyURL(s.LegacyURL()), api.WithTransport(line))
	if err != nil {
		t.Fatal(err)
	}
	order, err := plain.Orders.Create(ctx, survey(), "")
	if err != nil {
		t.Fatal(err)
	}
	issue := func() string {
		q, err := o.Quotes.Issue(ctx, order.UUID, ops.QuoteInput{
			QuoteName: "Q", DeliveryBy: 1, PriceBeforeDiscount: 7, ExpiryDate: api.TimeOf(s.Now().AddDate(1, 0, 0)),
		})
		if err != nil {
			t.Fatal(err)
		}
		return q.UUID
	}
	first := issue()
	second := issue()
	if d, err := c.Quotes.Reject(ctx, order.UUID, first); err != nil || d.Outcome != api.QuoteRejected || d.Order == nil || line.cut.Load() != 1 {
		t.Errorf("%+v, %v after %d tries", d, err, line.cut.Load())
	}
	if d, err := c.Quotes.Accept(ctx, order.UUID, second); err != nil || d.Outcome != api.QuoteAccepted || d.Winner.QuoteID != second || line.cut.Load() != 2 {
		t.Errorf("%+v, %v after %d tries", d, err, line.cut.Load())
	}
	_, err = c.Quotes.Accept(ctx, order.UUID, first)
	if d := api.DecisionOf(err); d == nil || d.Outcome != api.QuoteRejected || d.Winner.QuoteID != second {
		t.Errorf("%+v, %v", d, err)
	}
}

// mustAccount returns the UUID of the newest account.
func mustAccount(t *testing.T, o *ops.Client) string {
	t.Helper()
	page, err := o.Accounts.List(context.Background(), api.ListOptions{})
	if err != nil || len(page.Items) == 0 {
		t.Fatal(page, err)
	}
	return page.Items[0].UUID
}
