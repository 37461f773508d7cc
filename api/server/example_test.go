package server_test

import (
	"context"
	"fmt"

	"flightdesk/api/server"
)

// A test of one's own, in ten lines: a service, a client, an order whose quote
// can be accepted, and what becomes of it.
func Example() {
	ctx := context.Background()
	s := &server.Server{}
	check(s.Start(ctx))
	defer func() { check(s.Close()) }()
	client, err := s.Client() // no network needed
	check(err)
	order, err := s.NewOrder(ctx, client, server.StageQuoted)
	check(err)
	record, err := client.Records.Get(ctx, order.UUID)
	check(err)
	decision, err := client.Quotes.Accept(ctx, order.UUID, record.Quotes[0].QuoteID)
	check(err)
	fmt.Println(order.OrderCode, decision.Outcome, decision.Quote.FinalPrice.Amount)
	// Output: ORD-100201 accepted 1388.43
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
