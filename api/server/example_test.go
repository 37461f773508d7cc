package server_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"flightdesk/api/server"
)

// An example of a test with a service: it creates an order with an open quote, accepts the quote, and
// prints the outcome. README.md contains the lines between the marks.
func Example() {
	ctx := context.Background()

	// README begins
	s := &server.Server{} // the whole service, in memory
	check(s.Start(ctx))
	defer func() { check(s.Close()) }()
	client, err := s.Client() // no network needed
	check(err)
	order, err := s.NewOrder(ctx, client, server.StageQuoted)
	check(err)
	record, err := client.Records.Get(ctx, order.UUID)
	// README ends
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

func TestTheReadmeHasTheExample(t *testing.T) {
	example, err := os.ReadFile("example_test.go")
	check(err)
	readme, err := os.ReadFile("../../README.md")
	check(err)
	_, body, _ := strings.Cut(string(example), "\t// README begins\n")
	body, _, _ = strings.Cut(body, "\n\t// README ends\n")
	want := strings.ReplaceAll("\n"+body, "\n\t", "\n")
	if !strings.Contains(string(readme), "\n```go"+want+"\n```\n") {
		t.Errorf("README.md is to have%s", want)
	}
}
