package server_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// quoteDecisions are orders with two quotes that are accepted at the same moment, of which one wins.
// The decision is acknowledged.
func quoteDecisions() kind {
	return kind{name: "quote decisions", write: decideAmongTwo, check: checkDecisions}
}

func decideAmongTwo(ctx context.Context, c clients) (string, error) {
	o, err := c.public.Orders.Create(ctx, survey(), "")
	if err != nil {
		return "", err
	}
	var quotes [2]string
	for i := range quotes {
		q, err := c.ops.Quotes.Issue(ctx, o.UUID, ops.QuoteInput{
			QuoteName: fmt.Sprint("Q", i), DeliveryBy: 3, PriceBeforeDiscount: 10, ExpiryDate: api.TimeOf(time.Now().Add(time.Hour)),
		})
		if err != nil {
			return "", err
		}
		quotes[i] = q.QuoteID
	}
	var errs [2]error
	var both sync.WaitGroup
	for i, q := range quotes {
		both.Go(func() { _, errs[i] = c.public.Quotes.Accept(ctx, o.UUID, q) })
	}
	both.Wait()
	// The check finds an order with no accepted quote, or with two.
	acked := []string{o.UUID}
	for i, err := range errs {
		if err == nil {
			acked = append(acked, quotes[i])
		} else if !api.IsStatus(err, http.StatusConflict) && errs[1-i] != nil {
			return "", err
		}
	}
	return strings.Join(acked, " "), nil
}

// checkDecisions reads the orders through the operations API.
func checkDecisions(ctx context.Context, c clients, ids []string) error {
	return each(ids, func(id string) error {
		acked := strings.Fields(id)
		o, err := c.ops.Orders.Get(ctx, acked[0])
		if err != nil {
			return err
		}
		var accepted []string
		open := 0
		for _, q := range o.Quotes {
			switch q.Status {
			case api.QuoteAccepted:
				accepted = append(accepted, q.QuoteID)
			case api.QuoteOpen:
				open++
			}
		}
		if len(accepted) != 1 || !slices.Equal(accepted, acked[1:]) || open != 0 || o.Status != api.OrderPendingOperator {
			return fmt.Errorf("of the order %s (%s) quotes %v are accepted and %d open, acknowledged were %v",
				o.OrderCode, o.Status, accepted, open, acked[1:])
		}
		return nil
	})
}
